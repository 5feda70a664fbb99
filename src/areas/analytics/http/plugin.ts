/** The analytics API as a Fastify plugin: its endpoints and its document. */

import type { FastifyInstance } from "fastify"
import type { Environment } from "../../../model/caller.ts"
import type { ErrorCode } from "../../../model/errors.ts"
import type { Admission } from "../../access/admission.ts"
import type { Analytics } from "../analytics.ts"
import type { Run } from "../../../http/bridge.ts"
import { ANALYTICS_ERROR } from "../../../http/errors.ts"
import { addEndpoint } from "../../../http/keyed-endpoint.ts"
import { documentOf } from "../../../http/openapi.ts"
import { analytics } from "./analytics.ts"

/** All services that this API needs. */
export type AnalyticsSurface = Admission | Analytics

export interface AnalyticsOptions {
  readonly run: Run<AnalyticsSurface>
  readonly environment: Environment
  /** Public URL for the document; default: relative to the document. */
  readonly baseUrl?: string
}

/** Errors of every endpoint. Enrolment as a fleet partner is not required here. */
const ERRORS: readonly ErrorCode[] = [
  "INVALID_API_KEY",
  "WRONG_ENV_KEY",
  "ORG_INACTIVE",
  "PERMISSION_DENIED",
  "RATE_LIMITED",
  "OVERLOADED",
  "INTERNAL_ERROR",
  "UNAVAILABLE",
]

/** Requires the hooks of `src/http/gate.ts` on the instance. */
export async function analyticsPlugin(app: FastifyInstance, options: AnalyticsOptions): Promise<void> {
  const { run, environment, baseUrl } = options
  const surface = { run, environment, isForFleetPartners: false, done: { status: "success" } }
  for (const endpoint of analytics) addEndpoint(app, endpoint, surface)
  const document = documentOf({
    title: "Analytics API",
    endpoints: analytics,
    baseUrl,
    bearer: "key",
    errors: ERRORS,
    headers: ["X-Request-Id", "RateLimit-Limit", "RateLimit-Remaining", "RateLimit-Reset"],
    describe: () => "Needs `analytics:read`.",
    envelope: {
      done: { status: { const: "success" } },
      failed: { status: { const: ANALYTICS_ERROR.status }, success: { const: false } },
    },
  })
  app.get("/openapi/analytics.json", async () => document)
}
