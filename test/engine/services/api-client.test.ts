/** Requests to APIs of other companies, against a stand-in on the loopback. */

import { createServer } from "node:http"
import type { IncomingHttpHeaders, RequestListener } from "node:http"
import type { AddressInfo } from "node:net"
import * as HttpClient from "@effect/platform/HttpClient"
import * as HttpClientRequest from "@effect/platform/HttpClientRequest"
import { Deferred, Effect, Exit, Fiber, TestClock, TestContext } from "effect"
import { expect, onTestFinished, test } from "vitest"
import { NoAnswer, asking, layerApiClient } from "../../../src/live/gateways/api-client.ts"
import type { ApiAnswer } from "../../../src/live/gateways/api-client.ts"
import { SECOND_MS } from "../../../src/model/values/time.ts"

const TIMEOUT_MS = 5 * SECOND_MS

async function serving(listener: RequestListener): Promise<string> {
  const server = createServer(listener)
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/`
}

function get<A>(
  url: string,
  read: (answer: ApiAnswer) => Effect.Effect<A, NoAnswer>,
): Effect.Effect<A, NoAnswer> {
  const request = HttpClientRequest.get(url)
  return Effect.provide(
    Effect.flatMap(HttpClient.HttpClient, (client) =>
      asking(client, request, { timeoutMs: TIMEOUT_MS, read }),
    ),
    layerApiClient,
  )
}

test("an API on `localhost` is found by the hosts file", async () => {
  const url = await serving((_, response) => void response.end("found"))
  const found = get(url.replace("127.0.0.1", "localhost"), ({ text }) => text)
  expect(await Effect.runPromise(found)).toBe("found")
})

test.each<[string, RequestListener]>([
  ["no head", () => {}],
  [
    "a head without the rest",
    (_, response) => void response.writeHead(200, { "content-length": 10 }).write("{"),
  ],
])("an API that sends %s is given up in time, and its connection is closed", async (_, listener) => {
  const closed = Effect.runSync(Deferred.make<void>())
  const arrived = Effect.runSync(Deferred.make<void>())
  const url = await serving((request, response) => {
    request.socket.once("close", () => Effect.runSync(Deferred.succeed(closed, undefined)))
    listener(request, response)
    Effect.runSync(Deferred.succeed(arrived, undefined))
  })
  const found = Effect.gen(function* () {
    const fiber = yield* Effect.fork(get(url, ({ text }) => text))
    yield* Deferred.await(arrived)
    yield* TestClock.adjust(TIMEOUT_MS)
    const exit = yield* Fiber.await(fiber)
    yield* Deferred.await(closed)
    return exit
  })
  const exit = await Effect.runPromise(Effect.provide(found, TestContext.TestContext))
  expect(exit).toEqual(Exit.fail(new NoAnswer({ reason: "timeout" })))
})

test("an API that switches protocols gives no answer, and its connection is closed", async () => {
  const closed = Effect.runSync(Deferred.make<void>())
  const url = await serving((request, response) => {
    request.socket.once("close", () => Effect.runSync(Deferred.succeed(closed, undefined)))
    response.writeHead(101, { connection: "upgrade", upgrade: "websocket" }).end()
  })
  const exit = await Effect.runPromiseExit(get(url, ({ text }) => text))
  expect(exit).toEqual(Exit.fail(new NoAnswer({ reason: "unreachable" })))
  await Effect.runPromise(Deferred.await(closed))
})

test("a body that is not read is dropped", async () => {
  const closed = Effect.runSync(Deferred.make<void>())
  const url = await serving((request, response) => {
    request.socket.once("close", () => Effect.runSync(Deferred.succeed(closed, undefined)))
    response.writeHead(500, { "content-length": 1_000_000 }).write("x".repeat(1_000))
  })
  expect(await Effect.runPromise(get(url, ({ status }) => Effect.succeed(status)))).toBe(500)
  await Effect.runPromise(Deferred.await(closed))
})

test("no header of a trace leaves", async () => {
  let headers: IncomingHttpHeaders = {}
  const url = await serving((request, response) => {
    headers = request.headers
    response.end("{}")
  })
  await Effect.runPromise(
    Effect.withSpan(
      get(url, ({ text }) => text),
      "a command",
    ),
  )
  expect(Object.keys(headers).filter((name) => /trace|b3/.test(name))).toEqual([])
})
