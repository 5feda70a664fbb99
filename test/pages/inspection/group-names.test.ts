/** Two reservations of one record have different labels everywhere: the names of the scenario, else the ends of their ids. */

import type { Browser } from "playwright-core"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { labelOfGroup, nameOfGroup } from "../../../src/pages/inspection/group-names.ts"
import { rowLines } from "../../../src/pages/inspection/row-text.ts"
import { at } from "../../../src/pages/inspection/run-index.ts"
import type { RunIndex } from "../../../src/pages/inspection/run-index.ts"
import { kindOf } from "../../../src/model/address.ts"
import { scenario } from "../../../src/simulation/scenario/builder.ts"
import { runScenario } from "../../../src/simulation/scenario/run.ts"
import { problemsIn, startChromium } from "../../browser/chromium.ts"
import { pageOf, show } from "./browser.ts"
import { readAgain, recorded, scenarioNamed } from "./records.ts"

const two = recorded(
  runScenario(
    scenario("Two visits", {
      because: "Each has a label of its own.",
      clock: "2026-03-02T11:30 America/Chicago",
      given: { webhooks: [{ as: "partner", events: "all" }] },
    })
      .do("reservation.create", { as: "visit", with: { window: ["11:45", "12:15"] } })
      .at("11:31")
      .do("reservation.create", { as: "other", with: { window: ["11:45", "12:15"] } })
      .at("11:40")
      .do("bot.report", { for: "visit", with: { status: "ARRIVED" } })
      .build(),
  ),
)
/** The same run as older programs recorded it. */
const unnamed = readAgain(two.text.replace(/,"names":\{[^}]*\}/, ""))

const groupsOf = ({ groups }: RunIndex, kind: string): readonly number[] =>
  [...groups.keys()].filter((group) => kindOf(groups[group] ?? "") === kind)
const detailsOf = (index: RunIndex): readonly string[] =>
  index.s.flatMap((_, row) => (at(index.group, row) < 0 ? [] : [rowLines(index, row, undefined).detail]))

describe("a record of two reservations", () => {
  test("names both, and webhooks of each, as the scenario does", () => {
    const { index } = two.run
    expect(groupsOf(index, "reservation").map((group) => labelOfGroup(index, group))).toEqual([
      "visit",
      "other",
    ])
    const webhooks = new Set(groupsOf(index, "webhook-delivery").map((group) => labelOfGroup(index, group)))
    expect(webhooks).toEqual(new Set(["visit", "other"]))
    const details = detailsOf(index)
    expect(details.filter((detail) => detail.startsWith("visit · ")).length).toBeGreaterThan(3)
    expect(details).toContain("other · webhook-delivery → sending")
  })

  test("without names the ends of their ids differ", () => {
    const { index } = unnamed.run
    const labels = groupsOf(index, "reservation").map((group) => labelOfGroup(index, group) ?? "")
    expect(labels).toEqual(
      index.groups.filter((group) => kindOf(group) === "reservation").map((group) => `…${group.slice(-4)}`),
    )
    expect(new Set(labels).size).toBe(2)
    expect(
      detailsOf(index).some((detail) => detail.startsWith(`${labels[1]} · reservation → canceled`)),
    ).toBe(true)
  })

  test("ends of ids are as long as they must be, and short ids are whole", () => {
    const named = (...ids: readonly string[]): readonly (string | null)[] => {
      const groups = ids.map((id) => `reservation/${id}`)
      const index = { ...two.run.index, groups, nameOfGroup: ids.map(() => null) }
      return ids.map((_, group) => labelOfGroup(index, group))
    }
    expect(named("res_aaaaaaaaaa1abcd", "res_aaaaaaaaaa2abcd")).toEqual(["…1abcd", "…2abcd"])
    expect(named("veh_van", "veh_car")).toEqual(["veh_van", "veh_car"])
    expect(named("res_aaaaaaaaaa1abcd")).toEqual([null])
  })
})

test("a record of one reservation has the name in its head alone", async () => {
  const { index } = recorded(runScenario(await scenarioNamed("reservations/the-bot-never-shows-up"))).run
  const [reservation = -1] = groupsOf(index, "reservation")
  expect(nameOfGroup(index, reservation)).toBe("lunch")
  expect(detailsOf(index).filter((detail) => detail.includes("lunch"))).toEqual([])
})

describe("on the page", () => {
  let browser: Browser
  beforeAll(async () => {
    browser = await startChromium()
  })
  afterAll(() => browser.close())

  test("head, log, causes, sequence, actors and strip say the same name", async () => {
    const { index } = two.run
    const row = index.event.findLastIndex((word) => index.words[word]?.includes("window and grace") === true)
    const actor = index.actors[at(index.to, row)]?.address ?? ""
    const { page, wrongs } = await show(browser, await pageOf([two.text]), {
      hash: `#at=${index.s[row]}&actor=${encodeURIComponent(actor)}&lanes=actor`,
    })
    await page.locator('#log [aria-selected="true"]').waitFor()
    expect(await page.locator("#name").textContent()).toContain("Reservation · other · res_")
    expect(await page.locator('#log [aria-selected="true"]').textContent()).toContain(
      "other · reservation → canceled",
    )
    expect(await page.locator(".cause-group").first().textContent()).toContain("reservation other")
    expect(await page.locator("#strip input[type=range]").getAttribute("aria-valuetext")).toMatch(/, other$/)
    await page.locator("#sequence").getByRole("button", { name: "by actor" }).click()
    const lanes = (await page.locator("#sequence .lane-name").allTextContents()).join(" ")
    expect(lanes).toContain("reservation")
    expect(lanes).toContain("other")
    await page.locator("#side").getByRole("button", { name: "Actors", exact: true }).click()
    expect(await page.locator(`[data-actor="${actor}"]`).textContent()).toContain("other")
    expect(await problemsIn(page)).toEqual([])
    // Its name finds its rows.
    await page.locator("#side").getByRole("button", { name: "Log", exact: true }).click()
    await page.locator("#filter").fill("other")
    await page
      .getByText(/^\d+ of \d+$/)
      .first()
      .waitFor()
    const found = await page.locator("#log [role=option]").allTextContents()
    expect(found.length).toBeGreaterThan(2)
    for (const text of found) expect(text).toContain("other")
    expect(wrongs).toEqual([])
    await page.context().close()
  })
})
