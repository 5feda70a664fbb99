/** Opens a page from a file, without a network: any request fails the test. */

import { mkdtempSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { pathToFileURL } from "node:url"
import type { Browser, Page } from "playwright-core"
import type { PackedRecord } from "../../../src/pages/inspection/packed.ts"
import { pageBundle } from "../../../src/pages/bundling/build.ts"
import { pageFile } from "../../../src/pages/bundling/inspector-document.ts"
import { newContext } from "../../browser/chromium.ts"
import { packedRecord } from "../../../src/pages/bundling/packed-record.ts"
import { blockedRuns } from "../../../src/pages/bundling/record-file.ts"

export interface Shown {
  readonly page: Page
  /** What went wrong in the page: errors, refusals of its policy, requests for anything but itself. */
  readonly wrongs: readonly string[]
}

export interface ShowOptions {
  readonly hash?: string
  readonly width?: number
  readonly height?: number
  readonly colors?: "light" | "dark"
  /** Runs in the page before its own script; its policy does not know of it. */
  readonly script?: string
}

/** The page of records, as texts, in one file. */
export async function pageOf(
  texts: readonly string[],
  change: (data: PackedRecord) => PackedRecord = (data) => data,
): Promise<string> {
  const records = texts.map((text, number) =>
    blockedRuns(`${["one", "two"][number]}.ndjson`, text.split("\n")),
  )
  const data = change(await packedRecord({ records, at: null }))
  return pageFile({ title: "Inspector", bundle: await pageBundle("inspector"), data }).html
}

/** Opens a page's text from a file, in a context of its own that is offline. */
export async function show(
  browser: Browser,
  html: string,
  { hash = "", width = 1440, height = 900, colors = "light", script }: ShowOptions = {},
): Promise<Shown> {
  const file = join(mkdtempSync(join(tmpdir(), "curbline-page-")), "page.html")
  writeFileSync(file, html)
  const own = pathToFileURL(file).href
  const context = await newContext(browser, {
    offline: true,
    viewport: { width, height },
    colorScheme: colors,
    reducedMotion: "reduce",
  })
  const page = await context.newPage()
  if (script !== undefined) await page.addInitScript(script)
  const wrongs: string[] = []
  page.on("pageerror", (cause) => wrongs.push(`error: ${cause.message}`))
  page.on("console", (message) => {
    if (message.type() === "error") wrongs.push(`console: ${message.text()}`)
  })
  page.on("request", (request) => {
    if (request.url().replace(/#.*$/, "") !== own) wrongs.push(`request: ${request.url()}`)
  })
  await page.goto(`${own}${hash}`)
  await page.locator("#inspector").waitFor()
  return { page, wrongs }
}
