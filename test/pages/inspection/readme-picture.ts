/** The inspector as the README shows it: one visit, in which the open link has just failed finally. */

import type { Browser } from "playwright-core"
import { eventName } from "../../../src/pages/inspection/event-name.ts"
import { at } from "../../../src/pages/inspection/run-index.ts"
import { pageBundle } from "../../../src/pages/bundling/build.ts"
import { pageFile } from "../../../src/pages/bundling/inspector-document.ts"
import { packedRecord } from "../../../src/pages/bundling/packed-record.ts"
import { blockedRuns } from "../../../src/pages/bundling/record-file.ts"
import { runScenario } from "../../../src/simulation/scenario/run.ts"
import { show } from "./browser.ts"
import type { Shown } from "./browser.ts"
import { recorded, scenarioNamed } from "./records.ts"

/** Opens it at that moment, once for each scheme. */
export async function readmePicture(): Promise<
  (browser: Browser, colors: "dark" | "light") => Promise<Shown>
> {
  const scenario = await scenarioNamed("reservations/the-open-link-fails-three-times")
  const { text, run } = recorded(runScenario(scenario))
  const { index } = run
  const step = index.stepEvent.findIndex(
    (word) => eventName(index.words[word] ?? "", null) === "open_link.failed",
  )
  const actor = index.actors[at(index.stepActor, step)]?.address ?? ""
  const hash = `#actor=${encodeURIComponent(actor)}&at=${at(index.s, at(index.stepRow, step))}`
  const records = [blockedRuns("open-link.ndjson", text.split("\n"))]
  const data = await packedRecord({ records, at: null })
  const { html } = pageFile({ title: "Inspector", bundle: await pageBundle("inspector"), data })
  return async (browser, colors) => {
    const shown = await show(browser, html, { colors, hash, width: 1240, height: 720 })
    await shown.page.locator('#context[data-step]:not([data-step=""])').waitFor()
    return shown
  }
}
