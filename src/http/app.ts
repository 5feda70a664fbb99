/**
 * The HTTP app of one environment: a Fastify instance that is handed a runtime and listens nowhere. Whoever starts it adds
 * what else the host serves, and closes it.
 */

import type { Runtime } from "effect"
import Fastify from "fastify"
import type { FastifyBaseLogger, FastifyInstance, FastifyReply, FastifyRequest } from "fastify"
import type { Environment } from "../model/caller.ts"
import { bridgeTo } from "./bridge.ts"
import { sendError } from "./errors.ts"
import { guardInstance, prepareCallers, requestId } from "./gate.ts"
import { reservationsPlugin } from "./reservations/plugin.ts"
import type { ReservationsSurface } from "./reservations/plugin.ts"

/** Everything that the HTTP surfaces ask of a runtime. */
export type HttpServices = ReservationsSurface

/** A body of exactly this size is read. */
export const BODY_BYTES_MAX = 1_048_576

export interface AppOptions {
  readonly runtime: Runtime.Runtime<HttpServices>
  readonly environment: Environment
  /** Names under which this host is reached, with or without a port; any other `Host` is 421. Absent: every name. */
  readonly hosts?: readonly string[]
  /** For the OpenAPI document: scheme and host, without a path. */
  readonly baseUrl?: string
  /** Absent: nothing is logged. */
  readonly logger?: FastifyBaseLogger
}

export async function makeApp(options: AppOptions): Promise<FastifyInstance> {
  const { runtime, environment, hosts, baseUrl, logger } = options
  const app = Fastify({
    bodyLimit: BODY_BYTES_MAX,
    // A closing host answers what still comes in over open connections, with `Connection: close`.
    return503OnClosing: false,
    // Longer than any request line that Node reads: an id of any length is looked up, after the key.
    routerOptions: { maxParamLength: 65_536 },
    genReqId: (raw) => requestId(raw.headers["x-request-id"]),
    frameworkErrors: answerUnroutable,
    ...(logger === undefined ? {} : { loggerInstance: logger }),
  })
  app.setErrorHandler(sendError)
  // Bodies stay bytes until their endpoint reads them: what they must be is said there, whatever the content type.
  app.removeAllContentTypeParsers()
  app.addContentTypeParser("*", { parseAs: "buffer" }, (_, body, done) => done(null, body))
  guardInstance(app, hosts)
  prepareCallers(app)
  await app.register(reservationsPlugin, {
    run: bridgeTo(runtime),
    environment,
    ...(baseUrl === undefined ? {} : { baseUrl }),
  })
  return app
}

/** A path that the router cannot even read passes no hook. */
function answerUnroutable(error: Error, request: FastifyRequest, reply: FastifyReply): void {
  reply.header("X-Request-Id", request.id)
  sendError(error, request, reply)
}
