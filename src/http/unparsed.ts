/**
 * Answers to requests that Node's parser refuses or that never end: no hook and no route sees them, so they are written
 * to the socket. They have the body of every error. Source: reservations contract, errors.
 */

import { STATUS_CODES, maxHeaderSize } from "node:http"
import type { ServerResponse } from "node:http"
import type { Socket } from "node:net"
import { TurnedAway } from "../model/values/errors.ts"
import type { Refused } from "../model/values/errors.ts"
import { NOT_STORED, bodyOf, invalid } from "./errors.ts"
import { requestId } from "./gate.ts"

interface Answer {
  readonly status: number
  readonly refusal: Refused | TurnedAway
  /** Instead of the code's own sentence, which speaks of the body. */
  readonly error?: string
}

/** By the codes of Node's errors; every other one is a request that is no HTTP. */
const ANSWERS: Readonly<Record<string, Answer>> = {
  HPE_HEADER_OVERFLOW: {
    status: 431,
    refusal: new TurnedAway({ code: "PAYLOAD_TOO_LARGE" }),
    error: `the address and the headers are larger than ${maxHeaderSize} bytes together`,
  },
  ERR_HTTP_REQUEST_TIMEOUT: { status: 408, refusal: invalid("body", "was not complete in time") },
}
const NO_HTTP: Answer = { status: 400, refusal: invalid("body", "is not a request of HTTP/1.1") }

/** Answers and closes the connection, because what follows on it cannot be read. */
export function answerUnparsed(fault: Error & { readonly code?: string }, socket: Socket): void {
  if (socket.destroyed || fault.code === "ECONNRESET") return
  const { status, refusal, error } = ANSWERS[fault.code ?? ""] ?? NO_HTTP
  const id = requestId(undefined)
  const known = bodyOf(refusal, id)
  const body = JSON.stringify(error === undefined ? known : { ...known, error })
  const headers = { ...headersOf(id), "Content-Length": Buffer.byteLength(body), Connection: "close" }
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`)
  if (socket.writable)
    socket.write([`HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ""}`, ...lines, "", body].join("\r\n"))
  socket.destroy(fault)
}

/** A request that expects something other than 100-continue. Source: RFC 9110 §10.1.1. */
export function answerExpectation(_: unknown, response: ServerResponse): void {
  const id = requestId(undefined)
  response.writeHead(417, { ...headersOf(id), Connection: "close" })
  response.end(JSON.stringify(bodyOf(invalid("Expect", "must be 100-continue or absent"), id)))
}

function headersOf(id: string): Readonly<Record<string, string>> {
  return { ...NOT_STORED, "Content-Type": "application/json; charset=utf-8", "X-Request-Id": id }
}
