/** The operations API as a Fastify plugin: its endpoints and its document. */

import { Effect, Option } from "effect"
import type { FastifyInstance } from "fastify"
import type { Environment, Operator } from "../../../model/caller.ts"
import { OperatorActions, actorOf } from "../../operators/actions.ts"
import { AuditLog } from "../../../http/access/audit-log.ts"
import type { AuditedCommand } from "../../../http/access/audit-log.ts"
import { attended } from "../../../http/admission.ts"
import type { Run } from "../../../http/bridge.ts"
import { loggedConfig } from "../../../http/call-log.ts"
import { sentBody } from "../../../http/endpoint.ts"
import { bodyConfig, warningsOf } from "../../../http/warnings.ts"
import type { Offer, Query } from "../../../http/endpoint.ts"
import { NOT_STORED } from "../../../http/errors.ts"
import { operatorOf } from "../../../http/gate.ts"
import { admitOperator, operatorsOf } from "../../operators/http/gate.ts"
import { actionsFile, addActionsFile } from "../../operators/http/operators.ts"
import { addApiDocument } from "../../../http/bodies/api-document.ts"
import { documentOf } from "../../../http/openapi.ts"
import { addChargesFile, chargesFile } from "../../../areas/direct-delivery/http/operator-charges.ts"
import { phoneScope } from "../../../areas/runner-phones/http/operator-phones.ts"
import type { OperatorEndpoint } from "../../../http/operator-endpoint.ts"
import type { OperatedSites } from "../operated-sites.ts"
import { ACCOUNT_ENDPOINTS, ENDPOINTS, PRODUCTION_ENDPOINTS } from "./endpoints.ts"
import type { OperationsSurface, ProductionSurface } from "./endpoints.ts"
import { requireRight, rightOf } from "../permitted.ts"
import { namedIn, permittedData } from "./permitted.ts"
import { addSiteDay, siteDayPath } from "./site-day.ts"
import { addSiteStream, siteStreamPath } from "./stream.ts"
import { ChangeStreams, endWith } from "../../../http/change-streams.ts"

export interface OperationsOptions {
  readonly run: Run<OperationsSurface>
  /** Absent without a courier connector, as in the sandbox: its endpoints and the hold on calls do not exist then. */
  readonly runConnector?: Run<NotedSurface | ProductionSurface>
  readonly environment: Environment
  /** Public URL for the document; default: relative to the document. */
  readonly baseUrl?: string
  /** The streams of the node; absent: the plugin has its own. */
  readonly streams?: ChangeStreams
}

/** Requires the hooks of `src/http/gate.ts` on the instance, and bodies as bytes. */
export async function operationsPlugin(app: FastifyInstance, options: OperationsOptions): Promise<void> {
  const { run, runConnector, environment, streams = new ChangeStreams(run) } = options
  const host = { environment, baseUrl: options.baseUrl ?? ANY_HOST }
  const admitting = admitOperator(run, host)
  endWith(app, streams)
  addSiteStream(app, { streams, run, host })
  addSiteDay(app, run, admitting)
  const served = environment === "production" ? [...ENDPOINTS, ...ACCOUNT_ENDPOINTS] : ENDPOINTS
  for (const endpoint of served) addEndpoint(app, endpoint, { run, admitting, streams })
  const exporting = rightOf("exportCharges")
  addChargesFile(app, run, async (request, reply) => {
    await admitting(request, reply)
    await run(requireRight(exporting, operatorOf(request), namedIn("")))
  })
  const exportingActions = rightOf("exportOperatorActions")
  addActionsFile(app, run, async (request, reply) => {
    await admitting(request, reply)
    await run(requireRight(exportingActions, operatorOf(request), namedIn("")))
  })
  if (runConnector !== undefined) {
    for (const endpoint of PRODUCTION_ENDPOINTS)
      addEndpoint(app, endpoint, { run: runConnector, admitting, streams })
  }
  const all = runConnector === undefined ? served : [...served, ...PRODUCTION_ENDPOINTS]
  addApiDocument(app, "internal", () => operationsDocument(all, options.baseUrl))
}

/** The OpenAPI document; by default with every endpoint, as on the production host. */
export function operationsDocument(
  endpoints: readonly Offer[] = [...ENDPOINTS, ...ACCOUNT_ENDPOINTS, ...PRODUCTION_ENDPOINTS],
  baseUrl?: string,
): object {
  return documentOf({
    title: "Operations API",
    endpoints,
    baseUrl,
    bearer: "operatorToken",
    errors: [
      "INVALID_OPERATOR_TOKEN",
      "SIGN_IN_REQUIRED",
      "CROSS_SITE_REQUEST",
      "PERMISSION_DENIED",
      "NOT_FOUND",
      "INTERNAL_ERROR",
      "OVERLOADED",
      "UNAVAILABLE",
    ],
    headers: ["X-Request-Id"],
    morePaths: { ...actionsFile, ...chargesFile, ...siteDayPath, ...siteStreamPath },
  })
}

/** Without a public URL, the pages are those of this machine. */
const ANY_HOST = "http://localhost"

/** What every endpoint needs beside its own services. */
type NotedSurface = OperatedSites | OperatorActions

interface Served<R> {
  readonly run: Run<R>
  readonly admitting: ReturnType<typeof admitOperator>
  readonly streams: ChangeStreams
}

function addEndpoint<R>(
  app: FastifyInstance,
  endpoint: OperatorEndpoint<R>,
  { run, admitting, streams }: Served<NoInfer<R> | NotedSurface>,
): void {
  const { method, path, operationId, bodyBytesMax, handle } = endpoint
  const right = rightOf(operationId)
  app.route<{ Params: Readonly<Record<string, string>>; Querystring: Query; Body: Buffer | undefined }>({
    method,
    url: path.replace(/\{(\w+)\}/g, ":$1"),
    onRequest: admitting,
    config: { ...bodyConfig(endpoint), ...loggedConfig(endpoint) },
    ...(bodyBytesMax === undefined ? {} : { bodyLimit: bodyBytesMax }),
    handler: async (request, reply) => {
      const caller = operatorOf(request)
      const id = request.params["id"] ?? ""
      const body = sentBody(request.body, request.headers["content-type"])
      const answer = Effect.zipRight(
        requireRight(right, caller, namedIn(id, body)),
        Effect.suspend(() =>
          handle({
            caller,
            id,
            parts: request.params,
            query: request.query,
            header: (name) => [request.headers[name]].flat()[0],
            body,
          }),
        ),
      )
      const { status, data } = await run(
        attended(
          request,
          method === "GET" && !NOTED_READS.has(operationId)
            ? answer
            : noted(answer, { caller, action: operationId, id }),
        ),
      )
      if (ENDS_RIGHTS.has(operationId)) streams.recheck(operatorsOf(caller.environment))
      if (operationId === "endRunnerPhone") streams.recheck(phoneScope(id))
      return reply
        .code(status)
        .headers(NOT_STORED)
        .send({ success: true, data: permittedData(right, caller, data), ...warningsOf(request) })
    },
  })
}

/** Reads that show people: the audit log says who looked. */
const NOTED_READS: ReadonlySet<string> = new Set(["readErrandHandover"])

/** Commands after which an operator may have no rights any more. */
const ENDS_RIGHTS: ReadonlySet<string> = new Set(["changeOperator", "revokeOperatorToken"])

/** Commands on an organization, which its people read in their audit log. Which operator it was is not for them. */
const AUDITED: ReadonlySet<string> = new Set([
  "changeOrganization",
  "decideAccessRequest",
  "decidePartnerRequest",
  "makeApiKey",
  "revokeApiKey",
  "switchEndpointOn",
])

/** A change goes to the audit log of operations, and some to that of an organization. */
function noted<A, E, R>(
  effect: Effect.Effect<A, E, R>,
  { caller, action, id }: { readonly caller: Operator; readonly action: string; readonly id: string },
) {
  return Effect.gen(function* () {
    const actions = yield* OperatorActions
    const ofOrganization = commandOf(action, caller.environment)
    const log = ofOrganization === null ? Option.none() : yield* Effect.serviceOption(AuditLog)
    const more = ofOrganization === null || Option.isNone(log) ? null : log.value.note(ofOrganization)
    const { environment } = caller
    const doing = { environment, ...actorOf(caller), action, subjectId: id === "" ? null : id }
    return yield* actions.noting(doing, effect, { more })
  })
}

function commandOf(action: string, environment: Environment): AuditedCommand | null {
  if (!AUDITED.has(action)) return null
  const actor = { type: "operator", id: null } as const
  return { actor, organizationId: null, action, environment, subjectId: null, command: null }
}
