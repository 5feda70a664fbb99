/**
 * Requests that wait in the sockets while the process is busy: the embedded database works in the process itself, and
 * nothing is read from the network meanwhile.
 */

import { Effect } from "effect"

/** One to end the look at the sockets under way, one to take new connections, one to read what came over them. */
const LOOKS_AT_SOCKETS = 3

/** Ends when every request that had arrived before has been handed to the app. */
export const receivedRequests: Effect.Effect<void> = Effect.async<void>((resume) => {
  let looks = 0
  const look = (): void => {
    looks += 1
    if (looks > LOOKS_AT_SOCKETS) resume(Effect.void)
    else setImmediate(look)
  }
  look()
})
