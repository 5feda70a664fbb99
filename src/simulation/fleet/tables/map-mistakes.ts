/** Mistakes of a map of `replay` that show without its table. */

import type { LogFault } from "../language/order-log.ts"
import type { AskedLog } from "../language/read-logs.ts"
import type { DurationBinding } from "../language/replay-table.ts"

/** What of a map means nothing, or two things; it is checked where its table is read. */
export function mistakesOf({ table, demand }: AskedLog): readonly LogFault[] {
  const { product } = demand
  const { time, store, door, cancel, patience, priority, first_day: firstDay, repeat, resample } = table
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
  if (door !== null && !isOneDoor(door))
    fault(["door"], "a door is in one way", "lat and lon, or column with are, or address")
  if (door !== null && (door.column === null) !== (door.are === null))
    fault(["door"], "a door by its cell needs its positions", "column with are")
  const columns = { store, cancel, priority, "patience left": patience?.left ?? null }
  for (const [name, one] of Object.entries(columns))
    if (one !== null && one.column === null) fault(name.split(" "), "no column", "column")
  if (demand.pace !== 1) fault([], "pace is for a file of instants", "scale in replay")
  if (demand.store !== null && store !== null)
    fault(["store"], "the demand names its store already", "one of both")
  if (repeat !== null && resample !== null)
    fault(["resample"], "days are played in one way", "one of repeat, resample")
  if (firstDay !== null && (repeat !== null || resample !== null))
    fault(["first_day"], "days of a log that is repeated or drawn have no date", "no first_day")
  return faults
}

function isOneDoor({
  lat,
  lon,
  column,
  address,
  addresses,
}: NonNullable<AskedLog["table"]["door"]>): boolean {
  const pairs = [[lat, lon] as const, [column, column] as const, [address, address ?? addresses] as const]
  return (
    pairs.every(([one, other]) => (one === null) === (other === null)) &&
    pairs.filter(([one]) => one !== null).length === 1
  )
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
