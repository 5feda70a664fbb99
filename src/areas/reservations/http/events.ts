/** The events of the Reservations API, for its document. Source: reservations contract, events. */

import { Schema } from "effect"
import { EXCEPTION_CODES, MILESTONES } from "../../../model/handoff.ts"
import { WEBHOOK_BACKOFF_MS } from "../../../model/values/limits.ts"
import { RESERVATION_STATUSES } from "../../../model/reservation.ts"
import type { ReservationEventType } from "../../../model/webhook.ts"
import type { WebhookHeader, WebhookRules } from "../../../http/webhook-document.ts"
import { Reservation } from "./schemas.ts"

/** UTC with six fractional digits. */
export const DateTimeMicros = Schema.String.annotations({
  jsonSchema: {
    type: "string",
    format: "date-time",
    pattern: String.raw`^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{6}Z$`,
  },
})

const EVENT_ID = { type: "string", pattern: "^evt_[0-9A-Z]{26}$" }

function envelope<Fields extends Schema.Struct.Fields>(type: ReservationEventType, extras: Fields) {
  return Schema.Struct({
    event_id: Schema.String.annotations({
      jsonSchema: { ...EVENT_ID, description: "The same at every endpoint that hears of the event." },
    }),
    event_type: Schema.Literal(type),
    occurred_at: DateTimeMicros,
    data: Schema.Struct({ reservation: Reservation, ...extras }),
  })
}

export const RESERVATION_SIGNATURE: WebhookHeader = {
  name: "X-Service-Signature",
  description:
    "`t` is the time of this attempt in Unix seconds, `v1` the signature. Made anew for every attempt.",
  schema: { type: "string", pattern: String.raw`^t=\d+,v1=[0-9a-f]{64}$` },
}

export const reservationEvents: WebhookRules = {
  events: [
    {
      type: "reservation.status_changed",
      operationId: "reservationStatusChanged",
      summary: "The reservation has another status; `previous_status` is null when it was made",
      body: envelope("reservation.status_changed", {
        previous_status: Schema.NullOr(Schema.Literal(...RESERVATION_STATUSES)),
      }),
    },
    {
      type: "reservation.handoff_updated",
      operationId: "reservationHandoffUpdated",
      summary: "The runner's task has reached a milestone",
      body: envelope("reservation.handoff_updated", { milestone: Schema.Literal(...MILESTONES) }),
    },
    {
      type: "reservation.exception",
      operationId: "reservationException",
      summary: "The handoff has met a problem",
      body: envelope("reservation.exception", {
        reason_code: Schema.Literal(...EXCEPTION_CODES),
        message: Schema.String.annotations({ description: "For people." }),
        occurred_at: DateTimeMicros.annotations({
          description: "When the problem began; it may be earlier than the event.",
        }),
      }),
    },
  ],
  signature: RESERVATION_SIGNATURE,
  verification:
    "To verify: take `t` and `v1` from `X-Service-Signature`; compute HMAC-SHA256 over the bytes of `t`, a full stop and the " +
    "raw body (`<t>.<body>`), with the whole secret, `whsec_` included, as UTF-8 bytes for the key; write it as lower-case " +
    "hex and compare it with `v1` in constant time. Use the body as it came, before JSON is parsed. Refuse a `t` that is " +
    "more than five minutes from your clock.",
  eventHeaders: (type) => [
    { name: "X-Service-Event-Id", description: "`event_id` of the body.", schema: EVENT_ID },
    { name: "X-Service-Event-Type", description: "`event_type` of the body.", schema: { const: type } },
  ],
  backoffMs: WEBHOOK_BACKOFF_MS,
  notes:
    "`data.reservation` is the reservation as it stood when the event occurred. Order events of a reservation by " +
    "`occurred_at`, then `event_id`, and ignore what is older than the last one applied.",
}
