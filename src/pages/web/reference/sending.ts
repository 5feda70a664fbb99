/** Sends a prepared request to this host and reads the start of its answer. */

import type { SampleRequest } from "./samples.ts"

export interface Received {
  readonly status: number
  readonly ms: number
  readonly requestId: string | null
  readonly contentType: string
  /** JSON with line breaks, or the text as it came; empty for pictures. */
  readonly text: string
}

export interface Sending {
  /** Its URL begins with a path. */
  readonly request: SampleRequest
  readonly bearer: string | null
  /** A body that is no JSON. */
  readonly file: File | null
}

const CHARACTERS_MAX = 200_000
/** How long the page listens to a stream. */
const STREAM_MS = 3000
const ANSWER_MS_MAX = 60_000

/** Rejects when the host does not answer. */
export async function sent({ request, bearer, file }: Sending): Promise<Received> {
  const { method, url, headers, body } = request
  const fromMs = performance.now()
  const stop = new AbortController()
  const timer = window.setTimeout(() => stop.abort(), ANSWER_MS_MAX)
  const contentType = file?.type ?? (body === null ? null : "application/json")
  try {
    const response = await fetch(url, {
      method,
      headers: {
        ...headers,
        ...(bearer === null ? {} : { Authorization: `Bearer ${bearer}` }),
        ...(contentType === null ? {} : { "Content-Type": contentType }),
      },
      signal: stop.signal,
      ...(file === null && body === null ? {} : { body: file ?? body }),
    })
    const ms = Math.round(performance.now() - fromMs)
    return {
      status: response.status,
      ms,
      requestId: response.headers.get("x-request-id"),
      contentType: response.headers.get("content-type") ?? "",
      text: await textOf(response),
    }
  } finally {
    window.clearTimeout(timer)
    stop.abort()
  }
}

async function textOf(response: Response): Promise<string> {
  const type = response.headers.get("content-type") ?? ""
  if (type.startsWith("image/")) return `${(await response.blob()).size} bytes`
  const text = type.startsWith("text/event-stream") ? await startOf(response) : await response.text()
  try {
    return JSON.stringify(JSON.parse(text), null, 2).slice(0, CHARACTERS_MAX)
  } catch {
    return text.slice(0, CHARACTERS_MAX)
  }
}

/** What a stream sends within three seconds. */
async function startOf({ body }: Response): Promise<string> {
  const reader = body?.pipeThrough(new TextDecoderStream()).getReader()
  if (reader === undefined) return ""
  const end = new Promise<null>((resolve) => void window.setTimeout(() => resolve(null), STREAM_MS))
  let text = ""
  while (text.length < CHARACTERS_MAX) {
    const next = await Promise.race([reader.read(), end])
    if (next === null || next.done) break
    text += next.value
  }
  void reader.cancel().catch(() => undefined)
  return text
}
