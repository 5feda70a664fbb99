/** The studio beside a real service in a real browser: the same files run against its sandbox, with what it shows and what it does not. */

import { cpSync, mkdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import type { BrowserContextOptions, Page } from "playwright-core"
import { afterAll, expect, test } from "vitest"
import { openService } from "../../src/cli/against/service.ts"
import { ROOT, folder } from "../cli/command-line.ts"
import { withEnvironment } from "../cli/same-process.ts"
import { preparedDataFolder, startProcess } from "../serve/service-process.ts"
import type { ServiceProcess } from "../serve/service-process.ts"
import { tabTo } from "./chromium.ts"
import type { OpenedPage } from "./chromium.ts"
import { PHONE, lookInEachView } from "./look.ts"
import { studioInBrowser } from "./studio-page.ts"

const NO_SHOW = "reservations/the-bot-never-shows-up.yaml"
const HOLD = "courier/a-hold-runs-out.yaml"

const opened = folder()
const file = (path: string): string => join(opened, path)
for (const path of [NO_SHOW, HOLD]) {
  mkdirSync(join(file(path), ".."), { recursive: true })
  cpSync(join(ROOT, "scenarios", path), file(path))
}
const noShow = readFileSync(file(NO_SHOW), "utf8")

let service: ServiceProcess
const inBrowser = studioInBrowser(opened, async () => {
  service = await startProcess(preparedDataFolder())
  // What a user has in the environment of the command.
  const env = { CURBLINE_OPERATOR_TOKEN: service.access.sandbox.operator_token }
  return withEnvironment(env, () => openService({ against: service.urls.sandbox }))
})
afterAll(async () => {
  await service.stop()
})

async function studio(path: string, options: BrowserContextOptions = {}): Promise<OpenedPage> {
  const shown = await inBrowser.open(`&file=${encodeURIComponent(path)}`, options)
  await shown.page.locator(`.file[title*="${path}"]`).waitFor({ state: "attached" })
  return shown
}

const host = (): string => new URL(service.urls.sandbox).host
const choice = (page: Page) => page.getByLabel("Where scenarios run")

async function ranThere(page: Page): Promise<void> {
  await choice(page).selectOption("service")
  await page.getByRole("button", { name: "Run", exact: true }).click()
  await page.getByText("What was seen").waitFor({ state: "attached" })
}

const go = async (page: Page, pane: string): Promise<void> => {
  const tab = page.locator(".pane-tabs").getByRole("button", { name: pane })
  if (await tab.isVisible()) await tab.click()
}

test("a scenario runs against the sandbox: verdict, lanes, webhooks, and what was not checked with its line", async () => {
  const { page, strayed, complaints, close } = await studio(NO_SHOW)
  expect(await page.locator(".environment").textContent()).toContain("nothing leaves this machine")
  await ranThere(page)
  expect(await page.locator(".environment").textContent()).toContain(`run against ${host()}`)
  expect(await page.locator(".verdict").textContent()).toMatch(
    /expectations held in .* of the sandbox's time/,
  )
  const lanes = page.locator(".lanes")
  expect(await lanes.locator(".lane", { hasText: "lunch · runner task" }).locator(".stay").count()).toBe(5)
  expect(await lanes.locator(".lane", { hasText: "webhooks" }).locator(".dot").count()).toBeGreaterThan(5)
  await page.getByText(/checks? (was|were) left out/).click()
  expect(await page.locator(".why").textContent()).toContain("line 39, promises: events")
  expect(await page.locator(".quiet-note").first().textContent()).toContain(
    "Not checked against the service.",
  )
  await page.getByRole("button", { name: "Moment before" }).click()
  expect(await page.locator(".happened").textContent()).not.toBe("")
  expect(await page.getByText("inside of the service").first().isVisible()).toBe(true)
  expect(await page.getByRole("button", { name: "Try seeds 1 to 50" }).count()).toBe(0)
  expect(await page.getByRole("link", { name: "Inspector" }).count()).toBe(0)
  const html = await page.content()
  expect(html).not.toContain(service.access.sandbox.operator_token)
  expect(html).not.toContain("ck_sbx_")
  expect([strayed, complaints]).toEqual([[], []])
  await close()
})

test("the same file in memory has its machines again, and is compared with the run before in memory", async () => {
  const { page, close } = await studio(NO_SHOW)
  await page.getByRole("button", { name: "Run", exact: true }).click()
  await page.getByText("A second run of this file").waitFor()
  await ranThere(page)
  await choice(page).selectOption("memory")
  await page.getByRole("button", { name: "Run", exact: true }).click()
  await page.getByText(/no line differs. Same \d+ entries/).waitFor()
  expect(await page.getByRole("link", { name: "Inspector" }).count()).toBe(1)
  await close()
})

test("an expectation that the service does not meet stands at its line", async () => {
  const { page, close } = await studio(NO_SHOW)
  writeFileSync(file(NO_SHOW), noShow.replace("at: 12:05 }", "at: 12:06 }"))
  await page.reload()
  await page.locator(".cm-content", { hasText: "at: 12:06" }).waitFor()
  await choice(page).selectOption("service")
  await page.getByRole("button", { name: "Run", exact: true }).click()
  await page.locator(".line-note:not(.quiet-note)").waitFor()
  expect(await page.locator(".line-note:not(.quiet-note)").textContent()).toContain(
    "It was published at 12:05",
  )
  expect(await page.locator(".verdict .pill").textContent()).toContain("1 failed")
  // What another program writes is shown, and not run against the service by itself.
  writeFileSync(file(NO_SHOW), noShow)
  await page.locator(".cm-content", { hasText: "at: 12:05 }" }).waitFor()
  await page.getByText("The text has changed since this run").waitFor()
  expect(await page.getByRole("button", { name: "Run", exact: true }).count()).toBe(1)
  await close()
})

test("a scenario that a service cannot be asked says the line and the reason, and all run with a count", async () => {
  const { page, close } = await studio(HOLD)
  await choice(page).selectOption("service")
  await page.getByRole("button", { name: "Run", exact: true }).click()
  await page.getByRole("heading", { name: `${host()} cannot be asked this` }).waitFor()
  expect(await page.locator(".pane.course").textContent()).toContain(
    "Line 8, do errand.check (errands are made",
  )
  await page.keyboard.press("Escape")
  await page.locator("h1").click()
  await page.keyboard.press("a")
  await page.locator(".topbar", { hasText: "1 passed" }).waitFor()
  await page.locator(".topbar", { hasText: "1 not run" }).waitFor()
  expect(await page.locator(".topbar").textContent()).not.toContain("failed")
  await close()
})

test("a run is started, followed and stopped by keyboard, and the next one begins after it", async () => {
  const { page, close } = await studio(NO_SHOW)
  await tabTo(page, "Where scenarios run")
  await page.keyboard.press("ArrowDown")
  expect(await choice(page).inputValue()).toBe("service")
  // The run goes on until it is stopped, however fast the machine is.
  service.signal("SIGSTOP")
  await tabTo(page, "Run")
  await page.keyboard.press("Enter")
  await page.getByRole("progressbar", { name: "Steps of the run" }).waitFor()
  await tabTo(page, "Stop")
  await page.keyboard.press("Enter")
  await page.getByText("Stopped.").waitFor()
  service.signal("SIGCONT")
  await ranThere(page)
  expect(await page.locator(".verdict").textContent()).toContain("expectations held")
  await close()
})

test("a service's run has nothing that axe finds in any view: running, with a course, as a table, and not run", async () => {
  const { page, strayed, complaints, close } = await studio(NO_SHOW, { viewport: PHONE })
  await go(page, "File")
  await choice(page).selectOption("service")
  service.signal("SIGSTOP")
  // By key, because the layout may still move under a pointer while the page loads.
  await page.getByRole("button", { name: "Run", exact: true }).press("Enter")
  await go(page, "Course")
  await page.getByRole("progressbar", { name: "Steps of the run" }).waitFor()
  await lookInEachView(page, "service-running")
  service.signal("SIGCONT")
  await page.getByText("What was seen").waitFor()
  await page.getByText(/checks? (was|were) left out/).click()
  await lookInEachView(page, "service-course")
  await page.getByRole("button", { name: "Table" }).click()
  await lookInEachView(page, "service-table")
  await go(page, "File")
  await lookInEachView(page, "service-file", [PHONE])
  await go(page, "List")
  await page.locator(`.file[title*="${HOLD}"]`).click()
  await go(page, "File")
  await page.getByRole("button", { name: "Run", exact: true }).click()
  await go(page, "Course")
  await page.getByRole("heading", { name: /cannot be asked this/ }).waitFor()
  await lookInEachView(page, "service-not-run")
  expect([strayed, complaints]).toEqual([[], []])
  await close()
})

test("the bar stands over what it says: scenarios of the choice, and everything else on this machine", async () => {
  const { page, close } = await studio(NO_SHOW)
  const bar = page.locator(".environment")
  const area = (name: string) => page.getByRole("button", { name, exact: true })
  await ranThere(page)
  await choice(page).selectOption("memory")
  await page.getByText(`This run was made against ${host()}.`).waitFor()
  await choice(page).selectOption("service")
  expect(await page.getByText("This run was made").count()).toBe(0)
  expect(await bar.textContent()).toContain(`run against ${host()}`)
  for (const name of ["Fleets", "Swarm"]) {
    await area(name).click()
    await expect.poll(() => bar.textContent()).toContain("nothing leaves this machine")
  }
  await area("Scenarios").click()
  await expect.poll(() => bar.textContent()).toContain(`run against ${host()}`)
  await close()
})

test("its runs leave no organization in the filters and lists of production", async () => {
  const { page, close } = await studio(NO_SHOW)
  await ranThere(page)
  const { production } = service.urls
  await page.goto(`${production}/ops/sign-in`)
  await page.getByRole("button", { name: "Use an operator token" }).click()
  await page.getByLabel("Operator token").fill(service.access.production.operator_token)
  await page.getByRole("button", { name: "Sign in" }).click()
  await page.waitForURL(`${production}/ops`)
  const offered = async (path: string, label: string): Promise<readonly string[]> => {
    await page.goto(`${production}/ops${path}`)
    const options = page.getByLabel(label, { exact: true }).locator("option")
    await expect.poll(() => options.count()).toBeGreaterThan(1)
    return options.allTextContents()
  }
  const isOfRun = (name: string): boolean => name.includes("Scenario run")
  expect((await offered("/lists/reservations", "Organization")).filter(isOfRun)).toEqual([])
  await page.goto(`${production}/ops/settings/organizations`)
  await page.getByText("Ended organizations that may not call this host").waitFor()
  const rows = page.getByRole("row", { name: /Scenario run/ })
  expect(await rows.count()).toBe(0)
  await page.getByRole("button", { name: "Show them" }).press("Enter")
  await rows.first().waitFor()
  // The button is gone: the heading of the page has its focus.
  await page.locator("h1:focus", { hasText: "Organizations" }).waitFor()
  await close()
})

test("a service that is gone is named in plain words", async () => {
  const { page, close } = await studio(NO_SHOW)
  await choice(page).selectOption("service")
  await service.stop()
  await page.getByRole("button", { name: "Run", exact: true }).click()
  await page.getByRole("alert").waitFor()
  expect(await page.getByRole("alert").textContent()).toMatch(
    /The run could not be made: http:.* does not answer: /,
  )
  expect(await page.getByRole("button", { name: "Run", exact: true }).isEnabled()).toBe(true)
  await close()
})
