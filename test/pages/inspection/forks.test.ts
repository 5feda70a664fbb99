/** From a moment on the page to another course of the run, by the commands that the page names, and both courses on one page. */

import { readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import type { Browser, Page } from "playwright-core"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { divergenceOf } from "../../../src/pages/inspection/divergence.ts"
import { forkedAt, lineAfter } from "../../../src/pages/inspection/forks.ts"
import { NONE, at } from "../../../src/pages/inspection/run-index.ts"
import { HeadSum } from "../../../src/engine/kernel/hash.ts"
import { RecordLines } from "../../../src/live/records/record-lines.ts"
import { kindOf } from "../../../src/model/address.ts"
import type { Requester } from "../../../src/model/requester.ts"
import { runScenario } from "../../../src/simulation/scenario/run.ts"
import { problemsIn, startChromium } from "../../browser/chromium.ts"
import { folder } from "../../cli/command-line.ts"
import type { Ended } from "../../cli/command-line.ts"
import { curblineHere } from "../../cli/same-process.ts"
import { show } from "./browser.ts"
import { readAgain, recorded as recordedRun, scenarioNamed } from "./records.ts"
import type { Recorded } from "./records.ts"

const place = folder()
const fileIn = (name: string): string => join(place, name)
const textIn = (name: string): string => readFileSync(fileIn(name), "utf8")

/** Runs a command as the page has it, with its files in the test's folder. */
async function typed(command: string): Promise<Ended> {
  const typedWords = command.match(/'[^']*'|\S+/g) ?? []
  const [npx, curbline, ...words] = typedWords.map((word) => word.replace(/^'(.*)'$/, "$1"))
  expect([npx, curbline]).toEqual(["npx", "curbline"])
  return curblineHere(...words.map((word) => (/\.(?:ndjson|yaml|html)$/.test(word) ? fileIn(word) : word)))
}

let browser: Browser
let recorded: Recorded
/** The line with which the runner reaches the unit. */
let atUnit: number

/** The journal of one group of a run, as the page of a running service downloads it. */
function aloneOf({ rows, run }: Recorded, group: string): string {
  const charts = Object.fromEntries(run.charts)
  const { build, clock0Ms, zone } = run.head
  const record = new RecordLines({ build, charts }, { clock0Ms, zone, group })
  let last = ""
  const begin = record.begin()
  const lines = rows.flatMap((line) => {
    const { g, r, h, e, who } = JSON.parse(line) as Turn
    if (g !== group) return []
    last = h
    const entry = { group: g, revision: r, text: JSON.stringify(e), hash: h }
    return [record.entry(who === undefined ? entry : { ...entry, requester: who }, e.instantMs)]
  })
  const sum = new HeadSum()
  sum.add(group, last)
  const end = record.end(sum.total())
  return [begin, ...lines, end].join("")
}

interface Turn {
  readonly g: string
  readonly r: number
  readonly h: string
  readonly e: { readonly instantMs: number }
  readonly who?: Requester
}

beforeAll(async () => {
  browser = await startChromium()
  const scenario = "scenarios/reservations/the-open-link-fails-three-times.yaml"
  await curblineHere("run", scenario, "--record", fileIn("run.ndjson"))
  recorded = readAgain(textIn("run.ndjson"))
  const { index } = recorded.run
  atUnit = at(
    index.s,
    index.event.findIndex((word) => index.words[word] === "runner.at_unit"),
  )
})
afterAll(() => browser.close())

/** The command of "Keep as a scenario" writes a scenario that says why and passes. */
async function isKeptBy(page: Page): Promise<void> {
  await page.getByRole("button", { name: "Keep as a scenario" }).click()
  const dialog = page.getByRole("dialog", { name: "Keep as a scenario" })
  await dialog.getByLabel("Why it is kept").fill("The open link failed three times")
  await dialog.getByLabel("Why it is kept").blur()
  expect(await problemsIn(page)).toEqual([])
  const command = (await dialog.locator("pre").textContent()) ?? ""
  const { status, err } = await typed(command)
  expect([status, err]).toEqual([0, expect.stringMatching(/^wrote .*kept\.yaml\n/)])
  expect(textIn("kept.yaml")).toContain("because: The open link failed three times\n")
  expect((await typed("npx curbline run kept.yaml")).status).toBe(0)
}

/** The command of "When was it lost?" asks about the chosen order: this record shows too little to learn from, and says so. */
async function isAskedBy(page: Page): Promise<void> {
  await page.getByRole("button", { name: "When was it lost?" }).click()
  const dialog = page.getByRole("dialog", { name: "When was it lost?" })
  expect(await problemsIn(page)).toEqual([])
  const { status, err } = await typed((await dialog.locator("pre").textContent()) ?? "")
  expect([status, err]).toEqual([2, expect.stringMatching(/name a fleet model with --model/)])
}

describe("a fork", () => {
  test("is made by the commands of the page, and both courses open side by side from its moment on", async () => {
    expect((await typed("npx curbline inspect run.ndjson --out run.html")).status).toBe(0)
    const { page, wrongs } = await show(browser, textIn("run.html"), { hash: `#at=${atUnit}` })
    await page.getByRole("button", { name: "Fork from here" }).click()
    const steps = page.getByLabel("What is different, with steps as in scenarios.")
    const whatIf = await steps.inputValue()
    const command = page.locator(".fork-steps pre")
    const head = `npx curbline fork run.ndjson --at ${atUnit} --inspect --with - <<'STEPS'`
    expect(await command.textContent()).toBe(`${head}\n${whatIf}\nSTEPS`)
    expect(await page.locator(".fork-steps [data-copy]").count()).toBe(1)
    // What the reader writes is in the command, and cannot end its here-document.
    await steps.fill("what_if: a\nsteps:\n  - wait: 1m\nSTEPS\n")
    expect(await command.textContent()).toBe(
      `${head.replace("STEPS", "STEPS_")}\nwhat_if: a\nsteps:\n  - wait: 1m\nSTEPS\nSTEPS_`,
    )
    await steps.fill(whatIf)
    expect(await problemsIn(page)).toEqual([])
    await page.getByRole("dialog", { name: "Fork from here" }).getByRole("button", { name: "Close" }).click()
    await isKeptBy(page)
    const kept = page.getByRole("dialog", { name: "Keep as a scenario" })
    await kept.getByRole("button", { name: "Close" }).click()
    await isAskedBy(page)
    expect(wrongs).toEqual([])
    await page.context().close()

    writeFileSync(fileIn("what-if.yaml"), whatIf)
    const forked = await typed(
      `npx curbline fork run.ndjson --at ${atUnit} --with what-if.yaml --out what-if.ndjson --report both.html`,
    )
    expect(forked.status).toBe(0)
    const both = await show(browser, textIn("both.html"))
    const section = both.page.locator("#comparison")
    // The moment's entry and what it caused in its own transaction.
    await section.getByText(`Both courses are the same up to entry ${atUnit + 1} at 11:58:00`).waitFor()
    await both.page.locator(`#strip[data-s="${atUnit + 1}"]`).waitFor()
    await section.locator("#pairs tbody tr").first().waitFor()
    // As the command printed it.
    const countsIn = (text: string | null | undefined): readonly string[] => (text ?? "").match(/\d+/g) ?? []
    const printed = countsIn(/^after it .*$/m.exec(forked.out)?.[0])
    expect(countsIn(await section.locator("#likeness").textContent())).toEqual(printed)
    expect(printed).toHaveLength(5)
    expect(await section.textContent()).toContain("open-link-1 …jqSE ends as failed → opened")
    expect(await section.locator("thead th").allTextContents()).toEqual([
      "Difference",
      "Actor",
      "recorded",
      "the what-if",
    ])
    // Each entry leads to its own run.
    const opened = section
      .locator("#pairs tbody tr", { hasText: "other outcome" })
      .first()
      .getByRole("button")
      .last()
    const s = /^(\d+) ·/.exec((await opened.textContent()) ?? "")?.[1]
    await opened.click()
    await both.page.waitForURL((url) => url.hash.includes("run=2"))
    await both.page.locator(`#strip[data-s="${s}"]`).waitFor()
    expect(await problemsIn(both.page)).toEqual([])
    expect(both.wrongs).toEqual([])
    await both.page.context().close()
  })

  test("has each file to begin with that the language reads, whatever group is chosen", async () => {
    const { index } = recorded.run
    for (const kind of ["reservation", "webhook-delivery"]) {
      const actor = index.actors.find(({ address }) => address.startsWith(`${kind}/`))?.address ?? ""
      const { page } = await show(browser, textIn("run.html"), {
        hash: `#at=${index.s.at(-1)}&actor=${encodeURIComponent(actor)}`,
      })
      await page.getByRole("button", { name: "Fork from here" }).click()
      const whatIf = await page.locator("#what-if").inputValue()
      expect(whatIf.includes(`names: { it: ${actor} }`)).toBe(kind === "reservation")
      writeFileSync(fileIn("what-if.yaml"), whatIf)
      const fork = `npx curbline fork run.ndjson --at ${index.s.at(-1)} --with what-if.yaml --out what-if.ndjson`
      expect(await typed(fork), whatIf).toMatchObject({ status: 0 })
      await page.context().close()
    }
  })

  test("is offered for one group's record exactly where the command can go on from it", async () => {
    const errand = recordedRun(runScenario(await scenarioNamed("courier/an-errand-to-the-door")))
    const kinds = new Map<string, boolean>()
    for (const whole of [recorded, errand]) {
      for (const group of whole.run.index.groups) {
        const text = aloneOf(whole, group)
        const { run } = readAgain(text)
        const isOffered = run.index.outside.length === 0
        kinds.set(kindOf(group), isOffered)
        writeFileSync(fileIn("alone.ndjson"), text)
        writeFileSync(fileIn("wait.yaml"), "what_if: nothing had happened\nsteps:\n  - wait: 1m\n")
        const s = at(run.index.s, 0)
        const { status, err } = await typed(`npx curbline fork alone.ndjson --at ${s} --with wait.yaml`)
        expect([group, status], err).toEqual([group, isOffered ? 0 : 2])
        if (isOffered) continue
        const named = /alone, which exchanges messages with (\S+);/.exec(err)?.[1]
        expect(run.index.outside).toContain(named)
      }
    }
    expect(Object.fromEntries(kinds)).toMatchObject({
      reservation: true,
      "webhook-delivery": false,
      vehicle: false,
    })
  })

  test("is known by its own beginning, and only beside the run that it goes on from", () => {
    const forked = readAgain(textIn("what-if.ndjson")).run
    const { run } = recorded
    const found = forkedAt(run, forked, divergenceOf(run, forked))
    expect(found?.title).toBe("something else had happened")
    expect(found?.entries).toBe(run.index.group.filter((group) => group !== NONE).length)
    expect(at(run.index.s, found?.first ?? 0)).toBe(lineAfter(run.index, found?.entries ?? 0))
    expect(forkedAt(run, run, null)).toBeNull()
    expect(forkedAt(forked, run, divergenceOf(forked, run))).toBeNull()
    expect(forkedAt(run, forked, { first: 3, second: 3, shared: 3 })).toBeNull()
  })
})
