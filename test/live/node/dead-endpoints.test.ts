/** Receivers that never answer, over real sockets: they hold up no others, and none of their webhooks is lost. */

import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { Effect, Layer } from "effect"
import { afterEach, describe, expect, test } from "vitest"
import {
  BREAKER_FAILURES,
  ENDPOINT_CALLS_MAX,
  OPEN_LINE_MAX,
} from "../../../src/live/configuration/bounds.ts"
import { HOUR_MS } from "../../../src/model/values/time.ts"
import { ActorHost } from "../../../src/engine/services/host.ts"
import { WebhookStore } from "../../../src/areas/webhooks/store.ts"
import { OutboundHttp } from "../../../src/engine/services/outbound/outbound-http.ts"
import type { OutboundAnswer, OutboundRequest } from "../../../src/engine/services/outbound/outbound-http.ts"
import { Routine } from "../../../src/engine/services/routine.ts"
import { RunningHost } from "../../../src/live/services/live-service.ts"
import { NO_OBSERVER } from "../../../src/live/observation/observer.ts"
import { OutsideWorld } from "../../../src/simulation/outside-world.ts"
import { Database } from "../../../src/engine/store/database.ts"
import { deferredCalls, mailbox } from "../../../src/engine/store/schema.ts"
import { emptiedDatabase } from "./emptied-database.ts"
import { allStandAt, allWell, plantDeliveries, standings, startNode, until } from "./nodes.ts"
import type { Node } from "./nodes.ts"

const PLAN = { backoffMs: [HOUR_MS], leaseMs: HOUR_MS }

/** The same for all nodes of a test. */
const database = emptiedDatabase()

const closing: (() => unknown)[] = []
afterEach(async () => {
  for (const close of closing.splice(0).toReversed()) await close()
})

interface Receiver {
  url: string
  /** Delivery ids, in the order of their coming. */
  readonly heard: string[]
  /** This many requests at the beginning are answered 500. */
  refusals: number
  answers: "never" | 200
  /** Lets go of all requests that have no answer. */
  readonly drop: () => void
}

/** A receiver on the loopback. */
async function receiver(): Promise<Receiver> {
  const heard: string[] = []
  const server = createServer((request, response) => {
    heard.push(String(request.headers["x-service-delivery-id"]))
    request.resume()
    if (heard.length <= made.refusals) response.writeHead(500).end()
    else if (made.answers !== "never") response.writeHead(made.answers).end()
  })
  const made: Receiver = {
    url: "",
    heard,
    refusals: 0,
    answers: 200,
    drop: () => server.closeAllConnections(),
  }
  closing.push(() => {
    server.closeAllConnections()
    server.close()
  })
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
  const node = await startNode(database(), { layer: overSockets() })
  for (let number = 0; number < 4; number += 1) {
    const dead = await receiver()
    dead.answers = "never"
    await plantDeliveries(node, { webhookId: `dead${number}`, url: dead.url, count: 130, ...PLAN })
  }
  const healthy = await receiver()
  const ids = await plantDeliveries(node, { webhookId: "healthy", url: healthy.url, count: 20, ...PLAN })
  // The dead ones hold their share until the test ends; before, this waited for ever.
  await until(() => healthy.heard.length === ids.length)
  await until(() => allStandAt(node, ids, "delivered"))
  expect(new Set(healthy.heard)).toEqual(new Set(ids))
  await node.crash()
})

/** Its share, and one more for each failure but the one that opens the breaker. */
const LEFT_BEFORE_OPEN = ENDPOINT_CALLS_MAX + BREAKER_FAILURES - 1

/** Deliveries of an endpoint that refuses the first ones and never answers the others: some wait in its queue. */
interface Failing {
  readonly receiver: Receiver
  readonly ids: readonly string[]
  readonly count: (state: string) => Promise<number>
}

async function failingEndpoint(node: Node): Promise<Failing> {
  const failing = await receiver()
  failing.refusals = LEFT_BEFORE_OPEN
  failing.answers = "never"
  const count = LEFT_BEFORE_OPEN + 100
  const ids = await plantDeliveries(node, { webhookId: "w", url: failing.url, count, ...PLAN })
  const standing = async (state: string): Promise<number> =>
    (await standings(node, ids)).filter((one) => one.state === state).length
  // All that were sent before the breaker opened were refused; of the others one is in flight.
  await until(
    async () => failing.heard.length > failing.refusals && (await standing("waiting")) === failing.refusals,
  )
  await until(async () => (await standing("queued")) >= 100 - OPEN_LINE_MAX)
  expect(failing.heard).toHaveLength(failing.refusals + 1)
  return { receiver: failing, ids, count: standing }
}

/** It answers again; what it held is lost. */
function mend({ receiver: failing }: Failing): void {
  failing.answers = 200
  failing.drop()
}

function rowsIn(node: Node, table: typeof deferredCalls | typeof mailbox): Promise<number> {
  return node.run(Effect.flatMap(Database, ({ orm }) => Effect.promise(() => orm.$count(table))))
}

test("a failing endpoint gets one webhook at a time; the others wait without a mailbox entry, and leave when it answers", async () => {
  const changes: boolean[] = []
  const onBreaker = ({ isOpen }: { readonly isOpen: boolean }) => changes.push(isOpen)
  const node = await startNode(
    database(),
    { layer: overSockets() },
    { observer: { ...NO_OBSERVER, onBreaker } },
  )
  const failing = await failingEndpoint(node)
  const queued = await failing.count("queued")
  expect(await rowsIn(node, deferredCalls)).toBe(queued)
  expect(await rowsIn(node, mailbox)).toBe(failing.ids.length - queued)
  expect(changes).toEqual([true])
  mend(failing)
  // The one that was in flight failed; every other one arrives at its first attempt.
  await until(async () => (await failing.count("delivered")) === 99)
  const attempts = (await standings(node, failing.ids)).map(({ attempt }) => attempt)
  expect(new Set(attempts)).toEqual(new Set([1]))
  expect(new Set(failing.receiver.heard)).toEqual(new Set(failing.ids))
  expect(failing.receiver.heard).toHaveLength(failing.ids.length)
  expect(changes).toEqual([true, false])
  expect(await rowsIn(node, deferredCalls)).toBe(0)
  await allWell(node)
  await node.stop()
})

test("what waits for an endpoint that is switched off is discarded, and none of it leaves", async () => {
  const node = await startNode(database(), { layer: overSockets() })
  const failing = await failingEndpoint(node)
  const off = Effect.flatMap(WebhookStore, (store) => store.changeEndpoint("w", { isActive: false }))
  await node.run(
    Effect.flatMap(ActorHost, (host) =>
      host.run({ name: "a test", locks: {}, body: () => Routine.from(off) }),
    ),
  )
  mend(failing)
  await until(async () => (await failing.count("discarded")) === 99)
  expect(failing.receiver.heard).toHaveLength(LEFT_BEFORE_OPEN + 1)
  await allWell(node)
  await node.stop()
})

describe("deferred webhooks", () => {
  test("stay while calls are held, and leave after it", async () => {
    const first = await startNode(database(), { layer: overSockets() })
    const failing = await failingEndpoint(first)
    await first.crash()
    mend(failing)
    const heard = failing.receiver.heard.length
    let isHeld = true
    const node = await startNode(database(), { layer: overSockets() }, { mayCall: () => !isHeld })
    const queued = await rowsIn(node, deferredCalls)
    expect(queued).toBeGreaterThan(0)
    await node.run(
      Effect.flatMap(RunningHost, ({ deferred }) => Effect.zipRight(deferred.look, deferred.release)),
    )
    expect(await rowsIn(node, deferredCalls)).toBe(queued)
    expect(failing.receiver.heard).toHaveLength(heard)
    isHeld = false
    await until(async () => (await rowsIn(node, deferredCalls)) === 0)
    // The calls in flight at the crash of the first node are sent again too.
    await until(() => new Set(failing.receiver.heard.slice(heard)).size >= queued)
    await node.crash()
  })

  test("stay while their node stops, and leave from the next one", async () => {
    const first = await startNode(database(), { layer: overSockets() })
    const failing = await failingEndpoint(first)
    const queued = await failing.count("queued")
    const stopping = first.stop()
    mend(failing)
    await stopping
    expect(failing.receiver.heard.length).toBeLessThanOrEqual(failing.ids.length - queued)
    const node = await startNode(database(), { layer: overSockets() })
    await until(async () => (await rowsIn(node, deferredCalls)) === 0)
    await until(() => new Set(failing.receiver.heard).size === failing.ids.length)
    await node.crash()
  })
})
