/**
 * The journal: one chain of entries for each group. An entry is its exact text; all its fields are parsed from that
 * text.
 */

import type { Address, GroupAddress } from "../../model/address.ts"
import type { Json, JsonObject } from "../../model/values/json.ts"
import type { Requester } from "../../model/requester.ts"
import type { EpochMs } from "../../model/values/time.ts"
import type { Cause } from "./group.ts"
import type { Asked, PersistedSnapshot } from "./step.ts"

/** How an input reached its group. */
export type InputKind = "command" | "timer" | "message" | "result"

/** The whole input of a turn. Together with the group before the turn it determines the entry. */
export interface TurnInput {
  readonly to: Address
  readonly by: InputKind
  /** Present when the turn starts the actor; there is no event then. */
  readonly start?: { readonly machine: string; readonly input: JsonObject } | undefined
  readonly event?: ({ readonly type: string } & JsonObject) | undefined
  /** What was read outside the group for the decision. */
  readonly facts: JsonObject | null
  /** `name@version` of the decision function that the turn runs over the facts. */
  readonly decision: string | null
  /** The time that the machine sees: the due time of a timer, otherwise the instant of the turn. */
  readonly atMs: EpochMs
  /** When the turn ran. */
  readonly instantMs: EpochMs
  /** 128 bits, 32 hex digits. Every id that the turn creates is derived from it. */
  readonly nonce: string
  /**
   * The step that sent the message, armed the timer, requested the call, or published the event for which a command
   * starts this group; null for a command from outside.
   */
  readonly cause: Cause | null
  /** Id of the timer that fired. */
  readonly timer?: string | undefined
  /** Who asked for the command. Not a part of the entry's text, so no hash and no replay depends on it. */
  readonly requester?: Requester | undefined
}

/** One actor's part in a turn. */
export interface StepRecord extends PersistedSnapshot {
  readonly a: Address
  /** The actor's input: `@start`, or an event. */
  readonly on: Json
  readonly did: "moved" | "handled" | "ignored"
  readonly asked: readonly Asked[]
}

/** A journal entry, parsed from its text. */
export interface EntryBody extends Omit<TurnInput, "requester"> {
  readonly machine: string
  readonly decided: Json
  readonly steps: readonly StepRecord[]
  readonly refused: string | null
}

/** A journal entry: numbered by the group's revision, chained onto the group's last hash. */
export interface Entry {
  readonly group: GroupAddress
  readonly revision: number
  readonly text: string
  readonly hash: string
  /** Beside the text, of a command from outside; absent in entries of older programs. */
  readonly requester?: Requester
}
