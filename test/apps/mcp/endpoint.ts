/**
 * The MCP endpoint over a courier that records its calls and gives the answers of the test, two tokens, and a switch,
 * so that only the endpoint is tested. Requests are injected; nothing listens.
 */

import { Cause, Context, Effect, Logger, Runtime } from "effect"
import type { FastifyInstance } from "fastify"
import type { AdmissionQueue } from "../../../src/live/concurrency/admission-queue.ts"
import { bridgeTo } from "../../../src/http/bridge.ts"
import { MCP_PATH, mcpPlugin } from "../../../src/apps/mcp/plugin.ts"
import type { McpSurface } from "../../../src/apps/mcp/plugin.ts"
import type { CourierEnvelope, CourierTool } from "../../../src/model/courier.ts"
import { Courier } from "../../../src/areas/courier/courier.ts"
import { ConnectorSwitch } from "../../../src/areas/linking/connector-switch.ts"
import { Linking, Unauthenticated } from "../../../src/areas/linking/linking.ts"
import { Tracking } from "../../../src/areas/tracking/tracking.ts"
import { bareApp } from "../../http/bare-app.ts"
import { Routine } from "../../../src/engine/services/routine.ts"

export const BASE_URL = "https://courier.curbline.example"
export const METADATA_URL = `${BASE_URL}/.well-known/oauth-protected-resource/api/delivery-mcp`
/** Two linked users' tokens. */
const TOKENS = { mca_ada: "usr_ada", mca_bob: "usr_bob" } as const

export const STATELESS = "2026-07-28"

/** What a request of the revision without a handshake says of itself. */
export const STATELESS_META = {
  "io.modelcontextprotocol/protocolVersion": STATELESS,
  "io.modelcontextprotocol/clientInfo": { name: "a client", version: "1" },
  "io.modelcontextprotocol/clientCapabilities": {},
}

export interface Asked {
  readonly tool: CourierTool
  readonly userId: string
  readonly args: unknown
}

export interface Endpoint {
  readonly app: FastifyInstance
  readonly asked: Asked[]
  /** What the next calls answer; a function may also end in a defect. */
  answer: Effect.Effect<CourierEnvelope>
  /** Whose data of a card was asked for. */
  readonly cardsAsked: { readonly userId: string; readonly deliveryId: string }[]
  cardData: ReturnType<Tracking["Type"]["card"]>
  isPaused: boolean
  /** What was written to the log. */
  readonly logged: string[]
  readonly send: (sent?: Sent) => Promise<Got>
  /** One JSON-RPC request under Ada's token. */
  readonly ask: (method: string, params?: object, headers?: Record<string, string>) => Promise<Got>
  readonly call: (name: string, args?: unknown) => Promise<Got>
  /** The same in the revision without a handshake, with the headers that it asks for. */
  readonly askStateless: (method: string, params?: StatelessParams, changes?: Changes) => Promise<Got>
}

type StatelessParams = Readonly<Record<string, unknown>>

interface Changes {
  readonly headers?: Readonly<Record<string, string | undefined>>
  /** Instead of the usual one; undefined: none. */
  readonly meta?: unknown
}

export interface Sent {
  readonly method?: string
  /** Without it, the endpoint's own. */
  readonly path?: string
  readonly headers?: Readonly<Record<string, string | undefined>>
  /** Sent as JSON. */
  readonly body?: unknown
  /** Sent as it is. */
  readonly text?: string | Buffer
}

export interface Got {
  readonly status: number
  readonly headers: Readonly<Record<string, string | undefined>>
  readonly text: string
  /** What was answered is judged field by field by each test. */
  readonly json: Json
}

interface Json {
  readonly [key: string]: Json | undefined
}

export const ENVELOPE: CourierEnvelope = {
  next_step: "Call get_delivery_status.",
  user_message: "All is well.",
}

/** What stands for the document of the card. */
export const CARD = "<!doctype html><title>Delivery</title>"

export const DELIVERY_ID = `dlv_${"A1".repeat(11)}`

/** Arguments that every tool takes. */
export const GOOD_ARGUMENTS = {
  check_delivery: {
    retailer_name: "Lunchbox Kitchen",
    store_address: { street: "1 Market St", city: "Austin", state: "TX", zip: "78701" },
    dropoff_address: { street: "2 River Rd", city: "Austin", state: "TX", zip: "78702" },
    requested_timing: { type: "asap" },
    pickup_methods_offered: ["curbside"],
    idempotency_key: "key-00000001",
  },
  reserve_delivery: {
    delivery_id: DELIVERY_ID,
    customer: { first_name: "Ada", last_name: "Example" },
    contact: {},
    contact_consent: { granted: true, consent_version: "2026-09-27" },
    terms_acknowledged: { accepted: true, terms_version: "2026-09-27" },
    pickup_requirements_seen: [],
    idempotency_key: "key-00000002",
  },
  confirm_delivery: {
    delivery_id: DELIVERY_ID,
    order_number: "1001",
    items: [{ name: "Soup", quantity: 1 }],
    confirmation_text: "Thank you",
    idempotency_key: "key-00000003",
  },
  update_delivery: {
    delivery_id: DELIVERY_ID,
    update_type: "dropoff_notes",
    dropoff_notes: "Blue door",
    idempotency_key: "key-00000004",
  },
  get_delivery_status: { delivery_id: DELIVERY_ID },
  cancel_delivery: { delivery_id: DELIVERY_ID, idempotency_key: "key-00000005" },
} as const satisfies Record<CourierTool, object>

interface Opened {
  readonly baseUrl?: string
  readonly origins?: readonly string[]
  readonly queue?: AdmissionQueue
  /** The user of requests without a token; usually they are refused. */
  readonly stranger?: string
}

export async function openEndpoint(opened: Opened = {}): Promise<Endpoint> {
  const { baseUrl = BASE_URL, queue, stranger, ...origins } = opened
  const queued = queue === undefined ? {} : { queue }
  const app = await bareApp({ environment: "production", hosts: [new URL(baseUrl).host], ...queued })
  const endpoint: Endpoint = {
    app,
    asked: [],
    answer: Effect.succeed(ENVELOPE),
    cardsAsked: [],
    cardData: Routine.succeed(null),
    isPaused: false,
    logged: [],
    send: (sent) => send(app, sent),
    ask: (method, params = {}, headers = {}) =>
      send(app, { headers, body: { jsonrpc: "2.0", id: 1, method, params } }),
    call: (name, args) => endpoint.ask("tools/call", { name, arguments: args }),
    askStateless: (method, params = {}, { headers, ...changes } = {}) => {
      const { meta } = { meta: STATELESS_META, ...changes }
      const name = params["name"] ?? params["uri"]
      const usual = {
        "mcp-protocol-version": STATELESS,
        "mcp-method": method,
        ...(typeof name === "string" ? { "mcp-name": name } : {}),
      }
      const body = { jsonrpc: "2.0", id: "own", method, params: { ...params, _meta: meta } }
      return send(app, { headers: { ...usual, ...headers }, body })
    },
  }
  const bridge = bridgeTo(runtimeOf(endpoint, stranger))
  const logger = Logger.make(({ message, cause }) => {
    endpoint.logged.push(`${String(message)}: ${Cause.pretty(cause)}`)
  })
  const logging = Logger.replace(Logger.defaultLogger, logger)
  await app.register(mcpPlugin, {
    run: (effect) => bridge(Effect.provide(effect, logging)),
    baseUrl,
    card: () => Promise.resolve(CARD),
    ...origins,
  })
  return endpoint
}

function runtimeOf(endpoint: Endpoint, stranger?: string): Runtime.Runtime<McpSurface> {
  const noting =
    (tool: CourierTool) =>
    (userId: string, args: unknown): Routine<CourierEnvelope> =>
      Routine.suspend(() => {
        endpoint.asked.push({ tool, userId, args })
        return endpoint.answer
      })
  const courier = {
    check: noting("check_delivery"),
    reserve: noting("reserve_delivery"),
    confirm: noting("confirm_delivery"),
    update: noting("update_delivery"),
    status: noting("get_delivery_status"),
    cancel: noting("cancel_delivery"),
  }
  const authenticate: Linking["Type"]["authenticate"] = (authorization) => {
    const token = /^Bearer (mca_\w+)$/.exec(authorization ?? "")?.[1]
    const userId = token === undefined ? stranger : (TOKENS as Record<string, string>)[token]
    return userId === undefined
      ? Routine.fail(new Unauthenticated({ description: "no good token", resourceMetadata: METADATA_URL }))
      : Routine.succeed({ userId })
  }
  const admit: Linking["Type"]["admit"] = (authorization) =>
    Routine.suspend((): ReturnType<Linking["Type"]["admit"]> =>
      endpoint.isPaused ? Routine.succeed("paused" as const) : authenticate(authorization),
    )
  const context = Context.make(Courier, courier).pipe(
    Context.add(Linking, { authenticate, admit }),
    Context.add(Tracking, {
      card: (userId, deliveryId) =>
        Routine.suspend(() => {
          endpoint.cardsAsked.push({ userId, deliveryId })
          return endpoint.cardData
        }),
      view: () => Routine.dieMessage("customers look, agents do not"),
      deliveryOf: () => Routine.dieMessage("customers open, agents do not"),
      open: () => Routine.dieMessage("customers open, agents do not"),
    }),
    Context.add(ConnectorSwitch, {
      isPaused: Routine.sync(() => endpoint.isPaused),
      pause: Routine.dieMessage("operators pause, agents do not"),
      resume: Routine.dieMessage("operators resume, agents do not"),
      status: Routine.dieMessage("agents do not ask"),
    }),
  )
  return Runtime.updateContext(Runtime.defaultRuntime, () => context)
}

const USUAL_HEADERS = {
  host: new URL(BASE_URL).host,
  authorization: "Bearer mca_ada",
  "content-type": "application/json",
  accept: "application/json, text/event-stream",
}

async function send(
  app: FastifyInstance,
  { method = "POST", path = MCP_PATH, headers, body, text }: Sent = {},
): Promise<Got> {
  const payload = body === undefined ? text : JSON.stringify(body)
  const all = Object.entries({ ...USUAL_HEADERS, ...headers })
  const response = await app.inject({
    method: method as "POST",
    url: path,
    headers: Object.fromEntries(all.filter(([, value]) => value !== undefined)),
    ...(payload === undefined ? {} : { payload }),
  })
  const isJson = String(response.headers["content-type"]).startsWith("application/json")
  return {
    status: response.statusCode,
    headers: response.headers as Got["headers"],
    text: response.body,
    json: isJson && response.body !== "" ? response.json<Json>() : {},
  }
}
