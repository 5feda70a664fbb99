/**
 * One POST of the Streamable HTTP transport: stateless and with JSON answers, in every protocol revision. What holds for all of them is
 * checked here. Source: courier connector contract §4; our choices M1 to M3.
 */

import { Malformed } from "../../model/values/errors.ts"
import { JSON_DEPTH_MAX } from "../../model/values/limits.ts"
import { isTooDeep } from "../../model/values/well-formed.ts"
import { answerWithoutSession } from "./handshake-revisions.ts"
import { RPC, refusal } from "./replied.ts"
import type { Replied, RpcError } from "./replied.ts"
import { loadedSdk } from "./sdk-server.ts"
import type { Posted, Served } from "./sdk-server.ts"
import { answerStateless, errorIdOf, isStateless } from "./stateless-revision.ts"

const TOO_DEEP = `must not be nested more than ${JSON_DEPTH_MAX} levels deep`

export interface PostedBody extends Omit<Posted, "message"> {
  readonly body: Uint8Array
}

export async function answerPost(served: Served, { url, headers, body }: PostedBody): Promise<Replied> {
  const message = messageOf(body)
  // The SDK checks messages recursively.
  if (isTooDeep(message)) throw new Malformed({ field: "the message", message: TOO_DEEP })
  const posted = { url, headers, message }
  if (!acceptsBoth(headers["accept"])) return refusal(406, NOT_ACCEPTABLE, errorIdOf(posted))
  if (message === undefined) return NOT_JSON
  const answer = isStateless(posted) ? answerStateless : answerWithoutSession
  return answer(await loadedSdk(), served, posted)
}

/** Undefined for what is no JSON. */
export function messageOf(body: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(body))
  } catch {
    return undefined
  }
}

/** Every revision asks of clients that they accept JSON and streams, whatever they are answered with. */
function acceptsBoth(accept = ""): boolean {
  const weights = new Map(accept.toLowerCase().split(",").map(weightOf))
  return ["application/json", "text/event-stream"].every((type) => {
    const ranges = [type, type.replace(/\/.*/, "/*"), "*/*"]
    return (ranges.map((range) => weights.get(range)).find((weight) => weight !== undefined) ?? 0) > 0
  })
}

/** Source: RFC 9110 §12.5.1: a range without a weight has 1, and 0 means "not acceptable". */
function weightOf(text: string): readonly [string, number] {
  const [range = "", ...parameters] = text.split(";").map((part) => part.trim())
  const weight = parameters.find((one) => one.startsWith("q="))
  return [range, weight === undefined ? 1 : Number(weight.slice(2))]
}

const NOT_ACCEPTABLE: RpcError = {
  code: RPC.serverError,
  message: "Not acceptable: a client accepts both application/json and text/event-stream",
}

const NOT_JSON = refusal(400, { code: RPC.parseError, message: "Parse error: the body is no JSON in UTF-8" })
