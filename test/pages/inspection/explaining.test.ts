/**
 * Explanations of a moment on the inspector's page, compared with the record: causes, the meaning of a context, and the
 * enlarged timeline.
 */

import type { Browser } from "playwright-core"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { hasFailed } from "../../../src/pages/inspection/attempts.ts"
import { causesOf } from "../../../src/pages/inspection/causes.ts"
import { Positions } from "../../../src/pages/inspection/position.ts"
import { relatedGroups } from "../../../src/pages/inspection/related.ts"
import { ELSEWHERE, NONE, at, eventSentBy, rowCount } from "../../../src/pages/inspection/run-index.ts"
import { groupOf } from "../../../src/model/address.ts"
import { runScenario } from "../../../src/simulation/scenario/run.ts"
import { problemsIn, startChromium } from "../../browser/chromium.ts"
import { pageOf, show } from "./browser.ts"
import { readAgain, recorded, scenarioNamed } from "./records.ts"
import type { Recorded } from "./records.ts"

const record = recorded(runScenario(await scenarioNamed("reservations/the-open-link-fails-three-times")))
const { index } = record.run
const positions = new Positions(index)
const part = (name: string): number => index.actors.findIndex(({ address }) => address.endsWith(name))
const nameOf = (actor: number): string => index.actors[actor]?.address ?? ""

let browser: Browser
beforeAll(async () => {
  browser = await startChromium()
})
afterAll(async () => {
  await browser.close()
})

async function opened({ text }: Recorded, hash: string) {
  return show(browser, await pageOf([text]), { hash })
}

/** The address of a moment of an actor. */
function moment(actor: string, row: number): string {
  return `#actor=${encodeURIComponent(actor)}&at=${at(index.s, row)}`
}

describe("why", () => {
  test("explains the chosen actor: by what led to its last step, while another actor's entry is shown", async () => {
    const [bot, task] = [part("/bot"), part("/runner-task")]
    const rowsOf = (actor: number) => [...positions.stepsOf(actor)].map((step) => at(index.stepRow, step))
    const row = rowsOf(task).findLast((one) => !rowsOf(bot).includes(one)) ?? NONE
    const own = at(index.stepRow, positions.stepAt(bot, row))
    expect(own).toBeLessThan(row)
    const { page } = await opened(record, moment(nameOf(bot), row))
    await page.locator(`#why[data-row="${own}"]`).waitFor()
    expect(await page.locator("#why h3").textContent()).toBe("Why: bot")
    const chain = await page.locator("#why li .col-s").allTextContents()
    expect(chain.map(Number)).toEqual(causesOf(index, own).map((cause) => at(index.s, cause)))
    await page.getByRole("button", { name: "Actors", exact: true }).click()
    await page.locator(`[data-actor="${nameOf(task)}"]`).click()
    await page.locator(`#why[data-row="${row}"]`).waitFor()
    expect(await page.locator("#why h3").textContent()).toBe("Why: runner task")
  })

  test("goes on from a webhook's delivery to the turn of the reservation that published its event", async () => {
    const delivery = index.actors.findIndex(({ address }) => address.startsWith("webhook-delivery/"))
    const [start = NONE] = [...positions.stepsOf(delivery)].map((step) => at(index.stepRow, step))
    const [, cause = NONE] = causesOf(index, start)
    const { page } = await opened(record, moment(nameOf(delivery), start))
    await page.locator(`#why[data-row="${start}"]`).waitFor()
    await page.locator("#why li button").nth(1).click()
    await page.locator(`#strip[data-s="${at(index.s, cause)}"]`).waitFor()
    expect(await page.locator("#moment p").first().getAttribute("title")).toMatch(/^reservation\//)
  })

  test("names the other group where the file holds one journal alone, and offers no link to it", async () => {
    const line = record.rows.find((text) => text.includes('"g":"webhook-delivery/')) ?? ""
    const { g: group } = JSON.parse(line) as { readonly g: string }
    const lines = record.text.split("\n")
    const alone = readAgain(
      lines.filter((text) => !text.includes('"k":"turn"') || text.includes(`"g":"${group}"`)).join("\n"),
    )
    const row = alone.run.index.cause.indexOf(ELSEWHERE)
    const { page, wrongs } = await opened(alone, `#at=${at(alone.run.index.s, row)}`)
    await page.getByText("A turn of another group led to it").waitFor()
    const said = await page.locator("#why > p.quiet").textContent()
    expect(said).toMatch(
      /reservation\/res_\S+, revision \d+\. This record does not hold that group's journal\.$/,
    )
    expect(await page.locator("#why a").count()).toBe(0)
    expect(wrongs).toEqual([])
  })
})

test("a record lists the groups that belong together, with the types of their events, and opens them", async () => {
  const group = index.groups.indexOf(groupOf(nameOf(part("/runner-task"))))
  const webhooks = index.groups.flatMap((name, number) =>
    name.startsWith("webhook-delivery/") ? [number] : [],
  )
  const related = relatedGroups(index)
  expect(related.get(group)).toEqual(webhooks)
  for (const webhook of webhooks) expect(related.get(webhook)).toEqual([group])
  expect(new Set(webhooks.map((webhook) => eventSentBy(index, webhook)))).toEqual(
    new Set(["reservation.status_changed", "reservation.handoff_updated", "reservation.exception"]),
  )
  expect(eventSentBy(index, group)).toBeNull()
  const { page, wrongs } = await opened(record, moment(nameOf(part("/runner-task")), rowCount(index) - 1))
  const list = page.locator("#related")
  await list.getByRole("button", { name: `Show all ${webhooks.length + 2}` }).click()
  expect(await list.getByRole("button", { name: /^open link/ }).allTextContents()).toEqual([
    "open link 1failed",
    "open link 2opened",
  ])
  await list.getByRole("button", { name: "webhook delivery reservation.exception delivered" }).click()
  await page.getByText("Webhook delivery · reservation.exception").waitFor()
  await list.getByRole("button", { name: /^reservation/ }).click()
  await page.locator("#name", { hasText: "Reservation" }).waitFor()
  expect(await list.locator("[data-group^=webhook]").count()).toBeGreaterThan(0)
  expect(wrongs).toEqual([])
})

test("the first failure of a run that passed is its first failed call, which the key f finds too", async () => {
  const failed = index.s.findIndex((_, row) => hasFailed(index, row))
  expect(index.marks.filter(({ level }) => level === "fail")).toEqual([])
  const { page } = await opened(record, moment(nameOf(part("/runner-task")), rowCount(index) - 1))
  await page.getByRole("button", { name: "First failure" }).click()
  await page.locator(`#strip[data-s="${at(index.s, failed)}"]`).waitFor()
  // The actor of the failure is chosen, so that the page explains it.
  expect(await page.locator("#name").textContent()).toContain("Reservation")
  expect(await page.getByRole("heading", { name: "The open link" }).count()).toBeGreaterThan(0)
  await page.keyboard.press("End")
  await page.locator(`#strip[data-s="${at(index.s, rowCount(index) - 1)}"]`).waitFor()
  await page.keyboard.press("f")
  await page.locator(`#strip[data-s="${at(index.s, failed)}"]`).waitFor()
  const calm = recorded(runScenario(await scenarioNamed("reservations/canceling-twice")))
  expect(calm.run.index.s.some((_, row) => hasFailed(calm.run.index, row))).toBe(false)
  const { page: other } = await opened(calm, "")
  expect(await other.getByRole("button", { name: "First failure" }).isDisabled()).toBe(true)
})

test("a context has the site's times and durations, and the recorded numbers when pointed at", async () => {
  const reservation = index.actors.findIndex(({ address }) => /^reservation\/[^/]+$/.test(address))
  const { page } = await opened(record, moment(nameOf(reservation), rowCount(index) - 1))
  const value = (key: string) => page.locator(`#context [data-key="${key}"] td`)
  await value("startsAtMs").waitFor()
  const cells = await page.locator("#context td").allTextContents()
  expect(cells.filter((text) => /\b\d{12,}\b/.test(text))).toEqual([])
  expect(await value("startsAtMs").textContent()).toMatch(/^2026-\d\d-\d\d \d\d:\d\d:\d\d$/)
  expect(await value("startsAtMs").getAttribute("title")).toMatch(/^\d{13}$/)
})

describe("the strip's zoom", () => {
  test("shows milliseconds around the playhead, keeps it within, and is in the address", async () => {
    const { page, wrongs } = await opened(record, "#scale=linear")
    const labels = page.locator(".strip-labels span")
    const zoomIn = page.getByRole("button", { name: "Zoom in" })
    expect(await page.locator("#span").textContent()).toBe("whole run")
    expect((await labels.allTextContents()).join(" ")).not.toContain(".")
    expect(await page.getByRole("button", { name: "Zoom out" }).isDisabled()).toBe(true)
    const span = (): Promise<string> => page.locator("#span").innerText()
    while (await zoomIn.isEnabled()) {
      const before = await span()
      await zoomIn.click()
      await page.locator("#span").filter({ hasNotText: before }).waitFor()
    }
    expect(await span()).toMatch(/^\d+ms shown$/)
    for (const label of await labels.allTextContents()) expect(label).toMatch(/^\d\d:\d\d:\d\d\.\d{3}$/)
    for (const key of ["Home", "End", "ArrowLeft", "ArrowLeft"]) {
      await page.keyboard.press(key)
      const s = Number(await page.locator("#strip").getAttribute("data-s"))
      const shown = await labels.allTextContents()
      const clock = (await page.locator("#clock").textContent()) ?? ""
      const [first = "", last = ""] = [shown.at(0), shown.at(-1)]
      expect([s, first <= clock, clock <= last]).toEqual([s, true, true])
      expect(await page.locator("#strip .entries[d*=M]").count()).toBeGreaterThan(0)
    }
    await page.waitForURL((url) => /[#&]zoom=\d+/.test(url.hash))
    const before = await labels.allTextContents()
    await page.reload()
    await page.locator("#span", { hasText: "ms shown" }).waitFor()
    expect(await labels.count()).toBe(before.length)
    await page.keyboard.press("-")
    await page.keyboard.press("+")
    await page.setViewportSize({ width: 390, height: 800 })
    expect(
      await page.evaluate<number>(
        "document.documentElement.scrollWidth - document.documentElement.clientWidth",
      ),
    ).toBeLessThanOrEqual(0)
    expect([await problemsIn(page), wrongs]).toEqual([[], []])
  })

  test("is dragged within what it shows", async () => {
    const middle = Math.floor(rowCount(index) / 2)
    const { page } = await opened(record, `#at=${at(index.s, middle)}&zoom=16&fold=0&scale=linear`)
    const whole = at(index.t, rowCount(index) - 1) - at(index.t, 0)
    await page.locator(`#strip[data-s="${at(index.s, middle)}"]`).waitFor()
    const strip = await page.locator("#strip input").boundingBox()
    if (strip === null) throw new Error("the strip is not there")
    await page.mouse.click(strip.x + strip.width * 0.98, strip.y + 10)
    const row = positions.rowOfLine(Number(await page.locator("#strip").getAttribute("data-s"))) ?? NONE
    expect(row).toBeGreaterThan(middle)
    expect(at(index.t, row) - at(index.t, middle)).toBeLessThanOrEqual(whole / 16)
  })
})
