/** What the cells of a row say of its order: each binding of a map, as a function of the row. */

import { isInside, metresBetween } from "../../../areas/dispatch/geography.ts"
import type { Place, Polygon } from "../../../model/place.ts"
import {
  PRIORITY_MAX,
  SITE_LATITUDE_MAX,
  WINDOW_WIDTH_MS_MAX,
  WINDOW_WIDTH_MS_MIN,
} from "../../../model/values/limits.ts"
import type { EpochMs } from "../../../model/values/time.ts"
import type { OrderFacts } from "../language/order-log.ts"
import type { AskedLog } from "../language/read-logs.ts"
import type { Column, DurationBinding } from "../language/replay-table.ts"
import { areaOf } from "../language/site-area.ts"
import { UNIT_MS, durationIn, numberIn } from "./cells.ts"
import { MistakenLog, columnOf } from "./columns.ts"
import { citiesText } from "./address-book.ts"
import type { AddressBook } from "./address-book.ts"
import type { Table, TableRow } from "./table.ts"

/** Why a row is left out. */
export class LeftOut {
  readonly reason: string
  /** Of the first row of a reason. */
  readonly about: (() => string) | undefined

  constructor(reason: string, about?: () => string) {
    this.reason = reason
    this.about = about
  }
}

/** Of a row whose time is known; `instantOf` reads a cell of a column of times. */
export type BoundFacts = (row: TableRow, atMs: EpochMs) => LeftOut | OrderFacts

type Value<T> = (row: TableRow, atMs: EpochMs) => LeftOut | T | null

export interface Binding {
  readonly table: Table
  readonly asked: AskedLog
  /** Those that `door` names. */
  readonly addresses: AddressBook | null
  /** Reads the times of another column as those of the orders are read: null of an empty cell. Throws MistakenLog. */
  readonly instantsOf: (column: Column, at: readonly string[]) => (row: TableRow) => EpochMs | LeftOut | null
}

/** Throws MistakenLog for a column that is missing, and for a store that the site does not have. */
export function boundFacts(binding: Binding): BoundFacts {
  const { table: map } = binding.asked
  const length = (name: "preparation" | "patience" | "ahead" | "width" | "ready_in" | "cancel_after") =>
    map[name] === null ? nothing : durationOf(binding, map[name], name)
  const values = {
    store: storeOf(binding),
    door: doorOf(binding),
    preparationMs: length("preparation"),
    aheadMs: length("ahead"),
    widthMs: widthOf(length("width")),
    readyInMs: length("ready_in"),
    priority: priorityOf(binding),
  }
  const wait = length("patience")
  const leaves = saysSo(binding.table, map.patience?.left ?? null, ["patience", "left"])
  const cancel = saysSo(binding.table, map.cancel, ["cancel"])
  const cancelAfter = length("cancel_after")
  return (row, atMs) => {
    const facts: Record<string, unknown> = {}
    for (const [name, value] of Object.entries<Value<unknown>>(values)) {
      const read = value(row, atMs)
      if (read instanceof LeftOut) return read
      if (read !== null) facts[name] = read
    }
    const waitMs = wait(row, atMs)
    if (waitMs instanceof LeftOut) return waitMs
    if (waitMs !== null) facts[(leaves(row) ?? true) ? "patienceMs" : "servedAfterMs"] = waitMs
    const afterMs = cancelAfter(row, atMs)
    if (afterMs instanceof LeftOut) return afterMs
    // An order without a time of its cancellation is canceled only if another column says so.
    if (map.cancel !== null || map.cancel_after !== null)
      facts["isCanceled"] = cancel(row) ?? afterMs !== null
    if (afterMs !== null) facts["cancelAfterMs"] = afterMs
    return facts
  }
}

const nothing = (): null => null

/**
 * Rows whose cells are not among those of `only` are left out. Of demands that are made from one, each takes its own rows, and the first
 * one counts those that none of them takes, by the column whose cell none of them has.
 */
export function choiceOf({
  table,
  asked: { parts, part },
}: Binding): (row: TableRow) => LeftOut | "of another part" | null {
  const chosen = parts.map((only) =>
    only.map(([name, cells]) => ({
      name,
      at: columnOf(table, columnNamed(table, name), ["only", name]),
      cells,
    })),
  )
  const cellsAt = new Map<number, Set<string>>()
  for (const { at, cells } of chosen.flat()) cellsAt.set(at, new Set([...(cellsAt.get(at) ?? []), ...cells]))
  const takes = chosen.map((only) => {
    const columns = only.map(({ at, cells }) => ({ at, cells: new Set(cells) }))
    return ({ cells }: TableRow) => columns.every((one) => one.cells.has(cells[one.at] ?? ""))
  })
  const [first = []] = chosen
  return (row) => {
    const taking = takes.findIndex((take) => take(row))
    if (taking === part) return null
    if (taking !== -1 || part > 0) return "of another part"
    const cellOf = ({ at }: { readonly at: number }): string => row.cells[at] ?? ""
    const other =
      first.find((one) => cellsAt.get(one.at)?.has(cellOf(one)) !== true) ??
      first.find((one) => !one.cells.includes(cellOf(one)))
    return new LeftOut(`with another ${other?.name ?? "cell"}`)
  }
}

/** A number is the name of a column that is called so, else its place. */
function columnNamed({ columns }: Table, name: string): Column {
  return /^\d+$/.test(name) && !columns.includes(name) ? Number(name) : name
}

function storeOf({ table, asked }: Binding): Value<string> {
  const { store } = asked.table
  if (store === null || store.column === null) return nothing
  const at = columnOf(table, store.column, ["store"])
  const names = new Set(asked.site.stores.map(({ as }) => as))
  const byCell = new Map(store.are ?? [])
  for (const [cell, name] of byCell)
    if (!names.has(name))
      throw new MistakenLog({
        at: ["store", "are", cell],
        message: `the site has no store ${JSON.stringify(name)}`,
        expected: [...names].join(", "),
      })
  return ({ cells }) => {
    const cell = cells[at] ?? ""
    const name = store.are === null ? cell : byCell.get(cell)
    if (name !== undefined && names.has(name)) return name
    return new LeftOut(cell === "" ? "without a store" : "of another store")
  }
}

function doorOf({ table, asked, addresses }: Binding): Value<Place> {
  const { door } = asked.table
  if (door === null) return nothing
  const area = areaOf(asked.site)
  if (door.address !== null && addresses !== null)
    return addressed(
      door.address.map((column) => columnOf(table, column, ["door", "address"])),
      addresses,
      area,
    )
  const place = placeIn(table, door)
  return (row, atMs) => {
    const read = place(row, atMs)
    if (read === null || read instanceof LeftOut) return read ?? new LeftOut("without a door")
    return isInside(read, area) ? read : new LeftOut("whose door is outside of the service area")
  }
}

/** Places of one address that are so near to each other are one. */
const SAME_DOOR_M = 200

function addressed(columns: readonly number[], addresses: AddressBook, area: Polygon): Value<Place> {
  return ({ cells }) => {
    const text = columns
      .map((at) => cells[at] ?? "")
      .join(" ")
      .trim()
    if (text === "") return new LeftOut("without a door")
    const found = addresses.find(text)
    if (!("doors" in found)) return new LeftOut(found.reason, found.about)
    const inside = found.doors.filter(({ place }) => isInside(place, area))
    const [first, ...others] = inside
    if (first === undefined) return new LeftOut("whose door is outside of the service area")
    return others.every(({ place }) => metresBetween(first.place, place) <= SAME_DOOR_M)
      ? first.place
      : new LeftOut(
          `whose address is at several places of ${addresses.file}`,
          () => `: ${JSON.stringify(text)}${citiesText(inside)}`,
        )
  }
}

function placeIn(table: Table, door: NonNullable<AskedLog["table"]["door"]>): Value<Place> {
  const { lat, lon, column, are, per_degree: perDegree } = door
  if (column !== null) {
    const at = columnOf(table, column, ["door", "column"])
    const byCell = new Map(are ?? [])
    return ({ cells }) => byCell.get(cells[at] ?? "") ?? null
  }
  if (lat === null || lon === null) return nothing
  const [latAt, lonAt] = [columnOf(table, lat, ["door", "lat"]), columnOf(table, lon, ["door", "lon"])]
  return ({ cells }) => {
    const [latitude, longitude] = [latAt, lonAt].map((at) => {
      const value = numberIn(cells[at] ?? "", table)
      return value === null ? null : value / perDegree
    })
    if (typeof latitude !== "number" || typeof longitude !== "number") return null
    const isPlace = Math.abs(latitude) <= SITE_LATITUDE_MAX && Math.abs(longitude) <= 180
    return isPlace ? { latitude, longitude } : new LeftOut("whose door is no place on Earth")
  }
}

function durationOf(binding: Binding, length: DurationBinding, name: string): Value<number> {
  const { table, instantsOf } = binding
  const { column, unit, each, from, to } = length
  const words = name.replaceAll("_", " ")
  const checked = (ms: number | null): LeftOut | number =>
    ms === null || ms < 0 || !Number.isFinite(ms)
      ? new LeftOut(`whose ${words} is ${ms === null ? "no duration" : "below 0"}`)
      : ms
  if (column !== null) {
    const at = columnOf(table, column, [name])
    const unitMs = each ?? (unit === null ? null : UNIT_MS[unit])
    return ({ cells }) => {
      const cell = cells[at] ?? ""
      return cell === "" ? null : checked(durationIn(cell, unitMs, table))
    }
  }
  if (to === null) return nothing
  const begins = from === null ? null : instantsOf(from, [name, "from"])
  const ends = instantsOf(to, [name, "to"])
  return (row, atMs) => {
    const [fromMs, toMs] = [begins === null ? atMs : begins(row), ends(row)]
    if (fromMs instanceof LeftOut || toMs instanceof LeftOut)
      return new LeftOut(`whose ${words} has a time that cannot be read`)
    return fromMs === null || toMs === null ? null : checked(toMs - fromMs)
  }
}

function widthOf(width: Value<number>): Value<number> {
  return (row, atMs) => {
    const ms = width(row, atMs)
    if (ms === null || ms instanceof LeftOut) return ms
    return ms < WINDOW_WIDTH_MS_MIN || ms > WINDOW_WIDTH_MS_MAX
      ? new LeftOut("whose window has a width that is refused")
      : ms
  }
}

function priorityOf({ table, asked }: Binding): Value<number> {
  const { priority } = asked.table
  if (priority === null || priority.column === null) return nothing
  const at = columnOf(table, priority.column, ["priority"])
  const byCell = new Map(priority.are ?? [])
  return ({ cells }) => {
    const cell = cells[at] ?? ""
    if (cell === "") return null
    const value = priority.are === null ? numberIn(cell, table) : (byCell.get(cell) ?? null)
    const isPriority = value !== null && Number.isInteger(value) && value >= 0 && value <= PRIORITY_MAX
    return isPriority ? value : new LeftOut("whose priority is not known")
  }
}

/** Whether the cell is one that says so; null without a column. */
function saysSo(
  table: Table,
  binding: AskedLog["table"]["cancel"],
  at: readonly string[],
): (row: TableRow) => boolean | null {
  if (binding === null || binding.column === null) return nothing
  const column = columnOf(table, binding.column, at)
  const is = new Set(binding.is.map((cell) => cell.toLowerCase()))
  return ({ cells }) => is.has((cells[column] ?? "").toLowerCase())
}
