/** Vehicles, deliveries and errands of the present, as groups of the service. */

import { idOf, kindOf } from "../../../model/address.ts"
import { isFinal, rankOf } from "../../../model/delivery.ts"
import type { DeliveryStatus } from "../../../model/delivery.ts"
import type { EpochMs } from "../../../model/values/time.ts"
import type { VehiclePhase } from "../../../model/vehicle.ts"
import { reviveGroup } from "../../../engine/kernel/group.ts"
import type { Group, PersistedGroup } from "../../../engine/kernel/group.ts"
import { program } from "../../../apps/composition/program.ts"
import { rootOf } from "../../../engine/services/actors.ts"
import { errandGroup, seenIn } from "../../../areas/courier/errand.ts"
import { STORE_PREFIX } from "../../../areas/courier/directory/store-directory.ts"
import { deliveryStatus } from "../../../areas/direct-delivery/record.ts"
import { runOf } from "../../../areas/dispatch/telemetry.ts"
import type { FleetModel } from "../language/model.ts"
import type { DriveStage } from "../world/drivers.ts"
import type { PresentErrand } from "../world/errands.ts"
import { storeIdOf } from "../world/fleet-world.ts"

/** A group, and where the model has it. */
interface Placed {
  readonly id: string
  readonly group: Group
  readonly kept: PersistedGroup
  readonly siteNumber: number
}

export interface VehicleNow extends Placed {
  readonly isOnline: boolean
  readonly phase: VehiclePhase
  readonly activeId: string | null
  readonly queuedIds: readonly string[]
  readonly atStoreSinceMs: EpochMs | null
}

export interface TripNow extends Placed {
  readonly storeNumber: number
  readonly vehicleId: string
  readonly status: DeliveryStatus
  readonly createdMs: EpochMs
  readonly isErrand: boolean
}

export interface ErrandNow extends Placed {
  readonly storeNumber: number
  readonly phase: PresentErrand["phase"]
  readonly isPaid: boolean
  readonly createdMs: EpochMs
}

export interface FleetNow {
  readonly vehicles: readonly VehicleNow[]
  readonly trips: readonly TripNow[]
  readonly errands: readonly ErrandNow[]
}

/** Counts a group that the model has no place for. */
export type LeaveOut = (reason: string) => void

/**
 * Vehicles with all their runs, and errands that are not booked yet. A fleet belongs to the site whose name one of its deliveries
 * has, as `curbline fleet fit` names sites; a model with one site that has vehicles takes all.
 */
export function fleetNow(groups: readonly PersistedGroup[], model: FleetModel, leaveOut: LeaveOut): FleetNow {
  const ofKind = (kind: string) =>
    groups
      .filter(({ address }) => kindOf(address) === kind)
      .map((kept) => ({ id: idOf(kept.address), kept, group: reviveGroup(program, kept) }))
  const deliveries = ofKind("delivery").filter(
    ({ group }) => !isFinal(deliveryStatus(group.actors, group.address)),
  )
  const allVehicles = ofKind("vehicle")
  const sites = sitesOfFleets(allVehicles, deliveries, model)
  const openIds = new Set(deliveries.map(({ id }) => id))
  const hasVehicles = model.sites.some((site) => site.vehicles > 0)
  const vehicles = allVehicles.flatMap((one): readonly VehicleNow[] => {
    const { fleetId, isOnline, queuedIds } = rootOf("vehicle", one.group).context
    const { phase, activeId, atStoreSinceMs } = runOf(one.group)
    const siteNumber = sites(fleetId)
    const runs = activeId === null ? [] : [activeId, ...queuedIds]
    if (siteNumber === null) {
      // A site without deliveries may have idle vehicles, which change nothing.
      if (hasVehicles || runs.length > 0) leaveOut("vehicle of a fleet that the model does not have")
    } else if (runs.some((id) => !openIds.has(id))) leaveOut("vehicle with a run that is not known")
    else return [{ ...one, siteNumber, isOnline, phase, activeId, queuedIds, atStoreSinceMs }]
    return []
  })
  const byId = new Map(vehicles.map((vehicle) => [vehicle.id, vehicle]))
  const trips = deliveries.flatMap((one): readonly TripNow[] => {
    const { vehicleId, siteId, createdAtMs: createdMs } = rootOf("delivery", one.group).context
    const vehicle = byId.get(vehicleId)
    if (vehicle === undefined) {
      leaveOut("delivery of a vehicle that is left out")
      return []
    }
    const { siteNumber } = vehicle
    const isErrand = siteId.startsWith(STORE_PREFIX)
    const storeNumber = isErrand ? storeOf(model, siteNumber, siteId) : 0
    const status = deliveryStatus(one.group.actors, one.group.address)
    return [{ ...one, siteNumber, storeNumber, vehicleId, status, createdMs, isErrand }]
  })
  return { vehicles, trips, errands: errandsNow(ofKind("courier-order"), { model, trips, leaveOut }) }
}

type Read = Omit<Placed, "siteNumber">

/** The number of a fleet's site; null when the model does not have it. */
function sitesOfFleets(
  vehicles: readonly Read[],
  deliveries: readonly Read[],
  { sites }: FleetModel,
): (fleetId: string) => number | null {
  const withVehicles = [...sites.entries()].filter(([, site]) => site.vehicles > 0)
  const [only] = withVehicles.length === 1 ? withVehicles : []
  const fleetOf = new Map(
    vehicles.map(({ id, group }) => [id, rootOf("vehicle", group).context.fleetId] as const),
  )
  const numbers = new Map<string, number>()
  for (const { group } of deliveries) {
    const { siteId, vehicleId } = rootOf("delivery", group).context
    const fleetId = fleetOf.get(vehicleId)
    const number = sites.findIndex(({ as, vehicles: count }) => as === siteId && count > 0)
    if (fleetId !== undefined && number !== -1) numbers.set(fleetId, number)
  }
  return (fleetId) => numbers.get(fleetId) ?? only?.[0] ?? null
}

function storeOf({ sites }: FleetModel, siteNumber: number, storeId: string): number {
  const stores = sites[siteNumber]?.stores ?? []
  return Math.max(
    0,
    stores.findIndex(({ as }, number) => as === storeId || storeIdOf(siteNumber, number) === storeId),
  )
}

interface Around {
  readonly model: FleetModel
  readonly trips: readonly TripNow[]
  readonly leaveOut: LeaveOut
}

/** Errands of agents that are still at it, and those that a vehicle carries. */
function errandsNow(groups: readonly Read[], { model, trips, leaveOut }: Around): readonly ErrandNow[] {
  const carried = new Map(trips.flatMap((trip) => (trip.isErrand ? [[trip.id, trip] as const] : [])))
  const siteNumber = siteOfErrands(model)
  const found = groups.flatMap((one): readonly ErrandNow[] => {
    const seen = seenIn(one.group)
    const { phase = "expired", order } = seen ?? {}
    if (order === undefined || !isUnderWay(phase)) {
      if (phase === "lapsed") leaveOut("errand whose hold has ended")
      return []
    }
    const trip = carried.get(one.id)
    if (phase === "booked" && trip === undefined) return []
    if (siteNumber === -1) {
      leaveOut("errand without a site with vehicles")
      return []
    }
    const at = trip ?? { siteNumber, storeNumber: storeOf(model, siteNumber, order.storeId ?? "") }
    const { createdAtMs: createdMs, isAuthorized: isPaid } = order
    return [{ ...one, phase, isPaid, createdMs, siteNumber: at.siteNumber, storeNumber: at.storeNumber }]
  })
  const known = new Set(found.map(({ id }) => errandGroup(id)))
  for (const { id } of carried.values())
    if (!known.has(errandGroup(id))) leaveOut("errand whose order is not known")
  return found
}

function isUnderWay(phase: string): phase is PresentErrand["phase"] {
  return ["quoted", "held", "authorizing", "capturing", "booked"].includes(phase)
}

/** The connector has the fleet of one site; -1 without one. */
function siteOfErrands({ sites, demand }: FleetModel): number {
  const as = demand.find(({ product }) => product === "courier")?.site
  return sites.findIndex((site) => site.vehicles > 0 && (as === undefined || site.as === as))
}

const STAGES: readonly DriveStage[] = ["to_store", "at_store", "loaded", "to_customer", "at_customer"]

const STAGE_BY_PHASE: Readonly<Record<VehiclePhase, DriveStage>> = {
  idle: "to_store",
  assigned: "to_store",
  approaching: "to_store",
  at_store: "at_store",
  waiting: "at_store",
  loaded: "loaded",
  leaving: "to_customer",
  at_customer: "at_customer",
}

/** A supervisor may have reported ahead of the vehicle, so the further of both counts. */
export function stageOf({ phase }: Pick<VehicleNow, "phase">, status: DeliveryStatus): DriveStage {
  const bySupervisor = [...FIRST_STATUS.entries()].findLast(([, first]) => rankOf(status) >= rankOf(first))
  const at = Math.max(STAGES.indexOf(STAGE_BY_PHASE[phase]), bySupervisor?.[0] ?? 0)
  return STAGES[at] ?? "to_store"
}

/** The first status of each stage. */
const FIRST_STATUS: readonly DeliveryStatus[] = [
  "SCHEDULED",
  "ARRIVED_AT_STORE",
  "LOADED",
  "EN_ROUTE_TO_CUSTOMER",
  "ARRIVED_AT_CUSTOMER",
]
