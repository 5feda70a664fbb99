/**
 * When attempts were made, as a run in memory has it. The sandbox's clock stands while the service waits for an answer; in memory that
 * time passes, so each next attempt of the same message comes later by it.
 */

import { OPEN_LINK_TIMEOUT_MS, WEBHOOK_TIMEOUT_MS } from "../../model/values/limits.ts"
import { openedBy } from "../../simulation/outside-world.ts"
import type { ReceivedAtInstant } from "./receiver.ts"

/** The requests of one receiver, in order of arrival. */
export function withAwaitedAnswers(requests: readonly ReceivedAtInstant[]): readonly ReceivedAtInstant[] {
  const awaitedMsById = new Map<string, number>()
  return requests.map((request) => {
    const id = messageOf(request)
    const awaitedMs = awaitedMsById.get(id) ?? 0
    awaitedMsById.set(id, awaitedMs + answerMs(request))
    return { ...request, instantMs: request.instantMs + awaitedMs }
  })
}

/** The same for every attempt. */
function messageOf({ headers }: ReceivedAtInstant): string {
  return (
    headers["X-Service-Attempt-Id"] ?? headers["X-Service-Event-Id"] ?? headers["X-Service-Delivery-Id"] ?? ""
  )
}

/** How long the service waits for the answer at most, on the clock of a run in memory. */
function answerMs(request: ReceivedAtInstant): number {
  const { answer } = request
  const limitMs = openedBy(request) === null ? WEBHOOK_TIMEOUT_MS : OPEN_LINK_TIMEOUT_MS
  switch (answer.type) {
    case "refused":
      return 0
    case "timeout":
      return limitMs
    case "status":
      return Math.min(answer.afterMs, limitMs)
  }
}
