/**
 * The protocol revisions that the official SDK supports, over its Streamable HTTP transport: stateless, so every
 * request has a server and a transport of its own, with JSON answers and no streams. Only this file uses the SDK.
 * Source: courier connector contract §4; our choices M1 to M3.
 */

import type { Server } from "@modelcontextprotocol/sdk/server/index.js"
import { Malformed } from "../../model/values/errors.ts"
import { JSON_DEPTH_MAX } from "../../model/values/limits.ts"
import { isTooDeep } from "../../model/values/well-formed.ts"
import { SERVER } from "./connector.ts"
import { internalError, toolResult } from "./tool-result.ts"
import { TOOLS } from "./tools.ts"
import type { Asked } from "./connector.ts"

/** A POST of an identified caller. */
export interface Posted {
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: Uint8Array
  readonly userId: string
}

export interface Replied {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  /** Null when there is no answer. */
  readonly body: string | null
}

const TOO_DEEP = `must not be nested more than ${JSON_DEPTH_MAX} levels deep`

/** Answers one JSON-RPC request; rejects with an error that has a `code` and a `message`. */
export type Answering = (asked: Asked) => Promise<object>

/** The only revision with batches. */
const BATCH_REVISION = "2025-03-26"

export async function answerPost(
  answering: Answering,
  { url, headers, body, userId }: Posted,
): Promise<Replied> {
  const sent = parsedFrom(body)
  // The SDK checks messages recursively.
  if (isTooDeep(sent)) throw new Malformed({ field: "the message", message: TOO_DEEP })
  const isBatch = Array.isArray(sent)
  if (isBatch && !isBatchAllowed(sent, headers["mcp-protocol-version"])) return BATCH_REFUSED
  const parsedBody = isBatch ? withoutCancellations(sent).map(withoutTask) : withoutTask(sent)
  const { SdkServer, WebStandardStreamableHTTPServerTransport } = await loadedSdk()
  const server = serverOf(SdkServer, answering, userId)
  const transport = new WebStandardStreamableHTTPServerTransport({ enableJsonResponse: true })
  await server.connect(transport)
  try {
    // Invalid JSON is passed to the transport, which checks the headers first.
    const request = {
      method: "POST",
      headers: acceptingBoth(headers),
      ...(parsedBody === undefined ? { body: "no JSON" } : {}),
    }
    const response = await transport.handleRequest(
      new Request(url, request),
      parsedBody === undefined ? {} : { parsedBody },
    )
    const text = await response.text()
    if (parsedBody !== undefined && isParseError(response.status, text)) return NOT_JSON_RPC
    return {
      status: response.status,
      headers: Object.fromEntries(response.headers),
      body: text === "" ? null : inBatch(text, isBatch && response.status === 200),
    }
  } finally {
    await transport.close()
  }
}

/** The answer to a single tool call during overload; null for any other message. */
export function overloadedAnswer(body: Uint8Array): object | null {
  const sent = Object(parsedFrom(body)) as {
    readonly id?: unknown
    readonly method?: unknown
    params?: unknown
  }
  const { name } = Object(sent.params) as { readonly name?: unknown }
  const isAsked = typeof sent.id === "string" || typeof sent.id === "number"
  const tool = TOOLS.find(({ listing }) => listing.name === name)
  if (!isAsked || sent.method !== "tools/call" || tool === undefined) return null
  return { jsonrpc: "2.0", id: sent.id, result: toolResult(internalError(tool.listing.name)) }
}

/** Loaded at the first call: its 240 modules are a tenth of all, and most starts serve no agent. */
async function loadedSdk() {
  const [{ Server: SdkServer }, { WebStandardStreamableHTTPServerTransport }] = await Promise.all([
    import("@modelcontextprotocol/sdk/server/index.js"),
    import("@modelcontextprotocol/sdk/server/webStandardStreamableHttp.js"),
  ])
  return { SdkServer, WebStandardStreamableHTTPServerTransport }
}

function parsedFrom(body: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(body))
  } catch {
    return undefined
  }
}

/** The header was introduced with the revision that dropped batches: without it the caller uses the older one. */
function isBatchAllowed(batch: readonly unknown[], revision: string | undefined): boolean {
  return batch.length > 0 && (revision === undefined || revision === BATCH_REVISION)
}

/**
 * Without a session a client can only cancel requests of the same batch, and the transport would then wait for an
 * answer that never comes.
 */
function withoutCancellations(messages: readonly unknown[]): readonly unknown[] {
  return messages.filter(
    (message) => (message as { readonly method?: unknown } | null)?.method !== "notifications/cancelled",
  )
}

/**
 * Tasks are not among the capabilities, and a receiver without them must treat the request as any other. The SDK would
 * refuse it. Source: MCP 2025-11-25, utilities, tasks, capability negotiation.
 */
function withoutTask(message: unknown): unknown {
  if (!isObject(message) || !isObject(message["params"]) || !("task" in message["params"])) return message
  const params = Object.entries(message["params"]).filter(([name]) => name !== "task")
  return { ...message, params: Object.fromEntries(params) }
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value)
}

/** A wildcard covers both types, but the transport looks only for their names. */
function acceptingBoth(headers: Posted["headers"]): Posted["headers"] {
  const ranges = (headers["accept"] ?? "").split(",").map((one) => one.split(";")[0]?.trim().toLowerCase())
  return ranges.includes("*/*") ? { ...headers, accept: "application/json, text/event-stream" } : headers
}

/** For a batch with one message the transport answers without the list. */
function inBatch(text: string, isBatch: boolean): string {
  return isBatch && !text.startsWith("[") ? `[${text}]` : text
}

const PARSE_ERROR = -32_700

/** The transport also reports a parse error for JSON that is not JSON-RPC. */
function isParseError(status: number, text: string): boolean {
  if (status !== 400) return false
  const { error } = JSON.parse(text) as { readonly error?: { readonly code?: unknown } }
  return error?.code === PARSE_ERROR
}

const BATCH_REFUSED = invalidRequest(
  `a batch is only for protocol version ${BATCH_REVISION}, and holds a message`,
)

const NOT_JSON_RPC = invalidRequest(
  'a message is a JSON object with "jsonrpc": "2.0", a "method" that is text, "params" that are an object, ' +
    'and, where an answer is wanted, an "id" that is text or a number',
)

/** JSON-RPC 2.0 §5.1. */
function invalidRequest(why: string): Replied {
  return {
    status: 400,
    headers: { "content-type": "application/json" },
    body: JSON.stringify({
      jsonrpc: "2.0",
      error: { code: -32_600, message: `Invalid Request: ${why}` },
      id: null,
    }),
  }
}

/** The SDK handles the protocol's own methods, and the connector all others, whose answers need no second check. */
function serverOf(SdkServer: typeof Server, answering: Answering, userId: string): Server {
  const { info, capabilities, instructions } = SERVER
  const server = new SdkServer(info, { capabilities, instructions, jsonSchemaValidator: NO_VALIDATOR })
  server.fallbackRequestHandler = ({ method, params = {} }) => answering({ userId, method, params })
  return server
}

/**
 * The SDK would use it to validate answers to requests that this server never sends; the SDK's own validator costs more
 * to create than a call.
 */
const NO_VALIDATOR = {
  getValidator: () => () => ({
    valid: false as const,
    data: undefined,
    errorMessage: "the server sends no requests to the client",
  }),
}
