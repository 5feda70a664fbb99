/** Who asked for a command, and what was sent, as the inspector's page receives them from the service. */

import type { Address, GroupAddress } from "./address.ts"
import type { Json } from "./values/json.ts"
import type { Requester } from "./requester.ts"

/** A link of the chain of causes, across groups. */
export interface AskedCause {
  readonly group: GroupAddress
  readonly revision: number
  /** `command`, `timer`, `message` or `result`. */
  readonly by: string
  /** Type of the event, or `@start`. */
  readonly event: string
  readonly at: string
}

/** A masked body; null without one. */
export type MaskedBody = Json

/** What is kept of a request for a while. */
export interface KeptCall {
  /** Name of the key's organization; null, as the key, for a caller without one. */
  readonly organization: string | null
  readonly key: { readonly key_id: string; readonly last_four: string } | null
  readonly at: string
  readonly method: string
  readonly route: string
  readonly status: number
  readonly code: string | null
  /** The caller's own id of the request; null if it sent none. */
  readonly sent_id: string | null
  readonly sent: MaskedBody
  readonly answered: MaskedBody
  /** True when parts of the bodies are left out because of their size. */
  readonly is_cut: boolean
}

export interface AskedBy {
  /** From the entry back to the command, nearest first. */
  readonly causes: readonly AskedCause[]
  /** True when the chain ends before its command: it is longer than the service follows. */
  readonly is_cut: boolean
  /** Null for a command without a request, and for entries of older programs. */
  readonly requester: Requester | null
  /** Name of the operator's account, or label of the token; absent for other callers. */
  readonly operator_name?: string
  /** Null when nothing is kept of the request: for pages without sign-in, and after its time. */
  readonly request: KeptCall | null
  /** When the request is deleted, in days after it. */
  readonly kept_days: number
}

/** The masked bodies of one attempt of an outbound call. */
export interface KeptAttempt {
  readonly actor: Address
  readonly attempt: number
  readonly at: string
  /** HTTP status of the answer; null without one. */
  readonly status: number | null
  readonly sent: MaskedBody
  readonly answered: MaskedBody
  readonly is_cut: boolean
}

export interface KeptAttempts {
  readonly attempts: readonly KeptAttempt[]
  readonly kept_days: number
}
