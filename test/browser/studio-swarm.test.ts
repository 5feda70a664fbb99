/** The swarm in the studio in a real browser: start, figures, stop, findings, and a finding as a scenario file. */

import { existsSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { setImmediate as nextTurnOfTheLoop } from "node:timers/promises"
import type { BrowserContextOptions, Page } from "playwright-core"
import { expect, test } from "vitest"
import { checkOf } from "../../src/cli/studio/check.ts"
import { CATALOGUE } from "../../src/simulation/swarm/catalogue.ts"
import { findingOf, tryingSeed } from "../../src/simulation/swarm/explore.ts"
import { folder } from "../cli/command-line.ts"
import { cancelerIsNotNoted } from "../simulation/scenarios/planted-bugs.ts"
import { tabTo } from "./chromium.ts"
import type { OpenedPage } from "./chromium.ts"
import { PHONE, lookInEachView } from "./look.ts"
import { studioInBrowser } from "./studio-page.ts"

const opened = folder()
writeFileSync(
  join(opened, "first.yaml"),
  `scenario: A first booking
because: The folder has a file.
clock: 2026-03-02T11:30 America/Chicago
steps:
  - { do: reservation.create, as: lunch, with: { window: [11:45, 12:15] } }
`,
)

/** A reservation whose canceler is not noted. */
const BUG = { invariants: CATALOGUE, program: cancelerIsNotNoted }

/** A seed gives the same result each time; several tests try the same ones. */
const tried = bySeed((seed) => tryingSeed(seed, BUG))
const found = bySeed((seed) => findingOf(seed, BUG))

const withBug = studioInBrowser(opened, undefined, {
  threads: () => ({
    trySeed: async (seed) => {
      await nextTurnOfTheLoop()
      return tried(seed)
    },
    close: () => Promise.resolve(),
  }),
  finding: async (seed) => found(seed),
})

function bySeed<Result>(make: (seed: number) => Result): (seed: number) => Result {
  const made = new Map<number, Result>()
  return (seed) => {
    const result = made.get(seed) ?? make(seed)
    made.set(seed, result)
    return result
  }
}

const sound = studioInBrowser(opened)

async function swarm(
  studio: typeof sound,
  { seeds, ...options }: BrowserContextOptions & { readonly seeds: string },
): Promise<OpenedPage> {
  const shown = await studio.open("", options)
  const { page } = shown
  await tabTo(page, "Swarm")
  await page.keyboard.press("Enter")
  await page.getByLabel("Try seeds for a number of").selectOption("seeds")
  await page.getByLabel("Seeds", { exact: true }).fill(seeds)
  return shown
}

async function start(page: Page): Promise<void> {
  await page.getByRole("button", { name: "Start the swarm" }).press("Enter")
}

const figure = (page: Page, name: string) =>
  page.locator(".swarm-figures div", { has: page.getByText(name, { exact: true }) }).locator("dd")

test("seeds of this program run on threads, with figures of all states and transitions", async () => {
  const { page, strayed, complaints, close } = await swarm(sound, { seeds: "12" })
  await start(page)
  await page.getByRole("heading", { name: "12 seeds from 1 on" }).waitFor()
  expect(await figure(page, "Seeds").textContent()).toBe("12")
  expect(Number(await figure(page, "Seeds a second").textContent())).toBeGreaterThan(0)
  for (const name of ["States reached", "Transitions reached"]) {
    const [reached = 0, all = 0] = ((await figure(page, name).textContent()) ?? "").split(" of ").map(Number)
    expect(reached).toBeGreaterThan(20)
    expect(all).toBeGreaterThan(reached)
  }
  await page.locator(".pane-head").getByText("nothing broke").waitFor()
  expect(new URL(page.url()).hash).toBe("#swarm=")
  await page.reload()
  await page.getByRole("button", { name: "Start the swarm" }).waitFor()
  expect([strayed, complaints]).toEqual([[], []])
  await close()
})

test("a running swarm can be stopped, and a second one is refused meanwhile", async () => {
  const { page, close } = await swarm(sound, { seeds: "100000" })
  const other = await swarm(sound, { seeds: "1" })
  await start(page)
  await page.getByRole("progressbar", { name: "Of 100,000 seeds" }).waitFor()
  await expect.poll(() => page.locator(":focus").textContent()).toBe("Stop")
  await start(other.page)
  await other.page.getByText("a swarm is running already; stop it first").waitFor()
  await expect.poll(async () => Number(await figure(page, "Seeds").textContent())).toBeGreaterThan(1)
  await page.getByRole("button", { name: "Stop" }).press("Enter")
  await page.getByRole("heading", { name: /^Stopped after \d+ seeds$/ }).waitFor()
  // Another one waits until its thread has ended.
  await start(other.page)
  await other.page.getByRole("heading", { name: "1 seed from 1 on" }).waitFor()
  await Promise.all([close(), other.close()])
})

test("a number that does not fit says what does, and nothing starts", async () => {
  const { page, close } = await swarm(sound, { seeds: "0" })
  await page.getByText("A whole number from 1 to 100000.").waitFor()
  await start(page)
  expect(await page.getByRole("heading", { name: "Not run yet" }).count()).toBe(1)
  await close()
})

test("a broken sentence has the line that repeats it, and is written as a scenario that replaces no file", async () => {
  const { page, complaints, close } = await swarm(withBug, { seeds: "5" })
  await start(page)
  const finding = page.getByRole("article", { name: /^Broken: / })
  await finding.waitFor()
  const again = (await finding.locator("pre").first().textContent()) ?? ""
  const [, seed = ""] = /^npx curbline swarm --seed (\d+)$/.exec(again.trim()) ?? []
  expect(seed).not.toBe("")
  const name = finding.getByLabel("New file in this folder")
  expect(await name.inputValue()).toBe(`swarm-seed-${seed}.yaml`)

  await name.fill("../outside.yaml")
  await finding.getByRole("button", { name: "Write as scenario" }).press("Enter")
  await finding
    .getByRole("alert")
    .getByText(/has a part that is empty or begins with/)
    .waitFor()
  expect(existsSync(join(opened, "../outside.yaml"))).toBe(false)
  await name.fill("first.yaml")
  await finding.getByRole("button", { name: "Write as scenario" }).press("Enter")
  await finding.getByText(/first.yaml exists already, and nothing was written/).waitFor()

  await name.fill("found.yaml")
  await finding.getByRole("button", { name: "Write as scenario" }).press("Enter")
  await finding.getByText("Written as found.yaml").waitFor()
  expect(await finding.locator("summary").textContent()).toMatch(/^Made small: \d+ moves? of \d+, /)
  const text = readFileSync(join(opened, "found.yaml"), "utf8")
  expect(text).toContain(`Seed ${seed} of the swarm broke this: `)
  expect(checkOf("found.yaml", text).problems).toEqual([])

  await finding.getByRole("button", { name: "Open it" }).press("Enter")
  await page.getByRole("heading", { name: "found.yaml" }).waitFor()
  await page.locator('.file[title*="found.yaml"]').waitFor()
  expect(await page.getByRole("button", { name: "Scenarios" }).getAttribute("aria-current")).toBe("page")
  // The browser notes the two refusals.
  expect(complaints.filter((one) => !/status of 4(00|09)/.test(one))).toEqual([])
  await close()
})

test("the swarm has nothing that axe finds in any view: not run, with a mistake, with figures and a finding", async () => {
  const { page, strayed, complaints, close } = await swarm(withBug, { seeds: "0", viewport: PHONE })
  await lookInEachView(page, "swarm-empty")
  await page.getByLabel("Seeds", { exact: true }).fill("5")
  await start(page)
  await page.getByRole("heading", { name: "5 seeds from 1 on" }).waitFor()
  await page.getByRole("article").getByRole("button", { name: "Write as scenario" }).press("Enter")
  await page.getByRole("article").locator("summary").click()
  await lookInEachView(page, "swarm-found")
  expect([strayed, complaints]).toEqual([[], []])
  await close()
})
