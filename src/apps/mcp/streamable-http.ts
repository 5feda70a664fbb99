/**
 * The protocol revisions that the official SDK supports, over its Streamable HTTP transport: stateless, so every
 * request has a server and a transport of its own, with JSON answers and no streams. Only this file uses the SDK.
 * Source: courier connector contract §4; our choices M1 to M3.
 */

import type { Server } from "@modelcontextprotocol/sdk/server/index.js"
import { Malformed } from "../../model/values/errors.ts"
import { JSON_DEPTH_MAX } from "../../model/values/limits.ts"
import { isTooDeep } from "../../model/values/well-formed.ts"
import { MethodProblem, SERVER } from "./connector.ts"
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
  const sdk = await loadedSdk()
  const { SdkServer, WebStandardStreamableHTTPServerTransport } = sdk
  const checked = isBatch
    ? (parsedBody as readonly unknown[]).map(withoutBadParams(sdk))
    : withoutBadParams(sdk)(parsedBody)
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
      parsedBody === undefined ? {} : { parsedBody: checked },
    )
    const text = await response.text()
    if (parsedBody !== undefined && isParseError(response.status, text)) return NOT_JSON_RPC
    const revision = headers["mcp-protocol-version"]
    if (
      response.status === 400 &&
      parsedBody !== undefined &&
      revision !== undefined &&
      !sdk.revisions.includes(revision)
    )
      return unknownRevision(revision, sdk.revisions, parsedBody)
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
  const [{ Server: SdkServer }, { WebStandardStreamableHTTPServerTransport }, types] = await Promise.all([
    import("@modelcontextprotocol/sdk/server/index.js"),
    import("@modelcontextprotocol/sdk/server/webStandardStreamableHttp.js"),
    import("@modelcontextprotocol/sdk/types.js"),
  ])
  const { InitializeRequestSchema, JSONRPCRequestSchema, SUPPORTED_PROTOCOL_VERSIONS: revisions } = types
  return {
    SdkServer,
    WebStandardStreamableHTTPServerTransport,
    InitializeRequestSchema,
    JSONRPCRequestSchema,
    revisions,
  }
}

type Sdk = Awaited<ReturnType<typeof loadedSdk>>

/** No method of the protocol has this name. */
const BAD_PARAMS = ""

/** The SDK answers such a request without its id, or with its schema's whole list of errors. */
function withoutBadParams({ InitializeRequestSchema, JSONRPCRequestSchema }: Sdk) {
  return (message: unknown): unknown => {
    if (!isObject(message)) return message
    const { jsonrpc, id, method } = message
    if (jsonrpc !== "2.0" || !isId(id) || typeof method !== "string") return message
    const schema = method === "initialize" ? InitializeRequestSchema : JSONRPCRequestSchema
    const path = schema.safeParse(message).error?.issues[0]?.path ?? []
    const bad = method === BAD_PARAMS ? "method" : path[0] === "params" ? path.join(".") : null
    if (bad === null) return message
    return { jsonrpc, id, method: BAD_PARAMS, params: { message: `${bad} is missing or of the wrong type` } }
  }
}

function isId(id: unknown): id is number | string {
  return typeof id === "string" || Number.isInteger(id)
}

/** Source: MCP 2025-11-25, Lifecycle, Error Handling; Transports, Protocol Version Header. */
function unknownRevision(requested: string, supported: readonly string[], sent: unknown): Replied {
  const id = isObject(sent) && isId(sent["id"]) ? sent["id"] : null
  const message = `Unsupported protocol version: MCP-Protocol-Version must be one of ${supported.join(", ")}`
  const error = { code: INVALID_PARAMS, message, data: { supported, requested } }
  return {
    status: 400,
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ jsonrpc: "2.0", error, id }),
  }
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

const BOTH_TYPES = ["application/json", "text/event-stream"] as const

/** The transport looks for the names of both types alone, as they are written here. */
function acceptingBoth(headers: Posted["headers"]): Posted["headers"] {
  const weights = new Map((headers["accept"] ?? "").toLowerCase().split(",").map(weightOf))
  const isAccepted = (type: string): boolean => {
    const ranges = [type, type.replace(/\/.*/, "/*"), "*/*"]
    return (ranges.map((range) => weights.get(range)).find((weight) => weight !== undefined) ?? 0) > 0
  }
  return { ...headers, accept: BOTH_TYPES.filter(isAccepted).join(", ") }
}

/** Source: RFC 9110 §12.5.1: a range without a weight has 1, and 0 means "not acceptable". */
function weightOf(text: string): readonly [string, number] {
  const [range = "", ...parameters] = text.split(";").map((part) => part.trim())
  const weight = parameters.find((one) => one.startsWith("q="))
  return [range, weight === undefined ? 1 : Number(weight.slice(2))]
}

/** For a batch with one message the transport answers without the list. */
function inBatch(text: string, isBatch: boolean): string {
  return isBatch && !text.startsWith("[") ? `[${text}]` : text
}

const PARSE_ERROR = -32_700
const INVALID_PARAMS = -32_602

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
  server.fallbackRequestHandler = async ({ method, params = {} }) => {
    if (method === BAD_PARAMS)
      throw new MethodProblem({ code: INVALID_PARAMS, message: String(params["message"]) })
    return answering({ userId, method, params })
  }
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
