/**
 * What a journal shows of visits and deliveries: when each step of each was taken. Pure: it reads entries in the order of the
 * journal and keeps a few numbers for each group.
 */

import { groupOf, kindOf, partOf } from "../../../model/address.ts"
import type { GroupAddress } from "../../../model/address.ts"
import type { EpochMs } from "../../../model/values/time.ts"
import type { EntryBody, StepRecord } from "../../../engine/kernel/journal.ts"
import type { Facts, Start } from "../../../../machines/contracts.ts"
import { STORE_PREFIX } from "../../../areas/courier/directory/store-directory.ts"

/** The first instant of each step; null if it was not taken. */
export type Instants<Name extends string> = { [name in Name]: EpochMs | null }

const VISIT_STEPS = [
  "assigned",
  "atStore",
  "held",
  "orderReady",
  "inHand",
  "atUnit",
  "opened",
  "loaded",
  "arrived",
  "botReady",
  "departed",
  "aborted",
  "canceledByPartner",
  "ended",
] as const

export type VisitStep = (typeof VISIT_STEPS)[number]

export interface Visit extends Instants<VisitStep> {
  readonly zoneId: string
  readonly retailerId: string
  readonly bookedMs: EpochMs
  readonly startsAtMs: EpochMs
  readonly widthMs: number
  readonly policy: Start<"reservation@1">["input"]["policy"]
  isFromWalk: boolean
  runnerId: string | null
  /** Lead time of the bot's first estimate: from its report to the arrival that it names. */
  toldMs: number | null
  exceptions: string[]
  hasLinkFailed: boolean
  isWindowMoved: boolean
}

const DELIVERY_STEPS = ["atStore", "loaded", "left", "atCustomer", "unloaded", "canceled", "ended"] as const

export type DeliveryStep = (typeof DELIVERY_STEPS)[number]

export interface Delivery extends Instants<DeliveryStep> {
  readonly siteId: string
  readonly createdMs: EpochMs
}

const ERRAND_STEPS = [
  "reserved",
  "paymentSent",
  "paid",
  "declinedCard",
  "ordered",
  "booked",
  "canceled",
  "failed",
  "ended",
] as const

export type ErrandStep = (typeof ERRAND_STEPS)[number]

/** An errand of an agent that was not declined at the check. */
export interface Errand extends Instants<ErrandStep> {
  readonly storeId: string
  readonly createdMs: EpochMs
}

export interface Observations {
  readonly visits: readonly Visit[]
  readonly deliveries: readonly Delivery[]
  readonly stallsByZone: ReadonlyMap<string, number>
  /** Vehicles that took a run. */
  readonly vehicles: number
  readonly errands: readonly Errand[]
  /** The first and the last entry; null without one. */
  readonly firstMs: EpochMs | null
  readonly lastMs: EpochMs | null
}

type Open<Instants_> = { -readonly [Key in keyof Instants_]: Instants_[Key] }

/** The step of a visit that an event of an actor is. */
const STEP_BY_EVENT: Readonly<Record<string, VisitStep>> = {
  "runner-task runner.assigned": "assigned",
  "runner-task runner.at_store": "atStore",
  "runner-task order.not_ready": "held",
  "runner-task order.ready": "orderReady",
  "runner-task order.in_hand": "inHand",
  "runner-task runner.at_unit": "atUnit",
  "runner-task open_link.opened": "opened",
  "runner-task load.recorded": "loaded",
  "bot bot.arrived": "arrived",
  "bot bot.ready": "botReady",
  "bot bot.departed": "departed",
  "bot bot.aborted": "aborted",
}

const DELIVERY_STEP_BY_EVENT: Readonly<Record<string, DeliveryStep>> = {
  "store.reached": "atStore",
  "order.loaded": "loaded",
  "store.left": "left",
  "customer.reached": "atCustomer",
  "order.unloaded": "unloaded",
  "cancel.requested": "canceled",
}

const ERRAND_STEP_BY_EVENT: Readonly<Record<string, ErrandStep>> = {
  "reserve.requested": "reserved",
  "payment.requested": "paymentSent",
  "payment.authorized": "paid",
  "payment.declined": "declinedCard",
  "confirm.requested": "ordered",
  "cancel.requested": "canceled",
  "failure.reported": "failed",
}

/** States after which nothing comes from the agent. */
const ERRAND_ENDS: ReadonlySet<unknown> = new Set(["booked", "declined", "cancelled", "failed"])

export class JournalObserver {
  readonly #visits = new Map<GroupAddress, Open<Visit>>()
  readonly #deliveries = new Map<GroupAddress, Open<Delivery>>()
  readonly #stalls = new Map<string, Set<string>>()
  readonly #vehicles = new Set<string>()
  readonly #errands = new Map<GroupAddress, Open<Errand>>()
  #firstMs: EpochMs | null = null
  #lastMs: EpochMs | null = null

  /** Takes the next entry's text. */
  take(text: string): void {
    const body = JSON.parse(text) as EntryBody
    const { instantMs, to, refused, start } = body
    this.#firstMs ??= instantMs
    this.#lastMs = instantMs
    if (refused !== null) return
    const group = groupOf(to)
    switch (kindOf(to)) {
      case "reservation":
        if (start !== undefined && group === to) this.#begin(group, body)
        for (const step of body.steps) this.#stepOfVisit(group, step, instantMs)
        break
      case "delivery":
        if (start !== undefined) this.#beginDelivery(group, body)
        for (const step of body.steps) this.#stepOfDelivery(group, step, instantMs)
        break
      case "vehicle":
        if (body.event?.type === "run.offered") this.#vehicles.add(group)
        break
      case "courier-order":
        if (start !== undefined && group === to) this.#beginErrand(group, body)
        for (const step of body.steps) this.#stepOfErrand(group, step, instantMs)
        break
      default:
    }
  }

  seen(): Observations {
    return {
      visits: [...this.#visits.values()],
      deliveries: [...this.#deliveries.values()],
      stallsByZone: new Map([...this.#stalls].map(([zoneId, stalls]) => [zoneId, stalls.size])),
      vehicles: this.#vehicles.size,
      errands: [...this.#errands.values()],
      firstMs: this.#firstMs,
      lastMs: this.#lastMs,
    }
  }

  #begin(group: GroupAddress, { start, facts, instantMs }: EntryBody): void {
    if (start === undefined) return
    const { zoneId, retailerId, startsAtMs, endsAtMs, policy } =
      start.input as unknown as Start<"reservation@1">["input"]
    const stalls = this.#stalls.get(zoneId) ?? new Set()
    this.#stalls.set(zoneId, stalls)
    for (const { stallId } of (facts as Facts<"book@1"> | null)?.stalls ?? []) stalls.add(stallId)
    this.#visits.set(group, {
      ...noneOf(VISIT_STEPS),
      zoneId,
      retailerId,
      bookedMs: instantMs,
      startsAtMs,
      widthMs: endsAtMs - startsAtMs,
      policy,
      isFromWalk: false,
      runnerId: null,
      toldMs: null,
      exceptions: [],
      hasLinkFailed: false,
      isWindowMoved: false,
    })
  }

  #stepOfVisit(group: GroupAddress, { a, on, did, asked, value }: StepRecord, instantMs: EpochMs): void {
    const visit = this.#visits.get(group)
    if (visit === undefined) return
    for (const one of asked) {
      const code = one.type === "kernel.publish" ? one.extras["reason_code"] : undefined
      if (typeof code === "string") visit.exceptions.push(code)
    }
    const event = on as { readonly type: string } & Readonly<Record<string, unknown>>
    if (did === "ignored") return
    const part = partOf(a)
    const step = STEP_BY_EVENT[`${part} ${event.type}`]
    // A sandbox walk is no visit: its steps come as fast as a developer clicks.
    if (event["isWalked"] === true) visit.isFromWalk = true
    if (step !== undefined) visit[step] ??= instantMs
    if (step === "assigned" && typeof event["runnerId"] === "string") visit.runnerId ??= event["runnerId"]
    if (part === "bot" && event.type === "bot.inbound" && typeof event["etaMs"] === "number")
      visit.toldMs ??= event["etaMs"] - instantMs
    if (part === "runner-task" && event.type === "open_link.failed") visit.hasLinkFailed = true
    if (part !== "reservation") return
    if (event.type === "cancel.requested" && event["by"] === "partner") visit.canceledByPartner ??= instantMs
    if (event.type === "window.moved") visit.isWindowMoved = true
    if (value === "completed" || value === "canceled") visit.ended ??= instantMs
  }

  #beginDelivery(group: GroupAddress, { start, instantMs }: EntryBody): void {
    if (start === undefined) return
    const { siteId } = start.input as unknown as Start<"delivery@1">["input"]
    if (siteId.startsWith(STORE_PREFIX)) return
    this.#deliveries.set(group, { ...noneOf(DELIVERY_STEPS), siteId, createdMs: instantMs })
  }

  #stepOfDelivery(group: GroupAddress, { on, did, value }: StepRecord, instantMs: EpochMs): void {
    const delivery = this.#deliveries.get(group)
    if (delivery === undefined || did === "ignored") return
    const step = DELIVERY_STEP_BY_EVENT[(on as { readonly type: string }).type]
    if (step !== undefined) delivery[step] ??= instantMs
    if (value === "completed" || value === "cancelled") delivery.ended ??= instantMs
  }

  #beginErrand(group: GroupAddress, { start, steps, instantMs }: EntryBody): void {
    if (start === undefined) return
    const { storeId } = start.input as unknown as Start<"courier-order@1">["input"]
    if (storeId === null || steps.some(({ value }) => value === "unserved")) return
    this.#errands.set(group, { ...noneOf(ERRAND_STEPS), storeId, createdMs: instantMs })
  }

  #stepOfErrand(group: GroupAddress, { a, on, did, value }: StepRecord, instantMs: EpochMs): void {
    const errand = this.#errands.get(group)
    if (errand === undefined || did === "ignored" || partOf(a) !== "courier-order") return
    const event = on as { readonly type: string; readonly pays?: boolean }
    const step = ERRAND_STEP_BY_EVENT[event.type]
    if (step !== undefined) errand[step] ??= instantMs
    if (event.pays === true) errand.paymentSent ??= instantMs
    if (value === "booked") errand.booked ??= instantMs
    const isLate = typeof value === "object" && value !== null && Object.values(value)[0] === "expired"
    if (ERRAND_ENDS.has(value) || isLate) errand.ended ??= instantMs
  }
}

function noneOf<Name extends string>(names: readonly Name[]): Instants<Name> {
  return Object.fromEntries(names.map((name) => [name, null])) as Instants<Name>
}

/** For tests and tools: all entries at once. */
export function observe(texts: Iterable<string>): Observations {
  const observer = new JournalObserver()
  for (const text of texts) observer.take(text)
  return observer.seen()
}
