/** Direct delivery's invariants: sentences that hold in every run, each with its check. See `invariants.ts`. */

import { idOf, kindOf } from "../../model/address.ts"
import { DELIVERY_STATUSES, isFinal, rankOf } from "../../model/delivery.ts"
import type { DeliveryStatus } from "../../model/delivery.ts"
import { LOADING_MS, PICKUP_WEBHOOK_ATTEMPTS_MAX } from "../../model/values/limits.ts"
import type { Place } from "../../model/place.ts"
import { isoMs } from "../../model/values/time.ts"
import type { EpochMs } from "../../model/values/time.ts"
import type { Group } from "../../engine/kernel/group.ts"
import type { EntryBody, TurnInput } from "../../engine/kernel/journal.ts"
import type { TurnResult } from "../../engine/kernel/turn.ts"
import { extrasOf, rootOf } from "../../engine/services/actors.ts"
import { poolOf, takesAnother } from "../../areas/dispatch/assignment.ts"
import { DEFAULT_DISPATCH_POLICY } from "../../model/vehicle-pool.ts"
import type { Candidate, DispatchPolicy } from "../../model/vehicle-pool.ts"
import { metresToStore, startsAtDepot } from "../../areas/dispatch/fleet.ts"
import { comparedTimes } from "../../areas/dispatch/queue.ts"
import type { QueuedRun } from "../../areas/dispatch/queue.ts"
import { isBefore, vehicleFixes, vehicles } from "../../areas/dispatch/rows.ts"
import type { FixRow } from "../../areas/dispatch/rows.ts"
import { deliveries } from "../../areas/direct-delivery/rows.ts"
import type { DeliveryRow } from "../../areas/direct-delivery/rows.ts"
import { deliveryStatus } from "../../areas/direct-delivery/record.ts"
import { isDeliverySite } from "../../areas/direct-delivery/rows.ts"
import { sites } from "../../areas/catalog/rows.ts"
import type { MemoryStore } from "../../engine/memory/memory-store.ts"
import type { SimulatedService } from "../simulated-service.ts"
import type { Invariant, InvariantCheck } from "./invariant.ts"
import { attemptsCheck } from "./webhook-attempts.ts"
import { courierOrders } from "../../areas/courier/rows.ts"
import { memoryRowsOf } from "../../engine/memory/memory-tables.ts"

export const DELIVERY_INVARIANTS: readonly Invariant[] = [
  { sentence: "a delivery's status never goes back", check: () => forward() },
  {
    sentence: "every status of a delivery is published exactly once, in order",
    formerSentence: "every status of a delivery is told exactly once, in order",
    check: () => statusesPublished(),
  },
  {
    sentence: "no run waits behind others while an online vehicle has a free place",
    check: freePlaces,
  },
  {
    sentence: "a quote becomes a delivery only on an online vehicle with a free place",
    check: promotedPlaces,
  },
  {
    sentence: "a run goes to the vehicle that a look at the whole fleet would choose",
    check: chosenFromAll,
  },
  {
    sentence: "every open delivery is a run of exactly one vehicle, and no ended delivery is",
    formerSentence: "every open delivery stands with one vehicle, and no other run does",
    check: runsHaveOneVehicle,
  },
  {
    sentence: "no pickup event is attempted more than five times",
    check: () =>
      attemptsCheck(PICKUP_WEBHOOK_ATTEMPTS_MAX, (headers) => headers["X-Service-Event"] !== undefined),
  },
]

function statusOf({ group }: TurnResult): DeliveryStatus | null {
  const isDelivery = kindOf(group.address) === "delivery" && group.actors.has(group.address)
  return isDelivery ? deliveryStatus(group.actors, group.address) : null
}

function forward(): InvariantCheck {
  const lastByGroup = new Map<string, DeliveryStatus>()
  return {
    onTurn: (result) => {
      const status = statusOf(result)
      if (status === null) return null
      const { address } = result.group
      const last = lastByGroup.get(address)
      lastByGroup.set(address, status)
      if (last === undefined || last === status) return null
      return isFinal(last) || rankOf(status) < rankOf(last)
        ? `${address} went from ${last} to ${status}`
        : null
    },
  }
}

/**
 * Checked by the journal's steps: each status that a delivery passes has its event, with the previous status and its
 * own.
 */
function statusesPublished(): InvariantCheck {
  const lastByGroup = new Map<string, DeliveryStatus>()
  return {
    onTurn: (result) => {
      const status = statusOf(result)
      if (status === null || result.entry === null || result.outcome.type === "refused") return null
      const { address } = result.group
      const last = lastByGroup.get(address) ?? "SCHEDULED"
      lastByGroup.set(address, status)
      const announced = result.emissions.map((emission) => {
        const shows = deliveryStatus(emission.actors, address)
        const changed = extrasOf("pickup_status.changed", emission)
        return `${JSON.stringify(changed?.previous_status)} "${shows}"`
      })
      const wanted = wayBetween(last, status)
      return announced.join(", ") === wanted.join(", ")
        ? null
        : `${address} went ${wanted.join(", ") || "nowhere"}, told ${announced.join(", ") || "nothing"}`
    },
  }
}

const ORDER = DELIVERY_STATUSES.filter((status) => status !== "CANCELLED")

function wayBetween(from: DeliveryStatus, to: DeliveryStatus): readonly string[] {
  if (from === to) return []
  if (to === "CANCELLED") return [`"${from}" "CANCELLED"`]
  const way = ORDER.slice(rankOf(from), rankOf(to) + 1)
  return way.slice(1).map((status, at) => `"${String(way[at])}" "${status}"`)
}

const isFree = (one: Candidate): boolean => one.isOnline && takesAnother(one.runs)

/** Decisions that choose a vehicle. */
const CHOOSING: readonly (string | null)[] = ["promote@3", "confirm-errand@2"]

interface Choice {
  /** The whole fleet at the decision, even if the decision's facts list only a part. */
  readonly fleet: readonly Candidate[]
  readonly chosen: Candidate
  readonly policy: DispatchPolicy
}

/** The choice of a turn and its candidates. Null for a turn that chose no vehicle, and for an unrecorded one. */
function choiceOf(service: SimulatedService, { group, entry }: TurnResult, input: TurnInput): Choice | null {
  if (!CHOOSING.includes(input.decision) || entry === null) return null
  const { decided } = JSON.parse(entry.text) as EntryBody & {
    readonly decided: { readonly vehicleId?: string | null } | null
  }
  const id = idOf(group.address)
  // At this point a promoted quote is already a run; an errand becomes one in a later turn.
  const without = input.decision === "promote@3" ? id : null
  const policy = policyFor(service, id)
  const fleet = fleetFor(service, id, { without, policy, nowMs: input.atMs })
  const chosen = fleet.find(({ vehicleId }) => vehicleId === decided?.vehicleId)
  return chosen === undefined ? null : { fleet, chosen, policy }
}

/** Of the site of a delivery; for an errand, of the first site of its fleet. */
function policyFor({ host: { store } }: SimulatedService, deliveryId: string): DispatchPolicy {
  const errand = memoryRowsOf(store, courierOrders).get(deliveryId)
  const siteId = memoryRowsOf(store, deliveries).get(deliveryId)?.siteId
  const all = memoryRowsOf(store, sites).all()
  const found =
    errand === null
      ? all.filter((site) => isDeliverySite(site) && site.siteId === siteId)
      : all.filter(({ fleetId }) => fleetId === errand.fleetId)
  const [first] = found.toSorted((one, other) => (one.siteId < other.siteId ? -1 : 1))
  return first?.dispatchPolicy ?? DEFAULT_DISPATCH_POLICY
}

/** Every vehicle that could be chosen for a delivery or an errand, with its runs except one. */
function fleetFor(
  { host: { store } }: SimulatedService,
  deliveryId: string,
  {
    without,
    policy,
    nowMs,
  }: { readonly without: string | null; readonly policy: DispatchPolicy; readonly nowMs: EpochMs },
): readonly Candidate[] {
  const rows = memoryRowsOf(store, deliveries)
  const row = rows.get(deliveryId)
  const errand = memoryRowsOf(store, courierOrders).get(deliveryId)
  const from = errand?.details.storePlace ?? placeOfSite(store, row?.siteId)
  const fleetId = errand?.fleetId ?? row?.fleetId
  if (from === null || fleetId === undefined) return []
  const order = errand === null && row !== null ? { customer: row.place, readyByMs: row.readyByMs } : null
  const all = [...rows.indexBy(openRunOf).rowsOf(fleetId)].filter((run) => run.deliveryId !== without)
  return memoryRowsOf(store, vehicles)
    .all()
    .filter((vehicle) => vehicle.fleetId === fleetId)
    .map((vehicle): Candidate => {
      const { vehicleId, isOnline } = vehicle
      const runs = all.filter((run) => run.vehicleId === vehicleId)
      const last = startsAtDepot(vehicle) ? null : lastFixOf(store, vehicleId)
      const open = runs.map(({ place: customer, siteId, storePlace, ...run }): QueuedRun => {
        return { ...run, customer, store: storePlace ?? placeOfSite(store, siteId) }
      })
      return {
        vehicleId,
        isOnline,
        runs: runs.length,
        metres: metresToStore(last, from),
        ...comparedTimes({ open, policy, order, from: last, store: from, nowMs, loadingMs: LOADING_MS }),
      }
    })
}

function openRunOf({ status, fleetId }: DeliveryRow): string | null {
  return isFinal(status) ? null : fleetId
}

function lastFixOf(store: MemoryStore, vehicleId: string): FixRow | null {
  let last: FixRow | null = null
  for (const fix of memoryRowsOf(store, vehicleFixes).indexBy(vehicleOfFix).rowsOf(vehicleId))
    if (last === null || !isBefore(fix, last)) last = fix
  return last
}

function vehicleOfFix({ vehicleId }: FixRow): string {
  return vehicleId
}

function placeOfSite(store: MemoryStore, siteId: string | undefined): Place | null {
  const site = memoryRowsOf(store, sites)
    .all()
    .find((one) => isDeliverySite(one) && one.siteId === siteId)
  return site?.place ?? null
}

function promotedPlaces(service: SimulatedService): InvariantCheck {
  return {
    onTurn: (result, input) => {
      if (input.decision !== "promote@3") return null
      const chosen = choiceOf(service, result, input)?.chosen
      if (chosen === undefined || isFree(chosen)) return null
      return `${chosen.vehicleId} with ${chosen.runs} runs was given another, is ${chosen.isOnline ? "" : "not "}online`
    },
  }
}

function freePlaces(service: SimulatedService): InvariantCheck {
  return {
    onTurn: (result, input) => {
      const choice = choiceOf(service, result, input)
      const free = choice?.fleet.find(isFree)
      if (choice === null || free === undefined || isFree(choice.chosen)) return null
      const { vehicleId, runs } = choice.chosen
      return `${vehicleId} with ${runs} runs was taken, ${free.vehicleId} has ${free.runs}`
    },
  }
}

function chosenFromAll(service: SimulatedService): InvariantCheck {
  return {
    onTurn: (result, input) => {
      const choice = choiceOf(service, result, input)
      if (choice === null) return null
      const [first] = poolOf(choice.fleet, 0, choice.policy).candidates
      if (first?.vehicleId === choice.chosen.vehicleId) return null
      return `${said(choice.chosen)} was taken by ${choice.policy}, ${first === undefined ? "none" : said(first)} comes first`
    },
  }
}

function said({ vehicleId, metres, runs, freeAtMs = 0 }: Candidate): string {
  return `${vehicleId} at ${metres} m with ${runs} runs, at the store at ${isoMs(freeAtMs)},`
}

/** Checked at the end, when every message between groups has arrived. */
function runsHaveOneVehicle(service: SimulatedService): InvariantCheck {
  return {
    onEnd: () => {
      const groups = service.host.groups.all()
      const vehicleByRun = new Map<string, string>()
      for (const group of groups.filter(({ address }) => kindOf(address) === "vehicle")) {
        for (const run of runsOf(group)) {
          if (vehicleByRun.has(run)) return `${run} is a run of two vehicles`
          vehicleByRun.set(run, idOf(group.address))
        }
      }
      for (const { address, actors } of groups.filter((one) => kindOf(one.address) === "delivery")) {
        const { vehicleId } = rootOf("delivery", { actors, address }).context
        const status = deliveryStatus(actors, address)
        const held = vehicleByRun.get(idOf(address))
        if (isFinal(status) && held !== undefined) return `${address} is ${status} and is a run of ${held}`
        if (!isFinal(status) && held !== vehicleId)
          return `${address} is ${status} for ${vehicleId} and is a run of ${held ?? "none"}`
      }
      return null
    },
  }
}

function runsOf(group: Group): readonly string[] {
  const { activeId, queuedIds } = rootOf("vehicle", group).context
  return activeId === null ? queuedIds : [activeId, ...queuedIds]
}
