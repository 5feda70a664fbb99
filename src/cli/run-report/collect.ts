/** Collects the runs of one command line for its report, and writes it. */

import { writeFileSync } from "node:fs"
import { recordContext } from "../../live/configuration/build.ts"
import { html } from "../../pages/html/markup.ts"
import type { Html } from "../../pages/html/markup.ts"
import { pill } from "../../simulation/fleet/report/answer-part.ts"
import type { PackedRecord } from "../../pages/inspection/packed.ts"
import { pageBundle } from "../../pages/bundling/build.ts"
import { packedRecord } from "../../pages/bundling/packed-record.ts"
import { recordOf } from "../../simulation/scenario/run.ts"
import type { RunContext } from "../../simulation/scenario/run-context.ts"
import type { Scenario } from "../../simulation/scenario/language/language.ts"
import type { ScenarioRun } from "../../simulation/scenario/run.ts"
import { showDuration } from "../../simulation/scenario/language/shown-duration.ts"
import { again, titleOf } from "../scenarios/report.ts"
import type { FaultyRun } from "../scenarios/report.ts"
import { shellWord } from "../../model/values/shell-word.ts"
import { faultMessage } from "../kit/terminal.ts"
import { textAt } from "../kit/text-files.ts"
import { InsideRecords, RECORD_FILE } from "./inside-records.ts"
import type { RecordPlace } from "./inside-records.ts"
import { runReportHtml } from "./report.ts"
import type { InsideInspector, ReportedRun } from "./report.ts"
import { runFragment, runSection } from "./section.ts"
import { shownRun } from "./shown-run.ts"
import type { ShownRun } from "./shown-run.ts"

/** Of more runs, only failed ones have the content of what they sent. */
const WHOLE_RUNS_MAX = 50

export interface RunReportOptions {
  /** How many will be added. */
  readonly runs: number
  /** The command that makes the same report again. */
  readonly command: string
  /** Default: `REPORT_RECORDS_BYTES_MAX`. */
  readonly recordsBytesMax?: number
}

/** Its part is made when a run ends, because runs are too large to keep; its links when all have ended. */
interface CollectedRun extends Omit<ReportedRun, "section"> {
  readonly hasRecord: boolean
  readonly section: (record: RecordPlace) => Html
}

/** What the part of a run that ended needs beside it. */
interface Ended {
  readonly shown: ShownRun
  /** The record's line of each failure; null without a record. */
  readonly failureLines: readonly number[] | null
  readonly unchecked: readonly string[]
}

export class RunReport {
  readonly #file: string
  readonly #command: string
  readonly #isThinned: boolean
  readonly #context = recordContext()
  readonly #runs: CollectedRun[] = []
  readonly #records: InsideRecords

  constructor(file: string, { runs, command, recordsBytesMax }: RunReportOptions) {
    this.#file = file
    this.#command = command
    this.#isThinned = runs > WHOLE_RUNS_MAX
    this.#records = new InsideRecords(recordsBytesMax)
  }

  /** A run in memory. */
  add(run: ScenarioRun, context: RunContext): void {
    const record = recordOf(run, this.#context)
    const number = this.#runs.length + 1
    const recordedBy = recordCommand(run)
    this.#records.add({ number, isFailed: run.verdict === "failed", recordedBy, record })
    this.#addRun(run, { shown: shownRun(run, context), failureLines: failureLinesIn(record), unchecked: [] })
  }

  /** A run against a service, whose record is in the service. */
  addRemote(run: ScenarioRun, shown: ShownRun, unchecked: readonly string[]): void {
    this.#addRun(run, { shown, failureLines: null, unchecked })
  }

  #addRun(run: ScenarioRun, { shown, failureLines, unchecked }: Ended): void {
    const { file } = run.scenario
    const [title, number] = [titleOf(run), this.#runs.length + 1]
    const section = runSection({
      run,
      shown,
      number,
      title,
      source: textAt(file) ?? "",
      again: again(run),
      failureLines: failureLines ?? [],
      hasBodies: !this.#isThinned || run.verdict === "failed",
      unchecked,
    })
    const { seed, verdict, virtualMs } = run
    const lasted = showDuration(virtualMs)
    this.#runs.push({ number, title, file, seed, verdict, lasted, section, hasRecord: failureLines !== null })
  }

  /** A scenario that a service cannot be asked. */
  addNotRun(scenario: Scenario, reason: string): void {
    const [title, number] = [titleOf({ scenario }), this.#runs.length + 1]
    const { file, seed } = scenario
    const section = html`<section id="${runFragment(number)}" class="run">
      <p class="about">${pill("wait", "Not run")} <span class="quiet">${file}</span></p>
      <h2>${title}</h2>
      <p>${reason}</p>
    </section>`
    this.#addBrief({ number, title, file, seed, verdict: "not run" }, section)
  }

  addFault(faulty: FaultyRun): void {
    const number = this.#runs.length + 1
    const title = titleOf(faulty)
    const { file } = faulty.scenario
    const section = html`<section id="${runFragment(number)}" class="run">
      <p class="about">${pill("bad", "Engine fault")} <span class="quiet">${file}</span></p>
      <h2>${title}</h2>
      <p>${faultMessage(faulty.cause)}</p>
      <p class="again"><span class="quiet">Run it again:</span> <code>${again(faulty)}</code></p>
    </section>`
    this.#addBrief({ number, title, file, seed: faulty.seed, verdict: "fault" }, section)
  }

  #addBrief(run: Pick<ReportedRun, "file" | "number" | "seed" | "title" | "verdict">, section: Html): void {
    this.#runs.push({ ...run, lasted: "", section: () => section, hasRecord: false })
  }

  /** Rejects with an error of the file system. */
  async write(): Promise<void> {
    const inside = this.#records.runs
    const placeOf = ({ number, hasRecord }: CollectedRun): RecordPlace => {
      const at = inside.findIndex((one) => one.number === number)
      if (at !== -1) return at + 1
      return hasRecord ? "left out" : "none"
    }
    const text = runReportHtml({
      runs: this.#runs.map((run) => ({ ...run, section: run.section(placeOf(run)) })),
      command: this.#command,
      inspector: inside.length === 0 ? null : await this.#inspector(),
      recordsLeftOut: this.#runs.filter(({ hasRecord }) => hasRecord).length - inside.length,
      isThinned: this.#isThinned,
    })
    writeFileSync(this.#file, text)
  }

  async #inspector(): Promise<InsideInspector> {
    const inside = this.#records.runs
    const packed = packedRecord({ records: [inside.map(({ run }) => run)], at: null })
    const [bundle, record] = await Promise.all([pageBundle("inspector"), packed])
    const report = inside.map(({ number, recordedBy }) => ({
      fragment: `#${runFragment(number)}`,
      recordedBy,
    }))
    const data: PackedRecord = { ...record, report }
    return { bundle, data }
  }
}

/** The command that writes the record of this run alone. */
function recordCommand(run: ScenarioRun): string {
  const row = run.scenario.variant === null ? "" : ` --grep ${shellWord(titleOf(run))}`
  return `${again(run)}${row} --record ${RECORD_FILE}`
}

/** The numbers of the record's lines that are failures, in order. */
function failureLinesIn(record: string): readonly number[] {
  return record.split("\n").flatMap((line) => {
    if (!line.startsWith('{"k":"mark"')) return []
    const { s, level } = JSON.parse(line) as { readonly s: number; readonly level: string }
    return level === "fail" ? [s] : []
  })
}
