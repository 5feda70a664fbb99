/**
 * The gate: the checks of every request before its route: its host, whether there is such a route and method, and,
 * where a key is required, the caller and the budget. All of this happens before the body is read.
 */

import { randomUUID } from "node:crypto"
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify"
import type { Operator, Partner } from "../model/caller.ts"
import { Malformed, Refused, TurnedAway } from "../model/values/errors.ts"
import { REQUEST_ID_LENGTH_MAX } from "../model/values/limits.ts"
import { faultInPairs } from "../model/values/well-formed.ts"
import type { Budget } from "./access/rate-limits.ts"
import { Admission } from "./access/admission.ts"
import type { Arrival, KeyName } from "./access/admission.ts"
import type { Arrivals } from "../engine/services/arrivals.ts"
import type { ClockState } from "../engine/services/organization-clock.ts"
import { rememberShare } from "./admission.ts"
import type { Run } from "./bridge.ts"
import { invalid } from "./errors.ts"
import { PROBE_PATHS } from "./probes.ts"
import { operatorSender, setSender } from "./request-requester.ts"
import { Routine } from "../engine/services/routine.ts"

const SAFE_REQUEST_ID = /^[0-9A-Za-z._-]+$/

/** The caller's own id if it is 1 to 64 safe characters, else a fresh one. */
export function requestId(sent: string | readonly string[] | undefined): string {
  const isSafe =
    typeof sent === "string" && sent.length <= REQUEST_ID_LENGTH_MAX && SAFE_REQUEST_ID.test(sent)
  return isSafe ? sent : randomUUID()
}

/** Guards every route of the instance. Must be called before routes are added. */
export function guardInstance(app: FastifyInstance, hosts: readonly string[] | undefined): void {
  const routes: { readonly method: string; readonly segments: readonly string[] }[] = []
  app.addHook("onRoute", ({ method, url }) => {
    for (const one of [method].flat()) routes.push({ method: one, segments: url.split("/") })
  })
  app.addHook("onRequest", async (request, reply) => {
    reply.header("X-Request-Id", request.id)
    const path = request.raw.url?.split("?")[0] ?? ""
    // RFC 9112 §3.2: if a server and the proxy before it read different ones, the wrong host is served.
    const hostsSent = countOf(request.raw.rawHeaders, "host")
    if (hostsSent > 1) throw invalid("Host", "must be sent once")
    if (hostsSent === 0 && request.raw.httpVersion === "1.1") throw invalid("Host", "is missing")
    // Node joins repeated headers with a comma, which would make a third key from two.
    if (countOf(request.raw.rawHeaders, "idempotency-key") > 1) {
      throw invalid("Idempotency-Key", "must be sent once")
    }
    if (hosts !== undefined && !PROBE_PATHS.includes(path) && !isServed(request.headers.host, hosts)) {
      throw new TurnedAway({ code: "MISDIRECTED_REQUEST" })
    }
    if (!request.is404) return
    const segments = path.split("/")
    const allowed = routes.filter((route) => fits(route.segments, segments)).map(({ method }) => method)
    if (allowed.length === 0) throw new Refused({ code: "NOT_FOUND" })
    reply.header("Allow", [...new Set(allowed)].toSorted().join(", "))
    throw new TurnedAway({ code: "METHOD_NOT_ALLOWED" })
  })
  // Runs after the route's own checks of the caller, and before its handler.
  app.addHook("preValidation", async (request) => {
    if (isEncoded(request)) {
      const message = "must be absent or identity: bodies are not decompressed"
      throw new Malformed({ field: "Content-Encoding", message })
    }
    const { opaqueParameters: opaque = [] } = request.routeOptions.config
    const fault = faultInPairs(queryOf(request), { whole: "query", opaque })
    if (fault !== null) throw new Malformed(fault)
    if (Object.entries(request.params as object).some(isNameOfNothing)) {
      throw new Refused({ code: "NOT_FOUND" })
    }
  })
}

declare module "fastify" {
  interface FastifyContextConfig {
    /** Query parameters whose bytes the route takes unchecked. */
    readonly opaqueParameters?: readonly string[]
  }
}

/** The query string as it was sent. */
export function queryOf({ raw }: FastifyRequest): string {
  return (raw.url ?? "").split("?").slice(1).join("?")
}

/** True for NUL, which no id contains, and for a path that leads out of its folder, written with either slash. */
function isNameOfNothing([name, value]: readonly [string, unknown]): boolean {
  if (typeof value !== "string") return false
  return value.includes("\0") || (name === "*" && (value.includes("\\") || value.split("/").includes("..")))
}

/** True for a compressed body, which every API would call broken JSON or a broken form. RFC 9110 §8.4. */
function isEncoded({ headers, body }: FastifyRequest): boolean {
  const encoding = headers["content-encoding"]?.trim().toLowerCase() ?? ""
  return body !== undefined && encoding !== "" && encoding !== "identity"
}

/** Names and values alternate in a request's raw headers. */
function countOf(rawHeaders: readonly string[], name: string): number {
  return rawHeaders.filter((text, at) => at % 2 === 0 && text.toLowerCase() === name).length
}

/** A configured host without a port accepts every port. */
function isServed(host: string | undefined, hosts: readonly string[]): boolean {
  if (host === undefined) return false
  const sent = host.toLowerCase()
  const name = sent.replace(/:\d+$/, "")
  return hosts.some((one) => one.toLowerCase() === sent || one.toLowerCase() === name)
}

function fits(pattern: readonly string[], segments: readonly string[]): boolean {
  return (
    pattern.length === segments.length &&
    pattern.every((part, at) => part === segments[at] || (part.startsWith(":") && segments[at] !== ""))
  )
}

const ARRIVAL = "arrival"

/** Numbers every request of the instance when it arrives. */
export function countArrivals(app: FastifyInstance, arrivals: Pick<Arrivals["Type"], "next">): void {
  app.decorateRequest(ARRIVAL, 0)
  app.addHook("onRequest", (request, _, done) => {
    request.setDecorator(ARRIVAL, arrivals.next())
    done()
  })
}

export function arrivalOf(request: FastifyRequest): number {
  return request.getDecorator<number>(ARRIVAL)
}

const CALLER = "caller"
const ORGANIZATION = "organization"
const KEY = "key"
const CLOCK = "clock"

/** Adds the caller property to every request of the instance. */
export function prepareCallers(app: FastifyInstance): void {
  app.decorateRequest(CALLER, null)
  app.decorateRequest(ORGANIZATION, null)
  app.decorateRequest(KEY, null)
  app.decorateRequest(CLOCK, null)
}

/** The hook of a route that requires a key. Every answer to a known key has the budget's headers. */
export function admit(run: Run<Admission>, needs: Omit<Arrival, "authorization">) {
  return async (request: FastifyRequest, reply: FastifyReply): Promise<void> => {
    const { authorization } = request.headers
    const verdict = await run(
      Routine.flatMap(Admission, (admission) => admission.judge({ ...needs, authorization })),
    )
    if (verdict.organizationId !== null) rememberShare(request, verdict.organizationId)
    if (verdict.budget !== null) tellBudget(reply, verdict.budget)
    request.setDecorator(ORGANIZATION, verdict.organizationId)
    request.setDecorator(KEY, verdict.key)
    if (verdict.key !== null) setSender(request, { type: "key", id: verdict.key.keyId })
    if (verdict.type === "admitted") {
      request.setDecorator(CALLER, verdict.partner)
      request.setDecorator(CLOCK, verdict.clock)
      return
    }
    const { refusal, budget } = verdict
    if (refusal.code === "INVALID_API_KEY") reply.header("WWW-Authenticate", "Bearer")
    if (refusal.code === "RATE_LIMITED") reply.header("Retry-After", String(budget?.resetSeconds ?? 1))
    throw refusal
  }
}

/** Rejects when a request that was admitted would be refused now. Takes nothing from the budget. */
export function admittedStill(run: Run<Admission>, needs: Omit<Arrival, "authorization">) {
  return async ({ headers: { authorization } }: FastifyRequest, reply: FastifyReply): Promise<void> => {
    const refusal = await run(
      Routine.flatMap(Admission, (admission) => admission.recheck({ ...needs, authorization })),
    )
    if (refusal === null) return
    if (refusal.code === "INVALID_API_KEY") reply.header("WWW-Authenticate", "Bearer")
    throw refusal
  }
}

/** The caller that the gate admitted. */
export function callerOf(request: FastifyRequest): Partner {
  return request.getDecorator<Partner>(CALLER)
}

/** The clock under which the command of the admitted caller runs; null: real time. */
export function clockOf(request: FastifyRequest): ClockState | null {
  return request.getDecorator<ClockState | null>(CLOCK)
}

/** Called by the gate of operators, which has admitted the request. */
export function setOperator(request: FastifyRequest, operator: Operator): void {
  request.setDecorator(CALLER, operator)
  setSender(request, operatorSender(operator))
}

/** The operator that the gate admitted. */
export function operatorOf(request: FastifyRequest): Operator {
  return request.getDecorator<Operator>(CALLER)
}

/** The organization of the request's key, admitted or not; null before a key was recognized. For the log. */
export function organizationOf(request: FastifyRequest): string | null {
  return request.getDecorator<string | null>(ORGANIZATION)
}

/** The request's key, admitted or not; null before it was recognized. */
export function keyOf(request: FastifyRequest): KeyName | null {
  return request.getDecorator<KeyName | null>(KEY)
}

function tellBudget(reply: FastifyReply, { limit, remaining, resetSeconds }: Budget): void {
  reply.headers({
    "RateLimit-Limit": String(limit),
    "RateLimit-Remaining": String(remaining),
    "RateLimit-Reset": String(resetSeconds),
  })
}
