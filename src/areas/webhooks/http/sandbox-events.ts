/** `/sandbox/v1/events`: the events of the organization, with the bytes that endpoints get. */

import { Effect, Schema } from "effect"
import { FollowEventsRequest } from "../../../model/requests/follow.ts"
import { FOLLOW_SECONDS_MAX } from "../../../model/values/limits.ts"
import { isoMs } from "../../../model/values/time.ts"
import { EVENT_TYPES, PICKUP_EVENT_TYPES } from "../../../model/webhook.ts"
import { DateTime } from "../../../http/records/date-time.ts"
import { decodeQuery } from "../../../http/endpoint.ts"
import type { Endpoint, Parameter } from "../../../http/endpoint.ts"
import { SandboxEvents } from "../sandbox-events.ts"
import type { SandboxEvent } from "../store.ts"

const { fields } = FollowEventsRequest

const parameters: readonly Parameter[] = [
  {
    in: "query",
    name: "cursor",
    description: "The last answer's `next_cursor`: what comes behind it.",
    schema: fields.cursor.from,
  },
  {
    in: "query",
    name: "start",
    description:
      "Without a cursor: from the oldest event that is kept, or behind the newest, which answers at once with the cursor. `oldest` if absent.",
    schema: fields.start.from,
  },
  { in: "query", name: "limit", description: "Events of a page; 50 if absent.", schema: fields.limit.from },
  {
    in: "query",
    name: "wait",
    description: `If there is no event yet, wait up to so many seconds for one: 0 to ${FOLLOW_SECONDS_MAX}; 0 if absent.`,
    schema: fields.wait.from,
  },
]

const Api = Schema.Literal("direct_delivery", "reservations")

const Event = Schema.Struct({
  event_id: Schema.String,
  type: Schema.Literal(...EVENT_TYPES, ...PICKUP_EVENT_TYPES),
  api: Api,
  subject_id: Schema.String.annotations({ description: "The id of its delivery or reservation." }),
  created_at: DateTime.annotations({ description: "In real time, also when the sandbox's clock was moved." }),
  body: Schema.String.annotations({ description: "The body of its webhook, to the byte, as a text." }),
}).annotations({ identifier: "SandboxEvent" })

const list: Endpoint<SandboxEvents> = {
  method: "GET",
  path: "/sandbox/v1/events",
  operationId: "listEvents",
  summary:
    "Events of the organization's deliveries and reservations in the last 7 days, oldest first, whether or not an endpoint gets them; " +
    "those of deliveries also need `deliveries:read`, those of reservations `reservations:read`, and are left out without it",
  permissions: ["events:read"],
  budget: "requests",
  parameters,
  body: null,
  answers: {
    200: Schema.Struct({
      apis: Schema.Array(Api).annotations({ description: "The APIs whose events the key may read." }),
      events: Schema.Array(Event),
      next_cursor: Schema.String.annotations({ description: "Never null, because more events will come." }),
      has_more: Schema.Boolean,
    }),
  },
  errors: ["VALIDATION_ERROR"],
  isUnlogged: true,
  // Without a cursor, `newest` asks for the cursor alone.
  waitsWith: ({ data }, query) =>
    (query["cursor"] !== undefined || query["start"] !== "newest") &&
    "events" in data &&
    Array.isArray(data.events) &&
    data.events.length === 0
      ? query
      : null,
  handle: ({ caller, query }) =>
    Effect.gen(function* () {
      const request = yield* decodeQuery(FollowEventsRequest, query, parameters)
      const { areas, events, nextCursor, hasMore } = yield* (yield* SandboxEvents).list(caller, request)
      return {
        status: 200,
        data: {
          apis: areas,
          events: events.map(eventRecord),
          next_cursor: nextCursor,
          has_more: hasMore,
        },
      }
    }),
}

function eventRecord({ eventId, eventType, area, subjectId, createdAtMs, body }: SandboxEvent): object {
  return {
    event_id: eventId,
    type: eventType,
    api: area,
    subject_id: subjectId,
    created_at: isoMs(createdAtMs),
    body,
  }
}

export const events = [list]
