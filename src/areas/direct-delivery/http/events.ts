/** The events of the Direct Delivery API, for its document. Source: direct delivery contract, events. */

import { Schema } from "effect"
import { DELIVERY_STATUSES } from "../../../model/delivery.ts"
import { ENDPOINT_FAILURES_MAX, PICKUP_WEBHOOK_BACKOFF_MS } from "../../../model/values/limits.ts"
import { TEST_EVENT_TYPE } from "../../../model/webhook.ts"
import type { EventType } from "../../../model/webhook.ts"
import type { WebhookRules } from "../../../http/webhook-document.ts"
import { DateTime } from "../../../http/records/date-time.ts"

const VehicleLocation = Schema.Struct({
  latitude: Schema.Number.pipe(Schema.between(-90, 90)),
  longitude: Schema.Number.pipe(Schema.between(-180, 180)),
  recorded_at: DateTime,
}).annotations({ identifier: "VehicleLocation", description: "Where a vehicle was, in degrees (WGS 84)." })

const order = { retailer_id: Schema.String, external_delivery_id: Schema.String }

function envelope<Fields extends Schema.Struct.Fields>(type: EventType, data: Fields) {
  return Schema.Struct({ event: Schema.Literal(type), timestamp: DateTime, data: Schema.Struct(data) })
}

export const deliveryEvents: WebhookRules = {
  events: [
    {
      type: "pickup_status.changed",
      operationId: "pickupStatusChanged",
      summary: "The delivery has another status; `previous_status` is null when it was made",
      body: envelope("pickup_status.changed", {
        ...order,
        status: Schema.Literal(...DELIVERY_STATUSES),
        previous_status: Schema.NullOr(Schema.Literal(...DELIVERY_STATUSES)),
        vehicle_location: Schema.NullOr(VehicleLocation),
      }),
    },
    {
      type: "pickup.vehicle_location.changed",
      operationId: "pickupVehicleLocationChanged",
      summary: "The delivery's vehicle has another position",
      body: envelope("pickup.vehicle_location.changed", { ...order, vehicle_location: VehicleLocation }),
    },
    {
      type: TEST_EVENT_TYPE,
      operationId: "webhookTest",
      summary:
        "A test that was requested with `POST /dd/v1/webhooks/{id}/test`; endpoints cannot subscribe to it",
      body: envelope(TEST_EVENT_TYPE, { webhook_id: Schema.String }),
    },
  ],
  signature: {
    name: "X-Service-Signature",
    description: "HMAC-SHA256 of the raw body in lower-case hex, without a prefix.",
    schema: { type: "string", pattern: "^[0-9a-f]{64}$" },
  },
  verification:
    "To verify: compute HMAC-SHA256 over the raw body, with the whole secret, `whsec_` included, as UTF-8 bytes for the key; " +
    "write it as lower-case hex and compare it with `X-Service-Signature` in constant time. Use the body as it came, " +
    "before JSON is parsed.",
  eventHeaders: (type) => [
    { name: "X-Service-Event", description: "`event` of the body.", schema: { const: type } },
  ],
  backoffMs: PICKUP_WEBHOOK_BACKOFF_MS,
  notes:
    `After ${ENDPOINT_FAILURES_MAX} failed attempts in a row the endpoint is switched off, what waits for it is dropped, and its owner ` +
    "gets an e-mail. An attempt that succeeds sets the count to 0; so does switching the endpoint on again.",
}
