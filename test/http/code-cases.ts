/** For each operation of the partners' APIs and each error code of its own: a request that is answered with the code. */

import { openSandbox } from "../../src/cli/generate/examples/sandbox.ts"
import type { Answered, Ask, Sandbox } from "../../src/cli/generate/examples/sandbox.ts"
import { CLOSED_SITES } from "../../src/live/demo/demo-deliveries.ts"
import { WEBHOOK_ENDPOINTS_MAX } from "../../src/model/values/limits.ts"
import { DAY_MS, HOUR_MS, MINUTE_MS } from "../../src/model/values/time.ts"

export type PartnerApi = "dd" | "rs"

/** The operation without a key. */
export const PHOTO = "readPhoto"

/** A request that the operation answers with the code; its prerequisites are created first. */
export type Case = (field: Field) => Promise<Ask> | Ask

/** What cases are made with; each case has one of its own. */
export interface Field {
  readonly sandbox: Sandbox
  /** Gives the path of a new reservation. */
  readonly book: () => Promise<string>
  /** Gives the path of a new webhook endpoint. */
  readonly hook: (api: PartnerApi) => Promise<string>
  /** Quotes and makes a delivery. */
  readonly deliver: (id: string) => Promise<void>
}

const RESERVATIONS = "/rs/v1/reservations"
const DELIVERIES = "/dd/v1/deliveries"
const BARE_ZONE = "zone_without_stalls"
const NO_HTTPS = "http://hooks.partner.example/curbline"

function iso(instantMs: number): string {
  return new Date(instantMs).toISOString()
}

function window({ nowMs }: Sandbox, fromMs: number, lengthMs = 30 * MINUTE_MS): object {
  return {
    arrival_window_start: iso(nowMs() + fromMs),
    arrival_window_end: iso(nowMs() + fromMs + lengthMs),
  }
}

function booking(sandbox: Sandbox, more: object = {}, headers: Ask["headers"] = {}): Ask {
  const body = {
    zone_id: sandbox.zone.zoneId,
    retailer_id: sandbox.zone.retailers[0]?.retailerId,
    order_number: "A-1001",
    end_user_name: "Ada Example",
    end_user_phone: "+15125550100",
    open_link_url: "https://doors.partner.example/open/7",
    ...window(sandbox, HOUR_MS),
    ...more,
  }
  return { method: "POST", path: RESERVATIONS, headers, body }
}

function quoting({ nowMs, siteId }: Sandbox, more: object = {}, site = siteId): Ask {
  const body = {
    external_delivery_id: "order-1",
    customer: { phone: "+15125550123" },
    delivery_address: { street: "1 Sample St", city: "Austin", state: "TX", zip: "78758" },
    delivery_location: { latitude: 30.3872, longitude: -97.7066 },
    ready_by: iso(nowMs() + 20 * MINUTE_MS),
    order_items: [{ name: "Milk", quantity: 2 }],
    ...more,
  }
  return { method: "POST", path: `${DELIVERIES}/quote`, headers: { "x-retailer-id": site }, body }
}

function creating({ siteId }: Sandbox, id: string, more: object = {}): Ask {
  const body = { external_delivery_id: id, ...more }
  return { method: "POST", path: DELIVERIES, headers: { "x-retailer-id": siteId }, body }
}

/** At the site of direct delivery. */
function ofSite({ siteId }: Sandbox, method: Ask["method"], path: string, body?: object): Ask {
  const headers = { "x-retailer-id": siteId }
  return { method, path: `${DELIVERIES}/${path}`, headers, ...(body === undefined ? {} : { body }) }
}

/** Windows that are refused, for a booking and for a move. */
const WINDOWS: Readonly<Record<string, readonly [number, number]>> = {
  WINDOW_IN_PAST: [-HOUR_MS, 30 * MINUTE_MS],
  WINDOW_TOO_FAR_OUT: [2 * DAY_MS, 30 * MINUTE_MS],
  WINDOW_TOO_SHORT: [HOUR_MS, MINUTE_MS],
  WINDOW_TOO_LONG: [HOUR_MS, 3 * HOUR_MS],
}

function windows(ask: (field: Field, wanted: object) => Promise<Ask> | Ask): Record<string, Case> {
  return Object.fromEntries(
    Object.entries(WINDOWS).map(([code, [fromMs, lengthMs]]) => [
      code,
      (field: Field) => ask(field, window(field.sandbox, fromMs, lengthMs)),
    ]),
  )
}

/** A host whose name cannot be looked up for now. */
const AWAY_HOST = "away.partner.example"
const AWAY = `https://${AWAY_HOST}/curbline`

export async function openField(): Promise<Field> {
  const usual = await openSandbox()
  const sandbox = await openSandbox([{ ...usual.zone, zoneId: BARE_ZONE, stalls: [] }])
  sandbox.world.breakHost(AWAY_HOST, "unavailable")
  const made = async (ask: Ask): Promise<Answered["body"]> => {
    const { status, body } = await sandbox.ask(ask)
    if (status >= 300) throw new Error(`${ask.method} ${ask.path}: ${status} ${JSON.stringify(body)}`)
    return body["data"] as Answered["body"]
  }
  return {
    sandbox,
    book: async () => {
      const { reservation } = await made(booking(sandbox))
      return `${RESERVATIONS}/${(reservation as { readonly reservation_id: string }).reservation_id}`
    },
    hook: async (api) => {
      const data = await made(registering(api, "https://hooks.partner.example/curbline"))
      const { webhook_id } = (data["webhook"] ?? data) as { readonly webhook_id: string }
      return `/${api}/v1/webhooks/${webhook_id}`
    },
    deliver: async (id) => {
      await made(quoting(sandbox, { external_delivery_id: id }))
      await made(creating(sandbox, id))
    },
  }
}

const UNKNOWN = `${RESERVATIONS}/res_unknown`
const ARRIVED = { status: "ARRIVED" }

async function canceled({ sandbox, book }: Field): Promise<string> {
  const path = await book()
  await sandbox.ask({ method: "DELETE", path })
  return path
}

async function departed({ sandbox, book }: Field): Promise<string> {
  const path = await book()
  await sandbox.ask({ method: "POST", path: `${path}/bot`, body: { status: "DEPARTED" } })
  return path
}

function registering(api: PartnerApi, url: string): Ask {
  const events =
    api === "rs" ? { subscribed_events: ["reservation.exception"] } : { events: ["pickup_status.changed"] }
  return { method: "POST", path: `/${api}/v1/webhooks`, body: { url, ...events } }
}

/** Both APIs check endpoints in one way. */
function webhookCases(api: PartnerApi): Readonly<Record<string, Record<string, Case>>> {
  return {
    registerWebhook: {
      INVALID_WEBHOOK_URL: () => registering(api, NO_HTTPS),
      URL_VALIDATION_UNAVAILABLE: () => registering(api, AWAY),
      WEBHOOK_LIMIT_REACHED: async ({ hook }) => {
        for (let count = 0; count < WEBHOOK_ENDPOINTS_MAX; count += 1) await hook(api)
        return registering(api, "https://hooks.partner.example/one-more")
      },
    },
    changeWebhook: {
      NOT_FOUND: () => ({ method: "PUT", path: `/${api}/v1/webhooks/unknown`, body: { is_active: true } }),
      INVALID_WEBHOOK_URL: async ({ hook }) => ({
        method: "PUT",
        path: await hook(api),
        body: { url: NO_HTTPS },
      }),
      URL_VALIDATION_UNAVAILABLE: async ({ hook }) => ({
        method: "PUT",
        path: await hook(api),
        body: { url: AWAY },
      }),
    },
  }
}

const RESERVATION_CASES: Readonly<Record<string, Record<string, Case>>> = {
  ...webhookCases("rs"),
  createReservation: {
    ...windows(({ sandbox }, wanted) => booking(sandbox, wanted)),
    IDEMPOTENCY_KEY_REUSED: async ({ sandbox }) => {
      const headers = { "idempotency-key": "one" }
      await sandbox.ask(booking(sandbox, {}, headers))
      return booking(sandbox, { order_number: "A-1002" }, headers)
    },
    ZONE_NOT_FOUND: ({ sandbox }) => booking(sandbox, { zone_id: "zone_unknown" }),
    RETAILER_NOT_SUPPORTED_IN_ZONE: ({ sandbox }) => booking(sandbox, { retailer_id: "retailer_elsewhere" }),
    ZONE_HAS_NO_STALLS: ({ sandbox }) => booking(sandbox, { zone_id: BARE_ZONE }),
    INVALID_OPEN_LINK: ({ sandbox }) => booking(sandbox, { open_link_url: NO_HTTPS }),
    URL_VALIDATION_UNAVAILABLE: ({ sandbox }) => booking(sandbox, { open_link_url: AWAY }),
  },
  listRetailers: {},
  listReservations: {},
  listWebhooks: {},
  [PHOTO]: { NOT_FOUND: () => ({ method: "GET", path: "/rs/v1/photos/pho_unknown?exp=1&sig=00" }) },
  readReservation: { NOT_FOUND: () => ({ method: "GET", path: UNKNOWN }) },
  moveArrivalWindow: {
    ...windows(async ({ book }, body) => ({ method: "PATCH", path: await book(), body })),
    NOT_FOUND: ({ sandbox }) => ({ method: "PATCH", path: UNKNOWN, body: window(sandbox, HOUR_MS) }),
    INVALID_STATE: async (field) => ({
      method: "PATCH",
      path: await canceled(field),
      body: window(field.sandbox, 2 * HOUR_MS),
    }),
  },
  cancelReservation: {
    NOT_FOUND: () => ({ method: "DELETE", path: UNKNOWN }),
    INVALID_STATE: async (field) => ({ method: "DELETE", path: await departed(field) }),
  },
  reportBot: {
    NOT_FOUND: () => ({ method: "POST", path: `${UNKNOWN}/bot`, body: ARRIVED }),
    INVALID_STATE: async (field) => ({ method: "POST", path: `${await canceled(field)}/bot`, body: ARRIVED }),
    BOT_STATUS_REGRESSION: async ({ sandbox, book }) => {
      const path = `${await book()}/bot`
      await sandbox.ask({ method: "POST", path, body: { status: "READY_FOR_HANDOFF" } })
      return { method: "POST", path, body: ARRIVED }
    },
  },
  advanceReservation: {
    NOT_FOUND: () => ({ method: "POST", path: `${UNKNOWN}/advance` }),
    INVALID_STATE: async (field) => ({ method: "POST", path: `${await canceled(field)}/advance` }),
  },
}

const FARAWAY = { latitude: 32.7767, longitude: -96.797 }

const DELIVERY_CASES: Readonly<Record<string, Record<string, Case>>> = {
  ...webhookCases("dd"),
  quoteDelivery: {
    INVALID_READY_BY: ({ sandbox }) => quoting(sandbox, { ready_by: iso(sandbox.nowMs() - HOUR_MS) }),
    DELIVERY_ALREADY_EXISTS: async ({ sandbox, deliver }) => {
      await deliver("order-1")
      return quoting(sandbox)
    },
    GEOCODE_FAILED: ({ sandbox }) => {
      const nowhere = { street: "1 Sample St", city: "Nowhere", state: "TX", zip: "00000" }
      return quoting(sandbox, { delivery_address: nowhere, delivery_location: null })
    },
    GEOCODING_UNAVAILABLE: ({ sandbox }) => {
      sandbox.world.isGeocoderDown = true
      return quoting(sandbox, { delivery_location: null })
    },
    RETAILER_NOT_CONFIGURED: ({ sandbox }) => quoting(sandbox, {}, CLOSED_SITES.unconfigured),
  },
  createDelivery: {
    QUOTE_NOT_FOUND: ({ sandbox }) => creating(sandbox, "order-unknown"),
    QUOTE_EXPIRED: async ({ sandbox }) => {
      await sandbox.ask(quoting(sandbox))
      sandbox.pass(HOUR_MS)
      return creating(sandbox, "order-1")
    },
    QUOTE_UNAVAILABLE: async ({ sandbox }) => {
      await sandbox.ask(quoting(sandbox, { delivery_location: FARAWAY }))
      return creating(sandbox, "order-1")
    },
    // The same body again is answered with the delivery.
    DELIVERY_ALREADY_EXISTS: async ({ sandbox, deliver }) => {
      await deliver("order-1")
      return creating(sandbox, "order-1", { customer: { first_name: "Ada" } })
    },
    NO_CAPACITY: async ({ sandbox, deliver }) => {
      await sandbox.ask(quoting(sandbox, { external_delivery_id: "order-3" }))
      await deliver("order-1")
      await deliver("order-2")
      return creating(sandbox, "order-3")
    },
  },
  listDeliveries: {},
  readDelivery: { DELIVERY_NOT_FOUND: ({ sandbox }) => ofSite(sandbox, "GET", "order-unknown") },
  cancelDelivery: {
    DELIVERY_NOT_FOUND: ({ sandbox }) => ofSite(sandbox, "PATCH", "order-unknown", { status: "CANCELLED" }),
    INVALID_STATE: async ({ sandbox, deliver }) => {
      await deliver("order-1")
      let answered: Answered
      do answered = await sandbox.ask(ofSite(sandbox, "POST", "order-1/advance"))
      while (answered.status === 200)
      return ofSite(sandbox, "PATCH", "order-1", { status: "CANCELLED" })
    },
  },
  advanceDelivery: {
    DELIVERY_NOT_FOUND: ({ sandbox }) => ofSite(sandbox, "POST", "order-unknown/advance"),
    INVALID_STATE: async ({ sandbox, deliver }) => {
      await deliver("order-1")
      await sandbox.ask(ofSite(sandbox, "PATCH", "order-1", { status: "CANCELLED" }))
      return ofSite(sandbox, "POST", "order-1/advance")
    },
  },
  listWebhooks: {},
  readWebhook: { NOT_FOUND: () => ({ method: "GET", path: "/dd/v1/webhooks/unknown" }) },
  deleteWebhook: { NOT_FOUND: () => ({ method: "DELETE", path: "/dd/v1/webhooks/unknown" }) },
  listWebhookDeliveries: { NOT_FOUND: () => ({ method: "GET", path: "/dd/v1/webhooks/unknown/deliveries" }) },
  redeliverWebhook: {
    NOT_FOUND: () => ({ method: "POST", path: "/dd/v1/webhooks/unknown/deliveries/unknown/redeliver" }),
    // Not yet at its end.
    INVALID_STATE: async ({ sandbox, hook }) => {
      const path = await hook("dd")
      const { body } = await sandbox.ask({ method: "POST", path: `${path}/test` })
      const { delivery_id } = body["data"] as { readonly delivery_id: string }
      return { method: "POST", path: `${path}/deliveries/${delivery_id}/redeliver` }
    },
  },
  testWebhook: {
    NOT_FOUND: () => ({ method: "POST", path: "/dd/v1/webhooks/unknown/test" }),
    INVALID_STATE: async ({ sandbox, hook }) => {
      const path = await hook("dd")
      await sandbox.ask({ method: "PUT", path, body: { is_active: false } })
      return { method: "POST", path: `${path}/test` }
    },
  },
}

/** By operation, then by code. */
export const CASES = { rs: RESERVATION_CASES, dd: DELIVERY_CASES }
