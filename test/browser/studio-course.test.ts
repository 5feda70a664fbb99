/** The course of a run in a real browser: what belongs to an entry, the way to a line, and long names. */

import { cpSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import type { Locator, Page } from "playwright-core"
import { describe, expect, test } from "vitest"
import { ROOT, folder } from "../cli/command-line.ts"
import { problemsIn } from "./chromium.ts"
import type { OpenedPage } from "./chromium.ts"
import { PHONE } from "./look.ts"
import { studioInBrowser } from "./studio-page.ts"

const opened = folder()

const HEAD = `because: Several bookings at one instant.
clock: 2026-03-02T11:30 America/Chicago

given:
  webhooks: [{ as: partner, events: all }]

steps:
`
const names = Array.from({ length: 12 }, (_, number) => `a_rather_long_name_of_booking_${number + 1}`)
const MANY = `scenario: Many at once
${HEAD}${names.map((name) => `  - { do: reservation.create, as: ${name}, with: { window: [12:00, 12:30] } }\n`).join("")}
${names.map((name) => `  - { do: runner.assign, for: ${name} }\n  - { do: runner.at_store, for: ${name} }\n`).join("")}
${names.map((name, number) => `  - expect: { reservation: ${name}, status: ${number === 10 ? "arrived" : "confirmed"} }\n`).join("")}`
const FAILING_LINE = MANY.split("\n").findIndex((line) => line.includes("arrived")) + 1

writeFileSync(join(opened, "many.yaml"), MANY)
writeFileSync(
  join(opened, "quiet.yaml"),
  MANY.replace("Many at once", "Another").replace("arrived", "confirmed"),
)

writeFileSync(
  join(opened, "moved.yaml"),
  `scenario: A window is moved
because: Its event has instants.
clock: 2026-03-02T11:30 America/Chicago
steps:
  - { do: reservation.create, as: visit, with: { window: [12:00, 12:30] } }
  - { at: +1m, do: reservation.move_window, for: visit, with: { window: [12:15, 12:45] } }
`,
)

cpSync(join(ROOT, "scenarios/courier/an-errand-to-the-door.yaml"), join(opened, "errand.yaml"))
writeFileSync(
  join(opened, "stop.yaml"),
  `scenario: A customer stops the texts
because: The answer is a text that no entry writes.
clock: 2026-03-02T11:30 America/Chicago
environment: sandbox
steps:
  - { do: reservation.create, as: visit, with: { window: [12:00, 12:30] } }
  - { at: +1m, do: sms.reply, with: { from: "+15125550199", text: STOP } }
  - wait: 5m
  - { do: courier.is_no_command }
`,
)

const inBrowser = studioInBrowser(opened)

async function studio(path: string): Promise<OpenedPage> {
  const shown = await inBrowser.open(`&file=${path}`)
  await shown.page.locator(".pane-head", { hasText: path }).waitFor()
  return shown
}

async function run(page: Page): Promise<void> {
  await page.getByRole("button", { name: "Run", exact: true }).click()
  await page.locator(".lanes").waitFor()
}

/** In pixels: where a lane's name ends, the part of it that tells lanes apart, and where the rows of a wrapped line begin. */
interface Measured {
  readonly name: number
  readonly part: { readonly right: number; readonly width: number }
  readonly lefts: readonly number[]
}

/** The entries up to the end of the run, each with its heading and what was sent with it. */
async function entries(page: Page): Promise<readonly (readonly [title: string, sent: readonly string[]])[]> {
  const found: (readonly [string, readonly string[]])[] = []
  const next = page.getByRole("button", { name: "Next entry" })
  for (;;) {
    const title = (await page.locator(".happened h3").textContent()) ?? ""
    found.push([title, await page.locator(".sent strong").allTextContents()])
    if (await next.isDisabled()) return found
    await next.click()
  }
}

/** The marks of what was sent by text. */
function textsOf(page: Page): Locator {
  return page.locator(".lane", { has: page.locator('.lane-name[title="text"]') }).locator(".dot")
}

describe("an entry", () => {
  test("has the message that it sent, and with an answer that of its call, also when many leave at one instant", async () => {
    const { page, close } = await studio("quiet.yaml")
    await run(page)
    await page.locator(".stay").first().click()
    const all = await entries(page)
    const ofWebhooks = all.filter(([title]) => /^reservation\.\w+(: 200| is sent)$/.test(title))
    expect(ofWebhooks.length).toBeGreaterThan(40)
    for (const [title, sent] of ofWebhooks) expect(sent).toEqual([title.replace(/(: 200| is sent)$/, "")])
    for (const [title, sent] of all)
      if (title.startsWith("runner.")) expect([title, sent]).toEqual([title, []])
    await close()
  })
})

describe("a text", () => {
  test("stands at the entry that wrote it, not at others of its instant, and its mark leads there", async () => {
    const { page, close } = await studio("errand.yaml")
    await run(page)
    await page.locator(".stay").first().click()
    const withTexts = (await entries(page)).filter(([, sent]) => sent.includes("delivery-notice"))
    expect(withTexts).toEqual([
      ["Capture payment: answered", ["delivery-notice"]],
      ["store.left", ["delivery-notice"]],
      ["customer.reached", ["delivery-notice"]],
    ])
    await textsOf(page).first().click()
    expect(await page.locator(".happened h3").textContent()).toBe("Capture payment: answered")
    await close()
  })

  test("that no entry wrote is shown at its own time", async () => {
    const { page, close } = await studio("stop.yaml")
    await run(page)
    await textsOf(page).click()
    await page.getByText("Also at this time, by no entry").waitFor()
    expect(await page.locator(".sent strong").last().textContent()).toBe("keyword-answer")
    await page.getByRole("button", { name: "Entry before" }).click()
    expect(await page.locator(".sent", { hasText: "keyword-answer" }).count()).toBe(0)
    await close()
  })
})

describe("the playhead", () => {
  // The second has a mistake, so that its lanes end before the part that did not run.
  test.each(["errand.yaml", "stop.yaml"])("stands on each mark that is pressed, in %s", async (path) => {
    const { page, close } = await studio(path)
    await run(page)
    const dots = page.locator(".lane .dot")
    for (let at = 0; at < (await dots.count()); at += 1) {
      await dots.nth(at).dispatchEvent("click")
      const apart = (): Promise<number> =>
        page.evaluate<number>(`(() => {
          const middle = (element) => {
            const { left, right } = element.getBoundingClientRect()
            return (left + right) / 2
          }
          const dot = document.querySelectorAll(".lane .dot")[${at}]
          return Math.abs(middle(document.querySelector(".playhead")) - middle(dot))
        })()`)
      await expect.poll(apart).toBeLessThan(1)
    }
    await close()
  })
})

describe("the event of an entry", () => {
  test("has its times as the site has them", async () => {
    const { page, close } = await studio("moved.yaml")
    await run(page)
    // A run opens at its end, where the window is over; before that it was moved.
    await page.getByRole("button", { name: "Entry before" }).click()
    await page.locator(".happened h3", { hasText: /window.moved/i }).waitFor()
    const event = page.getByLabel("Event", { exact: true })
    await expect.poll(() => event.textContent()).toContain('"startsAtMs": "2026-03-02 12:15:00"')
    expect(await event.textContent()).not.toMatch(/\d{13}/)
    await close()
  })
})

describe("on a phone", () => {
  test("the tab of the course says how a run of the file ended", async () => {
    const { page, close } = await inBrowser.open("&file=many.yaml", { viewport: PHONE })
    const tab = page.locator(".pane-tabs").getByRole("button", { name: "Course" })
    await page.locator(".pane-tabs").getByRole("button", { name: "File" }).click()
    expect(await tab.textContent()).toBe("Course")
    await page.getByRole("button", { name: "Run", exact: true }).click()
    await expect.poll(() => tab.textContent()).toMatch(/^Course\s+failed$/)
    expect(await problemsIn(page)).toEqual([])
    await close()
  })
})

test("on a phone the button that copies is in view, beside the text, and large enough for a finger", async () => {
  const { page, close } = await inBrowser.open("&file=errand.yaml", { viewport: PHONE })
  const pane = (name: string) => page.locator(".pane-tabs").getByRole("button", { name })
  await pane("File").click()
  await page.getByRole("button", { name: "Run", exact: true }).press("Enter")
  await pane("Course").click()
  await page.locator(".happened .code").first().waitFor()
  const [isInView, isCovered, isMet] = await page.evaluate<readonly boolean[]>(`(() => {
    const button = document.querySelector(".happened .code .copy > button")
    button.scrollIntoView({ block: "center" })
    const { left, right, top, bottom } = button.getBoundingClientRect()
    const range = document.createRange()
    range.selectNodeContents(button.closest(".code").querySelector("pre"))
    const isOver = (one) => one.right > left && one.left < right && one.bottom > top && one.top < bottom
    const meets = (x, y) => button.contains(document.elementFromPoint(x, y))
    const [x, y] = [(left + right) / 2, (top + bottom) / 2]
    return [left >= 0 && right <= innerWidth, [...range.getClientRects()].some(isOver), meets(x - 20, y) && meets(x, y + 20)]
  })()`)
  expect([isInView, isCovered, isMet]).toEqual([true, false, true])
  await close()
})

describe("stepping by keyboard", () => {
  test.each([PHONE, { width: 1440, height: 900 }])(
    "keeps the focus, in view, at both ends of the course and over its table, at $width px",
    async (viewport) => {
      const { page, close } = await inBrowser.open("&file=moved.yaml", { viewport })
      const isNarrow = viewport.width === PHONE.width
      const pane = (name: string) => page.locator(".pane-tabs").getByRole("button", { name })
      if (isNarrow) await pane("File").click()
      await page.getByRole("button", { name: "Run", exact: true }).click()
      await expect.poll(() => page.locator(".lanes").count()).toBe(1)
      if (isNarrow) await pane("Course").click()
      const focused = async (): Promise<readonly [name: string | null, isInView: boolean]> => {
        const at = page.locator("*:focus")
        const { y = -1, height = 0 } = (await at.boundingBox()) ?? {}
        const name = (await at.getAttribute("aria-label")) ?? (await at.textContent())
        return [name, y >= 0 && y + height <= viewport.height]
      }
      const count = Number(/of (\d+)/.exec((await page.getByText(/^entry \d+ of/).textContent()) ?? "")?.[1])
      for (const table of [false, true]) {
        if (table) {
          await page.getByRole("button", { name: "Table", exact: true }).focus()
          await page.keyboard.press("Enter")
          expect(await focused()).toEqual(["Lanes", true])
        }
        for (const [name, place] of [
          ["Entry before", 1],
          ["Next entry", count],
        ] as const) {
          await page.getByRole("button", { name }).focus()
          for (let pressed = 0; pressed <= count; pressed += 1) await page.keyboard.press("Enter")
          await page.getByText(`entry ${place} of ${count}`).waitFor()
          expect(await page.getByRole("button", { name }).isDisabled()).toBe(true)
          expect(await focused()).toEqual([name, true])
        }
      }
      expect(await problemsIn(page)).toEqual([])
      await close()
    },
  )
})

test("on a phone the table of a long course leaves the buttons that step in view", async () => {
  const { page, close } = await inBrowser.open("&file=many.yaml", { viewport: PHONE })
  const pane = (name: string) => page.locator(".pane-tabs").getByRole("button", { name })
  await pane("File").click()
  await page.getByRole("button", { name: "Run", exact: true }).click()
  await pane("Course").click()
  await page.getByRole("button", { name: "Table", exact: true }).focus()
  await page.keyboard.press("Enter")
  // The failure is near the end of the table, and its row is in view.
  const row = await page.locator(".course-table tr[aria-current]").boundingBox()
  expect(row?.y).toBeGreaterThan(0)
  await page.getByRole("button", { name: "Entry before" }).focus()
  for (let pressed = 0; pressed < 5; pressed += 1) {
    await page.keyboard.press("Enter")
    const { y = -1 } = (await page.locator("*:focus").boundingBox()) ?? {}
    expect(y).toBeGreaterThanOrEqual(0)
    expect(y).toBeLessThan(PHONE.height)
  }
  await close()
})

describe("a failure", () => {
  test("leads to its line, also from the form, and its note keeps names as they are written", async () => {
    const { page, close } = await studio("many.yaml")
    await run(page)
    await page.getByRole("button", { name: "Form", exact: true }).click()
    await page.getByRole("button", { name: `Line ${FAILING_LINE}` }).click()
    const line = page.locator(".cm-line.cm-activeLine")
    await expect.poll(() => line.textContent()).toContain("status: arrived")
    await expect.poll(() => page.evaluate("document.activeElement.className")).toContain("cm-content")
    const note = page.locator(".line-note")
    expect(await note.textContent()).toContain("a_rather_long_name_of_booking_11 has status confirmed.")
    await close()
  })

  test("of a run of all shows its course when its file is opened", async () => {
    const { page, close } = await studio("quiet.yaml")
    await page.getByRole("button", { name: "Run all" }).click()
    await page.locator(".topbar").getByText("2 failed").waitFor()
    await page.locator(".file", { hasText: "Many at once" }).click()
    await page.getByRole("button", { name: `Line ${FAILING_LINE}` }).waitFor()
    expect(await page.locator(".verdict h2").textContent()).toContain("status arrived")
    await close()
  })
})

describe("a file that is opened while another one runs", () => {
  test("has its course when that run has ended", async () => {
    const { page, close } = await studio("quiet.yaml")
    await page.getByRole("button", { name: "Run all" }).click()
    await page.locator(".topbar").getByText("2 failed").waitFor()
    // The course of the open file, which begins when all have run.
    await page.locator(".lanes").waitFor()
    const held = Promise.withResolvers<void>()
    await page.route(
      "**/api/run",
      async (route) => {
        await held.promise
        await route.continue()
      },
      { times: 1 },
    )
    await page.getByRole("button", { name: "Run", exact: true }).click()
    await page.locator(".file", { hasText: "Many at once" }).click()
    await page.locator(".pane-head", { hasText: "many.yaml" }).waitFor()
    held.resolve()
    await expect
      .poll(() => page.locator(".verdict h2").allTextContents())
      .toEqual([expect.stringContaining("status arrived")])
    await close()
  })
})

describe("the difference", () => {
  test("is to the last run that ran, also after a text that could not be read", async () => {
    const { page, close } = await studio("quiet.yaml")
    await run(page)
    await page.locator(".cm-content").click()
    await page.keyboard.press("Control+Home")
    await page.keyboard.type("{")
    await page.keyboard.press("Control+s")
    await page.getByText("Not run: line 1 is wrong").waitFor()
    await page.locator(".cm-content").click()
    await page.keyboard.press("Control+z")
    await page.keyboard.press("Control+s")
    await page.locator(".lanes").waitFor()
    await expect.poll(() => page.locator(".pane.course").innerText()).toMatch(/Same \d+ entries/)
    await close()
  })
})

describe("the table of the course", () => {
  test("marks the row of the playhead, and moves with it", async () => {
    const { page, close } = await studio("quiet.yaml")
    await run(page)
    await page.getByRole("button", { name: "Table" }).click()
    const current = page.locator(".course-table tr[aria-current]")
    expect(await current.count()).toBe(1)
    const last = await current.textContent()
    await page.locator(".course-table").getByRole("button", { name: "11:30" }).first().click()
    await expect.poll(() => current.textContent()).not.toBe(last)
    expect(await current.textContent()).toContain("11:30")
    await close()
  })
})

describe("long texts", () => {
  test("a refused command keeps its name as it is written in the verdict", async () => {
    const refused =
      "  - { do: reservation.create, as: x, with: { window: [12:00, 12:30] } }\n  - { do: runner.at_unit, for: x }\n"
    writeFileSync(join(opened, "refused.yaml"), `scenario: A refused step\n${HEAD}${refused}`)
    const { page, close } = await studio("refused.yaml")
    await run(page)
    await expect
      .poll(() => page.locator(".verdict").innerText())
      .toMatch(/^runner\.at_unit was refused with INVALID_STATE\./)
    await close()
  })

  test("times of the line that are close together do not cover each other, and what expects nothing says so", async () => {
    const waits = Array.from(
      { length: 40 },
      (_, n) => `  - { do: reservation.create, as: n${n}, with: { window: [12:00, 12:30] } }\n  - wait: 2s\n`,
    )
    writeFileSync(join(opened, "seconds.yaml"), `scenario: Second by second\n${HEAD}${waits.join("")}`)
    const { page, close } = await studio("seconds.yaml")
    await run(page)
    const labels = await page
      .locator(".lane.axis .track span")
      .evaluateAll((spans) =>
        spans.map((span) => span.getBoundingClientRect()).map(({ left, right }) => ({ left, right })),
      )
    expect(labels.length).toBeGreaterThan(5)
    const covered = labels.filter(({ left }, at) => left < (labels[at - 1]?.right ?? -Infinity))
    expect(covered).toEqual([])
    await expect.poll(() => page.locator(".verdict").innerText()).toMatch(/\bnothing expected$/)
    await close()
  })

  test("lanes show which part of a long name they stand for, and wrapped lines keep their indentation", async () => {
    const { page, close } = await studio("quiet.yaml")
    await run(page)
    // In one step, over texts alone: colours of words come when the editor is idle, and the typeface when it is loaded.
    const { name, part, lefts } = await page.evaluate<Measured>(`document.fonts.ready.then(() => {
      const box = (element) => element.getBoundingClientRect()
      const part = [...document.querySelectorAll(".lane-part")].find((one) => one.textContent.includes("runner task"))
      const line = [...document.querySelectorAll(".cm-line")].find((one) => one.textContent.includes("reservation.create"))
      const range = document.createRange()
      range.selectNodeContents(line)
      const rows = [...range.getClientRects()]
      const second = rows.find((one) => one.top > rows[0].top + 10)
      const texts = document.createTreeWalker(line, NodeFilter.SHOW_TEXT)
      let before = line.textContent.indexOf("do:")
      while (texts.nextNode().length <= before) before -= texts.currentNode.length
      range.setStart(texts.currentNode, before)
      range.setEnd(texts.currentNode, before + 1)
      const { right, width } = box(part)
      return { name: box(part.parentElement).right, part: { right, width }, lefts: [box(range).left, second.left] }
    })`)
    expect(part.width).toBeGreaterThan(50)
    expect(part.right).toBeLessThanOrEqual(name)
    expect(lefts[1]).toBeGreaterThanOrEqual(lefts[0] ?? Infinity)
    await close()
  })

  test("a completed key gets its colon, and its values are offered next", async () => {
    const { page, close } = await studio("quiet.yaml")
    await page.locator(".cm-content").click()
    await page.keyboard.press("Control+End")
    await page.keyboard.type("  - expect: { reservation: x, handof")
    // A press of Enter right after the list has opened is meant for the text.
    await page.locator(".cm-tooltip-autocomplete li").getByText("handoff", { exact: true }).click()
    await page.locator(".cm-tooltip-autocomplete li", { hasText: "AT_UNIT" }).waitFor()
    await expect.poll(() => page.locator(".cm-activeLine").textContent()).toContain("handoff: ")
    await close()
  })
})
