/** The studio in a real browser: find, write, mend, save, run, step, compare; by keyboard, on a desk and on a phone. */

import { cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import type { BrowserContextOptions, Page } from "playwright-core"
import { describe, expect, test } from "vitest"
import { ROOT, folder } from "../cli/command-line.ts"
import { curblineHere } from "../cli/same-process.ts"
import { problemsIn, stopClock, tabTo } from "./chromium.ts"
import type { OpenedPage } from "./chromium.ts"
import { PHONE, lookInEachView } from "./look.ts"
import { studioInBrowser } from "./studio-page.ts"

const LINK = "reservations/the-open-link-fails-three-times.yaml"
const NO_SHOW = "reservations/the-bot-never-shows-up.yaml"

const opened = folder()
const file = (path: string): string => join(opened, path)
mkdirSync(file("reservations"))
for (const path of [LINK, NO_SHOW]) cpSync(join(ROOT, "scenarios", path), file(path))
writeFileSync(file("program.scenario.ts"), "export const scenarios = []\n")
const noShow = readFileSync(file(NO_SHOW), "utf8")

const inBrowser = studioInBrowser(opened)

async function studio(path: string, options: BrowserContextOptions = {}): Promise<OpenedPage> {
  const shown = await inBrowser.open(`&file=${encodeURIComponent(path)}`, options)
  await shown.page.locator(`.file[title*="${path}"]`).waitFor({ state: "attached" })
  return shown
}

async function ran(page: Page): Promise<void> {
  await page.getByRole("button", { name: /^(Run|Save and run)$/ }).click()
  await page.locator(".lanes").waitFor()
}

/** Puts the cursor at the end of a line and types. */
async function typeAfter(page: Page, text: string, typed: string): Promise<void> {
  await page.locator(".cm-line", { hasText: text }).first().click()
  // The first press may end at the end of a wrapped line.
  await page.keyboard.press("End")
  await page.keyboard.press("End")
  await page.keyboard.type(typed)
}

describe("the token", () => {
  test("leaves the address, stays for a reload, and is needed", async () => {
    const { page, close } = await studio(LINK)
    expect(page.url()).not.toContain("token")
    await page.reload()
    await page.locator(".cm-content").waitFor()
    await page.evaluate("sessionStorage.clear()")
    await page.reload()
    await page.getByRole("heading", { name: "This address has no token" }).waitFor()
    await close()
  })
})

test("the page has nothing that axe finds in any view, with a course, a mistake and a list", async () => {
  const { page, strayed, complaints, close } = await studio(LINK, { viewport: PHONE })
  const go = async (pane: string): Promise<void> => {
    await page.locator(".pane-tabs").getByRole("button", { name: pane }).click()
  }
  await lookInEachView(page, "studio-list", [PHONE])
  await go("File")
  // By key, because the layout may still move under a pointer while the page loads.
  await page.getByRole("button", { name: "Run", exact: true }).press("Enter")
  await go("Course")
  await page.locator(".lanes").waitFor()
  await lookInEachView(page, "studio-course", [PHONE])
  await page.getByRole("button", { name: "Try seeds 1 to 50" }).click()
  await page.getByText("All 50 passed.").waitFor()
  await lookInEachView(page, "studio-seeds")
  await go("File")
  await typeAfter(page, "attempt_ids: 2", "\n- { expct: 1 }")
  await page.locator(".line-note").first().waitFor()
  await lookInEachView(page, "studio-mistake")
  expect({ strayed, complaints }).toEqual({ strayed: [], complaints: [] })
  await close()
})

test("on a phone, Run stays in view below a long file, and covers no line that is written", async () => {
  const { page, close } = await studio(LINK, { viewport: PHONE })
  await page.locator(".pane-tabs").getByRole("button", { name: "File" }).click()
  const foot = page.locator(".pane.text > .pane-foot")
  const below = async (): Promise<number> => {
    const box = await foot.boundingBox()
    return box === null ? Number.NaN : box.y + box.height
  }
  await expect.poll(below).toBe(PHONE.height)
  await page.locator(".cm-content").focus()
  await page.keyboard.press("Control+End")
  const gap = async (): Promise<number> => {
    const [line, bar] = [await page.locator(".cm-activeLine").boundingBox(), await foot.boundingBox()]
    return line === null || bar === null ? Number.NaN : bar.y - line.y - line.height
  }
  await expect.poll(gap).toBeGreaterThanOrEqual(0)
  await close()
})

describe("the list", () => {
  test("is searched with /, by title, path and tag, and filtered by a tag", async () => {
    const { page, close } = await studio(LINK)
    await page.locator("h1").click()
    await page.keyboard.press("/")
    await page.keyboard.type("never shows")
    const titles = page.locator(".file-title")
    expect(await titles.allTextContents()).toEqual(["The bot never shows up"])
    await page.getByRole("combobox", { name: "Search scenarios" }).fill("")
    expect(await titles.count()).toBe(3)
    await page.getByRole("button", { name: "open-link", exact: true }).click()
    expect(await titles.count()).toBe(1)
    await close()
  })

  test("is gone through by key from the search: Enter opens the marked file, and axe finds nothing", async () => {
    const { page, close } = await studio(LINK)
    const search = page.getByRole("combobox", { name: "Search scenarios" })
    const marked = page.getByRole("option", { selected: true })
    const isActive = async (): Promise<void> =>
      expect(await search.getAttribute("aria-activedescendant")).toBe(await marked.getAttribute("id"))
    await page.keyboard.press("/")
    expect(await marked.count()).toBe(0)
    for (const [key, title] of [
      ["Home", "program"],
      ["ArrowUp", "program"],
      ["ArrowDown", "The bot never shows up"],
      ["End", "The open link fails three times"],
    ] as const) {
      await page.keyboard.press(key)
      expect(await marked.textContent()).toContain(title)
      await isActive()
    }
    await page.keyboard.type("never")
    expect(await marked.textContent()).toContain("The bot never shows up")
    await isActive()
    expect(await problemsIn(page)).toEqual([])
    await page.keyboard.press("Enter")
    await page.locator(".pane-head", { hasText: "the-bot-never-shows-up.yaml" }).waitFor()
    expect(await page.locator('.file[aria-current="true"]').textContent()).toContain("never shows up")
    expect(await page.locator("*:focus").getAttribute("role")).toBe("combobox")
    await page.keyboard.press("Escape")
    expect(await page.getByRole("option").count()).toBe(3)
    await close()
  })

  test("run all gives each its verdict, and leaves programs to their own button", async () => {
    const { page, close } = await studio(LINK)
    await page.locator("h1").click()
    await page.keyboard.press("a")
    await page.getByText("Programs run on their own button alone: 1 left out.").waitFor()
    await page.locator(".topbar").getByText("2 passed").waitFor()
    expect(await page.locator(".file .good").count()).toBe(2)
    await page.locator(".file", { hasText: "program" }).click()
    await page.getByRole("button", { name: "Run this program" }).first().waitFor()
    await close()
  })
})

describe("the file", () => {
  test("a mistake stands under its line, a button mends it, and saving runs it", async () => {
    const { page, close } = await studio(NO_SHOW)
    await typeAfter(page, "do: runner.at_unit", "")
    await page.keyboard.press("Enter")
    await page.keyboard.type("- { at: 11:56, do: bot.reprt, for: lunch, with: { status: INBOUND } }")
    await page.locator(".line-note").filter({ hasText: "Did you mean bot.report?" }).waitFor()
    expect(await page.locator(".step-sign.wrong").count()).toBe(1)
    await page.keyboard.press("Control+.")
    await page.locator(".line-note").waitFor({ state: "detached" })
    await page.locator(".cm-content").click()
    await page.keyboard.press("Control+s")
    await page.locator(".lanes").waitFor()
    await expect
      .poll(() => readFileSync(file(NO_SHOW), "utf8"))
      .toContain("do: bot.report, for: lunch, with: { status: INBO")
    writeFileSync(file(NO_SHOW), noShow)
    await close()
  })

  test("the words of the language are completed where they fit", async () => {
    const { page, close } = await studio(NO_SHOW)
    await typeAfter(page, "do: runner.at_unit", "")
    await page.keyboard.press("Enter")
    await page.keyboard.type("- { do: runner.hol")
    const options = page.locator(".cm-tooltip-autocomplete li")
    await options.first().waitFor()
    expect(await options.allTextContents()).toContain("runner.hold")
    await page.keyboard.press("Escape")
    await page.keyboard.press("End")
    await close()
  })

  test("a file that changed on disk is not overwritten without being asked", async () => {
    const { page, close } = await studio(NO_SHOW)
    await typeAfter(page, "because:", " Quite.")
    const other = noShow.replace("seed: 42", "seed: 43")
    writeFileSync(file(NO_SHOW), other)
    await page.keyboard.press("Control+s")
    await page.getByText("changed on disk since it was read, and nothing was written").waitFor()
    expect(readFileSync(file(NO_SHOW), "utf8")).toBe(other)
    await page.getByRole("button", { name: "Load it again" }).click()
    await page.locator(".cm-line", { hasText: "seed: 43" }).waitFor()
    writeFileSync(file(NO_SHOW), noShow)
    await close()
  })
})

describe("the form of a file", () => {
  test("changes a value, adds and removes a step, and leaves the rest of the text alone", async () => {
    const { page, complaints, close } = await studio(NO_SHOW)
    await page.getByRole("button", { name: "Form", exact: true }).click()
    const task = page.getByRole("group", { name: /The runner of lunch is at the bot line 20/ })
    await task.getByLabel("at", { exact: true }).fill("11:54")
    await task.getByLabel("at", { exact: true }).press("Enter")
    await page.getByText("not saved").first().waitFor()
    const steps = page.locator("[data-step]")
    expect(await steps.count()).toBe(11)
    expect(await problemsIn(page)).toEqual([])
    const another = page.getByRole("region", { name: "Another step, at the end" })
    await another.getByLabel("Which").selectOption("reservation.read")
    await another.getByRole("button", { name: "Add", exact: true }).click()
    await steps.nth(11).waitFor()
    await page.getByRole("button", { name: /^Remove: the partner reads/ }).click()
    await steps.nth(11).waitFor({ state: "detached" })
    const status = page.getByRole("group", { name: /status canceled/ }).getByLabel("canceled by")
    expect(await status.locator("option").allTextContents()).toContain("partner")
    await page.keyboard.press("Control+s")
    await page.locator(".lanes").waitFor()
    expect(readFileSync(file(NO_SHOW), "utf8")).toBe(noShow.replace("at: 11:55", "at: 11:54"))
    await page.locator(".form-step.is-bad, .form-step .bad").first().waitFor()
    await page.getByRole("button", { name: "YAML", exact: true }).click()
    await page.locator(".cm-line", { hasText: "at: 11:54" }).waitFor()
    expect(complaints).toEqual([])
    writeFileSync(file(NO_SHOW), noShow)
    await close()
  })
})

describe("a new scenario", () => {
  test("is written from a form in plain words, and passes at its first run", async () => {
    const { page, complaints, close } = await studio(LINK)
    await page.getByRole("button", { name: "New scenario" }).click()
    const dialog = page.getByRole("dialog")
    await dialog.getByRole("button", { name: /^Bot no-show/ }).waitFor()
    expect(await problemsIn(page)).toEqual([])
    await dialog.getByRole("button", { name: /^Bot no-show/ }).click()
    await dialog.getByLabel("The runner waits for the bot (minutes)").fill("60")
    await dialog.getByText("The reservation ends at 12:45; write at most 39.").waitFor()
    expect(await dialog.getByRole("button", { name: "Write and run" }).isDisabled()).toBe(true)
    await dialog.getByLabel("The runner waits for the bot (minutes)").fill("12")
    await dialog.getByText("at 12:17 the exception bot_no_show is published for lunch").waitFor()
    await dialog.getByLabel("What happens, in a sentence").fill("No bot today")
    await dialog.getByText("reservations/no-bot-today.yaml").waitFor()
    expect(await problemsIn(page)).toEqual([])
    await dialog.getByRole("button", { name: "Write and run" }).click()
    await page.locator(".verdict h2", { hasText: /^All 5 expectations held/ }).waitFor()
    const text = readFileSync(file("reservations/no-bot-today.yaml"), "utf8")
    expect(text).toContain("policy: { bot_wait: 12m }")
    await page.locator('.file[aria-current="true"]', { hasText: "No bot today" }).waitFor()

    await page.getByRole("button", { name: "New scenario" }).click()
    await dialog.getByRole("button", { name: /^Hold expires A/ }).click()
    await dialog.getByLabel("What happens, in a sentence").fill("No bot today")
    await dialog.getByRole("button", { name: "Write and run" }).click()
    await dialog.getByText("exists already, and nothing was written").waitFor()
    expect(readFileSync(file("reservations/no-bot-today.yaml"), "utf8")).toBe(text)
    expect(complaints.filter((one) => !one.includes("409"))).toEqual([])
    rmSync(file("reservations/no-bot-today.yaml"))
    await close()
  })
})

describe("a case of a record", () => {
  test("is chosen from what happened, kept with why, and passes at its first run", async () => {
    const record = join(folder(), "run.ndjson")
    expect((await curblineHere("run", join(ROOT, "scenarios", LINK), "--record", record)).status).toBe(0)
    const { page, complaints, close } = await studio(LINK)
    await page.getByRole("button", { name: "New scenario" }).click()
    const dialog = page.getByRole("dialog")
    await dialog.getByLabel(/choose a record/).setInputFiles(record)
    const one = dialog.getByRole("button", { name: /^Reservation …\w{4} 2026-03-02 .*, \S/ })
    await one.waitFor()
    expect(await problemsIn(page)).toEqual([])
    await one.click()
    await dialog.getByLabel("Why it is kept").fill("The link failed three times")
    await dialog.getByText("reservations/the-link-failed-three-times.yaml").waitFor()
    expect(await problemsIn(page)).toEqual([])
    await dialog.getByRole("button", { name: "Write and run" }).click()
    await page.locator(".verdict h2", { hasText: /^All \d+ expectations held/ }).waitFor()
    const path = file("reservations/the-link-failed-three-times.yaml")
    expect(readFileSync(path, "utf8")).toContain("because: The link failed three times\n")

    await page.getByRole("button", { name: "New scenario" }).click()
    await dialog.getByLabel(/choose a record/).setInputFiles(path)
    await dialog.getByText(/the-link-failed-three-times.yaml:\d+: /).waitFor()
    expect(complaints.filter((said) => !said.includes("422"))).toEqual([])
    rmSync(path)
    await close()
  })
})

describe("the course", () => {
  test("a failed expectation stands at its line and on the line of time, with the way to its moment", async () => {
    const { page, close } = await studio(LINK)
    const text = readFileSync(file(LINK), "utf8")
    writeFileSync(file(LINK), text.replace("within: 1m", "within: 20s"))
    await page.reload()
    await page.locator(".cm-content").waitFor()
    await ran(page)
    await page
      .getByRole("heading", {
        name: /^Came 5s 50ms too late, at 11:58:25\.050\. Expected: the exception access_failed of lunch is published/,
      })
      .waitFor()
    expect(await page.locator(".allowance.bad").count()).toBe(1)
    expect(await page.locator(".allowed-words.bad").allTextContents()).toEqual(["within 20s"])
    await page.getByRole("button", { name: "Next entry" }).click()
    await page.getByRole("button", { name: "Go there" }).click()
    await expect.poll(() => page.locator(".course-tools strong").textContent()).toBe("11:58:20")
    await expect.poll(() => page.locator(".machine h3").textContent()).toContain("open link 1")
    await expect.poll(() => page.locator(".picture .is-active").count()).toBeGreaterThan(0)
    await expect
      .poll(() => page.locator(".machine .waiting").textContent())
      .toMatch(/^(for \S+|since this entry).*; allows: \S/)

    const href = await page.getByRole("link", { name: "Inspector" }).getAttribute("href")
    const inspector = await inBrowser.openPath(href ?? "")
    await inspector.page.locator('#log [aria-selected="true"]').waitFor()
    expect(inspector.complaints).toEqual([])
    await inspector.close()

    const request = page.locator(".sent .request").first()
    for (let steps = 0; steps < 10 && (await request.count()) === 0; steps += 1)
      await page.getByRole("button", { name: "Entry before" }).click()
    expect(await request.textContent()).toMatch(/^POST [\w.-]+X-Service-(Attempt|Delivery)-Id: \S+$/)

    await typeAfter(page, "within: 20s", "")
    for (let press = 0; press < 5; press += 1) await page.keyboard.press("Backspace")
    await page.keyboard.type("1m }")
    await page.keyboard.press("Control+s")
    await page
      .getByText(/^Since the run before: line \d+ alone, `within` was 20s\. Same \d+ entries\.$/)
      .waitFor()
    await page.locator(".verdict h2", { hasText: /^All \d+ expectations held/ }).waitFor()
    writeFileSync(file(LINK), text)
    await close()
  })

  test("a changed step shows which entries differ from the run before", async () => {
    const { page, close } = await studio(NO_SHOW)
    await ran(page)
    await page.locator(".cm-line", { hasText: "at: 11:55" }).first().click()
    await page.keyboard.press("Home")
    for (let press = 0; press < 12; press += 1) await page.keyboard.press("ArrowRight")
    await page.keyboard.press("Delete")
    await page.keyboard.type("4")
    await page.keyboard.press("Control+s")
    await page
      .getByText(
        /^Since the run before: line \d+ alone, `at` was 11:55\. \d+ entr(y differs|ies differ), \d+ are the same\./,
      )
      .waitFor()
    await page.getByRole("button", { name: "Show both" }).click()
    const table = page.getByRole("dialog").getByRole("row")
    expect(await table.nth(1).textContent()).toMatch(/11:55 .*11:54 .*another time/)
    writeFileSync(file(NO_SHOW), noShow)
    await close()
  })

  test("other seeds are tried, and each opens its own course", async () => {
    const { page, close } = await studio(NO_SHOW)
    await ran(page)
    await page.getByText("This run has seed 42.").waitFor()
    await page.getByRole("button", { name: "Try seeds 1 to 50" }).click()
    await page.getByText("All 50 passed.").waitFor()
    expect(await page.locator(".seed-square").count()).toBe(50)
    await page.getByRole("button", { name: /^Seed 7: / }).click()
    await page.locator('.seed-square[aria-current="true"][aria-label^="Seed 7: "]').waitFor()
    await page.locator(".lanes").waitFor()
    await close()
  })

  test("what could not run is grey and says why", async () => {
    const { page, close } = await studio(NO_SHOW)
    writeFileSync(file(NO_SHOW), noShow.replace("exception: bot_no_show", "exception: bot_no_shw"))
    await page.reload()
    await page.locator(".line-note").first().waitFor()
    await ran(page)
    expect(await page.locator(".not-run").textContent()).toBe("not run: line 21 is wrong")
    expect(await page.locator(".lane", { hasText: "runner task" }).locator(".stay").count()).toBe(6)
    writeFileSync(file(NO_SHOW), noShow)
    await close()
  })

  test("plays to the end by the clock of the run, pauses, and begins again, by keyboard", async () => {
    const { page, close } = await studio(NO_SHOW)
    await tabTo(page, "Run")
    await page.keyboard.press("Enter")
    await page.locator(".lanes").waitFor()
    await stopClock(page)
    const at = async (): Promise<string> =>
      /entry \d+ of 20/.exec((await page.locator(".course-tools").textContent()) ?? "")?.[0] ?? ""
    const playhead = (): Promise<number> =>
      page.evaluate<number>("document.querySelector('.playhead').offsetLeft")
    expect(await at()).toBe("entry 20 of 20")
    const end = await playhead()

    // At the end it begins at the first entry.
    await tabTo(page, "Play")
    await page.keyboard.press("Enter")
    await page.getByRole("button", { name: "Pause" }).waitFor()
    expect(await at()).toBe("entry 1 of 20")
    expect(await playhead()).toBeLessThan(end)
    await page.clock.runFor(100)
    await expect.poll(at).not.toBe("entry 1 of 20")

    await page.keyboard.press("Enter")
    await page.getByRole("button", { name: "Play" }).waitFor()
    const paused = await at()
    await page.clock.runFor(5_000)
    expect(await at()).toBe(paused)

    // A step by hand ends the playing, too.
    await page.keyboard.press("Enter")
    await page.getByRole("button", { name: "Pause" }).waitFor()
    await tabTo(page, "Next entry")
    await page.keyboard.press("Enter")
    await page.getByRole("button", { name: "Play" }).waitFor()
    const stepped = await at()
    expect(stepped).not.toBe(paused)
    await page.clock.runFor(5_000)
    expect(await at()).toBe(stepped)

    // A quiet hour is passed over.
    await page.getByRole("group", { name: "Speed" }).getByRole("button", { name: "×3600" }).press("Enter")
    await page.getByRole("button", { name: "Play" }).press("Enter")
    await page.clock.runFor(2_000 * 20)
    await page.getByRole("button", { name: "Play" }).waitFor()
    await expect.poll(at).toBe("entry 20 of 20")
    await close()
  })

  test("a person without a mouse runs a scenario, steps through it, and reads it as a table", async () => {
    const { page, close } = await studio(NO_SHOW)
    await tabTo(page, "Run")
    await page.keyboard.press("Enter")
    await page.locator(".lanes").waitFor()
    await tabTo(page, "Entry before")
    await page.keyboard.press("Enter")
    expect(await page.locator(".course-tools").textContent()).toContain("entry 19 of 20")
    await tabTo(page, "Table")
    await page.keyboard.press("Enter")
    const rows = page.getByRole("region", { name: "Course of the run as a table" }).getByRole("row")
    expect(await rows.nth(1).textContent()).toContain("the partner books lunch for 11:45 to 12:15")
    await close()
  })
})

const FOCUSED = `(() => {
  const { activeElement: found } = document
  return found === null || found === document.body ? "nothing" : (found.getAttribute("aria-label") ?? found.textContent)
})()`

describe("a dialog", () => {
  const menu = async (page: Page, name: string): Promise<void> => {
    await page.getByRole("button", { name: "This file" }).press("Enter")
    await page.getByRole("menuitem", { name }).press("Enter")
  }
  const openers = [
    ["New scenario", (page: Page) => page.getByRole("button", { name: "New scenario" }).press("Enter")],
    ["This file", (page: Page) => menu(page, "Make a copy")],
    ["This file", (page: Page) => menu(page, "Rename the file")],
    ["This file", (page: Page) => menu(page, "Delete the file")],
  ] as const
  const closers = [
    (page: Page) => page.keyboard.press("Escape"),
    (page: Page) => page.mouse.click(4, 4),
    (page: Page) => page.getByRole("dialog").getByRole("button", { name: "Cancel" }).press("Enter"),
  ] as const

  test("closes by Escape, beside it and by its button, and what opened it has the focus", async () => {
    const { page, close } = await studio(LINK)
    await page.locator(".cm-content").waitFor()
    const dialog = page.getByRole("dialog")
    for (const [opener, open] of openers)
      for (const shut of closers) {
        await open(page)
        await dialog.waitFor()
        await shut(page)
        await dialog.waitFor({ state: "detached" })
        await expect.poll(() => page.evaluate(FOCUSED)).toBe(opener)
      }
    // Its second step has the same three ways.
    for (const shut of closers) {
      await page.getByRole("button", { name: "New scenario" }).press("Enter")
      await dialog.getByRole("button", { name: /^Bot no-show/ }).press("Enter")
      await dialog.getByRole("button", { name: "Back" }).waitFor()
      await expect.poll(() => page.evaluate(FOCUSED)).not.toBe("nothing")
      await shut(page)
      await dialog.waitFor({ state: "detached" })
      await expect.poll(() => page.evaluate(FOCUSED)).toBe("New scenario")
    }
    await close()
  })
})

test("on a phone the focus goes to the file that was opened from the search", async () => {
  const { page, close } = await studio(LINK, { viewport: PHONE })
  await page.keyboard.press("/")
  await page.keyboard.type("never")
  await page.keyboard.press("Enter")
  await expect.poll(() => page.evaluate(FOCUSED)).toBe("the-bot-never-shows-up.yaml")
  await close()
})

test("lines stand for what loads, in each pane, and go when it cannot be read", async () => {
  const { page, close } = await studio(LINK)
  const held = Promise.withResolvers<void>()
  await page.route(/\/api\/(scenarios|fleets)$/, async (route) => {
    await held.promise
    await route.fulfill({ status: 500, json: { message: "the folder cannot be read" } })
  })
  await page.reload()
  const loading = page.getByRole("status", { name: "Loading" })
  await expect.poll(() => loading.count()).toBe(3)
  expect(await page.getByText("No file is open").count()).toBe(0)
  await page.getByRole("button", { name: "Fleets" }).click()
  await expect.poll(() => page.locator(".pane.list").getByRole("status", { name: "Loading" }).count()).toBe(1)
  expect(await page.getByText("No fleet model yet").count()).toBe(0)
  held.resolve()
  await page.getByText("the folder cannot be read").first().waitFor()
  await expect.poll(() => loading.count()).toBe(0)
  await page.getByRole("button", { name: "Scenarios" }).click()
  await expect.poll(() => loading.count()).toBe(0)
  await close()
})
