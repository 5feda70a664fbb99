/** `GET /avrh/v1/analytics/metrics` and `/occupancy-trends`: how long and when vehicles stand at a site. */

import { Effect, Schema } from "effect"
import { MetricsRequest, TrendsRequest } from "../../../model/requests/analytics.ts"
import { GRANULARITIES } from "../../../model/values/local-calendar.ts"
import { Analytics } from "../analytics.ts"
import { decodeQuery } from "../../../http/endpoint.ts"
import { DateTime, LoggedNumber, LoggedText } from "../../../http/records/date-time.ts"
import type { Endpoint, Parameter } from "../../../http/endpoint.ts"

const Count = LoggedNumber.annotations({ jsonSchema: { type: "integer", minimum: 0 } })
const Percentage = LoggedNumber.annotations({
  jsonSchema: { type: "number", minimum: 0, maximum: 100, description: "One decimal." },
})

/** Compared with the preceding span of the same length. */
const change = {
  change_percentage: LoggedNumber.annotations({ jsonSchema: { type: "number", minimum: 0 } }),
  change_type: Schema.Literal("increase", "decrease"),
}

export const Metrics = Schema.Struct({
  autolane_sessions: Schema.Struct({ total: Count, ...change }),
  average_occupancy: Schema.Struct({ percentage: Percentage, ...change }),
  average_dwell_time: Schema.Struct({ minutes: Count, seconds: Count, total_seconds: Count, ...change }),
}).annotations({
  identifier: "Metrics",
  description: "Each with its change against the equally long span just before.",
})

const TrendPoint = Schema.Struct({
  bucket_start: DateTime,
  bucket_end: DateTime,
  occupancy_percentage: Percentage,
  session_count: Count,
}).annotations({
  identifier: "TrendPoint",
  description:
    "A whole hour, day or week at the site; what of it lies in the span and before now is counted.",
})

export const Trends = Schema.Struct({
  granularity: Schema.Literal(...GRANULARITIES),
  timezone: LoggedText,
  start: DateTime,
  end: DateTime,
  points: Schema.Array(TrendPoint),
}).annotations({ identifier: "Trends" })

export const spanParameters: readonly Parameter[] = [
  {
    in: "query",
    name: "siteId",
    description: "The site's UUID.",
    schema: MetricsRequest.fields.siteId,
    isRequired: true,
  },
  {
    in: "query",
    name: "period",
    description: "Since midnight at the site, the last 7 or the last 30 days; `today` by default.",
    schema: MetricsRequest.fields.period.from,
  },
  {
    in: "query",
    name: "startDate",
    description: "With `endDate`, instead of a period: a time with Z or an offset, or a date at the site.",
    schema: MetricsRequest.fields.startDate.from,
  },
  {
    in: "query",
    name: "endDate",
    description: "The first instant after the span; at most 366 days after `startDate`.",
    schema: MetricsRequest.fields.endDate.from,
  },
]

export const granularity: Parameter = {
  in: "query",
  name: "granularity",
  description: "`hour` for at most 31 days; without it, `hour` up to 48 hours and `day` above.",
  schema: TrendsRequest.fields.granularity.from,
}

const metrics: Endpoint<Analytics> = {
  method: "GET",
  path: "/avrh/v1/analytics/metrics",
  operationId: "readMetrics",
  summary: "Sessions, occupancy and dwell time of a site, with their changes",
  permissions: ["analytics:read"],
  budget: "analytics",
  parameters: spanParameters,
  body: null,
  answers: { 200: Metrics },
  errors: ["VALIDATION_ERROR", "SITE_NOT_FOUND"],
  handle: ({ caller, query }) =>
    Effect.gen(function* () {
      const request = yield* decodeQuery(MetricsRequest, query, spanParameters)
      const service = yield* Analytics
      return { status: 200, data: yield* service.metrics(caller, request) }
    }),
}

const trends: Endpoint<Analytics> = {
  method: "GET",
  path: "/avrh/v1/analytics/occupancy-trends",
  operationId: "readOccupancyTrends",
  summary: "Occupancy of a site by the hour, day or week",
  permissions: ["analytics:read"],
  budget: "analytics",
  parameters: [...spanParameters, granularity],
  body: null,
  answers: { 200: Trends },
  errors: ["VALIDATION_ERROR", "SITE_NOT_FOUND"],
  handle: ({ caller, query }) =>
    Effect.gen(function* () {
      const request = yield* decodeQuery(TrendsRequest, query, [...spanParameters, granularity])
      const service = yield* Analytics
      return { status: 200, data: yield* service.trends(caller, request) }
    }),
}

export const analytics = [metrics, trends]
