/** The sandbox's own API as a Fastify plugin: its endpoints and its document. Only the sandbox host has it. */

import type { FastifyInstance } from "fastify"
import type { ErrorCode } from "../../../model/errors.ts"
import type { Admission } from "../../access/admission.ts"
import type { Run } from "../../../http/bridge.ts"
import { addEndpoint } from "../../../http/keyed-endpoint.ts"
import { documentOf } from "../../../http/openapi.ts"
import type { SandboxClock } from "../sandbox-clock.ts"
import { clock } from "./clock.ts"

/** All services that this API needs. */
export type SandboxSurface = Admission | SandboxClock

export interface SandboxOptions {
  readonly run: Run<SandboxSurface>
  /** Public URL for the document; default: relative to the document. */
  readonly baseUrl?: string
}

/** Errors of every endpoint. */
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

/** Requires the hooks of `src/http/gate.ts` on the instance, and bodies as bytes. */
export async function sandboxPlugin(app: FastifyInstance, options: SandboxOptions): Promise<void> {
  const { run, baseUrl } = options
  const surface = {
    run,
    environment: "sandbox",
    isForFleetPartners: false,
    done: { success: true },
  } as const
  for (const endpoint of clock) addEndpoint(app, endpoint, surface)
  const document = documentOf({
    title: "Sandbox API",
    endpoints: clock,
    baseUrl,
    bearer: "key",
    errors: ERRORS,
    headers: ["X-Request-Id", "RateLimit-Limit", "RateLimit-Remaining", "RateLimit-Reset"],
    describe: () => "Needs `sandbox:manage`.",
  })
  app.get("/openapi/sandbox.json", async () => document)
}
