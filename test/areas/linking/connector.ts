/**
 * The connector's authorization server over embedded PGlite or another database, on a clock that the tests move; a user with a
 * browser; and a verification of codes whose numbers can be landlines and which can fail. The tests of a file share one, so
 * each brings its own address and number.
 */

import { createHash } from "node:crypto"
import { Context, Effect, Layer, Runtime } from "effect"
import { sql } from "drizzle-orm"
import type { FastifyInstance } from "fastify"
import { builtInOrder } from "../../../src/engine/library-internals/layers.ts"
import { makeApp } from "../../../src/apps/app.ts"
import { assetsPlugin } from "../../../src/http/pages/assets.ts"
import { servedPages } from "../../../src/pages/bundling/served-pages.ts"
import type { HttpServices } from "../../../src/apps/app.ts"
import { bridgeTo } from "../../../src/http/bridge.ts"
import { oauthPlugin } from "../../../src/areas/linking/http/plugin.ts"
import { layerLinking, linkingRetention } from "../../../src/live/services/linking.ts"
import type { LinkingServices } from "../../../src/live/services/linking.ts"
import type { LiveServices } from "../../../src/live/services/live-service.ts"
import type { Environment } from "../../../src/model/caller.ts"
import type { ClientRegistration, TokenAnswer } from "../../../src/model/linking.ts"
import { MINUTE_MS } from "../../../src/model/values/time.ts"
import { layerAdmission } from "../../../src/http/access/admission.ts"
import { layerRatePolicy } from "../../../src/http/access/rate-limits.ts"
import { Phones } from "../../../src/areas/linking/phones.ts"
import { AllowedRedirects } from "../../../src/areas/linking/redirect-uris.ts"
import { OutboundDocuments } from "../../../src/engine/services/outbound/outbound-documents.ts"
import type { DocumentAnswer } from "../../../src/engine/services/outbound/outbound-documents.ts"
import { SmsVerification, VerificationDown } from "../../../src/areas/linking/sms-verification.ts"
import { Discovery } from "../../../src/areas/reservations/discovery.ts"
import { layerPhotoFiles } from "../../../src/engine/services/photos/photo-files.ts"
import { Retention, layerRetention } from "../../../src/engine/services/retention/retention.ts"
import { SIMULATED_PHOTO_KEY } from "../../../src/simulation/outside-world.ts"
import type { HostFault } from "../../../src/simulation/outside-world.ts"
import { layerAccessRows, layerRateCounter } from "../../../src/http/access/store/access-rows.ts"
import { Database } from "../../../src/engine/store/database.ts"
import type { DatabaseFault } from "../../../src/engine/store/database.ts"
import { liveHarness, openTestDatabase } from "../../conformance/live.ts"
import { layerCopiedPglite } from "../../engine/store/embedded-template.ts"

export const ORIGIN = "https://courier.example"
export const PATH = "/api/delivery-mcp"
export const ISSUER = `${ORIGIN}${PATH}`
export const AUTHORIZE = `${PATH}/oauth/authorize`
export const CALLBACK = "https://agent.example/callback"
export const OTHER_CALLBACK = "https://agent.example/callback?tenant=7"

export const VERIFIER = "v".repeat(43)
export const CHALLENGE = createHash("sha256").update(VERIFIER).digest("base64url")

type Form = Readonly<Record<string, string>>

export interface Said {
  readonly status: number
  readonly headers: Readonly<Record<string, string | undefined>>
  readonly text: string
  readonly json: Readonly<Record<string, unknown>>
}

/** What the hosts of clients serve, and which of their documents were read. */
export interface ServedDocuments {
  readonly answers: Map<string, DocumentAnswer>
  readonly reads: string[]
}

/** What a test may do to the provider of codes. */
export interface Provider {
  readonly landlines: Set<string>
  isDown: boolean
  isBlocking: boolean
  /** Codes sent, by number; the newest last. */
  readonly sent: Map<string, string[]>
  /** Numbers that were looked up. */
  readonly lookedUp: string[]
}

export interface Sent {
  readonly form?: Form | string
  readonly json?: unknown
  readonly text?: string | Buffer
  readonly headers?: Readonly<Record<string, string>>
}

export interface Connector {
  readonly app: FastifyInstance
  readonly provider: Provider
  readonly documents: ServedDocuments
  /** From now on the name of a host leads nowhere, or to an inside address. */
  readonly breakHost: (name: string, fault: HostFault | null) => void
  readonly now: () => number
  readonly advance: (ms: number) => Promise<void>
  readonly run: <A, E>(effect: Effect.Effect<A, E, Served>) => Promise<A>
  readonly visitor: () => Visitor
  /** A number that is enabled, and has never been used. */
  readonly number: () => Promise<string>
  /** Everything that the database holds about linking. */
  readonly content: () => Promise<string>
  readonly retain: () => Promise<void>
  readonly close: () => Promise<void>
}

type Served = Database | HttpServices | LinkingServices | LiveServices

/** A visitor with a network address. */
export interface Visitor {
  readonly address: string
  readonly ask: (method: string, url: string, sent?: Sent) => Promise<Said>
  readonly register: (more?: object) => Promise<ClientRegistration>
  /** The first page of an authorization. */
  readonly open: (client: ClientRegistration, more?: Form) => Promise<Said>
  /** Sends a page's form. */
  readonly submit: (page: Said, form: Form, more?: Sent) => Promise<Said>
  /** Sends a page's form, and loads the page that a 303 leads to, as a browser does. */
  readonly post: (page: Said, form: Form, more?: Sent) => Promise<Said>
  /** From the first page to the redirect. */
  readonly authorize: (client: ClientRegistration, phone: string, more?: Form) => Promise<URL>
  readonly token: (form: Form | string) => Promise<Said>
  /** The form of an exchange that would do. */
  readonly exchangeForm: (client: ClientRegistration, location: URL) => Form
  readonly link: (phone?: string, client?: ClientRegistration) => Promise<Linked>
}

export interface Linked {
  readonly client: ClientRegistration
  readonly phone: string
  readonly tokens: TokenAnswer
}

export async function makeConnector(
  environment: Environment = "production",
  databaseLayer: Layer.Layer<Database, DatabaseFault> = layerCopiedPglite,
): Promise<Connector> {
  const database = openTestDatabase(databaseLayer)
  const service = liveHarness(database.context)
  const provider: Provider = {
    landlines: new Set(),
    isDown: false,
    isBlocking: false,
    sent: new Map(),
    lookedUp: [],
  }
  const documents: ServedDocuments = { answers: new Map(), reads: [] }
  const runtime = await runtimeOf(service, provider, documents)
  const run: Connector["run"] = (effect) => Runtime.runPromise(runtime)(effect)
  const app = await makeApp({ runtime, environment })
  await app.register(
    assetsPlugin,
    servedPages(() => Promise.resolve()),
  )
  if (environment === "production")
    await app.register(oauthPlugin, { run: bridgeTo(runtime), baseUrl: ORIGIN })
  for (const uri of [CALLBACK, OTHER_CALLBACK]) {
    await run(Effect.flatMap(AllowedRedirects, (redirects) => redirects.allow(uri)))
  }
  let numbers = 0
  let visitors = 0
  const number = async (): Promise<string> => {
    numbers += 1
    const phone = `+1512555${String(numbers).padStart(4, "0")}`
    await run(Effect.flatMap(Phones, (phones) => phones.enable(phone)))
    return phone
  }
  return {
    app,
    provider,
    documents,
    breakHost: service.breakHost,
    now: service.now,
    advance: service.advance,
    run,
    number,
    visitor: () => {
      visitors += 1
      return visitorAt(`203.0.${Math.floor(visitors / 250)}.${(visitors % 250) + 1}`, {
        app,
        provider,
        number,
      })
    },
    content: () => run(contentOf),
    retain: async () => {
      const retention = layerRetention(linkingRetention("tests"))
      await run(
        Effect.provide(
          Effect.flatMap(Retention, (one) => one.run),
          retention,
        ),
      )
    },
    close: async () => {
      await app.close()
      await service.close()
      await database.close()
    },
  }
}

async function runtimeOf(
  service: ReturnType<typeof liveHarness>,
  provider: Provider,
  documents: ServedDocuments,
): Promise<Runtime.Runtime<Served>> {
  const running = await service.run(Effect.runtime<LiveServices | Database>())
  const ports = Layer.mergeAll(layerAccessRows, layerRateCounter, layerRatePolicy())
  const layers = Layer.mergeAll(
    layerAdmission,
    Discovery.layer,
    layerLinking({
      baseUrl: ORIGIN,
      secret: "tests",
      verification: layerProvider(provider, service.now),
    }).pipe(Layer.provide(layerDocuments(documents))),
    layerPhotoFiles(SIMULATED_PHOTO_KEY),
  )
  const added = await Runtime.runPromise(running)(Effect.scoped(builtInOrder(Layer.provide(layers, ports))))
  return Runtime.updateContext(running, (context) => Context.merge(context, added))
}

/** A URL at which nothing is served takes no connection. */
function layerDocuments({ answers, reads }: ServedDocuments): Layer.Layer<OutboundDocuments> {
  return Layer.succeed(OutboundDocuments, {
    get: ({ url }) =>
      Effect.sync(() => {
        reads.push(url)
        return answers.get(url) ?? { type: "unanswered", reason: "connection_failed" }
      }),
  })
}

/** As the built-in one, with codes that count up and everything that can go wrong. */
function layerProvider(provider: Provider, now: () => number): Layer.Layer<SmsVerification> {
  const live = new Map<string, { readonly code: string; readonly atMs: number }>()
  let made = 0
  const unlessDown = <A>(answer: () => A): Effect.Effect<A, VerificationDown> =>
    Effect.suspend(() => (provider.isDown ? new VerificationDown({ reason: "test" }) : Effect.sync(answer)))
  return Layer.succeed(SmsVerification, {
    canText: (phone) =>
      Effect.sync(() => {
        provider.lookedUp.push(phone)
        return !provider.landlines.has(phone)
      }),
    send: (phone) =>
      unlessDown(() => {
        if (provider.isBlocking) return "not-textable"
        made += 1
        const code = String(made).padStart(6, "0")
        provider.sent.set(phone, [...(provider.sent.get(phone) ?? []), code])
        live.set(phone, { code, atMs: now() })
        return "sent"
      }),
    check: (phone, typed) =>
      unlessDown(() => {
        const sent = live.get(phone)
        if (sent === undefined || now() - sent.atMs >= 10 * MINUTE_MS) return "over"
        if (sent.code !== typed) return "wrong"
        live.delete(phone)
        return "right"
      }),
  })
}

const contentOf = Effect.flatMap(Database, ({ orm }) =>
  Effect.promise(async () => {
    const tables = [
      "linked_users",
      "oauth_clients",
      "oauth_codes",
      "oauth_tokens",
      "linking_limits",
      "sms_codes",
      "terminal_codes",
    ]
    const rows: unknown[] = []
    for (const table of tables) rows.push(await orm.execute(sql.raw(`select * from ${table}`)))
    return JSON.stringify(rows)
  }),
)

interface Around {
  readonly app: FastifyInstance
  readonly provider: Provider
  readonly number: () => Promise<string>
}

function visitorAt(address: string, { app, provider, number }: Around): Visitor {
  const ask: Visitor["ask"] = async (method, url, sent = {}) => {
    const { payload, type } = payloadOf(sent)
    const response = await app.inject({
      method: method as "GET",
      url,
      remoteAddress: address,
      headers: {
        host: new URL(ORIGIN).host,
        ...(type === null ? {} : { "content-type": type }),
        ...sent.headers,
      },
      ...(payload === undefined ? {} : { payload }),
    })
    const headers = response.headers as Said["headers"]
    const text = response.rawPayload.toString()
    const isJson = headers["content-type"]?.startsWith("application/json") === true && text !== ""
    return {
      status: response.statusCode,
      headers,
      text,
      json: isJson ? (JSON.parse(text) as Said["json"]) : {},
    }
  }
  const self: Visitor = {
    address,
    ask,
    register: async (more) => {
      const json = { client_name: "Agent", redirect_uris: [CALLBACK, OTHER_CALLBACK], ...more }
      const said = await ask("POST", `${PATH}/oauth/register`, { json })
      if (said.status !== 201) throw new Error(`not registered: ${said.text}`)
      return said.json as unknown as ClientRegistration
    },
    open: (client, more) => ask("GET", authorizeUrl(client, more)),
    submit: (page, form, more) =>
      ask("POST", AUTHORIZE, { form: { request: requestIn(page), ...form }, ...more }),
    post: async (page, form, more) => {
      const said = await self.submit(page, form, more)
      return said.status === 303 ? ask("GET", pathOf(said.headers["location"] ?? "")) : said
    },
    authorize: async (client, phone, more) => {
      const asked = await self.post(await self.open(client, more), { phone })
      const done = await self.post(asked, { code: provider.sent.get(phone)?.at(-1) ?? "" })
      if (done.status !== 302) throw new Error(`no redirect: ${done.status} ${done.text}`)
      return new URL(done.headers["location"] ?? "")
    },
    token: (form) => ask("POST", `${PATH}/oauth/token`, { form }),
    exchangeForm: (client, location) => ({
      grant_type: "authorization_code",
      client_id: client.client_id,
      code: location.searchParams.get("code") ?? "",
      redirect_uri: CALLBACK,
      code_verifier: VERIFIER,
    }),
    link: async (given, known) => {
      const phone = given ?? (await number())
      const client = known ?? (await self.register())
      const said = await self.token(self.exchangeForm(client, await self.authorize(client, phone)))
      if (said.status !== 200) throw new Error(`no tokens: ${said.text}`)
      return { client, phone, tokens: said.json as unknown as TokenAnswer }
    },
  }
  return self
}

function pathOf(location: string): string {
  const { pathname, search } = new URL(location)
  return `${pathname}${search}`
}

function payloadOf({ form, json, text }: Sent): {
  payload: string | Buffer | undefined
  type: string | null
} {
  if (form !== undefined) {
    const payload = typeof form === "string" ? form : new URLSearchParams(form).toString()
    return { payload, type: "application/x-www-form-urlencoded" }
  }
  if (json !== undefined) return { payload: JSON.stringify(json), type: "application/json" }
  return { payload: text, type: null }
}

export function authorizeUrl(client: Pick<ClientRegistration, "client_id">, more: Form = {}): string {
  const query = new URLSearchParams({
    response_type: "code",
    client_id: client.client_id,
    redirect_uri: CALLBACK,
    code_challenge: CHALLENGE,
    code_challenge_method: "S256",
    resource: ISSUER,
    ...more,
  })
  return `${AUTHORIZE}?${query.toString()}`
}

/** The hidden value of a page's form. */
export function requestIn({ text }: Said): string {
  return /name="request" value="([^"]*)"/.exec(text)?.[1] ?? ""
}

/** The parameters of a redirect to the client. */
export function toldIn({ headers }: Said): Readonly<Record<string, string>> {
  return Object.fromEntries(new URL(headers["location"] ?? "").searchParams)
}
