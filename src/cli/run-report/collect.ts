/** Collects the runs of one command line for its report, and writes it with the inspector's page beside it. */

import { appendFileSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { basename, dirname, join } from "node:path"
import { recordContext } from "../../build.ts"
import { html } from "../../html/markup.ts"
import { pill } from "../../fleet/report/answer-part.ts"
import { recordOf } from "../../simulation/run-record.ts"
import type { RunContext } from "../../simulation/scenario/run-context.ts"
import type { Scenario } from "../../simulation/scenario/language.ts"
import type { ScenarioRun } from "../../simulation/scenario/run.ts"
import { showDuration } from "../../simulation/scenario/shown-duration.ts"
import { inspectorPage } from "../inspect.ts"
import { again, titleOf } from "../report.ts"
import type { FaultyRun } from "../report.ts"
import { faultMessage } from "../terminal.ts"
import { textAt } from "../text-files.ts"
import { runReportHtml } from "./report.ts"
import type { ReportedRun } from "./report.ts"
import { runSection } from "./section.ts"
import { shownRun } from "./shown-run.ts"
import type { ShownRun } from "./shown-run.ts"

/** Of more runs, only failed ones have the content of what they sent. */
const WHOLE_RUNS_MAX = 50

export class RunReport {
  readonly #file: string
  readonly #command: string
  readonly #isThinned: boolean
  readonly #folder = mkdtempSync(join(tmpdir(), "curbline-"))
  readonly #record = join(this.#folder, "run.ndjson")
  readonly #context = recordContext()
  readonly #runs: ReportedRun[] = []
  #recorded = 0

  constructor(file: string, { runs, command }: { readonly runs: number; readonly command: string }) {
    this.#file = file
    this.#command = command
    this.#isThinned = runs > WHOLE_RUNS_MAX
  }

  /** Keeps the run's part of the report as text, and its record in a file: a run itself is too large to keep. */
  add(run: ScenarioRun, context: RunContext): void {
    const record = recordOf(run, this.#context)
    appendFileSync(this.#record, record)
    this.#recorded += 1
    const recorded = this.#recorded
    const title = titleOf(run)
    const { file } = run.scenario
    const number = this.#runs.length + 1
    const section = runSection({
      run,
      shown: shownRun(run, context),
      number,
      title,
      source: textAt(file) ?? "",
      again: again(run),
      inspectorAt: (line) => `${this.#inspectorName}#run=${recorded}${line === null ? "" : `&at=${line}`}`,
      failureLines: failureLinesIn(record),
      hasBodies: !this.#isThinned || run.verdict === "failed",
      unchecked: [],
    })
    const { seed, verdict, virtualMs } = run
    this.#runs.push({ number, title, file, seed, verdict, lasted: showDuration(virtualMs), section })
  }

  /** A run against a service, whose record is in the service. */
  addRemote(run: ScenarioRun, shown: ShownRun, unchecked: readonly string[]): void {
    const { file } = run.scenario
    const [title, number] = [titleOf(run), this.#runs.length + 1]
    const section = runSection({
      run,
      shown,
      number,
      title,
      source: textAt(file) ?? "",
      again: again(run),
      inspectorAt: null,
      failureLines: [],
      hasBodies: !this.#isThinned || run.verdict === "failed",
      unchecked,
    })
    const { seed, verdict, virtualMs } = run
    this.#runs.push({ number, title, file, seed, verdict, lasted: showDuration(virtualMs), section })
  }

  /** A scenario that a service cannot be asked. */
  addNotRun(scenario: Scenario, reason: string): void {
    const [title, number] = [titleOf({ scenario }), this.#runs.length + 1]
    const { file, seed } = scenario
    const section = html`<section id="run-${number}" class="run">
      <p class="about">${pill("wait", "Not run")} <span class="quiet">${file}</span></p>
      <h2>${title}</h2>
      <p>${reason}</p>
    </section>`
    this.#runs.push({ number, title, file, seed, verdict: "not run", lasted: "", section })
  }

  addFault(faulty: FaultyRun): void {
    const number = this.#runs.length + 1
    const title = titleOf(faulty)
    const { file } = faulty.scenario
    const section = html`<section id="run-${number}" class="run">
      <p class="about">${pill("bad", "Engine fault")} <span class="quiet">${file}</span></p>
      <h2>${title}</h2>
      <p>${faultMessage(faulty.cause)}</p>
      <p class="again"><span class="quiet">Run it again:</span> <code>${again(faulty)}</code></p>
    </section>`
    this.#runs.push({ number, title, file, seed: faulty.seed, verdict: "fault", lasted: "", section })
  }

  /** Writes both files. */
  async write(): Promise<void> {
    if (this.#recorded > 0) {
      const page = await inspectorPage([this.#record], null)
      writeFileSync(join(dirname(this.#file), this.#inspectorName), page.html)
    }
    const text = runReportHtml({
      runs: this.#runs,
      command: this.#command,
      inspector: this.#recorded > 0 ? this.#inspectorName : null,
      isThinned: this.#isThinned,
    })
    writeFileSync(this.#file, text)
  }

  close(): void {
    rmSync(this.#folder, { recursive: true })
  }

  /** `out.html` has `out.inspector.html` beside it. */
  get #inspectorName(): string {
    return `${basename(this.#file).replace(/\.html?$/, "")}.inspector.html`
  }
}

/** The numbers of the record's lines that are failures, in order. */
function failureLinesIn(record: string): readonly number[] {
  return record.split("\n").flatMap((line) => {
    if (!line.startsWith('{"k":"mark"')) return []
    const { s, level } = JSON.parse(line) as { readonly s: number; readonly level: string }
    return level === "fail" ? [s] : []
  })
}
