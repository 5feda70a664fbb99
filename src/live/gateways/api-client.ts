/**
 * Requests to APIs of other companies over the platform's HTTP client. An answer is bounded in time and size, a
 * redirect is an error, and requests carry no trace headers.
 */

import * as FetchHttpClient from "@effect/platform/FetchHttpClient"
import * as HttpClient from "@effect/platform/HttpClient"
import type { HttpClientRequest } from "@effect/platform/HttpClientRequest"
import type { HttpClientResponse } from "@effect/platform/HttpClientResponse"
import { Data, Effect, Layer, Schema, Stream } from "effect"
import { configuredHosts } from "./configured-hosts.ts"
import { madeOnce } from "../../engine/services/made-once.ts"
import { ANSWER_BYTES_MAX } from "../../model/values/limits.ts"

/** Node's own `fetch`, which would otherwise look up names in the process's threads. */
const layerFetch: Layer.Layer<FetchHttpClient.Fetch> = Layer.sync(FetchHttpClient.Fetch, () => {
  const agent = madeOnce(loadAgent)
  return async (url, options) => fetch(url, { ...options, redirect: "error", dispatcher: await agent() })
})

type Dispatcher = NonNullable<RequestInit["dispatcher"]>

/** Loaded with the first request: most starts send none. */
async function loadAgent(): Promise<Dispatcher> {
  const { Agent } = await import("undici")
  // Node's types describe another version of the same library than the one that is installed.
  return new Agent({ connect: { lookup: configuredHosts() } }) as unknown as Dispatcher
}

export const layerApiClient: Layer.Layer<HttpClient.HttpClient> = Layer.effect(
  HttpClient.HttpClient,
  Effect.map(
    HttpClient.HttpClient,
    HttpClient.withTracerDisabledWhen(() => true),
  ),
).pipe(Layer.provide(FetchHttpClient.layer), Layer.provide(layerFetch))

/** Why a request got no usable answer, as a word that may be logged. It contains neither the request nor the key. */
export class NoAnswer extends Data.TaggedError("NoAnswer")<{
  readonly reason: "not_json" | "timeout" | "too_long" | "unreachable"
}> {}

export interface ApiAnswer {
  readonly status: number
  /** Fails with `NoAnswer` when the answer is too long or the connection ends. */
  readonly text: Effect.Effect<string, NoAnswer>
}

/**
 * Sends one request; `read` has the rest of the time limit to read the answer. If `read` does not read the body, the
 * connection is closed.
 */
export function asking<A, E>(
  client: HttpClient.HttpClient,
  request: HttpClientRequest,
  { timeoutMs, read }: { timeoutMs: number; read: (answer: ApiAnswer) => Effect.Effect<A, E> },
): Effect.Effect<A, E | NoAnswer> {
  return HttpClient.withScope(client)
    .execute(request)
    .pipe(
      Effect.mapError(() => new NoAnswer({ reason: "unreachable" })),
      Effect.flatMap((response) => read({ status: response.status, text: textOf(response) })),
      Effect.scoped,
      Effect.timeoutFail({ duration: timeoutMs, onTimeout: () => new NoAnswer({ reason: "timeout" }) }),
    )
}

const decodeJson = Schema.decodeUnknown(Schema.parseJson())

/** The answer as JSON. */
export function jsonOf({ text }: ApiAnswer): Effect.Effect<unknown, NoAnswer> {
  return Effect.flatMap(text, (found) =>
    Effect.mapError(decodeJson(found), () => new NoAnswer({ reason: "not_json" })),
  )
}

function textOf(response: HttpClientResponse): Effect.Effect<string, NoAnswer> {
  return response.stream.pipe(
    Stream.catchAll((failure) => (failure.reason === "EmptyBody" ? Stream.empty : Stream.fail(failure))),
    Stream.mapError(() => new NoAnswer({ reason: "unreachable" })),
    Stream.mapAccumEffect(0, (before, chunk) => {
      const bytes = before + chunk.length
      return bytes > ANSWER_BYTES_MAX
        ? Effect.fail(new NoAnswer({ reason: "too_long" }))
        : Effect.succeed([bytes, chunk] as const)
    }),
    Stream.runCollect,
    Effect.map((chunks) => Buffer.concat([...chunks]).toString("utf8")),
  )
}
