/**
 * A turn: one group processes one input until the group has no more work of its own. Pure and synchronous: the same
 * group and input give the same result, byte for byte in the journal entry.
 */

import { groupOf, partOf, resolveAddress } from "../../model/address.ts"
import type { Address, GroupAddress } from "../../model/address.ts"
import type { RefusalCode } from "../../model/values/errors.ts"
import { withFields } from "../../model/values/json.ts"
import type { Json, JsonObject } from "../../model/values/json.ts"
import { GROUP_ACTORS_MAX, MAILBOX_ENTRIES_MAX, TURN_STEPS_MAX } from "../../model/values/limits.ts"
import type { EpochUs, Stamp } from "../../model/values/time.ts"
import { EngineFault } from "./faults.ts"
import { added, NONE } from "./few.ts"
import { armedKey, emptyGroup, sameCause, timerKey } from "./group.ts"
import type { Actor, Cause, Group, Timer, TimerKey } from "./group.ts"
import { chain } from "./hash.ts"
import type { Entry, StepRecord, TurnInput } from "./journal.ts"
import { forbids } from "./program.ts"
import type { Decided, Program } from "./program.ts"
import { SmallMap } from "./small-map.ts"
import { initial, statePath, persist, step } from "./step.ts"
import type { Asked, Machine, Stepped } from "./step.ts"

/** A published event, with the group as it was at that microstep. */
export interface Emission {
  readonly event: string
  readonly extras: JsonObject
  readonly occurredUs: EpochUs
  /** Counts the emissions of this turn from 0. Together with the nonce it determines the event's id. */
  readonly ordinal: number
  readonly actors: ReadonlyMap<Address, Actor>
  readonly cause: Cause
}

/** An outbound call to make after the commit. */
export interface Call {
  readonly actor: Address
  readonly call: string
  readonly attempt: number
  readonly cause: Cause
}

/** An event or a start for another group. */
export interface Message {
  readonly to: Address
  readonly event?: { readonly type: string } & JsonObject
  readonly start?: { readonly machine: string; readonly input: JsonObject }
  readonly instantMs: number
  readonly cause: Cause
}

export type Outcome =
  { readonly type: "answered"; readonly value: JsonObject | null } | ({ readonly type: "refused" } & Refusal)

/** A refused command. The journal keeps the code alone. */
export interface Refusal {
  readonly code: RefusalCode
  /** Null when the code says all: a decision function refused. */
  readonly reason: RefusalReason | null
}

export type RefusalReason =
  /**
   * The actor does not take the event in its state. `actor` is the name of its part, or the group's kind for the root;
   * `state` is the dotted path, such as `underway.ready`.
   */
  | { readonly type: "state"; readonly actor: string; readonly state: string }
  /** A sentence of the machine, such as "the call is over". */
  | { readonly type: "sentence"; readonly text: string }

/** One actor's part in a turn. */
export interface TakenStep {
  readonly to: Address
  /** The actor's input: `@start`, or an event. */
  readonly on: JsonObject & { readonly type: string }
  readonly stepped: Stepped
}

export interface TurnResult {
  readonly group: Group
  /** False when a start was refused: the group does not exist. */
  readonly hasGroup: boolean
  /** Null without a group, and for a turn that is not written. */
  readonly entry: Entry | null
  /** None when the turn was refused. */
  readonly steps: readonly TakenStep[]
  readonly outcome: Outcome
  readonly emissions: readonly Emission[]
  readonly calls: readonly Call[]
  readonly messages: readonly Message[]
  /** Timers armed by this turn that are still armed at its end. */
  readonly armed: readonly Timer[]
  readonly nonce: string
  readonly instantMs: number
  /** True when some actor has a new snapshot. */
  readonly hasMoved: boolean
}

/** The mutable state of one turn. */
interface Work {
  readonly program: Program
  readonly isWritten: boolean
  readonly address: string
  readonly revision: number
  readonly input: TurnInput
  /** Both maps are the group's own until they change, so that most turns copy no timers. */
  actors: ReadonlyMap<Address, Actor>
  areActorsCopied: boolean
  timers: ReadonlyMap<TimerKey, Timer>
  areTimersCopied: boolean
  queue: { readonly to: Address; readonly event: { readonly type: string } & JsonObject }[]
  steps: TakenStep[]
  emissions: Emission[]
  calls: Call[]
  messages: Message[]
  /** Keys of the timers that the turn armed, each once. */
  armed: TimerKey[]
  occurredUs: EpochUs
  answer: JsonObject | null
  refused: Refusal | null
}

/**
 * Runs one input. Returns null when the input is a timer that was disarmed or replaced; it is then dropped. Throws
 * EngineFault on a broken invariant; the group is unchanged then.
 */
export function takeTurn(program: Program, before: Group | null, input: TurnInput): TurnResult | null {
  return turn(program, before, input, true)
}

/** The same turn without a journal entry, so that no text and no hash is made. */
export function takeUnwrittenTurn(
  program: Program,
  before: Group | null,
  input: TurnInput,
): TurnResult | null {
  return turn(program, before, input, false)
}

function turn(
  program: Program,
  before: Group | null,
  input: TurnInput,
  isWritten: boolean,
): TurnResult | null {
  const group = before ?? emptyGroup(groupOf(input.to))
  if (input.timer !== undefined && !isArmed(group, input)) return null
  const work: Work = {
    program,
    isWritten,
    address: group.address,
    revision: group.revision + 1,
    input,
    actors: group.actors,
    areActorsCopied: false,
    timers: group.timers,
    areTimersCopied: false,
    queue: NONE,
    steps: NONE,
    emissions: NONE,
    calls: NONE,
    messages: NONE,
    armed: NONE,
    occurredUs: Math.max(group.occurredUs, input.instantMs * 1000 - 1),
    answer: null,
    refused: null,
  }
  const decided = decide(work)
  const machine = runFirst(work, decided)
  drain(work)
  if (work.refused !== null) return refusal({ group, before, work, machine, decided, refused: work.refused })
  return settle(group, work, machine, decided)
}

function isArmed(group: Group, input: TurnInput): boolean {
  const key = armedKey(group.timers, input.to, input.timer ?? "")
  const armed = key === null ? undefined : group.timers.get(key)
  return armed !== undefined && input.cause !== null && sameCause(armed.cause, input.cause)
}

function decide(work: Work): Decided | null {
  const { decision, facts, start, event, atMs } = work.input
  if (decision === null) return null
  const rule = work.program.decisions[decision]
  if (rule === undefined) {
    throw new EngineFault({ reason: "a decision is unknown", at: work.input.to, found: decision })
  }
  try {
    return rule((facts ?? {}) as never, (start?.input ?? event ?? {}) as never, atMs)
  } catch (cause) {
    const message = cause instanceof Error ? cause.message : String(cause)
    throw new EngineFault({
      reason: "a decision threw",
      at: work.input.to,
      found: `${decision}: ${message}`,
      cause,
    })
  }
}

function inState(address: Address, actor: Actor | undefined): RefusalReason | null {
  return actor === undefined
    ? null
    : { type: "state", actor: partOf(address), state: statePath(actor.snapshot) }
}

function runFirst(work: Work, decided: Decided | null): string {
  const { to, start, event, atMs, timer } = work.input
  const lateMs = work.input.instantMs - atMs
  const stamp: JsonObject & Stamp =
    lateMs <= 0 && decided === null
      ? { atMs }
      : { atMs, ...(lateMs > 0 ? { lateMs } : {}), ...(decided === null ? {} : { decided }) }
  if (start !== undefined) {
    if (forbids(decided ?? undefined)) {
      work.refused = { code: (decided as { refusal: RefusalCode }).refusal, reason: null }
      return start.machine
    }
    startActor(work, to, start.machine, withFields(start.input, stamp))
    return start.machine
  }
  const actor = work.actors.get(to)
  if (actor === undefined || event === undefined) {
    throw new EngineFault({
      reason: "an address is unknown",
      at: to,
      found: `no actor there takes ${event?.type}`,
    })
  }
  if (timer !== undefined) disarm(work, armedKey(work.timers, to, timer))
  const did = giveEvent(work, to, withFields(event, stamp))
  if (did === "ignored" && work.input.by === "command")
    work.refused = { code: "INVALID_STATE", reason: inState(to, actor) }
  return actor.machine
}

function drain(work: Work): void {
  for (let at = 0; at < work.queue.length && work.refused === null; at += 1) {
    const next = work.queue[at]
    if (next !== undefined) giveEvent(work, next.to, withFields(next.event, { atMs: work.input.atMs }))
  }
}

function startActor(work: Work, to: Address, machineId: string, input: JsonObject): void {
  const machine = machineOf(work, to, machineId)
  if (work.actors.has(to))
    throw new EngineFault({ reason: "an actor was started twice", at: to, found: machineId })
  if (work.actors.size >= GROUP_ACTORS_MAX) {
    throw new EngineFault({
      reason: "a group has too many actors",
      at: to,
      found: `${GROUP_ACTORS_MAX} actors`,
    })
  }
  assertShort(work, to, "@start")
  let stepped: Stepped
  try {
    stepped = initial(machine, input)
  } catch (cause) {
    throw faultOfMachine(cause, to, "@start")
  }
  ownActors(work).set(to, { machine: machineId, snapshot: stepped.snapshot })
  carryOut(work, { to, on: { type: "@start", machine: machineId, input }, stepped }, machineId)
}

function giveEvent(work: Work, to: Address, event: { readonly type: string } & JsonObject): Stepped["did"] {
  const actor = work.actors.get(to)
  if (actor === undefined) {
    throw new EngineFault({
      reason: "an address is unknown",
      at: to,
      found: `no actor there takes ${event.type}`,
    })
  }
  const machine = machineOf(work, to, actor.machine)
  assertShort(work, to, event.type)
  let stepped: Stepped
  try {
    stepped = step(machine, actor.snapshot, event)
  } catch (cause) {
    throw faultOfMachine(cause, to, event.type)
  }
  carryOut(work, { to, on: event, stepped }, actor.machine)
  return stepped.did
}

function machineOf({ program }: Work, to: Address, id: string): Machine {
  const machine = program.machines[id]
  if (machine === undefined) throw new EngineFault({ reason: "a machine is unknown", at: to, found: id })
  return machine
}

function assertShort({ steps }: Work, to: Address, event: string): void {
  if (steps.length < TURN_STEPS_MAX) return
  const found = `${TURN_STEPS_MAX} steps, then ${event}`
  throw new EngineFault({ reason: "a turn is too long", at: to, found })
}

function faultOfMachine(cause: unknown, to: Address, event: string): EngineFault {
  if (cause instanceof EngineFault) return cause
  const message = cause instanceof Error ? cause.message : String(cause)
  return new EngineFault({ reason: "a machine threw", at: to, found: `on ${event}: ${message}`, cause })
}

function carryOut(work: Work, taken: TakenStep, machine: string): void {
  const { to, stepped } = taken
  const { asked, earlier, assigned, snapshot, did } = stepped
  for (const fields of assigned) assertPlainFields(fields, to, "its context holds")
  const at = work.steps.length
  work.steps = added(work.steps, taken)
  if (did === "ignored") return
  const cause: Cause = asked.length === 0 ? NO_CAUSE : [work.address, work.revision, at]
  let next = 0
  for (const end of earlier) {
    ownActors(work).set(to, { machine, snapshot: end.snapshot })
    for (; next < end.asked && work.refused === null; next += 1)
      carryOutOne(work, to, asked[next] as Asked, cause)
  }
  if (did === "moved") ownActors(work).set(to, { machine, snapshot })
  for (; next < asked.length && work.refused === null; next += 1)
    carryOutOne(work, to, asked[next] as Asked, cause)
}

/** For a step that requested nothing, so that nothing has it as its cause. */
const NO_CAUSE: Cause = ["", 0, 0]

function carryOutOne(work: Work, from: Address, asked: Asked, cause: Cause): void {
  switch (asked.type) {
    case "arm":
      return arm(work, asked.delayMs, {
        to: from,
        id: asked.id,
        event: asked.event,
        dueMs: work.input.atMs + Math.ceil(asked.delayMs),
        cause,
      })
    case "disarm":
      return disarm(work, armedKey(work.timers, from, asked.id))
    case "kernel.start":
      return askStart(work, asked, cause)
    case "kernel.send":
      return askSend(work, asked, cause)
    case "kernel.reply":
      work.answer = asked.value
      return
    case "kernel.refuse":
      work.refused = {
        code: asked.code,
        reason:
          asked.detail === undefined
            ? inState(from, work.actors.get(from))
            : { type: "sentence", text: asked.detail },
      }
      return
    case "kernel.publish":
      work.occurredUs += 1
      work.emissions = added(work.emissions, {
        event: asked.event,
        extras: asked.extras,
        occurredUs: work.occurredUs,
        ordinal: work.emissions.length,
        actors: work.actors,
        cause,
      })
      work.areActorsCopied = false
      return
    case "kernel.call":
      work.calls = added(work.calls, { actor: from, call: asked.call, attempt: asked.attempt, cause })
      return
    default: {
      const { type } = asked as { readonly type: string }
      throw new EngineFault({
        reason: "a machine emits an unknown verb",
        at: from,
        found: `it emits ${type}`,
      })
    }
  }
}

function arm(work: Work, delayMs: number, timer: Timer): void {
  const { to, id } = timer
  if (!Number.isFinite(delayMs)) {
    throw new EngineFault({
      reason: "a value is not plain JSON",
      at: to,
      found: `a delay of ${delayMs} ms`,
    })
  }
  const known = armedKey(work.timers, to, id)
  if (known === null && work.timers.size >= MAILBOX_ENTRIES_MAX) {
    throw new EngineFault({ reason: "a mailbox is full", at: to, found: `${MAILBOX_ENTRIES_MAX} entries` })
  }
  const key = known ?? timerKey(to, id)
  ownTimers(work).set(key, timer)
  if (!work.armed.includes(key)) work.armed = added(work.armed, key)
}

function disarm(work: Work, key: TimerKey | null): void {
  if (key !== null) ownTimers(work).delete(key)
}

function ownActors(work: Work): SmallMap<Actor> {
  if (!work.areActorsCopied) work.actors = SmallMap.copyOf(work.actors)
  work.areActorsCopied = true
  return work.actors as SmallMap<Actor>
}

function ownTimers(work: Work): SmallMap<Timer> {
  if (!work.areTimersCopied) work.timers = SmallMap.copyOf(work.timers)
  work.areTimersCopied = true
  return work.timers as SmallMap<Timer>
}

function askStart(work: Work, asked: Extract<Asked, { type: "kernel.start" }>, cause: Cause): void {
  const own = ownAddress(work, asked.to)
  if (own !== null) {
    startActor(work, own, asked.machine, withFields(asked.input, { atMs: work.input.atMs }))
    return
  }
  assertPlain(asked.input, work.address, "a start that it sends holds")
  const start = { machine: asked.machine, input: asked.input }
  work.messages = added(work.messages, { to: asked.to, start, instantMs: work.input.instantMs, cause })
}

function askSend(work: Work, { to, event }: Extract<Asked, { type: "kernel.send" }>, cause: Cause): void {
  const own = ownAddress(work, to)
  if (own !== null) {
    work.queue = added(work.queue, { to: own, event })
    return
  }
  assertPlain(event, work.address, "a message that it sends holds")
  work.messages = added(work.messages, { to, event, instantMs: work.input.instantMs, cause })
}

/** The absolute address of an actor of this group; null for another group's. */
function ownAddress({ address, actors }: Work, to: Address): Address | null {
  if (to === ".") return address
  if (!to.startsWith("./")) return groupOf(to) === address ? to : null
  // The text that the group has for it already, so that looking it up compares no letters.
  for (const known of actors.keys()) if (isPart(known, address, to)) return known
  return resolveAddress(to, address)
}

/** True for `kind/id/part` and `./part`; the address is known to be of the group. */
function isPart(known: Address, group: GroupAddress, to: Address): boolean {
  const shift = group.length - 1
  if (known.length !== to.length + shift) return false
  for (let at = to.length - 1; at > 1; at -= 1)
    if (known.charCodeAt(at + shift) !== to.charCodeAt(at)) return false
  return true
}

interface RefusedTurn {
  readonly group: Group
  readonly before: Group | null
  readonly work: Work
  readonly machine: string
  readonly decided: Decided | null
  readonly refused: Refusal
}

function refusal({ group, before, work, machine, decided, refused }: RefusedTurn): TurnResult {
  const { input } = work
  const outcome = { type: "refused", ...refused } as const
  const nothing = { steps: [], emissions: [], calls: [], messages: [], armed: [], hasMoved: false } as const
  const { nonce, instantMs } = input
  if (before === null) return { group, hasGroup: false, entry: null, outcome, ...nothing, nonce, instantMs }
  const entry = work.isWritten
    ? write(group, { input, machine, decided, steps: [], refused: refused.code })
    : null
  // A refused timer is removed too; otherwise it would stay due forever.
  const timers = SmallMap.copyOf(group.timers)
  if (input.timer !== undefined) timers.delete(timerKey(input.to, input.timer))
  const after = {
    ...group,
    timers: input.timer === undefined ? group.timers : timers,
    revision: work.revision,
    head: entry?.hash ?? group.head,
    instantMs,
  }
  return { group: after, hasGroup: true, entry, outcome, ...nothing, nonce, instantMs }
}

const ANSWERED_NOTHING = { type: "answered", value: null } as const

function settle(group: Group, work: Work, machine: string, decided: Decided | null): TurnResult {
  const { input, steps } = work
  const entry = work.isWritten
    ? write(group, { input, machine, decided, steps: steps.map(recordOf), refused: null })
    : null
  const after: Group = {
    address: group.address,
    revision: work.revision,
    instantMs: input.instantMs,
    occurredUs: work.occurredUs,
    head: entry?.hash ?? group.head,
    actors: work.actors,
    timers: work.timers,
  }
  const { emissions, calls, messages } = work
  const outcome =
    work.answer === null ? ANSWERED_NOTHING : ({ type: "answered", value: work.answer } as const)
  return {
    group: after,
    hasGroup: true,
    entry,
    steps,
    outcome,
    emissions,
    calls,
    messages,
    armed: stillArmed(work.timers, work.armed),
    nonce: input.nonce,
    instantMs: input.instantMs,
    hasMoved: hasMoved(steps),
  }
}

function hasMoved(steps: readonly TakenStep[]): boolean {
  for (const { stepped } of steps) if (stepped.did === "moved") return true
  return false
}

function stillArmed(timers: ReadonlyMap<TimerKey, Timer>, keys: readonly TimerKey[]): readonly Timer[] {
  let armed: Timer[] = NONE
  for (const key of keys) {
    const timer = timers.get(key)
    if (timer !== undefined) armed = added(armed, timer)
  }
  return armed
}

function recordOf({ to, on, stepped }: TakenStep): StepRecord {
  const { did, snapshot, asked } = stepped
  return { a: to, on, did, ...persist(snapshot), asked }
}

interface Written {
  readonly input: TurnInput
  readonly machine: string
  readonly decided: Decided | null
  readonly steps: readonly StepRecord[]
  readonly refused: RefusalCode | null
}

function write(group: Group, { input, machine, decided, steps, refused }: Written): Entry {
  const { to, by, start, event, facts, decision, atMs, instantMs, nonce, cause, timer, requester } = input
  const text = JSON.stringify({
    to,
    by,
    machine,
    start,
    event,
    timer,
    facts,
    decision,
    decided,
    atMs,
    instantMs,
    nonce,
    cause,
    steps,
    refused,
  })
  const entry = { group: group.address, revision: group.revision + 1, text, hash: chain(group.head, text) }
  return requester === undefined ? entry : { ...entry, requester }
}

/** Journal and store keep contexts as JSON. A value that JSON would lose or change is a fault of the machine. */
function assertPlainFields(fields: JsonObject, at: Address, holds: string): void {
  for (const name in fields) assertPlain(fields[name], at, holds)
}

function assertPlain(value: Json | undefined, at: Address, holds: string): void {
  switch (typeof value) {
    case "string":
    case "boolean":
      return
    case "number":
      if (Number.isFinite(value) && !Object.is(value, -0)) return
      break
    case "object": {
      if (value === null) return
      if (Array.isArray(value)) {
        for (const item of value) assertPlain(item, at, holds)
        return
      }
      const prototype: unknown = Object.getPrototypeOf(value)
      if (prototype !== Object.prototype && prototype !== null) break
      return assertPlainFields(value as JsonObject, at, holds)
    }
    default:
  }
  const shown = Object.is(value, -0) ? "-0" : Object.prototype.toString.call(value)
  throw new EngineFault({ reason: "a value is not plain JSON", at, found: `${holds} ${shown}` })
}
