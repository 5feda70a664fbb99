/**
 * Requests that wait in the sockets while the process is busy. The embedded database runs in this process, and nothing
 * is read from the network meanwhile.
 */

import { Effect } from "effect"

/** Iterations of the event loop: one to end the current poll, one to accept new connections, one to read from them. */
const LOOKS_AT_SOCKETS = 3

/** Completes when the app has received every request that had arrived before. */
export const receivedRequests: Effect.Effect<void> = Effect.async<void>((resume) => {
  let looks = 0
  const look = (): void => {
    looks += 1
    if (looks > LOOKS_AT_SOCKETS) resume(Effect.void)
    else setImmediate(look)
  }
  look()
})
