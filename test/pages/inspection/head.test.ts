/** The inspector's head, the strip's signs of failures, and the page in one column. */

import type { Browser, Page } from "playwright-core"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { hasFailed } from "../../../src/pages/inspection/attempts.ts"
import { machineKind, kindWords } from "../../../src/pages/inspection/kinds.ts"
import { NONE, at } from "../../../src/pages/inspection/run-index.ts"
import { runScenario } from "../../../src/simulation/scenario/run.ts"
import { problemsIn, startChromium, tabTo } from "../../browser/chromium.ts"
import { pageOf, show } from "./browser.ts"
import { recorded, scenarioNamed } from "./records.ts"

const record = recorded(runScenario(await scenarioNamed("reservations/the-open-link-fails-three-times")))
const { index } = record.run
const failed = [...index.s.keys()].filter((row) => hasFailed(index, row))
const exhausted = index.published.find(([, , word]) => index.words[word]?.endsWith(".exception"))?.[0] ?? 0

let browser: Browser
beforeAll(async () => {
  browser = await startChromium()
})
afterAll(async () => {
  await browser.close()
})

/** The reservation's own webhook endpoint and deliveries are other groups. */
const task = index.actors.find(({ address }) => address.endsWith("/runner-task"))?.address ?? ""
const hashAt = (row: number, more = ""): string =>
  `#actor=${encodeURIComponent(task)}&at=${at(index.s, row)}${more}`

async function flags(page: Page): Promise<readonly (string | null)[]> {
  return page.locator("#subject [data-flag]").allTextContents()
}

describe("the head", () => {
  test("has the flags of the moment as words with a sign, and who asked", async () => {
    const { page, wrongs } = await show(browser, await pageOf([record.text]), { hash: hashAt(exhausted) })
    await page.locator("#subject [data-flag='access_failed'] svg").waitFor()
    expect((await flags(page)).map((text) => text?.trim())).toEqual(["access_failed"])
    expect(await problemsIn(page)).toEqual([])
    await page.keyboard.press("ArrowLeft")
    await page.locator("#subject [data-flag]").waitFor({ state: "detached" })
    // The chain of the task's last step leads to the runner at the bot.
    const asked = page.locator("#asked-by")
    expect(await asked.locator("strong").textContent()).toMatch(/^runner's phone/)
    expect(await asked.textContent()).toMatch(/request [0-9a-f]{8}…[0-9a-f]{4}/)
    await asked.getByRole("button", { name: "runner.at_unit" }).click()
    expect(await page.locator("#why .is-now .col-what").textContent()).toBe("runner.at_unit")
    expect(wrongs).toEqual([])
  })

  test("says of a group without an exception which call failed last, until one succeeds", async () => {
    const { run, text } = recorded(
      runScenario(await scenarioNamed("reservations/the-receiver-is-down-for-an-hour")),
    )
    const tries = [...run.index.s.keys()].filter((row) => hasFailed(run.index, row))
    const delivery = at(run.index.group, tries[0] ?? NONE)
    const own = tries.filter((row) => at(run.index.group, row) === delivery)
    const actor = run.index.groups[delivery] ?? ""
    const html = await pageOf([text])
    const headlineAt = async (s: number | undefined): Promise<string | null> => {
      const { page } = await show(browser, html, { hash: `#actor=${encodeURIComponent(actor)}&at=${s}` })
      return page.locator("#headline").textContent()
    }
    expect(await headlineAt(at(run.index.s, own[1] ?? NONE))).toBe(
      "The webhook delivery is waiting: webhook, attempt 2 failed (connection failed).",
    )
    expect(await headlineAt(run.index.s.at(-1))).toBe("The webhook delivery is delivered.")
  })

  test("says from which folder the scenario is, and compares two moments by its button", async () => {
    const { page, wrongs } = await show(browser, await pageOf([record.text]), { hash: hashAt(3) })
    const crumbs = await page.locator("#breadcrumbs li").allTextContents()
    expect(crumbs.slice(0, 2)).toEqual(["Scenarios", "reservations"])
    expect(crumbs[2]).toContain("The open link fails three times")
    const compare = page.locator("#toolbar").getByRole("button", { name: "Compare", exact: true })
    await compare.click()
    await page.getByRole("button", { name: `A: #${at(index.s, 3)}` }).waitFor()
    await page.keyboard.press("End")
    await tabTo(page, "Compare")
    await page.keyboard.press("Enter")
    await page.getByText(/^States that differ: \d+/).waitFor()
    expect(await page.evaluate("document.activeElement.id")).toBe("compare")
    expect(wrongs).toEqual([])
  })

  test("stays on one line on a desk, also with a long name", async () => {
    const long = record.text.replaceAll(
      "The open link fails three times",
      "The open link fails very often ".repeat(9),
    )
    const { page } = await show(browser, await pageOf([long]))
    const box = await page.locator("#toolbar .top").boundingBox()
    expect(box?.height).toBeLessThan(60)
    expect(await page.evaluate("document.documentElement.scrollWidth <= innerWidth")).toBe(true)
    const crumbs = await page.locator("#breadcrumbs li").all()
    const boxes = await Promise.all(crumbs.map((crumb) => crumb.boundingBox()))
    for (const [place, next] of boxes.slice(1).entries()) {
      const before = boxes[place]
      expect(next?.x ?? 0).toBeGreaterThanOrEqual((before?.x ?? 0) + (before?.width ?? 0))
    }
    const cut = await page.evaluate<number>(
      "[...document.querySelectorAll('#breadcrumbs li:not(:last-child)')].filter((one) => one.scrollWidth > one.clientWidth + 1).length",
    )
    expect(cut).toBe(0)
  })
})

describe("the strip", () => {
  test("has a cross for each failed call and refusal, in the lane of its kind", async () => {
    const { page } = await show(browser, await pageOf([record.text]), { hash: "#scale=rank" })
    await page.locator("#strip .failures").first().waitFor()
    const drawn = await page
      .locator("#strip .failures")
      .evaluateAll((texts) => texts.map((text) => `${text.getAttribute("data-lane")} ${text.textContent}`))
    const lanes = Map.groupBy(failed, (row) => machineKind(index.actors[at(index.to, row)] as never))
    expect(drawn.toSorted()).toEqual(
      [...lanes].map(([kind, rows]) => `${kind} ${"✕".repeat(rows.length)}`).toSorted(),
    )
    // Each sign is at the height of its lane's name.
    for (const [kind] of lanes) {
      const name = await page
        .locator(".strip-lanes li", { hasText: kindWords(kind) })
        .first()
        .boundingBox()
      const signs = await page.locator(`#strip .failures[data-lane="${kind}"]`).boundingBox()
      if (name === null || signs === null) throw new Error(`no lane ${kind}`)
      expect(Math.abs(name.y + name.height / 2 - signs.y - signs.height / 2)).toBeLessThan(4)
    }
  })
})

describe("on a phone", () => {
  test.each(["light", "dark"] as const)(
    "the first screen reaches from the head to the tabs, in %s",
    async (colors) => {
      const { page, wrongs } = await show(browser, await pageOf([record.text]), {
        colors,
        width: 390,
        height: 844,
        hash: hashAt(exhausted),
      })
      await page.locator("#tabs").waitFor()
      const endOf = async (part: string): Promise<number> => {
        const box = await page.locator(part).boundingBox()
        return box === null ? Infinity : Math.ceil(box.y + box.height)
      }
      expect(await endOf("#toolbar")).toBeLessThanOrEqual(140)
      expect(await endOf("#subject")).toBeLessThanOrEqual(530)
      expect(await endOf("#tabs")).toBeLessThanOrEqual(844)
      // No text is cut, and nothing is wider than the screen.
      const cut = await page.evaluate<readonly string[]>(
        `[...document.querySelectorAll("#toolbar *, #subject *")]
        .filter((one) => !one.matches(".title") && one.scrollWidth > one.clientWidth + 1 && getComputedStyle(one).overflowX !== "visible")
        .map((one) => one.textContent)`,
      )
      expect(cut).toEqual([])
      expect(
        await page.evaluate<number>("document.documentElement.scrollWidth - innerWidth"),
      ).toBeLessThanOrEqual(0)
      // What the head does not show is behind one button.
      const more = page.getByRole("button", { name: "More", exact: true })
      const rest = ["Open a record", "Compare", "Fork from here", "Keep as a scenario", "Keys"]
      for (const name of rest) expect(await page.getByRole("button", { name, exact: true }).count()).toBe(0)
      await more.click()
      expect(await more.getAttribute("aria-expanded")).toBe("true")
      for (const name of rest)
        expect(await page.getByRole("button", { name, exact: true }).isVisible()).toBe(true)
      expect(await problemsIn(page)).toEqual([])
      await page.getByRole("button", { name: "Fork from here" }).click()
      expect(await problemsIn(page)).toEqual([])
      expect(
        await page.evaluate<number>("document.documentElement.scrollWidth - innerWidth"),
      ).toBeLessThanOrEqual(0)
      expect(wrongs).toEqual([])
      await page.context().close()
    },
  )
})

describe("in one column", () => {
  test("one part is shown at a time, and the causes stand under the chosen row", async () => {
    const { page, wrongs } = await show(browser, await pageOf([record.text]), {
      width: 390,
      height: 844,
      hash: hashAt(exhausted),
    })
    const parts = { Log: "#log", Outline: "#chart .outline", Calls: "#calls" }
    for (const [tab, part] of Object.entries(parts)) {
      await page.locator("#tabs").getByRole("button", { name: tab }).click()
      await page.locator(part).first().waitFor()
      for (const other of Object.values(parts).filter((one) => one !== part))
        expect([tab, other, await page.locator(other).first().isVisible()]).toEqual([tab, other, false])
    }
    await page.waitForURL((url) => url.hash.includes("tab=calls"))
    await page.reload()
    await page.locator("#calls").waitFor()
    await page.locator("#tabs").getByRole("button", { name: "Log" }).click()
    const because = page.locator("#because")
    // The log makes room for the panel once it knows its height.
    const below = async (): Promise<void> => {
      await expect
        .poll(async () => {
          const [row, panel, next] = await Promise.all([
            page.locator('#log [aria-selected="true"]').boundingBox(),
            because.boundingBox(),
            page.locator('#log [aria-selected="true"] + [role=option]').boundingBox(),
          ])
          if (row === null || panel === null || next === null) return "a part is not shown"
          return panel.y >= row.y + row.height - 1 && next.y >= panel.y + panel.height - 1
        })
        .toBe(true)
    }
    await because.getByText("asked by").waitFor()
    await below()
    const causes = await because.locator(".cause").allTextContents()
    expect(causes.at(-1)).toContain("runner.at_unit")
    // A cause leads to its own row, under which its own causes stand.
    await because.locator(".cause").last().click()
    await page.locator('#log [aria-selected="true"]', { hasText: "runner.at_unit" }).waitFor()
    await because.getByText("A command from outside began it.").waitFor()
    await below()
    await page.locator("#log [role=listbox]").focus()
    await page.keyboard.press("ArrowDown")
    await page
      .locator('#log [aria-selected="true"]', { hasText: "runner.at_unit" })
      .waitFor({ state: "detached" })
    expect(await problemsIn(page)).toEqual([])
    expect(wrongs).toEqual([])
    // On a desk the causes have a column.
    await page.setViewportSize({ width: 1440, height: 900 })
    await because.waitFor({ state: "detached" })
    expect(await page.locator("#why").isVisible()).toBe(true)
  })
})

describe("texts have the room that is there", () => {
  test("labels of the sequence stay inside of it, and the second line of an entry reaches below its time", async () => {
    const { page, wrongs } = await show(browser, await pageOf([record.text]), {
      hash: hashAt(failed[0] ?? 0),
    })
    const outside = await page.evaluate<readonly string[]>(`(() => {
      const width = document.querySelector("#sequence svg:not(.lane-names)").getBoundingClientRect()
      return [...document.querySelectorAll("#sequence .arrow text:not(.wait)")]
        .filter((text) => text.getBoundingClientRect().right > width.right + 1 || text.getBoundingClientRect().left < width.left - 1)
        .map((text) => text.textContent)
    })()`)
    expect(outside).toEqual([])
    expect(
      await page.locator("#sequence .arrow text").filter({ hasText: "timer after pause" }).count(),
    ).toBeGreaterThan(0)
    await page.getByRole("button", { name: "Linear" }).click()
    for (let press = 0; press < 4; press += 1) await page.getByRole("button", { name: "Zoom in" }).click()
    const clipped = await page.evaluate<readonly string[]>(`(() => {
      const strip = document.querySelector(".strip-labels").getBoundingClientRect()
      return [...document.querySelectorAll(".strip-labels span")]
        .filter((label) => label.getBoundingClientRect().left < strip.left - 1 || label.getBoundingClientRect().right > strip.right + 1)
        .map((label) => label.textContent)
    })()`)
    expect(clipped).toEqual([])
    const rights = await page.evaluate<readonly number[]>(`(() => {
      const row = document.querySelector("#log [aria-selected='true']")
      return [".col-t", ".detail"].map((name) => row.querySelector(name).getBoundingClientRect().right)
    })()`)
    expect(Math.round(rights[1] ?? 0)).toBe(Math.round(rights[0] ?? -1))
    expect(wrongs).toEqual([])
  })
})
