/** What the studio's page and its server on the same machine send each other, as JSON. */

import type { ChartPicture } from "../../inspection/packed.ts"
import type { FileForm, FormEdit, StepWords } from "./form/form-contract.ts"

/** Header of every call, with the token from the fragment of the printed address. */
export const TOKEN_HEADER = "x-curbline-studio-token"

/** The studio's own answers when it refuses a call. */
export interface Refused {
  readonly message: string
  /** The file as it is on disk, when it changed since it was read. */
  readonly current?: FileRead
}

/** Where scenarios run: on virtual time in the studio, or against the service of `--against`. */
export type RunsOn = "memory" | "service"

/** A scenario file in the list. */
export interface ListedFile {
  /** Relative to the opened folder, with `/`. */
  readonly path: string
  /** The title in the file; the file's name for one that cannot be read, or that is TypeScript. */
  readonly title: string
  readonly tags: readonly string[]
  readonly isTypeScript: boolean
  /** How many problems keep it from running. */
  readonly problems: number
}

export interface Listing {
  /** The opened folder, as it was typed; the name of `.` is that of the folder. */
  readonly folder: string
  readonly files: readonly ListedFile[]
  /** The sandbox host of `--against`, as `host:port`; null without it. */
  readonly service: string | null
}

/** A problem of a file; lines and columns are 1-based. */
export interface FileProblem {
  readonly line: number
  readonly column: number
  /** In characters, at least 1. */
  readonly length: number
  readonly message: string
  /** The word that was probably meant. */
  readonly suggestion: string | null
  readonly expected: string | null
  readonly help: string | null
}

/** Where a step begins, and what it says. */
export interface StepLine {
  readonly line: number
  readonly words: string
}

export interface FileCheck {
  readonly problems: readonly FileProblem[]
  /** Empty while the file has problems. */
  readonly steps: readonly StepLine[]
}

export interface FileRead extends FileCheck {
  readonly path: string
  readonly text: string
  /** Of the text on disk; a save names it. */
  readonly version: string
  readonly isTypeScript: boolean
}

/** A save; `version` is null for a new file. */
export interface Save {
  readonly path: string
  readonly text: string
  readonly version: string | null
}

export interface Saved {
  readonly version: string
}

/** Another name of a file, which is still the version that was read. */
export interface Move {
  readonly path: string
  readonly to: string
  readonly version: string
}

/** A file that is to go, which is still the version that was read. */
export interface Removal {
  readonly path: string
  readonly version: string
}

/** A line of the stream of changes in the folder; the first says that it is watched. */
export interface FolderChange {
  readonly is: "changed" | "watched"
}

export interface RunRequest {
  readonly path: string
  /** The text in the editor; without it, the file on disk. A TypeScript scenario takes none. */
  readonly text?: string
  readonly seed?: number
}

/** `not run`: a service cannot be asked what the scenario needs. */
export type Verdict = "failed" | "fault" | "not run" | "passed"

/** What a service could not be asked about, with its line; null for the head of the file, or another file. */
export interface LeftOut {
  readonly line: number | null
  readonly what: string
  readonly why: string
}

/** A failed expectation, a refused command, a broken invariant or promise. */
export interface RunFailure {
  readonly message: string
  readonly expected: string
  readonly actual: string
  readonly why: readonly string[]
  /** Null when it is about no line of this file. */
  readonly line: number | null
}

/** What became of a step. */
export interface StepOutcome {
  readonly line: number
  readonly words: string
  /** `held`: an expectation came true. `left`: nothing ran it. */
  readonly outcome: "done" | "failed" | "held" | "left"
}

/** An actor over time. */
export interface RunLane {
  readonly address: string
  /** The name that the scenario gave, and the part. */
  readonly name: string
  readonly kind: string
  readonly stays: readonly Stay[]
}

/** One state, or the states of parallel regions. Times are ms since the run's start. */
export interface Stay {
  readonly from: number
  readonly to: number
  readonly states: string
  readonly isEnd: boolean
}

/** A command, a fault or a wait of the file, when it was done. */
export interface RunCommand {
  readonly t: number
  readonly line: number | null
  readonly words: string
  readonly isFailed: boolean
}

/** An expectation on the line of time. */
export interface RunExpectation {
  readonly line: number | null
  readonly words: string
  /** When its wait began, and the last moment at which it could come true; equal for one about an instant. */
  readonly from: number
  readonly until: number
  /** The time that the file allows, as `within 20s` or `at 12:06`; null when it names none. */
  readonly allowed: string | null
  /** When it was decided. */
  readonly t: number
  readonly isHeld: boolean
  /** When an event came that was expected earlier; null for none. */
  readonly cameAt: number | null
}

/** A request, a text or a mail that left the service. */
export interface RunMessage {
  readonly t: number
  readonly kind: string
  readonly to: string
  /** The host and the id of a request, with the id's header; null for texts and mails. */
  readonly request: { readonly host: string; readonly header: string; readonly id: string } | null
  readonly what: string
  readonly answer: string | null
  readonly isAccepted: boolean
  readonly body: string
  /** Which of the run's entries wrote a text or a mail, from 0; null for a request, and for one that no entry wrote. */
  readonly entry: number | null
}

/** Why the end of a file did not run. */
export interface NotRun {
  /** The first line that did not run. */
  readonly line: number
  readonly reason: string
}

/** One run of one row of a file. */
export interface FileRun {
  readonly title: string
  readonly variant: string | null
  readonly seed: number
  readonly verdict: Verdict
  /** True for a scenario that only a refused command or a broken invariant can fail. */
  readonly expectsNothing: boolean
  readonly wallMs: number
  /** Ms since the epoch. */
  readonly startMs: number
  readonly virtualMs: number
  readonly timeZone: string
  readonly failures: readonly RunFailure[]
  readonly steps: readonly StepOutcome[]
  readonly lanes: readonly RunLane[]
  readonly commands: readonly RunCommand[]
  readonly expectations: readonly RunExpectation[]
  readonly messages: readonly RunMessage[]
  /** The names that the scenario gave, by the address of the group. */
  readonly names: Readonly<Record<string, string>>
  /** The run record (NDJSON) without charts; empty after a fault of the engine, and of a service's run. */
  readonly record: string
  readonly notRun: NotRun | null
  /** Null for a run in memory. */
  readonly service: ServiceRun | null
}

/** What only a run against a service has. */
export interface ServiceRun {
  /** As `host:port`. */
  readonly host: string
  /** Checks that were left out; of a scenario that was not run, the reason. */
  readonly leftOut: readonly LeftOut[]
}

export interface RunAnswer {
  readonly runs: readonly FileRun[]
  readonly problems: readonly FileProblem[]
  /** Path of the inspector's page of these runs; null when there is nothing to inspect. */
  readonly inspector: string | null
}

/** A run of all rows of a file with one seed. */
export interface SeedResult {
  readonly seed: number
  readonly verdict: Verdict | "unreadable"
  /** The first failure or problem; null when it passed. */
  readonly message: string | null
}

/** A line of the stream of "Try seeds 1 to 50". A file that cannot be read ends the stream with its first seed. */
export type SeedsProgress =
  | { readonly is: "seed"; readonly result: SeedResult }
  | { readonly is: "end"; readonly passed: number; readonly failed: number }

/** A line of the stream of "Run all". */
export type Progress =
  | { readonly is: "file"; readonly result: FileResult }
  | { readonly is: "start"; readonly files: number; readonly leftOut: readonly string[] }
  | {
      readonly is: "end"
      readonly passed: number
      readonly failed: number
      /** Why it ended before its last file. */
      readonly stopped?: string
    }

/** The step that a run against a service takes now. */
export interface ServiceStep {
  /** 1-based, of the rows of the file. */
  readonly run: number
  readonly runs: number
  /** 1-based; 0 while the organization is made. */
  readonly step: number
  readonly steps: number
  readonly words: string
}

/** A line of the stream of a run against a service. */
export type ServiceProgress =
  | { readonly is: "answer"; readonly answer: RunAnswer }
  | { readonly is: "fault"; readonly message: string }
  | { readonly is: "step"; readonly at: ServiceStep }

/** The result of a file in "Run all": of all its rows. */
export interface FileResult {
  readonly path: string
  readonly verdict: Verdict | "unreadable"
  readonly wallMs: number
  /** The first failure or problem, or why it was not run; null when it passed. */
  readonly message: string | null
}

/** A word that the editor completes. */
export interface Completion {
  readonly label: string
  readonly detail: string
}

/** The language's tables, for completion. */
export interface Words {
  readonly keys: readonly Completion[]
  readonly verbs: readonly Completion[]
  /** Commands for `do` and for `do` inside of `refuse`. */
  readonly commands: readonly Completion[]
  readonly facts: readonly Completion[]
  /** What new steps of a form may be. */
  readonly newSteps: StepWords
  readonly faults: readonly Completion[]
  readonly codes: readonly Completion[]
  readonly invariants: readonly Completion[]
  readonly promises: readonly Completion[]
  readonly given: readonly Completion[]
  readonly stepKeys: readonly Completion[]
  /** The fields of a command, fact, fault or key of given, by its name. */
  readonly fields: Readonly<Record<string, readonly Field[]>>
}

export interface Field extends Completion {
  /** Values of an enumeration; empty for other fields. */
  readonly values: readonly string[]
}

/** A record that the page opened; its server keeps the last one. */
export interface OpenedRecord {
  readonly id: string
  readonly cases: readonly {
    /** `delivery/dlv_…` */
    readonly group: string
    /** `2026-03-05 18:41:08`, on the clock of its site. */
    readonly began: string
    /** `ended.completed` */
    readonly state: string
  }[]
}

/** A case of the record, and why it is kept; empty for the usual sentence. */
export interface CaseToKeep {
  readonly id: string
  readonly group: string
  readonly because: string
}

export interface KeptCase {
  /** Of the scenario. */
  readonly text: string
  /** What the text cannot repeat, a sentence each. */
  readonly notes: readonly string[]
}

/** One value of a template's form; its unit, if it has one, stands behind it. */
export interface TemplateField {
  readonly name: string
  readonly label: string
  readonly hint: string | null
  readonly kind: "number" | "text" | "time"
  readonly unit?: string
  readonly usual: string
  readonly min?: number
  readonly max?: number
}

/** What templates are for. */
export type TemplateArea = "fleets" | "scenarios"

/** A situation in plain words, from which a scenario or a fleet model is written. */
export interface Template {
  readonly id: string
  readonly title: string
  readonly about: string
  readonly fields: readonly TemplateField[]
}

export interface Filled {
  readonly id: string
  readonly values: Readonly<Record<string, string>>
}

/** What a form would write: the text, and the same as sentences. Or the field whose value does not fit. */
export type Draft =
  | { readonly is: "text"; readonly text: string; readonly sentences: readonly string[] }
  | { readonly is: "problem"; readonly field: string; readonly message: string }

export interface FormRequest {
  readonly path: string
  readonly text: string
  /** Left out to read the form of a text. */
  readonly edit?: FormEdit
}

/** The text after the change, and its form; a null form when the text cannot be shown as one. */
export interface FormAnswer {
  readonly text: string
  readonly form: FileForm | null
}

export type Charts = readonly ChartPicture[]
