/** What a page and the worker that runs the simulator say to each other. Every message has the token of its run; a page drops those of others. */

import type { CourseChunk, CourseHead } from "./course.ts"
import type { ChangeOffer } from "./change-text.ts"
import type { FleetNumber } from "./number-text.ts"
import type { DayFigures } from "./seed-difference.ts"

/** A model to run. */
export interface ReplayRequest {
  /** Name of the file, for messages. */
  readonly file: string
  /** The model in YAML. */
  readonly text: string
  /** Files beside the model, by the name that the model gives them: streets, matrices, logs. */
  readonly beside: Readonly<Record<string, string>>
  /** The orders of tables beside the model, as JSON; left out: none. */
  readonly logs?: string
  /** Null: the first seed of the model. */
  readonly seed: number | null
  /** The case of a sweep or a search, as pairs of a setting and its value; left out: the first case. */
  readonly settings?: readonly (readonly [setting: string, value: number | string])[]
  /** The digest that the command has for this model and seed, for a page to compare with; null or left out: not known. */
  readonly expectedDigest?: string | null
}

export type ToReplayWorker =
  | { readonly type: "open"; readonly token: number; readonly run: ReplayRequest }
  /** Asks for the journal of a group; a run answers it after its end too. */
  | { readonly type: "journal"; readonly token: number; readonly address: string }
  /** Runs the opened model once for each seed, without a course, and answers each with its figures. A new one ends the one before. */
  | { readonly type: "seeds"; readonly token: number; readonly seeds: readonly number[] }
  /** Ends the runs of the seeds with this token; the watched run goes on. */
  | { readonly type: "cancel"; readonly token: number }

export interface ReplayMistake {
  readonly message: string
  /** Where in the model's text; null for a fault of the run. */
  readonly place: { readonly file: string; readonly line: number; readonly column: number } | null
}

export type FromReplayWorker =
  | {
      readonly type: "opened"
      readonly token: number
      readonly head: CourseHead
      /** Of the model's text. */
      readonly numbers: readonly FleetNumber[]
      /** What of the model may be changed from an instant on. */
      readonly offers: readonly ChangeOffer[]
    }
  | {
      readonly type: "chunk"
      readonly token: number
      readonly turns: number
      /** Its buffers are transferred. */
      readonly chunk: CourseChunk
    }
  | { readonly type: "done"; readonly token: number; readonly digest: string; readonly turns: number }
  | {
      readonly type: "journal"
      readonly token: number
      readonly address: string
      /** A run record of this group alone, with the charts of its machines; null for a group that the run does not have. */
      readonly record: string | null
    }
  | {
      readonly type: "figures"
      /** Of the seeds. */
      readonly token: number
      readonly seed: number
      readonly figures: DayFigures
    }
  | { readonly type: "failed"; readonly token: number; readonly mistake: ReplayMistake }
