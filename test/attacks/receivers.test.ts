/** Receivers that misbehave: the sender's time and memory are bounded, whatever they answer. */

import { gzipSync } from "node:zlib"
import { createServer } from "node:net"
import type { AddressInfo, Socket } from "node:net"
import { Effect } from "effect"
import { expect, onTestFinished, test } from "vitest"
import { layerOutboundDocuments } from "../../src/live/gateways/outbound-documents.ts"
import { layerOutboundHttp } from "../../src/live/gateways/outbound-http.ts"
import { ANSWER_BYTES_MAX } from "../../src/model/values/limits.ts"
import { OutboundDocuments } from "../../src/engine/services/outbound/outbound-documents.ts"
import { OutboundHttp } from "../../src/engine/services/outbound/outbound-http.ts"
import type { OutboundAnswer } from "../../src/engine/services/outbound/outbound-http.ts"

interface Sending {
  readonly answer: OutboundAnswer
  /** Bytes that the receiver got rid of. */
  readonly taken: number
}

/** One POST to a receiver that speaks bytes. */
async function sendTo(speak: (socket: Socket) => void, timeoutMs = 500): Promise<Sending> {
  const { port, sockets } = await receiverThat(speak)
  const post = Effect.flatMap(OutboundHttp, (http) =>
    http.post({
      url: `http://localhost:${port}/`,
      headers: {},
      body: "{}",
      timeoutMs,
      addresses: ["127.0.0.1"],
    }),
  )
  const answer = await Effect.runPromise(Effect.provide(post, layerOutboundHttp))
  return { answer, taken: sockets[0]?.bytesWritten ?? 0 }
}

/** Speaks when the first bytes of a request have come, which `asked` returns. */
async function receiverThat(speak: (socket: Socket) => void) {
  const sockets: Socket[] = []
  let first = ""
  const server = createServer((socket) => {
    sockets.push(socket)
    socket.on("error", () => undefined)
    socket.once("data", (bytes) => {
      first = bytes.toString()
      speak(socket)
    })
  })
  await new Promise<void>((resolve) => {
    server.listen(0, "127.0.0.1", resolve)
  })
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy()
    server.close()
  })
  return { port: (server.address() as AddressInfo).port, sockets, asked: () => first }
}

const TIMEOUT: OutboundAnswer = { type: "unanswered", reason: "timeout" }
const BROKEN: OutboundAnswer = { type: "unanswered", reason: "connection_failed" }
const HEAD = "HTTP/1.1 200 OK\r\n"

/** Continues until the client disconnects. */
function forEver(socket: Socket, chunk: Buffer): void {
  const write = (): void => {
    if (!socket.destroyed) socket.write(chunk, () => setImmediate(write))
  }
  write()
}

test.each<[string, (socket: Socket) => void]>([
  ["says nothing", () => undefined],
  ["ends neither headers nor connection", (socket) => socket.write(`${HEAD}X-A: `)],
  ["says once that it will go on", (socket) => socket.write("HTTP/1.1 103 Early Hints\r\n\r\n")],
])("a receiver that %s is given up at the attempt's limit", async (_, speak) => {
  expect((await sendTo(speak)).answer).toEqual(TIMEOUT)
})

/** An answer whose status has come, and whose body was not read to its end. */
function counted(status: number, text: string): OutboundAnswer {
  return { type: "answered", status, body: { text, isWhole: false } }
}

test.each<[string, string, (socket: Socket) => void]>([
  ["never comes", "", (socket) => socket.write(`${HEAD}Content-Length: 10\r\n\r\n`)],
  ["stalls", "abc", (socket) => socket.write(`${HEAD}Content-Length: 10\r\n\r\nabc`)],
  ["is cut", "abc", (socket) => socket.write(`${HEAD}Content-Length: 10\r\n\r\nabc`, () => socket.destroy())],
  ["is broken", "", (socket) => socket.write(`${HEAD}Transfer-Encoding: chunked\r\n\r\nzz\r\n`)],
])("an answer whose body %s counts with its status", async (_, text, speak) => {
  expect((await sendTo(speak)).answer).toEqual(counted(200, text))
})

test("a byte now and then does not extend the limit", async () => {
  const drip = (socket: Socket): void => {
    socket.write(`${HEAD}Transfer-Encoding: chunked\r\n\r\n`)
    const timer = setInterval(() => socket.write("1\r\nx\r\n"), 20)
    socket.on("close", () => clearInterval(timer))
  }
  expect((await sendTo(drip)).answer).toMatchObject({
    type: "answered",
    status: 200,
    body: { isWhole: false },
  })
})

test("a status with headers beyond Node's own limit counts, up to the bound of an answer", async () => {
  const many = `${HEAD}X-A: ${"x".repeat(ANSWER_BYTES_MAX - 1_000)}\r\nContent-Length: 0\r\n\r\n`
  expect((await sendTo((socket) => socket.write(many))).answer).toEqual({
    type: "answered",
    status: 200,
    body: { text: "", isWhole: true },
  })
})

test.each([
  ["a protocol", "Connection: Upgrade\r\nUpgrade: websocket\r\n"],
  ["none", ""],
])("a receiver that switches to %s has answered, and its connection ends", async (_, headers) => {
  let hasClosed = (): void => undefined
  const closed = new Promise<void>((resolve) => (hasClosed = resolve))
  const { answer } = await sendTo((socket) => {
    socket.once("close", hasClosed)
    socket.write(`HTTP/1.1 101 Switching Protocols\r\n${headers}\r\n`)
  })
  expect(answer).toMatchObject({ type: "answered", status: 101 })
  await closed
})

test("interim answers without end are cut off at the bound of an answer", async () => {
  const { answer } = await sendTo(
    (socket) => forEver(socket, Buffer.from("HTTP/1.1 103 Early Hints\r\n\r\n".repeat(100))),
    60_000,
  )
  expect(answer).toEqual(BROKEN)
})

test("megabytes are not read: the status counts, and the connection ends", async () => {
  const { answer, taken } = await sendTo((socket) => {
    socket.write(`${HEAD}Content-Length: 1000000000\r\n\r\n`)
    forEver(socket, Buffer.alloc(65_536, "x"))
  })
  expect(answer).toMatchObject({ type: "answered", status: 200, body: { isWhole: false } })
  // What the kernel's buffers swallowed comes on top.
  expect(taken).toBeLessThan(ANSWER_BYTES_MAX + 32 * 1_048_576)
})

const read = (text: string | null): object => ({ type: "answered", status: 200, text })

test.each<[string, object, (socket: Socket) => void]>([
  [
    "of exactly the bound is read",
    read("x".repeat(1_000)),
    (socket) => socket.end(`${HEAD}\r\n${"x".repeat(1_000)}`),
  ],
  ["beyond the bound is not", read(null), (socket) => socket.end(`${HEAD}\r\n${"x".repeat(1_001)}`)],
  [
    "that is cut is not",
    read(null),
    (socket) => socket.write(`${HEAD}Content-Length: 10\r\n\r\nabc`, () => socket.destroy()),
  ],
  ["that stalls is not", read(null), (socket) => socket.write(`${HEAD}Content-Length: 10\r\n\r\nabc`)],
  [
    "that is no UTF-8 is not",
    read(null),
    (socket) => socket.end(Buffer.concat([Buffer.from(`${HEAD}\r\n`), Buffer.from([0xff])])),
  ],
  ["that never comes is late", TIMEOUT, () => undefined],
  [
    "behind a redirect is not followed",
    { type: "answered", status: 302 },
    (socket) => socket.end("HTTP/1.1 302 Found\r\nLocation: /\r\nContent-Length: 0\r\n\r\n"),
  ],
])("a document %s", async (_, answer, speak) => {
  const { port, asked } = await receiverThat(speak)
  const request = {
    url: `http://localhost:${port}/client.json`,
    timeoutMs: 500,
    bytesMax: 1_000,
    addresses: ["127.0.0.1"],
  }
  const get = Effect.flatMap(OutboundDocuments, (documents) => documents.get(request))
  expect(await Effect.runPromise(Effect.provide(get, layerOutboundDocuments))).toMatchObject(answer)
  expect(asked()).toMatch(/^GET \/client\.json HTTP\/1\.1\r\nAccept: application\/json\r\n/)
})

test("a gzip bomb stays what it is on the wire", async () => {
  const bomb = gzipSync(Buffer.alloc(50_000_000))
  const heapBefore = process.memoryUsage().arrayBuffers
  const { answer } = await sendTo((socket) => {
    socket.write(`${HEAD}Content-Encoding: gzip\r\nContent-Length: ${bomb.length}\r\n\r\n`)
    socket.write(bomb)
  })
  expect(answer).toMatchObject({ type: "answered", status: 200, body: { isWhole: false } })
  expect(process.memoryUsage().arrayBuffers - heapBefore).toBeLessThan(10_000_000)
})

test.each<[string, string]>([
  ["no HTTP", "SSH-2.0-OpenSSH_9.9\r\n"],
  ["headers of megabytes", `${HEAD}X-A: ${"x".repeat(2_000_000)}\r\n\r\n`],
  ["two lengths", `${HEAD}Content-Length: 1\r\nContent-Length: 2\r\n\r\nx`],
  ["a length and chunks", `${HEAD}Content-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`],
  ["a NUL in a header", `${HEAD}X-A: \0\r\n\r\n`],
])("an answer with %s is a failed attempt", async (_, text) => {
  expect((await sendTo((socket) => socket.write(text))).answer).toEqual(BROKEN)
})
