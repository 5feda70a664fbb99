/** The studio's files in a real browser: copied, renamed and deleted there, and changed by other programs meanwhile. */

import { cpSync, existsSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import type { Page } from "playwright-core"
import { describe, expect, test } from "vitest"
import { ROOT, folder } from "../cli/command-line.ts"
import type { OpenedPage } from "./chromium.ts"
import { PHONE, lookInEachView } from "./look.ts"
import { studioInBrowser } from "./studio-page.ts"

const opened = folder()
const file = (path: string): string => join(opened, path)
const NO_SHOW = readFileSync(join(ROOT, "scenarios/reservations/the-bot-never-shows-up.yaml"), "utf8")

const inBrowser = studioInBrowser(opened)

/** The page with a file of its own open. */
async function studio(path: string, options = {}): Promise<OpenedPage> {
  writeFileSync(file(path), NO_SHOW)
  const shown = await inBrowser.open(`&file=${path}`, options)
  await shown.page.locator(".pane-head", { hasText: path }).waitFor({ state: "attached" })
  return shown
}

async function choose(page: Page, name: string): Promise<void> {
  await page.getByRole("button", { name: "This file" }).click()
  await page.getByRole("menuitem", { name }).click()
}

const titlesOf = (page: Page): Promise<readonly string[]> => page.locator(".file-title").allTextContents()

test("what is typed into a file does not go through the list again", async () => {
  writeFileSync(file("listed.yaml"), NO_SHOW.replace("scenario: The bot", "scenario: Quetzal, and the bot"))
  const { page, close } = await studio("typed.yaml")
  await page.locator(".file-title", { hasText: "Quetzal" }).waitFor()
  await page.locator(".cm-content").click()
  await page.keyboard.press("Control+End")
  // The first key makes the file one that is not saved, which the list shows.
  await page.keyboard.type("#")
  await page.getByText("· not saved").waitFor()
  await page.evaluate(`globalThis.searched = 0
    const lower = String.prototype.toLowerCase
    String.prototype.toLowerCase = function () {
      if (this.startsWith("Quetzal")) searched += 1
      return lower.call(this)
    }`)
  await page.keyboard.type(" a remark")
  await page.locator(".cm-content", { hasText: "# a remark" }).waitFor()
  expect(await page.evaluate("searched")).toBe(0)
  await page.getByLabel("Search scenarios").fill("quetzal")
  await expect.poll(() => titlesOf(page)).toEqual([expect.stringContaining("Quetzal")])
  expect(await page.evaluate("searched")).toBeGreaterThan(0)
  await close()
})

describe("a file as a whole", () => {
  test("is copied under another title, and the copy runs", async () => {
    const { page, close } = await studio("copied.yaml")
    await choose(page, "Make a copy")
    await page.getByLabel("What happens, in a sentence").fill("The bot is late: very late")
    await page.getByRole("button", { name: "Copy and run" }).click()
    await page.locator(".lanes").waitFor()
    await page.locator(".pane-head", { hasText: "the-bot-is-late-very-late.yaml" }).waitFor()
    const written = readFileSync(file("the-bot-is-late-very-late.yaml"), "utf8")
    expect(written).toBe(
      NO_SHOW.replace("scenario: The bot never shows up", 'scenario: "The bot is late: very late"'),
    )
    await expect.poll(() => titlesOf(page)).toContain("The bot is late: very late")
    await close()
  })

  test("gets another name, unless it is taken or what is typed is not saved", async () => {
    const { page, close } = await studio("named.yaml")
    writeFileSync(file("taken.yaml"), NO_SHOW)
    await choose(page, "Rename the file")
    const name = page.getByLabel("Name of the file")
    await name.fill("taken")
    await page.getByRole("button", { name: "Rename", exact: true }).click()
    await page.getByRole("alert").filter({ hasText: "taken.yaml exists already" }).waitFor()
    await name.fill("other-name")
    await name.press("Enter")
    await page.locator(".pane-head", { hasText: "other-name.yaml" }).waitFor()
    expect([existsSync(file("named.yaml")), readFileSync(file("other-name.yaml"), "utf8")]).toEqual([
      false,
      NO_SHOW,
    ])
    expect(page.url()).toContain("file=other-name.yaml")
    await page.locator(".cm-content").click()
    await page.keyboard.press("Control+End")
    await page.keyboard.type("# more")
    await choose(page, "Rename the file")
    await page.getByText("Save the file first").waitFor()
    expect(await page.getByRole("button", { name: "Rename", exact: true }).isDisabled()).toBe(true)
    await close()
  })

  test("is deleted after a question, which Esc answers with no", async () => {
    const { page, close } = await studio("deleted.yaml")
    await choose(page, "Delete the file")
    await page.getByText("is deleted from the folder. The studio keeps no copy.").waitFor()
    await page.keyboard.press("Escape")
    expect(existsSync(file("deleted.yaml"))).toBe(true)
    await choose(page, "Delete the file")
    await page.locator("dialog").getByRole("button", { name: "Delete the file" }).click()
    await page.getByText("No file is open").waitFor()
    expect(existsSync(file("deleted.yaml"))).toBe(false)
    await expect.poll(() => page.locator('.file[title="deleted.yaml"]').count()).toBe(0)
    await close()
  })

  test("asks without anything that axe finds in any view", async () => {
    const { page, complaints, close } = await studio("looked-at.yaml", { viewport: PHONE })
    await page.getByRole("button", { name: "File", exact: true }).click()
    for (const name of ["Make a copy", "Rename the file", "Delete the file"]) {
      await choose(page, name)
      await page.getByRole("heading", { name }).waitFor()
      await lookInEachView(page, name.replaceAll(" ", "-"))
      await page.keyboard.press("Escape")
    }
    expect(complaints).toEqual([])
    await close()
  })
})

describe("another program", () => {
  test("adds, changes and deletes files, and the list shows it", async () => {
    const { page, close } = await studio("stays.yaml")
    cpSync(file("stays.yaml"), file("added.yaml"))
    writeFileSync(file("added.yaml"), NO_SHOW.replace("The bot never shows up", "Written elsewhere"))
    await page.locator(".file", { hasText: "Written elsewhere" }).waitFor()
    rmSync(file("added.yaml"))
    await expect.poll(() => titlesOf(page)).not.toContain("Written elsewhere")
    await close()
  })

  test("changes the open file: its new text is shown, and runs again when it had run", async () => {
    const { page, close } = await studio("open.yaml")
    await page.getByRole("button", { name: "Run", exact: true }).click()
    await page
      .getByText(/expectations held/)
      .first()
      .waitFor()
    writeFileSync(file("open.yaml"), NO_SHOW.replace("at: 12:05 }", "at: 12:06 }"))
    await page.locator(".cm-line", { hasText: "at: 12:06" }).waitFor()
    await expect
      .poll(() => page.locator(".line-note").allInnerTexts())
      .toEqual([expect.stringContaining("12:05")])
    await close()
  })

  test("changes or deletes the open file while it is changed here: the page asks which text stays", async () => {
    const { page, close } = await studio("both.yaml")
    await page.locator(".cm-content").click()
    await page.keyboard.press("Control+End")
    await page.keyboard.type("# mine")
    writeFileSync(file("both.yaml"), `${NO_SHOW}# theirs\n`)
    await page.getByText("both.yaml changed on disk, and what you changed here is not saved.").waitFor()
    await page.getByRole("button", { name: "Load it again" }).click()
    await page.locator(".cm-line", { hasText: "# theirs" }).waitFor()
    await page.locator(".cm-content").click()
    await page.keyboard.press("Control+End")
    await page.keyboard.type("# mine again")
    rmSync(file("both.yaml"))
    await page.getByText("both.yaml was deleted on disk, and what you changed here is not saved.").waitFor()
    await page.getByRole("button", { name: "Save it as a new file" }).click()
    await expect.poll(() => existsSync(file("both.yaml"))).toBe(true)
    expect(readFileSync(file("both.yaml"), "utf8")).toContain("# mine again")
    await close()
  })

  test("deletes the open file, which has nothing that is not saved: the page says so", async () => {
    const { page, close } = await studio("fleeting.yaml")
    rmSync(file("fleeting.yaml"))
    await page.getByText("fleeting.yaml was deleted on disk.").waitFor()
    await page.getByText("No file is open").waitFor()
    expect(await page.locator(".cm-content").count()).toBe(0)
    await close()
  })
})

describe("the form", () => {
  test("takes back its changes one after the other, and shows a long sentence on two lines", async () => {
    const { page, close } = await studio("form.yaml")
    await page.getByRole("button", { name: "Form", exact: true }).click()
    const undo = page.getByRole("button", { name: "Undo" })
    await undo.waitFor()
    expect(await undo.isDisabled()).toBe(true)
    const title = page.getByLabel("What happens, in a sentence")
    for (const typed of ["First", "Second"]) {
      await title.fill(typed)
      await title.press("Enter")
      await page.getByRole("heading", { name: "form.yaml" }).click()
    }
    for (const before of ["First", "The bot never shows up"]) {
      await undo.click()
      await expect.poll(() => title.inputValue()).toBe(before)
    }
    expect(await undo.isDisabled()).toBe(true)
    const because = page.getByLabel("Why it matters")
    await because.fill("The runner waits for ten minutes, and then operations must know of it at once.")
    await because.press("Enter")
    await expect.poll(() => undo.isDisabled()).toBe(false)
    await expect
      .poll(() => page.getByLabel("Why it matters").evaluate((field) => field.tagName))
      .toBe("TEXTAREA")
    await page.getByRole("button", { name: "Save and run" }).click()
    await page.locator(".lanes").waitFor()
    expect(readFileSync(file("form.yaml"), "utf8")).toContain(
      'because: "The runner waits for ten minutes, and then operations must know of it at once."\n',
    )
    await close()
  })
})
