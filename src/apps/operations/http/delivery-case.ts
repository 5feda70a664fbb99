/** `/internal/v1/deliveries/{id}` and what happened to it. */

import { Schema } from "effect"
import { DELIVERY_MOVES, DELIVERY_WAITS_FOR } from "../../../model/requests/board.ts"
import { isoMs } from "../../../model/values/time.ts"
import { Delivery } from "../../../areas/direct-delivery/http/schemas.ts"
import { isForRetailer } from "../../../areas/direct-delivery/rows.ts"
import { DateTime } from "../../../http/date-time.ts"
import { operatorEndpoint } from "../../../http/operator-endpoint.ts"
import type { OperatorEndpoint } from "../../../http/operator-endpoint.ts"
import { DeliveryCase } from "../delivery-case.ts"
import type { OperatedDelivery as OperatedRecord } from "../delivery-case.ts"
import { CLOCK_FIELDS, clockData } from "./clock.ts"
import { NextTimerShown, TimelineShown, nextTimerData, timelineData } from "./timeline.ts"

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

function operatedDelivery(found: OperatedRecord) {
  const { record, row, vehicleLabel } = found
  return {
    delivery_id: row.deliveryId,
    site_id: row.siteId,
    organization_id: row.organizationId,
    vehicle_id: row.vehicleId,
    vehicle_label: vehicleLabel,
    is_errand: !isForRetailer(row),
    waits_for: found.waitsFor,
    since: isoMs(found.sinceMs),
    at: isoMs(found.realMs),
    ...clockData(found.clock),
    next_timer: nextTimerData(found.nextTimer),
    moves: found.moves,
    reportable_statuses: found.reportableStatuses,
    external_delivery_id: record.external_delivery_id,
    status: record.status,
    pickup_eta: record.pickup_eta,
    delivery_eta: record.delivery_eta,
    estimated_pickup_at: record.estimated_pickup_at,
    estimated_delivery_at: record.estimated_delivery_at,
    ready_by: record.ready_by,
    cancelled_at: record.cancelled_at,
    completed_at: record.completed_at,
    created_at: record.created_at,
    updated_at: record.updated_at,
  }
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
