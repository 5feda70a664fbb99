/**
 * Faults of the engine or of a machine: bugs that must never become an answer. They stop the run (or the live group)
 * and name the actor, the event and how to reproduce them.
 */

import { Cause, Data, Runtime } from "effect"
import type { Address } from "../../model/address.ts"

export type FaultReason =
  | "a machine threw"
  | "an actor was started twice"
  | "an address is unknown"
  | "a machine is unknown"
  | "a call is unknown"
  | "a decision is unknown"
  | "a turn is too long"
  | "a mailbox is full"
  | "a group has too many actors"
  | "a value is not plain JSON"
  | "a machine emits an unknown verb"
  | "a decision threw"
  | "the agenda is empty and an actor waits"
  | "the agenda is empty and a fiber waits"
  | "time does not advance"
  | "the run is too long"
  | "an advance inside an advance"
  | "a transaction suspended"
  | "a group is not locked"
  | "a group was folded"
  | "a fiber died"

/** A broken invariant of the engine. `found` holds the values that broke it. */
export class EngineFault extends Data.TaggedError("EngineFault")<{
  readonly reason: FaultReason
  readonly at: Address | null
  readonly found: string
  readonly cause?: unknown
}> {
  override get message(): string {
    return `${this.reason}${this.at === null ? "" : ` at ${this.at}`}: ${this.found}`
  }
}

/** The EngineFault inside a failed fiber's cause, or a new one that carries the cause. */
export function faultOf(cause: Cause.Cause<unknown>): EngineFault {
  const squashed = Cause.squash(cause)
  if (squashed instanceof EngineFault) return squashed
  const found = squashed instanceof Error ? squashed.message : String(squashed)
  if (Runtime.isAsyncFiberException(squashed)) {
    return new EngineFault({
      reason: "a transaction suspended",
      at: null,
      found: "its body waits",
      cause: squashed,
    })
  }
  return new EngineFault({ reason: "a fiber died", at: null, found, cause: squashed })
}
