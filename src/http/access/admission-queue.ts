/**
 * The admission queue in front of the database, as the HTTP layer sees it. It is implemented in
 * `src/live/concurrency/admission-queue.ts`.
 */

/** `full`: the queue had no room. `late`: the request had waited too long. */
export type ShedReason = "full" | "late"

export interface Place {
  /** Frees the place when the work is done. Further calls do nothing. */
  readonly leave: () => void
}

export type Entered =
  | { readonly type: "admitted"; readonly place: Place }
  | { readonly type: "shed"; readonly reason: ShedReason; readonly retryAfterSeconds: number }
  | { readonly type: "left" }

export interface Entry {
  readonly entered: Promise<Entered>
  /** Withdraws a request whose client has disconnected. Does nothing once the request was admitted or shed. */
  readonly withdraw: () => void
}

/**
 * `resumed`: the request was admitted before and gave up its place while its body arrived. `returning`: it gave up its place for other
 * work; it is never shed, but admitted when it has waited too long, whether a place is free or not.
 */
export type EntryKind = "fresh" | "resumed" | "returning"

export interface QueuedRequest {
  /** Requests of one share take turns as one. */
  readonly share: string
  readonly kind: EntryKind
}

export interface RequestQueue {
  /** `entered` resolves when the request is admitted or shed. */
  readonly enter: (request: QueuedRequest) => Entry
}
