/** The orders of replayed tables. */

import type { LocalStart } from "../../scenario/language/language.ts"
import type { Report } from "../../scenario/language/problems.ts"
import type { WrittenMap } from "../../scenario/language/source.ts"
import { textBeside } from "./beside.ts"
import type { Beside } from "./beside.ts"
import type { FleetDemand, FleetSite, WrittenFleet } from "./model.ts"
import type { LogFault, OrderLog } from "./order-log.ts"
import type { ReplayTable } from "./replay-table.ts"
import { serviceBox } from "./site-area.ts"
import { spanAt } from "./written-part.ts"

/** A demand of a table, with what binding its rows needs of the model. */
export interface AskedLog {
  /** Its index. */
  readonly number: number
  readonly table: ReplayTable
  readonly demand: FleetDemand
  readonly site: FleetSite
  readonly clock: LocalStart
  readonly horizonMs: number
  /** The file of `travel.streets`; null without one. */
  readonly streets: StreetsText | null
}

export interface StreetsText {
  readonly file: string
  /** Null when it cannot be read. */
  readonly text: () => string | null
}

/** Reads the orders of a demand: from the table itself where files are, elsewhere from what was read there. */
export type LogReader = (asked: AskedLog) => LogFault | OrderLog

interface Reading {
  readonly root: WrittenMap
  readonly report: Report
  readonly clock: LocalStart
  readonly read: LogReader | undefined
  readonly beside: Beside
}

/** In the order of their demands; a demand with a mistake, which is reported, has none. */
export function readLogs(
  { demand, sites, horizon, travel }: WrittenFleet,
  { root, report, clock, read, beside }: Reading,
): readonly OrderLog[] {
  const streetsFile = typeof travel === "string" ? null : travel.streets
  const textOf = (name: string): string | null => {
    const one = textBeside(name, beside, { near: serviceBox(sites), profile: null })
    return "fault" in one ? null : one.text
  }
  const streets = streetsFile === null ? null : { file: streetsFile, text: () => textOf(streetsFile) }
  const found = demand.flatMap((one, at) => {
    const { replay } = one
    const site = sites.find(({ as }) => as === one.site)
    if (replay === null || typeof replay === "string" || site === undefined) return []
    const asked = { number: at, table: replay, demand: one, site, clock, horizonMs: horizon, streets }
    const log = read?.(asked) ?? { at: ["file"], message: "a table is not read here" }
    return [{ at, file: replay.file, log, span: spanAt(root, ["demand", at]) }]
  })
  return found.flatMap(({ at, file, log, span }) => {
    if (!("message" in log)) return [log]
    const { at: path, message, isEmpty = false, ...advice } = log
    // Of demands that are made from one, some may have no rows.
    if (isEmpty && found.some((other) => other.span === span && !("message" in other.log)))
      return [withoutOrders(at, file)]
    report(spanAt(root, ["demand", at, "replay", ...path]), message, advice)
    return []
  })
}

function withoutOrders(demand: number, file: string): OrderLog {
  const rows = { read: 0, used: 0, leftOut: [], unit: "line" } as const
  return { demand, file, orders: [], days: null, pools: [], withinMs: 0, notes: [], rows }
}
