/** What the page "When was it lost?" is opened with. */

import type { MomentAnswerJson } from "../../model/requests/moment-answer.ts"
import type { ChartDocument } from "../chart/chart-document.ts"

export interface MomentData {
  /** Name of the record's file, without its folder. */
  readonly record: string
  readonly answer: MomentAnswerJson
  /** Of the machine that waited; null for a promise. */
  readonly chart: ChartDocument | null
}
