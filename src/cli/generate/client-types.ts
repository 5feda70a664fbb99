/** The types of the client for partners, made from the OpenAPI documents of the sandbox, which has every operation. */

import { Effect, Runtime } from "effect"
import type { Context } from "effect"
import { makeApp } from "../../apps/app.ts"
import type { HttpServices } from "../../apps/app.ts"
import { sandboxPlugin } from "../../apps/sandbox-api.ts"
import type { SandboxSurface } from "../../apps/sandbox-api.ts"
import { bridgeTo } from "../../http/bridge.ts"
import { layerArrivals } from "../../engine/services/arrivals.ts"
import type { Arrivals } from "../../engine/services/arrivals.ts"
import { typesText, without } from "./api-types.ts"

/** The documents by the file of their types. */
const DOCUMENTS = {
  "analytics-types.ts": { api: "The Analytics API", document: "analytics" },
  "delivery-types.ts": { api: "The Direct Delivery API", document: "dd" },
  "reservation-types.ts": { api: "The Reservations API", document: "rs" },
  "sandbox-types.ts": { api: "The Sandbox API", document: "sandbox" },
} as const

/** Texts by file name. No route of the app is called but those of the documents. */
export async function clientTypesTexts(): Promise<Readonly<Record<string, string>>> {
  const arrivals = Effect.runSync(Effect.context<Arrivals>().pipe(Effect.provide(layerArrivals())))
  const context = arrivals as Context.Context<HttpServices | SandboxSurface>
  const runtime = Runtime.updateContext(Runtime.defaultRuntime, () => context)
  const app = await makeApp({ runtime, environment: "sandbox" })
  await app.register(sandboxPlugin, { run: bridgeTo(runtime) })
  try {
    const texts: Record<string, string> = {}
    for (const [file, { api, document }] of Object.entries(DOCUMENTS)) {
      const answer = await app.inject({ url: `/openapi/${document}.json` })
      texts[`src/client/${file}`] = await typesText(api, withoutSite(answer.json<object>()))
    }
    return texts
  } finally {
    await app.close()
  }
}

/** The client sends the site with every request, so calls do not name it. */
function withoutSite(document: object): unknown {
  const described = without(document, () => false) as {
    readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>
  }
  const operations = Object.values(described.paths).flatMap((methods) => Object.values(methods))
  for (const operation of operations)
    operation.parameters = operation.parameters?.filter(({ name }) => name !== SITE_HEADER) ?? []
  return described
}

interface Operation {
  parameters?: readonly { readonly name: string }[]
}

const SITE_HEADER = "x-retailer-id"
