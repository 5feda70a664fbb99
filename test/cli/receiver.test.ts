/** The receiver of runs against a service: a caller that leaves in the middle of its request, and one that is refused. */

import { once } from "node:events"
import { connect } from "node:net"
import { afterAll, expect, test } from "vitest"
import { Receiver } from "../../src/cli/against/receiver.ts"

const receiver = new Receiver({ port: 0, publicUrl: null })
await receiver.open()
afterAll(() => receiver.close())

const URL_OF_HOOK = "https://hooks.partner.example/partner"

test("a caller that leaves in the middle of its body ends nothing else, and is not a request that came", async () => {
  const unhandled: unknown[] = []
  const note = (cause: unknown): unknown => unhandled.push(cause)
  process.on("unhandledRejection", note)
  const hook = new URL(receiver.reachable(URL_OF_HOOK))
  const socket = connect(Number(hook.port), hook.hostname)
  await once(socket, "connect")
  socket.write(`POST ${hook.pathname} HTTP/1.1\r\nHost: ${hook.host}\r\nContent-Length: 100\r\n\r\nhalf`)
  // The server has begun to read when it answers what comes on another connection afterwards.
  await fetch(hook, { method: "POST", body: "first" })
  socket.destroy()
  await once(socket, "close")
  const { status } = await fetch(hook, { method: "POST", body: "second" })
  process.off("unhandledRejection", note)
  expect([status, unhandled]).toEqual([200, []])
  expect(receiver.received.map(({ body }) => body)).toEqual(["first", "second"])
})

test("while it is down, it closes the connection: the caller does not wait for its time limit", async () => {
  const url = "https://hooks.partner.example/down"
  receiver.takeDown(url, Number.POSITIVE_INFINITY)
  const failure = await fetch(receiver.reachable(url), { method: "POST", body: "event" }).catch(
    (cause: unknown) => cause,
  )
  expect(failure).toBeInstanceOf(TypeError)
})
