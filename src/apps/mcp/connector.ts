/**
 * The connector's answers to a linked user, method by method, as plain data; every protocol revision uses them. Source:
 * our choices M7, M9 and M10.
 */

import { Effect } from "effect"
import type { Courier } from "../../areas/courier/courier.ts"
import type { Tracking } from "../../areas/tracking/tracking.ts"
import { CARD_RESOURCE, cardContents, mayShowCards } from "./card.ts"
import { DESCRIPTION_RESOURCE, DESCRIPTION_TEXT, DESCRIPTION_URI, INSTRUCTIONS } from "./description.ts"
import { METHOD_NOT_FOUND, MethodProblem, RPC } from "./replied.ts"
import type { Served } from "./sdk-server.ts"
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

type Answer = Effect.Effect<object, MethodProblem, Courier | Tracking>

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

/** Answers one request of a linked user. */
export function answer(asked: Asked): Answer {
  return METHODS[asked.method](asked)
}

interface Host {
  readonly run: (answer: Answer, asked: Asked) => Promise<object>
  /** The HTML of the card, which the pages make. */
  readonly card: () => Promise<string>
}

/** What a linked user is served. */
export function servedTo(userId: string, { run, card }: Host): Served {
  return {
    ...SERVER,
    shownInfo,
    cacheScope: "public",
    isMethod,
    answer: async ({ method, params }) => {
      if (!isMethod(method)) throw new MethodProblem(METHOD_NOT_FOUND)
      if (method === "resources/read" && params["uri"] === CARD_RESOURCE.uri)
        return cardContents(await card())
      const asked = { userId, method, params }
      return run(answer(asked), asked)
    },
  }
}

export function isMethod(method: string): method is Method {
  return Object.hasOwn(METHODS, method)
}

const TOOL_BY_NAME = new Map<unknown, (typeof TOOLS)[number]>(TOOLS.map((tool) => [tool.listing.name, tool]))

function callTool({ userId, params }: Asked): Answer {
  const { name, arguments: sent } = params
  if (name === undefined || name === null)
    return invalidParams("params.name is missing: it names a tool of tools/list")
  const tool = TOOL_BY_NAME.get(name)
  return tool === undefined
    ? invalidParams(`Unknown tool: ${shown(name)}`)
    : tool.call(userId, sent, { showsCards: mayShowCards(params) })
}

function readResource({ params: { uri } }: Asked): Answer {
  if (uri === undefined || uri === null)
    return invalidParams(`params.uri is missing: it is ${DESCRIPTION_URI} or ${CARD_RESOURCE.uri}`)
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
