/**
 * What the connector's benchmark asks, in a process of its own: the service with the connector, the same service without it,
 * and the official SDK's transport alone with a tool that does nothing. One database: the PostgreSQL whose URL is its first
 * argument, else an embedded one. Every call is counted, and no budget can be spent. Tells where in one line of JSON and lives until its standard input ends.
 */

import { createServer } from "node:http"
import type { IncomingMessage } from "node:http"
import type { AddressInfo } from "node:net"
import {
  Server,
  WebStandardStreamableHTTPServerTransport,
  createMcpHandler,
} from "@modelcontextprotocol/server"
import { Effect, Layer, ManagedRuntime } from "effect"
import { layerNameLookup } from "../../src/live/gateways/name-lookup.ts"
import { layerOutboundDocuments } from "../../src/live/gateways/outbound-documents.ts"
import { layerOutboundHttp } from "../../src/live/gateways/outbound-http.ts"
import { layerSignedPhotos } from "../../src/live/gateways/signed-photos.ts"
import { makeApp } from "../../src/apps/app.ts"
import { bridgeTo } from "../../src/http/bridge.ts"
import { courierPagesPlugin } from "../../src/areas/courier/http/plugin.ts"
import { oauthPlugin } from "../../src/areas/linking/http/plugin.ts"
import { layerLinking } from "../../src/live/services/linking.ts"
import { layerLiveService } from "../../src/live/services/live-service.ts"
import { addMcpEndpoint } from "../../src/apps/mcp/endpoint.ts"
import type { Served } from "../../src/apps/mcp/sdk-server.ts"
import { MCP_PATH, mcpPlugin } from "../../src/apps/mcp/plugin.ts"
import { PERMISSIONS } from "../../src/model/caller.ts"
import { ISSUER_PATH } from "../../src/model/linking.ts"
import { layerAdmission } from "../../src/http/access/admission.ts"
import { ApiKeys } from "../../src/http/access/api-keys.ts"
import { Organizations } from "../../src/apps/operations/organizations.ts"
import { RateCounter, layerRatePolicy } from "../../src/http/access/rate-limits.ts"
import { CourierCheckout } from "../../src/areas/courier/checkout.ts"
import { Courier } from "../../src/areas/courier/courier.ts"
import { DEMO_STORES } from "../../src/areas/courier/directory/demo-stores.ts"
import { Tracking } from "../../src/areas/tracking/tracking.ts"
import { ActorHost } from "../../src/engine/services/host.ts"
import { familyOf, freshPair, issuePair } from "../../src/areas/linking/issuing.ts"
import { Phones } from "../../src/areas/linking/phones.ts"
import { Discovery } from "../../src/areas/reservations/discovery.ts"
import { layerAccessRows, layerRateCounter } from "../../src/http/access/store/access-rows.ts"
import { layerTables } from "../../src/engine/store/sql-tables.ts"
import { PartnerRequestRows } from "../../src/apps/portal/partner-requests.ts"
import { CatalogRows } from "../../src/areas/catalog/rows.ts"
import { writeSite } from "../../src/areas/catalog/store/bookable-catalog.ts"
import type { CatalogSite } from "../../src/areas/catalog/rows.ts"
import { writeStore } from "../../src/areas/courier/store/stored-directory.ts"
import { layerPglite, layerPostgres } from "../../src/engine/store/database.ts"
import { layerGrantRows } from "../../src/areas/linking/store/grants.ts"
import { PhotoStore } from "../../src/engine/services/photos/photo-store.ts"
import { Routine } from "../../src/engine/services/routine.ts"
import { freePort } from "../free-port.ts"

/** What the load needs. */
export interface McpServerMessage {
  readonly mcpUrl: string
  readonly token: string
  readonly deliveryId: string
  /** A read of /rs/v1 on the host with the connector, and on the one without. */
  readonly readUrls: { readonly beside: string; readonly without: string }
  readonly key: string
  readonly bareUrl: string
  /** The endpoint's routes with the same tool that does nothing. */
  readonly emptyUrl: string
}

const MANY = 1_000_000_000
const [databaseUrl] = process.argv.slice(2)
const port = await freePort()
const baseUrl = `http://127.0.0.1:${port}`

/** Counts as the real one does, and never to a limit. */
const counter = Layer.effect(
  RateCounter,
  Routine.map(RateCounter, (real) => ({
    ...real,
    count: (window) => Routine.as(real.count(window), 1),
    counted: (window) => Routine.as(real.counted(window), 0),
  })),
).pipe(Layer.provide(layerRateCounter))

function layers() {
  const outside = Layer.mergeAll(
    layerOutboundHttp,
    layerOutboundDocuments,
    layerNameLookup(),
    layerSignedPhotos({ key: "photos", baseUrls: { production: baseUrl, sandbox: baseUrl } }).pipe(
      Layer.provide(PhotoStore.layer),
      Layer.provide(layerTables),
    ),
  ).pipe(Layer.provideMerge(databaseUrl === undefined ? layerPglite("memory") : layerPostgres(databaseUrl)))
  const perMinute = { analytics: MANY, "bot-reports": MANY, requests: MANY }
  const access = Layer.mergeAll(layerAdmission, ApiKeys.layer, Organizations.layer).pipe(
    Layer.provide(
      Layer.mergeAll(
        layerAccessRows,
        Layer.merge(CatalogRows.layer, PartnerRequestRows.layer).pipe(Layer.provide(layerTables)),
        counter,
      ),
    ),
    Layer.provide(layerRatePolicy({ perMinute })),
  )
  const courier = Layer.mergeAll(
    Courier.layer.pipe(Layer.provide(counter)),
    CourierCheckout.layer,
    Tracking.layer,
  )
  const linking = layerLinking({ baseUrl, secret: "bench", verification: "built-in" })
  const live = layerLiveService({ digestKey: "bench", secretKey: "bench", courier: { baseUrl } })
  return Layer.mergeAll(access, Discovery.layer, layerGrantRows, Layer.provideMerge(courier, linking)).pipe(
    Layer.provideMerge(live),
    Layer.provideMerge(outside),
  )
}

/** The endpoint's own part of a call: its routes with a tool that does nothing. */
const EMPTY_PATH = "/empty"
const EMPTY: Served = {
  info: { name: "empty", version: "1" },
  shownInfo: () => EMPTY.info,
  capabilities: { tools: {} },
  instructions: "",
  cacheScope: "private",
  isMethod: (method) => method === "tools/call",
  answer: async () => ({ content: [{ type: "text", text: "{}" }] }),
}

const managed = ManagedRuntime.make(layers())
const runtime = await managed.runtime()
const run = bridgeTo(runtime)
const beside = await makeApp({ runtime, environment: "production" })
await beside.register(oauthPlugin, { run, baseUrl })
await beside.register(mcpPlugin, { run, baseUrl, card: () => Promise.resolve("") })
await beside.register(courierPagesPlugin, { run })
const without = await makeApp({ runtime, environment: "production" })
await without.register(async (app) =>
  addMcpEndpoint(app, { path: EMPTY_PATH, baseUrl, admit: async () => undefined, served: () => EMPTY }),
)
await beside.listen({ host: "127.0.0.1", port })
const withoutUrl = await without.listen({ host: "127.0.0.1", port: 0 })
const bare = startBare()
const told: McpServerMessage = {
  mcpUrl: `${baseUrl}${MCP_PATH}`,
  ...(await managed.runPromise(planted())),
  readUrls: { beside: `${baseUrl}/rs/v1/retailers`, without: `${withoutUrl}/rs/v1/retailers` },
  bareUrl: await bare,
  emptyUrl: `${withoutUrl}${EMPTY_PATH}`,
}
console.log(JSON.stringify(told))
process.stdin.resume().once("end", () => process.exit(0))

/** A partner with a key, a linked user with a token, and an errand of theirs. */
function planted() {
  return Effect.gen(function* () {
    const organizations = yield* Organizations
    const keys = yield* ApiKeys
    const host = yield* ActorHost
    const phones = yield* Phones
    const courier = yield* Courier
    const of = { name: "Wheels", isFleetPartner: true, environments: ["production"] } as const
    const { organizationId } = yield* organizations.add(of)
    const wanted = { organizationId, environment: "production", permissions: PERMISSIONS } as const
    const { value: key } = yield* keys.make({ ...wanted, expiresAtMs: null })
    const { userId } = yield* phones.enable("+15125550100")
    const pair = yield* freshPair
    const grant = {
      clientId: "mc_bench",
      familyId: familyOf(pair),
      resource: `${baseUrl}${ISSUER_PATH}`,
      userId,
    }
    yield* host.run({ name: "a test", locks: {}, body: () => issuePair(grant, pair) })
    const [store] = DEMO_STORES
    if (store === undefined) throw new Error("there is no store")
    yield* host.run({ name: "a test", locks: {}, body: () => writeStore(store) })
    yield* host.run({
      name: "a test",
      locks: {},
      body: () => writeSite("production", siteOf(organizationId)),
    })
    const { street, zip, place } = store
    const town = { city: "Austin", state: "TX", zip }
    const checked = yield* courier.check(userId, {
      retailer_name: store.name,
      store_address: { street, ...town, location: { lat: place.latitude, lng: place.longitude } },
      dropoff_address: { street: "1 River Road", ...town },
      requested_timing: { type: "asap" },
      pickup_methods_offered: ["curbside"],
      idempotency_key: "bench-0001",
    })
    return { key, token: pair.access, deliveryId: checked.delivery_id ?? "" }
  })
}

/** Something to read. */
function siteOf(organizationId: string): CatalogSite {
  const retailer = {
    retailerId: "retailer_grocer",
    name: "Grocer",
    logoUrl: null,
    supportPhone: null,
    pickupRequirements: null,
    grantedTo: [organizationId],
  }
  const stalls = [1, 2, 3].map((number) => ({
    stallId: `stall_${number}`,
    label: `A${number}`,
    isActive: true,
  }))
  const zone = { zoneId: "zone_curb", name: "Curb", latitude: null, longitude: null, hasRunner: true }
  return {
    siteId: "7d1f3c52-52a4-4b0e-9f5e-6f0c2f3f9a21",
    name: "East",
    timezone: "America/Chicago",
    zones: [{ ...zone, stalls, retailers: [retailer] }],
  }
}

/** As the SDK is used without sessions: a server and a transport for each request, and its own handler for revisions without a handshake. */
async function startBare(): Promise<string> {
  const made = (): Server => {
    const one = new Server({ name: "bare", version: "1" }, { capabilities: { tools: {} } })
    one.setRequestHandler("tools/call", () => ({ content: [{ type: "text", text: "{}" }] }))
    return one
  }
  const handled = async (request: Request): Promise<Response> => {
    const transport = new WebStandardStreamableHTTPServerTransport({ enableJsonResponse: true })
    await made().connect(transport)
    return transport.handleRequest(request)
  }
  const handler = createMcpHandler(made, { legacy: "reject" })
  const server = createServer((incoming, outgoing) => {
    const answered = async (): Promise<void> => {
      const request = await requestOf(incoming)
      const response = await (request.headers.has("mcp-method") ? handler.fetch(request) : handled(request))
      outgoing.writeHead(response.status, Object.fromEntries(response.headers)).end(await response.text())
    }
    void answered()
  }).listen(0, "127.0.0.1")
  await new Promise((resolve) => server.once("listening", resolve))
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

async function requestOf(incoming: IncomingMessage): Promise<Request> {
  const chunks: Buffer[] = []
  for await (const chunk of incoming) chunks.push(chunk as Buffer)
  const headers = Object.entries(incoming.headers).map(
    ([name, value]) => [name, String(value)] as [string, string],
  )
  return new Request("http://bare.example/", { method: "POST", headers, body: Buffer.concat(chunks) })
}
