/**
 * The inspector of the running service as a Fastify plugin: sign-in, the list of groups, one group's page, its live
 * entries, its record, and, in the sandbox, sending events.
 */

import { Readable } from "node:stream"
import { Effect, Schema } from "effect"
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify"
import { html } from "../../../pages/html/markup.ts"
import type { GroupAddress } from "../../../model/address.ts"
import { Refused, TurnedAway } from "../../../model/values/errors.ts"
import {
  BECAUSE_LENGTH_MAX,
  KEPT_RECORD_LENGTH_MAX,
  PAGE_FORM_BYTES_MAX,
  PAGE_SIZE,
  STUCK_TEXT_LENGTH_MAX,
} from "../../../model/values/limits.ts"
import {
  FORM_KEY_HEADER,
  NOW_HEADER,
  REVISION_HEADER,
  STUCK_HEADER,
  isKept,
  recordFileOf,
} from "../../../model/live-group.ts"
import type { KeptScenario, LiveGroup } from "../../../model/live-group.ts"
import type { AskedByWhom } from "../asked-by.ts"
import { OperatorAudit } from "../audit.ts"
import { Inspection } from "../inspection.ts"
import type { RecordPieces } from "../inspection.ts"
import { OperatorSessions } from "../../operators/operator-sessions.ts"
import type { SignedIn } from "../../operators/operator-sessions.ts"
import { EventSending } from "../sending.ts"
import type { SentEvent as SentByHand } from "../sending.ts"
import { sendableEvents } from "../sendable.ts"
import { TooManyAttempts } from "../../../engine/services/rate-limits/attempts.ts"
import type { Run } from "../../../http/bridge.ts"
import { decodeBody, sentBody } from "../../../http/endpoint.ts"
import { NOT_STORED } from "../../../http/errors.ts"
import type { ShownPage } from "../../../http/pages/html-page.ts"
import { formIn, formTextIn } from "../../../http/pages/form.ts"
import { requireOwnPages } from "../../../http/pages/own-pages.ts"
import { addAskedBy } from "./asked-by.ts"
import type { Asked } from "./asked-by.ts"
import { auditPage } from "./audit-page.ts"
import {
  operatorSessionIn,
  requireFormKey,
  sessionEndText,
  signedIn,
  signedInAdmin,
  setOperatorSession,
} from "../../operators/http/gate.ts"
import type { Host } from "../../operators/http/gate.ts"
import { DONE, OperatorActions, actorOf } from "../../operators/actions.ts"
import { logged, signOut } from "../../operators/http/plugin.ts"
import { GROUPS, beforeIn, filterIn, listPage, pathOf } from "./list-page.ts"
import type { GroupWords } from "./list-page.ts"
import { PAGE_HEADERS, headerOf, sendCard, sendPage } from "./page.ts"
import { signInPage } from "./sign-in-page.ts"

export type InspectorSurface =
  AskedByWhom | EventSending | Inspection | OperatorActions | OperatorAudit | OperatorSessions

export interface InspectorOptions extends Host {
  readonly run: Run<InspectorSurface>
  /** The page of one group, with its Content-Security-Policy. */
  readonly groupPage: (group: LiveGroup) => Promise<{ readonly html: string; readonly policy: string }>
  readonly groupWords: GroupWords
  /** A group's record as a scenario. */
  readonly scenarioOf: (record: string, kept: KeptGroup) => Promise<KeptScenario>
}

interface KeptGroup {
  readonly group: GroupAddress
  /** Why it is kept, a sentence; null for a usual one. */
  readonly because: string | null
}

const GROUP = `${GROUPS}/:kind/:id`

/** Requires the hooks of `src/http/gate.ts` on the instance, and bodies as bytes. */
export async function inspectorPlugin(app: FastifyInstance, options: InspectorOptions): Promise<void> {
  addSignIn(app, options)
  addPages(app, options)
  addGroup(app, options)
  addScenario(app, options)
  addAskedBy(app, { ...options, path: GROUP })
  // Outside the sandbox the path does not exist.
  if (options.environment === "sandbox") addSending(app, options)
}

function addSignIn(app: FastifyInstance, { run, ...host }: InspectorOptions): void {
  app.post<Asked>("/inspect/sign-in", { bodyLimit: PAGE_FORM_BYTES_MAX }, async (request, reply) => {
    requireOwnPages(request, host)
    const form = formOf(request)
    const to = ownPath(form.get("to"))
    const { environment } = host
    const wanted = { environment, value: form.get("token")?.trim() ?? "", address: request.ip }
    const signing = Effect.flatMap(OperatorSessions, (sessions) => sessions.signIn(wanted))
    const answer = await run(
      Effect.either(logged({ environment, action: "signIn", actorType: "token" }, signing)),
    )
    if (answer._tag === "Right") {
      setOperatorSession(reply, answer.right.session, host)
      return reply.headers(NOT_STORED).redirect(to, 303)
    }
    const { left } = answer
    if (!(left instanceof TooManyAttempts)) return sendCard(reply, signInPage(to, environment, "wrong"))
    reply.header("Retry-After", String(left.retryAfterSeconds))
    return sendCard(reply, signInPage(to, environment, "too many"))
  })
  app.post<Asked>("/inspect/sign-out", { bodyLimit: PAGE_FORM_BYTES_MAX }, async (request, reply) => {
    requireOwnPages(request, host)
    const operator = await signedIn(run, host, request)
    requireFormKey(operator, formOf(request).get("key"))
    await run(signOut(operator, operatorSessionIn(request, host) ?? ""))
    setOperatorSession(reply, null, host)
    return reply.headers(NOT_STORED).redirect("/inspect", 303)
  })
}

function addPages(app: FastifyInstance, options: InspectorOptions): void {
  const { run, environment } = options
  app.get<Asked>("/inspect", (request, reply) =>
    forOperator(options, request, reply, async (operator) => {
      const filter = filterIn(request.query)
      const found = await run(Effect.flatMap(Inspection, ({ list }) => list(environment, filter)))
      return sendPage(reply, listPage(operator, filter, found, options.groupWords))
    }),
  )
  app.get<Asked>("/inspect/audit", (request, reply) =>
    forOperator(options, request, reply, async (operator) => {
      const query = { environment, beforeNumber: beforeIn(request.query), limit: PAGE_SIZE }
      const entries = await run(Effect.flatMap(OperatorAudit, ({ list }) => list(query)))
      return sendPage(reply, auditPage(operator, entries, PAGE_SIZE))
    }),
  )
  app.get<Asked>(GROUP, (request, reply) =>
    forOperator(options, request, reply, async ({ formKey }) => {
      const address = addressIn(request)
      const { head, owner } = await run(
        Effect.flatMap(Inspection, (inspection) =>
          Effect.all({
            head: inspection.head(environment, address),
            owner: inspection.owner(environment, address),
          }),
        ),
      )
      const path = pathOf(address)
      const sends = environment === "sandbox"
      const { html: text, policy } = await options.groupPage({
        address,
        environment,
        head,
        paths: {
          list: "/inspect",
          groups: GROUPS,
          entries: `${path}/entries`,
          record: `${path}/record`,
          scenario: isKept(address) ? `${path}/scenario` : null,
          related: `${path}/related`,
          asked: `${path}/asked`,
          bodies: `${path}/bodies`,
          events: sends ? `${path}/events` : null,
        },
        named: owner,
        formKey,
        sendable: sends ? sendableEvents() : {},
      })
      reply.headers(PAGE_HEADERS).header("Content-Security-Policy", policy)
      return reply.type("text/html; charset=utf-8").send(text)
    }),
  )
}

/** A page for signed-in operators; others get the sign-in form. */
async function forOperator(
  { run, ...host }: InspectorOptions,
  request: FastifyRequest,
  reply: FastifyReply,
  show: (operator: SignedIn) => Promise<FastifyReply>,
): Promise<FastifyReply> {
  let isDenied = false
  const operator = await signedInAdmin(run, host, request).catch((failure: unknown) => {
    if (failure instanceof TurnedAway) return null
    if (!(failure instanceof Refused)) throw failure
    isDenied = true
    return null
  })
  if (isDenied) return sendCard(reply, deniedPage())
  if (operator === null) {
    const ended = await sessionEndText(run, host, request)
    return sendCard(reply, signInPage(ownPath(request.url), host.environment, null, ended))
  }
  return show(operator).catch((failure: unknown) => {
    if (!(failure instanceof Refused) || failure.code !== "NOT_FOUND") throw failure
    return sendPage(reply, nothingPage(operator))
  })
}

function deniedPage(): ShownPage {
  return {
    status: 403,
    title: "The inspector is for administrators",
    body: html`<h1>The inspector is for administrators</h1>
      <p>It shows the journals of every site. <a href="/ops">Go to operations</a>.</p>`,
  }
}

function nothingPage(operator: SignedIn): ShownPage {
  const said = `There is no such group in the ${operator.environment} environment, or it has not started.`
  return {
    status: 404,
    title: "No such group",
    top: headerOf(operator),
    body: html` <h1>No such group</h1>
      <p>${said}</p>`,
  }
}

function addGroup(app: FastifyInstance, { run, ...host }: InspectorOptions): void {
  app.get<Asked>(`${GROUP}/entries`, async (request, reply) => {
    const { environment } = await signedInAdmin(run, host, request)
    const after = request.query["after"]
    const revision = typeof after === "string" && /^\d{1,9}$/.test(after) ? Number(after) : 0
    const address = addressIn(request)
    const found = await run(
      Effect.flatMap(Inspection, (inspection) => inspection.entries(environment, address, revision)),
    )
    reply.headers(NOT_STORED).header(REVISION_HEADER, String(found.revision))
    reply.header(NOW_HEADER, String(found.nowMs))
    if (found.stoppedBecause !== null) reply.header(STUCK_HEADER, headerText(found.stoppedBecause))
    return found.lines === ""
      ? reply.code(204).send()
      : reply.type("application/x-ndjson; charset=utf-8").send(found.lines)
  })
  app.get<Asked>(`${GROUP}/related`, async (request, reply) => {
    const { environment } = await signedInAdmin(run, host, request)
    const data = await run(
      Effect.flatMap(Inspection, ({ related }) => related(environment, addressIn(request))),
    )
    return reply.headers(NOT_STORED).send({ success: true, data })
  })
  app.get<Asked>(`${GROUP}/record`, async (request, reply) => {
    const { environment } = await signedInAdmin(run, host, request)
    const address = addressIn(request)
    const pieces = await run(
      Effect.flatMap(Inspection, (inspection) => inspection.record(environment, address)),
    )
    return reply
      .headers(NOT_STORED)
      .header("Content-Disposition", `attachment; filename="${recordFileOf(address)}"`)
      .type("application/x-ndjson; charset=utf-8")
      .send(Readable.from(textsOf(run, pieces)))
  })
}

function addScenario(app: FastifyInstance, { run, scenarioOf, ...host }: InspectorOptions): void {
  app.get<Asked>(`${GROUP}/scenario`, async (request, reply) => {
    const { environment } = await signedInAdmin(run, host, request)
    const group = addressIn(request)
    const because = request.query["because"] ?? null
    if (because !== null && (typeof because !== "string" || because.length > BECAUSE_LENGTH_MAX))
      throw refusedField("because", `must be a text of at most ${BECAUSE_LENGTH_MAX} characters`)
    if (!isKept(group))
      throw refusedField("kind", "only a reservation, a delivery or an errand can be kept as a scenario")
    const pieces = await run(
      Effect.flatMap(Inspection, (inspection) => inspection.record(environment, group)),
    )
    let record = ""
    for await (const piece of textsOf(run, pieces)) {
      record += piece
      if (record.length > KEPT_RECORD_LENGTH_MAX)
        throw refusedField("kind", "its journal is too long to be kept as a scenario")
    }
    return reply
      .headers(NOT_STORED)
      .send({ success: true, data: await scenarioOf(record, { group, because }) })
  })
}

function refusedField(field: string, message: string): Refused {
  return new Refused({ code: "VALIDATION_ERROR", problems: [{ field, message }] })
}

/** Header values are limited in characters and length. */
function headerText(text: string): string {
  return encodeURIComponent(text.slice(0, STUCK_TEXT_LENGTH_MAX).toWellFormed())
}

async function* textsOf(run: Run<never>, { next }: RecordPieces): AsyncGenerator<string> {
  for (let piece = await run(next); piece !== null; piece = await run(next)) yield piece
}

const SentEvent = Schema.Struct({
  to: Schema.String,
  type: Schema.String,
  fields: Schema.Record({ key: Schema.String, value: Schema.Unknown }),
})

function addSending(app: FastifyInstance, { run, ...host }: InspectorOptions): void {
  app.post<Asked>(`${GROUP}/events`, { bodyLimit: PAGE_FORM_BYTES_MAX }, async (request, reply) => {
    requireOwnPages(request, host)
    const operator = await signedInAdmin(run, host, request)
    requireFormKey(operator, request.headers[FORM_KEY_HEADER])
    const address = addressIn(request)
    const sent = await run(
      Effect.gen(function* () {
        const event = yield* decodeBody(SentEvent, sentBody(request.body, request.headers["content-type"]))
        const isOfGroup = event.to === address || event.to.startsWith(`${address}/`)
        if (!isOfGroup) return yield* new Refused({ code: "NOT_FOUND" })
        const sending = (yield* EventSending).send(operator, event)
        const { environment } = host
        const doing = { environment, ...actorOf(operator.operator), action: "sendEvent", subjectId: event.to }
        return yield* (yield* OperatorActions).noting(doing, sending, { outcomeOf })
      }),
    )
    return reply.headers(NOT_STORED).send({ success: true, data: sent })
  })
}

/** Of an event that was sent by hand, for the audit log of operations. */
function outcomeOf(sent: unknown): string {
  const { outcome, code } = sent as SentByHand
  return outcome === "taken" ? DONE : (code ?? "INTERNAL_ERROR")
}

function addressIn({ params: { kind, id } }: FastifyRequest<Asked>): string {
  return `${kind}/${id}`
}

function formOf(request: FastifyRequest<Asked>): ReadonlyMap<string, string> {
  return formIn(formTextIn(request.body)) ?? new Map<string, string>()
}

/** The target of a form must be a path of the inspector. */
function ownPath(sent: string | undefined): string {
  return sent !== undefined && /^\/inspect(?:[/?][\w\-./?=&%+]*)?$/.test(sent) ? sent : "/inspect"
}
