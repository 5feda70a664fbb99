/** What an edge sees of the queue in front of the database. Its one implementation is `live/admission-queue.ts`. */

/** `full`: the queue had no room. `late`: the request had waited too long. */
export type ShedReason = "full" | "late"

export interface Place {
  /** The work is done. Further calls do nothing. */
  readonly leave: () => void
}

export type Entered =
  | { readonly type: "admitted"; readonly place: Place }
  | { readonly type: "shed"; readonly reason: ShedReason; readonly retryAfterSeconds: number }
  | { readonly type: "left" }

export interface Entry {
  readonly entered: Promise<Entered>
  /** The client has left. Does nothing once the request was admitted or shed. */
  readonly withdraw: () => void
}

export interface RequestQueue {
  /**
   * Ends when the request may be worked on, or is to be turned away. `share` names those who take one turn together.
   * `isResumed`: the request was admitted before and gave its place back while its body came in.
   */
  readonly enter: (request: { readonly share: string; readonly isResumed: boolean }) => Entry
}
