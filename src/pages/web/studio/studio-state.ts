/** What the scenarios' part of the page holds: the state that is drawn, what its buttons do, and what work that goes on keeps. */

import type { Client } from "./client.ts"
import { StudioFault } from "./client.ts"
import type {
  Charts,
  FileCheck,
  FileProblem,
  FileRead,
  FileResult,
  FormAnswer,
  Listing,
  RunsOn,
  ServiceStep,
  Words,
} from "./contract.ts"
import type { FileForm } from "./form/form-contract.ts"
import type { FormChange, FormShapes } from "./form/form-changes.ts"
import type { OpenedRun } from "./opened-run.ts"
import type { Store } from "./store.ts"
import type { TriedSeeds } from "./tried-seeds.ts"

/** A run of the open file, and the one before it. */
export interface LastRun {
  readonly path: string
  /** The text that ran. */
  readonly text: string
  readonly runs: readonly OpenedRun[]
  readonly problems: readonly FileProblem[]
  readonly inspector: string | null
  /** Empty for a run against a service, which has no entries to compare. */
  readonly before: readonly OpenedRun[]
  /** The text of that run. */
  readonly textBefore: string
}

export interface RunningAll {
  readonly done: number
  readonly files: number
}

export interface StudioState {
  readonly listing: Listing | null
  readonly words: Words | null
  readonly results: ReadonlyMap<string, FileResult>
  readonly file: FileRead | null
  /** True until the first file is read, or could not be. */
  readonly isOpening: boolean
  /** The text in the editor. */
  readonly text: string
  /** A text that was put into the editor from outside: a new object each time. */
  readonly start: { readonly text: string }
  readonly problems: readonly FileProblem[]
  readonly last: LastRun | null
  /** Where the next run is made. */
  readonly runsOn: RunsOn
  readonly isRunning: boolean
  /** What a run against the service does now. */
  readonly step: ServiceStep | null
  readonly runningAll: RunningAll | null
  readonly seeds: TriedSeeds | null
  readonly unsaved: ReadonlySet<string>
  /** The texts before the last changes of the form, newest last; typing in the editor begins anew. */
  readonly undoable: readonly string[]
  /** A save that was refused because the file changed on disk. */
  readonly conflict: { readonly message: string; readonly current: FileRead | null } | null
  readonly fault: string | null
}

/** Before the folder was read. */
export const NOTHING: StudioState = {
  listing: null,
  words: null,
  results: new Map(),
  file: null,
  isOpening: true,
  text: "",
  start: { text: "" },
  problems: [],
  last: null,
  runsOn: "memory",
  isRunning: false,
  step: null,
  runningAll: null,
  seeds: null,
  unsaved: new Set(),
  undoable: [],
  conflict: null,
  fault: null,
}

export interface StudioActions {
  readonly open: (path: string) => Promise<void>
  readonly type: (text: string) => void
  readonly check: (text: string) => Promise<FileCheck | null>
  /** Puts a whole text into the editor, such as one with a mistake mended. */
  readonly replaceText: (text: string) => void
  /** A text as a form: null when it cannot be shown as one, undefined when the server did not answer, which the page then says. */
  readonly readForm: (path: string, text: string) => Promise<FileForm | null | undefined>
  /** Makes a change of the form, after the changes before it: the text that it leaves, or null when it was not made. */
  readonly edit: (change: FormChange) => Promise<string | null>
  /** Takes back the last change of the form. */
  readonly undo: () => Promise<void>
  readonly saveAndRun: () => Promise<void>
  /** Writes over the file as it is on disk, or writes it again when it was deleted. */
  readonly saveOver: () => Promise<void>
  readonly loadAgain: () => Promise<void>
  readonly runOn: (where: RunsOn) => void
  /** Stops the run of the open file. */
  readonly stop: () => void
  readonly runAll: () => Promise<void>
  readonly stopAll: () => void
  /** Runs the open file, as it is in the editor, with one seed after the other. */
  readonly trySeeds: () => Promise<void>
  readonly stopSeeds: () => void
  /** Runs the open file, as it is in the editor, with this seed. */
  readonly runWithSeed: (seed: number) => Promise<void>
  /** Writes a new file, opens it and runs it; the refusal's message, or null. */
  readonly create: (path: string, text: string) => Promise<string | null>
  /** Reads the list again. */
  readonly refresh: () => Promise<void>
  /** Takes over what other programs have done in the folder. */
  readonly takeDiskChanges: () => Promise<void>
  /** Gives the open file, which is saved, another path; the refusal's message, or null. */
  readonly rename: (to: string) => Promise<string | null>
  /** Deletes the open file; the refusal's message, or null. */
  readonly remove: () => Promise<string | null>
}

export interface StudioStore extends Store<StudioState> {
  readonly client: Client
  /** Texts that are not saved, by path, with the file that they began from. */
  readonly drafts: Map<string, { readonly text: string; readonly file: FileRead }>
  readonly lastByPath: Map<string, LastRun>
  /** The last runs in memory, with which the next ones are compared. */
  readonly inMemoryByPath: Map<string, { readonly runs: readonly OpenedRun[]; readonly text: string }>
  /** The last save, which may not have its answer yet. */
  writing: Promise<unknown>
  /** The file that was chosen last. */
  opening: string | null
  /** Whether the file that is being read can be opened; null while none is read. */
  reading: Promise<boolean> | null
  /** The file that is to run when the present run has ended. */
  askedAgain: string | null
  /** The last change of the form, which may not be made yet. */
  editing: Promise<string | null>
  /** The text whose form was read last, or that a change has left. */
  read: (FormAnswer & { readonly path: string }) | null
  readonly shapes: FormShapes
  /** Of the run of the open file, which may go on beside "Run all". */
  stopping: AbortController | null
  stoppingAll: AbortController | null
  stoppingSeeds: AbortController | null
  charts: Promise<Charts> | null
}

/** Shows a refusal of the server; another fault is one of the page. */
export async function faced({ set }: StudioStore, act: () => Promise<void>): Promise<void> {
  try {
    await act()
  } catch (cause) {
    if (!(cause instanceof StudioFault)) throw cause
    set({ fault: cause.message })
  }
}
