/**
 * Drivers of synthetic vehicles: their positions and their reports. A fix is sent when a vehicle crosses a fence, not
 * every two seconds: a fix is no turn, and these vehicles are not shown on a map.
 *
 * Differs from the street: without a matrix or streets the distance is the straight line times a detour factor; traffic is
 * a speed by the hour, and a vehicle that breaks down is repaired where it stands.
 */

import { APPROACH_M } from "../../../model/values/limits.ts"
import { SECOND_MS } from "../../../model/values/time.ts"
import type { Place } from "../../../model/place.ts"
import { metresBetween } from "../../../areas/dispatch/geography.ts"
import { Vehicles } from "../../../areas/dispatch/vehicles.ts"
import { endOf, partsAt, placeAt } from "../travel/route.ts"
import type { Corner, Route } from "../travel/route.ts"
import { callsOf } from "./calls.ts"
import type { Curb, Leave } from "./curbs.ts"
import type { MoveOf } from "./calls.ts"
import { OPERATIONS } from "./fleet-world.ts"
import type { FleetWorld } from "./fleet-world.ts"
import type { Meal } from "./kitchens.ts"
import type { Order } from "./orders.ts"
import type { Counted } from "./tally.ts"

/** A run of a vehicle. */
export interface Run extends Counted {
  readonly order: Order
  readonly store: Place
  readonly customer: Place
  readonly meal: Meal
  /** Where it stops to load; null at a store without a curb of its own. */
  readonly curb: Curb | null
  readonly loadMs: number
  readonly dropOffMs: number
  readonly setsOut: () => void
  /** Called instead of the end of the drop-off when no customer comes to the door. */
  readonly fails: (() => void) | null
}

/** An order that a vehicle may take on the same trip, because its run is queued there and its door is near. */
export interface SecondOrder {
  readonly run: Run
  readonly deliveryId: string
  /** How long the loaded vehicle waits for it. */
  readonly waitsMs: number
  /** False once it has ended, or another vehicle has it. */
  readonly isOpen: () => boolean
  /** Called before the report that it is on board. */
  readonly loads: () => void
}

/** Where a vehicle is in its run; `loaded`: still at the store. */
export type DriveStage = "at_customer" | "at_store" | "loaded" | "to_customer" | "to_store"

/** What a vehicle did before the run of the world. */
export interface PresentDrive {
  readonly place: Place
  /** Null without an active run. */
  readonly doing: { readonly run: Run; readonly stage: DriveStage } | null
  /** How long it stays offline; null when it is online. */
  readonly awayMs: number | null
}

export interface DriverOptions {
  readonly id: string
  readonly siteNumber: number
  readonly home: Place
  /** The order to take along with a run that is on board; null for none. */
  readonly secondOf: (run: Run) => SecondOrder | null
}

/** The drive under way. */
interface Leg {
  readonly route: Route
  readonly startMs: number
  readonly state: string
  readonly arrive: () => void
  /** The service knows of the drive, or need not. */
  isReported: boolean
}

/** Time between the two fixes that show that a vehicle moves. On a shorter route only the arrival is reported. */
const BETWEEN_FIXES_MS = 20 * SECOND_MS
/** A vehicle has left the store beyond this many metres. */
const GONE_M = 150

const WAITS_FOR_STREET = "waits for a street"

export class Driver {
  readonly id: string
  readonly #world: FleetWorld
  readonly #siteNumber: number
  readonly #home: Place
  readonly #secondOf: DriverOptions["secondOf"]
  readonly #vehicles: MoveOf<Vehicles["Type"]>
  #place: Place
  #lastFixMs = 0
  /** Identifies the current run or way back; steps of an earlier one are dropped. */
  #token = 0
  #isBusy = false
  #sinceChargeM = 0
  #toBreakdownMs: number
  /** Until then it is offline and stands: it is broken down or charges. */
  #awayUntilMs = 0
  /** It was taken from its site: it takes no run any more, unless no other vehicle is online. */
  hasLeft = false
  /** Set while it has a stall, or waits for one. */
  #leaveCurb: Leave | null = null
  /** On board beside the active run's order. */
  #second: SecondOrder | null = null
  /** Null while it stands. */
  #leg: Leg | null = null
  /** The run that it has. */
  #run: Run | null = null
  /** Its state in the course. */
  #told = "idle"
  /** Its number in the course; -1 without one. */
  readonly #actor: number

  constructor(world: FleetWorld, { id, siteNumber, home, secondOf }: DriverOptions) {
    this.id = id
    this.#siteNumber = siteNumber
    this.#secondOf = secondOf
    this.#world = world
    this.#home = home
    this.#place = home
    this.#vehicles = callsOf(world, Vehicles)
    this.#toBreakdownMs = this.#nextBreakdownMs()
    this.#changeDuty(1)
    const known = {
      kind: "vehicle",
      name: id,
      site: siteNumber,
      address: `vehicle/${id}`,
      order: null,
    } as const
    this.#actor = world.course?.add(known) ?? -1
    this.#stand("idle")
  }

  /** Goes on from a place with what the vehicle did before the run of the world. */
  adopt({ place, doing, awayMs }: PresentDrive): void {
    this.#place = place
    this.#token += 1
    this.#run = doing?.run ?? null
    if (doing !== null) this.#setBusy(true)
    this.#stand(awayMs === null ? "idle" : "broken down")
    if (awayMs === null) this.#goOn(doing)
    else this.#away(awayMs, () => this.#goOn(doing))
  }

  /** It finishes the runs that it has. */
  leaveSite(): void {
    this.hasLeft = true
    this.#vehicles.goOffline([OPERATIONS, this.id])
    if (this.#isBusy) return
    this.#changeDuty(-1)
    if (this.#told === "idle") this.#rest()
  }

  /** Takes runs again. */
  comeBack(): void {
    this.hasLeft = false
    if (!this.#isBusy) this.#changeDuty(1)
    if (this.#told === "off duty") this.#rest()
    if (this.#world.nowMs >= this.#awayUntilMs) this.#vehicles.goOnline([OPERATIONS, this.id])
  }

  /** Breaks down now. Where it stands, loading and unloading go on; it drives again when it is repaired. */
  breakDownFor(repairMs: number): void {
    const leg = this.#leg
    if (leg !== null) {
      const [driven, rest] = partsAt(leg.route, this.#world.nowMs - leg.startMs)
      const { state, isReported, arrive } = leg
      return this.#breakDown(endOf(driven), repairMs, () =>
        this.#drive(rest, state, { isReported: !isReported }, arrive),
      )
    }
    const before = this.#told
    this.#failHere(repairMs, () => {
      if (this.#told !== "broken down") return
      if (this.#isBusy) this.#tell(before)
      else this.#rest()
    })
  }

  #goOn(doing: PresentDrive["doing"]): void {
    if (doing === null) return this.#rest()
    const { run, stage } = doing
    switch (stage) {
      case "to_store":
        return this.#driveTo(run.store, "to the store", { isReported: true }, () => this.#atStore(run))
      case "at_store":
        return this.#atStore(run)
      case "loaded":
        return this.#toCustomer(run)
      case "to_customer":
        return this.#driveTo(run.customer, "to the customer", { isReported: false }, this.#atDoor(run))
      case "at_customer":
        return this.#atDoor(run)()
    }
  }

  /** The active run by the service's data; null without one. `isOnBoard`: it was the second order of the trip before. */
  take(run: Run | null, isOnBoard: boolean): void {
    this.#token += 1
    this.#run = run
    this.#leave()
    if (run === null) {
      this.#setBusy(false)
      this.#whenBack(() => this.#finish())
      return
    }
    this.#setBusy(true)
    this.#second = null
    const setOut = (): void => {
      run.setsOut()
      if (isOnBoard)
        return this.#driveTo(run.customer, "to the customer", { isReported: false }, this.#atDoor(run))
      this.#driveTo(run.store, "to the store", { isReported: true }, () => this.#atStore(run))
    }
    this.#whenBack(setOut)
  }

  /** Its arrival is reported where it first stops, even if that is the line for a stall. */
  #atStore(run: Run): void {
    this.#report()
    this.#tell("at the store")
    if (run.curb === null) this.#load(run)
    else this.#leaveCurb = run.curb.stop(() => this.#load(run), run)
  }

  #load(run: Run): void {
    const token = this.#token
    run.meal.whenReady(() => {
      if (this.#token !== token) return
      this.#tell("loading")
      this.#after(run.loadMs, () => {
        this.#report("loaded")
        this.#loadSecond(run, () => {
          this.#leave()
          this.#toCustomer(run)
        })
      })
    })
  }

  /** Loads a second order that is ready in time, and goes on with or without it. */
  #loadSecond(run: Run, then: () => void): void {
    const second = this.#secondOf(run)
    if (second === null) return then()
    const token = this.#token
    let isDecided = false
    second.run.meal.whenReady(() => {
      if (isDecided || this.#token !== token || !second.isOpen()) return
      isDecided = true
      this.#after(second.run.loadMs, () => {
        if (second.isOpen()) {
          second.run.setsOut()
          second.loads()
          this.#second = second
          this.#report()
          this.#world.tally.count("vehicles.batched")
        }
        then()
      })
    })
    if (isDecided) return
    this.#tell("waits for a second order")
    this.#after(second.waitsMs, () => {
      if (isDecided) return
      isDecided = true
      then()
    })
  }

  #leave(): void {
    const leave = this.#leaveCurb
    this.#leaveCurb = null
    leave?.()
  }

  #toCustomer(run: Run): void {
    const isFar = metresBetween(run.store, run.customer) > 2 * GONE_M
    const arrive = this.#atDoor(run)
    if (!isFar) return this.#driveTo(run.customer, "to the customer", { isReported: false }, arrive)
    const { routing, msOfDay } = this.#world
    const ends = { from: run.store, to: run.customer }
    if (!routing.leads(run.store, run.customer, msOfDay))
      return this.#waitForStreet(() => this.#toCustomer(run))
    const { first, rest } = routing.leaving(ends, GONE_M, msOfDay)
    this.#drive(first, "to the customer", { isReported: false }, () => {
      this.#report()
      this.#drive(rest(this.#world.msOfDay), "to the customer", { isReported: false }, arrive)
    })
  }

  #atDoor(run: Run): () => void {
    return () => {
      this.#report()
      this.#tell("at the customer")
      this.#after(run.dropOffMs, () => (run.fails === null ? this.#report("unloaded") : run.fails()))
    }
  }

  /** Without a run: it charges if it must, and goes home. */
  #finish(): void {
    const { charging, returns } = this.#world.model.vehicle
    this.#rest()
    if (charging !== null && this.#sinceChargeM >= charging.after_km * 1000) {
      this.#sinceChargeM = 0
      const ms = this.#world.chance.duration(charging.takes, `vehicle/${this.id}/charging`)
      this.#tell("charging")
      this.#away(ms, () => this.#rest())
      return
    }
    if (!returns || metresBetween(this.#place, this.#home) < GONE_M) return
    this.#driveTo(this.#home, "back", { isReported: false }, () => {
      this.#report()
      this.#rest()
    })
  }

  /** Where each way is out it waits for one. */
  #driveTo(to: Place, state: string, options: { readonly isReported: boolean }, then: () => void): void {
    const { routing, msOfDay } = this.#world
    if (!routing.leads(this.#place, to, msOfDay))
      return this.#waitForStreet(() => this.#driveTo(to, state, options, then))
    this.#drive(routing.route(this.#place, to, msOfDay), state, options, then)
  }

  #waitForStreet(then: () => void): void {
    const token = this.#token
    if (this.#told !== WAITS_FOR_STREET) this.#world.tally.count("vehicles.without_a_way")
    this.#tell(WAITS_FOR_STREET)
    this.#world.whenStreetIsBack(() => {
      if (this.#token === token) this.#whenBack(then)
    })
  }

  #drive(
    route: Route,
    state: string,
    { isReported }: { readonly isReported: boolean },
    then: () => void,
  ): void {
    const world = this.#world
    if (world.nowMs < this.#awayUntilMs)
      return this.#whenBack(() => this.#drive(route, state, { isReported }, then))
    const { place: to, atMs: ms, metres } = endOf(route)
    const leg: Leg = { route, startMs: world.nowMs, state, arrive: then, isReported: !isReported }
    this.#leg = leg
    if (isReported) this.#reportMovement(leg)
    this.#told = state
    world.course?.travel(this.#actor, state, { route, order: this.#run?.order ?? null })
    const { breakdowns } = world.rules
    if (breakdowns === 0 || this.#toBreakdownMs > ms * breakdowns) {
      this.#toBreakdownMs -= ms * breakdowns
      world.after(ms, () => {
        if (this.#leg !== leg) return
        this.#leg = null
        this.#place = to
        this.#sinceChargeM += metres
        then()
      })
      return
    }
    const drivenMs = this.#toBreakdownMs / breakdowns
    this.#toBreakdownMs = this.#nextBreakdownMs()
    world.after(drivenMs, () => {
      if (this.#leg !== leg) return
      const [driven, rest] = partsAt(route, drivenMs)
      const { breakdown } = world.model.vehicle
      const repairMs =
        breakdown === null ? 0 : world.chance.duration(breakdown.repair, `vehicle/${this.id}/repair`)
      this.#breakDown(endOf(driven), world.repairs.awayMs(repairMs), () =>
        this.#drive(rest, state, { isReported: !leg.isReported }, then),
      )
    })
  }

  /** Stands where it broke down until it is repaired. It may get another run meanwhile, which it takes from there. */
  #breakDown({ place, metres }: Corner, repairMs: number, then: () => void): void {
    this.#leg = null
    this.#place = place
    this.#sinceChargeM += metres
    this.#failHere(repairMs, then)
  }

  #failHere(repairMs: number, then: () => void): void {
    this.#world.tally.count("vehicles.broken_down")
    this.#tell("broken down")
    this.#world.course?.breakAt("fault", this.#actor, this.#siteNumber)
    this.#away(repairMs, then)
  }

  /** Offline for at least so long; it keeps its runs. */
  #away(awayMs: number, then: () => void): void {
    const ms = this.#world.outMs(awayMs)
    this.#vehicles.goOffline([OPERATIONS, this.id])
    this.#awayUntilMs = Math.max(this.#awayUntilMs, this.#world.nowMs + ms)
    this.#world.after(ms, () => {
      if (!this.hasLeft && this.#world.nowMs >= this.#awayUntilMs)
        this.#vehicles.goOnline([OPERATIONS, this.id])
    })
    this.#whenBack(then)
  }

  /** At once, or when it is repaired or charged. Left out when its runs change meanwhile. */
  #whenBack(then: () => void): void {
    const ms = this.#awayUntilMs - this.#world.nowMs
    if (ms <= 0) return then()
    this.#tell(this.#told === "charging" ? "charging" : "broken down")
    this.#after(ms, () => this.#whenBack(then))
  }

  /** Stops at its current place, because something else came up on the way. */
  #stop(): void {
    const leg = this.#leg
    if (leg === null) return
    const { route, startMs } = leg
    this.#place = placeAt(route, Math.min(endOf(route).atMs, this.#world.nowMs - startMs))
    this.#leg = null
  }

  /** Sends two fixes at once, the second a little further along: that is how the service detects an approach. */
  #reportMovement(leg: Leg): void {
    const { route } = leg
    const approachReportMs = approachMs(route)
    if (approachReportMs === null) return
    const firstFixMs = approachReportMs - BETWEEN_FIXES_MS
    const firstFix = () => this.#fixAt(firstFixMs === 0 ? this.#place : placeAt(route, firstFixMs))
    let start = firstFix()
    const onLeg = (run: () => void) => () => {
      if (this.#leg === leg) run()
    }
    if (firstFixMs > 0)
      this.#world.after(
        firstFixMs,
        onLeg(() => (start = firstFix())),
      )
    const onTheWay = placeAt(route, approachReportMs)
    this.#world.after(
      approachReportMs,
      onLeg(() => {
        leg.isReported = true
        this.#vehicles.report([OPERATIONS, this.id, [start, this.#fixAt(onTheWay)]])
      }),
    )
  }

  #report(load: "loaded" | "unloaded" | null = null): void {
    const second = this.#second?.isOpen() === true ? { also_on_board: this.#second.deliveryId } : {}
    this.#vehicles.report([OPERATIONS, this.id, [{ ...this.#fixAt(this.#place), load, ...second }]])
  }

  /** The service keeps only one fix for an instant. */
  #fixAt({ latitude, longitude }: Place) {
    this.#lastFixMs = Math.max(this.#world.nowMs, this.#lastFixMs + 1)
    return { latitude, longitude, recorded_at: this.#lastFixMs, load: null }
  }

  #after(ms: number, run: () => void): void {
    const token = this.#token
    this.#world.after(ms, () => {
      if (this.#token === token) run()
    })
  }

  #setBusy(isBusy: boolean): void {
    this.#stop()
    if (this.#isBusy === isBusy) return
    this.#isBusy = isBusy
    const { tally, nowMs } = this.#world
    tally.level("vehicles", "busy", this.#siteNumber).change(isBusy ? 1 : -1, nowMs)
    if (this.hasLeft) this.#changeDuty(isBusy ? 1 : -1)
  }

  #changeDuty(by: 1 | -1): void {
    const { tally, nowMs } = this.#world
    tally.level("vehicles", "duty", this.#siteNumber).change(by, nowMs)
  }

  #rest(): void {
    this.#tell(this.hasLeft ? "off duty" : "idle")
  }

  #nextBreakdownMs(): number {
    const { breakdown } = this.#world.model.vehicle
    if (breakdown === null) return Number.POSITIVE_INFINITY
    return this.#world.chance.duration(breakdown.every, `vehicle/${this.id}/breakdown`)
  }

  #stand(state: string): void {
    this.#told = state
    this.#world.course?.stand(this.#actor, state, { place: this.#place, order: this.#run?.order ?? null })
  }

  #tell(state: string): void {
    this.#told = state
    this.#world.course?.enter(this.#actor, state, this.#run?.order ?? null)
  }
}

/**
 * When a vehicle that drives to a store shows that it comes closer; null for a route that is too short. A route along streets
 * may first lead away from the store.
 */
function approachMs(route: Route): number | null {
  const { place: store, atMs: ms } = endOf(route)
  const isStraight = route.corners.length === 2
  for (
    let approachReportMs = BETWEEN_FIXES_MS;
    ms > approachReportMs + BETWEEN_FIXES_MS;
    approachReportMs += BETWEEN_FIXES_MS
  ) {
    if (isStraight) return approachReportMs
    const beforeM = metresBetween(placeAt(route, approachReportMs - BETWEEN_FIXES_MS), store)
    if (beforeM - metresBetween(placeAt(route, approachReportMs), store) >= APPROACH_M)
      return approachReportMs
  }
  return null
}
