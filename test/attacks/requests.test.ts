/** Malicious requests: oversize, malformed, ambiguous and slow ones, and their after-effects. */

import { connect } from "node:net"
import type { Socket } from "node:net"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { BODY_BYTES_MAX, HEADERS_TIMEOUT_MS, REQUEST_TIMEOUT_MS } from "../../src/model/values/limits.ts"
import { startRealService } from "./real-service.ts"
import type { RealService } from "./real-service.ts"

const LIST = "/rs/v1/reservations"

let service: RealService
beforeAll(async () => {
  service = await startRealService()
})
afterAll(() => service.close())

/** Writes bytes as they are, and gives everything that came back until the other side closed. */
function raw(...parts: readonly (string | Buffer)[]): Promise<string> {
  return new Promise((resolve) => {
    const socket = connect(service.port, "127.0.0.1")
    let text = ""
    socket.on("data", (chunk) => (text += chunk.toString("latin1")))
    socket.on("error", () => resolve(text))
    socket.on("close", () => resolve(text))
    for (const part of parts) socket.write(part)
  })
}

function head(lines: readonly string[], path = LIST): string {
  const known = [`POST ${path} HTTP/1.1`, "Host: localhost", `Authorization: Bearer ${service.key}`]
  return `${[...known, ...lines].join("\r\n")}\r\n\r\n`
}

const TOO_LARGE = { success: false, code: "PAYLOAD_TOO_LARGE" }
const NOT_VALID = { success: false, code: "VALIDATION_ERROR" }

/** The body of an error as it came over the wire; its request id is the header's. */
function refusalIn(text: string): object {
  const [headers = "", body = ""] = text.split("\r\n\r\n")
  const { success, code, error, request_id } = JSON.parse(/\{.*\}/.exec(body)?.[0] ?? "{}") as Record<
    string,
    unknown
  >
  expect(headers.toLowerCase()).toContain(`x-request-id: ${String(request_id)}`)
  expect(error).toEqual(expect.any(String))
  return { success, code }
}

/** What the next booking is answered. */
async function nextBooking(): Promise<number> {
  return (await service.call("POST", LIST, { body: service.booking() })).status
}

describe("bodies", () => {
  const sized = (bytes: number): string => `${" ".repeat(bytes - 2)}{}`

  test("a declared length above the limit is refused before the body comes", async () => {
    const text = await raw(head([`Content-Length: ${BODY_BYTES_MAX + 1}`, "Connection: close"]))
    expect(text).toMatch(/^HTTP\/1\.1 413 /)
    expect(text).toContain('"code":"PAYLOAD_TOO_LARGE"')
  })

  test("a chunked body is refused as soon as it is too long", async () => {
    const chunk = `10000\r\n${"x".repeat(65_536)}\r\n`
    const text = await raw(
      head(["Transfer-Encoding: chunked", "Connection: close"]),
      chunk.repeat(BODY_BYTES_MAX / 65_536 + 1),
    )
    expect(text).toContain('"code":"PAYLOAD_TOO_LARGE"')
  })

  test("a compressed body is not unpacked: it is no JSON", async () => {
    const { status, body } = await service.call("POST", LIST, { text: Buffer.from([0x1f, 0x8b, 8, 0]) })
    expect([status, body["code"]]).toEqual([400, "VALIDATION_ERROR"])
  })

  test.each<[string, string | Buffer]>([
    ["half a body", '{"zone_id": "zo'],
    ["lists 500,000 deep", "[".repeat(500_000)],
    ["objects 100,000 deep that are closed", `${'{"a":'.repeat(100_000)}1${"}".repeat(100_000)}`],
    ["bytes that are no UTF-8", Buffer.from('{"end_user_name":"\xff\xfe"}', "latin1")],
    ["an overlong slash", Buffer.from([0x7b, 0x22, 0xc0, 0xaf, 0x22, 0x3a, 0x31, 0x7d])],
    ["a byte order mark of UTF-16", Buffer.from("\ufeff{}", "utf16le")],
    ["NaN", '{"payload_limit":{"max_weight_kg":NaN}}'],
    ["comments", "{/* */}"],
    ["spaces alone", " ".repeat(10_000)],
    ["an object at the limit", sized(BODY_BYTES_MAX)],
  ])("%s is 400 VALIDATION_ERROR", async (_, text) => {
    const { status, body } = await service.call("POST", LIST, { text })
    expect([status, body["code"]]).toEqual([400, "VALIDATION_ERROR"])
    expect(await nextBooking()).toBe(201)
  })

  test.each<[string, (booking: string) => string, number]>([
    ["__proto__", (text) => text.replace("{", '{"__proto__":{"zone_id":"zone_curb"},'), 400],
    ["constructor", (text) => text.replace("{", '{"constructor":{"prototype":{"x":1}},'), 201],
    [
      "a number beyond all numbers",
      (text) => text.replace("{", '{"payload_limit":{"max_weight_kg":1e999},'),
      400,
    ],
    [
      "a number of 100,000 digits",
      (text) => text.replace("{", `{"payload_limit":{"max_weight_kg":${"9".repeat(100_000)}},`),
      400,
    ],
    ["a NUL", (text) => text.replace("Ada", String.raw`A\u0000da`), 400],
    ["a lone surrogate", (text) => text.replace("Ada", String.raw`A\ud800da`), 400],
    ["an array where a text belongs", (text) => text.replace('"zone_curb"', '["zone_curb"]'), 400],
  ])("a booking with %s answers as it should", async (_, bend, status) => {
    const sent = bend(JSON.stringify(service.booking()))
    expect((await service.call("POST", LIST, { text: sent })).status).toBe(status)
    expect(({} as Record<string, unknown>)["zone_id"]).toBeUndefined()
    expect(await nextBooking()).toBe(201)
  })

  test("of two fields with one name the last counts, as in every JSON reader of ours", async () => {
    const text = JSON.stringify(service.booking()).replace("{", '{"end_user_name":"First",')
    const { body } = await service.call("POST", LIST, { text })
    expect(body).toMatchObject({ data: { reservation: { end_user_name: "Ada Example" } } })
  })
})

describe("the wire", () => {
  test.each<[string, readonly string[], string]>([
    ["a length and chunks", ["Content-Length: 4", "Transfer-Encoding: chunked"], "0\r\n\r\n"],
    ["two lengths", ["Content-Length: 2", "Content-Length: 20"], "{}"],
    ["a length that is none", ["Content-Length: +2"], "{}"],
    ["chunks that are not last", ["Transfer-Encoding: chunked, identity"], "{}"],
    ["a space before the colon", ["Content-Length : 2"], "{}"],
    ["a folded header", ["X-A: 1\r\n Content-Length: 2"], "{}"],
    ["a bare line feed", ["X-A: 1\nContent-Length: 2"], "{}"],
    ["a NUL in a header", ["X-A: a\0b"], "{}"],
    ["headers of 100 kB", [`X-A: ${"x".repeat(100_000)}`], "{}"],
  ])("%s: refused, the connection closed, and no second request read out of it", async (_, lines, body) => {
    const smuggled = `GET /rs/v1/retailers HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${service.key}\r\n\r\n`
    const text = await raw(head(lines), body, smuggled)
    expect(text).toMatch(/^HTTP\/1\.1 (400|431) /)
    expect(text.match(/HTTP\/1\.1 \d/g)).toHaveLength(1)
    expect(refusalIn(text)).toEqual(lines[0]?.startsWith("X-A: xxx") === true ? TOO_LARGE : NOT_VALID)
    expect(await nextBooking()).toBe(201)
  })

  test.each<[string, string, number, string]>([
    ["no Host", "GET /rs/v1/retailers HTTP/1.1\r\nConnection: close\r\n\r\n", 400, "Host"],
    ["a method that is none", "ZZZ /rs/v1/retailers HTTP/1.1\r\nHost: localhost\r\n\r\n", 400, "body"],
    [
      "another expectation than to go on",
      "GET /rs/v1/retailers HTTP/1.1\r\nHost: localhost\r\nExpect: zzz\r\nConnection: close\r\n\r\n",
      417,
      "Expect",
    ],
  ])("%s: the body of every error, with the field", async (_, sent, status, field) => {
    const text = await raw(sent, "")
    expect(text).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `))
    expect(refusalIn(text)).toEqual(NOT_VALID)
    expect(text).toContain(`"field":"${field}"`)
  })

  test("two hosts are 400 VALIDATION_ERROR before anything else", async () => {
    const text = await raw(head(["Host: other.example", "Content-Length: 2", "Connection: close"]), "{}")
    expect(text).toMatch(/^HTTP\/1\.1 400 /)
    expect(text).toContain('"field":"Host"')
  })

  test("the server gives up on requests that do not end", () => {
    const { requestTimeout, headersTimeout } = service.app.server
    expect([requestTimeout, headersTimeout]).toEqual([REQUEST_TIMEOUT_MS, HEADERS_TIMEOUT_MS])
    expect(REQUEST_TIMEOUT_MS).toBeLessThanOrEqual(30_000)
  })

  test("300 unfinished requests hold up no others", async () => {
    const sockets: Socket[] = []
    for (let count = 0; count < 300; count += 1) {
      const socket = connect(service.port, "127.0.0.1")
      socket.on("error", () => undefined)
      socket.write(count % 2 === 0 ? "POST /rs/v1/res" : head(["Content-Length: 100"]))
      sockets.push(socket)
    }
    expect(await nextBooking()).toBe(201)
    for (const socket of sockets) socket.destroy()
    expect(await nextBooking()).toBe(201)
  })
})
