/** A fleet model in the studio in a real browser: sliders, the answer with its curves, the run before, and the file. */

import { readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import type { BrowserContextOptions, Page } from "playwright-core"
import { expect, test } from "vitest"
import { setInRun, textWith } from "../../src/model/replay/number-text.ts"
import { fleetNumbers } from "../../src/simulation/fleet/language/written-numbers.ts"
import { ROOT, folder } from "../cli/command-line.ts"
import { problemsIn } from "./chromium.ts"
import type { OpenedPage } from "./chromium.ts"
import { PHONE, lookInEachView } from "./look.ts"
import { studioInBrowser } from "./studio-page.ts"

const MODEL = `# How many runners does a short lunch need?
fleet: A short lunch
because: Do two runners keep the promise?
clock: 2026-03-02T11:00 America/Chicago
horizon: 2h
replications: 3

sites:
  - as: north
    at: [30.4021, -97.7253]
    stalls: 6
    runners: 2 # the question
    stores: [{ as: lunchbox, preparation: { lognormal: { mean: 8m, sd: 3m } }, cooks: 6 }]

runner: { walk: { uniform: [40s, 100s] } }
demand: [{ product: reservation, site: north, per_hour: { by_hour: { "11:00": 12, "12:00": 20 } } }]

promises: { reservations.wait_p95: "< 12m" }
`

const ORDERS = `created_at,total_items
2026-03-02 11:40:00,2
2026-03-02 12:05:00,1
2026-03-02 12:20:00,4
2026-03-02 12:50:00,3
`

const opened = folder()
const model = join(opened, "lunch.yaml")
writeFileSync(model, MODEL)
writeFileSync(
  join(opened, "bad.yaml"),
  MODEL.replace("A short lunch", "A bad lunch").replace("stalls: 6", "stals: 6"),
)

const inBrowser = studioInBrowser(opened)

async function studio(name: string, options: BrowserContextOptions = {}): Promise<OpenedPage> {
  const shown = await inBrowser.open("", options)
  await shown.page.getByRole("button", { name: "Fleets", exact: true }).click()
  await shown.page.getByRole("button", { name, exact: true }).click()
  await shown.page
    .getByRole("heading", { name: `${name === "A short lunch" ? "lunch" : "bad"}.yaml` })
    .waitFor()
  return shown
}

async function ran(page: Page): Promise<void> {
  await page.getByRole("button", { name: "Run the model" }).click()
  await page
    .getByRole("link", { name: "the whole report", includeHidden: true })
    .waitFor({ state: "attached" })
  await page.getByRole("button", { name: "Run the model" }).waitFor({ state: "attached" })
}

const go = async (page: Page, pane: string): Promise<void> => {
  const tab = page.getByRole("button", { name: pane, exact: true })
  if (await tab.isVisible()) await tab.click()
}

test("the numbers of every shipped model stand where the text has them, and are written there alone", () => {
  const path = join(ROOT, "scenarios/fleets/city-day.yaml")
  const text = readFileSync(path, "utf8")
  const numbers = fleetNumbers(path, text)
  expect(numbers.filter(({ group }) => group === "Demand").length).toBeGreaterThan(20)
  for (const { line, column, length, value, unit } of numbers) {
    const written = text.split("\n")[line - 1]?.slice(column - 1, column - 1 + length)
    expect(written).toBe(`${value}${unit}`)
  }
  const all = new Map(numbers.map((one) => [`${one.line}:${one.column}`, one.value]))
  expect(textWith(text, numbers, all)).toBe(text)
})

test("a slider is moved by keyboard, the model runs, and the next run shows the one before", async () => {
  const { page, complaints, close } = await studio("A short lunch")
  await ran(page)
  const first = await page.locator(".headline h3").textContent()
  expect(first).not.toBe("")
  const table = page.getByRole("table", { name: "Promises, with their margins" })
  expect(await table.getByRole("row").count()).toBe(2)
  expect(await page.locator(".curve .now").count()).toBeGreaterThan(2)
  expect(await page.locator(".curve .before").count()).toBe(0)
  await page.getByRole("slider", { name: /^Runners at north/ }).focus()
  await page.keyboard.press("ArrowLeft")
  expect(await page.locator(".slider.is-changed output").textContent()).toBe("1 was 2")
  await page.getByRole("button", { name: "Run the model" }).focus()
  await page.keyboard.press("Enter")
  await page.locator(".curve .before").first().waitFor({ state: "attached" })
  // The button was "Stop" meanwhile.
  await expect.poll(() => page.locator(":focus").textContent()).toMatch(/Run the model$/)
  expect(await page.locator(".headline h3").textContent()).not.toBe(first)
  const report = page.waitForEvent("popup")
  await page.getByRole("link", { name: "the whole report" }).click()
  await (await report).getByRole("heading", { level: 1 }).waitFor()
  expect(complaints).toEqual([])
  await close()
})

test("a model opens as a replay, which leads back to its numbers", async () => {
  const { page, complaints, close } = await studio("A short lunch")
  await page.getByRole("link", { name: "Replay" }).click()
  await page.locator("[data-digest]").waitFor()
  await page.getByRole("heading", { name: "Fleet replay" }).waitFor()
  expect(new URL(page.url()).hash).toMatch(/^#file=lunch\.yaml/)
  expect(page.url()).not.toContain("token")
  await page.getByRole("link", { name: "Fleets" }).click()
  await page.getByRole("heading", { name: "lunch.yaml" }).waitFor()
  expect(complaints).toEqual([])
  await close()
})

test("a new model is written from a template, opens with its numbers and runs", async () => {
  const { page, complaints, close } = await inBrowser.open("&area=fleets")
  await page.getByRole("button", { name: "Fleets", exact: true }).click()
  await page.getByRole("button", { name: "New fleet model" }).click()
  const dialog = page.getByRole("dialog")
  await dialog.getByRole("button", { name: /^What is full first/ }).click()
  await dialog.getByLabel("Cooks", { exact: true }).fill("0")
  await dialog.getByText('Write a number from 1 to 200, not "0".').waitFor()
  await dialog.getByLabel("Cooks", { exact: true }).fill("3")
  await dialog.getByText(/8 stalls and 3 cooks/).waitFor()
  expect(await problemsIn(page)).toEqual([])
  await dialog.getByRole("button", { name: "Write and run" }).click()
  await page.getByRole("heading", { name: "what-is-full-first-at-our-site.yaml" }).waitFor()
  await page.locator(".headline h3").waitFor()
  expect(await page.locator(".headline h3").textContent()).toMatch(/cooks/)
  const written = readFileSync(join(opened, "what-is-full-first-at-our-site.yaml"), "utf8")
  expect(written).toContain("cooks: 3 }")
  expect(await page.getByRole("slider", { name: /^Cooks at / }).inputValue()).toBe("3")
  expect(complaints).toEqual([])
  // A file is never replaced.
  await page.getByRole("button", { name: "New fleet model" }).click()
  await dialog.getByRole("button", { name: /^What is full first/ }).click()
  await dialog.getByRole("button", { name: "Write and run" }).click()
  await dialog.getByRole("alert").waitFor()
  expect(readFileSync(join(opened, "what-is-full-first-at-our-site.yaml"), "utf8")).toBe(written)
  await close()
})

test("changed numbers are written to the file, and its comments stay", async () => {
  const { page, close } = await studio("A short lunch")
  await page.getByRole("slider", { name: /^Stalls at north/ }).fill("9")
  await page.getByRole("button", { name: "Write to the file" }).click()
  await page.getByText("Wrote lunch.yaml.").waitFor()
  expect(readFileSync(model, "utf8")).toBe(MODEL.replace("stalls: 6", "stalls: 9"))
  writeFileSync(model, MODEL)
  await page.getByRole("slider", { name: /^Stalls at north/ }).fill("3")
  await page.getByRole("button", { name: "Write to the file" }).click()
  await page.getByText(/changed on disk/).waitFor()
  expect(readFileSync(model, "utf8")).toBe(MODEL)
  await page.getByRole("button", { name: "Load it again" }).click()
  await expect.poll(() => page.locator(".slider.is-changed output").textContent()).toBe("3 was 6")
  writeFileSync(model, MODEL.replace("stalls: 6", "stalls: 7"))
  await page.getByRole("button", { name: "Write to the file" }).click()
  await page.getByRole("button", { name: "Save over it" }).click()
  await expect.poll(() => readFileSync(model, "utf8")).toBe(MODEL.replace("stalls: 6", "stalls: 3"))
  await expect.poll(() => page.getByText(/changed on disk/).count()).toBe(0)
  writeFileSync(model, MODEL)
  await close()
})

test("moved numbers stay moved while another model is open", async () => {
  const { page, close } = await studio("A short lunch")
  await page.getByRole("slider", { name: /^Stalls at north/ }).fill("9")
  await page.getByRole("button", { name: "A bad lunch", exact: true }).click()
  await page.getByRole("heading", { name: "bad.yaml" }).waitFor()
  await page.getByRole("button", { name: /^A short lunch · not saved/ }).click()
  await expect.poll(() => page.locator(".slider.is-changed output").textContent()).toBe("9 was 6")
  // Also while the file has a mistake.
  writeFileSync(model, MODEL.replace("stalls: 6", "stals: 6"))
  await page.getByRole("button", { name: /^A short lunch · not saved/ }).click()
  await page.getByText(/unknown key "stals"/).waitFor()
  writeFileSync(model, MODEL)
  await page.getByRole("button", { name: /^A short lunch · not saved/ }).click()
  await expect.poll(() => page.locator(".slider.is-changed output").textContent()).toBe("9 was 6")
  await page.getByRole("button", { name: "Reset" }).click()
  await expect.poll(() => page.getByText("not saved").count()).toBe(0)
  await close()
})

test("a conflict is in sight where the button was pressed, also on a phone", async () => {
  const { page, close } = await studio("A short lunch", { viewport: { width: 390, height: 844 } })
  await go(page, "Model")
  await page.getByRole("slider", { name: /^Stalls at north/ }).fill("9")
  writeFileSync(model, `${MODEL}\n`)
  await page.getByRole("button", { name: "Write to the file" }).click()
  const choice = page.getByRole("button", { name: "Load it again" })
  await choice.waitFor()
  await expect
    .poll(async () => {
      const box = await choice.boundingBox()
      return box !== null && box.y >= 0 && box.y + box.height <= 844
    })
    .toBe(true)
  writeFileSync(model, MODEL)
  await close()
})

test("the label of a number is a phrase, and no two numbers of a model have the same", () => {
  for (const name of [
    "city-day.yaml",
    "lunch-rush.yaml",
    "rainy-day.yaml",
    "vehicles-out.yaml",
    "kitchen-shifts.yaml",
  ]) {
    const path = join(ROOT, "scenarios/fleets", name)
    const labels = fleetNumbers(path, readFileSync(path, "utf8")).map(({ label }) => label)
    expect(new Set(labels).size).toBe(labels.length)
    for (const label of labels) expect(label).toMatch(/^[A-Z][a-z -]*[^:_]*(: [^:]+(:\d\d)?)?$/)
  }
  const one = `fleet: One
sites: [{ as: curb, stores: [{ as: Lunchbox, cooks: 2, preparation: { lognormal: { mean: 8m, sd: 3m } } }] }]
runner: { walk: { uniform: [1m, 2m] } }
vehicle: { speed_kmh: 30 }
demand: [{ product: delivery, site: curb, per_hour: { by_hour: { "10:00": 4, "12:00": 9 } } }]
`
  expect(fleetNumbers("one.yaml", one).map(({ label }) => label)).toEqual([
    "Cooks at Lunchbox",
    "Preparation at Lunchbox: mean",
    "Preparation at Lunchbox: standard deviation",
    "Walk of runners: least",
    "Walk of runners: most",
    "Speed in km/h of vehicles",
    "Orders an hour of deliveries at curb: 10:00",
    "Orders an hour of deliveries at curb: 12:00",
  ])
})

test("a table that is dropped on a model shows what it holds, and goes into the model and beside it", async () => {
  const { page, complaints, close } = await studio("A short lunch")
  const drop = async (name: string, content: string): Promise<void> => {
    const dropped = await page.evaluateHandle(`(() => {
      const transfer = new DataTransfer()
      transfer.items.add(new File([${JSON.stringify(content)}], ${JSON.stringify(name)}))
      return transfer
    })()`)
    await page.locator("main").dispatchEvent("drop", { dataTransfer: dropped })
  }
  const dialog = page.getByRole("dialog")
  await drop("nothing.csv", "created_at")
  await dialog.getByText("nothing.csv has no rows").waitFor()
  await lookInEachView(page, "table-fault")
  await dialog.getByRole("button", { name: "Close" }).click()
  writeFileSync(join(opened, "orders.csv"), "another file")
  await drop("orders.csv", ORDERS)
  await dialog.getByRole("cell", { name: "preparation.each" }).waitFor()
  await dialog.getByText("at most 3 at 12:00").waitFor()
  await dialog
    .getByLabel("What goes into lunch.yaml")
    .fill(
      (await dialog.getByLabel("What goes into lunch.yaml").inputValue()).replace("delivery", "reservatoin"),
    )
  await lookInEachView(page, "table-columns")
  await dialog.getByRole("button", { name: "Add to the model" }).click()
  await dialog.getByText("There is another orders.csv beside the model").waitFor()
  await dialog.getByLabel("File beside the model").fill("march.csv")
  await dialog.getByRole("button", { name: "Add to the model" }).click()
  await dialog.getByText(/Nothing was written, because line \d+ of the model would be wrong/).waitFor()
  expect(readFileSync(model, "utf8")).toBe(MODEL)
  const demand = dialog.getByLabel("What goes into lunch.yaml")
  await demand.fill((await demand.inputValue()).replace("reservatoin", "reservation"))
  await lookInEachView(page, "table-refused")
  await dialog.getByRole("button", { name: "Add to the model" }).click()
  await page.getByText("lunch.yaml replays march.csv").waitFor()
  expect(readFileSync(join(opened, "march.csv"), "utf8")).toBe(ORDERS)
  expect(readFileSync(model, "utf8")).toContain("replay: { file: march.csv, time: created_at }")
  await page.locator(".table-choice").waitFor()
  expect(complaints.filter((one) => !one.includes("422"))).toEqual([])
  writeFileSync(model, MODEL)
  await close()
})

test("a number that a sweep or a search sets cannot be moved, and says what sets it", () => {
  const setIn = (name: string): readonly (readonly [string, string])[] => {
    const path = join(ROOT, "scenarios/fleets", name)
    return fleetNumbers(path, readFileSync(path, "utf8")).flatMap(({ label, setBy }) =>
      setBy === null ? [] : [[label, setBy] as const],
    )
  }
  expect(setIn("quiet-site.yaml")).toEqual([["Runners at corner", "the sweep tries 1 and 2"]])
  expect(setIn("lunch-rush.yaml").map(([, setBy]) => setBy)).toEqual(["the search looks for it"])
  expect(setIn("stadium-evening.yaml")).toHaveLength(2)
  expect(setIn("city-day.yaml")).toEqual([])
})

test("a count of one site that a sweep or a search sets leaves those of other sites to the file", () => {
  const numbersOf = (question: string): ReturnType<typeof fleetNumbers> =>
    fleetNumbers(
      "two.yaml",
      `fleet: Two\nsites:\n  - { as: north, runners: [{ count: 2 }], stalls: 4 }\n  - { as: south, runners: 3 }\n${question}\n`,
    )
  const setBy = (question: string): readonly (readonly [string, string | null])[] =>
    numbersOf(question).map((number) => [number.label, number.setBy])
  expect(setBy("sweep: { runners at south: [2, 3] }")).toEqual([
    ["Runners at north", null],
    ["Stalls at north", null],
    ["Runners at south", "the sweep tries 2 and 3"],
  ])
  // A page that shows one run shows the first case.
  expect(numbersOf("sweep: { runners: [5, 6] }").map(({ firstCase }) => firstCase)).toEqual(["5", null, "5"])
  expect(numbersOf("find: { least: runners }").map(({ firstCase }) => firstCase)).toEqual([null, null, null])
  const inRun = (
    question: string,
    ...settings: readonly (readonly [string, number])[]
  ): readonly (string | null)[] => numbersOf(question).map((number) => setInRun(number, settings))
  expect(inRun("sweep: { runners: [5, 6] }", ["runners", 6])).toEqual(["6", null, "6"])
  expect(inRun("find: { least: runners at each site }", ["runners at north", 4])).toEqual(["4", null, null])
  expect(setBy("find: { least: runners at each site }").map(([, by]) => by)).toEqual([
    "the search looks for it",
    null,
    "the search looks for it",
  ])
})

test("a run can be stopped, and a model with a mistake says where it is", async () => {
  const { page, close } = await studio("A short lunch")
  await page.getByRole("button", { name: "Run the model" }).click()
  await page.getByRole("button", { name: "Stop" }).click()
  await page.getByText("Stopped.").waitFor()
  await page.getByRole("button", { name: "A bad lunch", exact: true }).click()
  await page.getByText(/^line 11: unknown key "stals"/).waitFor()
  expect(await page.getByRole("button", { name: "Run the model" }).isDisabled()).toBe(true)
  await close()
})

test("the model has nothing that axe finds in any view: not run, with an answer, and with a mistake", async () => {
  const { page, strayed, complaints, close } = await studio("A short lunch", { viewport: PHONE })
  await lookInEachView(page, "fleet-sliders")
  await ran(page)
  await page.getByRole("slider", { name: /^Runners at north/ }).fill("1")
  await page.getByRole("button", { name: "Run the model" }).click()
  await page.locator(".curve .before").first().waitFor({ state: "attached" })
  await go(page, "Answer")
  await lookInEachView(page, "fleet-answer")
  await go(page, "List")
  await page.getByRole("button", { name: "A bad lunch", exact: true }).click()
  await page.getByText(/^line 11/).waitFor()
  await lookInEachView(page, "fleet-bad")
  expect([strayed, complaints]).toEqual([[], []])
  await close()
})
