/** The HTTP app of one environment: a Fastify instance that gets a runtime and does not listen itself. */

import { Context } from "effect"
import type { Runtime } from "effect"
import Fastify from "fastify"
import type { FastifyBaseLogger, FastifyInstance, FastifyReply, FastifyRequest } from "fastify"
import type { Environment } from "../model/caller.ts"
import { Refused } from "../model/values/errors.ts"
import type { ClosedFor } from "../model/values/limits.ts"
import {
  BODY_BYTES_MAX,
  HEADERS_TIMEOUT_MS,
  PATH_PARAMETER_LENGTH_MAX,
  REQUEST_TIMEOUT_MS,
  SLOW_REQUESTS_CHECK_MS,
} from "../model/values/limits.ts"
import type { AnsweredRequest } from "../http/access/call-log.ts"
import type { RequestQueue } from "../http/access/admission-queue.ts"
import { Arrivals } from "../engine/services/arrivals.ts"
import type { Tracing } from "../engine/services/tracing.ts"
import { queueRequests } from "../http/admission.ts"
import { analyticsPlugin } from "../areas/analytics/http/plugin.ts"
import type { AnalyticsSurface } from "../areas/analytics/http/plugin.ts"
import { bridgeTo } from "../http/bridge.ts"
import type { Run } from "../http/bridge.ts"
import { directDeliveryPlugin } from "../areas/direct-delivery/http/plugin.ts"
import type { DirectDeliverySurface } from "../areas/direct-delivery/http/plugin.ts"
import { watchCalls } from "../http/call-log.ts"
import { closeUnusedConnections } from "../http/draining.ts"
import { countArrivals, guardInstance, prepareCallers, requestId } from "../http/gate.ts"
import { boundPipelines } from "../http/pipelining.ts"
import { addProbes } from "../http/probes.ts"
import { identifyRequests } from "../http/request-requester.ts"
import type { Probes } from "../http/probes.ts"
import { watchRequests } from "../http/request-log.ts"
import { sendErrorOrPage, sendUnknown } from "../http/pages/unknown-pages.ts"
import { answerExpectation, answerUnparsed } from "../http/unparsed.ts"
import { traceRequests } from "../http/tracing.ts"
import type { CountedAnswer } from "../http/request-log.ts"
import { reservationsPlugin } from "../areas/reservations/http/plugin.ts"
import type { ReservationsSurface } from "../areas/reservations/http/plugin.ts"

/** All services that the HTTP APIs need. */
export type HttpServices = AnalyticsSurface | Arrivals | DirectDeliverySurface | ReservationsSurface

export interface AppOptions extends HostOptions {
  readonly runtime: Runtime.Runtime<HttpServices>
}

/** The options of an app whose services may change while it exists. */
interface HostOptions {
  readonly environment: Environment
  /** Host names of this host, with or without a port; any other `Host` gets 421. Default: every name is accepted. */
  readonly hosts?: readonly string[]
  /** Addresses and ranges whose `X-Forwarded-For` is trusted; default: none. */
  readonly trustedProxies?: readonly string[]
  /** For the OpenAPI document: scheme and host, without a path. */
  readonly baseUrl?: string
  /** Default: nothing is logged. */
  readonly logger?: FastifyBaseLogger
  /** Default: the host has no probes. */
  readonly probes?: Probes
  /** The queue in which requests wait before they use the database; default: none. */
  readonly queue?: RequestQueue
  /** Default: requests are not traced. */
  readonly tracing?: Tracing
  /** Called for every answer. */
  readonly onAnswer?: (answered: CountedAnswer) => void
  /** Called after the answer of every call with a known key, and of what others send to change something; default: nothing is logged. */
  readonly onCall?: (
    call: AnsweredRequest,
    ids: { readonly requestId: string; readonly sentId: string | null },
  ) => void
  /** Scheme and host of the portal, to which errors of logged calls link. */
  readonly portalUrl?: string
  /** Called for every connection that was closed because of unanswered requests or unread answers. */
  readonly onConnectionClosed?: (reason: ClosedFor) => void
}

export function makeApp({ runtime, ...options }: AppOptions): Promise<FastifyInstance> {
  return makeAppOver({ run: bridgeTo(runtime), arrivals: Context.get(runtime.context, Arrivals) }, options)
}

/** The services behind an app. */
interface ServedBy {
  readonly run: Run<HttpServices>
  readonly arrivals: Pick<Arrivals["Type"], "next">
}

/** As `makeApp`, for tests that use one app for many services, one after the other. */
export async function makeAppOver(
  { run, arrivals }: ServedBy,
  options: HostOptions,
): Promise<FastifyInstance> {
  const { environment, hosts, trustedProxies = [], baseUrl, logger, probes } = options
  const { onAnswer = () => undefined, onConnectionClosed = () => undefined, onCall, portalUrl } = options
  const { queue, tracing } = options
  const app = Fastify({
    bodyLimit: BODY_BYTES_MAX,
    // The caller's address is then the right-most one that is not trusted: any client can send the ones to its left.
    trustProxy: trustedProxies.length === 0 ? false : [...trustedProxies],
    requestTimeout: REQUEST_TIMEOUT_MS,
    http: {
      headersTimeout: HEADERS_TIMEOUT_MS,
      connectionsCheckingInterval: SLOW_REQUESTS_CHECK_MS,
      // The gate refuses a request without a Host with the body of every error; Node answers without one.
      requireHostHeader: false,
    },
    clientErrorHandler: answerUnparsed,
    // A closing host still answers requests on open connections, with `Connection: close`.
    return503OnClosing: false,
    routerOptions: { maxParamLength: PATH_PARAMETER_LENGTH_MAX },
    genReqId: (raw) => requestId(raw.headers["x-request-id"]),
    // `request-log.ts` writes one line for each answer, without request data.
    logController: new Fastify.LogController({
      disableRequestLogging: true,
      requestIdLogLabel: "request_id",
    }),
    frameworkErrors: answerUnroutable,
    ...(logger === undefined ? {} : { loggerInstance: logger }),
  })
  app.server.on("checkExpectation", answerExpectation)
  boundPipelines(app, onConnectionClosed)
  closeUnusedConnections(app)
  app.setErrorHandler(sendErrorOrPage)
  // Bodies stay bytes until their endpoint decodes them, whatever the content type.
  app.removeAllContentTypeParsers()
  app.addContentTypeParser("*", { parseAs: "buffer" }, (_, body, done) => done(null, body))
  // The gate answers for paths without a route; this handler is for a missing file of an existing route.
  app.setNotFoundHandler(async () => {
    throw new Refused({ code: "NOT_FOUND" })
  })
  if (tracing !== undefined) traceRequests(app, environment, tracing)
  identifyRequests(app)
  countArrivals(app, arrivals)
  guardInstance(app, hosts)
  if (queue !== undefined) queueRequests(app, queue)
  prepareCallers(app)
  watchRequests(app, environment, onAnswer)
  if (onCall !== undefined)
    watchCalls(app, environment, { tell: onCall, ...(portalUrl === undefined ? {} : { portalUrl }) })
  if (probes !== undefined) addProbes(app, probes)
  const surface = { run, environment, ...(baseUrl === undefined ? {} : { baseUrl }) }
  await app.register(reservationsPlugin, surface)
  await app.register(directDeliveryPlugin, surface)
  await app.register(analyticsPlugin, surface)
  return app
}

/** A path that the router cannot parse runs no hooks. */
function answerUnroutable(error: Error, request: FastifyRequest, reply: FastifyReply): void {
  reply.header("X-Request-Id", request.id)
  sendUnknown(error, request, reply)
}
