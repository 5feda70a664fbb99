/** The machine's chart in a browser: it fits its panel, its text is readable and not clipped, and states fold and open. */

import type { Browser, Page } from "playwright-core"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import type { ChartDocument } from "../../../src/pages/chart/chart-document.ts"
import { registeredCharts } from "../../../src/pages/chart/registered-machine.ts"
import { at } from "../../../src/pages/inspection/run-index.ts"
import { runScenario } from "../../../src/simulation/scenario/run.ts"
import { problemsIn, startChromium } from "../../browser/chromium.ts"
import { pageOf, show } from "./browser.ts"
import { recorded, scenarioNamed } from "./records.ts"

const charts = registeredCharts()
const record = recorded(runScenario(await scenarioNamed("reservations/the-open-link-fails-three-times")))
const { index } = record.run

let browser: Browser
beforeAll(async () => {
  browser = await startChromium()
})
afterAll(async () => {
  await browser.close()
})

interface Visit {
  readonly chart: ChartDocument
  readonly path: string
  readonly address: string
}

/** Every state without states inside, of every machine; each is one entry of the record. */
const visits: readonly Visit[] = charts.flatMap((chart, number) =>
  chart.nodes
    .filter(({ type }) => type === "atomic" || type === "final")
    .map(({ path }) => ({ chart, path, address: `${chart.id.split("@")[0]}/m_${number}` })),
)

/** One actor of each machine, which is once in every state. */
function tour(): string {
  const revisions = new Map<string, number>()
  const lines = visits.map(({ chart, path, address }, row) => {
    const r = (revisions.get(address) ?? 0) + 1
    revisions.set(address, r)
    const isFirst = r === 1
    const on = isFirst ? { type: "@start", machine: chart.id } : { type: "moved" }
    const step = {
      a: address,
      on,
      did: "moved",
      value: valueOf(path),
      context: {},
      status: "active",
      asked: [],
    }
    const begun = isFirst ? { start: { machine: chart.id } } : { event: { type: "moved" } }
    const e = {
      to: address,
      by: "command",
      ...begun,
      atMs: row * 1_000,
      cause: null,
      refused: null,
      steps: [step],
    }
    return JSON.stringify({ k: "turn", s: row + 1, t: row * 1_000, g: address, r, h: "", e })
  })
  return [`{"k":"run","v":1,"clock0":"2026-03-02T17:30:00.000Z","title":"A tour"}`, ...lines, ""].join("\n")
}

function valueOf(path: string): unknown {
  const [outer = "", ...inner] = path.split(".")
  return inner.length === 0 ? outer : { [outer]: valueOf(inner.join(".")) }
}

interface Measured {
  /** Texts that leave the picture or the box of their state, with the px by which they do. */
  readonly outside: readonly string[]
  readonly smallest: number
  readonly scale: number
  /** By how much the picture is wider than its panel. Unit: px. */
  readonly wider: number
  /** Ids of the drawn transitions, and of the folded states. */
  readonly edges: readonly string[]
  readonly folds: readonly string[]
}

const MEASURE = `(() => {
  const panel = document.querySelector("#chart .compact")
  const svg = panel.querySelector("svg")
  const picture = svg.getBoundingClientRect()
  const texts = [...svg.querySelectorAll("text")]
  const by = (text, outer) => {
    const box = text.getBoundingClientRect()
    return Math.max(outer.left - box.left, box.right - outer.right, outer.top - box.top, box.bottom - outer.bottom)
  }
  const outside = texts.flatMap((text) => {
    const isLabel = text.closest(".label") !== null
    const state = isLabel ? null : text.closest("[data-node]")?.querySelector("rect.box") ?? null
    const most = Math.max(by(text, picture), state === null ? -Infinity : by(text, state.getBoundingClientRect()))
    return most > 0.5 ? [text.textContent + " " + most] : []
  })
  return {
    outside,
    smallest: Math.min(...texts.map((text) => parseFloat(getComputedStyle(text).fontSize))),
    scale: picture.width / svg.viewBox.baseVal.width,
    wider: Math.max(
      panel.scrollWidth - panel.clientWidth,
      picture.width - panel.clientWidth,
      document.documentElement.scrollWidth - innerWidth,
    ),
    edges: [...svg.querySelectorAll("[data-edge]")].flatMap(({ dataset }) => dataset.edge.split("\\n")),
    folds: [...svg.querySelectorAll('[data-fold][aria-expanded="false"]')].map(({ dataset }) => dataset.fold),
  }
})()`

async function shownAt(page: Page, s: number, address: string, more = ""): Promise<Measured> {
  await page.evaluate(`location.hash = "#at=${s}&actor=${encodeURIComponent(address)}${more}"`)
  await page.locator(`#chart[data-s="${s}"] .compact svg`).waitFor()
  await page.locator(`#chart [data-path][class*="is-leaf"]`).first().waitFor()
  return page.evaluate<Measured>(MEASURE)
}

describe("the chart of every machine, in every state", () => {
  test.each([
    ["automatic", 1440],
    ["none", 1440],
    ["all", 1440],
    ["automatic", 390],
  ] as const)("fits its panel with %s folds at %i px, and no text is clipped", async (folding, width) => {
    const { page, wrongs } = await show(browser, await pageOf([tour()]), {
      width,
      hash: "#at=1&view=chart&tab=outline",
    })
    for (const [row, { chart, path, address }] of visits.entries()) {
      const measured = await shownAt(page, row + 1, address, `&view=chart&tab=outline&states=${folding}`)
      const { outside, smallest, scale, wider, edges, folds } = measured
      const where = `${chart.id} ${path}`
      expect([where, outside, wider <= 0]).toEqual([where, [], true])
      expect([where, smallest >= 11, Math.round(scale * 100)]).toEqual([where, true, 100])
      const isInFold = (id: string): boolean => folds.some((fold) => id === fold || id.startsWith(`${fold}.`))
      const missing = chart.edges.filter(
        ({ id, source, targets }) => !edges.includes(id) && ![source, ...targets].every(isInFold),
      )
      expect([where, missing.map(({ id }) => id)]).toEqual([where, []])
      const compound = path.split(".").slice(0, -1).join(".")
      const isOpen = !folds.includes(`${chart.nodes[0]?.id}.${compound}`)
      if (compound !== "") expect([where, isOpen]).toEqual([where, folding !== "all"])
      const active = await page.locator("#chart .is-leaf > rect.box").count()
      expect([where, active]).toEqual([where, 1])
    }
    expect(wrongs).toEqual([])
  })
})

describe("folding", () => {
  const address = index.actors.find(({ address: one }) => one.endsWith("/runner-task"))?.address ?? ""
  const firstRow = index.stepRow.find(
    (_, step) => index.actors[at(index.stepActor, step)]?.address === address,
  )
  const hash = `#actor=${encodeURIComponent(address)}&at=${at(index.s, firstRow ?? 0)}`

  test("a fold opens and closes by click and by keyboard, and the control folds all, none, or what is not active", async () => {
    const { page, wrongs } = await show(browser, await pageOf([record.text]), { hash })
    const chart = page.locator("#chart")
    const fold = (name: string, isOpen: boolean) =>
      chart
        .locator(`.compact [role=button][aria-expanded="${isOpen}"]`)
        .and(page.getByLabel(name, { exact: true }))
    const open = "open, 7 states"
    const loaded = "loaded, 2 states"
    await fold(open, true).waitFor()
    await fold(loaded, false).click()
    await fold(loaded, true).waitFor()
    await chart.locator("[data-path='loaded.photographed']").waitFor()
    expect(await problemsIn(page)).toEqual([])
    // The focus stays with the state, whose control is now another one.
    const focused = (isOpen: boolean) => fold(loaded, isOpen).and(page.locator(":focus")).waitFor()
    await focused(true)
    await page.keyboard.press("Enter")
    await focused(false)
    await page.keyboard.press("Space")
    await fold(loaded, true).waitFor()
    // The space bar has not begun to play.
    await page.getByRole("button", { name: "Play", exact: true }).waitFor()
    await chart.getByLabel("Fold, Machine").selectOption("all")
    await fold(open, false).waitFor()
    await fold(loaded, false).waitFor()
    expect(await chart.locator("[data-path='open'].is-leaf").count()).toBe(1)
    await page.waitForURL((url) => url.hash.includes("states=all"))
    expect(await problemsIn(page)).toEqual([])
    await chart.getByLabel("Fold, Machine").selectOption("none")
    await fold(loaded, true).waitFor()
    await chart.getByLabel("Fold, Machine").selectOption("automatic")
    await fold(loaded, false).waitFor()
    await fold(open, true).waitFor()
    expect(wrongs).toEqual([])
  })

  test("its size changes by buttons, keys and wheel, what is at the pointer stays, and a mouse drags it", async () => {
    const atTask = `#actor=${encodeURIComponent(address)}&scale=linear`
    const { page, wrongs } = await show(browser, await pageOf([record.text]), { hash: atTask })
    const picture = page.locator("#chart .picture")
    const state = (): Promise<{ readonly x: number; readonly y: number; readonly width: number }> =>
      page.evaluate(`(() => {
        const { x, y, width } = document.querySelector("#chart .is-leaf").getBoundingClientRect()
        return { x, y, width }
      })()`)
    for (const shown of ["Chart", "Details"]) {
      await page.locator("#chart").getByRole("button", { name: shown, exact: true }).click()
      await picture.locator("svg").waitFor()
      const tools = page.locator("#chart .zoom-tools")
      const percent = (): Promise<string> => tools.getByRole("button").nth(1).innerText()
      const { width } = await state()
      await tools.getByRole("button", { name: "Larger" }).click()
      expect(await percent()).toBe("125 %")
      expect((await state()).width / width).toBeCloseTo(1.25, 1)
      // Keys of the picture are not the strip's.
      await picture.focus()
      for (const key of ["+", "-", "0", "-"]) await page.keyboard.press(key)
      expect(await percent()).toBe("80 %")
      await page.keyboard.press("0")
      expect(await percent()).toBe("100 %")
      expect(page.url()).not.toContain("zoom")
      expect((await state()).width).toBeCloseTo(width, 0)

      for (const key of ["+", "+", "+", "+"]) await page.keyboard.press(key)
      const box = await picture.boundingBox()
      const [x, y] = [(box?.x ?? 0) + (box?.width ?? 0) / 2, (box?.y ?? 0) + (box?.height ?? 0) / 2]
      const before = await state()
      await page.mouse.move(x, y)
      await page.keyboard.down("Control")
      await page.mouse.wheel(0, -20)
      await page.keyboard.up("Control")
      await expect.poll(percent).toBe("298 %")
      const after = await state()
      const grown = after.width / before.width
      expect(grown).toBeCloseTo(Math.exp(0.2), 2)
      expect(Math.abs(x + (before.x - x) * grown - after.x)).toBeLessThan(3)

      const scrolled = (): Promise<number> =>
        page.evaluate<number>(`document.querySelector("#chart .picture").scrollTop`)
      const from = await scrolled()
      await page.mouse.down()
      await page.mouse.move(x, y - 6)
      await page.mouse.move(x, y - 10)
      await page.mouse.up()
      await expect.poll(scrolled).toBe(from + 10)
    }
    expect(await problemsIn(page)).toEqual([])
    expect(wrongs).toEqual([])
  })

  test("what was taken is in ink, what has just fired is red and thick, the rest is grey", async () => {
    const { page } = await show(browser, await pageOf([record.text]), { hash })
    const ranks = (): Promise<readonly (readonly [string, string])[]> =>
      page.evaluate(
        `[...document.querySelectorAll("#chart .compact [data-edge]")].map((edge) => [edge.dataset.edge, edge.getAttribute("class") ?? ""])`,
      )
    const fired = async (): Promise<readonly string[]> =>
      (await ranks()).filter(([, rank]) => rank.includes("is-fired")).map(([edge]) => edge)
    const steps = [...index.stepRow.keys()].filter(
      (step) => index.actors[at(index.stepActor, step)]?.address === address,
    )
    const [begun, ...later] = steps.map((step) => at(index.s, at(index.stepRow, step)))
    const before = await fired()
    expect(before.some((edge) => edge.includes("#initial#"))).toBe(true)
    expect(begun).toBeDefined()
    for (const s of later) {
      await page.evaluate(`location.hash = "#actor=${encodeURIComponent(address)}&at=${s}"`)
      await page.locator(`#chart[data-s="${s}"] .is-fired`).first().waitFor()
      // What fired at the entry before has been taken by now.
      const now = await ranks()
      const taken = now.filter(([, rank]) => rank.includes("is-taken")).map(([edge]) => edge)
      expect(taken).toEqual(expect.arrayContaining([...before]))
      expect(now.some(([, rank]) => rank === "")).toBe(true)
      const arrows = await page.locator("#chart .compact .is-fired > .path").count()
      if (arrows > 0 && taken.length > 4) break
    }
    const colour = (rank: string): Promise<string> =>
      page.evaluate(`(() => {
        const style = getComputedStyle(document.querySelector("#chart .compact g[data-edge]${rank} > .path"))
        return style.stroke + " " + style.strokeWidth
      })()`)
    const three = await Promise.all([".is-fired", ".is-taken:not(.is-fired)", ":not(.is-taken)"].map(colour))
    expect(new Set(three.map((one) => one.split(" ").at(-1))).size).toBe(3)
    expect(new Set(three.map((one) => one.replace(/ [^ ]+$/, ""))).size).toBe(3)
    await page.getByText("Solid: taken. Red: just fired.").waitFor()
  })
})
