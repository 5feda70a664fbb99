/** What the studio's page and its server send each other about fleet models, as JSON. */

import type { FleetNumber } from "../../../../model/replay/number-text.ts"
import type { InspectedTable } from "../../../../model/replay/inspected-table.ts"
import type { FileProblem } from "../contract.ts"

/** A fleet model in the list. */
export interface ListedFleet {
  readonly path: string
  readonly title: string
}

export interface FleetRead {
  readonly path: string
  readonly text: string
  readonly version: string
  readonly title: string
  /** The question that the model asks. */
  readonly because: string
  readonly problems: readonly FileProblem[]
  /** Empty while the model has problems. */
  readonly numbers: readonly FleetNumber[]
}

export interface FleetRunRequest {
  readonly path: string
  readonly text: string
}

/** A table that was dropped on the page; its server keeps the last one. */
export interface DroppedTable {
  readonly id: string
  readonly inspected: InspectedTable
}

export interface TableAddition {
  /** Of the model. */
  readonly path: string
  readonly version: string
  readonly id: string
  /** The name of the file beside the model. */
  readonly file: string
  /** `demand:` with a list of demands. */
  readonly yaml: string
  /** Whether a file of this name with other content may be replaced. */
  readonly replaces: boolean
}

/** `taken`: a file of this name has other content, and nothing was written. */
export interface TableAdded {
  readonly is: "added" | "taken"
}

/** A promise in one case, with its margin. */
export interface FleetMargin {
  readonly promise: string
  /** Empty for the only case. */
  readonly ofCase: string
  readonly standing: "broken" | "broken, not sure" | "kept" | "kept, not sure"
  readonly found: string
  readonly margin: string
}

export interface FleetCurve {
  readonly title: string
  /** The limit of the promise that it is about; null for none. */
  readonly limit: number | null
  readonly limitText: string | null
  readonly points: readonly { readonly at: string; readonly value: number | null; readonly text: string }[]
}

export interface FleetAnswer {
  /** Of the case that the headline is about; null without promises. */
  readonly standing: FleetMargin["standing"] | null
  /** The answer in a sentence. */
  readonly headline: string
  readonly reasons: readonly string[]
  readonly margins: readonly FleetMargin[]
  /** Of the recommended case. */
  readonly curves: readonly FleetCurve[]
  readonly replications: number
  /** Path of the whole report. */
  readonly report: string
}

/** A line of the stream of a fleet's run. */
export type FleetProgress =
  | { readonly is: "answer"; readonly answer: FleetAnswer }
  | { readonly is: "fault"; readonly message: string }
  | { readonly is: "progress"; readonly done: number; readonly wanted: number }
