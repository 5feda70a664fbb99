/**
 * The portal over the simulated service: a browser that keeps its cookie, a mailbox that reads the outbox, and every answer
 * held against the portal's document.
 */

import { hashSync, verifySync } from "@node-rs/argon2"
import { Context, Effect, Layer, Runtime } from "effect"
import type { FastifyInstance } from "fastify"
import { expect, onTestFinished } from "vitest"
import { builtInOrder } from "../../../src/engine/library-internals/layers.ts"
import { layerWebAuthn } from "../../../src/live/gateways/web-authn.ts"
import { loadPasswordStrength } from "../../../src/live/gateways/password-strength.ts"
import { makeAppOver } from "../../../src/apps/app.ts"
import type { HttpServices } from "../../../src/apps/app.ts"
import { bridgeTo } from "../../../src/http/bridge.ts"
import { portalPlugin } from "../../../src/apps/portal/http/plugin.ts"
import type { PortalSurface } from "../../../src/apps/portal/http/plugin.ts"
import type { EpochMs } from "../../../src/model/values/time.ts"
import { layerAdmission } from "../../../src/http/access/admission.ts"
import { CallLog } from "../../../src/http/access/call-log.ts"
import type { AnsweredRequest } from "../../../src/http/access/call-log.ts"
import { loggedCallOf } from "../../../src/http/access/call-log.ts"
import { AuditLog, AuditRows } from "../../../src/http/access/audit-log.ts"
import { PortalAudit } from "../../../src/apps/portal/audit.ts"
import { layerPlainCallRows } from "../../../src/http/access/call-repository.ts"
import type { CallRows } from "../../../src/http/access/call-rows.ts"
import type { KeyUses } from "../../../src/http/access/key-uses.ts"
import { ApiKeys } from "../../../src/http/access/api-keys.ts"
import { Organizations } from "../../../src/apps/operations/organizations.ts"
import { layerRatePolicy } from "../../../src/http/access/rate-limits.ts"
import { Arrivals } from "../../../src/engine/services/arrivals.ts"
import { ActorHost } from "../../../src/engine/services/host.ts"
import type { MessageNotices } from "../../../src/areas/messages/notices.ts"
import { MessageRows } from "../../../src/areas/messages/rows.ts"
import type { Message } from "../../../src/areas/messages/rows.ts"
import { PhotoFiles } from "../../../src/engine/services/photos/photo-files.ts"
import { PortalAccounts } from "../../../src/apps/portal/people/accounts.ts"
import { PortalDeliveries } from "../../../src/apps/portal/deliveries.ts"
import type { SandboxProgress } from "../../../src/apps/portal/deliveries.ts"
import { DeliveryDetails } from "../../../src/apps/portal/delivery-details.ts"
import { PortalReservations } from "../../../src/apps/portal/reservations.ts"
import { TestReservations } from "../../../src/areas/courses/test-reservations.ts"
import { SecondFactorRows } from "../../../src/apps/portal/people/second-factor-rows.ts"
import { Passkeys } from "../../../src/apps/portal/people/passkeys.ts"
import { PortalAddress } from "../../../src/apps/portal/portal-address.ts"
import { SecondFactors } from "../../../src/apps/portal/people/second-factor.ts"
import {
  PartnerRequestRows,
  PartnerRequests,
  PartnerReview,
} from "../../../src/apps/portal/partner-requests.ts"
import { FormerRows } from "../../../src/apps/portal/people/former-members.ts"
import { SiteRequestRows, SiteRequests } from "../../../src/apps/portal/site-requests.ts"
import { PortalSites } from "../../../src/apps/portal/sites.ts"
import { PortalWebhooks } from "../../../src/apps/portal/webhook-events.ts"
import { ChangedGroups } from "../../../src/engine/services/changed-groups.ts"
import { TestDeliveries } from "../../../src/areas/courses/test-deliveries.ts"
import { PortalMembers } from "../../../src/apps/portal/members.ts"
import { layerMessageNotices } from "../../../src/apps/portal/notice-recipients.ts"
import { PortalOrganization } from "../../../src/apps/portal/organization.ts"
import { Passwords } from "../../../src/apps/portal/people/passwords.ts"
import { DeviceKey } from "../../../src/apps/portal/people/sign-in-policy.ts"
import { layerBuiltInGeocoder } from "../../../src/engine/services/geocoding/built-in-geocoder.ts"
import { DigestKey } from "../../../src/engine/services/digest-key.ts"
import { Routine } from "../../../src/engine/services/routine.ts"
import { AccessReview, ProductionAccess } from "../../../src/apps/portal/production-access.ts"
import type { PortalRows } from "../../../src/apps/portal/rows.ts"
import { SandboxSites } from "../../../src/apps/portal/sandbox-sites.ts"
import { PortalSessions } from "../../../src/apps/portal/people/sessions.ts"
import { Discovery } from "../../../src/areas/reservations/discovery.ts"
import { layerPlainAccessRows } from "../../../src/http/access/access-repository.ts"
import { layerPlainCatalog } from "../../../src/areas/catalog/catalog-repository.ts"
import { CatalogRows } from "../../../src/areas/catalog/rows.ts"
import { layerMemoryTables } from "../../../src/engine/memory/memory-tables.ts"
import {
  layerMemoryAttemptCounter,
  layerMemoryRateCounter,
} from "../../../src/http/access/memory/memory-window-counter.ts"
import { layerMemoryPortalRows } from "../../../src/apps/portal/memory/portal.ts"
import { simulateService } from "../../../src/simulation/simulated-service.ts"
import type { SimulatedService, SimulatedServices } from "../../../src/simulation/simulated-service.ts"
import { START_MS } from "../../conformance/memory.ts"
import { world } from "../../conformance/world.ts"
import { portalPagesPlugin } from "../../../src/apps/portal/http/pages.ts"
import type { Answered } from "../../http/document.ts"
import { checkOf, sharedApp } from "../../http/shared-app.ts"
import type { AppParts } from "../../http/shared-app.ts"
import { ProfileRows } from "../../../src/apps/portal/rows.ts"

export const BASE_URL = "https://portal.curbline.example"
export const PASSWORD = "correct horse battery"

export interface Sent {
  readonly headers?: Readonly<Record<string, string>>
  /** Sent as JSON. */
  readonly body?: unknown
  /** Sent as it is. */
  readonly text?: string
  /** Leaves out the headers that the portal's own pages send. */
  readonly isBare?: boolean
  readonly address?: string
}

/** Who keeps a cookie. */
export interface Browser {
  cookie: string | null
  /** The cookie of a browser that has signed in before. */
  device: string | null
  readonly call: (method: string, path: string, sent?: Sent) => Promise<Answered>
}

/** What has been done in the sandbox, for tests to set; null is what was really done. */
export interface DirectDelivery {
  progress: SandboxProgress | null
}

type Held =
  | AccessReview
  | ActorHost
  | CallLog
  | CallRows
  | DigestKey
  | KeyUses
  | MessageRows
  | MessageNotices
  | Organizations
  | PartnerReview
  | PortalRows
  | ProductionAccess
  | ProfileRows
  | SecondFactorRows
  | SimulatedServices
  | SiteRequests

export interface Portal {
  readonly service: SimulatedService
  readonly app: FastifyInstance
  readonly direct: DirectDelivery
  /** How many passwords were compared. */
  readonly compared: { count: number }
  readonly now: () => EpochMs
  readonly advance: (ms: number) => void
  readonly browser: () => Browser
  readonly run: <A, E>(effect: Effect.Effect<A, E, Held>) => A
  /** Newest first. */
  readonly mailTo: (address: string) => readonly Message[]
  /** Of the newest mail to the address. */
  readonly codeFor: (address: string) => string
  readonly tokenFor: (address: string) => string
  /** Signs up with an organization of its own; the browser is signed in. */
  readonly signedUp: (email: string, organization?: string) => Promise<Browser>
  /** Invited by the owner's browser, and signed in. */
  readonly joined: (owner: Browser, email: string, role?: string) => Promise<Browser>
}

export interface PortalSetup {
  readonly baseUrl?: string
  /** With the pages, whose text is their data alone. */
  readonly hasPages?: boolean
}

export async function openPortal({
  baseUrl = BASE_URL,
  hasPages = false,
}: PortalSetup = {}): Promise<Portal> {
  const service = simulateService({ seed: 7, startMs: START_MS, sites: world, recording: "full" })
  const { time } = service.host
  const compared = { count: 0 }
  const direct: DirectDelivery = { progress: null }
  const runtime = runtimeOf(service, { compared, direct, baseUrl })
  const { note } = Context.get(runtime.context, CallLog)
  const onCall = (call: AnsweredRequest): void => {
    const logged = loggedCallOf(call)
    if (logged !== null) Runtime.runSync(runtime)(note(logged))
  }
  const { app, giveBack } = await sharedApp<HttpServices | PortalSurface>(
    `portal at ${baseUrl}${hasPages ? " with pages" : ""}`,
    { run: bridgeTo(runtime), arrivals: Context.get(runtime.context, Arrivals), onCall },
    (parts) => appOf(parts, { baseUrl, hasPages }),
  )
  onTestFinished(giveBack)
  const check = await checkOf(app, "/openapi/portal.json")
  const browser = (): Browser => {
    const one: Browser = {
      cookie: null,
      device: null,
      call: async (method, path, sent = {}) => {
        const answered = await callApp({ app, service, baseUrl, browser: one }, method, path, sent)
        check({ method, path, answered, sent: sent.body })
        return answered
      },
    }
    return one
  }
  const run: Portal["run"] = (effect) => Runtime.runSync(runtime)(effect)
  const mailTo: Portal["mailTo"] = (address) =>
    run(Effect.flatMap(MessageRows, (rows) => rows.newest({ channel: "mail", limit: 1_000 }))).filter(
      ({ to }) => to === address,
    )
  const found = (address: string, pattern: RegExp): string =>
    pattern.exec(mailTo(address)[0]?.text ?? "")?.[1] ?? "none"
  const codeFor: Portal["codeFor"] = (address) => found(address, /code is (\d{6})\./)
  const tokenFor: Portal["tokenFor"] = (address) => found(address, /#token=([\w-]{43})$/m)
  const signedUp: Portal["signedUp"] = async (email, organization = "Wheels & Co.") => {
    const one = browser()
    const asked = await one.call("POST", "/portal/api/sign-up", {
      body: { email, password: PASSWORD, name: "Ada Example", organization_name: organization },
    })
    expect(asked.status).toBe(202)
    const body = { sign_up_token: asked.data["sign_up_token"], code: codeFor(email) }
    expect((await one.call("POST", "/portal/api/sign-up/verify", { body })).status).toBe(201)
    return one
  }
  const joined: Portal["joined"] = async (owner, email, role = "member") => {
    expect((await owner.call("POST", "/portal/api/invitations", { body: { email, role } })).status).toBe(201)
    const one = browser()
    const body = { token: tokenFor(email), name: "Bob Example", password: PASSWORD }
    expect((await one.call("POST", "/portal/api/invitations/accept", { body })).status).toBe(201)
    return one
  }
  return {
    service,
    app,
    direct,
    compared,
    now: () => time.nowMs,
    advance: (ms) => {
      const untilMs = time.nowMs + ms
      time.run(untilMs)
      time.advanceTo(untilMs)
    },
    browser,
    run,
    mailTo,
    codeFor,
    tokenFor,
    signedUp,
    joined,
  }
}

async function appOf(
  { streams, onCall, ...by }: AppParts<HttpServices | PortalSurface>,
  { baseUrl, hasPages }: Required<PortalSetup>,
): Promise<FastifyInstance> {
  const { run } = by
  const app = await makeAppOver(by, { environment: "production", onCall })
  await app.register(portalPlugin, { run, baseUrl, streams })
  const page = async ({ data }: { readonly data: unknown }) => ({ html: JSON.stringify(data), policy: "" })
  if (hasPages) await app.register(portalPagesPlugin, { run, baseUrl, sandboxUrl: baseUrl, page })
  return app
}

export const NOTHING_DONE: SandboxProgress = {
  hasConfiguredSite: false,
  hasWebhook: false,
  hasQuote: false,
  hasCompletedDelivery: false,
  hasAcknowledgedWebhook: false,
}

interface Parts {
  readonly compared: { count: number }
  readonly direct: DirectDelivery
  readonly baseUrl: string
}

/** Argon2 with its smallest parameters: tests check who calls it, and how often. */
const QUICK = { memoryCost: 8, timeCost: 1, parallelism: 1 }
const strengthOf = await loadPasswordStrength()
const DUMMY_HASH = hashSync("no account", QUICK)

function runtimeOf({ host, runtime }: SimulatedService, { compared, direct, baseUrl }: Parts) {
  const ports = Layer.mergeAll(
    layerMemoryRateCounter,
    layerMemoryAttemptCounter,
    Layer.mergeAll(
      CatalogRows.layer,
      layerMemoryPortalRows,
      MessageRows.layer,
      layerPlainAccessRows,
      AuditRows.layer,
      layerPlainCallRows,
      layerPlainCatalog,
      ProfileRows.layer,
      SecondFactorRows.layer,
      SiteRequestRows.layer,
      FormerRows.layer,
      PartnerRequestRows.layer,
    ).pipe(Layer.provide(layerMemoryTables(host.store))),
    layerRatePolicy(),
    // Streams are tested over the embedded database.
    Layer.succeed(ChangedGroups, {
      last: Routine.succeed(0),
      after: (position) => Routine.succeed({ changes: [], position, looked: 0 }),
    }),
    layerBuiltInGeocoder,
    layerWebAuthn,
    Layer.succeed(PortalAddress, { baseUrl }),
    Layer.succeed(ActorHost, host.port),
    Layer.succeed(DigestKey, { key: "digests" }),
    Layer.succeed(DeviceKey, { key: "devices" }),
    Layer.succeed(PhotoFiles, { open: () => Routine.succeed(null) }),
    Layer.succeed(Passwords, {
      strength: (password, known) => Effect.sync(() => strengthOf(password, known)),
      hash: (password) => Effect.sync(() => hashSync(password, QUICK)),
      verify: (kept, password) =>
        Effect.sync(() => {
          compared.count += 1
          return verifySync(kept ?? DUMMY_HASH, password) && kept !== null
        }),
    }),
    Layer.succeedContext(runtime.context),
  )
  const layers = Layer.mergeAll(
    layerAdmission,
    PortalAudit.layer.pipe(Layer.provideMerge(AuditLog.layer)),
    CallLog.layer,
    Discovery.layer,
    layerMessageNotices,
    Organizations.layer,
    AccessReview.layer,
    DeliveryDetails.layer,
    PortalReservations.layer,
    PortalSites.layer,
    PortalWebhooks.layer,
    SiteRequests.layer,
    TestDeliveries.layer,
    TestReservations.layer,
    PortalAccounts.layer,
    PortalMembers.layer,
    PortalOrganization.layer,
    PortalSessions.layer,
    Passkeys.layer,
    SecondFactors.layer,
    ProductionAccess.layer,
    PartnerRequests.layer,
    PartnerReview.layer,
    SandboxSites.layer,
  ).pipe(
    Layer.provideMerge(layerDeliveriesOf(direct)),
    Layer.provideMerge(ApiKeys.layer),
    Layer.provideMerge(ports),
  )
  const context = Effect.runSync(Effect.scoped(builtInOrder(layers)))
  return Runtime.updateContext(runtime, () => context)
}

/** The real ones, but for progress that a test has set. */
function layerDeliveriesOf(direct: DirectDelivery) {
  return Layer.effect(
    PortalDeliveries,
    Effect.map(PortalDeliveries, (real): PortalDeliveries["Type"] => ({
      ...real,
      progress: (id) =>
        Routine.suspend(() =>
          direct.progress === null ? real.progress(id) : Effect.succeed(direct.progress),
        ),
    })),
  ).pipe(Layer.provide(PortalDeliveries.layer))
}

interface Calling {
  readonly app: FastifyInstance
  readonly service: SimulatedService
  readonly baseUrl: string
  readonly browser: Browser
}

async function callApp(
  { app, service, baseUrl, browser }: Calling,
  method: string,
  path: string,
  { headers, body, text, isBare = false, address }: Sent,
): Promise<Answered> {
  const { time } = service.host
  const payload = body === undefined ? text : JSON.stringify(body)
  const cookies = [browser.cookie, browser.device].filter((one) => one !== null)
  const own = isBare ? {} : { "x-curbline-portal": "1", origin: new URL(baseUrl).origin }
  const pending = app.inject({
    method: method as "GET",
    url: path,
    headers: {
      ...own,
      ...(cookies.length === 0 ? {} : { cookie: cookies.join("; ") }),
      ...(payload === undefined ? {} : { "content-type": "application/json" }),
      ...headers,
    },
    ...(payload === undefined ? {} : { payload }),
    ...(address === undefined ? {} : { remoteAddress: address }),
  })
  const settled = pending.then(() => true)
  const nothing = (): Promise<boolean> => new Promise((resolve) => setImmediate(resolve, false))
  while (!(await Promise.race([settled, nothing()]))) time.run(time.nowMs - 1)
  const response = await pending
  for (const cookie of [response.headers["set-cookie"] ?? []].flat()) {
    const [pair = ""] = cookie.split(";")
    const value = pair.endsWith("=") ? null : pair
    if (pair.includes("curbline_device=")) browser.device = value
    else browser.cookie = value
  }
  const parsed = JSON.parse(response.payload === "" ? "{}" : response.payload) as Record<string, unknown>
  return {
    status: response.statusCode,
    code: typeof parsed["code"] === "string" ? parsed["code"] : null,
    data: (parsed["data"] ?? {}) as Record<string, unknown>,
    body: parsed,
    bytes: response.rawPayload,
    headers: response.headers as Answered["headers"],
  }
}
