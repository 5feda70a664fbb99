/** The number of threads on the command line. */

import { availableParallelism } from "node:os"
import { FLEET_WORKERS_MAX } from "../../model/values/limits.ts"
import { UsageError } from "./usage-error.ts"

/** A whole number, or `all` for all processors. */
export function threadsOf(flag: string, written: string): number {
  if (written === "all") return Math.min(availableParallelism(), FLEET_WORKERS_MAX)
  const threads = Number(written)
  if (Number.isInteger(threads) && threads >= 1 && threads <= FLEET_WORKERS_MAX) return threads
  throw new UsageError(`${flag} takes a whole number from 1 to ${FLEET_WORKERS_MAX}, or all`)
}
