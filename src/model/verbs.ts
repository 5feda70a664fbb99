/**
 * What a machine may ask of the kernel. Each verb is a plain value that the machine emits; the kernel carries it out
 * after the microstep that emitted it. In any other XState tool the same values are ordinary emitted events, so a
 * machine runs there unchanged.
 */

import type { Address } from "./address.ts"
import type { RefusalCode } from "./errors.ts"
import type { JsonObject } from "./json.ts"

/** Starts an actor of a registered machine, in this group (`./part`) or another (`kind/id`). */
export interface StartVerb {
  readonly type: "kernel.start"
  readonly to: Address
  readonly machine: string
  readonly input: JsonObject
}

/** Sends an event to an actor; inside the group it is taken in the same turn, elsewhere through the mailbox. */
export interface SendVerb {
  readonly type: "kernel.send"
  readonly to: Address
  readonly event: JsonObject & { readonly type: string }
}

/** Answers the command that this turn runs. */
export interface ReplyVerb {
  readonly type: "kernel.reply"
  readonly value: JsonObject
}

/** Refuses the command: every change of the turn is discarded, the refusal alone is journalled. */
export interface RefuseVerb {
  readonly type: "kernel.refuse"
  readonly code: RefusalCode
  /** What was wrong, where the actor's state does not say it. */
  readonly detail?: string
}

/** Tells subscribers that something happened; its payload is composed from the group as it stands at this microstep. */
export interface PublishVerb {
  readonly type: "kernel.publish"
  readonly event: string
  readonly extras: JsonObject
}

/** Asks for an outside contact after commit; its result comes back as `call.succeeded` or `call.failed`. */
export interface CallVerb {
  readonly type: "kernel.call"
  readonly call: string
  readonly attempt: number
}

export type Verb = StartVerb | SendVerb | ReplyVerb | RefuseVerb | PublishVerb | CallVerb

/** What a call's result says to the actor that asked for it. */
export type CallResult =
  | {
      readonly type: "call.succeeded"
      readonly attempt: number
      /** What an HTTP endpoint answered; for people who read the journal. */
      readonly status?: number
    }
  | { readonly type: "call.failed"; readonly attempt: number; readonly reason: string }
  | { readonly type: "call.discarded"; readonly attempt: number; readonly reason: string }

/** The node that made the call is gone; whether the request was sent is unknown. */
export interface CallLost {
  readonly type: "call.lost"
  readonly attempt: number
}

/** The call did not leave: its receiver has no room for it now. */
export interface CallDeferred {
  readonly type: "call.deferred"
  readonly attempt: number
}

/** There is room for a deferred call: it leaves now, under the same attempt. */
export interface QueueReleased {
  readonly type: "queue.released"
  readonly attempt: number
}

export function start(to: Address, machine: string, input: JsonObject): StartVerb {
  return { type: "kernel.start", to, machine, input }
}

export function send(to: Address, event: JsonObject & { readonly type: string }): SendVerb {
  return { type: "kernel.send", to, event }
}

export function reply(value: JsonObject): ReplyVerb {
  return { type: "kernel.reply", value }
}

export function refuse(code: RefusalCode, detail?: string): RefuseVerb {
  return detail === undefined ? { type: "kernel.refuse", code } : { type: "kernel.refuse", code, detail }
}

export function publish(event: string, extras: JsonObject = {}): PublishVerb {
  return { type: "kernel.publish", event, extras }
}

export function call(name: string, attempt: number): CallVerb {
  return { type: "kernel.call", call: name, attempt }
}

/** The start input as an initial action sees it: XState hands it over inside the init event, which it does not type. */
export function startInput<Input>(event: unknown): Input {
  return (event as { readonly input: Input }).input
}
