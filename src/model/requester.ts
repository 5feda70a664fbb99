/**
 * Who asked for a command: the request that gave it and its caller. Ids only: what else is known about the request is in
 * rows that are kept for a while (`src/apps/inspector/kept-requests.ts`).
 */

/**
 * `key`: a partner's API key. `member`: an account of the portal. `operator`: an operator's account or token. `phone`: a
 * runner's paired phone. `user`: a linked user of the connector. `page`: a page without sign-in, such as tracking.
 */
export const CALLER_TYPES = ["key", "member", "operator", "page", "phone", "user"] as const

export type CallerType = (typeof CALLER_TYPES)[number]

export interface Requester {
  /** The service's own id of the request; never one that a caller has chosen. */
  readonly request: string
  readonly type: CallerType
  /** Id of the key, account, token, phone or user; null for a page without sign-in. */
  readonly id: string | null
}
