/**
 * The HTTP app over the simulated service, and a caller that holds every answer against the OpenAPI document: its
 * status, its body, its headers; and of a request that was accepted, its body.
 */

import { createHmac, timingSafeEqual } from "node:crypto"
import { Clock, Context, Effect, Layer, Runtime } from "effect"
import { Ajv2020 } from "ajv/dist/2020.js"
import type { FastifyInstance } from "fastify"
import { expect } from "vitest"
import { makeApp } from "../../src/http/app.ts"
import type { HttpServices } from "../../src/http/app.ts"
import { PERMISSIONS } from "../../src/model/caller.ts"
import type { Environment, Permission } from "../../src/model/caller.ts"
import { MINUTE_MS } from "../../src/model/time.ts"
import type { EpochMs } from "../../src/model/time.ts"
import { layerAdmission } from "../../src/services/access/admission.ts"
import { ApiKeys, layerApiKeys } from "../../src/services/access/api-keys.ts"
import type { NewApiKey } from "../../src/services/access/api-keys.ts"
import { Organizations, layerOrganizations } from "../../src/services/access/organizations.ts"
import type { NewOrganization } from "../../src/services/access/organizations.ts"
import { DEFAULT_RATE_LIMITS, layerRatePolicy } from "../../src/services/access/rate-limits.ts"
import type { RateLimits } from "../../src/services/access/rate-limits.ts"
import { ActorHost } from "../../src/services/host.ts"
import { PLACEHOLDER_PHOTO_ID } from "../../src/services/photos/photo-links.ts"
import { PhotoFiles } from "../../src/services/photos/photo-files.ts"
import type { PhotoFile } from "../../src/services/photos/photo-files.ts"
import { layerDiscovery } from "../../src/services/reservations/discovery.ts"
import { layerMemoryAccessRows, layerMemoryRateCounter } from "../../src/simulation/memory-access.ts"
import { layerMemoryCatalog } from "../../src/simulation/memory-rows.ts"
import { simulateService } from "../../src/simulation/simulated-service.ts"
import type { SimulatedService } from "../../src/simulation/simulated-service.ts"
import { START_MS } from "../conformance/memory.ts"
import { world } from "../conformance/world.ts"

export const HOOK = "https://hooks.partner.example/events"
export const OPEN_LINK = "https://open.partner.example/doors/7"

export interface ApiOptions {
  readonly environment?: Environment
  readonly hosts?: readonly string[]
  readonly limits?: RateLimits
  /** Services that stand in for the real ones. */
  readonly instead?: Context.Context<never>
}

export interface Sent {
  readonly key?: string | null
  readonly headers?: Readonly<Record<string, string>>
  /** Sent as JSON. */
  readonly body?: unknown
  /** Sent as it is. */
  readonly text?: string | Buffer
}

/** An answer that the document describes. */
export interface Answered {
  readonly status: number
  readonly code: string | null
  readonly data: Record<string, unknown>
  readonly body: Record<string, unknown>
  readonly bytes: Buffer
  readonly headers: Readonly<Record<string, string | undefined>>
}

export interface Api {
  readonly service: SimulatedService
  readonly app: FastifyInstance
  readonly organizationId: string
  /** A key of this environment with every permission. */
  readonly key: string
  readonly now: () => EpochMs
  readonly advance: (ms: number) => void
  readonly makeOrganization: (more?: Partial<NewOrganization>) => string
  /** Of the usual organization and this environment, with every permission, unless told otherwise. */
  readonly makeKey: (more?: Partial<NewApiKey>) => string
  readonly holding: (...permissions: Permission[]) => string
  readonly access: <A, E>(effect: Effect.Effect<A, E, Organizations | ApiKeys>) => A
  readonly call: (method: string, path: string, sent?: Sent) => Promise<Answered>
  /** A booking that holds. */
  readonly booking: (more?: object) => object
  /** Books, and gives the id. */
  readonly book: (more?: object) => Promise<string>
}

export async function makeApi(options: ApiOptions = {}): Promise<Api> {
  const { environment = "production", hosts, limits = DEFAULT_RATE_LIMITS, instead } = options
  const service = simulateService({ seed: 7, startMs: START_MS, sites: world, recording: "full" })
  const runtime = withAccess(service, { limits, instead: instead ?? Context.empty() })
  const app = await makeApp({ runtime, environment, ...(hosts === undefined ? {} : { hosts }) })
  const document = (await app.inject({ url: "/openapi/rs.json", ...hostOf(hosts) })).json<Document>()
  const check = checker(document)
  const { time } = service.host
  const access: Api["access"] = (effect) => Runtime.runSync(runtime)(effect)
  const makeOrganization: Api["makeOrganization"] = (more) =>
    access(
      Effect.flatMap(Organizations, (organizations) =>
        organizations.add({
          name: "Wheels",
          isFleetPartner: true,
          environments: ["production", "sandbox"],
          ...more,
        }),
      ),
    ).organizationId
  const organizationId = makeOrganization()
  const makeKey: Api["makeKey"] = (more) =>
    access(
      Effect.flatMap(ApiKeys, (keys) =>
        keys.make({ organizationId, environment, permissions: PERMISSIONS, expiresAtMs: null, ...more }),
      ),
    ).value
  const key = makeKey()
  const call: Api["call"] = async (method, path, sent = {}) => {
    const { headers, payload } = requestOf({ key, ...sent })
    const pending = app.inject({
      method: method as "GET",
      url: path,
      headers: { ...hostOf(hosts).headers, ...headers },
      ...(payload === undefined ? {} : { payload }),
    })
    const settled = pending.then(() => true)
    const nothing = new Promise<boolean>((resolve) => setImmediate(resolve, false))
    // Fibers of the simulated service go on when they are told to.
    for (let turn = nothing; !(await Promise.race([settled, turn]));) {
      time.run(time.nowMs - 1)
      turn = new Promise<boolean>((resolve) => setImmediate(resolve, false))
    }
    const response = await pending
    const answered = answeredOf(response)
    check({ method, path, answered, sent: sent.body })
    return answered
  }
  const booking: Api["booking"] = (more) => ({
    zone_id: "zone_curb",
    retailer_id: "retailer_grocer",
    order_number: "A-1001",
    end_user_name: "Ada Example",
    end_user_phone: "+15125550100",
    arrival_window_start: iso(time.nowMs + 30 * MINUTE_MS),
    arrival_window_end: iso(time.nowMs + 60 * MINUTE_MS),
    open_link_url: OPEN_LINK,
    ...more,
  })
  return {
    service,
    app,
    organizationId,
    key,
    now: () => time.nowMs,
    advance: (ms) => {
      const untilMs = time.nowMs + ms
      time.run(untilMs)
      time.advanceTo(untilMs)
    },
    makeOrganization,
    makeKey,
    holding: (...permissions) => makeKey({ permissions }),
    access,
    call,
    booking,
    book: async (more) => {
      const { data } = await call("POST", "/rs/v1/reservations", { body: booking(more) })
      return reservationOf(data).reservation_id
    },
  }
}

/** The parts of a reservation that tests read. */
export interface SeenReservation {
  readonly reservation_id: string
  readonly status: string
  readonly bot: { readonly status: string; readonly label: string | null } | null
  readonly handoff: { readonly status: string; readonly load_photo_url: string | null } | null
  readonly [field: string]: unknown
}

export function reservationOf(data: Record<string, unknown>): SeenReservation {
  return data["reservation"] as SeenReservation
}

export function iso(instantMs: EpochMs): string {
  return new Date(instantMs).toISOString()
}

export const PHOTO_BYTES = Buffer.from([0xff, 0xd8, 0xff, 0xd9])

function withAccess(
  { host, runtime }: SimulatedService,
  { limits, instead }: { readonly limits: RateLimits; readonly instead: Context.Context<never> },
): Runtime.Runtime<HttpServices | Organizations | ApiKeys> {
  const ports = Layer.mergeAll(
    layerMemoryAccessRows(host.store),
    layerMemoryRateCounter,
    layerRatePolicy(limits),
    Layer.succeed(ActorHost, host.port),
    layerMemoryCatalog(world),
  )
  const layers = Layer.mergeAll(layerAdmission, layerApiKeys, layerOrganizations, layerDiscovery)
  const added = Effect.runSync(Effect.scoped(Layer.build(Layer.provide(layers, ports))))
  const photos = Context.make(PhotoFiles, { open: openSimulatedPhoto })
  return Runtime.updateContext(runtime, (context) => Context.mergeAll(context, added, photos, instead))
}

/** What the simulated outside world signs. */
const openSimulatedPhoto: PhotoFiles["Type"]["open"] = ({ photoId, exp, sig }) =>
  Effect.gen(function* () {
    const nowMs = yield* Clock.currentTimeMillis
    const good = createHmac("sha256", "simulated").update(`${photoId} ${exp}`).digest()
    const given = Buffer.from(sig, "hex")
    const isGood = given.length === good.length && timingSafeEqual(given, good)
    if (!isGood || Number(exp) * 1000 <= nowMs || photoId !== PLACEHOLDER_PHOTO_ID) return null
    return { bytes: PHOTO_BYTES, mediaType: "image/jpeg" } satisfies PhotoFile
  })

function hostOf(hosts: readonly string[] | undefined): { readonly headers: Record<string, string> } {
  return { headers: hosts?.[0] === undefined ? {} : { host: hosts[0] } }
}

function requestOf({ key, headers, body, text }: Sent): {
  readonly headers: Record<string, string>
  readonly payload: string | Buffer | undefined
} {
  const payload = body === undefined ? text : JSON.stringify(body)
  return {
    headers: {
      ...(key === null || key === undefined ? {} : { authorization: `Bearer ${key}` }),
      ...(body === undefined ? {} : { "content-type": "application/json" }),
      ...headers,
    },
    payload,
  }
}

function answeredOf(response: {
  readonly statusCode: number
  readonly headers: object
  readonly rawPayload: Buffer
}): Answered {
  const headers = response.headers as Readonly<Record<string, string | undefined>>
  const isJson = headers["content-type"]?.startsWith("application/json") === true
  const text = response.rawPayload.toString()
  const body = isJson && text !== "" ? (JSON.parse(text) as Record<string, unknown>) : {}
  return {
    status: response.statusCode,
    code: typeof body["code"] === "string" ? body["code"] : null,
    data: (body["data"] ?? {}) as Record<string, unknown>,
    body,
    bytes: response.rawPayload,
    headers,
  }
}

interface Operation {
  readonly security?: readonly unknown[]
  readonly requestBody?: { readonly content: Readonly<Record<string, { readonly schema: object }>> }
  readonly responses: Readonly<
    Record<
      string,
      {
        readonly headers?: Readonly<Record<string, unknown>>
        readonly content?: Readonly<Record<string, { readonly schema?: object }>>
      }
    >
  >
}

export interface Document {
  readonly openapi: string
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>
  readonly components: { readonly schemas: Readonly<Record<string, object>> }
}

interface Exchange {
  readonly method: string
  readonly path: string
  readonly answered: Answered
  readonly sent: unknown
}

const DATE_TIME = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z$/

/** Throws where an exchange is not as the document says. */
function checker(document: Document): (exchange: Exchange) => void {
  const incoming = new Ajv2020({ strict: false, allErrors: true, formats: { "date-time": true } })
  incoming.addSchema(document, "rs")
  const outgoing = new Ajv2020({ strict: false, allErrors: true, formats: { "date-time": DATE_TIME } })
  outgoing.addSchema(closed(document) as Document, "rs")
  const holds = (ajv: Ajv2020, pointer: string, value: unknown, what: string): void => {
    const validate = ajv.compile({ $ref: `rs#${pointer}` })
    expect(validate(value), `${what}: ${JSON.stringify(validate.errors)} in ${JSON.stringify(value)}`).toBe(
      true,
    )
  }
  return ({ method, path, answered, sent }) => {
    const { status, headers, body } = answered
    const what = `${method} ${path} ${status}`
    expect(headers["x-request-id"], what).toMatch(/^[0-9A-Za-z._-]{1,64}$/)
    if (method === "HEAD") return
    if (status >= 400) {
      expect(body["request_id"], what).toBe(headers["x-request-id"])
      holds(outgoing, "/components/schemas/Error", body, what)
    }
    const found = operationAt(document, method, path.split("?")[0] ?? "")
    if (found === null) {
      expect([404, 405, 421], what).toContain(status)
      return
    }
    if (status === 421) return
    const response = found.operation.responses[String(status)]
    expect(response, `${what} is not in the document`).toBeDefined()
    for (const name of Object.keys(response?.headers ?? {})) {
      expect(headers[name.toLowerCase()], `${what}: ${name}`).toBeDefined()
    }
    const mediaType = (headers["content-type"] ?? "").split(";")[0] ?? ""
    expect(Object.keys(response?.content ?? {}), what).toContain(mediaType)
    if (mediaType !== "application/json") return
    const schemaAt = `${found.pointer}/responses/${status}/content/application~1json/schema`
    holds(outgoing, schemaAt, body, what)
    if (status < 300 && found.operation.requestBody !== undefined && sent !== undefined) {
      holds(
        incoming,
        `${found.pointer}/requestBody/content/application~1json/schema`,
        sent,
        `${what} request`,
      )
    }
  }
}

function operationAt(
  { paths }: Document,
  method: string,
  path: string,
): { readonly operation: Operation; readonly pointer: string } | null {
  const segments = path.split("/")
  for (const [pattern, operations] of Object.entries(paths)) {
    const parts = pattern.split("/")
    const fits =
      parts.length === segments.length &&
      parts.every((part, at) => part === segments[at] || part.startsWith("{"))
    const operation = operations[method.toLowerCase()]
    if (!fits || operation === undefined) continue
    // A fragment is percent-decoded before it is read as a pointer.
    const name = encodeURIComponent(pattern.replaceAll("~", "~0").replaceAll("/", "~1"))
    return { operation, pointer: `/paths/${name}/${method.toLowerCase()}` }
  }
  return null
}

/** The same document with every object closed: what is not described must not be there. */
function closed(part: unknown): unknown {
  if (Array.isArray(part)) return part.map(closed)
  if (typeof part !== "object" || part === null) return part
  const entries = Object.entries(part).map(([name, value]) => [name, closed(value)] as const)
  const copy = Object.fromEntries(entries) as Record<string, unknown>
  return copy["type"] === "object" && copy["properties"] !== undefined
    ? { ...copy, additionalProperties: false }
    : copy
}
