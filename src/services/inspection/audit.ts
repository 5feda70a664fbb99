/**
 * Audit of the events that operators sent by hand: who, when, to which actor, which event, and the result. Only ids, no
 * names.
 */

import { Context } from "effect"
import type { Effect } from "effect"
import type { Address } from "../../model/address.ts"
import type { Environment } from "../../model/caller.ts"
import type { EpochMs } from "../../model/time.ts"
import type { Transaction } from "../host.ts"
import type { Purge } from "../retention/retention.ts"

/** `failed` is a fault of the service: the turn had no effect. */
export type SendingOutcome = "failed" | "refused" | "taken"

export interface AuditEntry {
  readonly environment: Environment
  readonly atMs: EpochMs
  /** Id of the operator's token, or the name of a sender without a token, such as the command line. */
  readonly operatorTokenId: string
  readonly actor: Address
  readonly eventType: string
  readonly outcome: SendingOutcome
  /** The code of a refusal. */
  readonly code: string | null
  /** The group's revision after the event; null when the journal has no entry of it. */
  readonly revision: number | null
}

export interface KeptAuditEntry extends AuditEntry {
  readonly number: number
  /** The token's label, or the sender without a token. */
  readonly operator: string
}

export class OperatorAudit extends Context.Tag("OperatorAudit")<
  OperatorAudit,
  {
    readonly insert: (entry: AuditEntry) => Effect.Effect<void, never, Transaction>
    /** Newest first. */
    readonly list: (query: {
      readonly environment: Environment
      readonly beforeNumber: number | null
      readonly limit: number
    }) => Effect.Effect<readonly KeptAuditEntry[]>
    readonly purge: Purge
  }
>() {}
