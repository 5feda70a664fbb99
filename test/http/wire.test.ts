/** Over a real socket: what only shows when bytes arrive one after another. */

import { request } from "node:http"
import type { IncomingMessage } from "node:http"
import type { AddressInfo } from "node:net"
import { expect, onTestFinished, test } from "vitest"
import { BODY_BYTES_MAX } from "../../src/model/values/limits.ts"
import { makeApi } from "./api.ts"

/** Sends a request chunk by chunk, until all is sent or the answer is there. */
async function send({
  path,
  key,
  chunks,
}: {
  readonly path: string
  readonly key: string
  readonly chunks: number
}): Promise<{ readonly status: number; readonly code: string }> {
  const { app, ...api } = await makeApi()
  onTestFinished(() => app.close())
  await app.listen({ port: 0, host: "127.0.0.1" })
  const { port } = app.server.address() as AddressInfo
  const authorization = `Bearer ${key === "" ? api.key : key}`
  const outgoing = request({ port, method: "POST", path, headers: { authorization } })
  const answer = new Promise<IncomingMessage>((resolve, reject) => {
    outgoing.on("response", resolve)
    outgoing.on("error", reject)
  })
  for (let count = 0; count < chunks; count += 1) outgoing.write(Buffer.alloc(65_536, "x"))
  const response = await answer
  outgoing.on("error", () => undefined)
  let text = ""
  for await (const chunk of response) text += String(chunk)
  outgoing.destroy()
  return { status: response.statusCode ?? 0, code: (JSON.parse(text) as { code: string }).code }
}

test("a caller without a good key is answered before the body has come", async () => {
  const answered = await send({ path: "/rs/v1/reservations", key: "unknown", chunks: 1 })
  expect(answered).toEqual({ status: 401, code: "INVALID_API_KEY" })
})

test("413 PAYLOAD_TOO_LARGE as soon as a body of unknown length is too long, not at its end", async () => {
  const chunks = BODY_BYTES_MAX / 65_536 + 1
  const answered = await send({ path: "/rs/v1/reservations", key: "", chunks })
  expect(answered).toEqual({ status: 413, code: "PAYLOAD_TOO_LARGE" })
})
