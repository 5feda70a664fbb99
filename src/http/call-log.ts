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
import { MASK, masked } from "./masking.ts"
import type { Masked } from "./masking.ts"
import { methodOf, routeOf } from "./request-log.ts"

/** The schemas by which the bodies of a route are masked. */
interface LoggedBodies {
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
export function loggedConfig({ body, answers, beside = {} }: Pick<Offer, "answers" | "beside" | "body">): {
  readonly logged: LoggedBodies
} {
  return {
    logged: { body: body === null ? null : body.ast, answers: astsOf(answers), beside: astsOf(beside) },
  }
}

function astsOf(schemas: Readonly<Record<string, AnySchema>>): Readonly<Record<string, SchemaAST.AST>> {
  return Object.fromEntries(Object.entries(schemas).map(([name, { ast }]) => [name, ast]))
}

const ANSWER = "answeredBody"

/** Requires `prepareCallers`. Must be called before routes are added. */
export function watchCalls(
  app: FastifyInstance,
  environment: Environment,
  tell: (call: AnsweredCall) => void,
): void {
  app.decorateRequest(ANSWER, null)
  app.addHook("preSerialization", async (request, _, payload) => {
    if (isLogged(request)) request.setDecorator(ANSWER, payload)
    return payload
  })
  app.addHook("onResponse", async (request, reply) => {
    const organizationId = organizationOf(request)
    const key = keyOf(request)
    const { logged } = request.routeOptions.config
    if (organizationId === null || key === null || logged === undefined) return
    const { statusCode: status, elapsedTime: ms } = reply
    const answer = request.getDecorator<Readonly<Record<string, unknown>> | null>(ANSWER)
    const sent = sentBodyOf(request, logged)
    const answered = answer === null ? null : answerOf(answer, logged, status)
    tell({
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
    })
  })
}

function isLogged(request: FastifyRequest): boolean {
  return request.routeOptions.config.logged !== undefined && organizationOf(request) !== null
}

/** Null without a body. A body that is no JSON, or is large, is replaced. */
function sentBodyOf({ body }: FastifyRequest, { body: ast }: LoggedBodies): Masked | null {
  if (!(body instanceof Uint8Array) || body.length === 0) return null
  if (body.length > LOGGED_BODY_BYTES_MAX) return { value: MASK, isCut: true }
  try {
    return masked(ast, JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(body)))
  } catch {
    return { value: MASK, isCut: false }
  }
}

function answerOf(answer: Readonly<Record<string, unknown>>, logged: LoggedBodies, status: number): Masked {
  return typeof answer["code"] === "string" ? errorOf(answer) : resultOf(answer, logged, status)
}

/** The catalogue's sentence; what an error says about a field may contain the value that was sent. */
function errorOf(answer: Readonly<Record<string, unknown>>): Masked {
  const { code, details, fields, request_id, success } = answer
  const sentence = Object.entries(ERRORS).find(([one]) => one === code)?.[1].message ?? MASK
  const problems = Array.isArray(details) ? { details: details.map(() => ({ message: MASK })) } : {}
  const names = Array.isArray(fields) ? { fields: fields.map(() => MASK) } : {}
  return { value: { success, error: sentence, code, request_id, ...problems, ...names }, isCut: false }
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
