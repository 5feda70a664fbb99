/**
 * Takes one event into one machine, and notes what was requested at every microstep. This file and planned-step.ts are the
 * only ones of the kernel that use XState, so an upgrade of XState changes no other.
 *
 * It uses these internals of XState, each covered by test/engine/kernel/xstate-contract.test.ts: `machine.transition` and
 * `getInitialSnapshot` with an actor scope of our own (the exported `transition` builds a whole actor for each call and
 * takes twice as long), the scope's `actionExecutor`, and the `@xstate.microstep` notice that its system gets after
 * every microstep.
 */

import { getInitialMicrosteps } from "xstate"
import type { AnyActorScope, AnyStateMachine } from "xstate"
import type { JsonObject } from "../../model/values/json.ts"
import { MICROSTEPS_MAX } from "../../model/values/limits.ts"
import { added, NONE } from "./few.ts"
import { askedBy, isPlain, plannedStart, plannedStep, withContext } from "./planned-step.ts"
import type { Asked, ExecutableAction, Snapshot, StepSink } from "./planned-step.ts"

export type { Asked, Snapshot } from "./planned-step.ts"

/** A machine as the registry holds it. */
export type Machine = AnyStateMachine

/** A snapshot as the journal and the store keep it. */
export interface PersistedSnapshot {
  readonly value: JsonObject | string
  readonly context: JsonObject
  readonly status: "active" | "done"
}

/** The end of a microstep that another one followed. */
export interface MicrostepEnd {
  readonly snapshot: Snapshot
  /** How many requests the step had made by then. */
  readonly asked: number
}

export interface Stepped {
  /** After the last microstep. */
  readonly snapshot: Snapshot
  /** What the step requested, in order. */
  readonly asked: readonly Asked[]
  /** The ends of all microsteps but the last, so that most steps have none. */
  readonly earlier: readonly MicrostepEnd[]
  /** The fields of the context that the step assigned, in order; at a start, the whole context. */
  readonly assigned: readonly JsonObject[]
  /** `moved`: another snapshot. `handled`: only actions ran. `ignored`: no transition was taken. */
  readonly did: "moved" | "handled" | "ignored"
}

let asked: Asked[] = NONE
let earlier: MicrostepEnd[] = NONE
let assigned: JsonObject[] = NONE
/** The end of the last microstep; null before the first one. */
let last: Snapshot | null = null
let askedByLast = 0
let microsteps = 0

const actorScope = {
  self: { id: "", sessionId: "", send: () => undefined },
  id: "",
  sessionId: "",
  logger: () => undefined,
  defer: () => undefined,
  stopChild: () => undefined,
  emit: () => undefined,
  actionExecutor: (action: ExecutableAction) => {
    const one = askedBy(action)
    if (one !== null) noteAsked(one)
  },
  system: {
    _sendInspectionEvent: (notice: { readonly type: string; readonly snapshot: Snapshot }) => {
      if (notice.type === "@xstate.microstep") endMicrostep(notice.snapshot)
    },
  },
} as unknown as AnyActorScope

const noted: StepSink = {
  scope: actorScope,
  asked: noteAsked,
  assigned: (fields) => {
    assigned = added(assigned, fields as JsonObject)
  },
  microstep: endMicrostep,
}

/** Takes a machine into its first state. Cost: about 5 µs. Rethrows the machine's errors. */
export function initial(machine: AnyStateMachine, input: JsonObject): Stepped {
  forget()
  const planned = plannedStart(machine, input, noted)
  if (planned !== null) return started(planned, asked, NONE)
  forget()
  const snapshot: Snapshot = machine.getInitialSnapshot(actorScope, input)
  if (snapshot.status === "error") throw snapshot.error
  // XState sends no notice for the initial microstep. Without further microsteps the result is its snapshot.
  if (microsteps === 0) return started(snapshot, asked, NONE)
  const all = getInitialMicrosteps(machine, input as never) as [Snapshot, ExecutableAction[]][]
  const requests: Asked[] = []
  const ends = all.map(([at, actions]) => {
    requests.push(...actions.map(askedBy).filter((one): one is Asked => one !== null))
    return { snapshot: at, asked: requests.length }
  })
  return started(snapshot, requests, ends.slice(0, -1))
}

function started(snapshot: Snapshot, requests: readonly Asked[], ends: readonly MicrostepEnd[]): Stepped {
  const context = snapshot.context as JsonObject
  return { snapshot, asked: requests, earlier: ends, assigned: [context], did: "moved" }
}

/** Takes one event into a machine. Cost: about 3 µs. Rethrows the machine's errors. */
export function step(
  machine: AnyStateMachine,
  snapshot: Snapshot,
  event: { readonly type: string },
): Stepped {
  if (snapshot.status !== "active") return ignored(snapshot)
  forget()
  const after = plannedStep(machine, snapshot, event, noted) ?? wholeStep(machine, snapshot, event)
  if (after.status === "error") throw after.error
  if (after !== snapshot) return { snapshot: after, asked, earlier, assigned, did: "moved" }
  if (asked.length > 0) return { snapshot, asked, earlier, assigned, did: "handled" }
  return ignored(snapshot)
}

function ignored(snapshot: Snapshot): Stepped {
  return { snapshot, asked: NONE, earlier: NONE, assigned: NONE, did: "ignored" }
}

function forget(): void {
  asked = NONE
  earlier = NONE
  assigned = NONE
  last = null
  askedByLast = 0
  microsteps = 0
}

function noteAsked(one: Asked): void {
  asked = added(asked, one)
}

function endMicrostep(snapshot: Snapshot): void {
  if (last !== null) earlier = added(earlier, { snapshot: last, asked: askedByLast })
  last = snapshot
  askedByLast = asked.length
  microsteps += 1
  if (microsteps > MICROSTEPS_MAX) throw new Error(`more than ${MICROSTEPS_MAX} microsteps for one event`)
}

function wholeStep(machine: AnyStateMachine, snapshot: Snapshot, event: { readonly type: string }): Snapshot {
  forget()
  const after: Snapshot = machine.transition(snapshot, event, actorScope)
  if (after.context !== snapshot.context) assigned = added(assigned, differentFields(snapshot, after))
  return after
}

/** What XState assigned in a whole step: the fields of the context that are not as before. */
function differentFields(before: Snapshot, after: Snapshot): JsonObject {
  const [old, now] = [before.context as JsonObject, after.context as JsonObject]
  return Object.fromEntries(Object.entries(now).filter(([name, value]) => old[name] !== value))
}

/** One restored snapshot for each status and state value. Snapshots of one state differ only in their context. */
const revivedByMachine = new WeakMap<AnyStateMachine, Map<string, Snapshot>>()

/** Restores a snapshot from its persisted form. */
export function revive(machine: AnyStateMachine, kept: PersistedSnapshot): Snapshot {
  const { context, status, value } = kept
  if (!isPlain(machine)) return machine.resolveState({ value: value as never, context, status })
  let known = revivedByMachine.get(machine)
  if (known === undefined) revivedByMachine.set(machine, (known = new Map()))
  const key = `${status} ${JSON.stringify(value)}`
  let like = known.get(key)
  if (like === undefined)
    known.set(key, (like = machine.resolveState({ value: value as never, context: {}, status })))
  return withContext(like, context)
}

/** The part of a snapshot that is persisted. */
export function persist(snapshot: Snapshot): PersistedSnapshot {
  return {
    value: snapshot.value as JsonObject | string,
    context: snapshot.context as JsonObject,
    status: snapshot.status === "done" ? "done" : "active",
  }
}

/** The active state as a dotted path, `open.at_store`; of parallel regions, the first one's path. */
export function statePath(snapshot: Snapshot): string {
  const path: string[] = []
  let value: unknown = snapshot.value
  while (typeof value === "object" && value !== null) {
    const [key = "", below] = Object.entries(value)[0] ?? []
    path.push(key)
    value = below
  }
  return [...path, String(value)].join(".")
}

/** True in a state in which nothing happens by itself. A late request, such as for a refund, may still be taken. */
export function isSettled(snapshot: Snapshot): boolean {
  return snapshot.status === "done" || snapshot.hasTag("settled")
}

/** True in a state that may last for an unlimited time. */
export function mayRest(snapshot: Snapshot): boolean {
  return isSettled(snapshot) || snapshot.hasTag("resting")
}
