/** `/portal/api/analytics`: figures of a site, as `/avrh/v1` gives them. */

import { Effect } from "effect"
import { MetricsRequest, TrendsRequest } from "../../../model/requests/analytics.ts"
import { Analytics } from "../../../areas/analytics/analytics.ts"
import { Metrics, Trends, granularity, spanParameters } from "../../../areas/analytics/http/analytics.ts"
import { decodeQuery } from "../../../http/endpoint.ts"
import { ENVIRONMENT_PARAMETER, partnerIn } from "./endpoint.ts"
import type { MemberEndpoint } from "./endpoint.ts"

const offered = {
  method: "GET",
  asks: "member",
  body: null,
  errors: ["VALIDATION_ERROR", "SITE_NOT_FOUND"],
} as const

const metrics: MemberEndpoint<Analytics> = {
  ...offered,
  path: "/portal/api/analytics/metrics",
  operationId: "readMetrics",
  summary: "Sessions, occupancy and dwell time of a site, with their changes",
  parameters: [ENVIRONMENT_PARAMETER, ...spanParameters],
  answers: { 200: Metrics },
  handle: (ask) =>
    Effect.gen(function* () {
      const caller = yield* partnerIn(ask)
      const request = yield* decodeQuery(MetricsRequest, ask.query, spanParameters)
      return { status: 200, data: yield* (yield* Analytics).metrics(caller, request) }
    }),
}

const trends: MemberEndpoint<Analytics> = {
  ...offered,
  path: "/portal/api/analytics/occupancy-trends",
  operationId: "readOccupancyTrends",
  summary: "Occupancy of a site by the hour, day or week",
  parameters: [ENVIRONMENT_PARAMETER, ...spanParameters, granularity],
  answers: { 200: Trends },
  handle: (ask) =>
    Effect.gen(function* () {
      const caller = yield* partnerIn(ask)
      const request = yield* decodeQuery(TrendsRequest, ask.query, [...spanParameters, granularity])
      return { status: 200, data: yield* (yield* Analytics).trends(caller, request) }
    }),
}

export const portalAnalytics = [metrics, trends]
