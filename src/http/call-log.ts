/**
 * Passes each answered call with a key to the organization's request log, after the answer was sent. Bodies are masked
 * by the schemas of their endpoint; headers and queries are never passed.
 */

import type { SchemaAST } from "effect"
import type { FastifyInstance, FastifyRequest } from "fastify"
import type { AnsweredCall } from "../areas/access/call-log.ts"
import type { Environment } from "../model/caller.ts"
import { ERRORS } from "../model/errors.ts"
import { LOGGED_BODY_BYTES_MAX } from "../model/limits.ts"
import type { AnySchema } from "../model/schema.ts"
import type { Offer } from "./endpoint.ts"
import { keyOf, organizationOf } from "./gate.ts"
import { maskedName, maskedProblem, namesIn } from "./masked-errors.ts"
import type { SentRequest } from "./masked-errors.ts"
import { MASK, masked } from "./masking.ts"
import type { Masked } from "./masking.ts"
import { methodOf, routeOf } from "./request-log.ts"
import { ownIdOf, sentIdOf } from "./request-requester.ts"

/** The schemas by which the bodies of a route are masked, and the names that its problems may show. */
interface LoggedBodies {
  readonly names: ReadonlySet<string>
  readonly body: SchemaAST.AST | null
  readonly answers: Readonly<Record<number, SchemaAST.AST>>
  readonly beside: Readonly<Record<string, SchemaAST.AST>>
}

declare module "fastify" {
  interface FastifyContextConfig {
    /** Absent for routes whose calls are not logged. */
    readonly logged?: LoggedBodies
  }
}

/** For a route's `config`. */
export function loggedConfig({
  body,
  answers,
  beside = {},
  parameters,
}: Pick<Offer, "answers" | "beside" | "body" | "parameters">): { readonly logged: LoggedBodies } {
  const ast = body === null ? null : body.ast
  const names = new Set([...(ast === null ? [] : namesIn(ast)), ...parameters.map(({ name }) => name)])
  return { logged: { body: ast, answers: astsOf(answers), beside: astsOf(beside), names } }
}

function astsOf(schemas: Readonly<Record<string, AnySchema>>): Readonly<Record<string, SchemaAST.AST>> {
  return Object.fromEntries(Object.entries(schemas).map(([name, { ast }]) => [name, ast]))
}

const ANSWER = "answeredBody"

interface WatchOptions {
  /** `ids`: the request's own id, and the one that the caller sent. */
  readonly tell: (
    call: AnsweredCall,
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
    if (!isLogged(request)) return payload
    request.setDecorator(ANSWER, payload)
    if (reply.statusCode >= 400 && portalUrl !== undefined)
      reply.header("Link", linkTo(portalUrl, environment, request.id))
    return payload
  })
  app.addHook("onResponse", async (request, reply) => {
    const organizationId = organizationOf(request)
    const key = keyOf(request)
    const { logged } = request.routeOptions.config
    if (organizationId === null || key === null || logged === undefined) return
    const { statusCode: status, elapsedTime: ms } = reply
    const answer = request.getDecorator<Readonly<Record<string, unknown>> | null>(ANSWER)
    const body = readBody(request)
    const sent = sentBodyOf(request, logged, body)
    const answered =
      answer === null
        ? null
        : typeof answer["code"] === "string"
          ? errorOf(answer, logged, { body, beside: textsBeside(request) })
          : resultOf(answer, logged, status)
    tell(
      {
        organizationId,
        environment,
        ...key,
        method: methodOf(request),
        route: routeOf(request),
        path: request.url.split("?")[0] ?? "",
        status,
        code: typeof answer?.["code"] === "string" ? answer["code"] : null,
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

function isLogged(request: FastifyRequest): boolean {
  return request.routeOptions.config.logged !== undefined && organizationOf(request) !== null
}

/** The JSON of a body; null without one, undefined when it is no JSON or too large for the log. */
function readBody({ body }: FastifyRequest): unknown {
  if (!(body instanceof Uint8Array) || body.length === 0) return null
  if (body.length > LOGGED_BODY_BYTES_MAX) return undefined
  try {
    return JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(body))
  } catch {
    return undefined
  }
}

/** Null without a body. A body that is no JSON, or is large, is replaced. */
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
