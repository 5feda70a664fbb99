/**
 * The HTTP app over next to nothing: one key, one organization, and no service behind the routes, so that what a host
 * does around its routes is seen alone. A request that is let in ends in a defect, and so in 500.
 */

import { Context, Effect, Runtime } from "effect"
import type { FastifyInstance } from "fastify"
import { assetsPlugin } from "../../src/http/pages/assets.ts"
import { PARTNER_APIS, docsPlugin } from "../../src/http/docs/plugin.ts"
import type { DocsOptions } from "../../src/http/docs/plugin.ts"
import { servedPages } from "../../src/pages/bundling/served-pages.ts"
import { makeApp } from "../../src/apps/app.ts"
import type { AppOptions, HttpServices } from "../../src/apps/app.ts"
import { Admission } from "../../src/http/access/admission.ts"
import { layerArrivals } from "../../src/engine/services/arrivals.ts"
import type { Arrivals } from "../../src/engine/services/arrivals.ts"
import { Routine } from "../../src/engine/services/routine.ts"
import { TurnedAway } from "../../src/model/values/errors.ts"
import { PERMISSIONS } from "../../src/model/caller.ts"

export const BARE_KEY = `ck_sbx_${"B2".repeat(20)}`
export const BARE_ORGANIZATION = "org_bare"

export const BARE_DEMO = {
  api_key: BARE_KEY,
  operator_token: "co_bare",
  zone_id: "zone_bare",
  retailer_id: "retailer_bare",
  site_id: "00000000-0000-4000-8000-000000000001",
}

const BUDGET = { limit: 300, remaining: 299, resetSeconds: 60 }

const KNOWN = { organizationId: BARE_ORGANIZATION, key: { keyId: "key_bare", lastFour: "2B2B" } }

const admission = Context.make(Admission, {
  recheck: () => Routine.succeed(null),
  judge: ({ authorization, environment }) =>
    Routine.sync(() => {
      if (authorization === `Bearer ${BARE_KEY} spent`) {
        const refusal = new TurnedAway({ code: "RATE_LIMITED" })
        return { type: "refused", refusal, budget: BUDGET, ...KNOWN }
      }
      if (authorization !== `Bearer ${BARE_KEY}`) {
        return {
          type: "refused",
          refusal: new TurnedAway({ code: "INVALID_API_KEY" }),
          budget: null,
          organizationId: null,
          key: null,
        }
      }
      const partner = {
        type: "partner",
        organizationId: BARE_ORGANIZATION,
        environment,
        permissions: PERMISSIONS,
      } as const
      return { type: "admitted", partner, budget: BUDGET, clock: null, ...KNOWN }
    }),
})

const nothing = Context.merge(
  admission,
  Effect.runSync(Effect.context<Arrivals>().pipe(Effect.provide(layerArrivals()))),
)

type BareOptions = Partial<Omit<AppOptions, "runtime">> &
  Partial<Pick<DocsOptions, "demo" | "documents" | "isLocal">>

/** Also serves `/docs`, typefaces and the mark, for pages in a browser. */
export async function bareApp({
  documents = PARTNER_APIS,
  demo = BARE_DEMO,
  isLocal = true,
  ...options
}: BareOptions = {}): Promise<FastifyInstance> {
  const runtime = Runtime.updateContext(Runtime.defaultRuntime, (context) => Context.merge(context, nothing))
  const app = await makeApp({
    environment: "sandbox",
    ...options,
    runtime: runtime as Runtime.Runtime<HttpServices>,
  })
  const pages = servedPages(() => Promise.resolve())
  await app.register(assetsPlugin, pages)
  await app.register(docsPlugin, {
    guides: [],
    documents,
    environment: options.environment ?? "sandbox",
    baseUrl: "https://sandbox.curbline.example",
    demo,
    openLinkUrl: "https://example.com/open",
    isLocal,
    page: pages.page,
  })
  return app
}
