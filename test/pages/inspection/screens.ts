/**
 * Takes the screenshots of the README: `npm run screens`. One visit, in which the open link has just failed finally.
 */

import { mkdirSync, writeFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { eventName } from "../../../src/pages/inspection/event-name.ts"
import { at } from "../../../src/pages/inspection/run-index.ts"
import { pageBundle } from "../../../src/pages/bundling/build.ts"
import { pageFile } from "../../../src/pages/bundling/inspector-document.ts"
import { packedRecord } from "../../../src/pages/bundling/packed-record.ts"
import { blockedRuns } from "../../../src/pages/bundling/record-file.ts"
import { runScenario } from "../../../src/simulation/scenario/run.ts"
import { startChromium } from "../../browser/chromium.ts"
import { show } from "./browser.ts"
import { recorded, scenarioNamed } from "./records.ts"

const FOLDER = fileURLToPath(new URL("../../../src/pages/web/screens/", import.meta.url))

const { text, run } = recorded(
  runScenario(await scenarioNamed("reservations/the-open-link-fails-three-times")),
)
const { index } = run
const step = index.stepEvent.findIndex(
  (word) => eventName(index.words[word] ?? "", null) === "open_link.failed",
)
const s = at(index.s, at(index.stepRow, step))
const actor = index.actors[at(index.stepActor, step)]?.address ?? ""
const records = [blockedRuns("open-link.ndjson", text.split("\n"))]
const data = await packedRecord({ records, at: null })
const { html } = pageFile({ title: "Inspector", bundle: await pageBundle("inspector"), data })

mkdirSync(FOLDER, { recursive: true })
const browser = await startChromium()
try {
  for (const colors of ["light", "dark"] as const) {
    const hash = `#actor=${encodeURIComponent(actor)}&at=${s}`
    const { page } = await show(browser, html, { colors, hash, width: 1240, height: 720 })
    await page.locator('#context[data-step]:not([data-step=""])').waitFor()
    writeFileSync(`${FOLDER}inspector-${colors}.png`, await page.screenshot())
  }
} finally {
  await browser.close()
}
