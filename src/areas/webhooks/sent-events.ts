/**
 * Events that were sent, with every attempt: rows of the log, joined with the journals of their deliveries. For people of the
 * organization that owns the endpoints; the caller has checked the owner.
 */

import type { EpochMs } from "../../model/values/time.ts"
import { GroupJournals } from "../../engine/services/group-journals.ts"
import { Routine } from "../../engine/services/routine.ts"
import { sendingOf } from "./attempts.ts"
import type { Attempt, Sending } from "./attempts.ts"
import { WebhookLogRows } from "./webhook-log.ts"
import type { LoggedEvent, LoggedEventQuery } from "./webhook-log.ts"

/** `state` is null when its journal is gone. */
export interface SentEvent extends LoggedEvent {
  readonly state: Sending["state"] | null
  readonly attempts: readonly Attempt[]
  readonly attemptsMax: number
  readonly nextAttemptAtMs: EpochMs | null
}

/** Newest first. Cost: two reads. */
export const sentEvents = Routine.fn(function* (query: LoggedEventQuery) {
  const rows = yield* WebhookLogRows
  return yield* withAttempts(yield* rows.events(query))
})

/** The events with their attempts, in the same order. */
export const withAttempts = Routine.fn(function* (found: readonly LoggedEvent[]) {
  const journals = yield* GroupJournals
  const turns = yield* journals.of(found.map(({ sendingId }) => `webhook-delivery/${sendingId}`))
  return found.map((event): SentEvent => {
    const sending = sendingOf(turns.get(`webhook-delivery/${event.sendingId}`) ?? [], event.sendingId)
    return { ...event, ...(sending ?? NOTHING) }
  })
})

const NOTHING = { state: null, attempts: [], attemptsMax: 0, nextAttemptAtMs: null } as const
