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

export interface RequestQueue {
  /**
   * `entered` resolves when the request is admitted or shed. Requests of one `share` take turns as one. `isResumed`:
   * the request was admitted before and gave up its place while its body arrived.
   */
  readonly enter: (request: { readonly share: string; readonly isResumed: boolean }) => Entry
}
