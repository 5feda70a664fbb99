/**
 * Protocol revision 2026-07-28: without a handshake, each request says in its `_meta` which revision it speaks. Source: MCP
 * 2026-07-28, Basic Protocol, Versioning; Transports, Streamable HTTP.
 */

import { orAskedToPay } from "./payment-elicitation.ts"
import { METHOD_NOT_FOUND, idOf, isObject, refusal, repliedOf } from "./replied.ts"
import type { Replied } from "./replied.ts"
import { KEPT_BY_CLIENTS_MS, requestOf, serverOf } from "./sdk-server.ts"
import type { AskedMethod, Handler, Posted, Sdk, Served } from "./sdk-server.ts"

export const STATELESS_REVISION = "2026-07-28"

/** The key of `_meta` with which a request names its revision. */
const REVISION_KEY = "io.modelcontextprotocol/protocolVersion"

type Sent = Pick<Posted, "headers" | "message">

/** By its header or by a message of its body. What names another revision in `_meta` is one of this kind, too. */
export function isStateless({ headers, message }: Sent): boolean {
  return (
    headers["mcp-protocol-version"]?.trim() === STATELESS_REVISION || [message].flat().some(namesRevision)
  )
}

/** The id of an error that is not the SDK's. The contract of the older revisions has none there. */
export function errorIdOf(sent: Sent): ReturnType<typeof idOf> {
  return isStateless(sent) ? idOf(sent.message) : null
}

/** Whether the message's own `_meta` names its revision. */
function namesRevision(message: unknown): boolean {
  const params = isObject(message) ? message["params"] : undefined
  const meta = isObject(params) ? params["_meta"] : undefined
  return isObject(meta) && REVISION_KEY in meta
}

/** The SDK checks revision, headers and `_meta`, and refuses with the statuses of this revision. */
export async function answerStateless(sdk: Sdk, served: Served, posted: Posted): Promise<Replied> {
  const { message } = posted
  const method = isObject(message) ? message["method"] : undefined
  // The SDK would open a stream and end it at once, because nothing that the connector offers ever changes.
  if (method === "subscriptions/listen") return refusal(404, METHOD_NOT_FOUND, idOf(message))
  const handler: Handler | undefined =
    typeof method === "string" && served.isMethod(method)
      ? async () => {
          // As it was sent: the SDK keeps what a client says of itself in `_meta`.
          const { params = {} } = message as { readonly params?: AskedMethod["params"] }
          const result = await served.answer({ method, params })
          const { cacheScope } = served
          return method === "tools/call"
            ? { ...orAskedToPay(message, result) }
            : { ...result, ttlMs: KEPT_BY_CLIENTS_MS, cacheScope }
        }
      : undefined
  // Each answer has it, so only the one to `server/discover` has all of it.
  const info = handler === undefined ? served.shownInfo(new URL(posted.url).origin) : served.info
  const handling = sdk.createMcpHandler(() => serverOf(sdk, { ...served, info }, handler), {
    legacy: "reject",
  })
  return repliedOf(await handling.fetch(requestOf(posted), { parsedBody: message }))
}

/** A result that the SDK does not make, as the message's revision has it. */
export function resultFor({ info }: Pick<Served, "info">, message: unknown, result: object): object {
  if (!namesRevision(message)) return result
  return { ...result, resultType: "complete", _meta: { "io.modelcontextprotocol/serverInfo": info } }
}
