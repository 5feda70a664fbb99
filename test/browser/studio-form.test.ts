/** The form of a file in a real browser: steps, fields and what is there before, by keyboard alone. */

import { readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import type { BrowserContextOptions, Page } from "playwright-core"
import { describe, expect, test } from "vitest"
import { folder } from "../cli/command-line.ts"
import { problemsIn } from "./chromium.ts"
import type { OpenedPage } from "./chromium.ts"
import { PHONE, lookInEachView } from "./look.ts"
import { studioInBrowser } from "./studio-page.ts"

const VISIT = `# A visit.
scenario: A visit is booked
because: The form is tried with it.
clock: 2026-03-02T11:30 America/Chicago

steps:
  # The booking.
  - do: reservation.create
    as: visit
    with: { window: [11:45, 12:15] } # short

  # Later.
  - { at: 11:40, do: runner.assign, for: visit } # on time
`

const ROWS = `scenario: Two rows
because: The whole run is changed in the form.
clock: 2026-03-02T11:30 America/Chicago
matrix:
  - { name: short, wait: 5m }
steps:
  - { do: reservation.create, as: visit, with: { window: [11:45, 12:15] } }
  - { wait: $wait } # as long as the row says
`

const opened = folder()
const path = join(opened, "visit.yaml")
writeFileSync(path, VISIT)

const inBrowser = studioInBrowser(opened)

async function form(options: BrowserContextOptions = {}): Promise<OpenedPage> {
  writeFileSync(path, VISIT)
  const shown = await inBrowser.open("&file=visit.yaml", options)
  const button = shown.page.getByRole("button", { name: "Form", exact: true })
  if (options.viewport === PHONE)
    await shown.page.locator(".pane-tabs").getByRole("button", { name: "File" }).press("Enter")
  await button.press("Enter")
  await shown.page.locator(".form-step").first().waitFor()
  return shown
}

function focused(page: Page): Promise<string> {
  return page.evaluate<string>(
    "document.activeElement.getAttribute('aria-label') ?? document.activeElement.tagName",
  )
}

/** The text on disk. */
function onDisk(name = "visit.yaml"): string {
  return readFileSync(join(opened, name), "utf8")
}

test("the form has nothing that axe finds in any view, with a new step, more fields and things that are there before", async () => {
  const { page, complaints, close } = await form({ viewport: PHONE })
  await page.getByRole("button", { name: "Add it", exact: true }).press("Enter")
  await page.getByRole("heading", { name: /^Receiver of reservation events partner/ }).waitFor()
  await page.locator("summary", { hasText: "More fields" }).last().press("Enter")
  await page.getByRole("button", { name: /^Insert a step before: A runner takes/i }).press("Enter")
  await page.getByRole("heading", { name: "A step before line 15" }).waitFor()
  await lookInEachView(page, "form")
  expect(complaints).toEqual([])
  await close()
})

describe("a step", () => {
  test("is inserted about a name of its place, moved and removed, and the focus stays with it", async () => {
    const { page, close } = await form()
    const steps = page.locator("[data-step]")
    await page.getByRole("button", { name: /^Insert a step before: A runner takes/i }).press("Enter")
    const panel = page.getByRole("region", { name: "A step before line 13" })
    await panel.getByLabel("Which").selectOption("reservation.read")
    expect(await panel.getByLabel("about (reservation)").locator("option").allTextContents()).toEqual([
      "visit",
    ])
    await panel.getByRole("button", { name: "Add", exact: true }).press("Enter")
    await steps.nth(2).waitFor()
    await expect.poll(() => focused(page)).toBe("Insert a step before: the partner reads visit")
    await page.getByRole("button", { name: "Move down: the partner reads visit" }).press("Enter")
    await page
      .getByRole("button", { name: "Move down: the partner reads visit" })
      .and(page.locator(":disabled"))
      .waitFor()
    await expect.poll(() => focused(page)).toBe("Insert a step before: the partner reads visit")
    await page.getByRole("button", { name: "Move up: the partner reads visit" }).press("Enter")
    await page
      .getByRole("button", { name: "Move down: the partner reads visit" })
      .and(page.locator(":enabled"))
      .waitFor()
    await expect.poll(() => focused(page)).toBe("Move up: the partner reads visit")
    await page.keyboard.press("Control+s")
    await expect
      .poll(() => onDisk())
      .toBe(VISIT.replace("# short\n", "# short\n  - { do: reservation.read, for: visit }\n"))
    await page.getByRole("button", { name: "Remove: the partner reads visit" }).press("Enter")
    await steps.nth(2).waitFor({ state: "detached" })
    await expect.poll(() => focused(page)).toBe("Remove: a runner takes visit")
    await page.keyboard.press("Control+s")
    await expect.poll(() => onDisk()).toBe(VISIT)
    await close()
  })

  test("that needs what is not there says what has to be made first", async () => {
    const { page, close } = await form()
    const panel = page.getByRole("region", { name: "Another step, at the end" })
    await panel.getByLabel("What it does").selectOption("expect")
    await panel.getByLabel("Which").selectOption("webhook")
    await panel
      .getByText(/^This step needs a webhook, and there is none yet at this place\. First add webhooks/)
      .waitFor()
    const add = panel.getByRole("button", { name: "Add", exact: true })
    expect(await add.isDisabled()).toBe(true)
    await page.getByRole("button", { name: "Add it", exact: true }).press("Enter")
    await panel.getByLabel("to (webhook)").waitFor()
    await add.press("Enter")
    await page.locator("[data-step]").nth(2).waitFor()
    await page.keyboard.press("Control+s")
    await expect
      .poll(() => onDisk())
      .toBe(
        `${VISIT.replace("steps:", "given:\n  webhooks: [{ as: partner }]\nsteps:")}  - expect: { webhook: reservation.status_changed, to: partner }\n`,
      )
    await page.locator("[data-step='2'] .good").waitFor()
    await close()
  })
})

describe("a field", () => {
  test("is added with a value to begin with, changed and removed", async () => {
    const { page, close } = await form()
    const step = page.locator("[data-step='1']")
    await step.locator("summary").press("Enter")
    await step.getByRole("button", { name: "runner", exact: true }).press("Enter")
    const runner = step.getByLabel("runner", { exact: true })
    await runner.waitFor()
    await page.locator("input:focus").and(runner).waitFor()
    await page.keyboard.type("run_7")
    await page.keyboard.press("Enter")
    await page.getByText("A runner takes visit, namely").waitFor()
    await page.keyboard.press("Control+s")
    await expect
      .poll(() => onDisk())
      .toContain("- { at: 11:40, do: runner.assign, for: visit, with: { runner: ")
    await step.getByRole("button", { name: "Remove the field runner" }).press("Enter")
    await runner.waitFor({ state: "detached" })
    await page.keyboard.press("Control+s")
    await expect.poll(() => onDisk()).toBe(VISIT)
    await close()
  })

  test("with a mistake says what is expected, or what was meant", async () => {
    const { page, close } = await form()
    const step = page.locator("[data-step='0']")
    const from = step.getByLabel("window from")
    await from.fill("soon")
    await from.press("Enter")
    const mistake = step.getByRole("alert")
    await expect
      .poll(() => mistake.innerText())
      .toMatch(/^"soon" is not a time\. Expected: a time such as .*\.$/)
    // The tinted box ends behind its fields, not at their edge.
    const [inside, box] = await Promise.all([from, step].map((one) => one.boundingBox()))
    const to = await step.getByLabel("window to").boundingBox()
    const right = Math.max(...[inside, to].map((one) => (one?.x ?? 0) + (one?.width ?? 0)))
    expect((box?.x ?? 0) + (box?.width ?? 0) - right).toBeGreaterThanOrEqual(8)
    await from.fill("9:30 am")
    await from.press("Enter")
    await expect.poll(() => mistake.innerText()).toBe('"9:30 am" is not a time. Did you mean 09:30?')
    await close()
  })

  test("keeps what is typed when a button takes the focus, and when the file is saved while it is typed", async () => {
    const { page, close } = await form()
    const head = page.locator('[data-head="more"]')
    await head.locator("summary").press("Enter")
    await head.getByRole("button", { name: "tags", exact: true }).press("Enter")
    await head.getByLabel("tags", { exact: true }).fill("visit, late")
    await page.getByRole("button", { name: "Add it", exact: true }).click()
    await page.getByRole("heading", { name: /^Receiver of reservation events partner/ }).waitFor()
    const withBoth = VISIT.replace("clock:", "tags: [visit, late]\nclock:").replace(
      "\nsteps:",
      "\ngiven:\n  webhooks: [{ as: partner }]\nsteps:",
    )
    await page.keyboard.press("Control+s")
    await expect.poll(() => onDisk()).toBe(withBoth)
    await page.getByLabel("Why it matters").fill("It is typed to the end.")
    await page.keyboard.press("Control+s")
    await expect
      .poll(() => onDisk())
      .toBe(withBoth.replace("The form is tried with it.", '"It is typed to the end."'))
    await close()
  })
})

describe("what is there before", () => {
  test("is added, changed and removed", async () => {
    const { page, close } = await form()
    const other = page.getByLabel("Something else that is there")
    await other.selectOption("policy")
    await page.getByRole("button", { name: "Add it", exact: true }).press("Enter")
    const wait = page.getByRole("group", { name: /^Policies/ }).getByLabel("bot wait", { exact: true })
    await wait.fill("12m")
    await wait.press("Enter")
    await page.locator("[data-given='given policy'] summary").press("Enter")
    await page.getByRole("button", { name: "window grace" }).press("Enter")
    await page
      .getByRole("group", { name: /^Policies/ })
      .getByLabel("window grace", { exact: true })
      .waitFor()
    await page.keyboard.press("Control+s")
    await expect
      .poll(() => onDisk())
      .toContain("given:\n  policy: { bot_wait: 12m, window_grace: 5m }\nsteps:")
    await page.getByRole("button", { name: "Remove: Policies" }).press("Enter")
    await wait.waitFor({ state: "detached" })
    await page.keyboard.press("Control+s")
    await expect.poll(() => onDisk()).toBe(VISIT)
    await close()
  })
})

test("tags, rows and promises are added and changed by keyboard, and the file runs once for each row", async () => {
  writeFileSync(join(opened, "rows.yaml"), ROWS)
  const { page, complaints, close } = await inBrowser.open("&file=rows.yaml")
  await page.getByRole("button", { name: "Form", exact: true }).press("Enter")
  const head = page.locator('[data-head="more"]')
  await head.locator("summary").press("Enter")
  await head.getByRole("button", { name: "tags", exact: true }).press("Enter")
  const tags = head.getByLabel("tags", { exact: true })
  await tags.fill("visit, late")
  await tags.press("Enter")

  const whole = page.getByRole("region", { name: "The whole run" })
  await whole.getByRole("button", { name: "Add it to the run" }).press("Enter")
  const row = whole.getByRole("group", { name: /^Row another row 2/ })
  await row.getByLabel("wait", { exact: true }).fill("10m")
  await row.getByLabel("wait", { exact: true }).press("Enter")
  await whole.getByLabel("Something else about the whole run").selectOption("promises")
  await whole.getByRole("button", { name: "Add it to the run" }).press("Enter")
  const promises = whole.getByRole("group", { name: /^Promises/ })
  await promises.getByLabel("events", { exact: true }).fill("< 50")
  await promises.getByLabel("events", { exact: true }).press("Enter")
  expect(await problemsIn(page)).toEqual([])

  await page.keyboard.press("Control+s")
  await expect
    .poll(() => onDisk("rows.yaml"))
    .toBe(
      ROWS.replace("clock:", "tags: [visit, late]\nclock:").replace(
        "steps:",
        '  - { name: "another row 2", wait: 10m }\nsteps:',
      ) + 'promises:\n  events: "< 50"\n',
    )
  await page.getByLabel("Row of the matrix").waitFor()
  expect(complaints).toEqual([])
  await close()
})

describe("a file that is saved during a run", () => {
  /** Holds the first run back until it is let go; the texts that ran. */
  async function heldRun(page: Page): Promise<{ readonly texts: string[]; readonly letGo: () => void }> {
    const texts: string[] = []
    const held = Promise.withResolvers<undefined>()
    await page.route("**/api/run", async (route) => {
      texts.push((route.request().postDataJSON() as { readonly text: string }).text)
      if (texts.length === 1) await held.promise
      await route.continue().catch(() => undefined)
    })
    return { texts, letGo: () => held.resolve(undefined) }
  }

  async function saveTwice(page: Page): Promise<void> {
    const because = page.getByLabel("Why it matters")
    for (const said of ["First", "Second"]) {
      await because.fill(said)
      await page.keyboard.press("Control+s")
      await expect.poll(() => onDisk()).toBe(VISIT.replace("The form is tried with it.", said))
    }
  }

  test("runs again when that run has ended", async () => {
    const { page, close } = await form()
    const { texts, letGo } = await heldRun(page)
    await saveTwice(page)
    expect(texts).toHaveLength(1)
    letGo()
    await expect.poll(() => texts.length).toBe(2)
    expect(texts.map((text) => /because: (.*)/.exec(text)?.[1])).toEqual(["First", "Second"])
    await page.getByRole("button", { name: "Run", exact: true }).waitFor()
    await close()
  })

  test("does not run again after that run was stopped", async () => {
    const { page, close } = await form()
    const { texts, letGo } = await heldRun(page)
    await saveTwice(page)
    await page.getByRole("button", { name: "Stop", exact: true }).press("Enter")
    await page.getByText("Stopped.").waitFor()
    letGo()
    await page.getByRole("button", { name: "Run", exact: true }).waitFor()
    expect(texts).toHaveLength(1)
    await close()
  })
})
