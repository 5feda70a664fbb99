/** Polls a run at the service until it has ended, such as a long move of the clock. */

import { ApiFault } from "./faults.ts"

/** ms between two polls; the pause doubles with each failure in a row. */
const POLL_MS = 500
const POLL_MS_MAX = 4_000
/** Failed polls in a row after which the page gives up: half a minute. */
const FAILURES_MAX = 10

interface Followed<Run> {
  readonly started: Run
  readonly isRunning: (run: Run) => boolean
  /** Reads the run again. */
  readonly poll: (run: Run) => Promise<Run>
  /** Called after each successful poll, with the last one included. */
  readonly onPoll?: (run: Run) => Promise<void>
}

/**
 * Returns the ended run. Fails when the service refuses a poll, or does not answer for half a minute; the run itself goes on at the
 * service.
 */
export async function endOf<Run>({ started, isRunning, poll, onPoll }: Followed<Run>): Promise<Run> {
  let known = started
  let failures = 0
  while (isRunning(known)) {
    const pauseMs = Math.min(POLL_MS * 2 ** failures, POLL_MS_MAX)
    await new Promise((resolve) => void setTimeout(resolve, pauseMs))
    try {
      known = await poll(known)
      failures = 0
    } catch (cause) {
      failures += 1
      if (failures === FAILURES_MAX || !mayPass(cause)) throw cause
      continue
    }
    if (isRunning(known)) await onPoll?.(known)
  }
  await onPoll?.(known)
  return known
}

/** True for no answer, a rate limit, and faults of the service: a later poll may succeed. */
function mayPass(cause: unknown): boolean {
  return cause instanceof ApiFault && (cause.status === 0 || cause.status === 429 || cause.status >= 500)
}
