/** The portal's API as a Fastify plugin: its endpoints and its document. The production host has it, for both environments. */

import { Effect } from "effect"
import type { FastifyInstance, FastifyReply } from "fastify"
import { TurnedAway } from "../../model/errors.ts"
import type { SmsConsent } from "../../services/messages/consent.ts"
import type { PortalAccounts } from "../../services/portal/accounts.ts"
import type { PortalDeliveries } from "../../services/portal/deliveries.ts"
import type { PortalMembers } from "../../services/portal/members.ts"
import type { PortalOrganization } from "../../services/portal/organization.ts"
import type { ProductionAccess } from "../../services/portal/production-access.ts"
import { TooManyAttempts } from "../../services/portal/refusals.ts"
import { PortalSessions } from "../../services/portal/sessions.ts"
import type { WebhookLog } from "../../services/portal/webhook-log.ts"
import type { Webhooks } from "../../services/webhooks/webhooks.ts"
import type { Run } from "../bridge.ts"
import type { Query } from "../endpoint.ts"
import { access } from "./access.ts"
import { deliveries, simulatedSms } from "./deliveries.ts"
import type { PortalEndpoint } from "./endpoint.ts"
import { cookieNameOf, requireOwnPages, tellCookie, visitorOf } from "./gate.ts"
import { members } from "./members.ts"
import { portalDocument } from "./openapi.ts"
import { organization } from "./organization.ts"
import { session } from "./session.ts"
import { webhooks } from "./webhooks.ts"

export type PortalSurface =
  PortalAccounts | PortalMembers | PortalOrganization | PortalSessions | WebhookLog | Webhooks

/** What the endpoints about direct delivery ask for beside it. */
export type PortalDeliverySurface = PortalDeliveries | PortalSurface | ProductionAccess | SmsConsent

export interface PortalOptions {
  readonly run: Run<PortalSurface>
  /** Absent while there is no direct delivery: its endpoints, the onboarding among them, are not there then. */
  readonly runDeliveries?: Run<PortalDeliverySurface>
  /** Scheme and host of the pages: of cookies, of commands' origin, and of the document. */
  readonly baseUrl: string
}

/** Needs the hooks of `gate.ts` on the instance, and bodies as bytes. */
export async function portalPlugin(app: FastifyInstance, options: PortalOptions): Promise<void> {
  const { run, runDeliveries, baseUrl } = options
  const always = [...session, ...organization, ...members, ...webhooks]
  for (const endpoint of always) addEndpoint<PortalSurface>(app, endpoint, { run, baseUrl })
  const withDeliveries = [...access, ...deliveries, ...simulatedSms]
  if (runDeliveries !== undefined) {
    for (const endpoint of withDeliveries) {
      addEndpoint<PortalDeliverySurface>(app, endpoint, { run: runDeliveries, baseUrl })
    }
  }
  const endpoints = runDeliveries === undefined ? always : [...always, ...withDeliveries]
  const document = portalDocument(endpoints, {
    baseUrl,
    cookie: cookieNameOf(baseUrl),
  })
  app.get("/openapi/portal.json", async () => document)
}

interface Served<R> {
  readonly run: Run<R>
  readonly baseUrl: string
}

const CALLER = "portalCaller"

function addEndpoint<R>(
  app: FastifyInstance,
  endpoint: PortalEndpoint<R>,
  { run, baseUrl }: Served<R | PortalSessions>,
): void {
  const cookieName = cookieNameOf(baseUrl)
  if (!app.hasRequestDecorator(CALLER)) app.decorateRequest(CALLER, null)
  app.route<{ Params: { id?: string }; Querystring: Query; Body: Buffer | undefined }>({
    method: endpoint.method,
    url: endpoint.path.replace("{id}", ":id"),
    onRequest: async (request, reply) => {
      // Answers hold secrets and people's names: no cache keeps them.
      reply.header("Cache-Control", "no-store")
      requireOwnPages(request, baseUrl)
      if (endpoint.asks !== "member") return
      const { token } = visitorOf(request, cookieName)
      const asks = endpoint.method === "GET" ? "read" : "command"
      const caller = await run(
        tellingWhen(
          reply,
          Effect.flatMap(PortalSessions, (sessions) => sessions.callerOf(token, asks)),
        ),
      )
      request.setDecorator(CALLER, caller)
    },
    handler: async (request, reply) => {
      const ask = {
        visitor: visitorOf(request, cookieName),
        id: request.params.id ?? "",
        query: request.query,
        body: request.body ?? null,
      }
      const handled =
        endpoint.asks === "anyone"
          ? endpoint.handle(ask)
          : endpoint.handle({ ...ask, caller: request.getDecorator(CALLER) })
      const { status, data, cookie } = await run(tellingWhen(reply, handled))
      tellCookie(reply, cookie, baseUrl)
      return reply.code(status).send({ success: true, data })
    },
  })
}

/** Whoever asked too often is told when to come back. */
function tellingWhen<A, E, R>(
  reply: FastifyReply,
  effect: Effect.Effect<A, E | TooManyAttempts, R>,
): Effect.Effect<A, E | TurnedAway, R> {
  return Effect.catchAll(effect, (failure): Effect.Effect<never, E | TurnedAway> => {
    if (!(failure instanceof TooManyAttempts)) return Effect.fail(failure)
    reply.header("Retry-After", String(failure.retryAfterSeconds))
    return new TurnedAway({ code: "RATE_LIMITED" })
  })
}
