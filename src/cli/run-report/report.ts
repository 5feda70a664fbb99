/**
 * The report of `curbline run --report`: one HTML file that needs no network. First the verdict and the runs, then a part for each run,
 * failed ones first. The inspector with the records of the runs is inside, compressed; its links open it in the same page. The same
 * runs give the same bytes.
 */

import { readFileSync } from "node:fs"
import { html, raw, table } from "../../pages/html/markup.ts"
import type { Html } from "../../pages/html/markup.ts"
import { writtenPage } from "../../pages/html/page-frame.ts"
import { READING_STYLE } from "../../pages/html/styles.ts"
import { MARK } from "../../pages/html/tokens.ts"
import { pill } from "../../simulation/fleet/report/answer-part.ts"
import { REPORT_STYLE } from "../../simulation/fleet/report/style.ts"
import type { PackedRecord } from "../../pages/inspection/packed.ts"
import { REPORT_RECORDS_BYTES_MAX } from "../../model/values/limits.ts"
import type { PageBundle } from "../../pages/bundling/build.ts"
import { insidePage } from "../../pages/bundling/inspector-document.ts"
import { counted } from "../../simulation/scenario/language/counted.ts"
import { RUN_REPORT_STYLE } from "./style.ts"

/** A run as the report lists it. */
export interface ReportedRun {
  readonly number: number
  readonly title: string
  readonly file: string
  readonly seed: number
  readonly verdict: "failed" | "fault" | "not run" | "passed"
  /** How long it lasted, in words; empty for a fault. */
  readonly lasted: string
  readonly section: Html
}

export interface ReportParts {
  readonly runs: readonly ReportedRun[]
  /** The command that makes the same report again. */
  readonly command: string
  /** Null without any record. */
  readonly inspector: InsideInspector | null
  /** Runs whose records did not fit. */
  readonly recordsLeftOut: number
  /** True when what was sent is listed without its content for passed runs. */
  readonly isThinned: boolean
}

export interface InsideInspector {
  readonly bundle: PageBundle
  readonly data: PackedRecord
}

/** Opens the inspector that is inside. */
const OPENING = readFileSync(new URL("page.js", import.meta.url), "utf8")

const PILLS = {
  failed: pill("bad", "Failed"),
  fault: pill("bad", "Engine fault"),
  "not run": pill("wait", "Not run"),
  passed: pill("ok", "Passed"),
}

export function runReportHtml(parts: ReportParts): string {
  const { runs, inspector } = parts
  const failed = runs.filter(({ verdict }) => verdict === "failed" || verdict === "fault")
  const passed = runs.filter(({ verdict }) => verdict === "passed")
  const notRun = runs.filter(({ verdict }) => verdict === "not run")
  const ordered = [...failed, ...passed, ...notRun]
  const { html: text } = writtenPage({
    title: `${failed.length === 0 ? "Passed" : "Failed"}: ${counted(runs.length, "scenario run")}`,
    style: [READING_STYLE, REPORT_STYLE, RUN_REPORT_STYLE].join("\n"),
    body: html`${header()}
      <main>
        ${headPart(parts, { failed: failed.length, notRun: notRun.length })} ${listPart(ordered)}
        ${ordered.map(({ section }) => section)} ${repeatPart(parts)}
      </main>
      ${inspector === null ? "" : insidePage(inspector.bundle, inspector.data)}`,
    ...(inspector === null ? {} : { scripts: [{ text: OPENING }], later: inspector.bundle }),
    isFile: true,
  })
  return text
}

function header(): Html {
  return html`<header>
    <div class="report-bar"><span class="badge">REPORT</span> one file, needs no network</div>
    <div class="top">
      <span class="name">${raw(MARK)} Scenario report</span>
      <nav aria-label="Parts of the report"><a href="#runs">Runs</a><a href="#repeat">Repeat it</a></nav>
    </div>
  </header>`
}

function headPart(
  { runs, isThinned, inspector, recordsLeftOut }: ReportParts,
  { failed, notRun }: { readonly failed: number; readonly notRun: number },
): Html {
  const made = runs.length - notRun
  const headline =
    made === 0
      ? "Nothing was run"
      : failed === 0
        ? `All ${counted(made, "run")} passed`
        : `${failed} of ${counted(made, "run")} failed`
  return html`<section id="answer" class="answer">
    <p class="about">${failed > 0 ? PILLS.failed : made === 0 ? PILLS["not run"] : PILLS.passed}</p>
    <h1>${headline}</h1>
    ${notRun === 0 ? "" : html`<p>${counted(notRun, "scenario")} cannot run against a service; each says why below.</p>`}
    ${isThinned ? html`<p class="quiet">So many runs: what passed runs sent is listed without its content. Run one alone to see it.</p>` : ""}
    ${recordsLeftOut === 0 ? "" : leftOutPart(recordsLeftOut)}
    ${inspector === null ? "" : html`<noscript><p>The inspector in this file needs JavaScript; everything else is readable without.</p></noscript>`}
  </section>`
}

function listPart(runs: readonly ReportedRun[]): Html {
  const rows = runs.map(({ number, title, file, seed, verdict, lasted }) => [
    html`<a href="#run-${number}">${title}</a>`,
    PILLS[verdict],
    String(seed),
    lasted,
    file,
  ])
  return html`<section id="runs" class="runs">
    <h2>Runs</h2>
    ${table("Runs, failed ones first", ["Scenario", "Verdict", "Seed", "Virtual time", "File"], rows)}
  </section>`
}

function leftOutPart(runs: number): Html {
  const megabytes = REPORT_RECORDS_BYTES_MAX / 1024 / 1024
  return html`<p class="quiet">
    This file has at most ${megabytes} MB of records for the inspector, those of failed runs first. The record
    of ${counted(runs, "run")} did not fit; each of them names the command that opens it.
  </p>`
}

function repeatPart({ command, inspector }: ReportParts): Html {
  return html`<section id="repeat">
    <h2>Repeat it</h2>
    <pre tabindex="0">${command}</pre>
    ${inspector === null ? "" : html`<p>The inspector and the records that its links open are in this file.</p>`}
  </section>`
}
