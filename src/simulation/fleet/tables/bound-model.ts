/** A model of one site that binds the columns of a table, for a command that has pairs of words and columns instead of a model. */

import { FLEET_STORES_MAX } from "../../../model/values/limits.ts"
import type { Place } from "../../../model/place.ts"
import { metresBetween } from "../../../areas/dispatch/geography.ts"
import { numberIn } from "./cells.ts"
import { columnAt } from "./table.ts"
import type { Table } from "./table.ts"

export interface BoundPairs {
  /** Such as `time` and `created_at`, or `preparation.to` and `ready_at`; a word that comes again makes a list. */
  readonly bind: readonly (readonly [key: string, value: string])[]
  readonly product: string
  readonly timeZone: string
}

/** The site is in the middle of the doors, and has the stores of the table; without either it lies at 0, 0. */
export function boundModelText(table: Table, { bind, product, timeZone }: BoundPairs): string {
  const replay = nested(bind)
  const door = replay["door"] as { lat?: unknown; lon?: unknown; per_degree?: unknown } | undefined
  const { at, reachKm } = siteOf(table, door)
  const stores = storesOf(table, replay["store"])
  const site = {
    as: "site",
    at: [at.latitude, at.longitude],
    reach_km: reachKm,
    vehicles: 1,
    stalls: 1,
    runners: 1,
    ...(stores.length === 0 ? {} : { stores: stores.map((as) => ({ as })) }),
  }
  const demand = { product, site: "site", replay: { file: table.file, ...replay } }
  return [
    "fleet: A table",
    "because: Its orders are fitted.",
    `clock: 2026-01-05T00:00 ${timeZone}`,
    "horizon: 7d",
    `sites: [${JSON.stringify(site)}]`,
    `demand: [${JSON.stringify(demand)}]`,
    "",
  ].join("\n")
}

type Cell = number | string

interface Nested {
  [key: string]: Cell | Nested | readonly Cell[]
}

function nested(bind: BoundPairs["bind"]): Nested {
  const root: Nested = {}
  for (const [key, value] of bind) {
    const path = key.split(".")
    const last = path.pop() ?? key
    let part = root
    for (const step of path) {
      const next = part[step]
      // A column alone is the column of the map.
      const map: Nested = next === undefined ? {} : isMap(next) ? next : { column: next }
      part[step] = map
      part = map
    }
    const before = part[last]
    const written = /^[1-9]\d{0,8}$/.test(value) ? Number(value) : value
    if (before === undefined) part[last] = written
    else if (isMap(before)) before["column"] = written
    else part[last] = [before, written].flat()
  }
  return root
}

function isMap(value: Nested[string]): value is Nested {
  return typeof value === "object" && !Array.isArray(value)
}

/** Doors that lie further from the middle than nearly all others do are no part of the area. */
const SHARE_WITHIN = 0.99
const REACH_KM_MAX = 50

function siteOf(
  table: Table,
  door: { readonly lat?: unknown; readonly lon?: unknown; readonly per_degree?: unknown } | undefined,
): { readonly at: Place; readonly reachKm: number } {
  const [lat, lon] = [door?.lat, door?.lon].map((name) =>
    typeof name === "string" || typeof name === "number" ? columnAt(table, name) : null,
  )
  const perDegree = typeof door?.per_degree === "number" ? door.per_degree : 1
  const degrees = (cell: string | undefined): number =>
    (numberIn(cell ?? "", table) ?? Number.NaN) / perDegree
  const places = table.rows
    .map(({ cells }) => ({ latitude: degrees(cells[lat ?? -1]), longitude: degrees(cells[lon ?? -1]) }))
    .filter(({ latitude, longitude }) => Number.isFinite(latitude) && Number.isFinite(longitude))
  if (places.length === 0) return { at: { latitude: 0, longitude: 0 }, reachKm: 3 }
  const middle = (values: readonly number[]): number =>
    Number((values.toSorted((one, other) => one - other)[values.length >> 1] ?? 0).toFixed(5))
  const at = {
    latitude: middle(places.map(({ latitude }) => latitude)),
    longitude: middle(places.map(({ longitude }) => longitude)),
  }
  const metres = places.map((place) => metresBetween(at, place)).toSorted((one, other) => one - other)
  const reach = (metres[Math.ceil(SHARE_WITHIN * metres.length) - 1] ?? 0) / 1_000
  return { at, reachKm: Math.min(REACH_KM_MAX, Math.max(0.1, Math.ceil(reach * 10) / 10)) }
}

/** The cells of the column of stores, the most frequent first; as many as a site may have. */
function storesOf(table: Table, store: unknown): readonly string[] {
  const column = typeof store === "object" && store !== null && "column" in store ? store.column : store
  const at = typeof column === "string" || typeof column === "number" ? columnAt(table, column) : null
  if (at === null) return []
  const counts = new Map<string, number>()
  for (const { cells } of table.rows) {
    const cell = cells[at] ?? ""
    if (cell !== "") counts.set(cell, (counts.get(cell) ?? 0) + 1)
  }
  return [...counts]
    .toSorted(([, one], [, other]) => other - one)
    .slice(0, FLEET_STORES_MAX)
    .map(([cell]) => cell)
}
