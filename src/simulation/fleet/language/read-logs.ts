/** The orders of replayed tables. */

import type { LocalStart } from "../../scenario/language/language.ts"
import type { Report } from "../../scenario/language/problems.ts"
import type { WrittenMap } from "../../scenario/language/source.ts"
import { textBeside } from "./beside.ts"
import type { Beside } from "./beside.ts"
import type { FleetDemand, FleetSite, WrittenFleet } from "./model.ts"
import { noOrderText } from "./order-log.ts"
import type { LeftOutRows, LogFault, OrderLog } from "./order-log.ts"
import type { ReplayTable } from "./replay-table.ts"
import { serviceBox } from "./site-area.ts"
import { spanAt } from "./written-part.ts"

/** A demand of a table, with what binding its rows needs of the model. */
export interface AskedLog {
  /** Its index. */
  readonly number: number
  /** What each demand takes of the rows that is made from the same written one, in their order; `part` is the index of this demand. */
  readonly parts: readonly ReplayTable["only"][]
  readonly part: number
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
  const asked = demand.flatMap((one, at) => {
    const { replay } = one
    const site = sites.find(({ as }) => as === one.site)
    if (replay === null || typeof replay === "string" || site === undefined) return []
    return [{ number: at, table: replay, demand: one, site, span: spanAt(root, ["demand", at]) }]
  })
  const found = asked.map(({ span, ...one }): Found => {
    const made = asked.filter((other) => other.span === span)
    const parts = made.map(({ table }) => table.only)
    const part = made.findIndex(({ number }) => number === one.number)
    const log = read?.({ ...one, parts, part, clock, horizonMs: horizon, streets }) ?? {
      at: ["file"],
      message: "a table is not read here",
    }
    return { at: one.number, span, log }
  })
  return found.flatMap((one) => logIn(one, { found, root, report }))
}

interface Found {
  readonly at: number
  readonly span: WrittenMap["span"]
  readonly log: LogFault | OrderLog
}

interface Finding extends Pick<Reading, "report" | "root"> {
  readonly found: readonly Found[]
}

/** Its log, or none and the mistake is reported. */
function logIn({ at, span, log }: Found, { found, root, report }: Finding): readonly OrderLog[] {
  if (!("message" in log)) return [log]
  const { at: path, message, empty, ...advice } = log
  const tell = (text: string): readonly OrderLog[] => {
    report(spanAt(root, ["demand", at, "replay", ...path]), text, advice)
    return []
  }
  if (empty === undefined) return tell(message)
  // Of demands that are made from one, some may have no rows.
  const made = found.filter((other) => other.span === span)
  const empties = made.flatMap((other) => ("message" in other.log ? (other.log.empty ?? []) : []))
  const telling = made.find((other) => "message" in other.log && other.log.help !== undefined) ?? made[0]
  if (empties.length < made.length || telling?.at !== at) return [empty]
  return tell(noOrderText(empty.file, together(empties.flatMap(({ rows }) => rows.leftOut))))
}

/** Each reason once. */
function together(rows: readonly LeftOutRows[]): readonly LeftOutRows[] {
  const byReason = new Map<string, LeftOutRows>()
  for (const one of rows) {
    const known = byReason.get(one.reason)
    byReason.set(one.reason, known === undefined ? one : { ...known, count: known.count + one.count })
  }
  return [...byReason.values()]
}
