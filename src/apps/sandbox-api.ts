/** The sandbox's own API as a Fastify plugin: its endpoints and its document. Only the sandbox host has it. */

import type { FastifyInstance } from "fastify"
import type { Admission } from "../http/access/admission.ts"
import type { Run } from "../http/bridge.ts"
import type { Endpoint } from "../http/endpoint.ts"
import { addKeyedApi } from "../http/keyed-api.ts"
import type { SandboxClock } from "../areas/clock/sandbox-clock.ts"
import { agents } from "../areas/agents/http/agents.ts"
import type { AgentsSurface } from "../areas/agents/http/agents.ts"
import { clock } from "../areas/clock/http/clock.ts"
import type { SandboxCourses } from "../areas/courses/courses.ts"
import { scenarios } from "../areas/courses/http/scenarios.ts"
import { timelines } from "./developers/http/timeline.ts"
import type { WhatHappened } from "./developers/what-happened.ts"
import { events } from "../areas/webhooks/http/sandbox-events.ts"
import type { SandboxEvents } from "../areas/webhooks/sandbox-events.ts"

/** All services that this API needs. */
export type SandboxSurface =
  Admission | AgentsSurface | SandboxClock | SandboxCourses | SandboxEvents | WhatHappened

export interface SandboxOptions {
  readonly run: Run<SandboxSurface>
  /** Public URL for the document; default: relative to the document. */
  readonly baseUrl?: string
}

/** Requires the hooks of `src/http/gate.ts` on the instance, and bodies as bytes. */
export async function sandboxPlugin(app: FastifyInstance, options: SandboxOptions): Promise<void> {
  const endpoints: readonly Endpoint<SandboxSurface>[] = [
    ...clock,
    ...scenarios,
    ...agents,
    ...events,
    ...timelines,
  ]
  addKeyedApi(app, {
    ...options,
    environment: "sandbox",
    name: "sandbox",
    title: "Sandbox API",
    endpoints,
  })
}
