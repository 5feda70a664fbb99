/**
 * The gate: what every request passes before a route looks at it. First its host, then whether there is such a route and
 * method; where a key is asked for, the caller and the budget. All of it before a byte of the body is read.
 */

import { randomUUID } from "node:crypto"
import { Effect } from "effect"
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify"
import type { Partner } from "../model/caller.ts"
import { Refused, TurnedAway } from "../model/errors.ts"
import type { Budget } from "../services/access/rate-limits.ts"
import { Admission } from "../services/access/admission.ts"
import type { Arrival } from "../services/access/admission.ts"
import type { Run } from "./bridge.ts"

/** Paths that are answered whatever the `Host` says: machines ask for them by address. */
const ANY_HOST = ["/healthz", "/readyz", "/metrics"]

const SAFE_REQUEST_ID = /^[0-9A-Za-z._-]{1,64}$/

/** The caller's own id if it is 1 to 64 safe characters, else a fresh one. */
export function requestId(sent: string | readonly string[] | undefined): string {
  return typeof sent === "string" && SAFE_REQUEST_ID.test(sent) ? sent : randomUUID()
}

/** Guards every route of the instance. Routes are to be added afterwards. */
export function guardInstance(app: FastifyInstance, hosts: readonly string[] | undefined): void {
  const routes: { readonly method: string; readonly segments: readonly string[] }[] = []
  app.addHook("onRoute", ({ method, url }) => {
    for (const one of [method].flat()) routes.push({ method: one, segments: url.split("/") })
  })
  app.addHook("onRequest", async (request, reply) => {
    reply.header("X-Request-Id", request.id)
    const path = request.raw.url?.split("?")[0] ?? ""
    if (hosts !== undefined && !ANY_HOST.includes(path) && !isServed(request.headers.host, hosts)) {
      throw new TurnedAway({ code: "MISDIRECTED_REQUEST" })
    }
    if (!request.is404) return
    const segments = path.split("/")
    const allowed = routes.filter((route) => fits(route.segments, segments)).map(({ method }) => method)
    if (allowed.length === 0) throw new Refused({ code: "NOT_FOUND" })
    reply.header("Allow", [...new Set(allowed)].toSorted().join(", "))
    throw new TurnedAway({ code: "METHOD_NOT_ALLOWED" })
  })
}

/** A configured host without a port stands for every port. */
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

const CALLER = "caller"

/** Makes room for the caller on every request of the instance. */
export function prepareCallers(app: FastifyInstance): void {
  app.decorateRequest(CALLER, null)
}

/** The hook of a route that asks for a key. The budget is told on every answer to a known key. */
export function admit(run: Run<Admission>, needs: Omit<Arrival, "authorization">) {
  return async (request: FastifyRequest, reply: FastifyReply): Promise<void> => {
    const { authorization } = request.headers
    const verdict = await run(
      Effect.flatMap(Admission, (admission) => admission.judge({ ...needs, authorization })),
    )
    if (verdict.budget !== null) tellBudget(reply, verdict.budget)
    if (verdict.type === "admitted") {
      request.setDecorator(CALLER, verdict.partner)
      return
    }
    const { refusal, budget } = verdict
    if (refusal.code === "INVALID_API_KEY") reply.header("WWW-Authenticate", "Bearer")
    if (refusal.code === "RATE_LIMITED") reply.header("Retry-After", String(budget?.resetSeconds ?? 1))
    throw refusal
  }
}

/** The caller that the gate admitted. */
export function callerOf(request: FastifyRequest): Partner {
  return request.getDecorator<Partner>(CALLER)
}

function tellBudget(reply: FastifyReply, { limit, remaining, resetSeconds }: Budget): void {
  reply.headers({
    "RateLimit-Limit": String(limit),
    "RateLimit-Remaining": String(remaining),
    "RateLimit-Reset": String(resetSeconds),
  })
}
