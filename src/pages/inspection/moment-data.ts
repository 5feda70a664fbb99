/** What the page "When was it lost?" is opened with, and what it asks while the answer is counted. */

import type { MomentAnswerJson } from "../../model/requests/moment-answer.ts"
import type { ChartDocument } from "../chart/chart-document.ts"

export interface MomentData {
  /** Name of the record's file, without its folder. */
  readonly record: string
  readonly answer: MomentAnswerJson
  /** Of the machine that waited; null for a promise. */
  readonly chart: ChartDocument | null
}

/** Of a page whose host still counts. */
export type CountingData = Pick<MomentData, "record"> & { readonly answer: null }

/** Where the inspector's host serves the page; below it are `/state`, and `/stop` for a POST. */
export const LOST_PATH = "/lost"

export type MomentState =
  | {
      readonly is: "counting"
      /** What went wrong, as a sentence; null until it is known. */
      readonly outcome: string | null
      readonly futures: number
    }
  | { readonly is: "done"; readonly data: MomentData }
  | { readonly is: "failed"; readonly message: string }
