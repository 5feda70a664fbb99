/**
 * A journal as a row of moments. A moment is one input from outside, a timer or a result, with all messages that it led to: only
 * between moments the groups are at rest, so that a future can begin there. A journal may have some groups of a service alone: messages
 * from and to others are then from outside.
 */

import { groupOf, kindOf } from "../../../model/address.ts"
import type { GroupAddress } from "../../../model/address.ts"
import { isFinal } from "../../../model/delivery.ts"
import type { EpochMs } from "../../../model/values/time.ts"
import { persistGroup } from "../../../engine/kernel/group.ts"
import type { Group, PersistedGroup } from "../../../engine/kernel/group.ts"
import type { Call } from "../../../engine/kernel/turn.ts"
import { deliveryStatus } from "../../../areas/direct-delivery/record.ts"
import { reservationStatus } from "../../../areas/reservations/record.ts"
import { callKey } from "../../fork/journal.ts"
import { PRESENT_KINDS } from "../forecast/present.ts"
import type { ReplayedTurn } from "../../replay.ts"
import { CaseWatch } from "./case-watch.ts"
import type { Case, Verdict } from "./case-watch.ts"

export interface Moment {
  /** Its place among the moments, from 0. */
  readonly at: number
  /** Of the input. */
  readonly turn: ReplayedTurn
  readonly atMs: EpochMs
  /** How many turns of the journal there are up to the end of it. */
  readonly turns: number
}

/** What a future begins with. */
export interface StateAfter {
  readonly atMs: EpochMs
  readonly groups: readonly PersistedGroup[]
  /** Of these groups, without a result yet. */
  readonly calls: readonly Call[]
  readonly watch: CaseWatch
}

export class JournalMoments {
  readonly #turns: readonly ReplayedTurn[]
  readonly moments: readonly Moment[]

  /** `turns`: of whole groups, in the order of the journal. */
  constructor(turns: readonly ReplayedTurn[]) {
    this.#turns = turns
    this.moments = momentsOf(turns)
  }

  /** Groups, calls, and what is known of the case, after a moment. Cost: one pass over the turns up to it. */
  after({ turns, atMs }: Moment, of: Case): StateAfter {
    const groups = new Map<GroupAddress, Group>()
    const calls = new Map<string, Call>()
    const watch = new CaseWatch(of)
    for (const { input, result } of this.#turns.slice(0, turns)) {
      watch.take(result)
      if (!PRESENT_KINDS.has(kindOf(result.group.address))) continue
      if (result.hasGroup && !hasEnded(result.group)) groups.set(result.group.address, result.group)
      else groups.delete(result.group.address)
      if (input.by === "result") calls.delete(callKey(input.to, input.cause, input.event?.["attempt"]))
      for (const call of result.calls) calls.set(callKey(call.actor, call.cause, call.attempt), call)
    }
    return {
      atMs,
      groups: [...groups.values()].map((group) => persistGroup(group)),
      calls: [...calls.values()].filter(({ actor }) => groups.has(groupOf(actor))),
      watch,
    }
  }

  /** How the case ended, and the last moment before that was a fact. Null when it had not by `untilMs`, or by the end of the journal. */
  factOf(
    of: Case,
    untilMs: EpochMs = 0,
  ): { readonly verdict: Exclude<Verdict, { is: "open" }>; readonly last: Moment } | null {
    const watch = new CaseWatch(of)
    let taken = 0
    for (const [number, moment] of this.moments.entries()) {
      for (const { result } of this.#turns.slice(taken, moment.turns)) watch.take(result)
      taken = moment.turns
      // What became a fact before the next moment came is known without it.
      const nextMs = this.moments[number + 1]?.atMs ?? Math.max(untilMs, moment.atMs + 1)
      const verdict = watch.verdictAt(nextMs)
      if (verdict.is === "open") continue
      const last = this.moments.findLast(({ atMs, at }) => at <= number && atMs < verdict.atMs)
      return { verdict, last: last ?? moment }
    }
    return null
  }

  /** The first moment that has a turn of the group; undefined without one. */
  firstOf(group: GroupAddress): Moment | undefined {
    const turn = this.#turns.findIndex(({ result }) => result.group.address === group && result.hasGroup)
    return turn === -1 ? undefined : this.moments.find(({ turns }) => turns > turn)
  }
}

/** An ended group has no part in what comes. */
function hasEnded({ address, actors }: Group): boolean {
  switch (kindOf(address)) {
    case "reservation": {
      const status = reservationStatus(actors, address)
      return status === "completed" || status === "canceled"
    }
    case "delivery":
      return isFinal(deliveryStatus(actors, address))
    default:
      return false
  }
}

function momentsOf(turns: readonly ReplayedTurn[]): readonly Moment[] {
  const found: Moment[] = []
  const groups = new Set(turns.map(({ result }) => result.group.address))
  const isFromGroups = ({ by, cause }: ReplayedTurn["input"]): boolean =>
    by === "message" && cause !== null && groups.has(cause[0])
  let undelivered = 0
  let first: ReplayedTurn | null = null
  for (const [number, turn] of turns.entries()) {
    const { input, result } = turn
    if (isFromGroups(input)) undelivered -= 1
    first ??= turn
    undelivered += result.messages.filter(({ to }) => groups.has(groupOf(to))).length
    // Groups that observers start in the transaction of a turn belong to it.
    const next = turns[number + 1]
    const goesOn =
      next !== undefined &&
      next.input.by === "command" &&
      next.input.cause !== null &&
      isSameInstant(turn, next)
    if (undelivered > 0 || goesOn) continue
    found.push({ at: found.length, turn: first, atMs: result.instantMs, turns: number + 1 })
    first = null
  }
  return found
}

function isSameInstant(one: ReplayedTurn, other: ReplayedTurn): boolean {
  return one.result.instantMs === other.result.instantMs
}
