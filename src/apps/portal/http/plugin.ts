/**
 * The portal's API as a Fastify plugin: its endpoints and its document. Only the production host has it, for both
 * environments.
 */

import { Effect } from "effect"
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify"
import { DEVICE_MS } from "../../../model/values/limits.ts"
import { personIn } from "../../../model/page-person.ts"
import { SECOND_MS } from "../../../model/values/time.ts"
import type { CallLog } from "../../../http/access/call-log.ts"
import type { Analytics } from "../../../areas/analytics/analytics.ts"
import type { Charges } from "../../../areas/direct-delivery/charges.ts"
import type { DirectDelivery } from "../../../areas/direct-delivery/direct-delivery.ts"
import type { InboundSms } from "../../../areas/messages/inbound-sms.ts"
import type { PortalAccounts } from "../people/accounts.ts"
import type { PortalDeliveries } from "../deliveries.ts"
import type { DeliveryDetails } from "../delivery-details.ts"
import type { PortalMembers } from "../members.ts"
import type { PortalOrganization } from "../organization.ts"
import type { PartnerRequests } from "../partner-requests.ts"
import type { ProductionAccess } from "../production-access.ts"
import type { SandboxSites } from "../sandbox-sites.ts"
import type { PortalCaller } from "../caller.ts"
import { CurrentActor } from "../../../engine/services/actor.ts"
import { setSender } from "../../../http/request-requester.ts"
import { inTimeOf } from "../../../engine/services/organization-clock.ts"
import type { AgentsSurface } from "../../../areas/agents/http/agents.ts"
import { SandboxClock } from "../../../areas/clock/sandbox-clock.ts"
import type { SandboxCourses } from "../../../areas/courses/courses.ts"
import type { PortalReservations } from "../reservations.ts"
import type { PortalSites } from "../sites.ts"
import type { PortalWebhooks } from "../webhook-events.ts"
import type { TestDeliveries } from "../../../areas/courses/test-deliveries.ts"
import type { TestReservations } from "../../../areas/courses/test-reservations.ts"
import { tellingWhen } from "../../../http/pages/too-many-attempts.ts"
import { PortalSessions } from "../people/sessions.ts"
import type { WebhookLog } from "../../../areas/webhooks/webhook-log.ts"
import type { PickupWebhooks, Webhooks } from "../../../areas/webhooks/webhooks.ts"
import { attended } from "../../../http/admission.ts"
import { addApiDocument } from "../../../http/bodies/api-document.ts"
import { requirePersonOfPage } from "../../../http/pages/page-person.ts"
import type { Run } from "../../../http/bridge.ts"
import { loggedConfig } from "../../../http/call-log.ts"
import { sentBody } from "../../../http/endpoint.ts"
import { bodyConfig, warningsOf } from "../../../http/warnings.ts"
import type { Query } from "../../../http/endpoint.ts"
import { audited } from "../../../http/audit.ts"
import type { PortalAudit } from "../audit.ts"
import { addPortalAuditFile, auditLog, auditedCommand, portalAuditFile } from "./audit-log.ts"
import { access } from "./access.ts"
import { deliveries, sandbox } from "./deliveries.ts"
import { deliveryDetails } from "./delivery-details.ts"
import { deliveryWebhooks } from "./delivery-webhooks.ts"
import { sandboxAgents, sandboxClock, sandboxScenarios } from "./sandbox-api.ts"
import { ENVIRONMENT_PARAMETER, environmentOf } from "./endpoint.ts"
import type { MemberAsk, PortalEndpoint, PortalOffer } from "./endpoint.ts"
import { setSessionCookie } from "../../../http/pages/session-cookie.ts"
import { requireOwnPages } from "../../../http/pages/own-pages.ts"
import { PORTAL_HEADER, cookieOf, deviceCookieOf, visitorOf } from "./gate.ts"
import { members } from "./members.ts"
import { requests } from "./requests.ts"
import { portalDocument } from "./openapi.ts"
import { organization } from "./organization.ts"
import { partnerRequests } from "./partner-requests.ts"
import type { SecondFactors } from "../people/second-factor.ts"
import type { Passkeys } from "../people/passkeys.ts"
import { passkeys, secondFactor } from "./second-factor.ts"
import { session } from "./session.ts"
import { portalReservations } from "./reservations.ts"
import { portalSites } from "./sites.ts"
import { portalAnalytics } from "./analytics.ts"
import { addPortalChargesFile, portalCharges, portalChargesFile } from "./charges.ts"
import { addStream, membersOf, streamPath } from "./stream.ts"
import { ChangeStreams, endWith } from "../../../http/change-streams.ts"
import type { ChangedGroups } from "../../../engine/services/changed-groups.ts"
import type { DigestKey } from "../../../engine/services/digest-key.ts"
import { webhookEvents } from "./webhook-events.ts"
import { webhooks } from "./webhooks.ts"

export type PortalSurface =
  | Analytics
  | Charges
  | ChangedGroups
  | DigestKey
  | DeliveryDetails
  | CallLog
  | DirectDelivery
  | InboundSms
  | PickupWebhooks
  | PartnerRequests
  | PortalAccounts
  | PortalAudit
  | PortalDeliveries
  | PortalMembers
  | PortalOrganization
  | PortalReservations
  | PortalSites
  | PortalWebhooks
  | PortalSessions
  | ProductionAccess
  | SandboxSites
  | Passkeys
  | SecondFactors
  | TestDeliveries
  | TestReservations
  | WebhookLog
  | Webhooks

export interface PortalOptions {
  readonly run: Run<PortalSurface>
  /** With the sandbox's clocks. Absent on a host without them: it has real time alone. */
  readonly runClock?: Run<AgentsSurface | PortalSurface | SandboxClock | SandboxCourses>
  /** Scheme and host of the pages: for cookies, the origin of commands, and the document. */
  readonly baseUrl: string
  /** The streams of the node; absent: the plugin has its own. */
  readonly streams?: ChangeStreams
}

const ENDPOINTS: readonly PortalEndpoint<PortalSurface>[] = [
  ...session,
  ...secondFactor,
  ...passkeys,
  ...organization,
  ...requests,
  ...auditLog,
  ...members,
  ...webhooks,
  ...deliveryWebhooks,
  ...webhookEvents,
  ...access,
  ...partnerRequests,
  ...deliveries,
  ...deliveryDetails,
  ...portalReservations,
  ...portalSites,
  ...portalAnalytics,
  ...portalCharges,
  ...sandbox,
]

/** What follows the organization's clock in the sandbox. Everything else of the portal has real time. */
const ON_CLOCK: ReadonlySet<object> = new Set([
  ...webhooks,
  ...deliveryWebhooks,
  // Signatures have the true time.
  ...webhookEvents.filter(({ operationId }) => operationId !== "checkWebhookSignature"),
  ...deliveries,
  ...deliveryDetails,
  ...portalReservations,
  ...portalAnalytics,
  ...sandbox,
])

/** Requires the hooks of `src/http/gate.ts` on the instance, and bodies as bytes. */
export async function portalPlugin(app: FastifyInstance, options: PortalOptions): Promise<void> {
  const { baseUrl, run, runClock, streams = new ChangeStreams(run) } = options
  const callerOf = async (
    request: FastifyRequest,
    reply: FastifyReply,
    asks: "command" | "read" | "watch" = request.method === "GET" ? "read" : "command",
  ): Promise<PortalCaller> => {
    const { token } = visitorOf(request, baseUrl)
    const caller = await run(
      tellingWhen(
        reply,
        Effect.flatMap(PortalSessions, (sessions) => sessions.callerOf(token, asks)),
      ),
    )
    requirePersonOfPage(request, personIn(caller.account.accountId, caller.organization.organizationId))
    return caller
  }
  addPortalChargesFile(app, { run, callerOf })
  addPortalAuditFile(app, { run, callerOf })
  // An open page that only watches does not keep its session alive.
  const watcherOf = (request: FastifyRequest, reply: FastifyReply) => callerOf(request, reply, "watch")
  endWith(app, streams)
  addStream(app, { streams, run, baseUrl, callerOf: watcherOf })
  const common = { baseUrl, callerOf, streams }
  for (const endpoint of ENDPOINTS)
    addEndpoint(app, endpoint, { ...common, run, runClock: ON_CLOCK.has(endpoint) ? runClock : undefined })
  if (runClock !== undefined) {
    for (const endpoint of sandboxClock)
      addEndpoint(app, endpoint, { ...common, run: runClock, runClock: undefined })
    for (const endpoint of sandboxScenarios)
      addEndpoint(app, endpoint, { ...common, run: runClock, runClock })
    for (const endpoint of sandboxAgents) addEndpoint(app, endpoint, { ...common, run: runClock, runClock })
  }
  addApiDocument(app, "portal", () => portalApiDocument(baseUrl, { hasClock: runClock !== undefined }))
}

/** The OpenAPI document of the portal's API. */
function portalApiDocument(
  baseUrl: string,
  { hasClock = true }: { readonly hasClock?: boolean } = {},
): object {
  return portalDocument(
    hasClock ? [...ENDPOINTS, ...sandboxClock, ...sandboxScenarios, ...sandboxAgents] : ENDPOINTS,
    {
      baseUrl,
      cookie: cookieOf(baseUrl).name,
      morePaths: { ...streamPath, ...portalAuditFile, ...portalChargesFile },
    },
  )
}

const CALLER = "portalCaller"
const DEVICE_SECONDS = DEVICE_MS / SECOND_MS

interface Surface<R> {
  readonly run: Run<R>
  readonly baseUrl: string
  /** Undefined: always real time. */
  readonly runClock: Run<SandboxClock> | undefined
  readonly callerOf: (request: FastifyRequest, reply: FastifyReply) => Promise<PortalCaller>
  readonly streams: ChangeStreams
}

function addEndpoint<R>(
  app: FastifyInstance,
  endpoint: PortalEndpoint<R>,
  { run, baseUrl, runClock, callerOf, streams }: Surface<NoInfer<R> | PortalSessions>,
): void {
  const held = cookieOf(baseUrl)
  const known = deviceCookieOf(baseUrl)
  if (!app.hasRequestDecorator(CALLER)) app.decorateRequest(CALLER, null)
  app.route<{ Params: { id?: string }; Querystring: Query; Body: Buffer | undefined }>({
    method: endpoint.method,
    url: endpoint.path.replace("{id}", ":id"),
    config: { ...bodyConfig(endpoint), ...loggedConfig(endpoint) },
    onRequest: async (request, reply) => {
      // Answers contain secrets and names of people: they must not be cached.
      reply.header("Cache-Control", "no-store")
      requireOwnPages(request, { baseUrl, header: PORTAL_HEADER.name })
      if (endpoint.asks !== "member") return
      const member = await callerOf(request, reply)
      request.setDecorator(CALLER, member)
      setSender(request, { type: "member", id: member.account.accountId })
    },
    handler: async (request, reply) => {
      const ask = {
        visitor: visitorOf(request, baseUrl),
        id: request.params.id ?? "",
        query: request.query,
        body: sentBody(request.body, request.headers["content-type"]),
      }
      const caller = request.getDecorator<PortalCaller>(CALLER)
      const clock = (await runClock?.(clockOf(endpoint, { ...ask, caller }))) ?? null
      const handled =
        endpoint.asks === "anyone"
          ? audited(endpoint.handle(ask), auditedCommand(endpoint, ask, null))
          : inTimeOf(
              clock,
              asMember(caller, () =>
                audited(endpoint.handle({ ...ask, caller }), auditedCommand(endpoint, ask, caller)),
              ),
            )
      const { status, data, cookie, device } = await run(attended(request, tellingWhen(reply, handled)))
      // A command may have ended a session or a membership.
      if (endpoint.asks === "member" && endpoint.method !== "GET")
        streams.recheck(membersOf(caller.organization.organizationId))
      if (cookie !== undefined) setSessionCookie(reply, cookie, held)
      if (device !== undefined)
        setSessionCookie(reply, { token: device, maxAgeSeconds: DEVICE_SECONDS }, known)
      return reply.code(status).send({ success: true, data, ...warningsOf(request) })
    },
  })
}

/** The clock under which a member's request runs; null: real time, as in production. */
const clockOf = Effect.fnUntraced(function* ({ parameters }: PortalOffer, ask: MemberAsk) {
  const isAnywhere = parameters.includes(ENVIRONMENT_PARAMETER)
  // Without the parameter the endpoint is the sandbox's. The endpoint itself refuses an unknown environment.
  const environment = isAnywhere
    ? yield* Effect.orElseSucceed(environmentOf(ask), () => "production" as const)
    : "sandbox"
  if (environment === "production") return null
  const clocks = yield* SandboxClock
  return yield* clocks.state(ask.caller.organization.organizationId)
})

/** Notes about what the request does name its sender. */
function asMember<A, E, R>(
  caller: PortalCaller,
  handle: (caller: PortalCaller) => Effect.Effect<A, E, R>,
): Effect.Effect<A, E, R> {
  const { accountId } = caller.account
  return Effect.locally(handle(caller), CurrentActor, { type: "member", accountId })
}
