/** The answer of somebody else's API: read up to a bound, and why there was none in a word that may be logged. */

import { ANSWER_BYTES_MAX } from "../model/limits.ts"

class TooLong extends Error {}

/** Rejects when there is more than any of these APIs has to say. */
export async function textOf(answer: Response): Promise<string> {
  const chunks: Uint8Array[] = []
  let bytes = 0
  for await (const chunk of (answer.body ?? []) as AsyncIterable<Uint8Array>) {
    bytes += chunk.length
    if (bytes > ANSWER_BYTES_MAX) throw new TooLong(`the answer is longer than ${ANSWER_BYTES_MAX} bytes`)
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString("utf8")
}

/** Rejects with a `SyntaxError` when it is none. */
export async function jsonOf(answer: Response): Promise<unknown> {
  return JSON.parse(await textOf(answer)) as unknown
}

/** Why asking came to nothing. What was asked, and with which key, is never in it. */
export function failureOf(cause: unknown): "not_json" | "timeout" | "too_long" | "unreachable" {
  if (cause instanceof TooLong) return "too_long"
  if (cause instanceof SyntaxError) return "not_json"
  return cause instanceof DOMException && cause.name === "TimeoutError" ? "timeout" : "unreachable"
}
