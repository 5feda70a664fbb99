/**
 * The connector's MCP endpoint as a Fastify plugin: the switch, and the caller. Source: courier connector contract §4 and §5; our
 * choices M4 to M6, X14.
 */

import { Effect } from "effect"
import type { FastifyContextConfig, FastifyInstance, FastifyReply, FastifyRequest } from "fastify"
import { ISSUER_PATH } from "../../model/linking.ts"
import type { Courier } from "../../areas/courier/courier.ts"
import type { Tracking } from "../../areas/tracking/tracking.ts"
import { ConnectorSwitch } from "../../areas/linking/connector-switch.ts"
import { Linking } from "../../areas/linking/linking.ts"
import { inTraceOfCaller } from "./caller-trace.ts"
import { SERVER, servedTo } from "./connector.ts"
import { addMcpEndpoint } from "./endpoint.ts"
import { idOf, isObject } from "./replied.ts"
import { resultFor } from "./stateless-revision.ts"
import { internalError, toolResult } from "./tool-result.ts"
import { TOOLS } from "./tools.ts"

/** Below the origin of the connector's host. */
export const MCP_PATH = `${ISSUER_PATH}/mcp`

export type McpSurface = ConnectorSwitch | Courier | Linking | Tracking

export interface McpOptions {
  /** Runs an effect; rejects with its tagged error, or with the defect that ended it. */
  readonly run: <A, E>(effect: Effect.Effect<A, E, McpSurface>) => Promise<A>
  /** Scheme and host of the connector, without a path. */
  readonly baseUrl: string
  /** The HTML of the card that hosts show beside an answer. */
  readonly card: () => Promise<string>
  /** Origins of pages that may call from a browser, besides the connector's own. */
  readonly origins?: readonly string[]
  /** Called with the user of each admitted request. */
  readonly onUser?: (request: FastifyRequest, userId: string) => void
  /** More of the route's config. */
  readonly config?: FastifyContextConfig
  /** Called with the JSON of each answer; null without one. */
  readonly onAnswer?: (request: FastifyRequest, body: string | null) => void
}

const USER = "mcpUser"

/** Requires the hooks of the gate on the instance, and bodies as bytes. */
export async function mcpPlugin(app: FastifyInstance, options: McpOptions): Promise<void> {
  const { run, baseUrl, card, origins = [], config = {}, onAnswer } = options
  app.decorateRequest(USER, "")
  addMcpEndpoint(app, {
    path: MCP_PATH,
    baseUrl,
    origins,
    config,
    admit: async (request, reply) => {
      if (request.method !== "POST") {
        const isPaused = await run(Effect.flatMap(ConnectorSwitch, (connector) => connector.isPaused))
        return isPaused ? sendPaused(reply) : undefined
      }
      const { authorization } = request.headers
      const user = await run(Effect.flatMap(Linking, (linking) => linking.admit(authorization)))
      if (user === "paused") return sendPaused(reply)
      request.setDecorator(USER, user.userId)
      options.onUser?.(request, user.userId)
    },
    served: (request) =>
      servedTo(request.getDecorator<string>(USER), {
        run: (answer, asked) => run(inTraceOfCaller(asked, answer)),
        card,
      }),
    overloaded: overloadedAnswer,
    ...(onAnswer === undefined ? {} : { onAnswer }),
  })
}

/** The same answer as on the connector's other paths while it is paused. */
function sendPaused(reply: FastifyReply): FastifyReply {
  return reply.code(404).send({ error: "not_found", error_description: "the connector is paused" })
}

/** The answer to a single tool call during overload; null for any other message. */
function overloadedAnswer(message: unknown): object | null {
  const id = idOf(message)
  if (!isObject(message) || id === null || message["method"] !== "tools/call") return null
  const { name } = Object(message["params"]) as { readonly name?: unknown }
  const tool = TOOLS.find(({ listing }) => listing.name === name)
  if (tool === undefined) return null
  const result = toolResult(internalError(tool.listing.name))
  return { jsonrpc: "2.0", id, result: resultFor(SERVER, message, result) }
}
