/**
 * Runs a record again under a rule: the inputs from outside come as recorded, and machines, timers, messages and decision functions run
 * anew. An entry that repeats one of the record, its twin, has the twin's chance and lateness; an answer comes as long after its call
 * as the recorded one. Facts are those of the record.
 */

import { groupOf, kindOf } from "../../model/address.ts"
import type { GroupAddress } from "../../model/address.ts"
import { ENTRIES_PER_INSTANT_MAX } from "../../model/values/limits.ts"
import type { EpochMs } from "../../model/values/time.ts"
import { Agenda, RANK } from "../../engine/kernel/agenda.ts"
import { EngineFault } from "../../engine/kernel/faults.ts"
import type { Cause, Group, Timer } from "../../engine/kernel/group.ts"
import type { TurnInput } from "../../engine/kernel/journal.ts"
import type { Program } from "../../engine/kernel/program.ts"
import { Streams } from "../../engine/kernel/random.ts"
import { isSettled } from "../../engine/kernel/step.ts"
import { takeTurn } from "../../engine/kernel/turn.ts"
import type { Call, Message, TurnResult } from "../../engine/kernel/turn.ts"
import type { Recorded, RecordedTurn } from "./recorded.ts"
import type { Rule } from "./rule.ts"
import { underRule } from "./rule.ts"
import { movedTo, stateOf } from "./unrecorded.ts"
import type { Unrecorded } from "./unrecorded.ts"

/** An entry of the new course. */
export interface RelivedTurn {
  /** The recorded entry that it repeats; null for one that the record does not have. */
  readonly twin: RecordedTurn | null
  readonly input: TurnInput
  readonly result: TurnResult
  /** The outside did this because others did in the record. */
  readonly isDrawn: boolean
}

/** A recorded input from outside that the new course does not take. */
export interface Dropped {
  readonly turn: RecordedTurn
  readonly atMs: EpochMs
  /** `missing`: its actor never came to be. `there`: it starts what is there. `refused`: it was accepted in the record. */
  readonly because: "missing" | "refused" | "there"
}

export interface Relived {
  readonly turns: readonly RelivedTurn[]
  readonly groups: ReadonlyMap<GroupAddress, Group>
  readonly dropped: readonly Dropped[]
  /** Calls that the record does not have, of a kind that it never answered. */
  readonly unanswered: number
}

export interface Course {
  readonly recorded: Recorded
  readonly unrecorded: Unrecorded
  readonly rule: Rule
  readonly program: Program
}

/** Runs to the instant of the record's last entry. Throws EngineFault when the engine or a machine breaks. */
export function relived(course: Course): Relived {
  const run = new Run(course)
  run.toEnd()
  return run
}

/** Groups of people's visits: what is left open by another rule goes on past its recorded end. */
export const VISIT_KINDS: readonly string[] = ["courier-order", "delivery", "reservation"]

/** Chance of entries without a twin. It is one number, so that the same rule gives the same answer. */
const SEED = 1

class Run implements Relived {
  readonly turns: RelivedTurn[] = []
  readonly groups = new Map<GroupAddress, Group>()
  readonly dropped: Dropped[] = []
  unanswered = 0
  readonly #course: Course
  readonly #agenda = new Agenda()
  readonly #streams = new Streams(SEED)
  /** Groups that the new course keeps open after their recorded end, with the time at which their state began. */
  readonly #pastEnd = new Map<GroupAddress, Since>()
  readonly #stateSince = new Map<GroupAddress, Since>()
  #added = 0

  constructor(course: Course) {
    this.#course = course
  }

  toEnd(): void {
    const { recorded } = this.#course
    for (const turn of recorded.outside)
      this.#add(turn.input.instantMs, turn.at, () => this.#takeOutside(turn))
    for (const { at, result } of endsOfVisits(recorded))
      this.#add(result.instantMs, at + 0.5, () => this.#goOn(result.group.address, result.instantMs, at))
    const max = ENTRIES_PER_INSTANT_MAX * (recorded.turns.length + 1)
    for (let taken = 0; ; taken += 1) {
      const next = this.#agenda.take()
      if (next === undefined || next.dueMs > recorded.lastMs) return
      if (taken > max)
        throw new EngineFault({ reason: "the run is too long", at: null, found: `${taken} entries` })
      next.run(next.subject)
    }
  }

  /** `place`: among what is due at one instant, the place of the twin, or of the entry that caused it. */
  #add(dueMs: EpochMs, place: number, run: () => void): void {
    this.#added += 1
    const sequence = place + this.#added / PLACES
    this.#agenda.add({ dueMs, rank: RANK.timer, sequence, isLive: () => true, run })
  }

  #takeOutside(turn: RecordedTurn): void {
    const { input, result } = turn
    const because = this.#whyNot(input)
    if (because !== null) {
      this.dropped.push({ turn, atMs: input.instantMs, because })
      return
    }
    const taken = this.#take(turn, { ...input, ...this.#times(input, input.instantMs, input) })
    const isRefused = taken?.outcome.type === "refused" && result.outcome.type !== "refused"
    if (isRefused) this.dropped.push({ turn, atMs: input.instantMs, because: "refused" })
  }

  #whyNot({ to, start }: TurnInput): "missing" | "there" | null {
    const isThere = this.groups.get(groupOf(to))?.actors.has(to) === true
    if (start !== undefined) return isThere ? "there" : null
    return isThere ? null : "missing"
  }

  /** A turn is never before the group's last one; its machine sees it as late as the recorded turn's did. */
  #times({ to }: TurnInput, dueMs: EpochMs, recorded: TurnInput): Pick<TurnInput, "atMs" | "instantMs"> {
    const instantMs = Math.max(dueMs, this.groups.get(groupOf(to))?.instantMs ?? 0)
    return { instantMs, atMs: instantMs - (recorded.instantMs - recorded.atMs) }
  }

  #take(twin: RecordedTurn | null, asked: TurnInput, isDrawn = false): TurnResult | null {
    const { program, rule } = this.#course
    const input = underRule(rule, asked)
    const address = groupOf(input.to)
    const result = takeTurn(program, this.groups.get(address) ?? null, input)
    if (result === null) return null
    this.turns.push({ twin, input, result, isDrawn })
    if (!result.hasGroup) return result
    this.groups.set(address, result.group)
    const state = stateOf(result.group)
    if (this.#stateSince.get(address)?.state !== state)
      this.#stateSince.set(address, { state, fromMs: result.instantMs })
    const place = twin?.at ?? this.#course.recorded.turns.length
    for (const timer of result.armed) this.#arm(twin, timer, place)
    for (const [at, message] of result.messages.entries())
      this.#send(twin, message, { earlier: result.messages.slice(0, at), place })
    for (const call of result.calls) this.#call(twin, call, { madeMs: result.instantMs, place })
    if (twin !== null) this.#start(twin, result)
    if (this.#pastEnd.has(address)) this.#goOn(address, result.instantMs, place)
    return result
  }

  #arm(by: RecordedTurn | null, timer: Timer, place: number): void {
    const { to, id, event, cause, dueMs } = timer
    const twin = by === null ? null : this.#course.recorded.firing(by, timer)
    if (twin === "rests") return
    const lateMs = twin === null ? 0 : twin.input.instantMs - twin.input.atMs
    const chance = twin?.input.nonce
    this.#add(dueMs + lateMs, twin?.at ?? place, () => {
      const instantMs = Math.max(dueMs + lateMs, this.groups.get(groupOf(to))?.instantMs ?? 0)
      this.#take(twin, {
        ...this.#own(to, chance),
        by: "timer",
        event: { type: event },
        timer: id,
        atMs: dueMs,
        instantMs,
        cause,
      })
    })
  }

  #send(by: RecordedTurn | null, message: Message, { earlier, place }: Placed): void {
    const { to, event, start, cause, instantMs: sentMs } = message
    const twin = by === null ? null : this.#course.recorded.taking(by, message, earlier)
    if (twin === "rests") return
    const tookMs = twin === null || by === null ? 0 : twin.input.instantMs - by.result.instantMs
    this.#add(sentMs + tookMs, twin?.at ?? place, () => {
      const input: TurnInput = {
        ...this.#own(to, twin?.input.nonce),
        by: "message",
        event,
        start,
        cause,
        atMs: 0,
        instantMs: 0,
      }
      // A message to what never came to be, such as a vehicle that the record does not hold, is lost.
      if (this.#whyNot(input) !== null) return
      this.#take(twin, { ...input, ...this.#times(input, sentMs + tookMs, twin?.input ?? input) })
    })
  }

  #call(
    by: RecordedTurn | null,
    call: Call,
    { madeMs, place }: { readonly madeMs: EpochMs; readonly place: number },
  ): void {
    const { recorded, unrecorded } = this.#course
    const { actor: to, cause, attempt } = call
    const answers = by === null ? null : recorded.answers(by, call)
    if (answers !== null && by !== null) {
      for (const twin of answers) {
        const dueMs = madeMs + twin.input.instantMs - by.result.instantMs
        this.#add(dueMs, twin.at, () =>
          this.#take(twin, { ...twin.input, cause, ...this.#times(twin.input, dueMs, twin.input) }),
        )
      }
      return
    }
    const answer = unrecorded.answerTo(call, madeMs)
    if (answer === null) {
      this.unanswered += 1
      return
    }
    const dueMs = madeMs + answer.tookMs
    this.#add(dueMs, place, () => {
      const event = { ...answer.event, attempt }
      const input: TurnInput = { ...this.#own(to), by: "result", event, cause, atMs: 0, instantMs: 0 }
      this.#take(null, { ...input, ...this.#times(input, dueMs, input) }, true)
    })
  }

  /** What observers of the recorded turn started for its events comes for the same events. */
  #start(by: RecordedTurn, result: TurnResult): void {
    for (const twin of this.#course.recorded.commandsBy(by)) {
      const cause = sameEvent(by.result, result, twin.input.cause)
      if (cause === null) continue
      const dueMs = result.instantMs + twin.input.instantMs - by.result.instantMs
      this.#add(dueMs, twin.at, () => {
        if (this.#whyNot(twin.input) !== null) return
        this.#take(twin, { ...twin.input, cause, ...this.#times(twin.input, dueMs, twin.input) })
      })
    }
  }

  /** The visit has no more entries in the record, and in this course it is open: the nearest visit says what comes. */
  #goOn(address: GroupAddress, nowMs: EpochMs, place: number): void {
    const { recorded, unrecorded } = this.#course
    const group = this.groups.get(address)
    const since = this.#stateSince.get(address)
    if (group === undefined || since === undefined || isOver(group)) return
    const known = this.#pastEnd.get(address)
    if (known?.fromMs === since.fromMs) return
    const lastMs = recorded.lastOutsideMs(address) ?? nowMs
    if (lastMs > nowMs) {
      // What the record has for it comes first.
      this.#add(lastMs, recorded.turns.length, () => this.#goOn(address, lastMs, place))
      return
    }
    this.#pastEnd.set(address, since)
    const next = unrecorded.commandFor(group, { fromMs: since.fromMs, nowMs })
    if (next === null) return
    const dueMs = since.fromMs + next.afterMs
    this.#add(dueMs, place, () => {
      // Dropped when something else came first.
      if (this.#stateSince.get(address) === since) this.#takeDrawn(address, next.turn, dueMs)
    })
  }

  #takeDrawn(address: GroupAddress, { input: given }: RecordedTurn, dueMs: EpochMs): void {
    const to = `${address}${given.to.slice(groupOf(given.to).length)}`
    if (given.event === undefined) return
    const event = movedTo(given.event, dueMs - given.instantMs)
    const input: TurnInput = { ...this.#own(to), by: "command", event, cause: null, atMs: 0, instantMs: 0 }
    this.#take(null, { ...input, ...this.#times(input, dueMs, input) }, true)
  }

  /** What the inputs of this course have in common. */
  #own(to: string, nonce?: string): Pick<TurnInput, "decision" | "facts" | "nonce" | "to"> {
    return { to, facts: null, decision: null, nonce: nonce ?? this.#streams.nonce(`relive ${groupOf(to)}`) }
  }
}

/** Above the number of entries that a run has, so that the places of twins stay whole. */
const PLACES = 2 ** 24

interface Since {
  readonly state: string
  readonly fromMs: EpochMs
}

interface Placed {
  readonly earlier: readonly Message[]
  readonly place: number
}

/** The entries after which visits of the record were over. */
function endsOfVisits({ turns, endOf }: Recorded): readonly RecordedTurn[] {
  const ends = new Map<GroupAddress, RecordedTurn>()
  for (const turn of turns) {
    const { group, hasGroup } = turn.result
    if (!hasGroup || ends.has(group.address) || !VISIT_KINDS.includes(kindOf(group.address))) continue
    if (isOver(group) && isOver(endOf.get(group.address) ?? group)) ends.set(group.address, turn)
  }
  return [...ends.values()]
}

/** True when the group's own actor is settled. */
export function isOver({ actors, address }: Group): boolean {
  const root = actors.get(address)
  return root !== undefined && isSettled(root.snapshot)
}

/** The step of the new turn that published what the recorded step did; null when it published no such event. */
function sameEvent(before: TurnResult, after: TurnResult, cause: Cause | null): Cause | null {
  const published = before.emissions.filter((one) => one.cause[2] === cause?.[2])
  const [first] = published
  if (first === undefined) return null
  const number = before.emissions.filter(({ event }) => event === first.event).indexOf(first)
  return after.emissions.filter(({ event }) => event === first.event)[number]?.cause ?? null
}
