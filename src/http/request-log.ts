/**
 * The request log: one line after each answer. It contains no headers, no bodies, no query strings, and no path except
 * the route's pattern.
 */

import type { FastifyInstance, FastifyRequest } from "fastify"
import type { Environment } from "../model/caller.ts"
import { organizationOf } from "./gate.ts"
import { PROBE_PATHS } from "./probes.ts"
import { hasSender } from "./request-requester.ts"

/** The name of requests without a route, whatever their path. */
const NO_ROUTE = "none"

/** The data about an answer that counters and the log may use. */
interface Answered {
  readonly method: string
  readonly route: string
  readonly status: number
  readonly seconds: number
}

/** An answer, for the counters. */
export interface CountedAnswer extends Answered {
  readonly environment: Environment
  /** True when a gate had admitted the caller's key, token, session or phone. */
  readonly isCallerKnown: boolean
}

/** Calls back for every answer, also when the client has disconnected. */
export function watchRequests(
  app: FastifyInstance,
  environment: Environment,
  tell: (answered: CountedAnswer) => void,
): void {
  app.addHook("onResponse", async (request, reply) => {
    const answered = {
      method: methodOf(request),
      route: routeOf(request),
      status: reply.statusCode,
      seconds: reply.elapsedTime / 1000,
    }
    tell({ environment, isCallerKnown: hasSender(request), ...answered })
    const { seconds, ...shown } = answered
    const line = {
      ...shown,
      duration_ms: Math.round(seconds * 1_000_000) / 1000,
      environment,
      organization_id: organizationOf(request),
    }
    if (PROBE_PATHS.includes(answered.route)) request.log.debug(line, "probed")
    else request.log.info(line, "answered")
  })
}

/** The route's pattern. */
export function routeOf(request: FastifyRequest): string {
  return request.is404 ? NO_ROUTE : (request.routeOptions.url ?? NO_ROUTE)
}

/** Methods without a route share one name, because clients may invent many. */
export function methodOf({ method }: FastifyRequest): string {
  return METHODS.has(method) ? method : "other"
}

const METHODS: ReadonlySet<string> = new Set(["DELETE", "GET", "HEAD", "OPTIONS", "PATCH", "POST", "PUT"])
