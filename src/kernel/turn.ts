/**
 * A turn: one group processes one input until the group has no more work of its own. Pure and synchronous: the same
 * group and input give the same result, byte for byte in the journal entry.
 */

import { groupOf, partOf, resolveAddress } from "../model/address.ts"
import type { Address } from "../model/address.ts"
import type { RefusalCode } from "../model/errors.ts"
import type { Json, JsonObject } from "../model/json.ts"
import { GROUP_ACTORS_MAX, MAILBOX_ENTRIES_MAX, TURN_STEPS_MAX } from "../model/limits.ts"
import type { EpochUs, Stamp } from "../model/time.ts"
import { EngineFault } from "./faults.ts"
import { emptyGroup, sameCause, timerKey } from "./group.ts"
import type { Actor, Cause, Group, Timer, TimerKey } from "./group.ts"
import { chain } from "./hash.ts"
import type { Entry, StepRecord, TurnInput } from "./journal.ts"
import { forbids } from "./program.ts"
import type { Decided, Program } from "./program.ts"
import { initial, statePath, persist, step } from "./step.ts"
import type { Asked, Stepped } from "./step.ts"

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

export interface TurnResult {
  readonly group: Group
  /** Null when a start was refused: the group does not exist, so there is no chain for an entry. */
  readonly entry: Entry | null
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
  readonly address: string
  readonly revision: number
  readonly input: TurnInput
  readonly actors: Map<Address, Actor>
  /** The group's own map until a step arms or disarms a timer: most turns do neither, so they copy nothing. */
  timers: ReadonlyMap<TimerKey, Timer>
  areTimersCopied: boolean
  readonly queue: { readonly to: Address; readonly event: { readonly type: string } & JsonObject }[]
  readonly steps: StepRecord[]
  readonly emissions: Emission[]
  readonly calls: Call[]
  readonly messages: Message[]
  readonly armed: Set<string>
  occurredUs: EpochUs
  answer: JsonObject | null
  refused: Refusal | null
}

/**
 * Runs one input. Returns null when the input is a timer that was disarmed or replaced; it is then dropped. Throws
 * EngineFault on a broken invariant; the group is unchanged then.
 */
export function takeTurn(program: Program, before: Group | null, input: TurnInput): TurnResult | null {
  const group = before ?? emptyGroup(groupOf(input.to))
  if (input.timer !== undefined && !isArmed(group, input)) return null
  const work: Work = {
    program,
    address: group.address,
    revision: group.revision + 1,
    input,
    actors: new Map(group.actors),
    timers: group.timers,
    areTimersCopied: false,
    queue: [],
    steps: [],
    emissions: [],
    calls: [],
    messages: [],
    armed: new Set(),
    occurredUs: Math.max(group.occurredUs, input.instantMs * 1000 - 1),
    answer: null,
    refused: null,
  }
  const decided = decide(work)
  const machine = runFirst(work, decided)
  drain(work)
  if (work.refused !== null) return refusal({ group, before, input, machine, decided, refused: work.refused })
  return settle(group, work, machine, decided)
}

function isArmed(group: Group, input: TurnInput): boolean {
  const armed = group.timers.get(timerKey(input.to, input.timer ?? ""))
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
  const more: JsonObject & Stamp =
    lateMs <= 0 && decided === null
      ? { atMs }
      : { atMs, ...(lateMs > 0 ? { lateMs } : {}), ...(decided === null ? {} : { decided }) }
  if (start !== undefined) {
    if (forbids(decided ?? undefined)) {
      work.refused = { code: (decided as { refusal: RefusalCode }).refusal, reason: null }
      return start.machine
    }
    startActor(work, to, start.machine, { ...start.input, ...more })
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
  if (timer !== undefined) ownTimers(work).delete(timerKey(to, timer))
  const did = giveEvent(work, to, { ...event, ...more })
  if (did === "ignored" && work.input.by === "command")
    work.refused = { code: "INVALID_STATE", reason: inState(to, actor) }
  return actor.machine
}

function drain(work: Work): void {
  for (let at = 0; at < work.queue.length && work.refused === null; at += 1) {
    const next = work.queue[at]
    if (next !== undefined) giveEvent(work, next.to, { ...next.event, atMs: work.input.atMs })
  }
}

function startActor(work: Work, to: Address, machineId: string, input: JsonObject): void {
  const machine = work.program.machines[machineId]
  if (machine === undefined)
    throw new EngineFault({ reason: "a machine is unknown", at: to, found: machineId })
  if (work.actors.has(to))
    throw new EngineFault({ reason: "an actor was started twice", at: to, found: machineId })
  if (work.actors.size >= GROUP_ACTORS_MAX) {
    throw new EngineFault({
      reason: "a group has too many actors",
      at: to,
      found: `${GROUP_ACTORS_MAX} actors`,
    })
  }
  const stepped = guarded(work, to, "@start", () => initial(machine, input))
  work.actors.set(to, { machine: machineId, snapshot: stepped.snapshot })
  carryOut(work, { to, machine: machineId, stepped, on: { type: "@start", machine: machineId, input } })
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
  const machine = work.program.machines[actor.machine]
  if (machine === undefined)
    throw new EngineFault({ reason: "a machine is unknown", at: to, found: actor.machine })
  const stepped = guarded(work, to, event.type, () => step(machine, actor.snapshot, event))
  carryOut(work, { to, machine: actor.machine, stepped, on: event })
  return stepped.did
}

function guarded(work: Work, to: Address, event: string, run: () => Stepped): Stepped {
  if (work.steps.length >= TURN_STEPS_MAX) {
    throw new EngineFault({
      reason: "a turn is too long",
      at: to,
      found: `${TURN_STEPS_MAX} steps, then ${event}`,
    })
  }
  try {
    return run()
  } catch (cause) {
    if (cause instanceof EngineFault) throw cause
    const message = cause instanceof Error ? cause.message : String(cause)
    throw new EngineFault({ reason: "a machine threw", at: to, found: `on ${event}: ${message}`, cause })
  }
}

interface Carried {
  readonly to: Address
  readonly machine: string
  readonly stepped: Stepped
  readonly on: JsonObject & { readonly type: string }
}

function carryOut(work: Work, { to, machine, stepped, on }: Carried): void {
  const asked: Asked[] = []
  const kept = persist(stepped.snapshot)
  if (stepped.did !== "ignored") assertPlain(kept.context, to)
  const record = { a: to, on, did: stepped.did, ...kept, asked }
  const cause: Cause = [work.address, work.revision, work.steps.push(record) - 1]
  for (const micro of stepped.microsteps) {
    work.actors.set(to, { machine, snapshot: micro.snapshot })
    for (const one of micro.asked) {
      asked.push(one)
      if (work.refused !== null) return
      carryOutOne(work, to, one, cause)
    }
  }
}

function carryOutOne(work: Work, from: Address, asked: Asked, cause: Cause): void {
  switch (asked.type) {
    case "arm":
      return arm(work, { from, asked, cause })
    case "disarm":
      ownTimers(work).delete(timerKey(from, asked.id))
      return
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
      work.emissions.push({
        event: asked.event,
        extras: asked.extras,
        occurredUs: work.occurredUs,
        ordinal: work.emissions.length,
        actors: new Map(work.actors),
        cause,
      })
      return
    case "kernel.call":
      work.calls.push({ actor: from, call: asked.call, attempt: asked.attempt, cause })
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

function arm(
  work: Work,
  { from, asked, cause }: { from: Address; asked: Extract<Asked, { type: "arm" }>; cause: Cause },
): void {
  if (!Number.isFinite(asked.delayMs)) {
    throw new EngineFault({
      reason: "a value is not plain JSON",
      at: from,
      found: `a delay of ${asked.delayMs} ms`,
    })
  }
  const key = timerKey(from, asked.id)
  if (!work.timers.has(key) && work.timers.size >= MAILBOX_ENTRIES_MAX) {
    throw new EngineFault({ reason: "a mailbox is full", at: from, found: `${MAILBOX_ENTRIES_MAX} entries` })
  }
  const dueMs = work.input.atMs + Math.ceil(asked.delayMs)
  ownTimers(work).set(key, { to: from, id: asked.id, event: asked.event, dueMs, cause })
  work.armed.add(key)
}

function ownTimers(work: Work): Map<TimerKey, Timer> {
  if (!work.areTimersCopied) work.timers = new Map(work.timers)
  work.areTimersCopied = true
  return work.timers as Map<TimerKey, Timer>
}

function askStart(work: Work, asked: Extract<Asked, { type: "kernel.start" }>, cause: Cause): void {
  const to = resolveAddress(asked.to, work.address)
  if (groupOf(to) === work.address) {
    startActor(work, to, asked.machine, { ...asked.input, atMs: work.input.atMs })
    return
  }
  assertPlain(asked.input, work.address, "a start that it sends holds")
  const start = { machine: asked.machine, input: asked.input }
  work.messages.push({ to, start, instantMs: work.input.instantMs, cause })
}

function askSend(work: Work, asked: Extract<Asked, { type: "kernel.send" }>, cause: Cause): void {
  const to = resolveAddress(asked.to, work.address)
  if (groupOf(to) === work.address) {
    work.queue.push({ to, event: asked.event })
    return
  }
  assertPlain(asked.event, work.address, "a message that it sends holds")
  work.messages.push({ to, event: asked.event, instantMs: work.input.instantMs, cause })
}

interface RefusedTurn {
  readonly group: Group
  readonly before: Group | null
  readonly input: TurnInput
  readonly machine: string
  readonly decided: Decided | null
  readonly refused: Refusal
}

function refusal({ group, before, input, machine, decided, refused }: RefusedTurn): TurnResult {
  const outcome = { type: "refused", ...refused } as const
  const nothing = { emissions: [], calls: [], messages: [], armed: [], hasMoved: false } as const
  const { nonce, instantMs } = input
  if (before === null) return { group, entry: null, outcome, ...nothing, nonce, instantMs }
  const entry = write(group, { input, machine, decided, steps: [], refused: refused.code })
  // A refused timer is removed too; otherwise it would stay due forever.
  const timers = new Map(group.timers)
  if (input.timer !== undefined) timers.delete(timerKey(input.to, input.timer))
  const after = {
    ...group,
    timers: input.timer === undefined ? group.timers : timers,
    revision: entry.revision,
    head: entry.hash,
    instantMs,
  }
  return { group: after, entry, outcome, ...nothing, nonce, instantMs }
}

function settle(group: Group, work: Work, machine: string, decided: Decided | null): TurnResult {
  const { input } = work
  const entry = write(group, { input, machine, decided, steps: work.steps, refused: null })
  const armed: Timer[] = []
  for (const key of work.armed) {
    const timer = work.timers.get(key)
    if (timer !== undefined) armed.push(timer)
  }
  const after: Group = {
    address: group.address,
    revision: entry.revision,
    instantMs: input.instantMs,
    occurredUs: work.occurredUs,
    head: entry.hash,
    actors: work.actors,
    timers: work.timers,
  }
  const { emissions, calls, messages } = work
  const outcome = { type: "answered", value: work.answer } as const
  return {
    group: after,
    entry,
    outcome,
    emissions,
    calls,
    messages,
    armed,
    nonce: input.nonce,
    instantMs: input.instantMs,
    hasMoved: work.steps.some((one) => one.did === "moved"),
  }
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
function assertPlain(value: Json | undefined, at: Address, holds = "its context holds"): void {
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
      for (const inner of Object.values(value)) assertPlain(inner, at, holds)
      return
    }
    default:
  }
  const shown = Object.is(value, -0) ? "-0" : Object.prototype.toString.call(value)
  throw new EngineFault({ reason: "a value is not plain JSON", at, found: `${holds} ${shown}` })
}
