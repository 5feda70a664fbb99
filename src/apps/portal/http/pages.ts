/**
 * `/portal`: the portal's pages. Each is one short text that names the signed-in member; its script reads the rest from
 * `/portal/api` with the rights of the session.
 */

import { Effect, Either, Option, Schema } from "effect"
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify"
import type { Run } from "../../../http/bridge.ts"
import { PRIVATE_PAGE_HEADERS } from "../../../pages/html/page-frame.ts"
import type { ShownPage, WrittenPage } from "../../../pages/html/page-frame.ts"
import { cardFrame, portalFrame } from "../../../pages/html/first-frame.ts"
import { addUnknownPages } from "../../../http/pages/unknown-pages.ts"
import { OutboxView } from "../../../areas/messages/outbox-view.ts"
import { Email } from "../../../model/requests/portal.ts"
import { Refused, TurnedAway } from "../../../model/values/errors.ts"
import type { PortalCaller } from "../caller.ts"
import { PortalSessions } from "../people/sessions.ts"
import { portalEndText } from "./ended-session-text.ts"
import { visitorOf } from "./gate.ts"
import { sessionRecord } from "./session.ts"

export interface PortalPagesOptions {
  readonly run: Run<PortalSessions>
  readonly baseUrl: string
  /** The sandbox host, for commands to copy. */
  readonly sandboxUrl: string
  readonly page: (shown: ShownPage) => Promise<WrittenPage>
  /** Absent where mails are sent, and in production: pages of a demo show waiting mails to callers of this machine. */
  readonly mails?: { readonly run: Run<OutboxView>; readonly mayShow: (request: FastifyRequest) => boolean }
}

interface Place {
  readonly title: string
  /** The part of the page's script that draws it; see `src/pages/web/portal/main.tsx`. Null: the script alone. */
  readonly part: string | null
  /** Default: the title. */
  readonly heading?: string
  /** True for a card in the middle; default: in the frame of the member's organization. */
  readonly isCard?: true
}

/** Pages for people without a session. A signed-in member goes on to the portal. */
const OPEN_PAGES: Readonly<Record<string, Place>> = {
  "sign-in": { title: "Sign in", part: "pages/sign-in", isCard: true },
  "sign-up": { title: "Sign up", part: "pages/sign-up", heading: "Start in the sandbox", isCard: true },
  forgotten: { title: "A new password", part: "pages/new-password", isCard: true },
  "new-password": {
    title: "A new password",
    part: "pages/new-password",
    heading: "Choose a new password",
    isCard: true,
  },
  invitation: { title: "An invitation", part: "pages/invitation", isCard: true },
}

const MEMBER_PAGES: Readonly<Record<string, Place>> = {
  "": { title: "Home", part: "pages/home" },
  "/deliveries": { title: "Deliveries", part: "pages/deliveries" },
  "/deliveries/:id": { title: "Delivery", part: "pages/delivery" },
  "/reservations": { title: "Reservations", part: "pages/reservations" },
  "/reservations/:id": { title: "Reservation", part: "pages/reservation" },
  "/sites": { title: "Sites", part: "pages/sites" },
  "/sites/:id": { title: "Site", part: "pages/site" },
  "/keys": { title: "API keys", part: "pages/keys" },
  "/webhooks": { title: "Webhooks", part: "pages/webhooks" },
  "/requests": { title: "Requests", part: "pages/requests" },
  "/requests/:id": { title: "Requests", part: "pages/requests" },
  "/agents": { title: "Agents", part: "agents/agents" },
  "/analytics": { title: "Analytics", part: "pages/analytics/analytics" },
  "/charges": { title: "Charges", part: "pages/charges" },
  "/team": { title: "Team", part: "pages/team" },
  "/audit-log": { title: "Audit log", part: "pages/audit-log" },
  "/account": { title: "Account", part: "pages/account" },
}

const NO_SUCH_PAGE = { title: "There is no such page", part: null, isCard: true } as const

export async function portalPagesPlugin(app: FastifyInstance, options: PortalPagesOptions): Promise<void> {
  app.get("/portal/", (_, reply) => reply.redirect("/portal", 308))
  await addUnknownPages(app, {
    prefix: "/portal",
    apiPrefix: "/portal/api/",
    send: async (request, reply) =>
      sendPage(reply.code(404), options, { ...NO_SUCH_PAGE, caller: await memberOf(request, options) }),
  })
  const { mails } = options
  if (mails !== undefined) {
    app.get<{ Querystring: { to?: string } }>("/portal/waiting-mail", async (request, reply) => {
      const { to } = request.query
      if (typeof to !== "string" || !mails.mayShow(request)) throw new Refused({ code: "NOT_FOUND" })
      const address = Option.getOrElse(Schema.decodeUnknownOption(Email)(to), () => "")
      const text = await mails.run(Effect.flatMap(OutboxView, (outbox) => outbox.waitingMail(address)))
      return reply.header("Cache-Control", "no-store").send({ success: true, data: { text } })
    })
  }
  for (const [name, place] of Object.entries(OPEN_PAGES)) {
    app.get(`/portal/${name}`, async (request, reply) => {
      const caller = await memberOf(request, options)
      // A link from a mail is opened even by members: an invitation to another organization, or a new password.
      const isForStrangers = name === "sign-in" || name === "sign-up"
      if (caller !== null && isForStrangers) return reply.redirect("/portal", 303)
      const ended = name === "sign-in" ? await endTextOf(request, options) : null
      return sendPage(reply, options, { ...place, caller: name === "invitation" ? caller : null, ended })
    })
  }
  for (const [path, place] of Object.entries(MEMBER_PAGES)) {
    app.get(`/portal${path}`, async (request, reply) => {
      const caller = await memberOf(request, options)
      if (caller !== null) return sendPage(reply, options, { ...place, caller })
      const to = request.url === "/portal" ? "" : `?to=${encodeURIComponent(request.url)}`
      return reply.header("Cache-Control", "no-store").redirect(`/portal/sign-in${to}`, 303)
    })
  }
}

/** The caller of a valid session; null without one. */
async function memberOf(
  request: FastifyRequest,
  { run, baseUrl }: PortalPagesOptions,
): Promise<PortalCaller | null> {
  const { token } = visitorOf(request, baseUrl)
  if (token === null) return null
  const found = await run(
    Effect.either(Effect.flatMap(PortalSessions, (sessions) => sessions.callerOf(token, "read"))),
  )
  if (Either.isRight(found)) return found.right
  if (found.left instanceof TurnedAway) return null
  throw found.left
}

/** Why the session of the request's cookie ended, as a sentence; null when there is nothing to say. */
async function endTextOf(
  request: FastifyRequest,
  { run, baseUrl }: PortalPagesOptions,
): Promise<string | null> {
  const { token } = visitorOf(request, baseUrl)
  if (token === null) return null
  return portalEndText(await run(Effect.flatMap(PortalSessions, (sessions) => sessions.endOf(token))))
}

interface Sent extends Place {
  readonly caller: PortalCaller | null
  readonly ended?: string | null
}

async function sendPage(
  reply: FastifyReply,
  { run, page, baseUrl, sandboxUrl, mails }: PortalPagesOptions,
  { title, part, heading = title, isCard, caller, ended = null }: Sent,
): Promise<FastifyReply> {
  const me = caller === null ? null : await run(sessionRecord(caller))
  const urls = { production: baseUrl, sandbox: sandboxUrl }
  const whose = me === null || isCard === true ? null : me.organization.name
  const { html, policy } = await page({
    title: [title, whose, "Curbline"].filter((one) => one !== null).join(" - "),
    frame:
      me === null || whose === null
        ? cardFrame({ heading })
        : portalFrame({ heading, environment: me.session.environment, organization: whose }),
    part,
    data: { me, urls, ended, shows_mails: mails?.mayShow(reply.request) ?? false },
  })
  return reply
    .headers({ ...PRIVATE_PAGE_HEADERS, "Content-Security-Policy": policy })
    .type("text/html; charset=utf-8")
    .send(html)
}
