/** The analytics API as a Fastify plugin: its endpoints and its document. */

import type { FastifyInstance } from "fastify"
import type { Environment } from "../../../model/caller.ts"
import type { Admission } from "../../../http/access/admission.ts"
import type { Analytics } from "../analytics.ts"
import type { Run } from "../../../http/bridge.ts"
import { ANALYTICS_ERROR } from "../../../http/errors.ts"
import { addKeyedApi } from "../../../http/keyed-api.ts"
import { analytics } from "./analytics.ts"

/** All services that this API needs. */
export type AnalyticsSurface = Admission | Analytics

export interface AnalyticsOptions {
  readonly run: Run<AnalyticsSurface>
  readonly environment: Environment
  /** Public URL for the document; default: relative to the document. */
  readonly baseUrl?: string
}

/** Requires the hooks of `src/http/gate.ts` on the instance. */
export async function analyticsPlugin(app: FastifyInstance, options: AnalyticsOptions): Promise<void> {
  addKeyedApi(app, {
    ...options,
    name: "analytics",
    title: "Analytics API",
    endpoints: analytics,
    done: { status: "success" },
    envelope: {
      done: { status: { const: "success" } },
      failed: { status: { const: ANALYTICS_ERROR.status }, success: { const: false } },
    },
  })
}
