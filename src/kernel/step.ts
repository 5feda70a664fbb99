/**
 * The one file that touches XState: one event into one machine, seen microstep by microstep.
 *
 * Reaches into XState, each held by test/kernel/xstate-contract.test.ts: `machine.transition` and `getInitialSnapshot`
 * with an actor scope of our own (the exported `transition` builds a whole actor each time and halves the speed), the
 * scope's `actionExecutor`, and the `@xstate.microstep` notice that its system gets after every microstep.
 */

import { getInitialMicrosteps } from "xstate"
import type { AnyActorScope, AnyMachineSnapshot, AnyStateMachine } from "xstate"
import type { JsonObject } from "../model/json.ts"
import { plannedStart, plannedStep } from "./planned-step.ts"
import { MICROSTEPS_MAX } from "../model/limits.ts"
import type { Verb } from "../model/verbs.ts"

export type Snapshot = AnyMachineSnapshot

/** A machine as the registry holds it. */
export type Machine = AnyStateMachine

/** A snapshot as the journal and the store keep it. */
export interface PersistedSnapshot {
  readonly value: JsonObject | string
  readonly context: JsonObject
  readonly status: "active" | "done"
}

/** What one microstep asked for, in order, and the snapshot at its end. */
export interface Microstep {
  readonly snapshot: Snapshot
  readonly asked: readonly Asked[]
}

/** A verb for the kernel, or a timer armed or disarmed. */
export type Asked =
  | Verb
  | { readonly type: "arm"; readonly id: string; readonly event: string; readonly delayMs: number }
  | { readonly type: "disarm"; readonly id: string }

export interface Stepped {
  readonly snapshot: Snapshot
  readonly microsteps: readonly Microstep[]
  /** `moved`: another snapshot. `handled`: only actions ran. `ignored`: no transition was taken. */
  readonly did: "moved" | "handled" | "ignored"
}

interface ExecutableAction {
  readonly type: string
  readonly params: unknown
}

let asked: Asked[] = []
let microsteps: Microstep[] = []

const scope = {
  self: { id: "", sessionId: "", send: () => undefined },
  id: "",
  sessionId: "",
  logger: () => undefined,
  defer: () => undefined,
  stopChild: () => undefined,
  emit: () => undefined,
  actionExecutor: noteAction,
  system: {
    _sendInspectionEvent: (notice: { readonly type: string; readonly snapshot: Snapshot }) => {
      if (notice.type === "@xstate.microstep") endMicrostep(notice.snapshot)
    },
  },
} as unknown as AnyActorScope

const sink = { scope, act: noteAction, microstep: endMicrostep }

/** Takes a machine into its first state. Cost: about 5 µs. Throws what the machine throws. */
export function initial(machine: AnyStateMachine, input: JsonObject): Stepped {
  asked = []
  microsteps = []
  const planned = plannedStart(machine, input, sink)
  if (planned !== null) return { snapshot: planned, microsteps: [{ snapshot: planned, asked }], did: "moved" }
  asked = []
  microsteps = []
  const snapshot: Snapshot = machine.getInitialSnapshot(scope, input)
  if (snapshot.status === "error") throw snapshot.error
  // The first microstep of all sends no notice: when nothing follows it, the result is its snapshot.
  if (microsteps.length === 0) return { snapshot, microsteps: [{ snapshot, asked }], did: "moved" }
  const all = getInitialMicrosteps(machine, input as never) as [Snapshot, ExecutableAction[]][]
  const whole = all.map(([at, actions]) => ({
    snapshot: at,
    asked: actions.map(translate).filter((one): one is Asked => one !== null),
  }))
  return { snapshot, microsteps: whole, did: "moved" }
}

/** Takes one event into a machine. Cost: about 3 µs. Throws what the machine throws. */
export function step(
  machine: AnyStateMachine,
  snapshot: Snapshot,
  event: { readonly type: string },
): Stepped {
  if (snapshot.status !== "active") return { snapshot, microsteps: [], did: "ignored" }
  asked = []
  microsteps = []
  const after = plannedStep(machine, snapshot, event, sink) ?? wholeStep(machine, snapshot, event)
  if (after.status === "error") throw after.error
  const acted = microsteps.some((micro) => micro.asked.length > 0)
  if (after === snapshot && !acted) return { snapshot, microsteps: [], did: "ignored" }
  return { snapshot: after, microsteps, did: after === snapshot ? "handled" : "moved" }
}

function wholeStep(machine: AnyStateMachine, snapshot: Snapshot, event: { readonly type: string }): Snapshot {
  asked = []
  microsteps = []
  return machine.transition(snapshot, event, scope)
}

/** Brings a kept snapshot back to life. */
export function revive(machine: AnyStateMachine, kept: PersistedSnapshot): Snapshot {
  return machine.resolveState({ value: kept.value as never, context: kept.context, status: kept.status })
}

/** The part of a snapshot that is kept. */
export function persist(snapshot: Snapshot): PersistedSnapshot {
  return {
    value: snapshot.value as JsonObject | string,
    context: snapshot.context as JsonObject,
    status: snapshot.status === "done" ? "done" : "active",
  }
}

/** The active state as a dotted path, `open.at_store`; of parallel regions, the first one's. */
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

/** True in a state from which nothing happens by itself and no move leads away. */
export function isSettled(snapshot: Snapshot): boolean {
  return snapshot.status === "done" || snapshot.hasTag("settled")
}

/** True in a state that may last for ever. */
export function mayRest(snapshot: Snapshot): boolean {
  return isSettled(snapshot) || snapshot.hasTag("resting")
}

function noteAction(action: ExecutableAction): void {
  const translated = translate(action)
  if (translated !== null) asked.push(translated)
}

function endMicrostep(snapshot: Snapshot): void {
  microsteps.push({ snapshot, asked })
  if (microsteps.length > MICROSTEPS_MAX)
    throw new Error(`more than ${MICROSTEPS_MAX} microsteps for one event`)
  asked = []
}

function translate(action: ExecutableAction): Asked | null {
  switch (action.type) {
    case "xstate.emit":
      return (action.params as { readonly event: Verb }).event
    case "xstate.raise": {
      const raised = action.params as {
        readonly event: { readonly type: string }
        readonly id: string | undefined
        readonly delay: number | undefined
      }
      // A raise without a delay has already been taken inside this macrostep.
      if (raised.delay === undefined) return null
      if (raised.id === undefined) throw new Error(`the delayed event ${raised.event.type} has no id`)
      return { type: "arm", id: raised.id, event: raised.event.type, delayMs: raised.delay }
    }
    case "xstate.cancel":
      return { type: "disarm", id: (action.params as { readonly sendId: string }).sendId }
    default:
      throw new Error(
        `the action ${action.type} is a side effect; a machine asks the kernel through emit alone`,
      )
  }
}
