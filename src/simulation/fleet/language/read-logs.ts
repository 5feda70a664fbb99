/** The orders of replayed tables, and whether their maps fit the model. */

import type { LocalStart } from "../../scenario/language/language.ts"
import type { Report } from "../../scenario/language/problems.ts"
import type { WrittenMap } from "../../scenario/language/source.ts"
import type { FleetDemand, FleetSite, WrittenFleet } from "./model.ts"
import type { LogFault, OrderLog } from "./order-log.ts"
import type { DurationBinding, ReplayTable } from "./replay-table.ts"
import { spanAt } from "./written-part.ts"

/** A demand of a table, with what binding its rows needs of the model. */
export interface AskedLog {
  /** Its index. */
  readonly demand: number
  readonly table: ReplayTable
  readonly product: FleetDemand["product"]
  readonly site: FleetSite
  readonly clock: LocalStart
  readonly horizonMs: number
}

/** Reads the orders of a demand: from the table itself where files are, elsewhere from what was read there. */
export type LogReader = (asked: AskedLog) => LogFault | OrderLog

interface Reading {
  readonly root: WrittenMap
  readonly report: Report
  readonly clock: LocalStart
  readonly read: LogReader | undefined
}

/** In the order of their demands; a demand with a mistake, which is reported, has none. */
export function readLogs(
  { demand, sites, horizon }: WrittenFleet,
  { root, report, clock, read }: Reading,
): readonly OrderLog[] {
  return demand.flatMap(({ replay, product, site: name, pace, store }, at) => {
    const site = sites.find(({ as }) => as === name)
    if (replay === null || typeof replay === "string" || site === undefined) return []
    const tell = ({ at: path, message, ...advice }: LogFault): void =>
      report(spanAt(root, ["demand", at, "replay", ...path]), message, advice)
    const mistakes = mistakesOf(replay, product)
    if (pace !== 1)
      mistakes.push({ at: [], message: "pace is for a file of instants", help: "write scale in replay" })
    if (store !== null && replay.store !== null)
      mistakes.push({
        at: ["store"],
        message: "the demand names its store already",
        help: "write one of both",
      })
    for (const mistake of mistakes) tell(mistake)
    if (mistakes.length > 0) return []
    if (read === undefined) {
      tell({ at: ["file"], message: "a table is not read here" })
      return []
    }
    const found = read({ demand: at, table: replay, product, site, clock, horizonMs: horizon })
    if (!("message" in found)) return [found]
    tell(found)
    return []
  })
}

/** What of a map means nothing, or two things. */
function mistakesOf(table: ReplayTable, product: string): LogFault[] {
  const { time, store, door, cancel, priority, first_day: firstDay, repeat, resample } = table
  const ways = [
    time.column !== null,
    time.date !== null && time.time !== null,
    time.weekday !== null && time.hour !== null,
  ].filter((is) => is)
  const parts = [time.column, time.date, time.time, time.weekday, time.hour].filter((is) => is !== null)
  const isOneWay = ways.length === 1 && parts.length === (time.column === null ? 2 : 1)
  const faults: LogFault[] = []
  const fault = (at: readonly string[], message: string, expected: string): void => {
    faults.push({ at, message, expected })
  }
  if (!isOneWay) fault(["time"], "times are in one way", "column, or date and time, or weekday and hour")
  for (const name of LENGTHS) {
    const length = table[name]
    if (length !== null && !isLength(length))
      fault([name], "a duration is in one way", "column, or to with or without from")
    if (length !== null && PRODUCTS[name] !== undefined && !PRODUCTS[name].includes(product))
      fault([name], `a ${product} has none`, `a demand of ${PRODUCTS[name].join(" or ")}`)
  }
  if (priority !== null && product !== "reservation")
    fault(["priority"], "only reservations wait for runners", "a demand of reservation")
  if (door !== null && product === "reservation")
    fault(["door"], "a reservation is collected at the curb", "a demand of delivery or courier")
  if (
    door !== null &&
    ((door.lat === null) !== (door.lon === null) || (door.lat === null) === (door.column === null))
  )
    fault(["door"], "a door is in one way", "lat and lon, or column with are")
  if (door !== null && (door.column === null) !== (door.are === null))
    fault(["door"], "a door by its cell needs its positions", "column with are")
  for (const [name, one] of Object.entries({ store, cancel, priority }))
    if (one !== null && one.column === null) fault([name], "no column", "column")
  if (repeat !== null && resample !== null)
    fault(["resample"], "days are played in one way", "one of repeat, resample")
  if (firstDay !== null && (repeat !== null || resample !== null))
    fault(["first_day"], "days of a log that is repeated or drawn have no date", "no first_day")
  return faults
}

const LENGTHS = ["preparation", "patience", "ahead", "width", "ready_in", "cancel_after"] as const

/** Durations that not every product has. */
const PRODUCTS: Readonly<Record<string, readonly string[]>> = {
  patience: ["reservation"],
  ahead: ["reservation"],
  width: ["reservation"],
  ready_in: ["delivery", "courier"],
}

function isLength({ column, from, to, unit, each }: DurationBinding): boolean {
  if (column === null) return to !== null && unit === null && each === null
  return from === null && to === null && (unit === null || each === null)
}
