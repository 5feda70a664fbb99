/**
 * Last safeguard of a served process: errors that no promise and no listener has caught are always logged. A connection
 * that broke inside a driver affects only itself. Any other error is a bug that leaves an unknown state, so the process
 * ends and a supervisor restarts it.
 */

import type { ServiceLog } from "../../live/observation/service-log.ts"
import { isBrokenConnection } from "../../engine/store/outages.ts"
import { EXIT } from "./exit-codes.ts"

/** Active until the returned function is called. `flush` writes the buffered log lines. */
export function guardProcess(log: ServiceLog, flush: () => void): () => void {
  const onUncaught = (cause: unknown): void => {
    if (isBrokenConnection(cause)) {
      log.error({ err: cause }, "a connection broke outside any request; the service goes on")
      return
    }
    log.fatal({ err: cause }, "the program met an error that nothing caught: ending")
    flush()
    process.exit(EXIT.failed)
  }
  const events = ["uncaughtException", "unhandledRejection"] as const
  for (const event of events) process.on(event, onUncaught)
  return () => {
    for (const event of events) process.off(event, onUncaught)
  }
}
