/**
 * `/portal`: the portal's pages. Each is one short text that names the signed-in member; its script reads the rest from
 * `/portal/api` with the rights of the session.
 */

import { Effect, Either, Option, Schema } from "effect"
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify"
import type { Run } from "../../../http/bridge.ts"
import { PRIVATE_PAGE_HEADERS } from "../../../pages/html/page-frame.ts"
import type { WrittenPage } from "../../../pages/html/page-frame.ts"
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
  readonly page: (shown: { readonly title: string; readonly data: unknown }) => Promise<WrittenPage>
  /** Absent where mails are sent, and in production: pages of a demo show waiting mails to callers of this machine. */
  readonly mails?: { readonly run: Run<OutboxView>; readonly mayShow: (request: FastifyRequest) => boolean }
}

/** Pages for people without a session. A signed-in member goes on to the portal. */
const OPEN_PAGES = ["sign-in", "sign-up", "forgotten", "new-password", "invitation"]

const MEMBER_PAGES = [
  "",
  "/deliveries",
  "/deliveries/:id",
  "/reservations",
  "/reservations/:id",
  "/sites",
  "/sites/:id",
  "/keys",
  "/webhooks",
  "/requests",
  "/requests/:id",
  "/analytics",
  "/charges",
  "/team",
  "/audit-log",
  "/account",
]

export async function portalPagesPlugin(app: FastifyInstance, options: PortalPagesOptions): Promise<void> {
  app.get("/portal/", (_, reply) => reply.redirect("/portal", 308))
  await addUnknownPages(app, {
    prefix: "/portal",
    apiPrefix: "/portal/api/",
    send: async (request, reply) => sendPage(reply.code(404), options, await memberOf(request, options)),
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
  for (const name of OPEN_PAGES) {
    app.get(`/portal/${name}`, async (request, reply) => {
      const caller = await memberOf(request, options)
      // A link from a mail is opened even by members: an invitation to another organization, or a new password.
      const isForStrangers = name === "sign-in" || name === "sign-up"
      if (caller !== null && isForStrangers) return reply.redirect("/portal", 303)
      const ended = name === "sign-in" ? await endTextOf(request, options) : null
      return sendPage(reply, options, name === "invitation" ? caller : null, ended)
    })
  }
  for (const path of MEMBER_PAGES) {
    app.get(`/portal${path}`, async (request, reply) => {
      const caller = await memberOf(request, options)
      if (caller !== null) return sendPage(reply, options, caller)
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

async function sendPage(
  reply: FastifyReply,
  { run, page, baseUrl, sandboxUrl, mails }: PortalPagesOptions,
  caller: PortalCaller | null,
  ended: string | null = null,
): Promise<FastifyReply> {
  const me = caller === null ? null : await run(sessionRecord(caller))
  const urls = { production: baseUrl, sandbox: sandboxUrl }
  const { html, policy } = await page({
    title: "Curbline portal",
    data: { me, urls, ended, shows_mails: mails?.mayShow(reply.request) ?? false },
  })
  return reply
    .headers({ ...PRIVATE_PAGE_HEADERS, "Content-Security-Policy": policy })
    .type("text/html; charset=utf-8")
    .send(html)
}
