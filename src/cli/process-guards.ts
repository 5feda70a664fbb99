/**
 * The last line of defence of a served process: what no promise and no listener has caught is always logged. A connection that
 * broke under a driver costs no more than itself. Anything else is a mistake of the program: its state is unknown, so the process
 * ends, and a supervisor starts it anew.
 */

import type { ServiceLog } from "../live/service-log.ts"
import { isBrokenConnection } from "../store/outages.ts"
import { EXIT } from "./exit-codes.ts"

/** Stands until the function that it gives is called. `flush` writes what the log still holds. */
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
