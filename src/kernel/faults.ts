/**
 * Faults of the engine or of a machine: things that must never happen and never become an answer. They stop the run (or
 * the live group) and say which actor, which event and how to see it again.
 */

import { Cause, Data, Runtime } from "effect"
import type { Address } from "../model/address.ts"

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
  | "a machine asks for no verb"
  | "a decision threw"
  | "the agenda is empty and an actor waits"
  | "the agenda is empty and a fiber waits"
  | "time stands still"
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

/** The fault inside a failed fiber's cause, or a fault that carries the cause. */
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
