/** The live journal as a run record: it replays, also in pages, and a change of one byte in the database is named. */

import { sql } from "drizzle-orm"
import { Effect } from "effect"
import { afterEach, beforeEach, describe, expect, test } from "vitest"
import { readRecord } from "../../../src/pages/inspection/run-reader.ts"
import { OutsideWorld } from "../../../src/simulation/outside-world.ts"
import { Database } from "../../../src/engine/store/database.ts"
import { emptiedDatabase } from "./emptied-database.ts"
import { plantDeliveries, replayed, startNode, stateOf, until } from "./nodes.ts"
import type { Node } from "./nodes.ts"

const HOOK = "https://hooks.partner.example/events"

const database = emptiedDatabase()
let node: Node

beforeEach(async () => {
  node = await startNode(database(), new OutsideWorld(), { wakesUp: false })
})
afterEach(() => node.crash())

async function deliver(count: number): Promise<void> {
  const plan = { webhookId: "w", url: HOOK, count, backoffMs: [60_000], leaseMs: 90_000 }
  const ids = await plantDeliveries(node, plan)
  await until(async () => (await stateOf(node, ids.at(-1) ?? "")) === "delivered")
  await until(async () => (await replayed(node)).entries === 2 * count)
}

describe("journal export", () => {
  test("an empty journal is a record too", async () => {
    const { difference, entries, record } = await replayed(node)
    expect(difference).toBeNull()
    expect(entries).toBe(0)
    expect(record.trimEnd().split("\n")).toHaveLength(2)
  })

  test("a journal of more than one page replays to the hash of the groups' heads", async () => {
    await deliver(600)
    const { difference, entries, hashes, record } = await replayed(node)
    expect(difference).toBeNull()
    expect(entries).toBe(1_200)
    const end = JSON.parse(record.trimEnd().split("\n").at(-1) ?? "") as { readonly hash: string }
    expect(hashes).toEqual([end.hash])
    // The inspector reads it as any other record.
    const [run] = readRecord(record)
    expect([run?.problem, run?.index.s.length, run?.head.seed]).toEqual([null, 1_200, null])
  })

  test.each([
    ["a nonce", sql`update journal set text = regexp_replace(text, '"nonce":"[0-9a-f]{4}', '"nonce":"xxxx')`],
    ["a hash", sql`update journal set hash = repeat('0', 64)`],
    ["an instant beside the text", sql`update journal set instant_ms = instant_ms + 1 where revision = 2`],
    ["a missing entry", sql`delete from journal where revision = 1`],
    ["a head", sql`update groups set head = repeat('0', 64)`],
  ])("%s that was changed in the database is found", async (_, change) => {
    await deliver(1)
    expect((await replayed(node)).difference).toBeNull()
    await node.run(Effect.flatMap(Database, ({ orm }) => Effect.promise(() => orm.execute(change))))
    expect((await replayed(node)).difference).not.toBeNull()
  })
})
