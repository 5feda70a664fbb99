/** The wake-up on the machine's own clock: nodes that share a database, late entries, lost calls, stopped groups. */

import { sql } from "drizzle-orm"
import { Effect } from "effect"
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest"
import { OutsideWorld } from "../../src/simulation/outside-world.ts"
import { Database, layerPostgres } from "../../src/store/database.ts"
import { emptied } from "../conformance/live.ts"
import { startPostgres } from "../store/postgres-server.ts"
import type { PostgresServer } from "../store/postgres-server.ts"
import { allWell, plantDeliveries, replayed, rowOf, startNode, stateOf, until } from "./nodes.ts"
import type { Node } from "./nodes.ts"

const GOOD = "https://good.partner.example/events"
const DEAD = "https://dead.partner.example/events"
const FAILS = { type: "status", status: 500, afterMs: 1 } as const
const ACCEPTS = { type: "status", status: 200, afterMs: 1 } as const

let server: PostgresServer | null = null
const nodes: Node[] = []
let world = new OutsideWorld()

beforeAll(async () => {
  server = await startPostgres()
})
beforeEach(async () => {
  world = new OutsideWorld()
  const node = await start({ wakesUp: false })
  await node.run(
    Effect.flatMap(Effect.context<Database>(), (context) => Effect.promise(() => emptied(context))),
  )
  await node.stop()
})
afterEach(async () => {
  for (const node of nodes.splice(0)) {
    await allWell(node)
    await node.crash()
  }
})
afterAll(() => server?.stop())

async function start(options: { readonly wakesUp?: boolean } = {}): Promise<Node> {
  const node = await startNode(layerPostgres(server?.url ?? ""), world, options)
  if (options.wakesUp !== false) nodes.push(node)
  return node
}

/** How many timers the journal tells of. */
function timersIn(record: string): number {
  return record.split("\n").filter((line) => line.startsWith('{"k":"turn"') && line.includes('"by":"timer"'))
    .length
}

describe("wake-up", () => {
  test("two nodes take 200 entries that fall due together once each, beside a receiver that never answers", async () => {
    const [one] = [await start(), await start()]
    world.script(GOOD, [FAILS])
    world.script(DEAD, [FAILS])
    const plan = { backoffMs: [6_000, 6_000, 6_000], leaseMs: 90_000 }
    const dead = await plantDeliveries(one, { webhookId: "dead", url: DEAD, count: 40, ...plan })
    const good = await plantDeliveries(one, { webhookId: "good", url: GOOD, count: 160, ...plan })
    await until(() => world.receivedAt(GOOD).length >= 160 && world.receivedAt(DEAD).length >= 40)
    world.script(GOOD, [ACCEPTS])
    world.script(DEAD, [{ type: "timeout" }])
    await until(async () => (await statesOf(one, good)).every((state) => state === "delivered"))
    await until(() => world.receivedAt(DEAD).length >= 80)
    const { record } = await replayed(one)
    // No attempt is made twice. One that was counted may not have left: look-ups at once are bounded.
    for (const id of [...dead, ...good]) {
      const sent = world.received.filter(({ headers }) => headers["X-Service-Delivery-Id"] === id)
      const group = await rowOf(one, `webhook-delivery/${id}`)
      const attempt = Number(group?.actors.get(`webhook-delivery/${id}`)?.snapshot.context.attempt)
      expect(sent.length).toBeLessThanOrEqual(attempt)
    }
    // Every entry fell due and was taken as a timer of its own.
    expect(timersIn(record)).toBeGreaterThanOrEqual(200)
  })

  test("a call that its node lost returns on another node, through its lease timer", async () => {
    const lost = await start()
    world.script(GOOD, [{ type: "timeout" }, ACCEPTS])
    const [id = ""] = await plantDeliveries(lost, {
      webhookId: "w",
      url: GOOD,
      count: 1,
      backoffMs: [100],
      leaseMs: 700,
    })
    await until(() => world.receivedAt(GOOD).length === 1)
    await lost.crash()
    nodes.splice(0)
    const other = await start()
    await until(async () => (await stateOf(other, id)) === "delivered")
    expect(world.receivedAt(GOOD)).toHaveLength(2)
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
    await until(async () =>
      (await Promise.all(ids.map((id) => stateOf(first, id)))).every((state) => state === "waiting"),
    )
    await setMachine(first, broken, "webhook-delivery@1", "no-such-machine@1")
    await first.stop()
    const second = await startNode(layerPostgres(server?.url ?? ""), world)
    await until(async () => (await stateOf(second, whole)) === "delivered")
    await until(() => second.faults.length > 0)
    expect(second.faults).toEqual([expect.stringContaining("no-such-machine@1")])
    await setMachine(second, broken, "no-such-machine@1", "webhook-delivery@1")
    await second.stop()
    const third = await start()
    await until(async () => (await rowOf(third, `webhook-delivery/${broken}`))?.timers.size === 0)
    expect(await stateOf(third, broken)).toBe("delivered")
  })
})

function statesOf(node: Node, ids: readonly string[]): Promise<readonly string[]> {
  return Promise.all(ids.map((id) => stateOf(node, id)))
}

/** What another version of the program would have left. */
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
