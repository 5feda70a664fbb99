/**
 * Passes each answered call with a key to the organization's request log, after the answer was sent, and to the inspector each
 * request that may have given a command, with or without a key. Bodies are masked by the schemas of their endpoint; headers and queries
 * are never passed.
 */

import type { SchemaAST } from "effect"
import type { FastifyInstance, FastifyRequest } from "fastify"
import type { AnsweredRequest, LogOwner } from "./access/call-log.ts"
import type { Environment } from "../model/caller.ts"
import { ERRORS } from "../model/values/errors.ts"
import { LOGGED_BODY_BYTES_MAX } from "../model/values/limits.ts"
import type { AnySchema } from "../model/values/schema.ts"
import { isTooDeep } from "../model/values/well-formed.ts"
import { jsonOf } from "./bodies/json-body.ts"
import type { Offer } from "./endpoint.ts"
import { keyOf, organizationOf } from "./gate.ts"
import { maskedName, maskedProblem, namesIn } from "./masked-errors.ts"
import type { SentRequest } from "./masked-errors.ts"
import { MASK, masked } from "./masking.ts"
import type { Masked } from "./masking.ts"
import { methodOf, routeOf } from "./request-log.ts"
import { hasSender, ownIdOf, sentIdOf } from "./request-requester.ts"

/** The schemas by which the bodies of a route are masked, and the names that its problems may show. */
interface LoggedBodies extends ReadByBody {
  readonly names: ReadonlySet<string>
  readonly body: SchemaAST.AST | null
  readonly answers: Readonly<Record<number, SchemaAST.AST>>
  readonly beside: Readonly<Record<string, SchemaAST.AST>>
}

/** For a route of which each request says in its body what it asks for. */
interface ReadByBody {
  /** Whether the body asks for more than a read. Default: the method says so. */
  readonly isCommand?: (body: unknown) => boolean
  /** The error code of an answer without a `code` of its own. */
  readonly codeOf?: (answer: Readonly<Record<string, unknown>>) => string | null
}

declare module "fastify" {
  interface FastifyContextConfig {
    /** Absent for routes whose calls are neither logged nor kept. */
    readonly logged?: LoggedBodies
  }
}

/** For a route's `config`. */
export function loggedConfig(
  { body, answers, beside = {}, parameters }: Pick<Offer, "answers" | "beside" | "body" | "parameters">,
  readByBody: ReadByBody = {},
): { readonly logged: LoggedBodies } {
  const ast = body === null ? null : body.ast
  const names = new Set([...(ast === null ? [] : namesIn(ast)), ...parameters.map(({ name }) => name)])
  return { logged: { body: ast, answers: astsOf(answers), beside: astsOf(beside), names, ...readByBody } }
}

function astsOf(schemas: Readonly<Record<string, AnySchema>>): Readonly<Record<string, SchemaAST.AST>> {
  return Object.fromEntries(Object.entries(schemas).map(([name, { ast }]) => [name, ast]))
}

const ANSWER = "answeredBody"

/** For routes that send an answer as text. */
export function setAnswer(request: FastifyRequest, answer: Readonly<Record<string, unknown>>): void {
  if (request.server.hasRequestDecorator(ANSWER)) request.setDecorator(ANSWER, answer)
}

interface WatchOptions {
  /** `ids`: the request's own id, and the one that the caller sent. */
  readonly tell: (
    call: AnsweredRequest,
    ids: { readonly requestId: string; readonly sentId: string | null },
  ) => void
  /** The host of the portal. The answer of a logged call that fails links its entry of the log (RFC 8288). */
  readonly portalUrl?: string
}

function linkTo(portalUrl: string, environment: Environment, requestId: string): string {
  return `<${portalUrl}/portal/requests/${encodeURIComponent(requestId)}?environment=${environment}>; rel="help"`
}

/** Requires `prepareCallers`. Must be called before routes are added. */
export function watchCalls(
  app: FastifyInstance,
  environment: Environment,
  { tell, portalUrl }: WatchOptions,
): void {
  app.decorateRequest(ANSWER, null)
  app.addHook("preSerialization", async (request, reply, payload) => {
    if (!isWatched(request)) return payload
    request.setDecorator(ANSWER, payload)
    if (reply.statusCode >= 400 && portalUrl !== undefined && logOwnerOf(request) !== null)
      reply.header("Link", linkTo(portalUrl, environment, request.id))
    return payload
  })
  app.addHook("onResponse", async (request, reply) => {
    const { logged } = request.routeOptions.config
    if (logged === undefined || !isWatched(request)) return
    const of = logOwnerOf(request)
    const { statusCode: status, elapsedTime: ms } = reply
    const answer = request.getDecorator<Readonly<Record<string, unknown>> | null>(ANSWER)
    const body = readBody(request)
    if (of === null && logged.isCommand?.(body) === false) return
    const sent = sentBodyOf(request, logged, body)
    const answered =
      answer === null
        ? null
        : typeof answer["code"] === "string"
          ? errorOf(answer, logged, { body, beside: textsBeside(request) })
          : resultOf(answer, logged, status)
    tell(
      {
        of,
        environment,
        method: methodOf(request),
        route: routeOf(request),
        path: request.url.split("?")[0] ?? "",
        status,
        code: answer === null ? null : codeOf(answer, logged),
        ms: Math.round(ms),
        requestId: request.id,
        sent: sent === null ? null : JSON.stringify(sent.value),
        answered: answered === null ? null : JSON.stringify(answered.value),
        isCut: sent?.isCut === true || answered?.isCut === true,
      },
      { requestId: ownIdOf(request), sentId: sentIdOf(request) },
    )
  })
}

/** Calls with a key, and what others send to change something. */
function isWatched(request: FastifyRequest): boolean {
  if (request.routeOptions.config.logged === undefined) return false
  const isRead = request.method === "GET" || request.method === "HEAD"
  return logOwnerOf(request) !== null || (!isRead && hasSender(request))
}

function logOwnerOf(request: FastifyRequest): LogOwner | null {
  const organizationId = organizationOf(request)
  const key = keyOf(request)
  return organizationId === null || key === null ? null : { organizationId, ...key }
}

function codeOf(answer: Readonly<Record<string, unknown>>, logged: LoggedBodies): string | null {
  return typeof answer["code"] === "string" ? answer["code"] : (logged.codeOf?.(answer) ?? null)
}

/** The JSON of a body; null without one, undefined when it is no JSON, or too large or too deep for the log. */
function readBody({ body }: FastifyRequest): unknown {
  if (!(body instanceof Uint8Array) || body.length === 0) return null
  if (body.length > LOGGED_BODY_BYTES_MAX) return undefined
  const json = jsonOf(body)
  return isTooDeep(json) ? undefined : json
}

/** Null without a body. A body that is no JSON, or is large or deep, is replaced. */
function sentBodyOf({ body }: FastifyRequest, { body: ast }: LoggedBodies, json: unknown): Masked | null {
  if (!(body instanceof Uint8Array) || body.length === 0) return null
  if (json === undefined) return { value: MASK, isCut: body.length > LOGGED_BODY_BYTES_MAX }
  return masked(ast, json)
}

/** What a request consists of beside its body: values of its query, path and headers. */
function textsBeside({ query, params, headers }: FastifyRequest): readonly string[] {
  return [query, params, headers].flatMap((part) =>
    Object.values(part as Readonly<Record<string, unknown>>).flatMap((value) =>
      [value].flat().filter((one) => typeof one === "string"),
    ),
  )
}

/** The catalogue's sentence, and of its problems what contains no value that was sent. */
function errorOf(
  answer: Readonly<Record<string, unknown>>,
  { names }: LoggedBodies,
  sent: SentRequest,
): Masked {
  const { code, details, fields, request_id, success } = answer
  const sentence = Object.entries(ERRORS).find(([one]) => one === code)?.[1].message ?? MASK
  const problems = Array.isArray(details)
    ? { details: details.map((one) => maskedProblem(one, names, sent)) }
    : {}
  const refined = Array.isArray(fields)
    ? { fields: fields.map((field) => maskedName(String(field), names)) }
    : {}
  return { value: { success, error: sentence, code, request_id, ...problems, ...refined }, isCut: false }
}

function resultOf(
  answer: Readonly<Record<string, unknown>>,
  { answers, beside }: LoggedBodies,
  status: number,
): Masked {
  const parts = Object.entries(answer).map(([name, value]): readonly [string, Masked] => {
    if (name === "data") return [name, masked(answers[status] ?? null, value)]
    if (name === "success" || name === "status") return [name, { value, isCut: false }]
    return [name, masked(beside[name] ?? null, value)]
  })
  return {
    value: Object.fromEntries(parts.map(([name, { value }]) => [name, value])),
    isCut: parts.some(([, { isCut }]) => isCut),
  }
}
