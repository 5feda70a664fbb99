/**
 * What a machine may request of the kernel. Each verb is a plain value that the machine emits; the kernel carries it
 * out after the microstep that emitted it. Other XState tools see ordinary emitted events, so a machine runs there
 * unchanged.
 */

import type { Address } from "./address.ts"
import type { RefusalCode } from "./values/errors.ts"
import type { JsonObject } from "./values/json.ts"

/** Starts an actor of a registered machine, in this group (`./part`) or another (`kind/id`). */
export interface StartVerb {
  readonly type: "kernel.start"
  readonly to: Address
  readonly machine: string
  readonly input: JsonObject
}

/** Sends an event to an actor. Inside the group it is processed in the same turn, elsewhere through the mailbox. */
export interface SendVerb {
  readonly type: "kernel.send"
  readonly to: Address
  readonly event: JsonObject & { readonly type: string }
}

/** Answers the command that this turn runs. */
export interface ReplyVerb<Value extends JsonObject = JsonObject> {
  readonly type: "kernel.reply"
  readonly value: Value
}

/** Refuses the command: every change of the turn is discarded, and only the refusal is journalled. */
export interface RefuseVerb {
  readonly type: "kernel.refuse"
  readonly code: RefusalCode
  /** What was wrong, when the actor's state does not show it. */
  readonly detail?: string
}

/** Publishes an event to subscribers. Its payload is composed from the state of the group at this microstep. */
export interface PublishVerb<Event extends string = string, Extras extends JsonObject = JsonObject> {
  readonly type: "kernel.publish"
  readonly event: Event
  readonly extras: Extras
}

/** Requests an outbound call after the commit. Its result comes back as `call.succeeded` or `call.failed`. */
export interface CallVerb {
  readonly type: "kernel.call"
  readonly call: string
  readonly attempt: number
}

export type Verb = StartVerb | SendVerb | ReplyVerb | RefuseVerb | PublishVerb | CallVerb

/** The input has the type of the machine's contract. */
export function start<Input extends JsonObject>(to: Address, machine: string, input: Input): StartVerb {
  return { type: "kernel.start", to, machine, input }
}

/** The event has the type of the receiver's contract. */
export function send<Event extends JsonObject & { readonly type: string }>(
  to: Address,
  event: Event,
): SendVerb {
  return { type: "kernel.send", to, event }
}

export function reply<const Value extends JsonObject>(value: Value): ReplyVerb<Value> {
  return { type: "kernel.reply", value }
}

export function refuse(code: RefusalCode, detail?: string): RefuseVerb {
  return detail === undefined ? { type: "kernel.refuse", code } : { type: "kernel.refuse", code, detail }
}

export function publish<const Event extends string>(event: Event): PublishVerb<Event>
export function publish<const Event extends string, const Extras extends JsonObject>(
  event: Event,
  extras: Extras,
): PublishVerb<Event, Extras>
export function publish(event: string, extras: JsonObject = {}): PublishVerb {
  return { type: "kernel.publish", event, extras }
}

export function call(name: string, attempt: number): CallVerb {
  return { type: "kernel.call", call: name, attempt }
}

/** The start input as an initial action sees it. XState passes it inside its init event, which has no type for it. */
export function startInput<Input>(event: unknown): Input {
  return (event as { readonly input: Input }).input
}
