/** Direct deliveries: requested by quote and create, and carried out by the vehicles of their site. */

import { idOf, kindOf } from "../../../model/address.ts"
import type { Place } from "../../../model/place.ts"
import type { TurnResult } from "../../../engine/kernel/turn.ts"
import { rootOf } from "../../../engine/services/actors.ts"
import { DirectDelivery } from "../../../areas/direct-delivery/direct-delivery.ts"
import { errandGroup } from "../../../areas/courier/errand.ts"
import { DELIVERY_STATUSES, rankOf } from "../../../model/delivery.ts"
import type { DeliveryStatus } from "../../../model/delivery.ts"
import { TRIP_WAIT_MS } from "../../../model/values/limits.ts"
import { metresBetween } from "../../../areas/dispatch/geography.ts"
import { deliveryStatus } from "../../../areas/direct-delivery/record.ts"
import type { MemoryTable } from "../../../engine/memory/memory-store.ts"
import { DeliverySites } from "../../../areas/direct-delivery/rows.ts"
import type { DeliveryRow, DeliverySite } from "../../../areas/direct-delivery/rows.ts"
import type { DispatchPolicy } from "../../../model/vehicle-pool.ts"
import { ActorHost } from "../../../engine/services/host.ts"
import { Routine } from "../../../engine/services/routine.ts"
import { Vehicles } from "../../../areas/dispatch/vehicles.ts"
import { vehicleName } from "../language/checks/check-changes.ts"
import { callsOf } from "./calls.ts"
import type { MoveOf } from "./calls.ts"
import { Driver } from "./drivers.ts"
import type { DriveStage, Run, SecondOrder } from "./drivers.ts"
import { OPERATIONS, PARTNER, fleetIdOf, siteIdOf } from "./fleet-world.ts"
import type { FleetWorld } from "./fleet-world.ts"
import type { Curb } from "./curbs.ts"
import type { Kitchens, MealOrder } from "./kitchens.ts"
import { cancelLater } from "./orders.ts"
import type { Order } from "./orders.ts"
import { NOWHERE, placeIn } from "./places.ts"

/** One delivery in flight. Times are instants. */
interface Trip {
  /** The id by which its row is found: the retailer's id, or the errand's own. */
  readonly id: string
  /** As people call it. */
  readonly number: string
  readonly order: Order
  readonly run: Run
  /** When the wait for a vehicle began. */
  readonly sinceMs: number
  readonly readyByMs: number
  readonly promisedAtMs: number
  readonly ended: (end: TripEnd) => void
  hasSetOut: boolean
  atStoreSinceMs: number | null
  /** True for the second order of a trip, whose stay at the store is that of the first. */
  isSecond: boolean
  loadedAtMs: number | null
  state: DeliveryStatus
  stateSinceMs: number
}

/** How a delivery goes on that was under way before the run. */
type Adopting = Pick<Run, "fails"> & Pick<Trip, "ended"> & Partial<Pick<Trip, "number">>

export type TripEnd = "CANCELLED" | "COMPLETED"

const changeSite = Routine.fn(function* (siteId: string, change: Pick<DeliverySite, "dispatchPolicy">) {
  const host = yield* ActorHost
  const sites = yield* DeliverySites
  return yield* host.run({ name: "change a site", locks: {}, body: () => sites.change(siteId, change) })
})

/** A delivery that vehicles carry, whether it was requested as a direct delivery or as an errand. */
export type Carried = Pick<
  Trip,
  "ended" | "id" | "number" | "order" | "promisedAtMs" | "readyByMs" | "sinceMs"
> & {
  readonly run: Omit<Run, "demandNumber" | "isMeasured" | "order" | "setsOut">
}

/** A vehicle that the service had before the run began. */
export interface PresentVehicle {
  readonly id: string
  readonly siteNumber: number
  readonly place: Place
  /** What it does with its active run; null without one. */
  readonly stage: DriveStage | null
  readonly activeId: string | null
  readonly queuedIds: readonly string[]
  /** How long it stays offline; null when it is online. */
  readonly awayMs: number | null
}

/** A delivery that was under way before the run began. */
export interface PresentTrip {
  readonly deliveryId: string
  readonly status: DeliveryStatus
  readonly store: Place
  readonly curb: Curb | null
  readonly customer: Place
  readonly createdMs: number
  /** When its status last changed. */
  readonly movedMs: number
  readonly atStoreSinceMs: number | null
  readonly readyByMs: number
  readonly promisedAtMs: number
  readonly meal: Pick<MealOrder, "dueMs" | "preparationMs">
  readonly loadMs: number
  readonly dropOffMs: number
}

/** What the states of orders are called in figures: `delivery.loaded`. */
const STATE_NAMES = { delivery: stateNamesOf("delivery"), errand: stateNamesOf("errand") }

function stateNamesOf(machine: string): Readonly<Record<DeliveryStatus, string>> {
  return Object.fromEntries(
    DELIVERY_STATUSES.map((status) => [status, `${machine}.${status.toLowerCase()}`]),
  ) as Record<DeliveryStatus, string>
}

/** A vehicle, and the runs that it has by the service's data. */
interface Driven {
  readonly driver: Driver
  activeId: string | null
  queuedIds: readonly string[]
  readonly siteNumber: number
}

export class Deliveries {
  readonly #world: FleetWorld
  readonly #kitchens: Kitchens
  readonly #calls: MoveOf<DirectDelivery["Type"]>
  /** By the retailer's id. */
  readonly #trips = new Map<string, Trip>()
  readonly #drivers = new Map<string, Driven>()
  readonly #vehicles: MoveOf<Vehicles["Type"]>
  /** By site: vehicles that ever came. */
  readonly #counts = new Map<number, number>()
  /** The policy of every site now. */
  #dispatch: DispatchPolicy
  readonly #rows: MemoryTable<DeliveryRow>
  #asked = 0

  constructor(world: FleetWorld, kitchens: Kitchens) {
    this.#world = world
    this.#kitchens = kitchens
    this.#rows = world.service.host.store.table("deliveries")
    this.#calls = callsOf(world, DirectDelivery)
    this.#dispatch = world.model.policy.vehicle_dispatch
    this.#vehicles = callsOf(world, Vehicles)
    for (const [number, site] of world.model.sites.entries()) {
      const present = world.vehicleIds.get(number) ?? []
      for (const id of present) this.#drive(id, site.at, number)
      this.#counts.set(number, present.length)
      for (let at = present.length; at < site.vehicles; at += 1) this.#join(number)
    }
    world.service.host.onTurn((result) => this.#notice(result))
  }

  /** So many more vehicles of a site from now on, or fewer: the last ones go, each after its runs. */
  changeVehicles(siteNumber: number, by: number): void {
    for (let at = 0; at < by; at += 1) this.#join(siteNumber)
    for (const driver of this.#lastOnes(siteNumber, -by)) driver.leaveSite()
  }

  /** So many vehicles of a site are away, each after its runs, until the functions are called: the last ones. */
  takeOut(siteNumber: number, count: number): readonly (() => void)[] {
    return this.#lastOnes(siteNumber, count).map((driver) => {
      driver.leaveSite()
      return () => driver.comeBack()
    })
  }

  #lastOnes(siteNumber: number, count: number): readonly Driver[] {
    const there = [...this.#drivers.values()].flatMap(({ driver, siteNumber: site }) =>
      site === siteNumber && !driver.hasLeft ? [driver] : [],
    )
    return there.toReversed().slice(0, Math.max(0, count))
  }

  /** Every site chooses vehicles by this policy from now on. */
  dispatchBy(dispatchPolicy: DispatchPolicy): void {
    this.#dispatch = dispatchPolicy
    for (const number of this.#world.model.sites.keys())
      this.#world.call(changeSite(siteIdOf(number), { dispatchPolicy }))
  }

  /** A vehicle that is not there, such as one that a sweep takes away, is left out. */
  breakDown(id: string, repairMs: number): void {
    this.#drivers.get(id)?.driver.breakDownFor(repairMs)
  }

  /** A vehicle of the model: it stands at its site. */
  #join(siteNumber: number): void {
    const number = (this.#counts.get(siteNumber) ?? 0) + 1
    const id = vehicleName(siteNumber, number)
    this.#counts.set(siteNumber, number)
    this.#drive(id, this.#world.model.sites[siteNumber]?.at ?? NOWHERE, siteNumber)
    this.#vehicles.register([
      {
        vehicleId: id,
        fleetId: fleetIdOf(siteNumber),
        environment: OPERATIONS.environment,
        label: id,
        isSynthetic: true,
        isOnline: true,
      },
    ])
  }

  /** A customer requests a delivery. All its random values are drawn here, whatever happens to it later. */
  ask(order: Order): void {
    const world = this.#world
    const { model } = world
    const { chance, facts, siteNumber, storeNumber, demand } = order
    const drawnReadyMs = chance.duration(demand.ready_in, "ready-in")
    const readyByMs = world.nowMs + Math.max(1, facts.readyInMs ?? drawnReadyMs)
    const customer = facts.door ?? placeIn(world, siteNumber, chance)
    const loadMs = chance.duration(model.vehicle.load, "load")
    const dropOffMs = chance.duration(model.vehicle.drop_off, "drop-off")
    this.#asked += 1
    const externalId = `order-${this.#asked}`
    const siteId = siteIdOf(siteNumber)
    const request = {
      external_delivery_id: externalId,
      customer: { phone: "+15125550100" },
      delivery_address: { street: "1 Fleet Way", city: "Austin", state: "TX", zip: "78701" },
      delivery_location: customer,
      ready_by: readyByMs,
      order_items: [{ name: "Lunch", quantity: order.items }],
    }
    const meal = this.#kitchens.order({
      siteNumber,
      storeNumber,
      dueMs: readyByMs,
      chance,
      preparationMs: facts.preparationMs,
      isMeasured: order.isMeasured,
      demandNumber: order.demandNumber,
    })
    const store = model.sites[siteNumber]?.at ?? NOWHERE
    this.#calls.quote([PARTNER, siteId, request], (quoted) => {
      if ("refusal" in quoted) return order.decline(quoted.refusal)
      const { available, unavailable_reason: reason, delivery_eta: eta } = quoted.answer
      if (!available) return order.decline(reason ?? "unavailable")
      const carried: Carried = {
        id: externalId,
        number: externalId,
        order,
        run: { store, curb: world.curbs[siteNumber] ?? null, customer, meal, loadMs, dropOffMs, fails: null },
        sinceMs: world.nowMs,
        readyByMs,
        promisedAtMs: eta === null ? Number.POSITIVE_INFINITY : Date.parse(eta),
        ended: (end) => {
          if (end === "COMPLETED") order.close("completed", null)
          else order.close("canceled", "by customer")
        },
      }
      this.#begin(carried)
      this.#calls.create([PARTNER, siteId, { external_delivery_id: externalId }], (created) => {
        if ("refusal" in created) {
          this.#trips.delete(externalId)
          return order.decline(created.refusal)
        }
        order.open()
        this.#changeQueue(order, 1)
        this.#cancelLater(order, siteId, externalId)
      })
    })
  }

  #drive(id: string, home: Place, siteNumber: number): void {
    const secondOf = (run: Run): SecondOrder | null => this.#secondOf(id, run)
    const driver = new Driver(this.#world, { id, siteNumber, home, secondOf })
    this.#drivers.set(id, { driver, activeId: null, queuedIds: [], siteNumber })
  }

  /** Goes on with a delivery that was under way before the run. Its vehicle is adopted after it. */
  adopt(order: Order, present: PresentTrip, { ended, fails, number = present.deliveryId }: Adopting): void {
    const { store, curb, customer, loadMs, dropOffMs, status, atStoreSinceMs } = present
    const { siteNumber, storeNumber, chance } = order
    const meal = this.#kitchens.order({
      ...present.meal,
      siteNumber,
      storeNumber,
      chance,
      isMeasured: false,
      demandNumber: order.demandNumber,
    })
    const trip = this.#begin({
      id: present.deliveryId,
      number,
      order,
      run: { store, curb, customer, meal, loadMs, dropOffMs, fails },
      sinceMs: present.createdMs,
      readyByMs: present.readyByMs,
      promisedAtMs: present.promisedAtMs,
      ended,
    })
    trip.state = status
    trip.stateSinceMs = present.movedMs
    trip.atStoreSinceMs = atStoreSinceMs
    this.#tell(trip, present.deliveryId)
    if (rankOf(status) >= rankOf("LOADED")) {
      trip.loadedAtMs = present.movedMs
      this.#world.course?.load(order)
    }
    this.#changeQueue(order, 1)
  }

  /** Goes on with a vehicle of the present, after its deliveries. */
  adoptVehicle({ id, place, stage, activeId, queuedIds, awayMs }: PresentVehicle): void {
    const known = this.#drivers.get(id)
    if (known === undefined) return
    known.activeId = activeId
    known.queuedIds = queuedIds
    const trip = activeId === null ? undefined : this.#tripOf(activeId)
    if (trip === undefined || stage === null) return known.driver.adopt({ place, doing: null, awayMs })
    // How long it waited for its vehicle was over before the run.
    trip.hasSetOut = true
    this.#changeQueue(trip.order, -1)
    known.driver.adopt({ place, doing: { run: trip.run, stage }, awayMs })
  }

  /** A booked errand, whose delivery is about to start. */
  carry(carried: Carried): void {
    this.#tell(this.#begin(carried), carried.id)
    this.#changeQueue(carried.order, 1)
  }

  /** Tells the course of an order that vehicles carry. */
  #tell({ order, run, number, promisedAtMs: promisedMs }: Trip, deliveryId: string): void {
    const { course } = this.#world
    if (course === null || course.actorOf(order) >= 0) return
    const { product, storeNumber: store, askedAtMs: fromMs } = order
    const door = [run.customer.latitude, run.customer.longitude] as const
    const address = product === "courier" ? errandGroup(deliveryId) : `delivery/${deliveryId}`
    course.begin(order, { product, number, store, stall: null, door, fromMs, promisedMs, address }, run.meal)
  }

  /** Orders that wait for a vehicle of their site. */
  #changeQueue({ siteNumber }: Order, by: 1 | -1): void {
    const { tally, nowMs } = this.#world
    tally.level("vehicles", "queue", siteNumber).change(by, nowMs)
  }

  #begin(carried: Carried): Trip {
    const trip: Trip = {
      ...carried,
      run: {
        ...carried.run,
        order: carried.order,
        isMeasured: carried.order.isMeasured,
        demandNumber: carried.order.demandNumber,
        setsOut: () => this.#setOut(trip),
      },
      hasSetOut: false,
      atStoreSinceMs: null,
      isSecond: false,
      loadedAtMs: null,
      state: "SCHEDULED",
      stateSinceMs: this.#world.nowMs,
    }
    this.#trips.set(carried.id, trip)
    return trip
  }

  #cancelLater(order: Order, siteId: string, externalId: string): void {
    const request = { status: "CANCELLED", cancellation_reason: "the customer canceled" } as const
    cancelLater(this.#world, order, (refused) =>
      this.#calls.cancel([PARTNER, siteId, externalId, request], (outcome) => {
        if ("refusal" in outcome) refused()
      }),
    )
  }

  #setOut(trip: Trip): void {
    if (trip.hasSetOut) return
    trip.hasSetOut = true
    const { nowMs, tally } = this.#world
    const { isMeasured, demandNumber } = trip.order
    this.#changeQueue(trip.order, -1)
    if (isMeasured) tally.observe("vehicles.wait", nowMs - trip.sinceMs, demandNumber)
  }

  #notice(result: TurnResult): void {
    if (result.outcome.type === "refused") return
    const kind = kindOf(result.group.address)
    if (kind === "delivery") this.#noticeDelivery(result)
    else if (kind === "vehicle") this.#noticeVehicle(result)
  }

  #noticeVehicle({ group }: TurnResult): void {
    const known = this.#drivers.get(idOf(group.address))
    const { activeId, queuedIds } = rootOf("vehicle", group).context
    if (known === undefined) return
    known.queuedIds = queuedIds
    if (known.activeId === activeId) return
    known.activeId = activeId
    // Runs after the turn that is being announced, with the state at that time.
    this.#world.after(0, () => {
      if (known.activeId !== activeId) return
      const trip = activeId === null ? undefined : this.#tripOf(activeId)
      known.driver.take(trip?.run ?? null, trip !== undefined && rankOf(trip.state) >= rankOf("LOADED"))
    })
  }

  /** The first order in a vehicle's queue, if it goes on the same trip: by the model's own words, or as the service says. */
  #secondOf(vehicleId: string, run: Run): SecondOrder | null {
    const { batching } = this.#world.model.vehicle
    const deliveryId = this.#drivers.get(vehicleId)?.queuedIds[0]
    const trip = deliveryId === undefined ? undefined : this.#tripOf(deliveryId)
    if (deliveryId === undefined || trip === undefined) return null
    const isOneTrip =
      batching === null
        ? this.#isSecond(vehicleId, deliveryId)
        : trip.order.product === "delivery" &&
          areNear(trip.run, run, batching.within_km * 1000) &&
          run.order.items + trip.order.items <= (batching.capacity ?? Number.POSITIVE_INFINITY)
    if (!isOneTrip) return null
    return {
      run: trip.run,
      deliveryId,
      waitsMs: batching?.waits ?? TRIP_WAIT_MS,
      isOpen: () =>
        this.#trips.get(trip.id) === trip && this.#drivers.get(vehicleId)?.queuedIds[0] === deliveryId,
      loads: () => {
        trip.isSecond = true
      },
    }
  }

  /** By the rule of sites with the policy `batching`. */
  #isSecond(vehicleId: string, deliveryId: string): boolean {
    let isSecond = false
    if (this.#dispatch !== "batching") return isSecond
    this.#vehicles.secondOrder([OPERATIONS, vehicleId], (outcome) => {
      isSecond = "answer" in outcome && outcome.answer?.deliveryId === deliveryId
    })
    return isSecond
  }

  #tripOf(deliveryId: string): Trip | undefined {
    const row = this.#rows.get(deliveryId)
    return row === null ? undefined : this.#trips.get(row.externalDeliveryId)
  }

  #noticeDelivery({ group, emissions }: TurnResult): void {
    const { address, actors } = group
    const status = deliveryStatus(actors, address)
    const trip = this.#tripOf(idOf(address))
    if (trip === undefined) return
    this.#tell(trip, idOf(address))
    // One turn may pass through several statuses.
    for (const emission of emissions) this.#enter(trip, deliveryStatus(emission.actors, address))
    this.#enter(trip, status)
    if (status !== "COMPLETED" && status !== "CANCELLED") return
    this.#trips.delete(trip.id)
    this.#end(trip, status)
  }

  #enter(trip: Trip, state: DeliveryStatus): void {
    if (trip.state === state) return
    const { nowMs, tally } = this.#world
    const { isMeasured, askedAtMs, product, demandNumber } = trip.order
    const group = product === "courier" ? "errands" : "deliveries"
    const machine = product === "courier" ? "errand" : "delivery"
    if (isMeasured) tally.observeState(STATE_NAMES[machine][trip.state], nowMs - trip.stateSinceMs)
    trip.state = state
    trip.stateSinceMs = nowMs
    if (state === "ARRIVED_AT_STORE") trip.atStoreSinceMs = nowMs
    if (state === "LOADED") {
      trip.loadedAtMs = nowMs
      this.#world.course?.load(trip.order)
      if (!isMeasured) return
      const waitMs = Math.max(0, nowMs - trip.readyByMs)
      tally.observe("wait", waitMs, demandNumber)
      tally.observe(`${group}.wait`, waitMs, demandNumber)
      if (trip.atStoreSinceMs !== null && !trip.isSecond)
        tally.observe(`${group}.stay`, nowMs - trip.atStoreSinceMs, demandNumber)
    }
    if (state === "COMPLETED" && isMeasured) {
      tally.observe(`${group}.total`, nowMs - askedAtMs, demandNumber)
      tally.observe(`${group}.delay`, Math.max(0, nowMs - trip.promisedAtMs), demandNumber)
      if (nowMs > trip.promisedAtMs) tally.countLate(product, trip.promisedAtMs, trip.order)
    }
  }

  #end(trip: Trip, status: TripEnd): void {
    if (!trip.hasSetOut) {
      trip.hasSetOut = true
      this.#changeQueue(trip.order, -1)
    }
    trip.ended(status)
  }
}

function areNear(one: Run, other: Run, metres: number): boolean {
  return metresBetween(one.store, other.store) === 0 && metresBetween(one.customer, other.customer) <= metres
}
