/** The inspector's page in a browser. What it shows is held to the record; everything is done without a network. */

import type { Browser, Page } from "playwright-core"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { inflateRawSync } from "node:zlib"
import { readFileSync } from "node:fs"
import { chartOf } from "../../../src/pages/chart/chart-document.ts"
import { registeredMachines } from "../../../src/pages/chart/registered-machine.ts"
import type { PackedRecord } from "../../../src/pages/inspection/packed.ts"
import { Positions } from "../../../src/pages/inspection/position.ts"
import { NONE, at, rowCount } from "../../../src/pages/inspection/run-index.ts"
import { preciseTimeOfDay } from "../../../src/pages/inspection/shown-value.ts"
import { activePaths, statesText } from "../../../src/pages/inspection/state-value.ts"
import { pageBundle } from "../../../src/pages/bundling/build.ts"
import { pageFile } from "../../../src/pages/bundling/inspector-document.ts"
import { emptyRecord, packedRecord } from "../../../src/pages/bundling/packed-record.ts"
import { blockedRuns } from "../../../src/pages/bundling/record-file.ts"
import { PLACEHOLDER_PHOTO } from "../../../src/engine/services/photos/photo-files.ts"
import { scenario } from "../../../src/simulation/scenario/builder.ts"
import { runScenario } from "../../../src/simulation/scenario/run.ts"
import { problemsIn, startChromium, stopClock, tabTo } from "../../browser/chromium.ts"
import { pageOf, show } from "./browser.ts"
import { fleetDay } from "./fleet-day.ts"
import { readmePicture } from "./readme-picture.ts"
import { recorded, scenarioNamed } from "./records.ts"

const VIEWS = ["strip", "chart", "moment", "log", "sequence"]

const links = await scenarioNamed("reservations/the-open-link-fails-three-times")
const record = recorded(runScenario(links))
const { index } = record.run
const positions = new Positions(index)
const task = index.actors.findIndex(({ address }) => address.endsWith("/runner-task"))
const taskAddress = index.actors[task]?.address ?? ""
const failing = recorded(
  runScenario(
    scenario("A visit that is expected to go wrong", {
      because: "It has a failure.",
      clock: "2026-03-02T11:30 America/Chicago",
    })
      .do("reservation.create", { as: "lunch", with: { window: ["11:45", "12:15"] } })
      .expect({ reservation: "lunch", status: "completed" })
      .at("+1m")
      .do("runner.assign", { for: "lunch" })
      .build(),
  ),
)

let browser: Browser
beforeAll(async () => {
  browser = await startChromium()
})
afterAll(async () => {
  await browser.close()
})

/** The line that each view shows. */
async function shownLines(page: Page): Promise<readonly string[]> {
  return Promise.all(VIEWS.map((id) => page.locator(`#${id}`).getAttribute("data-s").then(String)))
}

/** One of the data attributes of every element that a selector finds. */
async function datasOf(page: Page, selector: string, name: string): Promise<readonly string[]> {
  return page.evaluate<string[]>(
    `[...document.querySelectorAll(${JSON.stringify(selector)})].map((found) => found.dataset[${JSON.stringify(name)}])`,
  )
}

/** By how many pixels the page is wider than its window. */
async function overflowOf(page: Page): Promise<number> {
  return page.evaluate<number>("document.documentElement.scrollWidth - document.documentElement.clientWidth")
}

/** Waits until the page is at a row, then checks all views of it. */
async function expectAt(page: Page, row: number): Promise<void> {
  const s = at(index.s, row)
  await page.locator(`#strip[data-s="${s}"]`).waitFor()
  expect(await shownLines(page)).toEqual(VIEWS.map(() => String(s)))
  expect(await page.locator("#clock").textContent()).toBe(
    preciseTimeOfDay(record.run.head.clock0Ms + at(index.t, row), record.run.head.zone),
  )
  expect(await page.locator("#strip input").getAttribute("aria-valuetext")).toContain(
    `entry ${s} of ${index.s.at(-1)}`,
  )
  expect(await page.locator('#log [aria-selected="true"] .col-s').textContent()).toBe(String(s))
  const step = positions.stepAt(task, row)
  const value = index.values[at(index.stepValue, step)] ?? "null"
  expect(await page.locator("#state").textContent()).toBe(statesText(value))
  const active = await datasOf(page, ".picture .is-active", "path")
  expect(active.toSorted()).toEqual(activePaths(value).toSorted())
  // A mark is no message; the messages of an entry are all drawn as the present ones.
  const now = await datasOf(page, "#sequence .is-now", "row")
  expect(new Set(now)).toEqual(new Set(at(index.group, row) === NONE ? [] : [String(row)]))
}

/** Through the list of actors, and back to the log. */
async function chooseActor(page: Page, address: string): Promise<void> {
  await page.getByRole("button", { name: "Actors", exact: true }).click()
  await page.locator(`[data-actor="${address}"]`).click()
  await page.locator("#side").getByRole("button", { name: "Log", exact: true }).click()
}

/** The row of the log with this number. */
const logRow = (page: Page, s: number) =>
  page
    .locator("#log [role=option]")
    .filter({ has: page.locator(".col-s", { hasText: new RegExp(`^${s}$`) }) })

const opened = (hash = ""): string => `#actor=${encodeURIComponent(taskAddress)}${hash}`

describe("the page", () => {
  test("opens without a network, asks for nothing, and breaks no rule of its policy", async () => {
    const { page, wrongs } = await show(browser, await pageOf([record.text]))
    for (const id of VIEWS) expect(await page.locator(`#${id}`).isVisible()).toBe(true)
    for (const view of [
      "Outline",
      "Details",
      "Chart",
      "by actor",
      "Actors",
      "active",
      "refused",
      "Rank",
      "Linear",
      "Keys",
    ])
      await page.getByRole("button", { name: view, exact: true }).click()
    // As at a zoom of 200 %: half as many pixels, and nothing to scroll sideways.
    await page.setViewportSize({ width: 720, height: 450 })
    expect(await overflowOf(page)).toBeLessThanOrEqual(0)
    expect(wrongs).toEqual([])
    const html = await page.content()
    expect(html).toContain("default-src 'none'")
    expect(html).not.toMatch(/unsafe-inline|unsafe-eval|https?:\/\/(?!www\.w3\.org)/)
  })

  test("shows one moment in all six views, moved by key, click, drag and address", async () => {
    const steps = [...positions.stepsOf(task)]
    const rowOf = (nth: number): number => at(index.stepRow, steps[nth] ?? 0)
    const turns = [...index.group.keys()].filter((row) => at(index.group, row) !== NONE)
    const html = await pageOf([record.text])
    const { page, wrongs } = await show(browser, html, { hash: opened(`&at=${at(index.s, rowOf(1))}`) })
    await expectAt(page, rowOf(1))
    await page.keyboard.press("ArrowRight")
    await expectAt(page, rowOf(1) + 1)
    await page.keyboard.press("ArrowLeft")
    await expectAt(page, rowOf(1))
    await page.keyboard.press("Shift+ArrowRight")
    await expectAt(page, at(index.stepRow, steps.find((step) => at(index.stepRow, step) > rowOf(1)) ?? 0))
    await page.keyboard.press("End")
    await expectAt(page, rowCount(index) - 1)
    await page.keyboard.press("Home")
    await expectFirst(page)
    const target = turns.find((row) => row > 5) ?? 0
    await logRow(page, at(index.s, target)).click()
    await chooseActor(page, taskAddress)
    await expectAt(page, target)
    await page.evaluate(`location.hash = ${JSON.stringify(opened(`&at=${at(index.s, rowOf(4))}`))}`)
    await expectAt(page, rowOf(4))
    const strip = await page.locator("#strip input").boundingBox()
    if (strip === null) throw new Error("the strip is not there")
    await page.mouse.move(strip.x + strip.width * 0.1, strip.y + 10)
    await page.mouse.down()
    await page.mouse.move(strip.x + strip.width * 0.7, strip.y + 10, { steps: 8 })
    await page.mouse.up()
    const dragged = Number(await page.locator("#strip").getAttribute("data-s"))
    expect(dragged).toBeGreaterThan(at(index.s, rowOf(4)))
    await expectAt(page, dragged - at(index.s, 0))
    await page.waitForURL((url) => url.hash.includes(`at=${dragged}`))
    expect(wrongs).toEqual([])
  })

  async function expectFirst(page: Page): Promise<void> {
    await page.locator(`#strip[data-s="${at(index.s, 0)}"]`).waitFor()
    expect(new Set(await shownLines(page)).size).toBe(1)
  }

  test("follows an address that comes while the page has not yet written that of its last move", async () => {
    const { page } = await show(browser, await pageOf([record.text]), { hash: opened() })
    const target = at(index.s, 3)
    // The page writes the address of a move before the browser reports the other one.
    await page.evaluate(`(() => {
      location.hash = ${JSON.stringify(opened(`&at=${target}`))}
      history.replaceState(null, "", ${JSON.stringify(opened(`&at=${at(index.s, 7)}`))})
    })()`)
    await page.locator(`#strip[data-s="${target}"]`).waitFor()
    expect(await page.locator("#strip").getAttribute("data-s")).toBe(String(target))
  })

  test("marks active states and the fired arrow by more than colour, and says how long", async () => {
    const step = [...positions.stepsOf(task)].find(
      (one) => index.words[at(index.stepEvent, one)] === "open_link.failed",
    )
    const row = at(index.stepRow, step ?? 0)
    const { page } = await show(browser, await pageOf([record.text]), {
      hash: opened(`&view=details&at=${at(index.s, row)}`),
    })
    await expectAt(page, row)
    const leaf = page.locator(".picture .is-leaf")
    expect(await leaf.locator(".tick").textContent()).toBe("✓")
    expect(await leaf.locator(".dwell").textContent()).toMatch(/\d+(?:ms|s|m|h)/)
    const styleOf = (selector: string, name: "fontWeight" | "strokeWidth"): Promise<number> =>
      page.evaluate<number>(
        `parseFloat(getComputedStyle(document.querySelector(${JSON.stringify(selector)})).${name})`,
      )
    const width = (selector: string): Promise<number> => styleOf(selector, "strokeWidth")
    expect(await width(".picture .is-leaf > rect.box")).toBeGreaterThan(
      await width(".picture [data-node]:not(.is-active) > rect.box"),
    )
    const fired = await datasOf(page, ".picture .is-fired", "edge")
    expect(fired.some((edge) => edge.includes("#open_link.failed#"))).toBe(true)
    // A transition that goes nowhere is words in its state; one that goes somewhere is an arrow, too.
    const left = [...positions.stepsOf(task)].findLast(
      (one) => at(index.stepValue, one) !== at(index.stepValue, positions.stepBefore(one)),
    )
    await page.evaluate(
      `location.hash = ${JSON.stringify(opened(`&view=details&at=${at(index.s, at(index.stepRow, left ?? 0))}`))}`,
    )
    await page.locator(".picture .is-fired .path").first().waitFor()
    for (const [part, name] of [
      [".path", "strokeWidth"],
      ["text", "fontWeight"],
    ] as const)
      expect(await styleOf(`.picture .is-fired ${part}`, name)).toBeGreaterThan(
        await styleOf(`.picture [data-edge]:not(.is-fired) ${part}`, name),
      )
    await page.goBack()
    await expectAt(page, row)
    // The chart that fits draws it as an arrow back to its state.
    await page.getByRole("button", { name: "Chart", exact: true }).click()
    expect(await page.locator(".picture .is-leaf .is-fired text").textContent()).toBe("open_link.failed")
    await page.getByRole("button", { name: "Outline" }).click()
    const said = await page.locator('[data-outline][aria-current="true"] > .state-name').allTextContents()
    expect(said.every((text) => text.startsWith("✓ "))).toBe(true)
    const outlined = await page.locator("[data-outline-edge]").count()
    expect(outlined).toBe(chartOf("runner-task@1", registered("runner-task@1")).edges.length)
    expect(await page.getByText("just fired").count()).toBe(fired.length)
  })

  test("keeps an actor's machine beside the chosen one's, both at the same moment", async () => {
    const hash = opened(`&at=${at(index.s, 0)}`)
    const { page, wrongs } = await show(browser, await pageOf([record.text]), { hash })
    await page.getByRole("button", { name: "Keep beside" }).click()
    const bot = index.actors.findIndex(({ address }) => address.endsWith("/bot"))
    await chooseActor(page, index.actors[bot]?.address ?? "")
    for (const key of ["End", "ArrowLeft"]) {
      await page.keyboard.press(key)
      const row = rowCount(index) - (key === "End" ? 1 : 2)
      await page.locator(`#strip[data-s="${at(index.s, row)}"]`).waitFor()
      for (const [panel, actor] of [
        ["chart", bot],
        ["beside", task],
      ] as const) {
        const value = index.values[at(index.stepValue, positions.stepAt(actor, row))] ?? "null"
        const active = await datasOf(page, `#${panel} .picture .is-active`, "path")
        expect([panel, active.toSorted()]).toEqual([panel, activePaths(value).toSorted()])
        expect(await page.locator(`#${panel}`).getAttribute("data-s")).toBe(String(at(index.s, row)))
      }
    }
    await page.waitForURL((url) => url.hash.includes("beside="))
    await page.reload()
    await page.locator("#beside .picture svg").waitFor()
    expect(await problemsIn(page)).toEqual([])
    await page.setViewportSize({ width: 390, height: 800 })
    expect(await overflowOf(page)).toBeLessThanOrEqual(0)
    await page.locator("#tabs").getByRole("button", { name: "Outline" }).click()
    await page.locator("#beside").getByRole("button", { name: "Close" }).click()
    await page.locator("#beside").waitFor({ state: "detached" })
    expect(wrongs).toEqual([])
  })

  test("keeps what is chosen apart in a palette of the reader's own", async () => {
    const { page, wrongs } = await show(browser, await pageOf([record.text]), { hash: opened() })
    await page.emulateMedia({ forcedColors: "active" })
    const styleOf = (selector: string, name: "backgroundColor" | "stroke"): Promise<string> =>
      page.evaluate<string>(`getComputedStyle(document.querySelector(${JSON.stringify(selector)})).${name}`)
    for (const [chosen, other] of [
      ['#chart [aria-pressed="true"]', '#chart [aria-pressed="false"]'],
      ['#log [aria-selected="true"]', '#log [aria-selected="false"]'],
      ['#actors .actor[aria-pressed="true"]', '#actors .actor[aria-pressed="false"]'],
    ] as const) {
      if (chosen.startsWith("#actors"))
        await page.getByRole("button", { name: "Actors", exact: true }).click()
      expect(await styleOf(chosen, "backgroundColor")).not.toBe(await styleOf(other, "backgroundColor"))
    }
    const boxes = await Promise.all(
      [".picture .is-leaf > rect.box", ".picture [data-node]:not(.is-active) > rect.box"].map((box) =>
        styleOf(box, "stroke"),
      ),
    )
    expect(new Set(boxes).size).toBe(2)
    expect([await problemsIn(page), wrongs]).toEqual([[], []])
  })

  test("tells timers with the time left, pending calls, context changes and the chain of causes", async () => {
    const armed = index.timers.find(({ id }) => id.includes("pause before the next attempt"))
    if (armed === undefined) throw new Error("the run has no such timer")
    const address = index.actors[armed.actor]?.address ?? ""
    const html = await pageOf([record.text])
    const { page } = await show(browser, html, {
      hash: `#actor=${encodeURIComponent(address)}&at=${at(index.s, armed.from)}`,
    })
    const left = armed.due - at(index.t, armed.from)
    await page.locator("#timers li", { hasText: "after pause before the next attempt" }).waitFor()
    expect(await page.locator("#timers").textContent()).toContain(`in ${left / 1000}s`)
    await page.keyboard.press("Shift+ArrowRight")
    await page.getByText("the answer to open_link, attempt 2").waitFor()
    const changed = page.locator('#context .is-changed[data-key="attempt"]')
    await changed.waitFor()
    expect(await changed.textContent()).toContain("1 → 2")
    const why = await page.locator("#why li").allTextContents()
    expect(why[0]).toContain("pause before the next attempt is over")
    expect(why.length).toBeGreaterThan(2)
    await page.locator("#why li button").last().click()
    await page.getByText("A command from outside began it.").waitFor()
  })

  test("keeps the filter in the address, and says what is wrong with it", async () => {
    const { page } = await show(browser, await pageOf([record.text]))
    await page.keyboard.press("/")
    await page.keyboard.type("by:timer -event:nothing")
    const timers = index.by.filter((way) => way === 1).length
    await page.getByText(`${timers} of ${rowCount(index)}`).waitFor()
    await page.waitForURL((url) => /filter=by%3Atimer.+nothing/.test(url.hash))
    await page.reload()
    await page.getByText(`${timers} of ${rowCount(index)}`).waitFor()
    await page.locator("#filter").fill("color:red")
    await page.getByText('there is no key "color"').waitFor()
    expect(await page.locator("#filter").getAttribute("aria-invalid")).toBe("true")
  })

  test("finds the first failure, copies its moment and pins two moments", async () => {
    const { page, wrongs } = await show(browser, await pageOf([failing.text]))
    await page.keyboard.press("f")
    const fail = failing.run.index.marks.find(({ level }) => level === "fail")
    const s = String(at(failing.run.index.s, fail?.row ?? 0))
    await page.locator(`#strip[data-s="${s}"]`).waitFor()
    expect(await page.locator('#log [aria-selected="true"]').textContent()).toContain("✕")
    expect(await page.getByRole("button", { name: "Copy moment" }).getAttribute("data-copy")).toBe(s)
    await page.keyboard.press("c")
    await page.locator("[role=status]", { hasText: s }).waitFor({ state: "attached" })
    await page.keyboard.press("a")
    await page.keyboard.press("Escape")
    await page.keyboard.press("b")
    await page.getByText("States that differ: 3").waitFor()
    expect(await page.locator("#differing").textContent()).toContain("open.confirmed → canceled")
    await page.locator("#changes li").first().waitFor()
    expect(wrongs).toEqual([])
  })

  test("does what each control says: play, speed, fold, run, lanes, actors, a message, and pins of the address", async () => {
    const [first, last] = [0, rowCount(index) - 1].map((row) => String(at(index.s, row)))
    const { page, wrongs } = await show(browser, await pageOf([record.text, failing.text]), {
      hash: opened(`&at=${first}&a=${first}&b=${last}`),
    })
    for (const pinned of [`A: #${first}`, `B: #${last}`])
      await page.getByRole("button", { name: pinned }).waitFor()
    const button = (name: string) => page.getByRole("button", { name, exact: true })
    await stopClock(page)
    await page.keyboard.press("Space")
    await button("Pause").waitFor()
    await page.clock.runFor(1_000)
    await page.locator(`#strip:not([data-s="${first}"])`).waitFor()
    await page.keyboard.press("Space")
    await button("Play").click()
    await button("Pause").click()
    await button("Play").waitFor()
    await page.clock.resume()
    await button("×300").click()
    await page.waitForURL((url) => url.hash.includes("speed=300"))
    await button("Linear").click()
    expect(await page.locator("#strip .fold").count()).toBeGreaterThan(0)
    await button("Fold quiet time").click()
    await page.locator("#strip .fold").first().waitFor({ state: "detached" })
    const listed = (): Promise<readonly string[]> => datasOf(page, "#actors .actor", "actor")
    await button("Actors").click()
    await button("active").click()
    expect(await listed()).toContain(taskAddress)
    await button("all").click()
    expect(await listed()).toHaveLength(index.actors.length)

    await page.keyboard.press("End")
    await page.locator('#context [data-key="runnerId"]').waitFor()
    await page.getByLabel("Find in the context").fill("photoId")
    expect(await datasOf(page, "#context [data-key]", "key")).toEqual(["photoId"])

    const lanes = page.locator("#sequence .lane-name title")
    expect((await lanes.allTextContents()).join(" ")).not.toContain("/")
    await button("by actor").click()
    expect((await lanes.allTextContents()).join(" ")).toContain("/")
    // All actors have ended by then, and one has refused an event.
    await button("active").click()
    expect(await listed()).toEqual([])
    await button("refused").click()
    expect(await listed()).toEqual([taskAddress])
    const arrow = page.locator("#sequence .arrow:not(.is-now)").last()
    const row = Number(await arrow.getAttribute("data-row"))
    await arrow.locator("text").last().click()
    await page.locator(`#strip[data-s="${at(index.s, row)}"]`).waitFor()
    const end = failing.run.index.s.at(-1)
    await page.locator("#toolbar select").first().selectOption("1")
    await page.getByText(`entry ${end} of ${end}`).waitFor()
    expect(wrongs).toEqual([])
  })

  test("plays on by itself, and stops at the end", async () => {
    const first = at(failing.run.index.s, 0)
    const last = at(failing.run.index.s, rowCount(failing.run.index) - 1)
    const hash = `#at=${first}&speed=1000&play=1`
    const { page } = await show(browser, await pageOf([failing.text]), { hash })
    await page.locator(`#strip[data-s="${last}"]`).waitFor()
    await page.getByRole("button", { name: "Play", exact: true }).waitFor()
    expect(new Set(await shownLines(page))).toEqual(new Set([String(last)]))
    // From the end it plays from the beginning, as the replay and the studio do.
    await stopClock(page)
    await page.getByRole("button", { name: "Play", exact: true }).click()
    await page.locator(`#strip[data-s="${first}"]`).waitFor()
  })
})

/** The horizontal scroll position of a focused part after a key. */
async function scrolledBy(page: Page, selector: string, key: string): Promise<number> {
  const part = `document.querySelector(${JSON.stringify(selector)})`
  const drawn = "new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)))"
  await page.locator(selector).focus()
  await page.evaluate(`(${part}.scrollLeft = 0, ${drawn})`)
  const scrolled = page.evaluate(
    `new Promise((resolve) => ${part}.addEventListener("scroll", resolve, { once: true })).then(() => null)`,
  )
  await page.keyboard.press(key)
  await scrolled
  return page.evaluate<number>(`${part}.scrollLeft`)
}

describe("by keyboard alone", () => {
  test("every part is reached and works", async () => {
    const { page, wrongs } = await show(browser, await pageOf([record.text]), { hash: opened() })
    const reached = new Set<string>()
    for (let presses = 0; presses < 200; presses += 1) {
      await page.keyboard.press("Tab")
      const focused = await page.evaluate<string>(
        `document.activeElement.closest("section, header#toolbar")?.id + " " + (document.activeElement.getAttribute("aria-label") ?? document.activeElement.textContent)`,
      )
      if (reached.has(focused) && focused.startsWith("toolbar")) break
      reached.add(focused)
    }
    const parts = new Set([...reached].map((one) => one.split(" ")[0]))
    expect([...parts]).toEqual(
      expect.arrayContaining([
        "toolbar",
        "subject",
        "strip",
        "chart",
        "moment",
        "why",
        "context",
        "compare",
        "log",
        "sequence",
      ]),
    )
    await page.locator("#chart").getByRole("button", { name: "Details" }).click()
    for (const wide of ["#chart .picture", "#sequence .scroll"])
      expect(await scrolledBy(page, wide, "ArrowRight"), wide).toBeGreaterThan(0)
    const before = await page.locator("#log").getAttribute("data-s")
    expect(before).toBe(String(at(index.s, rowCount(index) - 1)))
    await page.locator("#log [role=listbox]").focus()
    await page.keyboard.press("ArrowUp")
    await page.locator(`#log:not([data-s="${before}"])`).waitFor()
    await page.getByRole("button", { name: "Outline" }).focus()
    await page.keyboard.press("Enter")
    await page.locator(".outline").waitFor()
    await page.keyboard.press("?")
    await page.getByRole("dialog").waitFor()
    await page.keyboard.press("Escape")
    await page.getByRole("dialog").waitFor({ state: "hidden" })
    expect(wrongs).toEqual([])
  })

  test("a run is looked through from its first mark to two pinned moments, by slider, marks and pins", async () => {
    const { index: run } = failing.run
    const { page, wrongs } = await show(browser, await pageOf([failing.text]))
    const shown = async (row: number): Promise<void> => {
      await page.locator(`#strip[data-s="${at(run.s, row)}"]`).waitFor()
      expect(new Set(await shownLines(page))).toEqual(new Set([String(at(run.s, row))]))
    }
    const last = rowCount(run) - 1
    const rowShown = async (of: Page): Promise<number> =>
      Number(await of.locator("#strip").getAttribute("data-s")) - at(run.s, 0)
    const marks = run.marks.map(({ row }) => row)
    expect(marks.length).toBeGreaterThan(2)
    // The slider is only focused by Tab, and its own keys move by time.
    await page.keyboard.press("Home")
    await tabTo(page, "Playhead")
    for (let row = 0; row < last; row = await rowShown(page)) {
      await page.keyboard.press("PageUp")
      await page.locator(`#strip:not([data-s="${at(run.s, row)}"])`).waitFor()
      // A tenth of a quiet run may hold no entry, and the key goes on all the same.
      expect(await rowShown(page)).toBeGreaterThan(row)
    }
    await page.keyboard.press("ArrowDown")
    await shown(last - 1)
    await page.keyboard.press("ArrowUp")
    await shown(last)
    await page.keyboard.press("PageDown")
    await page.locator(`#strip:not([data-s="${at(run.s, last)}"])`).waitFor()
    await page.keyboard.press("End")
    await shown(last)
    await page.keyboard.press("ArrowLeft")
    await shown(last - 1)
    await page.keyboard.press("Home")
    await shown(0)
    for (const row of marks.filter((one) => one > 0)) {
      await page.keyboard.press("]")
      await shown(row)
    }
    for (const row of marks.filter((one) => one < (marks.at(-1) ?? 0)).toReversed()) {
      await page.keyboard.press("[")
      await shown(row)
    }
    await page.keyboard.press("Home")
    await tabTo(page, "Pin A")
    await page.keyboard.press("Enter")
    await page.keyboard.press("End")
    await tabTo(page, "Pin B")
    await page.keyboard.press("Enter")
    await page.getByText("States that differ: 3").waitFor()
    await tabTo(page, /^A: #/)
    await page.keyboard.press("Enter")
    await shown(0)
    expect(wrongs).toEqual([])
  })
})

describe("axe finds nothing", () => {
  test.each([
    ["light", 1440],
    ["dark", 1440],
    ["light", 390],
    ["dark", 390],
  ] as const)("in %s at %i pixels", async (colors, width) => {
    const html = await pageOf([failing.text, record.text])
    const { page, wrongs } = await show(browser, html, {
      colors,
      width,
      hash: "#filter=nothing:at-all&a=10&b=14",
    })
    expect(await problemsIn(page)).toEqual([])
    await page.locator("#filter").fill("")
    // On a phone each part is a tab, and the causes stand under the chosen row of the log.
    if (width === 390) {
      await page.locator("#because").waitFor()
      expect(await problemsIn(page)).toEqual([])
      for (const tab of ["Calls", "Outline"]) {
        await page.locator("#tabs").getByRole("button", { name: tab }).click()
        expect(await problemsIn(page)).toEqual([])
      }
    }
    await page.getByRole("button", { name: width === 390 ? "Chart" : "Outline", exact: true }).click()
    await page.keyboard.press("Home")
    if (width === 390) await page.getByRole("button", { name: "More", exact: true }).click()
    await page.getByRole("button", { name: "Keys" }).click()
    expect(await problemsIn(page)).toEqual([])
    expect(wrongs).toEqual([])
    expect(await overflowOf(page)).toBeLessThanOrEqual(0)
  })
})

describe("a long day of many actors", () => {
  /** Elements of the page. What is not in sight is not there, however long the record is. */
  const ELEMENTS_MAX = 2_500
  const elements = (page: Page): Promise<number> =>
    page.evaluate<number>("document.querySelectorAll('body *').length")

  test("100,000 entries of 2,000 actors are counts and windows, and a jump opens a block or two of them", async () => {
    const day = fleetDay({ entries: 100_000, actors: 2_000 })
    const counting = `{
      globalThis.opened = 0
      const Opening = DecompressionStream
      globalThis.DecompressionStream = function (format) { globalThis.opened += 1; return new Opening(format) }
    }`
    const { page, wrongs } = await show(browser, await pageOf([day]), { script: counting })
    await page.locator("#shown", { hasText: "100000 of 100000" }).waitFor()
    const most: number[] = [await elements(page)]
    // Nothing is listed before it is requested.
    await page.getByRole("button", { name: "Actors", exact: true }).click()
    await page.getByText("2000 of 2000 started").waitFor()
    expect(await page.locator("#actors .actor").count()).toBe(0)
    await page.locator("#actors summary").click()
    await page.getByText("1900 more; find an address to narrow them").waitFor()
    most.push(await elements(page))
    expect(await page.locator("#actors .actor").count()).toBe(100)
    await page.getByLabel("Find actors").fill("veh_01234")
    await page.locator('#actors [data-actor="vehicle/veh_01234"]').click()
    expect(await page.locator("#actors .actor").count()).toBe(1)
    for (const row of [0, 1, 49_999, 50_000, 77_777, 99_999]) {
      const before = await page.evaluate<number>("opened")
      await page.evaluate(`location.hash = "#at=${row + 1}&actor=vehicle/veh_01234"`)
      await page.locator(`#strip[data-s="${row + 1}"]`).waitFor()
      await page.locator('#context[data-step]:not([data-step=""])').waitFor()
      most.push(await elements(page))
      // Those of the actor's last two steps; the index stays as it is.
      expect((await page.evaluate<number>("opened")) - before).toBeLessThanOrEqual(2)
      const turns = row < 1_234 ? null : Math.floor((row - 1_234) / 2_000) + 1
      if (turns === null) await page.getByText("Not started yet.", { exact: true }).waitFor()
      else await page.locator('[data-key="turns"]', { hasText: String(turns) }).waitFor()
    }
    await page.locator("#side").getByRole("button", { name: "Log", exact: true }).click()
    await page.locator("#log .virtual-list").evaluate((list) => (list.scrollTop = 1_000_000))
    await page
      .locator("#log [role=option]", { hasText: /^25\d{3}/ })
      .first()
      .waitFor()
    most.push(await elements(page))
    await page.getByLabel("Filter of the log").fill("actor:vehicle/veh_00042")
    await page.getByText("50 of 100000").waitFor()
    expect(Math.max(...most)).toBeLessThan(ELEMENTS_MAX)
    expect(Math.min(...most)).toBeGreaterThan(100)
    expect(wrongs).toEqual([])
  })
})

describe("records of every kind open", () => {
  test("two records, with the entry where they part and what differs in it", async () => {
    const lines = record.text.trimEnd().split("\n")
    const parting = lines.findLastIndex(
      (line) => line.startsWith('{"k":"turn"') && line.includes('"by":"timer"'),
    )
    const other = lines.map((line, place) =>
      place === parting ? line.replace(/"h":"./, '"h":"x').replace('"by":"timer"', '"by":"result"') : line,
    )
    const { page, wrongs } = await show(browser, await pageOf([record.text, other.join("\n")]))
    await page.getByText("The records part after").waitFor()
    await page.locator("#parting li", { hasText: "e.by" }).waitFor()
    const { s } = JSON.parse(lines[parting] ?? "{}") as { readonly s: number }
    await page.getByRole("button", { name: `two.ndjson at ${s}` }).click()
    await page.locator(`#strip[data-s="${s}"]`).waitFor()
    expect(wrongs).toEqual([])
    // Both whole runs, aligned; an entry of either leads to its moment.
    await page.getByRole("button", { name: "Compare side by side" }).click()
    const rows = page.locator("#pairs tbody tr")
    await rows.first().waitFor()
    expect(await page.locator("#likeness").textContent()).toMatch(
      /^\d+ same, 0 other time, \d+ other outcome, /,
    )
    const differing = await rows.count()
    expect(await problemsIn(page)).toEqual([])
    await page.getByRole("button", { name: "All", exact: true }).click()
    expect(await rows.count()).toBeGreaterThan(differing + 10)
    await rows.first().getByRole("button").last().click()
    await page.locator(`#strip[data-s="${at(index.s, 0)}"]`).waitFor()
    await page.waitForURL((url) => url.hash.includes("run=2"))
    const same = await show(browser, await pageOf([record.text, record.text]))
    await same.page.getByText("Every entry is the same").waitFor()
    const seeded = record.text.replace('"seed":1,', '"seed":2,')
    const alike = await show(browser, await pageOf([record.text, seeded]))
    await alike.page
      .getByText("is the same in one.ndjson and in two.ndjson, apart from ids and nonces.")
      .waitFor()
    const apart = await show(
      browser,
      await pageOf([record.text, other.join("\n").replace('"seed":1,', '"seed":2,')]),
    )
    await apart.page.getByText("apart from ids and nonces, which the seed makes").waitFor()
    expect(await apart.page.locator("#parting li").allTextContents()).toEqual(['e.by: "timer" → "result"'])
  })

  test("an old one, with the program's own charts, and says so", async () => {
    const kept = readFileSync(new URL("../../simulation/replay/reservations.ndjson", import.meta.url), "utf8")
    const { page, wrongs } = await show(browser, await pageOf([kept]))
    await page.getByText("The record holds no chart of").waitFor()
    await page.locator(".picture svg").waitFor()
    expect(wrongs).toEqual([])
  })

  test("one whose charts are something else, by the program's own", async () => {
    const strange = record.text.replaceAll('"nodes":[', '"nodes":["strange",')
    const { page, wrongs } = await show(browser, await pageOf([strange]))
    await page.getByText("The record holds no chart of").waitFor()
    expect(wrongs).toEqual([])
  })

  test("one of states alone, one that was cut off, and one whose chart cannot be laid out", async () => {
    const states = await show(browser, await pageOf([recorded(runScenario(links), "states").text]))
    await states.page.getByText("The record does not say which machine").waitFor()
    const cut = await show(browser, await pageOf([record.text.slice(0, -2_000)]))
    await cut.page.getByText("cannot be read; what stands before is shown").waitFor()
    const html = await pageOf([record.text], (data) => ({
      ...data,
      charts: data.charts.map((chart) => ({
        ...chart,
        picture: null,
        problem: "the layout engine gave up",
      })),
    }))
    // The chart that fits is laid out in the page.
    const failed = await show(browser, html)
    await failed.page.locator("#chart .compact svg").waitFor()
    await failed.page.getByRole("button", { name: "Details", exact: true }).click()
    await failed.page.getByText("the layout engine gave up").waitFor()
    await failed.page.locator(".outline").waitFor()
    expect([...states.wrongs, ...cut.wrongs, ...failed.wrongs]).toEqual([])
  })
})

describe("a page opens records by itself", () => {
  const fileOf = (text: string, name = "visit.ndjson") => ({
    name,
    mimeType: "application/x-ndjson",
    buffer: Buffer.from(text),
  })
  const end = (of: typeof index): string => String(at(of.s, rowCount(of) - 1))

  test("one that is chosen, one that is dropped, and none that is no record; nothing leaves it", async () => {
    const data = await emptyRecord()
    const { html } = pageFile({ title: "Inspector", bundle: await pageBundle("inspector"), data })
    const { page, wrongs } = await show(browser, html)
    const asked = page.waitForEvent("filechooser")
    expect(await problemsIn(page)).toEqual([])
    // By keyboard: the button opens the browser's own dialog.
    await tabTo(page, "Open a record")
    await page.keyboard.press("Enter")
    await (await asked).setFiles(fileOf("a shopping list", "list.txt"))
    await page.getByRole("alert").waitFor()
    expect(await page.getByRole("alert").textContent()).toContain(
      "list.txt is not opened: the file does not begin",
    )
    await page.getByLabel("Record").setInputFiles(fileOf(record.text))
    await page.locator(`#strip[data-s="${end(index)}"]`).waitFor()
    expect(await page.getByRole("alert").count()).toBe(0)
    await chooseActor(page, taskAddress)
    await expectAt(page, rowCount(index) - 1)
    await page.locator('#context[data-step]:not([data-step=""]) table').waitFor()
    await page.waitForURL((url) => url.hash.includes(`at=${end(index)}`))
    // Dropped on a page that shows one, it takes its place, though the page writes the other's address once more.
    await page.evaluate(`(() => {
      const write = history.replaceState
      history.replaceState = (state, unused, url) => {
        const { hash } = location
        write.call(history, state, unused, url)
        if (url === "#") write.call(history, null, "", hash)
        history.replaceState = write
      }
      const dropped = new DataTransfer()
      dropped.items.add(new File([${JSON.stringify(failing.text)}], "failing.ndjson"))
      for (const type of ["dragover", "drop"])
        document.body.dispatchEvent(new DragEvent(type, { bubbles: true, cancelable: true, dataTransfer: dropped }))
    })()`)
    await page.getByText("A visit that is expected to go wrong").first().waitFor()
    // At its first failure.
    const failed = failing.run.index.marks.find(({ level }) => level === "fail")
    const failedAt = failing.run.index.s[failed?.row ?? -1]
    expect(failedAt).toBeLessThan(Number(end(failing.run.index)))
    await page.locator(`#strip[data-s="${failedAt}"]`).waitFor()
    expect(wrongs).toEqual([])
  })

  test("text that is dragged is left to the fields it is dragged into", async () => {
    const { page } = await show(browser, await pageOf([record.text]))
    const isTaken = (add: string) =>
      page.evaluate(`(() => {
        const dragged = new DataTransfer()
        dragged.items.add(${add})
        const over = new DragEvent("dragover", { bubbles: true, cancelable: true, dataTransfer: dragged })
        return !document.querySelector("#filter").dispatchEvent(over)
      })()`)
    expect(await isTaken('"an address", "text/plain"')).toBe(false)
    expect(await isTaken('new File(["{}"], "visit.ndjson")')).toBe(true)
  })

  const other = record.text.replaceAll('"key":"runner-task"', '"key":"runner-task-of-old"')

  test("each with its own picture of a machine, where the page has two", async () => {
    const { page, wrongs } = await show(browser, await pageOf([other, record.text]))
    await page.getByText("Every entry is the same").waitFor()
    await page.locator("input[type=file]").setInputFiles(fileOf(record.text))
    await page.getByText("Every entry is the same").waitFor({ state: "detached" })
    await chooseActor(page, taskAddress)
    await page.locator("#chart .picture svg").waitFor()
    // A pressed button can be read under the pointer, too.
    const outline = page.locator("#chart").getByRole("button", { name: "Outline" })
    const ground = () =>
      page.evaluate(
        `getComputedStyle(document.querySelector('#chart [aria-pressed="true"]')).backgroundColor`,
      )
    await outline.click()
    await outline.hover()
    const pointed = await ground()
    await page.mouse.move(0, 0)
    expect(pointed).toEqual(expect.stringMatching(/^rgb/))
    expect(await ground()).toBe(pointed)
    expect(wrongs).toEqual([])
  })

  test("a machine that was another when it was recorded has a chart, and its details in words", async () => {
    const html = await pageOf([record.text])
    const { page } = await show(browser, html)
    expect(other).not.toBe(record.text)
    await page.getByLabel("Record").setInputFiles(fileOf(other))
    await chooseActor(page, taskAddress)
    await page.locator("#chart .compact [data-path='loaded.photographed']").waitFor()
    await page.getByRole("button", { name: "Details", exact: true }).click()
    await page.getByText("no picture of all transitions of runner-task@1 as the record knows it").waitFor()
    await page.locator(".outline").waitFor()
  })
})

describe("what a page carries", () => {
  test("draws every transition of every machine", async () => {
    for (const { id, machine } of registeredMachines()) {
      const chart = chartOf(id, machine)
      const start = `{"k":"run","v":1,"clock0":"2026-03-02T17:30:00.000Z"}\n{"k":"turn","s":1,"t":0,"g":"x/1","r":1,"h":"","e":${JSON.stringify({ to: "x/1", by: "command", start: { machine: id }, atMs: 0, cause: null, refused: null, steps: [{ a: "x/1", on: { type: "@start", machine: id }, did: "moved", value: "x", context: {}, status: "active", asked: [] }] })}}`
      const data = await packedRecord({ records: [blockedRuns("x", start.split("\n"))], at: null })
      const drawn = [...(data.charts[0]?.picture ?? "").matchAll(/data-edge="([^"]+)"/g)].map(
        (found) => found[1],
      )
      expect(new Set(drawn).size, id).toBe(chart.edges.length)
      expect(drawn, id).toHaveLength(chart.edges.length)
    }
  })

  test("is the same bytes for the same record", async () => {
    expect(await pageOf([record.text])).toBe(await pageOf([record.text]))
  })

  test("holds no word that people wrote", async () => {
    const planted = {
      name: "Wilhelmina Quetzal",
      phone: "+15125559876",
      order: "ORDER-PLANTED-77",
      label: "Label planted on the bot",
      link: "https://planted-door.partner.example/open-planted",
    }
    const run = runScenario(
      scenario("A visit of a named person", {
        because: "What people write stays in rows.",
        clock: "2026-03-02T11:30 America/Chicago",
        given: { webhooks: [{ as: "partner", events: "all" }] },
      })
        .do("reservation.create", {
          as: "lunch",
          with: {
            window: ["11:45", "12:15"],
            order_number: planted.order,
            end_user_name: planted.name,
            end_user_phone: planted.phone,
            open_link_url: planted.link,
          },
        })
        .do("bot.report", { for: "lunch", with: { status: "INBOUND", label: planted.label } })
        .expect({ reservation: "lunch", bot_label: "another label" })
        .do("runner.assign", { for: "lunch" })
        .do("runner.at_store", { for: "lunch" })
        .do("runner.order_in_hand", { for: "lunch" })
        .do("bot.report", { for: "lunch", with: { status: "READY_FOR_HANDOFF" } })
        .do("runner.at_unit", { for: "lunch" })
        .at("+1m")
        .do("runner.load", { for: "lunch", with: { photo: true } })
        .expect({ reservation: "lunch", load_photo_url: "none" })
        .build(),
    )
    const failures = run.failures.map(({ actual }) => actual).join(" ")
    for (const used of [planted.label, "signed"]) expect(failures).toContain(used)
    const html = await pageOf([recorded(run).text])
    const data = dataIn(html)
    const texts = data.runs.flatMap((packed) => [packed.index, ...packed.blocks].map(inflated))
    const whole = [html, ...texts].join("\n")
    for (const happened of ["bot.inbound", "load.recorded"]) expect(whole).toContain(happened)
    const photo = Buffer.from(PLACEHOLDER_PHOTO.bytes).toString("base64").slice(0, 40)
    for (const word of [...Object.values(planted), "planted-door", photo, "/photos/"])
      expect(whole).not.toContain(word)
  })

  test("holds every line of the record, and nothing that closes its element", async () => {
    const hostile = record.text.replaceAll(
      "the-open-link-fails-three-times",
      "</script><img src=x onerror=alert(1)>",
    )
    const html = await pageOf([hostile])
    expect(html).not.toContain("<img")
    const lines = dataIn(html).runs[0]?.blocks.flatMap((block) => inflated(block).split("\n"))
    expect(lines).toEqual(hostile.split("\n").filter((line) => /^{"k":"(?:turn|mark)"/.test(line)))
    const { page, wrongs } = await show(browser, html)
    await page.getByText("<img src=x").first().waitFor()
    expect(wrongs).toEqual([])
  })

  test("opens at the moment that was asked for, in its run", async () => {
    const records = [blockedRuns("both.ndjson", `${failing.text}${record.text}`.split("\n"))]
    const row = Math.floor(rowCount(index) / 2)
    const data = await packedRecord({ records, at: { run: 2, s: at(index.s, row) } })
    const { html } = pageFile({ title: "Inspector", bundle: await pageBundle("inspector"), data })
    const { page, wrongs } = await show(browser, html)
    await page.locator(`#strip[data-s="${at(index.s, row)}"]`).waitFor()
    await page.waitForURL((url) => url.hash.includes("run=2"))
    expect(wrongs).toEqual([])
  })
})

test("the picture of the README is of the link that failed finally", async () => {
  const { page, wrongs } = await (await readmePicture())(browser, "light")
  expect(await page.locator("#inspector").innerText()).toMatch(/open link.*failed/i)
  await page.screenshot()
  expect(wrongs).toEqual([])
})

function registered(id: string): Parameters<typeof chartOf>[1] {
  const found = registeredMachines().find((one) => one.id === id)
  if (found === undefined) throw new Error(`there is no machine ${id}`)
  return found.machine
}

/** The record in a page, its texts where their ids stood. */
function dataIn(html: string): PackedRecord {
  const data = JSON.parse(/id="data">(.*)<\/script>\n/.exec(html)?.[1] ?? "") as PackedRecord
  const textOf = (id: string): string => new RegExp(`id="${id}">(.*)</script>\\n`).exec(html)?.[1] ?? ""
  const runs = data.runs.map((run) => ({ ...run, index: textOf(run.index), blocks: run.blocks.map(textOf) }))
  return { ...data, runs }
}

function inflated(text: string): string {
  return inflateRawSync(Buffer.from(text, "base64")).toString()
}
