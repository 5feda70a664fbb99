/** The OpenAPI documents of a host, as it serves them. */

import { Effect, Runtime } from "effect"
import type { Context } from "effect"
import type { FastifyInstance } from "fastify"
import { makeApp } from "../../apps/app.ts"
import type { HttpServices } from "../../apps/app.ts"
import type { OperationsSurface, ProductionSurface } from "../../apps/operations/http/endpoints.ts"
import { operationsPlugin } from "../../apps/operations/http/plugin.ts"
import { portalPlugin } from "../../apps/portal/http/plugin.ts"
import type { PortalSurface } from "../../apps/portal/http/plugin.ts"
import { requestLogPlugin } from "../../apps/request-log/plugin.ts"
import type { RequestLogSurface } from "../../apps/request-log/plugin.ts"
import { runnerPlugin } from "../../apps/runner/http/plugin.ts"
import type { RunnerSurface } from "../../apps/runner/http/plugin.ts"
import { sandboxPlugin } from "../../apps/sandbox-api.ts"
import type { SandboxSurface } from "../../apps/sandbox-api.ts"
import type { SandboxClock } from "../../areas/clock/sandbox-clock.ts"
import type { SandboxCourses } from "../../areas/courses/courses.ts"
import { bridgeTo } from "../../http/bridge.ts"
import { layerArrivals } from "../../engine/services/arrivals.ts"
import type { Arrivals } from "../../engine/services/arrivals.ts"
import type { Environment } from "../../model/caller.ts"

const OF_BOTH_HOSTS = ["rs", "dd", "analytics", "logs", "runner", "internal"] as const

/** The documents of each host; the name is that of `/openapi/{name}.json`. */
export const DOCUMENTS = {
  production: [...OF_BOTH_HOSTS, "portal"],
  sandbox: [...OF_BOTH_HOSTS, "sandbox"],
} as const

export type DocumentName = (typeof DOCUMENTS)[Environment][number]

/** What this folder reads in a document. */
export interface ApiDocument {
  readonly info: { readonly title: string }
  readonly paths: Methods
  readonly webhooks?: Methods
  /** By kind and name. */
  readonly components: Readonly<Record<string, Readonly<Record<string, unknown>>>>
}

/** Operations by path and method, and by the type of an event. */
type Methods = Readonly<Record<string, Readonly<Record<string, Operation>>>>

export interface Operation {
  readonly operationId: string
  readonly summary: string
  readonly parameters?: readonly { readonly name: string }[]
  /** By the name of the callback. */
  readonly callbacks?: Readonly<Record<string, Methods>>
}

/** Documents of a host in the order of their names. No service is behind the routes, so no other route is called. */
export async function documentsOf(
  environment: Environment,
  names: readonly DocumentName[] = DOCUMENTS[environment],
): Promise<ReadonlyMap<DocumentName, ApiDocument>> {
  const app = await appOf(environment)
  try {
    const documents = new Map<DocumentName, ApiDocument>()
    for (const name of names) {
      const answer = await app.inject({ url: `/openapi/${name}.json` })
      documents.set(name, answer.json<ApiDocument>())
    }
    return documents
  } finally {
    await app.close()
  }
}

/** What the routes would need. */
type Surface =
  | HttpServices
  | OperationsSurface
  | PortalSurface
  | ProductionSurface
  | RequestLogSurface
  | RunnerSurface
  | SandboxSurface
  | SandboxClock
  | SandboxCourses

async function appOf(environment: Environment): Promise<FastifyInstance> {
  const arrivals = Effect.runSync(Effect.context<Arrivals>().pipe(Effect.provide(layerArrivals())))
  const context = arrivals as Context.Context<Surface>
  const runtime = Runtime.updateContext(Runtime.defaultRuntime, () => context)
  const app = await makeApp({ runtime, environment })
  const run = bridgeTo(runtime)
  await app.register(requestLogPlugin, { run, environment })
  await app.register(runnerPlugin, { run, environment, baseUrl: ANY_HOST })
  if (environment === "sandbox") {
    await app.register(operationsPlugin, { run, environment })
    await app.register(sandboxPlugin, { run })
  } else {
    await app.register(operationsPlugin, { run, runConnector: run, environment })
    await app.register(portalPlugin, { run, runClock: run, baseUrl: ANY_HOST })
  }
  return app
}

const ANY_HOST = "https://curbline.example"
