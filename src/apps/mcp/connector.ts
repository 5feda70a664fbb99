/**
 * The connector's answers to a linked user, method by method, as plain data; every protocol revision uses them. Source:
 * our choices M7, M9 and M10.
 */

import { Data, Effect } from "effect"
import type { Courier } from "../../areas/courier/courier.ts"
import { DESCRIPTION_RESOURCE, DESCRIPTION_TEXT, DESCRIPTION_URI, INSTRUCTIONS } from "./description.ts"
import { TOOLS } from "./tools.ts"

/** The server's name and its capabilities. */
export const SERVER = {
  info: { name: "courier-connector", title: "Courier connector", version: "1.0.0" },
  capabilities: { tools: {}, resources: {} },
  instructions: INSTRUCTIONS,
} as const

/** An unknown method or invalid parameters: JSON-RPC's own errors. */
export class MethodProblem extends Data.TaggedError("MethodProblem")<{
  readonly code: number
  readonly message: string
}> {}

export interface Asked {
  readonly userId: string
  readonly method: string
  readonly params: Readonly<Record<string, unknown>>
}

/** Answers one request of a linked user. */
export function answer({ userId, method, params }: Asked): Effect.Effect<object, MethodProblem, Courier> {
  switch (method) {
    case "tools/list":
      return Effect.succeed({ tools: TOOLS.map(({ listing }) => listing) })
    case "tools/call":
      return callTool(userId, params)
    case "resources/list":
      return Effect.succeed({ resources: [DESCRIPTION_RESOURCE] })
    case "resources/templates/list":
      return Effect.succeed({ resourceTemplates: [] })
    case "resources/read":
      return readResource(params)
    default:
      return new MethodProblem({ code: -32_601, message: "Method not found" })
  }
}

const TOOL_BY_NAME = new Map<unknown, (typeof TOOLS)[number]>(TOOLS.map((tool) => [tool.listing.name, tool]))

function callTool(userId: string, params: Asked["params"]): Effect.Effect<object, MethodProblem, Courier> {
  const { name, arguments: sent } = params
  if (name === undefined || name === null)
    return invalidParams("params.name is missing: it names a tool of tools/list")
  const tool = TOOL_BY_NAME.get(name)
  return tool === undefined ? invalidParams(`Unknown tool: ${shown(name)}`) : tool.call(userId, sent)
}

function readResource({ uri }: Asked["params"]): Effect.Effect<object, MethodProblem> {
  if (uri === undefined || uri === null)
    return invalidParams(`params.uri is missing: it is ${DESCRIPTION_URI}`)
  if (uri !== DESCRIPTION_URI) return invalidParams(`Unknown resource: ${shown(uri)}`)
  const { mimeType } = DESCRIPTION_RESOURCE
  return Effect.succeed({ contents: [{ uri, mimeType, text: DESCRIPTION_TEXT }] })
}

function invalidParams(message: string): Effect.Effect<never, MethodProblem> {
  return new MethodProblem({ code: -32_602, message })
}

const SHOWN_MAX = 100

/** A shortened copy of what was sent, for the error message. */
function shown(sent: unknown): string {
  return typeof sent === "string" ? sent.slice(0, SHOWN_MAX) : JSON.stringify(sent).slice(0, SHOWN_MAX)
}
