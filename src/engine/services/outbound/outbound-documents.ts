/** Outbound documents: small public documents that the service reads, such as the metadata of an agent's client. */

import { Context } from "effect"
import type { Effect } from "effect"

export interface DocumentRequest {
  readonly url: string
  /** Of the whole exchange. */
  readonly timeoutMs: number
  /** Of the body. */
  readonly bytesMax: number
  /** The checked addresses: connections are only made to these. */
  readonly addresses: readonly string[]
}

/** The result: a status, or why there was no answer. Redirects are not followed: they count as statuses. */
export type DocumentAnswer =
  | {
      readonly type: "answered"
      readonly status: number
      /** By their lower-case names. */
      readonly headers: Readonly<Record<string, string | undefined>>
      /** Null when the body is too large, was cut, or is not UTF-8. */
      readonly text: string | null
    }
  | { readonly type: "unanswered"; readonly reason: "timeout" | "connection_failed" }

export class OutboundDocuments extends Context.Tag("OutboundDocuments")<
  OutboundDocuments,
  { readonly get: (request: DocumentRequest) => Effect.Effect<DocumentAnswer> }
>() {}
