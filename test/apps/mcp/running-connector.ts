/**
 * The connector as clients meet it: its app on a port of the loopback, over the live service on embedded PGlite and a
 * clock that tests move; one number that may be linked, its owner's browser, and a vehicle. At the end the whole
 * journal is exported and replayed.
 */

import { Effect, Layer } from "effect"
import type { Refused } from "../../../src/model/values/errors.ts"
import { courierPagesPlugin } from "../../../src/areas/courier/http/plugin.ts"
import { oauthPlugin } from "../../../src/areas/linking/http/plugin.ts"
import { layerCourierServices } from "../../../src/live/services/courier.ts"
import { layerOutboundDocuments } from "../../../src/live/gateways/outbound-documents.ts"
import { layerLinking } from "../../../src/live/services/linking.ts"
import { MCP_PATH, mcpPlugin } from "../../../src/apps/mcp/plugin.ts"
import type { Fix } from "../../../src/model/requests/delivery-requests.ts"
import type { Place } from "../../../src/model/place.ts"
import { CourierSettings } from "../../../src/areas/courier/settings.ts"
import { Vehicles } from "../../../src/areas/dispatch/vehicles.ts"
import { Phones } from "../../../src/areas/linking/phones.ts"
import { AllowedRedirects } from "../../../src/areas/linking/redirect-uris.ts"
import { COURIER } from "../../conformance/courier-world.ts"
import { operations } from "../../conformance/harness.ts"
import { liveHarness, openTestDatabase } from "../../conformance/live.ts"
import { bareApp } from "../../http/bare-app.ts"
import { freePort } from "../../free-port.ts"
import { layerCopiedPglite } from "../../engine/store/embedded-template.ts"
import { trackingPlugin } from "../../../src/areas/tracking/http/plugin.ts"
import { servedPages } from "../../../src/pages/bundling/served-pages.ts"

export const PHONE = "+15125550142"
export const CALLBACK = "https://agent.example/callback"
const VEHICLE = "veh_courier"

export interface RunningConnector {
  readonly origin: string
  readonly mcpUrl: URL
  readonly now: () => number
  readonly advance: (ms: number) => Promise<void>
  /** What the user does with the page that an agent sends them to; gives where it leads in the end. */
  readonly consent: (authorization: URL) => Promise<URL>
  /** Reports the vehicle's position and its load. */
  readonly report: (place: Place, load?: Fix["load"]) => Promise<void>
  /** Stops it; how many entries the journal has, and where a replay differs. */
  readonly close: () => Promise<{
    readonly entries: number
    readonly difference: unknown
    readonly text: string
  }>
}

export async function startConnector(): Promise<RunningConnector> {
  const database = openTestDatabase(layerCopiedPglite)
  const service = liveHarness(database.context)
  const port = await freePort()
  const origin = `http://127.0.0.1:${port}`
  const settings = Layer.effect(
    CourierSettings,
    Effect.map(CourierSettings, (choices) => ({ ...choices, baseUrl: origin })),
  )
  const layers = layerCourierServices.pipe(
    Layer.provide(settings),
    Layer.provideMerge(layerLinking({ baseUrl: origin, secret: "tests", verification: "built-in" })),
    Layer.provide(layerOutboundDocuments),
  )
  const context = await service.run(Effect.scoped(Layer.build(layers)))
  const run = <A, E>(effect: Effect.Effect<A, E, Layer.Layer.Success<typeof layers>>): Promise<A> =>
    service.run(Effect.provide(effect, context))
  await run(Effect.flatMap(Phones, (phones) => phones.enable(PHONE)))
  await run(Effect.flatMap(AllowedRedirects, (redirects) => redirects.allow(CALLBACK)))
  const vehicle = { vehicleId: VEHICLE, fleetId: COURIER.fleetId, environment: "production" } as const
  const parked = { ...vehicle, label: "Courier 1", isSynthetic: false, isOnline: true }
  await service.run(Effect.flatMap(Vehicles, (vehicles) => vehicles.register(parked)))
  const app = await bareApp({ environment: "production", hosts: [new URL(origin).host] })
  await app.register(oauthPlugin, { run, baseUrl: origin })
  const pages = servedPages(() => Promise.resolve())
  await app.register(mcpPlugin, { run, baseUrl: origin, card: pages.card })
  await app.register(trackingPlugin<never>, {
    run,
    environment: "production",
    noted: (_deliveryId: string, opening: Effect.Effect<boolean, Refused>): typeof opening => opening,
    streets: null,
    page: pages.page,
  })
  await app.register(courierPagesPlugin, { run })
  await app.listen({ host: "127.0.0.1", port })
  return {
    origin,
    mcpUrl: new URL(MCP_PATH, origin),
    now: service.now,
    advance: service.advance,
    consent: (authorization) =>
      consent(authorization, () => run(Effect.flatMap(Phones, (phones) => phones.code(PHONE)))),
    report: async (place, load) => {
      const fix = { ...place, recorded_at: service.now(), ...(load === undefined ? {} : { load }) }
      await service.run(Effect.flatMap(Vehicles, (vehicles) => vehicles.report(operations, VEHICLE, [fix])))
    },
    close: async () => {
      await app.close()
      const replayed = await service.close()
      await database.close()
      return replayed
    },
  }
}

/** Types the number, then the code, and follows nothing that leads elsewhere. */
async function consent(authorization: URL, code: () => Promise<string>): Promise<URL> {
  const phonePage = await fetch(authorization)
  const codePage = await submitted(authorization, await phonePage.text(), { phone: "512 555-0142" })
  const done = await submitted(authorization, await codePage.text(), { code: await code() })
  return new URL(done.headers.get("location") ?? "missing:")
}

async function submitted(
  authorization: URL,
  page: string,
  fields: Readonly<Record<string, string>>,
): Promise<Response> {
  const request = /name="request" value="([^"]*)"/.exec(page)?.[1] ?? ""
  const answer = await fetch(new URL(authorization.pathname, authorization), {
    method: "POST",
    body: new URLSearchParams({ request, ...fields }),
    redirect: "manual",
  })
  return answer.status === 303 ? fetch(answer.headers.get("location") ?? "") : answer
}
