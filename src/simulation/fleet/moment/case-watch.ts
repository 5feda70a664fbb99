/**
 * The case that is asked about, and what turns of the service show of it: has its bad outcome come, can it still come? The journal and
 * every future are read by the same code.
 */

import { idOf, kindOf } from "../../../model/address.ts"
import type { DeliveryStatus } from "../../../model/delivery.ts"
import type { EpochMs } from "../../../model/values/time.ts"
import type { Group } from "../../../engine/kernel/group.ts"
import type { TurnResult } from "../../../engine/kernel/turn.ts"
import { actorAt, rootOf } from "../../../engine/services/actors.ts"
import type { State } from "../../../../machines/contracts.ts"
import { deliveryStatus } from "../../../areas/direct-delivery/record.ts"
import { isAtStall } from "../../../areas/reservations/lateness.ts"
import { botStatus, handoffStatus } from "../../../areas/reservations/record.ts"
import type { CourierPhase } from "../../../areas/courier/rows.ts"
import { seenIn } from "../../../areas/courier/errand.ts"
import { keeps } from "../results/summary.ts"
import type { WaitPromise } from "./wait-promise.ts"
import { waitFigure } from "./wait-promise.ts"

export type Case =
  | {
      readonly kind: "reservation"
      readonly id: string
      /** Its bot waits no longer than this from its arrival, or from the window's start if that is later, until the order is on board. */
      readonly limitMs: number
    }
  | {
      /** A direct delivery, or an errand with its delivery: both have one id. */
      readonly kind: "delivery"
      readonly id: string
      /** The order is at its door by then. */
      readonly dueMs: EpochMs
    }
  | {
      readonly kind: "promise"
      readonly promise: WaitPromise
      /** Windows that begin at or after `fromMs` and before `untilMs` count. */
      readonly fromMs: EpochMs
      readonly untilMs: EpochMs
    }

/** A bad outcome; `atMs`: when it became a fact. */
export interface Bad {
  readonly is: "bad"
  readonly atMs: EpochMs
  readonly how: "late" | "lost"
}

export type Verdict =
  | Bad
  /** Called off: by its partner before the robot came, or by the customer of a delivery. Nothing went wrong. */
  | { readonly is: "called off" | "good"; readonly atMs: EpochMs }
  | { readonly is: "open" }

const OPEN: Verdict = { is: "open" }

/** What a case waits for. */
export type Wanted =
  "compartment" | "door" | "loading" | "order" | "pickup" | "robot" | "runner" | "store" | "walk"

const WANTED_BY_TASK: Readonly<Partial<Record<State<"runner-task">, Wanted>>> = {
  queued: "runner",
  assigned: "store",
  at_store: "order",
  held: "order",
  retrieved: "walk",
}

const WANTED_BY_STATUS: Readonly<Partial<Record<DeliveryStatus, Wanted>>> = {
  SCHEDULED: "pickup",
  ASSIGNED: "pickup",
  EN_ROUTE_TO_STORE: "pickup",
  ARRIVED_AT_STORE: "loading",
  WAITING_FOR_LOAD: "loading",
  LOADED: "door",
  EN_ROUTE_TO_CUSTOMER: "door",
}

/** Phases of an errand that brings nothing to its door. */
const LOST_PHASES: readonly CourierPhase[] = ["declined", "expired", "failed", "lapsed", "unserved"]

/** What was seen of a visit; instants are null until they come. */
interface VisitSeen {
  startsAtMs: EpochMs
  endsAtMs: EpochMs
  arrivedMs: EpochMs | null
  loadedMs: EpochMs | null
  endedMs: EpochMs | null
  wanted: Wanted | null
  /** Its partner canceled it before the bot came: nothing went wrong at the curb. */
  isCalledOff: boolean
}

interface DeliverySeen {
  wanted: Wanted | null
  doorMs: EpochMs | null
  /** An errand that failed, was declined or ran out. */
  endedMs: EpochMs | null
  calledOffMs: EpochMs | null
}

export class CaseWatch {
  readonly of: Case
  readonly #visits: Map<string, VisitSeen>
  readonly #delivery: DeliverySeen

  constructor(of: Case, seen?: { readonly visits: Map<string, VisitSeen>; readonly delivery: DeliverySeen }) {
    this.of = of
    this.#visits = seen?.visits ?? new Map<string, VisitSeen>()
    this.#delivery = seen?.delivery ?? { wanted: null, doorMs: null, endedMs: null, calledOffMs: null }
  }

  /** What is known now, to go on from it in a future. */
  copy(): CaseWatch {
    const visits = new Map([...this.#visits].map(([id, visit]) => [id, { ...visit }]))
    return new CaseWatch(this.of, { visits, delivery: { ...this.#delivery } })
  }

  take({ group, hasGroup, outcome, instantMs }: TurnResult): void {
    if (!hasGroup || outcome.type === "refused") return
    const kind = kindOf(group.address)
    const id = idOf(group.address)
    if (kind === "reservation") {
      if (this.of.kind === "promise" || (this.of.kind === "reservation" && this.of.id === id))
        this.#takeVisit(id, group, instantMs)
    } else if (this.of.kind === "delivery" && this.of.id === id) this.#takeDelivery(kind, group, instantMs)
  }

  #takeVisit(id: string, group: Group, instantMs: EpochMs): void {
    const { actors, address } = group
    const root = rootOf("reservation", group)
    const visit = this.#visits.get(id) ?? {
      startsAtMs: root.context.startsAtMs,
      endsAtMs: root.context.endsAtMs,
      arrivedMs: null,
      loadedMs: null,
      endedMs: null,
      wanted: null,
      isCalledOff: false,
    }
    this.#visits.set(id, visit)
    const status = botStatus(actors, address)
    if (isAtStall({ bot: status === null ? null : { status, etaMs: null } })) visit.arrivedMs ??= instantMs
    const handoff = handoffStatus(actors, address)
    if (handoff === "LOADED") visit.loadedMs ??= instantMs
    const task = actorAt("runner-task", actors, `${address}/runner-task`)
    if (task !== null)
      visit.wanted = WANTED_BY_TASK[task.state] ?? (visit.arrivedMs === null ? "robot" : "compartment")
    if (root.state !== "completed" && root.state !== "canceled") {
      // The window may be moved while it is open.
      visit.startsAtMs = root.context.startsAtMs
      visit.endsAtMs = root.context.endsAtMs
      return
    }
    visit.endedMs ??= instantMs
    // A partner also cancels when the order does not come.
    visit.isCalledOff =
      root.context.canceledBy === "partner" && visit.arrivedMs === null && handoff !== "FAILED"
  }

  #takeDelivery(kind: string, group: Group, instantMs: EpochMs): void {
    const seen = this.#delivery
    if (kind === "courier-order") {
      const phase = seenIn(group)?.phase
      if (phase === "cancelled") seen.calledOffMs ??= instantMs
      else if (phase !== undefined && LOST_PHASES.includes(phase)) seen.endedMs ??= instantMs
      return
    }
    if (kind !== "delivery") return
    const status = deliveryStatus(group.actors, group.address)
    seen.wanted = WANTED_BY_STATUS[status] ?? null
    if (status === "COMPLETED") seen.doorMs ??= instantMs
    if (status === "CANCELLED") seen.calledOffMs ??= instantMs
  }

  /** As it is known now: the case is decided by then, unless its robot comes late. */
  dueMs(): EpochMs {
    switch (this.of.kind) {
      case "reservation":
        return (this.#visits.get(this.of.id)?.endsAtMs ?? 0) + this.of.limitMs
      case "delivery":
        return this.of.dueMs
      case "promise":
        return this.of.untilMs
    }
  }

  /** Null when it is not known, and for a promise. */
  wanted(): Wanted | null {
    if (this.of.kind === "promise") return null
    return this.of.kind === "delivery"
      ? this.#delivery.wanted
      : (this.#visits.get(this.of.id)?.wanted ?? null)
  }

  verdictAt(nowMs: EpochMs): Verdict {
    switch (this.of.kind) {
      case "reservation": {
        const visit = this.#visits.get(this.of.id)
        return visit === undefined ? OPEN : verdictOf(visit, this.of.limitMs, nowMs)
      }
      case "delivery":
        return this.#verdictOfDelivery(this.of.dueMs, nowMs)
      case "promise": {
        const { fromMs, untilMs, promise } = this.of
        if (nowMs < untilMs) return OPEN
        const visits = [...this.#visits.values()].filter(
          ({ startsAtMs }) => startsAtMs >= fromMs && startsAtMs < untilMs,
        )
        if (visits.some(({ loadedMs, endedMs }) => loadedMs === null && endedMs === null)) return OPEN
        const figure = waitFigure(
          promise,
          visits.flatMap((visit) => waitOf(visit) ?? []),
        )
        const isBad = figure !== null && !keeps(promise, figure)
        return isBad ? { is: "bad", atMs: nowMs, how: "late" } : { is: "good", atMs: nowMs }
      }
    }
  }

  #verdictOfDelivery(dueMs: EpochMs, nowMs: EpochMs): Verdict {
    const { doorMs, endedMs, calledOffMs } = this.#delivery
    if (doorMs !== null)
      return doorMs <= dueMs ? { is: "good", atMs: doorMs } : { is: "bad", atMs: dueMs, how: "late" }
    if (calledOffMs !== null && calledOffMs <= dueMs) return { is: "called off", atMs: calledOffMs }
    if (endedMs !== null && endedMs <= dueMs) return { is: "bad", atMs: endedMs, how: "lost" }
    return nowMs > dueMs ? { is: "bad", atMs: dueMs, how: "late" } : OPEN
  }
}

function sinceOf({ startsAtMs, arrivedMs }: VisitSeen): EpochMs {
  return Math.max(startsAtMs, arrivedMs ?? startsAtMs)
}

/** Null for one that was not loaded. */
function waitOf(visit: VisitSeen): number | null {
  return visit.loadedMs === null ? null : Math.max(0, visit.loadedMs - sinceOf(visit))
}

function verdictOf(visit: VisitSeen, limitMs: number, nowMs: EpochMs): Verdict {
  const { arrivedMs, loadedMs, endedMs, isCalledOff } = visit
  const byMs = sinceOf(visit) + limitMs
  if (loadedMs !== null)
    return loadedMs <= byMs ? { is: "good", atMs: loadedMs } : { is: "bad", atMs: byMs, how: "late" }
  if (endedMs !== null)
    return isCalledOff ? { is: "called off", atMs: endedMs } : { is: "bad", atMs: endedMs, how: "lost" }
  return arrivedMs !== null && nowMs > byMs ? { is: "bad", atMs: byMs, how: "late" } : OPEN
}
