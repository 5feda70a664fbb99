/**
 * `/ops`: the pages of operations. Each is one short text that names the signed-in operator; its script reads the rest
 * from the operations API with the rights of the session.
 */

import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify"
import { PRIVATE_PAGE_HEADERS } from "../../../pages/html/page-frame.ts"
import type { WrittenPage } from "../../../pages/html/page-frame.ts"
import type { Run } from "../../../http/bridge.ts"
import { addUnknownPages } from "../../../http/pages/unknown-pages.ts"
import type { Operator } from "../../../model/caller.ts"
import { TurnedAway } from "../../../model/values/errors.ts"
import { OPERATOR_LINK_PATH } from "../../../model/requests/operators.ts"
import type { OperatorSessions, SignedIn } from "../operator-sessions.ts"
import { sessionEndText, signedIn } from "./gate.ts"
import type { Host } from "./gate.ts"

export interface OperatorPagesOptions extends Host {
  readonly run: Run<OperatorSessions>
  /** True when this host has the inspector. */
  readonly hasInspector: boolean
  /** Ids of the operations that an operator may call. */
  readonly operationsOf: (operator: Operator) => readonly string[]
  readonly page: (shown: { readonly title: string; readonly data: unknown }) => Promise<WrittenPage>
}

/** Pages of signed-in operators; `src/pages/web/ops/main.tsx` draws them by the same paths. */
const PAGES = [
  "/ops",
  "/ops/sites/:id",
  "/ops/sites/:id/kiosk",
  "/ops/lists",
  "/ops/lists/:kind",
  "/ops/errands/:id",
  "/ops/approvals",
  "/ops/approvals/:id",
  "/ops/settings",
  "/ops/settings/:part",
  "/ops/settings/:part/:id",
  "/ops/audit-log",
  "/ops/operators",
  "/ops/account",
]

export async function operatorPagesPlugin(
  app: FastifyInstance,
  options: OperatorPagesOptions,
): Promise<void> {
  app.get("/ops/", (_, reply) => reply.redirect("/ops", 308))
  app.get("/ops/sign-in", async (request, reply) => {
    const operator = await operatorOf(request, options)
    if (operator !== null) return reply.redirect("/ops", 303)
    return sendPage(reply, options, null, await sessionEndText(options.run, options, request))
  })
  app.get(OPERATOR_LINK_PATH, (_, reply) => sendPage(reply, options, null))
  for (const path of PAGES) app.get(path, (request, reply) => sendToOperator(request, reply, options))
  await addUnknownPages(app, {
    prefix: "/ops",
    send: (request, reply) => sendToOperator(request, reply.code(404), options),
  })
}

/** Somebody else signs in first. */
async function sendToOperator(
  request: FastifyRequest,
  reply: FastifyReply,
  options: OperatorPagesOptions,
): Promise<FastifyReply> {
  const operator = await operatorOf(request, options)
  if (operator !== null) return sendPage(reply, options, operator)
  const to = request.url === "/ops" ? "" : `?to=${encodeURIComponent(request.url)}`
  return reply.header("Cache-Control", "no-store").redirect(`/ops/sign-in${to}`, 303)
}

/** The operator of a valid session; null without one. */
async function operatorOf(
  request: FastifyRequest,
  { run, ...host }: OperatorPagesOptions,
): Promise<SignedIn | null> {
  return signedIn(run, host, request).catch((failure: unknown) => {
    if (failure instanceof TurnedAway) return null
    throw failure
  })
}

async function sendPage(
  reply: FastifyReply,
  { page, environment, hasInspector, operationsOf }: OperatorPagesOptions,
  operator: SignedIn | null,
  ended: string | null = null,
): Promise<FastifyReply> {
  const me =
    operator === null
      ? null
      : {
          label: operator.label,
          form_key: operator.formKey,
          operator_id: operator.operatorId,
          has_account: operator.operator.accountId !== undefined,
          role: operator.operator.role ?? "admin",
          site_ids: operator.operator.siteIds ?? null,
          operations: operationsOf(operator.operator),
          needs_factor: operator.needsFactor,
        }
  const data = { environment, inspector: hasInspector ? "/inspect" : null, me, ended }
  const { html, policy } = await page({ title: "Curbline operations", data })
  return reply
    .headers({ ...PRIVATE_PAGE_HEADERS, "Content-Security-Policy": policy })
    .type("text/html; charset=utf-8")
    .send(html)
}
