/**
 * Puts the vehicles, deliveries and errands of the present into a world. What their groups and rows do not have is drawn from the
 * model: places of customers and vehicles, how far a kitchen is, and how long an agent still takes. Each value is drawn until it
 * fits what is known: a vehicle that drives has not arrived yet.
 */

import type { DeliveryTerms } from "../../../model/requests/forecast-order.ts"
import type { Place } from "../../../model/place.ts"
import { HOUR_MS, MINUTE_MS } from "../../../model/values/time.ts"
import type { EpochMs } from "../../../model/values/time.ts"
import { COURIER_ORGANIZATION } from "../../../areas/courier/announcements.ts"
import { putUser } from "../../../areas/courier/memory/courier-rows.ts"
import type { Chance } from "../chance.ts"
import { putDelivery, putErrand, putVehicle } from "../../fork/invented-rows.ts"
import type { FleetDemand } from "../language/model.ts"
import type { Product } from "../language/metrics.ts"
import { atTimeOfDay } from "../language/spread.ts"
import { endOf, placeAt } from "../travel/route.ts"
import type { PresentTrip, PresentVehicle } from "../world/deliveries.ts"
import type { DriveStage } from "../world/drivers.ts"
import { CITY, curbAt, placeOf, streetOf } from "../world/errands.ts"
import { OPERATIONS, PARTNER, fleetIdOf, siteIdOf, storeIdOf } from "../world/fleet-world.ts"
import type { FleetWorld } from "../world/fleet-world.ts"
import { adoptedOrder, presentChance } from "../world/orders.ts"
import type { Order } from "../world/orders.ts"
import { NOWHERE, placeIn } from "../world/places.ts"
import type { StartedFleet } from "../world/replication.ts"
import { demandOf } from "./order-demand.ts"
import type { Requested } from "./order-demand.ts"
import { asLongAgain } from "./away.ts"
import { stageOf } from "./present-fleet.ts"
import type { ErrandNow, FleetNow, TripNow, VehicleNow } from "./present-fleet.ts"

/** What rows of the service say of deliveries, by their id. */
export type TermsById = ReadonlyMap<string, Omit<DeliveryTerms, "deliveryId">>

/** Draws of a value that must fit what is known; a place that none of so many fits is the last one, and a duration begins anew. */
const TRIES_MAX = 100

/** Writes the rows of the fleet, and returns what gives it to the people and things of the world. */
export function drawFleet(
  world: FleetWorld,
  { vehicles, trips, errands }: FleetNow,
  terms: TermsById,
): (started: StartedFleet) => void {
  const vehicleById = new Map(vehicles.map((vehicle) => [vehicle.id, vehicle]))
  const drawn = new Map(
    trips.map((trip) => [trip.id, drawTrip(world, trip, { vehicleById, terms: terms.get(trip.id) })]),
  )
  for (const trip of trips) putTrip(world, trip, drawn.get(trip.id))
  const standing = vehicles.map((vehicle) => drawVehicle(world, vehicle, drawn))
  const errandsInOrder = errands.toSorted((a, b) => a.createdMs - b.createdMs || (a.id < b.id ? -1 : 1))
  const adoptErrands = errandsInOrder.map((errand) => drawErrand(world, errand, drawn.get(errand.id) ?? null))
  const ofErrands = new Set(errands.map(({ id }) => id))
  return (started) => {
    for (const trip of trips) {
      const present = drawn.get(trip.id)
      if (present === undefined || ofErrands.has(trip.id)) continue
      const product = trip.isErrand ? "courier" : "delivery"
      const order = orderOf(world, product, trip)
      if (order === null) continue
      order.open()
      const ended = (end: string): void =>
        order.close(
          end === "COMPLETED" ? "completed" : "canceled",
          end === "COMPLETED" ? null : "by customer",
        )
      started.deliveries?.adopt(order, present, { ended, fails: null })
    }
    for (const adopt of adoptErrands) adopt(started)
    for (const vehicle of standing) started.deliveries?.adoptVehicle(vehicle)
  }
}

type Trip = Pick<TripNow, "createdMs" | "id" | "siteNumber" | "storeNumber">

/** A direct delivery comes from the store of its demand, because the service does not know its store. */
function orderOf(world: FleetWorld, product: Product, trip: Trip): Order | null {
  const demand = demandOf(world, requestOf(product, trip))
  if (demand === null) return null
  const { id, siteNumber, createdMs } = trip
  const order = adoptedOrder(world, demand, id, createdMs)
  return { ...order, siteNumber, storeNumber: storeOf(world, trip, { product, demand }) }
}

function requestOf(product: Product, { id, siteNumber, storeNumber, createdMs: atMs }: Trip): Requested {
  return { id, product, siteNumber, storeNumber: product === "delivery" ? null : storeNumber, atMs }
}

function storeOf(
  { model }: FleetWorld,
  { siteNumber, storeNumber }: Trip,
  { product, demand }: { readonly product: Product; readonly demand: FleetDemand | null },
): number {
  if (product !== "delivery") return storeNumber
  const stores = model.sites[siteNumber]?.stores ?? []
  return Math.max(
    0,
    stores.findIndex(({ as }) => as === demand?.store),
  )
}

interface About {
  readonly vehicleById: ReadonlyMap<string, VehicleNow>
  readonly terms: Omit<DeliveryTerms, "deliveryId"> | undefined
}

function drawTrip(world: FleetWorld, trip: TripNow, { vehicleById, terms }: About): PresentTrip {
  const { model, nowMs } = world
  const { id, siteNumber, createdMs, status, isErrand } = trip
  const chance = presentChance(world, id)
  const site = model.sites[siteNumber]
  const store = site === undefined ? NOWHERE : isErrand ? placeOf(site, trip.storeNumber) : site.at
  const vehicle = vehicleById.get(trip.vehicleId)
  const isActive = vehicle?.activeId === id
  const stage = vehicle === undefined || !isActive ? null : stageOf(vehicle, status)
  const movedMs = trip.kept.instantMs
  const product = isErrand ? "courier" : "delivery"
  const demand = demandOf(world, requestOf(product, trip))
  const storeNumber = storeOf(world, trip, { product, demand })
  const readyByMs =
    terms?.readyByMs ?? createdMs + (demand === null ? 0 : chance.duration(demand.ready_in, "ready-in"))
  const atStoreSinceMs = isActive ? (vehicle.atStoreSinceMs ?? movedMs) : null
  const sinceMs = atStoreSinceMs ?? nowMs
  const atStore = drawStore(
    world,
    { siteNumber, storeNumber, createdMs },
    { chance, readyByMs, stage, sinceMs },
  )
  const dropOff = (): number => chance.duration(model.vehicle.drop_off, "drop-off")
  const doorMs = stage === "at_customer" ? restOf(dropOff, nowMs - movedMs) : dropOff()
  return {
    deliveryId: id,
    status,
    store,
    curb: isErrand ? curbAt(world, { siteNumber, storeNumber }) : (world.curbs[siteNumber] ?? null),
    customer: drawCustomer(world, { siteNumber, chance, store, stage, sinceMs: movedMs }),
    createdMs,
    movedMs,
    atStoreSinceMs: stage === "to_store" ? null : atStoreSinceMs,
    readyByMs,
    promisedAtMs: terms?.promisedAtMs ?? Number.POSITIVE_INFINITY,
    ...atStore,
    dropOffMs: doorMs,
  }
}

/** Drawn until more than this has to pass; the rest of it. What lasts longer than all draws begins anew. */
function restOf(draw: () => number, passedMs: number): number {
  let ms = draw()
  for (let tries = 0; tries < TRIES_MAX && ms <= passedMs; tries += 1) ms = draw()
  return ms > passedMs ? ms - passedMs : ms
}

interface AtStore {
  readonly chance: Chance
  readonly readyByMs: EpochMs
  readonly stage: DriveStage | null
  /** Since when its vehicle stands there. */
  readonly sinceMs: EpochMs
}

/** The kitchen and the load. Of a vehicle that stands at the store, the order is not on board by now. */
function drawStore(
  world: FleetWorld,
  { siteNumber, storeNumber, createdMs }: Omit<Trip, "id">,
  { chance, readyByMs, stage, sinceMs }: AtStore,
): Pick<PresentTrip, "loadMs" | "meal"> {
  const { model, nowMs } = world
  const store = model.sites[siteNumber]?.stores[storeNumber]
  const load = (): number => chance.duration(model.vehicle.load, "load")
  const prepare = (): number =>
    store === undefined ? 0 : chance.duration(atTimeOfDay(store.preparation, world.msOfDay), "preparation")
  const beginsMs = Math.max(createdMs, readyByMs - (store?.starts_before ?? 0))
  if (beginsMs > nowMs) return { meal: { dueMs: readyByMs, preparationMs: prepare() }, loadMs: load() }
  if (stage !== "at_store") {
    const restMs = Math.max(0, beginsMs + prepare() - nowMs)
    return { meal: { dueMs: nowMs, preparationMs: restMs }, loadMs: load() }
  }
  let [readyMs, loadMs] = [beginsMs + prepare(), load()]
  const loadedMs = (): number => Math.max(readyMs, sinceMs) + loadMs
  for (let tries = 0; tries < TRIES_MAX && loadedMs() <= nowMs; tries += 1)
    [readyMs, loadMs] = [beginsMs + prepare(), load()]
  if (loadedMs() <= nowMs) readyMs = nowMs + prepare()
  const meal = { dueMs: nowMs, preparationMs: Math.max(0, readyMs - nowMs) }
  return { meal, loadMs: readyMs > nowMs ? loadMs : Math.max(0, loadedMs() - nowMs) }
}

interface Door {
  readonly siteNumber: number
  readonly chance: Chance
  readonly store: Place
  readonly stage: DriveStage | null
  readonly sinceMs: EpochMs
}

/** Of a vehicle on its way there, the door is further than it came by now. */
function drawCustomer(world: FleetWorld, { siteNumber, chance, store, stage, sinceMs }: Door): Place {
  const draw = (): Place => placeIn(world, siteNumber, chance)
  const isFarther = (place: Place): boolean =>
    endOf(world.routing.route(store, place, world.msOfDay)).atMs > world.nowMs - sinceMs
  let place = draw()
  if (stage !== "to_customer") return place
  for (let tries = 0; tries < TRIES_MAX && !isFarther(place); tries += 1) place = draw()
  return place
}

function drawVehicle(
  world: FleetWorld,
  vehicle: VehicleNow,
  trips: ReadonlyMap<string, PresentTrip>,
): PresentVehicle {
  const { service, startMs } = world
  const { id, siteNumber, activeId, queuedIds, isOnline } = vehicle
  const trip = activeId === null ? undefined : trips.get(activeId)
  const stage = trip === undefined ? null : stageOf(vehicle, trip.status)
  const chance = presentChance(world, id)
  const place = drawPlace(world, vehicle, { chance, trip, stage })
  const row = { vehicleId: id, fleetId: fleetIdOf(siteNumber), environment: OPERATIONS.environment }
  // Older than the minute in which the service compares two fixes.
  const fix = { ...place, atMs: startMs - 2 * MINUTE_MS }
  putVehicle(service.host, { ...row, label: id, isSynthetic: true, isOnline }, fix)
  const awayMs = isOnline ? null : drawAway(world, vehicle, chance)
  return { id, siteNumber, place, stage, activeId, queuedIds, awayMs }
}

/** How much longer a vehicle is offline. */
function drawAway({ model, nowMs }: FleetWorld, { kept }: VehicleNow, chance: Chance): number {
  const passedMs = nowMs - kept.instantMs
  const { breakdown } = model.vehicle
  if (breakdown !== null) return restOf(() => chance.duration(breakdown.repair, "repair"), passedMs)
  return asLongAgain(Math.max(passedMs, AWAY_AT_LEAST_MS), chance)
}

/** One that went offline just now is treated as if it had been away for so long. */
const AWAY_AT_LEAST_MS = 10 * MINUTE_MS

interface Doing {
  readonly chance: Chance
  readonly trip: PresentTrip | undefined
  readonly stage: DriveStage | null
}

function drawPlace(
  world: FleetWorld,
  { siteNumber, kept }: VehicleNow,
  { chance, trip, stage }: Doing,
): Place {
  const { model, nowMs, msOfDay, routing } = world
  const home = model.sites[siteNumber]?.at ?? NOWHERE
  const anywhere = (): Place => placeIn(world, siteNumber, chance)
  if (trip === undefined || stage === null) return model.vehicle.returns ? home : anywhere()
  const { store, customer, movedMs } = trip
  switch (stage) {
    case "at_store":
    case "loaded":
      return store
    case "at_customer":
      return customer
    case "to_customer": {
      const way = routing.route(store, customer, msOfDay)
      return placeAt(way, Math.min(endOf(way).atMs, nowMs - movedMs))
    }
    case "to_store": {
      // A vehicle on its way may have been offered further runs since.
      const sinceMs = trip.status === "EN_ROUTE_TO_STORE" ? movedMs : kept.instantMs
      const passedMs = nowMs - sinceMs
      let way = routing.route(anywhere(), store, msOfDay)
      for (let tries = 0; tries < TRIES_MAX && endOf(way).atMs <= passedMs; tries += 1)
        way = routing.route(anywhere(), store, msOfDay)
      return placeAt(way, Math.min(endOf(way).atMs, passedMs))
    }
  }
}

function putTrip(world: FleetWorld, trip: TripNow, drawn: PresentTrip | undefined): void {
  if (drawn === undefined) return
  const { id, siteNumber, storeNumber, createdMs, isErrand, group } = trip
  const { readyByMs, promisedAtMs, customer, store } = drawn
  const deliveryEtaMs = Number.isFinite(promisedAtMs) ? promisedAtMs : createdMs + HOUR_MS
  putDelivery(
    world.service.host,
    {
      deliveryId: id,
      siteId: isErrand ? storeIdOf(siteNumber, storeNumber) : siteIdOf(siteNumber),
      organizationId: isErrand ? COURIER_ORGANIZATION : PARTNER.organizationId,
      environment: OPERATIONS.environment,
      fleetId: fleetIdOf(siteNumber),
      externalDeliveryId: id,
      pickupEtaMs: readyByMs,
      deliveryEtaMs,
      readyByMs,
      place: customer,
      storePlace: isErrand ? store : null,
      createdAtMs: createdMs,
    },
    group,
  )
}

/** Writes the rows of an errand and of its user. */
function drawErrand(
  world: FleetWorld,
  errand: ErrandNow,
  trip: PresentTrip | null,
): (started: StartedFleet) => void {
  const { host } = world.service
  const { id, siteNumber, storeNumber, createdMs, phase, isPaid, group } = errand
  const chance = presentChance(world, id)
  const userId = `usr_present_${id}`
  putUser(host.store, userId, { phone: "+15125550100", isEnabled: true })
  const site = world.model.sites[siteNumber]
  const store = site?.stores[storeNumber]
  const demand = demandOf(world, requestOf("courier", errand))
  const readyInMs = demand === null ? 0 : chance.duration(demand.ready_in, "ready-in")
  const readyAtMs = trip?.readyByMs ?? world.nowMs + readyInMs
  const details = {
    storePlace: site === undefined ? null : placeOf(site, storeNumber),
    dropoffPlace: trip?.customer ?? placeIn(world, siteNumber, chance),
    storeAddress: { street: streetOf(storeNumber), ...CITY },
    readyAtMs: phase === "capturing" || phase === "booked" ? readyAtMs : null,
    ...(store === undefined
      ? {}
      : { retailerName: store.as, hours: store.hours, leadTimeMs: store.lead_time }),
  }
  const fleetId = fleetIdOf(siteNumber)
  putErrand(host, { deliveryId: id, userId, fleetId, createdAtMs: createdMs, details }, group)
  return ({ errands }) => {
    const order = orderOf(world, "courier", errand)
    if (order !== null) errands?.adopt(order, { deliveryId: id, userId, phase, isPaid, readyAtMs, trip })
  }
}
