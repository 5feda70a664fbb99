/**
 * `/ops`: the pages of operations. Each is one short text that names the signed-in operator; its script reads the rest
 * from the operations API with the rights of the session.
 */

import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify"
import { PRIVATE_PAGE_HEADERS } from "../../../pages/html/page-frame.ts"
import type { ShownPage, WrittenPage } from "../../../pages/html/page-frame.ts"
import { cardFrame, kioskFrame, operationsFrame } from "../../../pages/html/first-frame.ts"
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
  readonly page: (shown: ShownPage) => Promise<WrittenPage>
  /** The page of replays, which shows today of a site. */
  readonly replayPage: (shown: ShownPage) => Promise<WrittenPage>
}

interface Place {
  readonly heading: string
  /** The part of the page's script that draws it; see `src/pages/web/ops/main.tsx`. Null: the script alone. */
  readonly part: string | null
  readonly isReplay?: boolean
}

const KIOSK = "board/kiosk-page"
const SETTINGS = { heading: "Settings", part: "settings/settings-page" }
const LISTS = { heading: "Lists", part: "lists/lists-page" }
const APPROVALS = { heading: "Approvals", part: "pages/approvals" }
const ACCOUNT = { heading: "Account", part: "pages/account" }
const SIGN_IN = { heading: "Sign in", part: "pages/sign-in" }
const SET_PASSWORD = { heading: "Choose a password", part: "pages/set-password" }
const NO_SUCH_PAGE = { heading: "There is no such page.", part: null }

/** Pages of signed-in operators, by path. */
const PAGES: Readonly<Record<string, Place>> = {
  "/ops": { heading: "Sites", part: "pages/sites" },
  "/ops/sites/:id": { heading: "Site", part: "board/board-page" },
  "/ops/sites/:id/kiosk": { heading: "Reading the site", part: KIOSK },
  "/ops/sites/:id/replay": { heading: "Today", part: null, isReplay: true },
  "/ops/lists": LISTS,
  "/ops/lists/:kind": LISTS,
  "/ops/errands/:id": { heading: "Errand", part: "errands/errand-page" },
  "/ops/approvals": APPROVALS,
  "/ops/approvals/:id": APPROVALS,
  "/ops/settings": SETTINGS,
  "/ops/settings/:part": SETTINGS,
  "/ops/settings/:part/:id": SETTINGS,
  "/ops/audit-log": { heading: "Audit log", part: "pages/audit-log" },
  "/ops/operators": { heading: "Operators", part: "pages/operators" },
  "/ops/account": ACCOUNT,
}

export async function operatorPagesPlugin(
  app: FastifyInstance,
  options: OperatorPagesOptions,
): Promise<void> {
  app.get("/ops/", (_, reply) => reply.redirect("/ops", 308))
  app.get("/ops/sign-in", async (request, reply) => {
    const operator = await operatorOf(request, options)
    if (operator !== null) return reply.redirect("/ops", 303)
    const ended = await sessionEndText(options.run, options, request)
    return sendPage(reply, options, { ...SIGN_IN, operator: null, ended })
  })
  app.get(OPERATOR_LINK_PATH, (_, reply) => sendPage(reply, options, { ...SET_PASSWORD, operator: null }))
  for (const [path, place] of Object.entries(PAGES))
    app.get(path, (request, reply) => sendToOperator(request, reply, options, place))
  await addUnknownPages(app, {
    prefix: "/ops",
    send: (request, reply) => sendToOperator(request, reply.code(404), options, NO_SUCH_PAGE),
  })
}

/** Somebody else signs in first. */
async function sendToOperator(
  request: FastifyRequest,
  reply: FastifyReply,
  options: OperatorPagesOptions,
  place: Place,
): Promise<FastifyReply> {
  const operator = await operatorOf(request, options)
  if (operator !== null)
    return sendPage(reply, options, { ...(operator.needsFactor ? ACCOUNT : place), operator })
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

interface Sent extends Place {
  /** Null for a visitor without a session. */
  readonly operator: SignedIn | null
  readonly ended?: string | null
}

async function sendPage(
  reply: FastifyReply,
  { page, replayPage, environment, hasInspector, operationsOf }: OperatorPagesOptions,
  { heading, part, operator, isReplay = false, ended = null }: Sent,
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
  const frameOf = operator === null ? cardFrame : part === KIOSK || isReplay ? kioskFrame : operationsFrame
  const { html, policy } = await (isReplay ? replayPage : page)({
    title: `${heading.replace(/\.$/, "")} - Curbline operations`,
    frame: frameOf({ heading, environment }),
    part,
    data: isReplay ? { ...data, worker: null, run: null, today: true } : data,
  })
  return reply
    .headers({ ...PRIVATE_PAGE_HEADERS, "Content-Security-Policy": policy })
    .type("text/html; charset=utf-8")
    .send(html)
}
