/** Events that were sent, and timelines, as answers of several resources. */

import { Schema } from "effect"
import { EVENT_TYPES, PICKUP_EVENT_TYPES, SENDING_STATES, TEST_EVENT_TYPE } from "../../../model/webhook.ts"
import type { Attempt } from "../../../areas/webhooks/attempts.ts"
import type { PortalEvent } from "../portal-events.ts"
import { DateTime } from "../../../http/records/date-time.ts"
import { recordsOf } from "../../../http/records/records.ts"

const Count = Schema.Number.annotations({ jsonSchema: { type: "integer", minimum: 0 } })
const DateTimeOrNull = Schema.NullOr(DateTime)
const TextOrNull = Schema.NullOr(Schema.String)

const AttemptShown = Schema.Struct({
  attempt: Count,
  sent_at: DateTime,
  ms: Schema.NullOr(Count).annotations({
    description: "From the decision to send to the record of the result; null while it is in flight.",
  }),
  status: Schema.NullOr(Count).annotations({ description: "HTTP status of the answer, if there was one." }),
  error: TextOrNull.annotations({ description: "Why it failed, as a word: `timeout`, `status_503`." }),
}).annotations({ identifier: "WebhookAttempt" })

export const EventShown = Schema.Struct({
  sending_id: Schema.String.annotations({ description: "Id of this line; a redelivery has its own." }),
  delivery_id: Schema.String.annotations({ description: "As sent in `X-Service-Delivery-Id`." }),
  event_id: Schema.String,
  event: Schema.Literal(...EVENT_TYPES, ...PICKUP_EVENT_TYPES, TEST_EVENT_TYPE),
  status: TextOrNull.annotations({
    description: "The status that it names, or the exception or milestone of a reservation.",
  }),
  subject_id: Schema.String.annotations({ description: "The delivery, reservation or endpoint." }),
  external_delivery_id: TextOrNull,
  webhook_id: Schema.String,
  url: TextOrNull.annotations({ description: "Null when the endpoint was deleted." }),
  is_redelivery: Schema.Boolean,
  outcome: Schema.NullOr(Schema.Literal(...SENDING_STATES)),
  attempts: Schema.Array(AttemptShown),
  attempts_max: Count,
  next_attempt_at: DateTimeOrNull,
  created_at: DateTime,
}).annotations({
  identifier: "SentEvent",
  description: "One event on its way to one endpoint, with every attempt.",
})

export const EventsAnswer = Schema.Struct({ events: Schema.Array(EventShown) })

export const LineShown = Schema.Struct({
  revision: Count,
  at: DateTime,
  actor: Schema.String,
  event: Schema.String,
  label: Schema.String.annotations({ description: "The event in words." }),
  by: Schema.Literal("command", "message", "result", "timer"),
  before: TextOrNull.annotations({ description: "State in words; null before the start." }),
  after: Schema.String,
  refused: TextOrNull.annotations({ description: "The code with which it was refused." }),
}).annotations({ identifier: "TimelineLine" })

export const TimelineAnswer = Schema.Struct({ timeline: Schema.Array(LineShown) })

const written = recordsOf(EventShown)

export function eventRecord({ eventType, state, attempts, ...event }: PortalEvent) {
  return written({ ...event, event: eventType, outcome: state, attempts: attempts.map(timed) })
}

function timed({ sentAtMs, endedAtMs, ...attempt }: Attempt) {
  return { ...attempt, sentAtMs, ms: endedAtMs === null ? null : endedAtMs - sentAtMs }
}

export const timelineRecord = recordsOf(LineShown)
