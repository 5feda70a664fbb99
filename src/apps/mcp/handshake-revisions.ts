/**
 * The protocol revisions up to 2025-11-25, which begin with `initialize`. Sessions are optional in them and there are none here, so
 * each request has a server and a transport of its own. Source: courier connector contract §4; our choices M1 to M3.
 */

import { BATCH_MESSAGES_MAX } from "../../model/values/limits.ts"
import { METHOD_NOT_FOUND, MethodProblem, RPC, idOf, isObject, refusal, repliedOf } from "./replied.ts"
import type { Replied } from "./replied.ts"
import { requestOf, serverOf } from "./sdk-server.ts"
import type { Handler, Posted, Sdk, Served } from "./sdk-server.ts"
import { STATELESS_REVISION } from "./stateless-revision.ts"

/** The only revision with batches. */
const BATCH_REVISION = "2025-03-26"

export async function answerWithoutSession(sdk: Sdk, served: Served, posted: Posted): Promise<Replied> {
  const { headers, message } = posted
  const revision = headers["mcp-protocol-version"]
  const isBatch = Array.isArray(message)
  if (isBatch && !isBatchAllowed(message, revision)) return BATCH_REFUSED
  if (isBatch && message.length > BATCH_MESSAGES_MAX) return BATCH_TOO_LONG
  const parsedBody = isBatch
    ? withoutCancellations(message).map(withoutBadParams(sdk))
    : withoutBadParams(sdk)(message)
  const handler: Handler = async ({ method, params = {} }) => {
    if (method === BAD_PARAMS)
      throw new MethodProblem({ code: RPC.invalidParams, message: String(params["message"]) })
    if (!served.isMethod(method)) throw new MethodProblem(METHOD_NOT_FOUND)
    return { ...(await served.answer({ method, params })) }
  }
  const server = serverOf(sdk, { ...served, info: served.shownInfo(new URL(posted.url).origin) }, handler)
  const transport = new sdk.WebStandardStreamableHTTPServerTransport({ enableJsonResponse: true })
  await server.connect(transport)
  try {
    const replied = await repliedOf(await transport.handleRequest(requestOf(posted), { parsedBody }))
    if (isParseError(replied)) return NOT_JSON_RPC
    if (
      replied.status === 400 &&
      revision !== undefined &&
      !sdk.SUPPORTED_PROTOCOL_VERSIONS.includes(revision)
    )
      return unknownRevision(revision, sdk.SUPPORTED_PROTOCOL_VERSIONS, message)
    return isBatch ? inBatch(replied) : replied
  } finally {
    await transport.close()
  }
}

/** No method of the protocol has this name. */
const BAD_PARAMS = ""

/** The SDK answers such a request without its id, or with its schema's whole list of errors. */
function withoutBadParams({ specTypeSchemas }: Sdk) {
  return (message: unknown): unknown => {
    if (!isObject(message)) return message
    const { jsonrpc, id, method } = message
    if (jsonrpc !== "2.0" || idOf(message) === null || typeof method !== "string") return message
    const schema =
      method === "initialize" ? specTypeSchemas.InitializeRequest : specTypeSchemas.JSONRPCRequest
    const path = schema["~standard"].validate(message).issues?.[0]?.path?.map(String) ?? []
    const bad = method === BAD_PARAMS ? "method" : path[0] === "params" ? path.join(".") : null
    if (bad === null) return message
    return { jsonrpc, id, method: BAD_PARAMS, params: { message: `${bad} is missing or of the wrong type` } }
  }
}

/** Source: MCP 2025-11-25, Lifecycle, Error Handling; Transports, Protocol Version Header. */
function unknownRevision(requested: string, handshaking: readonly string[], sent: unknown): Replied {
  const supported = [STATELESS_REVISION, ...handshaking]
  const message = `Unsupported protocol version: MCP-Protocol-Version must be one of ${supported.join(", ")}`
  return refusal(400, { code: RPC.invalidParams, message, data: { supported, requested } }, idOf(sent))
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
  return messages.filter((message) => !isObject(message) || message["method"] !== "notifications/cancelled")
}

/** For a batch with one message the transport answers without the list. */
function inBatch({ body, ...replied }: Replied): Replied {
  const isAlone = replied.status === 200 && body !== null && !body.startsWith("[")
  return { ...replied, body: isAlone ? `[${body}]` : body }
}

/** The transport also reports a parse error for JSON that is not JSON-RPC. */
function isParseError({ status, body }: Replied): boolean {
  if (status !== 400 || body === null) return false
  const { error } = JSON.parse(body) as { readonly error?: { readonly code?: unknown } }
  return error?.code === RPC.parseError
}

const BATCH_REFUSED = refusal(400, {
  code: RPC.invalidRequest,
  message: `Invalid Request: a batch is only for protocol version ${BATCH_REVISION}, and holds a message`,
})

const BATCH_TOO_LONG = refusal(400, {
  code: RPC.invalidRequest,
  message: `Invalid Request: a batch holds at most ${BATCH_MESSAGES_MAX} messages`,
})

const NOT_JSON_RPC = refusal(400, {
  code: RPC.invalidRequest,
  message:
    'Invalid Request: a message is a JSON object with "jsonrpc": "2.0", a "method" that is text, "params" that are an object, ' +
    'and, where an answer is wanted, an "id" that is text or a number',
})
