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
import { ANSWER_BYTES_MAX } from "../../model/values/limits.ts"

/** Node's own `fetch`, which would otherwise look up names in the process's threads. */
const layerRequests: Layer.Layer<FetchHttpClient.RequestInit> = Layer.scoped(
  FetchHttpClient.RequestInit,
  Effect.acquireRelease(
    // Loaded only where an API is configured.
    Effect.promise(
      async () => new (await import("undici")).Agent({ connect: { lookup: configuredHosts() } }),
    ),
    (agent) => Effect.promise(() => agent.destroy()),
  ).pipe(
    // Node's types describe another version of the same library than the one that is installed.
    Effect.map((agent) => ({ redirect: "error", dispatcher: agent as unknown as Dispatcher })),
  ),
)

type Dispatcher = NonNullable<RequestInit["dispatcher"]>

export const layerApiClient: Layer.Layer<HttpClient.HttpClient> = Layer.effect(
  HttpClient.HttpClient,
  Effect.map(
    HttpClient.HttpClient,
    HttpClient.withTracerDisabledWhen(() => true),
  ),
).pipe(Layer.provide(FetchHttpClient.layer), Layer.provide(layerRequests))

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
