/** The request log API as a Fastify plugin: its endpoints and its document. Both hosts have it. */

import type { FastifyInstance } from "fastify"
import type { Environment } from "../../model/caller.ts"
import type { Admission } from "../../http/access/admission.ts"
import type { CallLog } from "../../http/access/call-log.ts"
import type { Run } from "../../http/bridge.ts"
import { addKeyedApi } from "../../http/keyed-api.ts"
import { requests } from "./requests.ts"

/** All services that this API needs. */
export type RequestLogSurface = Admission | CallLog

export interface RequestLogOptions {
  readonly run: Run<RequestLogSurface>
  readonly environment: Environment
  /** Public URL for the document; default: relative to the document. */
  readonly baseUrl?: string
}

/** Requires the hooks of `src/http/gate.ts` on the instance. */
export async function requestLogPlugin(app: FastifyInstance, options: RequestLogOptions): Promise<void> {
  addKeyedApi(app, { ...options, name: "logs", title: "Request log API", endpoints: requests })
}
