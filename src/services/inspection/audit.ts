/** What operators did by hand: who, when, to whom, which event, and what became of it. Ids alone; no names. */

import { Context } from "effect"
import type { Effect } from "effect"
import type { Address } from "../../model/address.ts"
import type { Environment } from "../../model/caller.ts"
import type { EpochMs } from "../../model/time.ts"
import type { Transaction } from "../host.ts"
import type { Purge } from "../retention/retention.ts"

/** `failed` is a fault of ours: nothing of the event stayed. */
export type SendingOutcome = "failed" | "refused" | "taken"

export interface AuditEntry {
  readonly environment: Environment
  readonly atMs: EpochMs
  /** Which operator token was signed in, or what acted without one, as the command line does. */
  readonly operatorTokenId: string
  readonly actor: Address
  readonly eventType: string
  readonly outcome: SendingOutcome
  /** Of a refusal. */
  readonly code: string | null
  /** The group's revision after it; null when the journal knows nothing of it. */
  readonly revision: number | null
}

export interface KeptAuditEntry extends AuditEntry {
  readonly number: number
  /** The token's label; without a token, what stands in its place. */
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
