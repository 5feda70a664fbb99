/**
 * Group under test: the smallest host that can run a group through `takeTurn`. It has a clock that only tests move,
 * fires due timers in due order, and keeps the results of every turn. No sleeps, no world, no store.
 */

import { emptyGroup, persistGroup } from "../../src/engine/kernel/group.ts"
import type { Group, PersistedGroup, Timer } from "../../src/engine/kernel/group.ts"
import { digest } from "../../src/engine/kernel/hash.ts"
import type { TurnInput } from "../../src/engine/kernel/journal.ts"
import type { Program } from "../../src/engine/kernel/program.ts"
import { takeTurn } from "../../src/engine/kernel/turn.ts"
import type { Call, Emission, Outcome, TurnResult } from "../../src/engine/kernel/turn.ts"
import { machines } from "../../machines/index.ts"
import { BOT_EVENT_BY_STATUS } from "../../src/model/bot.ts"
import type { BotStatus } from "../../src/model/bot.ts"
import type { JsonObject } from "../../src/model/values/json.ts"
import {
  BOT_WAIT_MS,
  CALL_RESENDS_MAX,
  OPEN_LINK_ATTEMPTS_MAX,
  OPEN_LINK_BACKOFF_MS,
  OPEN_LINK_LEASE_MS,
  STAGING_LEAD_MS,
  WEBHOOK_ATTEMPTS_MAX,
  WEBHOOK_BACKOFF_MS,
  WEBHOOK_LEASE_MS,
  WINDOW_GRACE_MS,
} from "../../src/model/values/limits.ts"
import type { PayloadLimit } from "../../src/model/payload-limit.ts"
import type { Canceler, ReservationPolicy } from "../../src/model/reservation.ts"
import { HOUR_MS, MINUTE_MS } from "../../src/model/values/time.ts"

/** The instant at which every test books: 2026-03-02 10:00 UTC. */
export const BOOKED_AT_MS = Date.UTC(2026, 2, 2, 10)

/** The default window: from one hour after booking, half an hour wide. */
export const STARTS_AT_MS = BOOKED_AT_MS + HOUR_MS
export const ENDS_AT_MS = STARTS_AT_MS + 30 * MINUTE_MS

export const POLICY: ReservationPolicy = {
  windowGraceMs: WINDOW_GRACE_MS,
  botWaitMs: BOT_WAIT_MS,
  stagingLeadMs: STAGING_LEAD_MS,
  openLinkAttemptsMax: OPEN_LINK_ATTEMPTS_MAX,
  openLinkBackoffMs: OPEN_LINK_BACKOFF_MS,
  openLinkLeaseMs: OPEN_LINK_LEASE_MS,
  openLinkResendsMax: CALL_RESENDS_MAX,
}

/** An event as a test writes it; the kernel adds the stamp. */
type TestEvent = { readonly type: string } & JsonObject

/** One thing that happens to a group. An actor is named by its part; `` is the root. */
export type Step =
  | {
      readonly do: "command"
      readonly to: string
      readonly event: TestEvent
      readonly facts: JsonObject | null
    }
  | { readonly do: "answer"; readonly to: string; readonly event: TestEvent }
  | { readonly do: "wait"; readonly ms: number }
  /** The host slept: the clock jumps, then every timer that came due fires late, with its due time as stamp. */
  | { readonly do: "oversleep"; readonly ms: number }

/** What runs the turns. Planted bugs change one of the two. */
export interface Lab {
  readonly program: Program
  readonly turn: typeof takeTurn
}

/**
 * The program under test. Its one decision returns the facts, so that a test chooses the result of the booking rules.
 */
export const program: Program = { machines, decisions: { "told@1": (facts) => facts } }

export const lab: Lab = { program, turn: takeTurn }

/** A turn as it was taken: the group before it, the input, and what came of it. */
interface TakenTurn {
  readonly before: Group | null
  readonly input: TurnInput
  readonly result: TurnResult
}

/** A report of the bot's status. */
export function bot(status: BotStatus, more: JsonObject = {}): Step {
  const event = { type: BOT_EVENT_BY_STATUS[status], occurredAtMs: BOOKED_AT_MS, ...more }
  return { do: "command", to: "bot", event, facts: null }
}

/** A step of the runner. */
export function runner(type: string, more: JsonObject = {}): Step {
  return { do: "command", to: "runner-task", event: { type, ...more }, facts: null }
}

export function cancel(by: Exclude<Canceler, "system"> = "partner"): Step {
  return { do: "command", to: "", event: { type: "cancel.requested", by }, facts: null }
}

/** A request to move the window, with the result of the window rules. */
export function moveWindow(startsAtMs: number, endsAtMs: number, refusal?: string): Step {
  const facts = refusal === undefined ? { startsAtMs, endsAtMs } : { startsAtMs, endsAtMs, refusal }
  return { do: "command", to: "", event: { type: "window.moved" }, facts }
}

/** The result of an outside call. */
export function answer(to: string, result: "succeeded" | "failed" | "discarded", attempt: number): Step {
  const event = { type: `call.${result}`, attempt }
  return { do: "answer", to, event: result === "succeeded" ? event : { ...event, reason: "status 500" } }
}

export function wait(ms: number): Step {
  return { do: "wait", ms }
}

export function oversleep(ms: number): Step {
  return { do: "oversleep", ms }
}

/** The wait until an instant, from booking. */
export function sinceBooking(instantMs: number): Step {
  return wait(instantMs - BOOKED_AT_MS)
}

interface Booking {
  readonly hasRunner?: boolean
  readonly payloadLimit?: PayloadLimit | null
  readonly lab?: Lab
}

/** Books a reservation with the default window and policy. */
export function book({
  hasRunner = true,
  payloadLimit = null,
  lab: used = lab,
}: Booking = {}): GroupUnderTest {
  const input = {
    zoneId: "zone_1",
    retailerId: "ret_1",
    startsAtMs: STARTS_AT_MS,
    endsAtMs: ENDS_AT_MS,
    payloadLimit,
    hasRunner,
    policy: POLICY,
  }
  return new GroupUnderTest(
    used,
    "reservation/res_1",
    { machine: "reservation@1", input },
    { stallId: "stall_1" },
  )
}

/** Hands one event to a webhook delivery with the contract's schedule. */
export function deliver(used: Lab = lab): GroupUnderTest {
  const input = {
    endpointId: "whk_1",
    eventId: "evt_1",
    attemptsMax: WEBHOOK_ATTEMPTS_MAX,
    backoffMs: WEBHOOK_BACKOFF_MS,
    leaseMs: WEBHOOK_LEASE_MS,
    resendsMax: CALL_RESENDS_MAX,
  }
  return new GroupUnderTest(used, "delivery/dlv_1", { machine: "webhook-delivery@2", input }, null)
}

/** A group, its clock and its history. Mutable, because a test plays against it step by step. */
export class GroupUnderTest {
  readonly turns: TakenTurn[] = []
  readonly #lab: Lab
  #group: Group
  #nowMs = BOOKED_AT_MS
  #heard = 0

  constructor(used: Lab, address: string, start: NonNullable<TurnInput["start"]>, facts: JsonObject | null) {
    this.#lab = used
    this.#group = emptyGroup(address)
    this.#turn({ to: address, by: "command", start, facts, atMs: this.#nowMs, cause: null })
  }

  get group(): Group {
    return this.#group
  }

  get nowMs(): number {
    return this.#nowMs
  }

  /** Every call requested so far, in order. */
  get calls(): readonly Call[] {
    return this.turns.flatMap(({ result }) => result.calls)
  }

  get emissions(): readonly Emission[] {
    return this.turns.flatMap(({ result }) => result.emissions)
  }

  /** Takes one step; a wait answers null. For a refusal only the code: its detail is for people. */
  take(step: Step): Outcome | { readonly type: "refused"; readonly code: string } | null {
    const outcome = this.#take(step)
    return outcome?.type === "refused" ? { type: "refused", code: outcome.code } : outcome
  }

  #take(step: Step): Outcome | null {
    switch (step.do) {
      case "wait":
        this.#passUntil(this.#nowMs + step.ms)
        return null
      case "oversleep":
        this.#nowMs += step.ms
        this.#passUntil(this.#nowMs)
        return null
      case "command":
        return this.#outside("command", step.to, step.event, step.facts)
      case "answer":
        return this.#outside("result", step.to, step.event, null)
    }
  }

  /** Takes steps that must be accepted, and forgets what they published. */
  given(steps: readonly Step[]): this {
    for (const step of steps) {
      const outcome = this.take(step)
      if (outcome?.type === "refused") throw new Error(`refused ${outcome.code}: ${JSON.stringify(step)}`)
    }
    this.heard()
    return this
  }

  /** What was published since the last call of this method, without the group's state. */
  heard(): readonly JsonObject[] {
    const all = this.emissions
    const fresh = all.slice(this.#heard).map(({ event, extras }) => ({ event, ...extras }))
    this.#heard = all.length
    return fresh
  }

  /** The dotted state of an actor, or null when there is none. */
  state(part: string): string | null {
    return stateOf(this.#group, part)
  }

  context(part: string): JsonObject {
    return contextOf(this.#group, part)
  }

  /** The group's plain form without what every entry changes. */
  kept(): Omit<PersistedGroup, "revision" | "head" | "instantMs"> {
    return unnumbered(this.#group)
  }

  #outside(by: "command" | "result", to: string, event: TestEvent, facts: JsonObject | null): Outcome {
    const address = this.#address(to)
    const asked = this.calls.find(({ actor, attempt }) => actor === address && attempt === event["attempt"])
    const cause = by === "result" ? (asked?.cause ?? null) : null
    const result = this.#turn({ to: address, by, event, facts, atMs: this.#nowMs, cause })
    if (result === null) throw new Error("only a timer may be dropped")
    return result.outcome
  }

  #passUntil(instantMs: number): void {
    for (
      let timer = firstDue(this.#group);
      timer !== null && timer.dueMs <= instantMs;
      timer = firstDue(this.#group)
    ) {
      this.#nowMs = Math.max(this.#nowMs, timer.dueMs)
      const { to, id, event, dueMs, cause } = timer
      this.#turn({ to, by: "timer", event: { type: event }, timer: id, facts: null, atMs: dueMs, cause })
    }
    this.#nowMs = instantMs
  }

  #turn(given: Omit<TurnInput, "decision" | "instantMs" | "nonce">): TurnResult | null {
    const decision = given.facts === null ? null : "told@1"
    const nonce = digest(`${this.turns.length}`).slice(0, 32)
    const input: TurnInput = { ...given, decision, instantMs: this.#nowMs, nonce }
    const before = this.turns.length === 0 ? null : this.#group
    const result = this.#lab.turn(this.#lab.program, before, input)
    if (result === null) return null
    this.#group = result.group
    this.turns.push({ before, input, result })
    return result
  }

  #address(part: string): string {
    return part === "" ? this.#group.address : `${this.#group.address}/${part}`
  }
}

/** The dotted state of one of the group's actors, or null when there is none. */
export function stateOf(group: Pick<Group, "address" | "actors">, part: string): string | null {
  const actor = group.actors.get(part === "" ? group.address : `${group.address}/${part}`)
  return actor === undefined ? null : dotted(actor.snapshot.value as JsonObject | string)
}

export function contextOf(group: Pick<Group, "address" | "actors">, part: string): JsonObject {
  const actor = group.actors.get(part === "" ? group.address : `${group.address}/${part}`)
  if (actor === undefined) throw new Error(`no actor ${part}`)
  return actor.snapshot.context as JsonObject
}

/** The group's plain form without revision, head and instant, which a refusal changes too. */
export function unnumbered(group: Group): Omit<PersistedGroup, "revision" | "head" | "instantMs"> {
  const { address, occurredUs, actors, timers } = persistGroup(group)
  return { address, occurredUs, actors, timers }
}

/** `{open: "queued"}` → `open.queued`. */
export function dotted(value: JsonObject | string): string {
  if (typeof value === "string") return value
  const [parent, child] = Object.entries(value)[0] ?? ["", ""]
  return `${parent}.${dotted(child as JsonObject | string)}`
}

/** The armed timer that is due first; of two due together, the one armed first. */
function firstDue(group: Group): Timer | null {
  const byDue = [...group.timers.values()].toSorted(
    (one, other) => one.dueMs - other.dueMs || one.cause[1] - other.cause[1] || one.cause[2] - other.cause[2],
  )
  return byDue[0] ?? null
}
