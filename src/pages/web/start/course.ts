/** Requests of the start page, sent with the demo's key, and the steps that follow them. */

import { curlSample } from "../reference/samples.ts"

export interface Sent {
  readonly status: number
  readonly ms: number
  /** The body, as it came. */
  readonly answer: Answer
}

export interface Answer {
  readonly success?: boolean
  readonly error?: string
  readonly code?: string
  readonly data?: Readonly<Record<string, unknown>>
}

export interface SentRequest {
  readonly method: "GET" | "PATCH" | "POST"
  readonly path: string
  readonly body?: object
  readonly headers: Readonly<Record<string, string>>
}

/** Rejects only when the host does not answer at all. */
export async function send({ method, path, body, headers }: SentRequest): Promise<Sent> {
  const from = performance.now()
  const response = await fetch(path, {
    method,
    headers: { ...headers, ...(body === undefined ? {} : { "Content-Type": "application/json" }) },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  })
  const answer = (await response.json()) as Answer
  return { status: response.status, ms: Math.round(performance.now() - from), answer }
}

/** The command that sends the same request from a shell. */
export function curlOf({ method, path, body, headers }: SentRequest, base: string): string {
  const json = body === undefined ? null : JSON.stringify(body)
  return curlSample({ method, url: `${base}${path}`, headers, body: json, bearer: null })
}

/** A word of the API as a person says it: `runner_at_store` becomes "Runner at store". */
export function inWords(constant: string): string {
  const text = constant.toLowerCase().replaceAll("_", " ")
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}`
}
