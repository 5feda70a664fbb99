/** Requests that one connection sends ahead of their answers, over raw sockets. */

import { connect } from "node:net"
import type { AddressInfo } from "node:net"
import { Readable } from "node:stream"
import Fastify from "fastify"
import type { FastifyInstance } from "fastify"
import { pino } from "pino"
import { afterEach, beforeEach, expect, test } from "vitest"
import { PIPELINED_REQUESTS_MAX, UNREAD_BYTES_MAX } from "../../src/model/values/limits.ts"
import { boundPipelines } from "../../src/http/pipelining.ts"
import { bareApp } from "./bare-app.ts"

let app: FastifyInstance
let port = 0
beforeEach(async () => {
  app = await bareApp()
  await app.listen({ host: "127.0.0.1", port: 0 })
  port = (app.server.address() as AddressInfo).port
})
afterEach(() => app.close())

const REQUEST = "GET /openapi/rs.json HTTP/1.1\r\nHost: x\r\n\r\n"

test("a client that pipelines and reads no answer is cut off, and others are answered", async () => {
  const socket = connect(port, "127.0.0.1")
  socket.pause()
  const closed = new Promise((resolve) => {
    socket.once("error", resolve)
    socket.once("close", resolve)
  })
  socket.write(REQUEST.repeat(4 * PIPELINED_REQUESTS_MAX))
  const cutOff = new Promise((resolve) =>
    app.server.once("connection", (one) => one.once("close", () => resolve(one.bytesRead))),
  )
  expect(await cutOff).toBeGreaterThan(0)
  socket.resume()
  await closed
  expect((await fetch(`http://127.0.0.1:${port}/openapi/rs.json`)).status).toBe(200)
})

test("a few pipelined requests are all answered, in their order", async () => {
  const socket = connect(port, "127.0.0.1")
  let text = ""
  const ended = new Promise((resolve) => socket.once("close", resolve))
  socket.on("data", (part) => (text += part.toString("latin1")))
  socket.write(REQUEST.repeat(9) + REQUEST.replace("Host: x", "Host: x\r\nConnection: close"))
  await ended
  expect(text.match(/HTTP\/1\.1 200/g)).toHaveLength(10)
})

test("a client that asks on and reads nothing is cut off by bytes before its requests are too many", async () => {
  await app.close()
  const reasons: string[] = []
  const lines: string[] = []
  app = await bareApp({
    onConnectionClosed: (reason) => reasons.push(reason),
    logger: pino({ level: "warn" }, { write: (line) => void lines.push(line) }),
  })
  // Eight of them are more than may be unread, and far more than the sockets of both sides hold.
  app.get("/long", async () => Buffer.alloc(UNREAD_BYTES_MAX / 2))
  await app.listen({ host: "127.0.0.1", port: 0 })
  port = (app.server.address() as AddressInfo).port
  const cutOff = new Promise((resolve) => app.server.once("connection", (one) => one.once("close", resolve)))
  const socket = connect(port, "127.0.0.1")
  socket.pause()
  socket.on("error", () => undefined)
  socket.write("GET /long HTTP/1.1\r\nHost: x\r\n\r\n".repeat(8))
  await cutOff
  socket.destroy()
  expect(reasons).toEqual(["unread"])
  expect(JSON.parse(lines[0] ?? "{}")).toMatchObject({ reason: "unread", msg: "a connection was closed" })
})

test("a client that reads nothing of one long answer is cut off in the end, and the log says why", async () => {
  await app.close()
  const reasons: string[] = []
  app = Fastify()
  boundPipelines(app, (reason) => reasons.push(reason), 200)
  app.get("/long", async () => Buffer.alloc(3 * UNREAD_BYTES_MAX))
  // Parts are produced as they are read, so the answer never ends.
  app.get("/stream", async () => Readable.from(Array.from({ length: 300 }, () => Buffer.alloc(65_536))))
  await app.listen({ host: "127.0.0.1", port: 0 })
  port = (app.server.address() as AddressInfo).port
  for (const path of ["/long", "/stream"]) {
    const cutOff = new Promise((resolve) =>
      app.server.once("connection", (one) => one.once("close", resolve)),
    )
    const socket = connect(port, "127.0.0.1")
    socket.pause()
    socket.on("error", () => undefined)
    socket.write(`GET ${path} HTTP/1.1\r\nHost: x\r\n\r\n`)
    await cutOff
    socket.destroy()
  }
  expect(reasons).toEqual(["stalled", "stalled"])
})

test("one answer that is longer than the bound may be read as slowly as its client likes", async () => {
  await app.close()
  app = await bareApp()
  app.get("/long", async () => Buffer.alloc(3 * UNREAD_BYTES_MAX))
  await app.listen({ host: "127.0.0.1", port: 0 })
  port = (app.server.address() as AddressInfo).port
  const finished = new Promise((resolve) =>
    app.server.once("request", (_, response) => response.once("prefinish", resolve)),
  )
  const socket = connect(port, "127.0.0.1")
  socket.pause()
  socket.write("GET /long HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
  await finished
  const ended = new Promise((resolve) => socket.once("close", resolve))
  let bytes = 0
  socket.on("data", (part) => (bytes += part.length))
  socket.resume()
  await ended
  expect(bytes).toBeGreaterThan(3 * UNREAD_BYTES_MAX)
})
