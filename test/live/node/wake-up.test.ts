/** The wake-up on the machine's own clock: nodes that share a database, late entries, lost calls, stopped groups. */

import { sql } from "drizzle-orm"
import { Effect, Layer } from "effect"
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest"
import { OutboundHttp } from "../../../src/engine/services/outbound/outbound-http.ts"
import type { ReceivedRequest } from "../../../src/simulation/outside-world.ts"
import { OutsideWorld } from "../../../src/simulation/outside-world.ts"
import { Database, layerPostgres } from "../../../src/engine/store/database.ts"
import { nodes as nodeRows } from "../../../src/engine/store/schema.ts"
import { HOUR_MS } from "../../../src/model/values/time.ts"
import type { Call } from "../../../src/engine/kernel/turn.ts"
import type { Group } from "../../../src/engine/kernel/group.ts"
import { RunningHost } from "../../../src/live/services/live-service.ts"
import { startPostgres } from "../../engine/store/postgres-server.ts"
import type { PostgresDatabase } from "../../engine/store/postgres-server.ts"
import { emptiedDatabase } from "./emptied-database.ts"
import {
  allStandAt,
  allWell,
  plantDeliveries,
  replayed,
  rowOf,
  standings,
  startNode,
  stateOf,
  until,
} from "./nodes.ts"
import type { Node } from "./nodes.ts"

const GOOD = "https://good.partner.example/events"
const DEAD = "https://dead.partner.example/events"
/** One delivery that is tried again after an hour. */
const ONE = { webhookId: "w", url: GOOD, count: 1, backoffMs: [HOUR_MS] }
const FAILS = { type: "status", status: 500, afterMs: 1 } as const
const ACCEPTS = { type: "status", status: 200, afterMs: 1 } as const

let server: PostgresDatabase | null = null
const nodes: Node[] = []
let world = new OutsideWorld()

beforeAll(async () => {
  server = await startPostgres()
})
afterAll(() => server?.stop())
// Each node has connections of its own.
const layer = () => layerPostgres(server?.url ?? "")
emptiedDatabase(layer)
beforeEach(() => {
  world = new OutsideWorld()
})
afterEach(async () => {
  for (const node of nodes.splice(0)) {
    try {
      await allWell(node)
    } finally {
      await node.crash()
    }
  }
})

async function start(
  options: { readonly wakesUp?: boolean } = {},
  outside: Pick<OutsideWorld, "layer"> = world,
): Promise<Node> {
  const node = await startNode(layer(), outside, options)
  if (options.wakesUp !== false) nodes.push(node)
  return node
}

/** The outside world, but requests to one URL never get an answer. `held` gets their delivery ids. */
function holdingRequests(outside: OutsideWorld, url: string, held: string[]): OutsideWorld["layer"] {
  const holding = Effect.map(OutboundHttp, ({ post }): OutboundHttp["Type"] => ({
    post: (request) => {
      if (request.url !== url) return post(request)
      return Effect.suspend(() => {
        held.push(request.headers["X-Service-Delivery-Id"] ?? "")
        return Effect.never
      })
    },
  }))
  return Layer.merge(outside.layer, Layer.effect(OutboundHttp, holding).pipe(Layer.provide(outside.layer)))
}

/** The headers by which a receiver distinguishes copies of one attempt from other events. */
function idsOf(request: ReceivedRequest | undefined): Record<string, string> {
  const names = ["X-Service-Delivery-Id", "X-Service-Event-Id"]
  return Object.fromEntries(names.map((name) => [name, request?.headers[name] ?? ""]))
}

/** The call that a delivery is waiting for. */
function callOf(group: Group | null): Call {
  const [lease] = group?.timers.values() ?? []
  if (lease === undefined) throw new Error("no call is in flight")
  return { actor: lease.to, call: "webhook", attempt: 1, cause: lease.cause }
}

/** As if every node's heart had stood still for too long. */
function forgetNodes(node: Node): Promise<unknown> {
  return node.run(Effect.flatMap(Database, ({ orm }) => Effect.promise(() => orm.delete(nodeRows))))
}

/** How many timers the journal contains. */
function timersIn(record: string): number {
  return record.split("\n").filter((line) => line.startsWith('{"k":"turn"') && line.includes('"by":"timer"'))
    .length
}

describe("wake-up", () => {
  test("two nodes start 1,000 entries that are due together at once, beside a receiver that never answers", async () => {
    const planter = await start({ wakesUp: false })
    world.script(GOOD, [FAILS])
    world.script(DEAD, [FAILS])
    // Longer than the test on any machine: a lease that ends would send a call again.
    const plan = { backoffMs: [1], leaseMs: HOUR_MS }
    // Of each endpoint fewer than open its breaker.
    const plant = async (name: string, url: string, endpoints: number): Promise<readonly string[]> => {
      const ids: string[] = []
      for (let number = 0; number < endpoints; number += 1) {
        const webhookId = `${name}${number}`
        ids.push(...(await plantDeliveries(planter, { webhookId, url, count: 4, ...plan })))
      }
      return ids
    }
    const dead = await plant("dead", DEAD, 25)
    const good = await plant("good", GOOD, 225)
    const all = [...dead, ...good]
    await until(() => allStandAt(planter, all, "waiting"))
    await planter.stop()
    expect(world.received).toHaveLength(1_000)
    world.script(GOOD, [ACCEPTS])
    // From here on the one receiver holds every request that it gets: nothing below waits for its time limit.
    const held: string[] = []
    const holding = { layer: holdingRequests(world, DEAD, held) }
    const [one, other] = [await start({}, holding), await start({}, holding)]
    await until(() => allStandAt(one, good, "delivered"))
    await until(() => held.length >= dead.length)
    expect(await standings(one, dead)).toEqual(dead.map(() => ({ state: "sending", attempt: 2 })))
    // Every entry was taken once, as one attempt, and every counted attempt was sent.
    const { record } = await replayed(other)
    expect(timersIn(record)).toBe(1_000)
    expect(new Set(held)).toEqual(new Set(dead))
    expect(held).toHaveLength(dead.length)
    expect(world.receivedAt(GOOD)).toHaveLength(2 * good.length)
    expect((await standings(one, all)).filter(({ attempt }) => attempt !== 2)).toEqual([])
  })

  test("a call that its node lost leaves again from another node, as the same attempt and long before its lease ends", async () => {
    const lost = await start()
    world.script(GOOD, [{ type: "timeout" }, ACCEPTS])
    const [id = ""] = await plantDeliveries(lost, { ...ONE, leaseMs: HOUR_MS })
    await until(() => world.receivedAt(GOOD).length === 1)
    await lost.crash()
    nodes.splice(0)
    const other = await start()
    await until(async () => (await stateOf(other, id)) === "delivered")
    expect(await standings(other, [id])).toEqual([{ state: "delivered", attempt: 1 }])
    const [first, second, ...more] = world.receivedAt(GOOD)
    expect(second).toMatchObject({ headers: idsOf(first), body: first?.body })
    expect(more).toEqual([])
  })

  test("a node that only seemed gone may still answer: the delivery ends once, whichever copy is answered first", async () => {
    const held: string[] = []
    // Its heart does not beat: it neither wakes up nor watches.
    const slow = await start({ wakesUp: false }, { layer: holdingRequests(world, GOOD, held) })
    const [id = ""] = await plantDeliveries(slow, { ...ONE, leaseMs: HOUR_MS })
    await until(() => held.length === 1)
    const call = callOf(await rowOf(slow, `webhook-delivery/${id}`))
    world.script(GOOD, [FAILS, ACCEPTS])
    await forgetNodes(slow)
    const other = await start()
    await until(async () => (await stateOf(other, id)) === "waiting")
    const late = { call, result: { type: "call.succeeded", attempt: 1 } } as const
    await slow.run(Effect.flatMap(RunningHost, (host) => host.takeResults([late])))
    expect(await standings(other, [id])).toEqual([{ state: "delivered", attempt: 1 }])
    await slow.crash()
  })

  test("a node that is stopped first brings its calls to their end", async () => {
    const node = await start({ wakesUp: false })
    world.script(GOOD, [{ type: "status", status: 200, afterMs: 400 }])
    const [id = ""] = await plantDeliveries(node, {
      webhookId: "w",
      url: GOOD,
      count: 1,
      backoffMs: [100],
      leaseMs: 9_000,
    })
    await until(() => world.receivedAt(GOOD).length === 1)
    await node.stop()
    expect(await stateOf(await start(), id)).toBe("delivered")
  })

  test("a group whose entry ends in a fault is stopped, alone, and goes on when the program has changed", async () => {
    const first = await start({ wakesUp: false })
    world.script(GOOD, [FAILS, FAILS, ACCEPTS])
    const ids = await plantDeliveries(first, {
      webhookId: "w",
      url: GOOD,
      count: 2,
      backoffMs: [600],
      leaseMs: 9_000,
    })
    const [broken = "", whole = ""] = ids
    await until(() => allStandAt(first, ids, "waiting"))
    await setMachine(first, broken, "webhook-delivery@2", "no-such-machine@1")
    await first.stop()
    const second = await startNode(layer(), world)
    await until(async () => (await stateOf(second, whole)) === "delivered")
    await until(() => second.faults.length > 0)
    expect(second.faults).toEqual([expect.stringContaining("no-such-machine@1")])
    await setMachine(second, broken, "no-such-machine@1", "webhook-delivery@2")
    await second.stop()
    const third = await start()
    await until(async () => (await rowOf(third, `webhook-delivery/${broken}`))?.timers.size === 0)
    expect(await stateOf(third, broken)).toBe("delivered")
  })
})

/** The row as another version of the program would have left it. */
function setMachine(node: Node, deliveryId: string, from: string, to: string): Promise<unknown> {
  return node.run(
    Effect.flatMap(Database, ({ orm }) =>
      Effect.promise(() =>
        orm.execute(
          sql`update groups set actors = replace(actors::text, ${from}, ${to})::json
              where address = ${`webhook-delivery/${deliveryId}`}`,
        ),
      ),
    ),
  )
}
