/** Receivers that never answer, over real sockets: they hold up nobody else, and nothing that is meant for them is lost. */

import { createServer } from "node:http"
import type { Server } from "node:http"
import type { AddressInfo } from "node:net"
import { Effect, Layer } from "effect"
import { afterEach, expect, test } from "vitest"
import { ENDPOINT_CALLS_MAX } from "../../src/live/bounds.ts"
import { HOUR_MS } from "../../src/model/time.ts"
import { OutboundHttp } from "../../src/services/outbound/outbound-http.ts"
import type { OutboundAnswer, OutboundRequest } from "../../src/services/outbound/outbound-http.ts"
import { NO_OBSERVER } from "../../src/live/observer.ts"
import { OutsideWorld } from "../../src/simulation/outside-world.ts"
import { Database, layerPglite } from "../../src/store/database.ts"
import { mailbox } from "../../src/store/schema.ts"
import { allWell, plantDeliveries, startNode, stateOf, until } from "./nodes.ts"

const servers: Server[] = []
afterEach(() => {
  for (const server of servers.splice(0)) {
    server.closeAllConnections()
    server.close()
  }
})

/** A receiver on the loopback: how it answers may change. */
async function receiver(): Promise<{ url: string; heard: string[]; answers: "never" | 200 | 500 }> {
  const made = { url: "", heard: [] as string[], answers: 200 as "never" | 200 | 500 }
  const server = createServer((request, response) => {
    made.heard.push(String(request.headers["x-service-delivery-id"]))
    request.resume()
    if (made.answers !== "never") response.writeHead(made.answers).end()
  })
  servers.push(server)
  await new Promise<void>((resolve) => {
    server.listen(0, "127.0.0.1", resolve)
  })
  made.url = `https://hooks.partner.example:${(server.address() as AddressInfo).port}/events`
  return made
}

/** The outside world, but requests reach the receiver of their port. */
function overSockets(): OutsideWorld["layer"] {
  const post = ({ url, headers, body }: OutboundRequest): Promise<OutboundAnswer> =>
    fetch(`http://127.0.0.1:${new URL(url).port}/`, { method: "POST", headers, body }).then(
      ({ status }) => ({ type: "answered", status }),
      () => ({ type: "unanswered", reason: "connection_failed" }),
    )
  return Layer.merge(
    new OutsideWorld().layer,
    Layer.succeed(OutboundHttp, { post: (request) => Effect.promise(() => post(request)) }),
  )
}

test("four dead endpoints under one host name hold up no healthy one", async () => {
  const node = await startNode(layerPglite("memory"), { layer: overSockets() })
  const plan = { backoffMs: [HOUR_MS], leaseMs: HOUR_MS }
  for (let number = 0; number < 4; number += 1) {
    const dead = await receiver()
    dead.answers = "never"
    await plantDeliveries(node, { webhookId: `dead${number}`, url: dead.url, count: 130, ...plan })
  }
  const healthy = await receiver()
  const ids = await plantDeliveries(node, { webhookId: "healthy", url: healthy.url, count: 20, ...plan })
  // The dead ones hold their share until the test ends; before, this waited for ever.
  await until(() => healthy.heard.length === ids.length)
  for (const id of ids) await until(async () => (await stateOf(node, id)) === "delivered")
  expect(new Set(healthy.heard)).toEqual(new Set(ids))
  await node.crash()
})

test("a failing endpoint gets one webhook at a time; the others wait without a mailbox entry, and leave when it answers", async () => {
  const changes: boolean[] = []
  const observer = {
    ...NO_OBSERVER,
    onBreaker: ({ isOpen }: { readonly isOpen: boolean }) => changes.push(isOpen),
  }
  const node = await startNode(layerPglite("memory"), { layer: overSockets() }, { observer })
  const failing = await receiver()
  failing.answers = 500
  const plan = { backoffMs: [HOUR_MS], leaseMs: HOUR_MS }
  const first = { webhookId: "w", url: failing.url, count: 150, ...plan }
  const ids = await plantDeliveries(node, first)
  // All that had left before it opened.
  await until(() => failing.heard.length >= ENDPOINT_CALLS_MAX)
  failing.answers = "never"
  const statesOf = () => Promise.all(ids.map((id) => stateOf(node, id)))
  const count = async (state: string) => (await statesOf()).filter((one) => one === state).length
  // One probe is in flight; nothing else is.
  await until(async () => (await count("sending")) === 1 && (await count("queued")) > 0)
  const queued = await count("queued")
  const { orm } = await node.run(Database)
  expect(await orm.select().from(mailbox)).toHaveLength(ids.length - queued)
  expect(changes).toEqual([true])
  failing.answers = 200
  for (const server of servers) server.closeAllConnections()
  await until(async () => (await count("queued")) === 0 && (await count("delivered")) >= queued)
  expect(changes).toEqual([true, false])
  await allWell(node)
  await node.stop()
})
