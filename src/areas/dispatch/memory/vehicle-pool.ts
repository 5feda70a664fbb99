/**
 * The vehicles of each fleet by rank and place, for `VehicleRows.pool` in memory. It follows three tables, including
 * rolled-back and restored rows. The places are in a grid, so a move within a cell costs almost nothing.
 */

import { isFinal } from "../../../model/delivery.ts"
import {
  CANDIDATES_MAX,
  COMPARED_VEHICLES_MAX,
  DEPOT_DISTANCE_M,
  LOADING_MS,
} from "../../../model/values/limits.ts"
import type { Place } from "../../../model/place.ts"
import {
  byDistance,
  byPreference,
  compareRanks,
  compared,
  countPlaces,
  emptyPool,
  fewestRuns,
  listed,
  poolBy,
  rankOf,
} from "../assignment.ts"
import type { Candidate, Pool } from "../../../model/vehicle-pool.ts"
import type { Tally } from "../assignment.ts"
import { metresToStore, startsAtDepot } from "../fleet.ts"
import { comparedTimes } from "../queue.ts"
import type { QueuedRun } from "../queue.ts"
import { isBefore, vehicleFixes, vehicles } from "../rows.ts"
import type { FixRow, PoolQuery, VehicleRow } from "../rows.ts"
import type { CountHolds } from "../holds.ts"
import type { Run } from "../runs.ts"
import { cellAt, cellOf, cellsAround, metresBeyond, ringBetween } from "../../../engine/memory/grid.ts"
import type { Cell } from "../../../engine/memory/grid.ts"
import type { MemoryStore, MemoryTable } from "../../../engine/memory/memory-store.ts"
import { memoryRowsOf } from "../../../engine/memory/memory-tables.ts"

/** One more than is listed, because a pool contains the distance of the next vehicle. */
const LISTED = CANDIDATES_MAX + 1

/** A vehicle in the index. */
interface Standing {
  readonly vehicle: VehicleRow
  runs: number
  /** Null for a vehicle at the depot. */
  place: Place | null
  /** The cell of the place. */
  cell: number | null
  /** Where it is counted; null until it is. */
  band: Band | null
}

/** Vehicles of a fleet that are all online, or all offline, with the same number of runs. */
interface Band {
  readonly key: string
  readonly isOnline: boolean
  readonly runs: number
  readonly byCell: Map<number, Set<Standing>>
  /** Ids of the vehicles at the depot, sorted. They all have the same distance to any store. */
  readonly atDepot: string[]
  vehicles: number
}

/** The rows of other areas that a pool depends on. */
interface TakenPlaces {
  readonly runs: Pick<MemoryTable<OpenRun>, "follow">
  /** The open runs of a vehicle, in any order. */
  readonly queueOf: (fleetId: string, vehicleId: string) => readonly QueuedRun[]
  readonly holds: CountHolds
}

type OpenRun = Pick<Run, "fleetId" | "status" | "vehicleId">

export class MemoryVehiclePool {
  readonly #liveHolds: CountHolds
  readonly #queueOf: TakenPlaces["queueOf"]
  readonly #standings = new Map<string, Standing>()
  readonly #runs = new Map<string, number>()
  readonly #lastFixes = new Map<string, FixRow>()
  readonly #fixes: MemoryTable<FixRow>
  readonly #bandsByFleet = new Map<string, Map<string, Band>>()

  constructor(store: MemoryStore, { runs, queueOf, holds }: TakenPlaces) {
    this.#liveHolds = holds
    this.#queueOf = queueOf
    runs.follow({ move: (_, before, after) => this.#moveRun(before, after) })
    this.#fixes = memoryRowsOf(store, vehicleFixes)
    this.#fixes.follow({ move: (_, before, after) => this.#moveFix(before, after) })
    memoryRowsOf(store, vehicles).follow({ move: (id, _, after) => this.#moveVehicle(id, after) })
  }

  pool(fleetId: string, { store, policy, order, released, ...at }: PoolQuery): Pool {
    const holds = this.#liveHolds(fleetId, at) - released
    const bands = [...(this.#bandsByFleet.get(fleetId)?.values() ?? [])]
    if (bands.length === 0) return emptyPool(holds)
    const first = bands.map(rankOf).reduce((best, rank) => (compareRanks(rank, best) < 0 ? rank : best))
    const alike = bands.filter((band) => compareRanks(rankOf(band), first) === 0)
    const places = countPlaces(bands satisfies Tally[], holds)
    if (policy === "nearest") return { ...listed(nearestIn(alike, store, LISTED)), ...places }
    if (policy === "least_loaded") {
      const fewest = fewestRuns(alike)
      const lightest = alike.filter(({ runs }) => runs === fewest)
      return poolBy(policy, places, compared(policy, nearestIn(lightest, store, COMPARED_VEHICLES_MAX)))
    }
    const near = alike.flatMap((band) => nearestIn([band], store, COMPARED_VEHICLES_MAX))
    const ahead = compared(policy, near.toSorted(byPreference))
    const asked = { store, policy, order, nowMs: at.atMs, loadingMs: LOADING_MS }
    const timed = ahead.map((one): Candidate => {
      const from = this.#standings.get(one.vehicleId)?.place ?? null
      const open = one.runs === 0 ? [] : this.#queueOf(fleetId, one.vehicleId)
      return { ...one, ...comparedTimes({ ...asked, open, from }) }
    })
    return poolBy(policy, places, timed)
  }

  #moveVehicle(vehicleId: string, vehicle: VehicleRow | undefined): void {
    const known = this.#standings.get(vehicleId)
    if (known !== undefined) this.#leave(known)
    this.#standings.delete(vehicleId)
    if (vehicle === undefined) return
    const place = startsAtDepot(vehicle) ? null : (this.#lastFixes.get(vehicleId) ?? null)
    const standing: Standing = {
      vehicle,
      runs: this.#runs.get(keyOfRuns(vehicle)) ?? 0,
      place,
      cell: place === null ? null : cellOf(place),
      band: null,
    }
    this.#standings.set(vehicleId, standing)
    this.#enter(standing)
  }

  #moveRun(before: OpenRun | undefined, after: OpenRun | undefined): void {
    const left = before === undefined || isFinal(before.status) ? null : before
    const taken = after === undefined || isFinal(after.status) ? null : after
    if (left !== null && taken !== null && keyOfRuns(left) === keyOfRuns(taken)) return
    if (left !== null) this.#countRun(left, -1)
    if (taken !== null) this.#countRun(taken, 1)
  }

  #countRun(run: OpenRun, change: 1 | -1): void {
    const key = keyOfRuns(run)
    const runs = (this.#runs.get(key) ?? 0) + change
    if (runs === 0) this.#runs.delete(key)
    else this.#runs.set(key, runs)
    const standing = this.#standings.get(run.vehicleId)
    if (standing === undefined || standing.vehicle.fleetId !== run.fleetId) return
    this.#leave(standing)
    standing.runs = runs
    this.#enter(standing)
  }

  /** A new fix is the last one of its vehicle. When the last one is removed, the others are searched for the new last. */
  #moveFix(before: FixRow | undefined, after: FixRow | undefined): void {
    if (before !== undefined && this.#lastFixes.get(before.vehicleId) === before) {
      const { vehicleId } = before
      let last: FixRow | undefined
      // Made when it is first needed: a report adds a fix, and hardly anything takes a last one away.
      for (const fix of this.#fixes.indexBy(vehicleOf).rowsOf(vehicleId))
        if (last === undefined || !isBefore(fix, last)) last = fix
      this.#movePlace(vehicleId, last)
    }
    if (after === undefined) return
    const last = this.#lastFixes.get(after.vehicleId)
    if (last === undefined || !isBefore(after, last)) this.#movePlace(after.vehicleId, after)
  }

  #movePlace(vehicleId: string, fix: FixRow | undefined): void {
    if (fix === undefined) this.#lastFixes.delete(vehicleId)
    else this.#lastFixes.set(vehicleId, fix)
    const standing = this.#standings.get(vehicleId)
    if (standing === undefined || startsAtDepot(standing.vehicle)) return
    const cell = fix === undefined ? null : cellOf(fix)
    if (cell === standing.cell) {
      standing.place = fix ?? null
      return
    }
    const { band } = standing
    if (band !== null) leaveCell(band, standing)
    standing.place = fix ?? null
    standing.cell = cell
    if (band !== null) enterCell(band, standing)
  }

  #enter(standing: Standing): void {
    const { vehicle, runs } = standing
    const bands = this.#bandsOf(vehicle.fleetId)
    const key = keyOfBand(standing)
    const band = bands.get(key) ?? {
      key,
      isOnline: vehicle.isOnline,
      runs,
      byCell: new Map<number, Set<Standing>>(),
      atDepot: [],
      vehicles: 0,
    }
    if (band.vehicles === 0) bands.set(key, band)
    band.vehicles += 1
    standing.band = band
    enterCell(band, standing)
  }

  #bandsOf(fleetId: string): Map<string, Band> {
    const known = this.#bandsByFleet.get(fleetId)
    if (known !== undefined) return known
    const made = new Map<string, Band>()
    this.#bandsByFleet.set(fleetId, made)
    return made
  }

  #leave(standing: Standing): void {
    const { vehicle, band } = standing
    if (band === null) return
    leaveCell(band, standing)
    band.vehicles -= 1
    if (band.vehicles === 0) this.#bandsOf(vehicle.fleetId).delete(band.key)
  }
}

function enterCell({ atDepot, byCell }: Band, standing: Standing): void {
  const { vehicle, cell } = standing
  if (cell === null) {
    atDepot.splice(positionOf(atDepot, vehicle.vehicleId), 0, vehicle.vehicleId)
    return
  }
  const there = byCell.get(cell)
  if (there === undefined) byCell.set(cell, new Set([standing]))
  else there.add(standing)
}

function leaveCell({ atDepot, byCell }: Band, standing: Standing): void {
  const { vehicle, cell } = standing
  if (cell === null) {
    atDepot.splice(positionOf(atDepot, vehicle.vehicleId), 1)
    return
  }
  const there = byCell.get(cell)
  there?.delete(standing)
  if (there?.size === 0) byCell.delete(cell)
}

function vehicleOf({ vehicleId }: FixRow): string {
  return vehicleId
}

function keyOfRuns({ fleetId, vehicleId }: { readonly fleetId: string; readonly vehicleId: string }): string {
  return `${fleetId}/${vehicleId}`
}

function keyOfBand({ vehicle, runs }: Standing): string {
  return `${vehicle.isOnline ? "online" : "offline"}/${runs}`
}

/** The index at which an id is, or would be inserted, in a sorted list. */
function positionOf(ids: readonly string[], id: string): number {
  let [from, to] = [0, ids.length]
  while (from < to) {
    const middle = (from + to) >> 1
    if ((ids[middle] ?? "") < id) from = middle + 1
    else to = middle
  }
  return from
}

/**
 * The nearest vehicles of some bands of one rank, as many as are needed. Rings of cells are searched outward until no vehicle
 * farther away can be among them. When a ring has more cells than the bands have, all remaining vehicles are checked
 * instead.
 */
function nearestIn(bands: readonly Band[], store: Place, wanted: number): readonly Candidate[] {
  const found = bands.flatMap(({ isOnline, runs, atDepot }) =>
    atDepot
      .slice(0, wanted)
      .map((vehicleId): Candidate => ({ vehicleId, isOnline, runs, metres: DEPOT_DISTANCE_M })),
  )
  const look = (band: Band, there: Iterable<Standing>): void => {
    for (const { vehicle, place } of there) {
      const { isOnline, runs } = band
      found.push({ vehicleId: vehicle.vehicleId, isOnline, runs, metres: metresToStore(place, store) })
    }
  }
  const centre = cellAt(store)
  const occupied = bands.reduce((sum, { byCell }) => sum + byCell.size, 0)
  for (let ring = 0, seen = 0; ; ring += 1) {
    const cells = cellsAround(centre, ring)
    seen += cells.length
    if (seen > occupied) {
      lookBeyond(bands, { centre, ring }, look)
      break
    }
    for (const cell of cells) {
      for (const band of bands) {
        const there = band.byCell.get(cell)
        if (there !== undefined) look(band, there)
      }
    }
    if (found.length < wanted) continue
    found.sort(byDistance)
    // Distances are rounded to a metre, so a vehicle further out may be half a metre nearer than its bound.
    if ((found[wanted - 1]?.metres ?? 0) < metresBeyond(store, ring) - 0.5) break
  }
  return found.toSorted(byDistance).slice(0, wanted)
}

/** Checks all vehicles from a ring on. */
function lookBeyond(
  bands: readonly Band[],
  { centre, ring }: { readonly centre: Cell; readonly ring: number },
  look: (band: Band, there: Iterable<Standing>) => void,
): void {
  for (const band of bands) {
    for (const [cell, there] of band.byCell) if (ringBetween(centre, cell) >= ring) look(band, there)
  }
}
