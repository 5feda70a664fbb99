/**
 * How many round trips to the database each request waits for: `npm run bench -- trips`. A proxy in front of a PostgreSQL makes
 * each trip 100 ms longer; what a request takes longer by then, divided by 100 ms, is the number of its trips. Each request is
 * made three times both ways, after one that fills caches; the shortest times count, because other work only adds to them.
 * `--only TEXT` measures the requests whose names begin with the text.
 */

import { rmSync } from "node:fs"
import { join } from "node:path"
import { setTimeout as pause } from "node:timers/promises"
import { DEMO_STORES } from "../../src/areas/courier/directory/demo-stores.ts"
import { ROOT } from "../cli/command-line.ts"
import { startTwilio } from "../journeys/twilio-stand-in.ts"
import { ACCOUNT, startStripe } from "../areas/payments/stripe-stand-in.ts"
import { dataFolder, startProcess, startReceiver } from "../serve/service-process.ts"
import type { Access, ServiceProcess } from "../serve/service-process.ts"
import { untilNoonMs } from "../serve/until-noon.ts"
import { startServer } from "../engine/store/postgres-server.ts"
import { linkedAgent } from "./agent.ts"
import type { CallTool } from "./agent.ts"
import { startDelayingProxy } from "./delaying-proxy.ts"
import type { DelayingProxy } from "./delaying-proxy.ts"
import { printMachine } from "./machine-line.ts"

const DELAY_MS = 100
const TIMES = 3
const ASSIGNED_MS = 500
const CANCELED_MS = 500
const MINUTE_MS = 60_000
const SECRET = "the secret of a benchmark, of enough characters"

/** Makes one request of its kind. The request itself is what `timed` runs; what it needs is made before. */
type Asked = (timed: Timed) => Promise<void>
type Timed = (request: () => Promise<void>) => Promise<void>

export async function benchTrips(): Promise<void> {
  printMachine()
  const database = await startServer()
  const proxy = await startDelayingProxy(database.url)
  const receiver = await startReceiver()
  const twilio = await startTwilio()
  const stripe = await startStripe()
  const data = dataFolder()
  const offMs = untilNoonMs()
  const service = await startProcess(data, undefined, {
    words: ["--demo"],
    env: {
      ...twilio.env,
      STRIPE_SECRET_KEY: ACCOUNT.secretKey,
      STRIPE_WEBHOOK_SECRET: ACCOUNT.webhookSecret,
      STRIPE_PROFILE_ID: "profile_test_1",
      STRIPE_API_URL: stripe.url,
      DATABASE_URL: proxy.url,
      CURBLINE_SECRET: SECRET,
      CURBLINE_LOG_LEVEL: "warn",
      CURBLINE_FLEET_SPEED: "off",
      CURBLINE_REQUESTS_PER_MINUTE: "1000000",
      // Stores of the demo are open at noon.
      NODE_OPTIONS: `--import ${join(ROOT, "test/serve/at-noon.ts")}`,
      CLOCK_OFF_MS: String(offMs),
      CURBLINE_CLOCK_SECONDS_MAX: "off",
    },
  })
  try {
    const tool = await linkedAgent(data, twilio.codeOf)
    await openConnections(service.access.production)
    const requests = { ...partnerRequests(service, receiver.url, offMs), ...agentRequests(tool) }
    const only = process.argv[process.argv.indexOf("--only") + 1] ?? ""
    const isMeasured = (name: string): boolean => !process.argv.includes("--only") || name.startsWith(only)
    for (const [name, asked] of Object.entries(requests)) {
      if (!isMeasured(name)) continue
      const trips = await tripsOf(asked, proxy)
      console.log(`${name.padEnd(52)} ${trips.toFixed(1).padStart(5)}`)
    }
  } finally {
    await service.stop()
    twilio.close()
    stripe.close()
    await receiver.close()
    await proxy.close()
    await database.stop()
    rmSync(data, { recursive: true, force: true })
  }
}

/** A request that waits for a new connection would count the trips of its opening. */
async function openConnections({ base_url, api_key }: Access): Promise<void> {
  const headers = { authorization: `Bearer ${api_key}` }
  for (let round = 0; round < 3; round += 1) {
    const reads = Array.from({ length: 40 }, () => fetch(`${base_url}/rs/v1/reservations`, { headers }))
    for (const read of reads) await (await read).text()
  }
}

async function tripsOf(asked: Asked, proxy: DelayingProxy): Promise<number> {
  await asked((request) => request())
  const timesAt = async (delayMs: number): Promise<number> => {
    const times: number[] = []
    for (let time = 0; time < TIMES; time += 1) {
      await asked(async (request) => {
        proxy.setDelay(delayMs)
        const beganMs = performance.now()
        await request()
        times.push(performance.now() - beganMs)
        proxy.setDelay(0)
      })
    }
    return Math.min(...times)
  }
  const usualMs = await timesAt(0)
  return ((await timesAt(DELAY_MS)) - usualMs) / DELAY_MS
}

type Data = Record<string, Record<string, unknown>>

async function send(
  access: Access,
  method: string,
  path: string,
  body?: object,
  headers: object = {},
): Promise<Data> {
  const isOperation = path.startsWith("/internal/")
  const response = await fetch(`${access.base_url}${path}`, {
    method,
    headers: {
      authorization: `Bearer ${isOperation ? access.operator_token : access.api_key}`,
      ...(body === undefined ? {} : { "content-type": "application/json" }),
      ...headers,
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  })
  const answer = (await response.json()) as { readonly data?: Data }
  if (!response.ok)
    throw new Error(`${method} ${path} was answered ${response.status}: ${JSON.stringify(answer)}`)
  return answer.data ?? {}
}

/** Requests of partners with keys, and of the vehicles that operations report. */
function partnerRequests(
  { access }: ServiceProcess,
  hookUrl: string,
  offMs: number,
): Readonly<Record<string, Asked>> {
  const { production } = access
  let made = 0
  const inMinutes = (minutes: number): string =>
    new Date(Date.now() + offMs + minutes * MINUTE_MS).toISOString()
  // Bookings take turns in hours, so that stalls are free.
  const booking = (): object => {
    made += 1
    return {
      zone_id: production.zone_id,
      retailer_id: production.retailer_id,
      order_number: String(made),
      end_user_name: "Ada Example",
      end_user_phone: "+15125550100",
      open_link_url: hookUrl,
      arrival_window_start: inMinutes(30 + made * 15),
      arrival_window_end: inMinutes(40 + made * 15),
    }
  }
  const create = async (headers: object = {}): Promise<string> => {
    const { reservation } = await send(production, "POST", "/rs/v1/reservations", booking(), headers)
    return String(reservation?.["reservation_id"])
  }
  const report = async (timed: Timed): Promise<void> => {
    const id = await create()
    await timed(
      async () =>
        void (await send(production, "POST", `/rs/v1/reservations/${id}/bot`, { status: "INBOUND" })),
    )
    await send(production, "DELETE", `/rs/v1/reservations/${id}`)
  }
  const createAndCancel =
    (keyed: boolean) =>
    async (timed: Timed): Promise<void> => {
      let id = ""
      await timed(async () => void (id = await create(keyed ? { "idempotency-key": `trips-${made}` } : {})))
      await send(production, "DELETE", `/rs/v1/reservations/${id}`)
    }
  return {
    "read a reservation": async (timed) => {
      const id = await create()
      await timed(async () => void (await send(production, "GET", `/rs/v1/reservations/${id}`)))
      await send(production, "DELETE", `/rs/v1/reservations/${id}`)
    },
    "create a reservation, plain": createAndCancel(false),
    "create a reservation, with a key": createAndCancel(true),
    "bot report without a webhook": report,
    "bot report with a webhook": async (timed) => {
      const body = {
        url: hookUrl,
        subscribed_events: ["reservation.status_changed", "reservation.handoff_updated"],
      }
      const { webhook } = await send(production, "POST", "/rs/v1/webhooks", body)
      const id = await create()
      await timed(
        async () =>
          void (await send(production, "POST", `/rs/v1/reservations/${id}/bot`, { status: "ARRIVED" })),
      )
      await send(production, "DELETE", `/rs/v1/reservations/${id}`)
      await send(production, "PUT", `/rs/v1/webhooks/${String(webhook?.["webhook_id"])}`, {
        is_active: false,
      })
    },
    ...deliveryRequests(production, inMinutes),
  }
}

function deliveryRequests(
  production: Access,
  inMinutes: (minutes: number) => string,
): Readonly<Record<string, Asked>> {
  const headers = { "x-retailer-id": production.site_id }
  let made = 0
  const quote = async (): Promise<string> => {
    made += 1
    const id = `trip-${made}`
    await send(
      production,
      "POST",
      "/dd/v1/deliveries/quote",
      {
        external_delivery_id: id,
        customer: { phone: "+15125550123" },
        delivery_address: { street: "1 Sample St", city: "Austin", state: "TX", zip: "78758" },
        delivery_location: { latitude: 30.41, longitude: -97.73 },
        ready_by: inMinutes(10),
        order_items: [{ name: "Milk", quantity: 2 }],
      },
      headers,
    )
    return id
  }
  const create = (id: string): Promise<Data> =>
    send(production, "POST", "/dd/v1/deliveries", { external_delivery_id: id }, headers)
  const cancel = (id: string): Promise<Data> =>
    send(production, "PATCH", `/dd/v1/deliveries/${id}`, { status: "CANCELLED" }, headers)
  const fixes =
    (count: number) =>
    async (timed: Timed): Promise<void> => {
      const id = await quote()
      await create(id)
      // Its vehicle hears of the run by a message: a report that came first would take the message, too.
      await pause(ASSIGNED_MS)
      made += 1
      const body = {
        fixes: Array.from({ length: count }, (_, at) => ({
          latitude: 30.405 + made / 10_000 + at / 100_000,
          longitude: -97.7253,
          recorded_at: inMinutes((at - count) / 600),
        })),
      }
      await timed(
        async () =>
          void (await send(production, "POST", "/internal/v1/vehicles/veh_domain_north/telemetry", body)),
      )
      await cancel(id)
    }
  return {
    "vehicle report, one fix": fixes(1),
    "vehicle report, five fixes": fixes(5),
    quote: (timed) => timed(async () => void (await quote())),
    "create a delivery": async (timed) => {
      const id = await quote()
      await timed(async () => void (await create(id)))
      await cancel(id)
    },
  }
}

/** Calls of an agent; each errand ends canceled, so that the vehicle is free again. */
function agentRequests(tool: CallTool): Readonly<Record<string, Asked>> {
  const errand = async (): Promise<string> => {
    const [store] = DEMO_STORES
    if (store === undefined) throw new Error("the demo has no store")
    const town = { city: "Austin", state: "TX" }
    const { street, zip, place, name } = store
    const { delivery_id = "", ...rest } = await tool("check_delivery", {
      retailer_name: name,
      store_address: { street, zip, ...town, location: { lat: place.latitude, lng: place.longitude } },
      dropoff_address: { street: "1 River Road", zip: "78758", ...town },
      requested_timing: { type: "asap" },
      pickup_methods_offered: ["curbside"],
    })
    if (delivery_id === "") throw new Error(`the errand was declined: ${JSON.stringify(rest)}`)
    await tool("reserve_delivery", {
      delivery_id,
      customer: { first_name: "Ada", last_name: "Example" },
      contact: { phone: "+15125550100" },
      contact_consent: { granted: true, consent_version: "2026-09-27" },
      terms_acknowledged: { accepted: true, terms_version: "2026-09-27" },
      pickup_requirements_seen: [],
    })
    const payment = { shared_payment_token: "spt_1" }
    await tool("update_delivery", { delivery_id, update_type: "payment", payment })
    return delivery_id
  }
  return {
    "confirm_delivery, from the call to the captured fee": async (timed) => {
      const delivery_id = await errand()
      await timed(async () => {
        const confirmed = await tool("confirm_delivery", {
          delivery_id,
          order_number: "1001",
          items: [{ name: "Tomato soup", quantity: 2 }],
          confirmation_text: "Thank you!",
        })
        if (confirmed.payment_status !== "captured") throw new Error(JSON.stringify(confirmed))
      })
      await tool("cancel_delivery", { delivery_id })
      // The delivery ends by a message from the errand: only then is the vehicle free for the next one.
      await pause(CANCELED_MS)
    },
  }
}
