/** What goes on at the service and is asked for until it has ended, such as a long move of the clock. */

import { ApiFault } from "./faults.ts"

/** ms between two looks at it */
const LOOK_MS = 500
const LOOK_MS_MAX = 4_000
/** Looks in a row without an answer until it is given up: half a minute. */
const FAILURES_MAX = 10

interface Followed<Run> {
  readonly started: Run
  readonly isRunning: (run: Run) => boolean
  readonly look: (run: Run) => Promise<Run>
  /** Told each look, and the end. */
  readonly tell?: (run: Run) => Promise<void>
}

/** Gives its end. Fails when it is refused, or when the service does not answer for half a minute: it goes on there all the same. */
export async function endOf<Run>({ started, isRunning, look, tell }: Followed<Run>): Promise<Run> {
  let known = started
  let failures = 0
  while (isRunning(known)) {
    const pauseMs = Math.min(LOOK_MS * 2 ** failures, LOOK_MS_MAX)
    await new Promise((resolve) => void setTimeout(resolve, pauseMs))
    try {
      known = await look(known)
      failures = 0
    } catch (cause) {
      failures += 1
      if (failures === FAILURES_MAX || !mayPass(cause)) throw cause
      continue
    }
    if (isRunning(known)) await tell?.(known)
  }
  await tell?.(known)
  return known
}

/** No answer, too many calls, and faults of the service. */
function mayPass(cause: unknown): boolean {
  return cause instanceof ApiFault && (cause.status === 0 || cause.status === 429 || cause.status >= 500)
}
