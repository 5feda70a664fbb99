/** `/internal/v1/deliveries/{id}` and what happened to it. */

import { Schema } from "effect"
import { DELIVERY_MOVES, DELIVERY_WAITS_FOR } from "../../../model/requests/board.ts"
import { Delivery } from "../../../areas/direct-delivery/http/schemas.ts"
import { isForRetailer } from "../../../areas/direct-delivery/rows.ts"
import { DateTime } from "../../../http/records/date-time.ts"
import { recordsOf } from "../../../http/records/records.ts"
import { operatorEndpoint } from "../../../http/operator-endpoint.ts"
import type { OperatorEndpoint } from "../../../http/operator-endpoint.ts"
import { DeliveryCase } from "../delivery-case.ts"
import type { OperatedDelivery as OperatedRecord } from "../delivery-case.ts"
import { CLOCK_FIELDS, clockFields } from "./clock.ts"
import { NextTimerShown, TimelineShown, timelineData } from "./timeline.ts"

const OperatedDelivery = Schema.Struct({
  delivery_id: Schema.String,
  site_id: Schema.String,
  organization_id: Schema.String,
  vehicle_id: Schema.String,
  vehicle_label: Schema.NullOr(Schema.String),
  is_errand: Schema.Boolean.annotations({ description: "True for the run of a courier errand." }),
  waits_for: Schema.NullOr(Schema.Literal(...DELIVERY_WAITS_FOR)).annotations({
    description: "Who or what moves it on; null after the end.",
  }),
  since: DateTime.annotations({ description: "When it reached its status." }),
  at: DateTime.annotations({ description: "The service's clock." }),
  ...CLOCK_FIELDS,
  next_timer: NextTimerShown,
  moves: Schema.Array(Schema.Literal(...DELIVERY_MOVES)).annotations({
    description: "What its machines take now; each is the last segment of the path of its command.",
  }),
  reportable_statuses: Schema.Array(Schema.String).annotations({
    description:
      "The later statuses that people at the site may report; empty at a site without supervisors.",
  }),
  ...Delivery.pick(
    "external_delivery_id",
    "status",
    "pickup_eta",
    "delivery_eta",
    "estimated_pickup_at",
    "estimated_delivery_at",
    "ready_by",
    "cancelled_at",
    "completed_at",
    "created_at",
    "updated_at",
  ).fields,
}).annotations({
  identifier: "OperatedDelivery",
  description: "A delivery and who carries it, without anything personal.",
})

const read = operatorEndpoint({
  method: "GET",
  path: "/internal/v1/deliveries/{id}",
  operationId: "readDelivery",
  summary: "A delivery with its live estimates: who carries it, what it waits for, and what can be done",
  answers: { 200: Schema.Struct({ delivery: OperatedDelivery }) },
  errors: ["DELIVERY_NOT_FOUND"],
  *handle({ caller, id }) {
    const found = yield* (yield* DeliveryCase).read(caller, id)
    return { delivery: operatedDelivery(found) }
  },
})

const written = recordsOf(OperatedDelivery)

function operatedDelivery({ record, row, clock, sinceMs, realMs, ...found }: OperatedRecord) {
  const { deliveryId, siteId, organizationId, vehicleId } = row
  return written({
    ...record,
    ...found,
    ...clockFields(clock),
    deliveryId,
    siteId,
    organizationId,
    vehicleId,
    isErrand: !isForRetailer(row),
    sinceMs,
    atMs: realMs,
  })
}

const timeline = operatorEndpoint({
  method: "GET",
  path: "/internal/v1/deliveries/{id}/timeline",
  operationId: "readDeliveryTimeline",
  summary:
    "What happened to a delivery and its compartment, in order of time: names of events and states, nothing personal",
  answers: { 200: TimelineShown },
  errors: ["DELIVERY_NOT_FOUND"],
  *handle({ caller, id }) {
    const lines = yield* (yield* DeliveryCase).timeline(caller, id)
    return timelineData(lines)
  },
})

export const deliveryCase: readonly OperatorEndpoint<DeliveryCase>[] = [read, timeline]
