/** `/portal/api/analytics`: figures of a site, as `/avrh/v1` gives them, and those of its deliveries. */

import { Schema } from "effect"
import { MetricsRequest, TrendsRequest } from "../../../model/requests/analytics.ts"
import { Analytics } from "../../../areas/analytics/analytics.ts"
import { Metrics, Trends, granularity, spanParameters } from "../../../areas/analytics/http/analytics.ts"
import { DateTime } from "../../../http/records/date-time.ts"
import { decodeQuery } from "../../../http/endpoint.ts"
import { PortalDeliveries } from "../deliveries.ts"
import { ENVIRONMENT_PARAMETER, partnerIn } from "./endpoint.ts"
import { memberEndpoint } from "./endpoint.ts"

const offered = {
  method: "GET",
  asks: "member",
  body: null,
  errors: ["VALIDATION_ERROR", "SITE_NOT_FOUND"],
} as const

const Count = Schema.Number.annotations({ jsonSchema: { type: "integer", minimum: 0 } })

const ComparedMetrics = Schema.Struct({
  ...Metrics.fields,
  before: Schema.Struct({
    visits: Count,
    occupancy_percentage: Schema.Number,
    total_seconds: Count,
  }).annotations({ description: "The figures of the equally long span just before." }),
}).annotations({ identifier: "ComparedMetrics" })

const completions = {
  completed: Count,
  kept: Count.annotations({ description: "Completed by the delivery time of their quotes." }),
  fee_cents: Count,
}

const DeliveryFigures = Schema.Struct({
  granularity: Trends.fields.granularity,
  timezone: Schema.String,
  start: DateTime,
  end: DateTime,
  ...completions,
  before: Schema.Struct(completions).annotations({
    description: "Of the equally long span just before.",
  }),
  points: Schema.Array(Schema.Struct({ bucket_start: DateTime, bucket_end: DateTime, ...completions })),
}).annotations({ identifier: "DeliveryFigures" })

const metrics = memberEndpoint({
  ...offered,
  path: "/portal/api/analytics/metrics",
  operationId: "readMetrics",
  summary: "Sessions, occupancy and dwell time of a site, with their changes",
  parameters: [ENVIRONMENT_PARAMETER, ...spanParameters],
  answers: { 200: ComparedMetrics },
  *handle(ask) {
    const caller = yield* partnerIn(ask)
    const request = yield* decodeQuery(MetricsRequest, ask.query, spanParameters)
    const found = yield* (yield* Analytics).compared(caller, request)
    return { ...found.metrics, before: found.before }
  },
})

const trends = memberEndpoint({
  ...offered,
  path: "/portal/api/analytics/occupancy-trends",
  operationId: "readOccupancyTrends",
  summary: "Occupancy of a site by the hour, day or week",
  parameters: [ENVIRONMENT_PARAMETER, ...spanParameters, granularity],
  answers: { 200: Trends },
  *handle(ask) {
    const caller = yield* partnerIn(ask)
    const request = yield* decodeQuery(TrendsRequest, ask.query, [...spanParameters, granularity])
    return yield* (yield* Analytics).trends(caller, request)
  },
})

const deliveries = memberEndpoint({
  ...offered,
  path: "/portal/api/analytics/deliveries",
  operationId: "readDeliveryFigures",
  summary: "Completed deliveries of a site: how many, how many by their promised time, and their fees",
  parameters: [ENVIRONMENT_PARAMETER, ...spanParameters, granularity],
  answers: { 200: DeliveryFigures },
  *handle(ask) {
    const caller = yield* partnerIn(ask)
    const request = yield* decodeQuery(TrendsRequest, ask.query, [...spanParameters, granularity])
    return yield* (yield* PortalDeliveries).figures(caller, request)
  },
})

export const portalAnalytics = [metrics, trends, deliveries]
