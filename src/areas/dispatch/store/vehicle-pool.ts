/**
 * The vehicles of a fleet as decisions see them, over SQL: `VehicleRows.pool`. The table `vehicle_pool` is kept by
 * triggers (`0132_vehicle_pool.sql`), which define a patch and a spot. One statement finds the nearest spots and counts
 * places; the exact distances are computed here, and more vehicles are read only when one that was not read may be
 * nearer.
 */

import {
  CANDIDATES_MAX,
  COMPARED_VEHICLES_MAX,
  LOADING_MS,
  RUNS_PER_VEHICLE,
} from "../../../model/values/limits.ts"
import type { Place } from "../../../model/place.ts"
import {
  byPreference,
  compared,
  emptyPool,
  fewestRuns,
  listed,
  needsQueues,
  poolBy,
  rankOf,
  runsAtRank,
} from "../assignment.ts"
import type { Candidate, Places, Pool } from "../../../model/vehicle-pool.ts"
import type { Rank } from "../assignment.ts"
import { metresToStore } from "../fleet.ts"
import type { HoldsInSql } from "../holds.ts"
import { comparedTimes } from "../queue.ts"
import type { QueuedRun } from "../queue.ts"
import type { PoolQuery, VehicleRows } from "../rows.ts"
import type { Sql } from "../../../engine/store/transaction.ts"
import { ask } from "../../../engine/store/prepared-query.ts"
import { Routine } from "../../../engine/services/routine.ts"

/** Nearly every pool has a vehicle of this rank. */
const FREE: Rank = { isOnline: true, surplus: 0 }

/** One more than is listed, because a pool contains the distance of the next vehicle. */
const LISTED = CANDIDATES_MAX + 1
/** Vehicles that are read first for each number of runs, and the factor for the next attempt. */
const READ = 16
const READ_MORE = 8

/** A transaction reads a pool once: its callers read it before they write, and a new run removes the cached answer. */
export const POOL_ANSWERS = "pool "

/** `queueOf`: an expression for the open runs of a vehicle as a JSON list of `QueuedRun`. */
export function poolOver(
  sql: Sql,
  countHolds: HoldsInSql["Type"],
  queueOf: (inputs: { readonly fleetId: string; readonly vehicleId: string }) => string,
): VehicleRows["Type"]["pool"] {
  const heldPlaces = countHolds({ fleetId: "$1", atMs: "$9", without: "$10" })
  const plain = nearestOver(heldPlaces, "null")
  const withQueues = nearestOver(heldPlaces, queueOf({ fleetId: "$1", vehicleId: "near.vehicle_id" }))
  return (fleetId, asked) =>
    poolOf(sql, needsQueues(asked.policy) ? withQueues : plain, { fleetId, ...asked })
}

interface FleetQuery extends PoolQuery {
  readonly fleetId: string
}

function poolOf({ readOnce }: Sql, nearestStatement: string, asked: FleetQuery): Routine<Pool> {
  const { fleetId, store, policy, order, without, released, atMs } = asked
  const nameOf = (statement: string): string =>
    `${POOL_ANSWERS}${JSON.stringify([fleetId, store, without, released])} ${statement}`
  const madeOf = ({ found, places }: Nearest): Pool =>
    policy === "nearest" ? { ...listed(found), ...places } : poolBy(policy, places, compared(policy, found))
  return Routine.gen(function* () {
    const free = yield* nearest(FREE)
    if (free.found.length > 0) return madeOf(free)
    const [first] = yield* readOnce(nameOf("first rank"), "reading a fleet's first rank", (orm) =>
      ask(orm, FIRST_RANK, [fleetId]),
    )
    if (first === undefined) return { ...emptyPool(0), ...free.places }
    const rank = rankOf({ isOnline: Boolean(first["is_online"]), runs: Number(first["open_runs"]) })
    return madeOf(yield* nearest(rank))
  })

  function nearest(rank: Rank): Routine<Nearest> {
    return Routine.gen(function* () {
      for (let limit = READ; ; limit *= READ_MORE) {
        const name = nameOf(JSON.stringify([rank, limit, needsQueues(policy)]))
        const rows = yield* readOnce(name, "reading a fleet's nearest vehicles", (orm) =>
          ask(orm, nearestStatement, [
            fleetId,
            store.longitude,
            store.latitude,
            rank.isOnline,
            JSON.stringify(runsAtRank(rank)),
            released,
            RUNS_PER_VEHICLE,
            limit,
            atMs,
            without,
          ]),
        )
        const known = nearestAmong(rows, { store, policy, order, atMs, limit })
        if (known !== null) return known
      }
    })
  }
}

interface Nearest {
  readonly found: readonly Candidate[]
  readonly places: Places
}

type Row = Readonly<Record<string, unknown>>

interface Reading extends Pick<PoolQuery, "atMs" | "order" | "policy" | "store"> {
  readonly limit: number
}

/**
 * The required number of vehicles, in order of preference; by a policy that reads queues as many of each number of runs. Null when a vehicle
 * that was not read may be among them.
 */
function nearestAmong(rows: readonly Row[], reading: Reading): Nearest | null {
  const all = rows.filter((row) => row["vehicle_id"] !== null)
  const byRuns = Map.groupBy(all, (row) => Number(row["open_runs"]))
  const found: Candidate[] = []
  for (const group of groupsOf(all, byRuns, reading)) {
    const first = firstOf(group, reading)
    if (first === null) return null
    found.push(...first)
  }
  const [{ free, owed } = {}] = rows
  return { found: found.toSorted(byPreference), places: { free: Number(free), owed: Number(owed) } }
}

/** The vehicles among which the nearest ones are looked for. */
function groupsOf(
  all: readonly Row[],
  byRuns: ReadonlyMap<number, readonly Row[]>,
  { policy }: Reading,
): readonly (readonly Row[])[] {
  if (policy === "nearest") return [all]
  if (needsQueues(policy)) return [...byRuns.values()]
  return [byRuns.get(fewestRuns([...byRuns.keys()].map((runs) => ({ runs })))) ?? []]
}

function firstOf(found: readonly Row[], reading: Reading): readonly Candidate[] | null {
  const { store, policy, limit } = reading
  const candidates = found.map((row) => candidateOf(row, reading)).toSorted(byPreference)
  const most = policy === "nearest" ? LISTED : COMPARED_VEHICLES_MAX
  const wanted = candidates.slice(0, most)
  const farthestM = wanted[most - 1]?.metres ?? Number.POSITIVE_INFINITY
  // Only a full part of the answer can hide vehicles. Those at the depot have equal distances and are sorted by id, so
  // the first are enough.
  const patches = Map.groupBy(
    found.filter((row) => row["degrees"] !== null),
    (row) => Number(row["open_runs"]),
  )
  for (const part of patches.values()) {
    if (part.length < limit) continue
    const degrees = Math.max(...part.map((row) => Number(row["degrees"])))
    // Distances are rounded to a metre, so a hidden vehicle may be half a metre nearer than its bound.
    if (farthestM >= metresBeyond(store, degrees) - 0.5) return null
  }
  return wanted
}

function candidateOf(row: Row, { store, policy, order, atMs: nowMs }: Reading): Candidate {
  const last =
    row["latitude"] === null
      ? null
      : { latitude: Number(row["latitude"]), longitude: Number(row["longitude"]) }
  const candidate: Candidate = {
    vehicleId: String(row["vehicle_id"]),
    isOnline: Boolean(row["is_online"]),
    runs: Number(row["open_runs"]),
    metres: metresToStore(last, store),
  }
  const queue = row["queue"]
  const open = typeof queue === "string" ? (JSON.parse(queue) as readonly QueuedRun[]) : []
  const times = comparedTimes({ open, policy, order, from: last, store, nowMs, loadingMs: LOADING_MS })
  return { ...candidate, ...times }
}

/**
 * The least distance of a vehicle whose spot is this many degrees away in the plane. Within 5 degrees, and not near a
 * pole or the antimeridian, the plane is accurate to a hundredth if a degree counts as one of longitude; elsewhere
 * there is no bound.
 */
function metresBeyond({ latitude, longitude }: Place, degrees: number): number {
  if (degrees > DEGREES_MAX || Math.abs(latitude) > LATITUDE_MAX || Math.abs(longitude) > LONGITUDE_MAX)
    return 0
  const perDegree = METRES_PER_DEGREE * Math.cos((latitude * Math.PI) / 180)
  return 0.99 * perDegree * degrees - SPOT_OFF_M
}

const DEGREES_MAX = 5
const LATITUDE_MAX = 80
const LONGITUDE_MAX = 170
/** Along a meridian. */
const METRES_PER_DEGREE = 111_195
/** A vehicle may be away from its spot by 0.0005 degrees in both directions; rounded up. */
const SPOT_OFF_M = 80

const FIRST_RANK = `select is_online, open_runs from vehicle_pool where fleet_id = $1
  order by is_online desc, open_runs limit 1`

/**
 * $1 fleet, $2 longitude, $3 latitude, $4 online or not, $5 numbers of runs, $6 released holds, $7 places of a vehicle, $8 limit,
 * $9 instant of the live holds, $10 the holder whose hold does not count. A row for each vehicle with the two counts, or one row
 * with the counts alone. `queue`: the open runs of a busy vehicle as the text of a list.
 */
const nearestOver = (heldPlaces: string, queue: string): string => `with
  debts as materialized (
    select ${heldPlaces}::integer
      - $6::integer
      + coalesce((select sum(open_runs - $7::integer) from vehicle_pool
          where fleet_id = $1 and is_online and open_runs > $7::integer), 0)::integer
      + coalesce((select sum(open_runs) from vehicle_pool
          where fleet_id = $1 and not is_online and open_runs > 0), 0)::integer as owed
  ),
  places as materialized (
    select owed, least(greatest(owed + 1, 0), coalesce((
      select sum($7::integer - open_runs) from (
        select open_runs from vehicle_pool where fleet_id = $1 and is_online and open_runs < $7::integer
        limit greatest(owed + 1, 0)
      ) as counted), 0))::integer as free
    from debts
  ),
  near as (
    select near.*, fix.latitude, fix.longitude, case when near.open_runs > 0 then (${queue})::text end as queue
    from json_array_elements_text($5::json) as band(runs)
    cross join lateral vehicle_pool_nearest(
      $1, $4::boolean, band.runs::integer, $3::double precision, $2::double precision, $8::integer
    ) as near
    left join lateral vehicle_pool_last_fix(near.vehicle_id) as fix on near.degrees is not null
  )
  select places.free, places.owed, near.* from places left join near on true`
