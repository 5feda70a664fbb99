/** Makes a route of an endpoint that requires a key, in every API for partners. */

import type { FastifyInstance, FastifyRequest } from "fastify"
import type { Environment } from "../model/caller.ts"
import { inTimeOf } from "../engine/services/organization-clock.ts"
import { Routine } from "../engine/services/routine.ts"
import type { Admission } from "./access/admission.ts"
import type { AuditedCommand } from "./access/audit-log.ts"
import { CurrentActor } from "../engine/services/actor.ts"
import type { Actor } from "../engine/services/actor.ts"
import { attended } from "./admission.ts"
import type { Run } from "./bridge.ts"
import { audited } from "./audit.ts"
import { loggedConfig } from "./call-log.ts"
import { sentBody } from "./endpoint.ts"
import type { Answer, Endpoint, Query } from "./endpoint.ts"
import { NOT_STORED } from "./errors.ts"
import { longPolls } from "./long-poll.ts"
import { bodyConfig, warningsOf } from "./warnings.ts"
import { admit, admittedStill, arrivalOf, callerOf, clockOf, keyOf } from "./gate.ts"

/** The common parts of one API's endpoints. */
export interface KeyedSurface<R> {
  readonly run: Run<R>
  readonly environment: Environment
  /** True when only enrolled organizations are admitted. */
  readonly isForFleetPartners: boolean
  /** The fields beside `data` in an answer. */
  readonly done: Readonly<Record<string, unknown>>
}

/** Requires the hooks of `gate.ts` on the instance, and bodies as bytes. */
export function addEndpoint<R>(
  app: FastifyInstance,
  endpoint: Endpoint<R>,
  { run, environment, isForFleetPartners, done }: KeyedSurface<NoInfer<R> | Admission>,
): void {
  const { method, path, permissions, budget, handle, isUnlogged, waitsWith } = endpoint
  const needs = { environment, permissions, budget, isForFleetPartners }
  const waiting =
    waitsWith === undefined ? null : longPolls(app, { waitsWith, check: admittedStill(run, needs) })
  app.route<{ Params: Readonly<Record<string, string>>; Querystring: Query; Body: Buffer | undefined }>({
    method,
    url: path.replace(/\{(\w+)\}/g, ":$1"),
    config: { ...bodyConfig(endpoint), ...(isUnlogged === true ? {} : loggedConfig(endpoint)) },
    onRequest: admit(run, needs),
    handler: async (request, reply) => {
      const answer = (query: Query): Promise<Answer> =>
        run(
          attended(
            request,
            Routine.locally(
              inTimeOf(
                clockOf(request),
                audited(
                  handle({
                    caller: callerOf(request),
                    id: request.params["id"] ?? "",
                    parts: request.params,
                    query,
                    header: (name) => [request.headers[name]].flat()[0],
                    body: sentBody(request.body, request.headers["content-type"]),
                    arrival: arrivalOf(request),
                  }),
                  commandOf(endpoint, request),
                ),
              ),
              CurrentActor,
              actorOf(request),
            ),
          ),
        )
      const { status, data, beside } = await (waiting === null
        ? answer(request.query)
        : waiting(request, reply, answer))
      return reply
        .code(status)
        .headers(NOT_STORED)
        .send({ ...done, data, ...beside, ...warningsOf(request) })
    },
  })
}

/** Keys are audited where they manage: webhooks, and the sandbox's clock. */
function commandOf(
  {
    method,
    operationId,
    permissions,
    notes,
  }: Pick<Endpoint<unknown>, "method" | "notes" | "operationId" | "permissions">,
  request: FastifyRequest<{ Params: Readonly<Record<string, string>> }>,
): AuditedCommand | null {
  const key = keyOf(request)
  if (method === "GET" || key === null) return null
  if (!permissions.includes("webhooks:manage") && !permissions.includes("sandbox:manage")) return null
  const { organizationId, environment } = callerOf(request)
  return {
    actor: { type: "key", id: key.keyId },
    organizationId,
    action: operationId,
    environment,
    subjectId: request.params["id"] ?? null,
    command: notes ?? null,
  }
}

function actorOf(request: FastifyRequest): Actor | null {
  const key = keyOf(request)
  return key === null ? null : { type: "key", ...key }
}
