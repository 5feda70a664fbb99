/** Requests that one connection sends ahead of their answers, over raw sockets. */

import { connect } from "node:net"
import type { AddressInfo } from "node:net"
import type { FastifyInstance } from "fastify"
import { afterEach, beforeEach, expect, test } from "vitest"
import { PIPELINED_REQUESTS_MAX } from "../../src/model/limits.ts"
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
