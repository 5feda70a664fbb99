/**
 * Every GET of a served service, from its own OpenAPI documents, with a caller that each of them takes and something to find: a
 * reservation, a delivery, webhooks, a signed-up partner, a linked user with an errand.
 */

import { readFileSync } from "node:fs"
import { join } from "node:path"
import { DEMO_STORES } from "../../src/areas/courier/directory/demo-stores.ts"
import type { Demo } from "../../src/live/demo/demo.ts"
import { tokenOf } from "../bench/agent.ts"
import { booking, call } from "./service-process.ts"
import type { ServiceProcess } from "./service-process.ts"

const TOWN = { city: "Austin", state: "TX" }
const [LUNCHBOX] = DEMO_STORES

export interface Read {
  readonly name: string
  readonly send: () => Promise<Response>
}

interface Described {
  readonly paths: Readonly<
    Record<string, Readonly<Record<string, { readonly parameters?: readonly Parameter[] }>>>
  >
}

interface Parameter {
  readonly in: string
  readonly name: string
  readonly required?: boolean
}

type Headers = Readonly<Record<string, string>>

interface Documented {
  readonly document: string
  readonly baseUrl: string
  readonly headers: Headers
  /** By path; a path that is not listed has no parameter, or one with its own name. */
  readonly ids: Readonly<Record<string, string>>
}

/** `codeOf`: the code that was last texted to a number. */
export async function readRoutes(
  service: ServiceProcess,
  codeOf: (phone: string) => string,
): Promise<readonly Read[]> {
  const { courier } = JSON.parse(readFileSync(join(service.data, "demo.json"), "utf8")) as Demo
  const { production, sandbox } = service.access
  const partner = { Authorization: `Bearer ${sandbox.api_key}` }
  const operator = { Authorization: `Bearer ${production.operator_token}` }
  const made = await madeBy(service)
  const portal = await signedUp(service)
  const mcp = await linked(courier, codeOf)
  const documents: readonly Documented[] = [
    { document: "rs", baseUrl: sandbox.base_url, headers: partner, ids: { id: made.reservationId } },
    {
      document: "dd",
      baseUrl: sandbox.base_url,
      headers: { ...partner, "x-retailer-id": sandbox.site_id },
      ids: { id: made.webhookId, "/dd/v1/deliveries/{id}": "order-1" },
    },
    { document: "sandbox", baseUrl: sandbox.base_url, headers: partner, ids: {} },
    {
      document: "logs",
      // The key of the host that is asked nothing else: its log stays as it is.
      baseUrl: production.base_url,
      headers: { Authorization: `Bearer ${production.api_key}` },
      ids: {},
    },
    { document: "analytics", baseUrl: sandbox.base_url, headers: partner, ids: { siteId: sandbox.site_id } },
    { document: "portal", baseUrl: production.base_url, headers: portal, ids: { siteId: sandbox.site_id } },
    {
      document: "internal",
      baseUrl: production.base_url,
      headers: operator,
      ids: {
        channel: "mail",
        id: production.site_id,
        "/internal/v1/organizations/{id}/api-keys": "de300000-0000-4000-8000-000000000001",
        "/internal/v1/connector/stores/{id}": "store_lunchbox",
        "/internal/v1/connector/errands/{id}": mcp.deliveryId,
      },
    },
  ]
  const documented = await Promise.all(documents.map((one) => readsOf(one)))
  return [...documented.flat(), { name: "MCP get_delivery_status", send: mcp.status }]
}

async function readsOf({ document, baseUrl, headers, ids }: Documented): Promise<readonly Read[]> {
  const { paths } = (await (await fetch(`${baseUrl}/openapi/${document}.json`)).json()) as Described
  return Object.entries(paths).flatMap(([path, { get }]) => {
    // A stream of events has no end that could be compared.
    if (get === undefined || JSON.stringify(get).includes("text/event-stream")) return []
    // Each read of people is written into the audit log, whose own read would then never be the same.
    if (path.endsWith("/handover")) return []
    const missing = "not-there"
    const url = new URL(baseUrl + path.replace("{id}", ids[path] ?? ids["id"] ?? missing))
    for (const { in: place, name, required } of get.parameters ?? []) {
      if (place === "query" && required === true) url.searchParams.set(name, ids[name] ?? "1")
    }
    return [{ name: `GET ${path}`, send: () => fetch(url, { headers }) }]
  })
}

async function madeBy({ access: { sandbox } }: ServiceProcess) {
  const { body: hook } = await call(sandbox, "POST", "/dd/v1/webhooks", {
    url: "https://127.0.0.1:9/hook",
    events: ["pickup.vehicle_location.changed"],
  })
  await call(sandbox, "POST", "/rs/v1/webhooks", {
    url: "https://127.0.0.1:9/hook",
    subscribed_events: ["reservation.exception"],
  })
  const { body: booked } = await call(
    sandbox,
    "POST",
    "/rs/v1/reservations",
    booking(sandbox, "http://127.0.0.1:9/open"),
  )
  const head = { "x-retailer-id": sandbox.site_id }
  const quote = {
    external_delivery_id: "order-1",
    customer: { phone: "+15125550123" },
    delivery_address: { street: "1 Sample St", city: "Austin", state: "TX", zip: "78758" },
    ready_by: new Date(Date.now() + 20 * 60_000).toISOString(),
    order_items: [{ name: "Milk", quantity: 2 }],
  }
  await call(sandbox, "POST", "/dd/v1/deliveries/quote", quote, head)
  await call(sandbox, "POST", "/dd/v1/deliveries", { external_delivery_id: "order-1" }, head)
  return {
    reservationId: booked.data.reservation.reservation_id,
    webhookId: /"(whk_\w+)"/.exec(JSON.stringify(hook))?.[1] ?? "not-there",
  }
}

/** Headers of a signed-up owner. */
async function signedUp({ access: { production } }: ServiceProcess): Promise<Headers> {
  const own = { "x-curbline-portal": "1", origin: production.base_url }
  const post = (path: string, body: object): Promise<Response> =>
    fetch(`${production.base_url}/portal/api${path}`, {
      method: "POST",
      headers: { ...own, "content-type": "application/json" },
      body: JSON.stringify(body),
    })
  const email = "ada@wheels.example"
  const password = "tin roof under seven moons"
  const asked = await post("/sign-up", { email, password, name: "Ada", organization_name: "Wheels" })
  const { data } = (await asked.json()) as { readonly data: { readonly sign_up_token: string } }
  const outbox = await fetch(`${production.base_url}/internal/v1/messages?channel=mail`, {
    headers: { Authorization: `Bearer ${production.operator_token}` },
  })
  const code = /code is (\d{6})/.exec(await outbox.text())?.[1]
  const verified = await post("/sign-up/verify", { sign_up_token: data.sign_up_token, code })
  const headers = { ...own, cookie: verified.headers.getSetCookie()[0]?.split(";")[0] ?? "" }
  // Charges are of production alone.
  const session = await fetch(`${production.base_url}/portal/api/session`, { headers })
  const { data: me } = (await session.json()) as {
    readonly data: { readonly organization: { readonly organization_id: string } }
  }
  await fetch(`${production.base_url}/internal/v1/organizations/${me.organization.organization_id}`, {
    method: "PATCH",
    headers: { Authorization: `Bearer ${production.operator_token}`, "content-type": "application/json" },
    body: JSON.stringify({ environments: ["production", "sandbox"] }),
  })
  return headers
}

/** An agent with a token, and the look at an errand that it has had quoted. */
async function linked(courier: Demo["courier"], codeOf: (phone: string) => string) {
  const token = await tokenOf(courier, codeOf)
  const tool = (name: string, args: object): Promise<Response> =>
    fetch(courier.mcp_url, {
      method: "POST",
      headers: {
        "content-type": "application/json",
        accept: "application/json, text/event-stream",
        authorization: `Bearer ${token}`,
      },
      body: JSON.stringify({
        jsonrpc: "2.0",
        id: 1,
        method: "tools/call",
        params: { name, arguments: args },
      }),
    })
  const checked = await tool("check_delivery", {
    retailer_name: LUNCHBOX?.name,
    store_address: {
      street: LUNCHBOX?.street,
      zip: LUNCHBOX?.zip,
      ...TOWN,
      location: { lat: LUNCHBOX?.place.latitude, lng: LUNCHBOX?.place.longitude },
    },
    dropoff_address: { street: "1 River Road", zip: "78758", ...TOWN },
    requested_timing: { type: "asap" },
    pickup_methods_offered: ["curbside"],
    idempotency_key: "check-0001",
  })
  const deliveryId = /delivery_id\\?":\\?"([^"\\]+)/.exec(await checked.text())?.[1] ?? "not-there"
  return { deliveryId, status: () => tool("get_delivery_status", { delivery_id: deliveryId }) }
}
