/**
 * The log of requests: one line when an answer has left, made of what is known of it and of nothing that was sent: no
 * headers, no bodies, no query strings, no path but the route's pattern.
 */

import type { FastifyInstance, FastifyRequest } from "fastify"
import type { Environment } from "../model/caller.ts"
import { organizationOf } from "./gate.ts"
import { PROBE_PATHS } from "./probes.ts"

/** A request that no route was found for; all of them share one name, whatever they asked for. */
const NO_ROUTE = "none"

/** Everything about an answer that a count or a line may know. */
export interface Answered {
  readonly method: string
  readonly route: string
  readonly status: number
  readonly seconds: number
}

/** Tells of every answer, those that a caller did not wait for included. */
export function watchRequests(
  app: FastifyInstance,
  environment: Environment,
  tell: (answered: Answered & { readonly environment: Environment }) => void,
): void {
  app.addHook("onResponse", async (request, reply) => {
    const answered = {
      method: methodOf(request),
      route: routeOf(request),
      status: reply.statusCode,
      seconds: reply.elapsedTime / 1000,
    }
    tell({ environment, ...answered })
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

/** Methods that no route has, of which a client may invent many, share one name. */
export function methodOf({ method }: FastifyRequest): string {
  return METHODS.has(method) ? method : "other"
}

const METHODS: ReadonlySet<string> = new Set(["DELETE", "GET", "HEAD", "OPTIONS", "PATCH", "POST", "PUT"])
