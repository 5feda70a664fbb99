/**
 * The connector's answers to a linked user, method by method, as plain data; every protocol revision uses them. Source:
 * our choices M7, M9 and M10.
 */

import { Context, Data, Effect } from "effect"
import type { Courier } from "../../areas/courier/courier.ts"
import type { Tracking } from "../../areas/tracking/tracking.ts"
import { CARD_RESOURCE, cardContents } from "./card.ts"
import { DESCRIPTION_RESOURCE, DESCRIPTION_TEXT, DESCRIPTION_URI, INSTRUCTIONS } from "./description.ts"
import { RPC } from "./replied.ts"
import { TOOLS } from "./tools.ts"

/** The server's name and its capabilities. */
export const SERVER = {
  info: { name: "courier-connector", title: "Courier connector", version: "1.0.0" },
  capabilities: { tools: {}, resources: {} },
  instructions: INSTRUCTIONS,
} as const

/** How hosts show the server: beside its name a picture, and where to read of it. */
export function shownInfo(baseUrl: string) {
  return {
    ...SERVER.info,
    websiteUrl: `${baseUrl}/llms.txt`,
    icons: [{ src: `${baseUrl}/assets/mark.svg`, mimeType: "image/svg+xml", sizes: ["any"] }],
  }
}

/** An unknown method or invalid parameters: JSON-RPC's own errors. */
export class MethodProblem extends Data.TaggedError("MethodProblem")<{
  readonly code: number
  readonly message: string
  readonly data?: object
}> {}

/** The HTML of the card, which the pages make. */
export class CardDocument extends Context.Tag("CardDocument")<CardDocument, Effect.Effect<string>>() {}

type Answer = Effect.Effect<object, MethodProblem, CardDocument | Courier | Tracking>

const METHODS = {
  "tools/list": () => Effect.succeed({ tools: TOOLS.map(({ listing }) => listing) }),
  "tools/call": callTool,
  "resources/list": () => Effect.succeed({ resources: [DESCRIPTION_RESOURCE, CARD_RESOURCE] }),
  "resources/templates/list": () => Effect.succeed({ resourceTemplates: [] }),
  "resources/read": readResource,
} satisfies Record<string, (asked: Asked) => Answer>

export type Method = keyof typeof METHODS

export interface Asked {
  readonly userId: string
  readonly method: Method
  readonly params: Readonly<Record<string, unknown>>
}

/** Whether the connector answers it; the protocol's own methods are answered by the SDK. */
export function isMethod(method: unknown): method is Method {
  return typeof method === "string" && Object.hasOwn(METHODS, method)
}

/** Answers one request of a linked user. */
export function answer(asked: Asked): Answer {
  return METHODS[asked.method](asked)
}

const TOOL_BY_NAME = new Map<unknown, (typeof TOOLS)[number]>(TOOLS.map((tool) => [tool.listing.name, tool]))

function callTool({ userId, params }: Asked): Answer {
  const { name, arguments: sent } = params
  if (name === undefined || name === null)
    return invalidParams("params.name is missing: it names a tool of tools/list")
  const tool = TOOL_BY_NAME.get(name)
  return tool === undefined ? invalidParams(`Unknown tool: ${shown(name)}`) : tool.call(userId, sent)
}

function readResource({ params: { uri } }: Asked): Answer {
  if (uri === undefined || uri === null)
    return invalidParams(`params.uri is missing: it is ${DESCRIPTION_URI} or ${CARD_RESOURCE.uri}`)
  if (uri === CARD_RESOURCE.uri)
    return Effect.map(
      Effect.flatMap(CardDocument, (document) => document),
      cardContents,
    )
  if (uri !== DESCRIPTION_URI) return invalidParams(`Unknown resource: ${shown(uri)}`, { uri: shown(uri) })
  const { mimeType } = DESCRIPTION_RESOURCE
  return Effect.succeed({ contents: [{ uri, mimeType, text: DESCRIPTION_TEXT }] })
}

function invalidParams(message: string, data?: object): Answer {
  return new MethodProblem({ code: RPC.invalidParams, message, ...(data === undefined ? {} : { data }) })
}

const SHOWN_MAX = 100

/** A shortened copy of what was sent, for the error message. */
function shown(sent: unknown): string {
  return typeof sent === "string" ? sent.slice(0, SHOWN_MAX) : JSON.stringify(sent).slice(0, SHOWN_MAX)
}
