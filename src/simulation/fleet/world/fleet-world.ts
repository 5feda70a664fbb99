/**
 * The world of one replication: the real service on virtual time and in memory, and around it synthetic people and
 * things. They call the same methods as requests do, and react to the turns of the service.
 *
 * Differs from the street: no runner is ill, no order is mixed up, and the service itself is never slow.
 */

import { Cause, Exit, Option, Runtime } from "effect"
import type { Effect } from "effect"
import { PERMISSIONS } from "../../../model/caller.ts"
import type { Operator, Partner } from "../../../model/caller.ts"
import type { Refused } from "../../../model/values/errors.ts"
import type { Polygon } from "../../../model/place.ts"
import {
  FLEET_DRAIN_MS_MAX,
  FLEET_OUT_AFTER_MS_MAX,
  READY_AHEAD_MS_MAX,
} from "../../../model/values/limits.ts"
import { RANK } from "../../../engine/kernel/agenda.ts"
import { faultOf } from "../../../engine/kernel/faults.ts"
import type { DeliverySite } from "../../../areas/direct-delivery/rows.ts"
import type { CourierChoices } from "../../../areas/courier/settings.ts"
import { STORE_PREFIX } from "../../../areas/courier/directory/store-directory.ts"
import { isRoutine } from "../../../engine/services/routine.ts"
import { DEFAULT_POLICY } from "../../../engine/services/policies.ts"
import type { EnvironmentPolicy } from "../../../engine/services/policies.ts"
import type { CatalogSite } from "../../../areas/catalog/rows.ts"
import { SiteClock } from "../../scenario/language/site-clock.ts"
import { simulateService } from "../../simulated-service.ts"
import type { SimulatedService, SimulatedServices } from "../../simulated-service.ts"
import { Chance } from "../chance.ts"
import { timedChanges } from "../language/changes.ts"
import type { TimedEffects } from "../language/changes.ts"
import type { FleetDemand, FleetModel, FleetSite } from "../language/model.ts"
import { areaOf } from "../language/site-area.ts"
import { routingOf } from "../travel/routing.ts"
import type { Routing } from "../travel/routing.ts"
import type { StreetChoice } from "../travel/street-choice.ts"
import { CourseRecorder } from "./course-recorder.ts"
import { Curb } from "./curbs.ts"
import { LocalClock } from "./local-clock.ts"
import { Repairs } from "./repairs.ts"
import { Tally } from "./tally.ts"

/** The outcome of a call: an answer, or the code with which it was refused. */
export type Outcome<A> = { readonly answer: A } | { readonly refusal: string }

const ORGANIZATION = "org_fleet"

export const PARTNER: Partner = {
  type: "partner",
  organizationId: ORGANIZATION,
  environment: "production",
  permissions: PERMISSIONS,
}
export const RUNNER: Operator = { type: "operator", by: "runner", environment: "production" }
export const OPERATIONS: Operator = { type: "operator", by: "ops", environment: "production" }

export interface FleetWorldOptions {
  readonly seed: number
  /** Records what everything does. */
  readonly hasCourse?: boolean
  /** `full` keeps every entry of every journal; the digest is the same. */
  readonly recording?: "full" | "off"
  /** The instant of the start, when it is no whole second of the model's clock. */
  readonly startMs?: number
  /** When the streams of the demand begin, at or before the start: orders before it are left out. */
  readonly demandFromMs?: number
  /** Vehicles that the service has before the run, by the number of their site; a model's count is beyond them. */
  readonly vehicleIds?: ReadonlyMap<number, readonly string[]>
}

/** What holds now: as the model says, until one of its changes says otherwise. */
type Rules = {
  dispatch: FleetModel["policy"]["dispatch"]
} & {
  -readonly [Fault in keyof FleetModel["faults"]]: FleetModel["faults"][Fault]
} & {
  /** Times the rate of the model. */
  breakdowns: number
  /** How many reasons the service has to be out. */
  serviceOuts: number
}

export class FleetWorld {
  readonly model: FleetModel
  /** Of the model, earliest first; some may be before the start. */
  readonly changes: readonly TimedEffects[]
  readonly rules: Rules
  readonly service: SimulatedService
  readonly chance: Chance
  /** Of vehicles that break down after some driving. */
  readonly repairs: Repairs
  readonly tally: Tally
  /** Null unless the course of the run is recorded. */
  readonly course: CourseRecorder | null
  /** By site, in the order of the model. */
  readonly curbs: readonly Curb[]
  readonly routing: Routing
  /** What each site serves, in the order of the model. */
  readonly areas: readonly Polygon[]
  readonly vehicleIds: ReadonlyMap<number, readonly string[]>
  readonly startMs: number
  readonly demandFromMs: number
  /** The wall clock of the sites. */
  readonly clock: LocalClock
  readonly horizonEndMs: number
  /** Nothing is out from then on. */
  readonly allBackMs: number
  /** Orders that have not ended. */
  openOrders = 0
  /**
   * Customers of each population who think about their first order. One that is called thinks no more, until the function that it returns
   * is called.
   */
  readonly thinking = new Map<FleetDemand, (() => () => void)[]>()
  /** Vehicles that wait until a street is back. */
  readonly #waiting: (() => void)[] = []

  constructor(
    model: FleetModel,
    { seed, hasCourse = false, recording = "off", vehicleIds = new Map(), ...from }: FleetWorldOptions,
  ) {
    this.model = model
    this.vehicleIds = vehicleIds
    this.areas = model.sites.map((site) => areaOf(site))
    this.startMs = from.startMs ?? new SiteClock(model.clock).startMs
    this.demandFromMs = from.demandFromMs ?? this.startMs
    this.rules = { dispatch: model.policy.dispatch, ...model.faults, breakdowns: 1, serviceOuts: 0 }
    this.changes = timedChanges(model.changes, { startMs: this.startMs, timeZone: model.clock.timeZone })
    this.horizonEndMs = this.startMs + model.horizon
    this.allBackMs = this.horizonEndMs + FLEET_OUT_AFTER_MS_MAX
    this.clock = new LocalClock({
      timeZone: model.clock.timeZone,
      startMs: this.demandFromMs,
      untilMs: this.horizonEndMs + FLEET_DRAIN_MS_MAX,
    })
    this.chance = new Chance(seed)
    const nowMs = (): number => this.nowMs
    const course = hasCourse ? new CourseRecorder({ startMs: this.startMs, nowMs }) : null
    this.course = course
    this.tally = new Tally({
      fromMs: this.startMs + model.warm_up,
      untilMs: this.horizonEndMs,
      nowMs,
      parts: { sites: model.sites.length, demands: model.demand.length },
      told: course === null ? undefined : (name) => course.level(name),
    })
    this.service = simulateService({
      seed,
      startMs: this.startMs,
      recording,
      sites: model.sites
        .filter(({ stalls }) => stalls > 0)
        .map((site) => worldSiteOf(site, siteNumber(model, site))),
      deliverySites: model.sites.flatMap((site) =>
        site.vehicles === 0 ? [] : [deliverySiteOf(site, siteNumber(model, site), model)],
      ),
      policy: policyOf(model),
      courier: courierOf(model),
    })
    this.repairs = new Repairs(this, model.vehicle.breakdown?.crew ?? null)
    this.routing = routingOf(model.travel, model.vehicle)
    const { tally } = this
    this.curbs = model.sites.map(
      ({ stalls }, number) => new Curb(stalls, { siteNumber: number, tally, nowMs }),
    )
  }

  /** True when no new orders come and none is in flight. */
  get isOver(): boolean {
    return this.nowMs >= this.horizonEndMs && this.openOrders === 0
  }

  get nowMs(): number {
    return this.service.host.time.nowMs
  }

  /** The local time of day. */
  get msOfDay(): number {
    return this.clock.msOfDay(this.nowMs)
  }

  /** Runs a callback after a delay. */
  after(ms: number, run: () => void): void {
    this.service.host.time.schedule(this.nowMs + Math.max(0, ms), RANK.command, run)
  }

  /** Runs a callback at an instant, or at once when that has passed. */
  at(instantMs: number, run: () => void): void {
    this.after(instantMs - this.nowMs, run)
  }

  /** How long something is out that should be for `ms`: it is back while orders that wait for it can still end. */
  outMs(ms: number): number {
    return Math.max(0, Math.min(ms, this.allBackMs - this.nowMs))
  }

  /** Ways that begin from now on do not use these streets; the answer brings them back. */
  takeStreetOut(choice: StreetChoice): () => void {
    const back = this.routing.takeOut(choice)
    return () => {
      back()
      for (const then of this.#waiting.splice(0)) then()
    }
  }

  whenStreetIsBack(then: () => void): void {
    this.#waiting.push(then)
  }

  /** Calls the service like a request. A defect ends the run. */
  call<A>(effect: Effect.Effect<A, Refused, SimulatedServices>, then?: (outcome: Outcome<A>) => void): void {
    const ended = (exit: Exit.Exit<A, Refused>): void => {
      if (Exit.isSuccess(exit)) {
        then?.({ answer: exit.value })
        return
      }
      const failure = Cause.failureOption(exit.cause)
      if (Option.isSome(failure)) then?.({ refusal: failure.value.code })
      else this.service.host.time.fail(faultOf(exit.cause))
    }
    // A routine never waits, so it needs no fiber.
    if (isRoutine(effect)) ended(this.service.host.answer(effect))
    else Runtime.runFork(this.service.runtime)(effect, { immediate: true }).addObserver(ended)
  }
}

function siteNumber({ sites }: FleetModel, site: FleetSite): number {
  return sites.indexOf(site)
}

/** The id of a site in the Direct Delivery API; the same in every run. */
export function siteIdOf(number: number): string {
  return `f1ee7000-0000-4000-8000-${String(number).padStart(12, "0")}`
}

export function retailerIdOf(site: number, store: number): string {
  return `retailer_${site}_${store}`
}

export function zoneIdOf(number: number): string {
  return `zone_fleet_${number}`
}

export function storeIdOf(site: number, store: number): string {
  return `${STORE_PREFIX}fleet_${site}_${store}`
}

export function fleetIdOf(number: number): string {
  return `fleet_${number}`
}

function worldSiteOf(site: FleetSite, number: number): CatalogSite {
  return {
    siteId: siteIdOf(number),
    name: site.as,
    timezone: null,
    zones: [
      {
        zoneId: zoneIdOf(number),
        name: site.as,
        latitude: site.at.latitude,
        longitude: site.at.longitude,
        hasRunner: true,
        stalls: Array.from({ length: site.stalls }, (_, at) => ({
          stallId: `stall_${number}_${at + 1}`,
          label: stallLabel(at),
          isActive: true,
        })),
        retailers: site.stores.map((store, at) => ({
          retailerId: retailerIdOf(number, at),
          name: store.as,
          logoUrl: null,
          supportPhone: null,
          pickupRequirements: null,
          grantedTo: [ORGANIZATION],
        })),
      },
    ],
  }
}

/** Of a stall by its position at the curb. */
export function stallLabel(at: number): string {
  return `A${String(at + 1).padStart(3, "0")}`
}

function deliverySiteOf(site: FleetSite, number: number, { clock, policy }: FleetModel): DeliverySite {
  return {
    siteId: siteIdOf(number),
    organizationId: ORGANIZATION,
    environment: "production",
    name: site.as,
    timezone: clock.timeZone,
    isActive: true,
    fleetId: fleetIdOf(number),
    place: site.at,
    area: areaOf(site),
    address: null,
    priceCents: 799,
    readyAheadMsMax: READY_AHEAD_MS_MAX,
    hasSupervisor: false,
    dispatchPolicy: policy.vehicle_dispatch,
  }
}

/** The connector has the fleet of the one site that receives courier orders. */
function courierOf(model: FleetModel): Partial<CourierChoices> {
  const as = model.demand.find(({ product }) => product === "courier")?.site
  const site = model.sites.find((one) => one.as === as)
  if (site === undefined) return {}
  const { timeZone } = model.clock
  return { fleetId: fleetIdOf(siteNumber(model, site)), area: areaOf(site), timeZone }
}

function policyOf({ policy }: FleetModel): EnvironmentPolicy {
  return {
    ...DEFAULT_POLICY,
    reservation: {
      ...DEFAULT_POLICY.reservation,
      windowGraceMs: policy.window_grace,
      botWaitMs: policy.bot_wait,
      stagingLeadMs: policy.staging_lead,
    },
  }
}
