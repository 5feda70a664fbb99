/** The bound of a mailbox in the live host: it fails the sender, so that nothing that was sent is lost. */

import { isNotNull } from "drizzle-orm"
import { Cause, Effect, Exit, HashMap, Logger } from "effect"
import { afterEach, beforeEach, expect, test } from "vitest"
import { MAILBOX_ENTRIES_MAX } from "../../../src/model/values/limits.ts"
import { SECOND_MS } from "../../../src/model/values/time.ts"
import { send } from "../../../src/model/verbs.ts"
import { RunningHost } from "../../../src/live/services/live-service.ts"
import { ActorHost, Transaction } from "../../../src/engine/services/host.ts"
import { Routine } from "../../../src/engine/services/routine.ts"
import { OutsideWorld } from "../../../src/simulation/outside-world.ts"
import { Database } from "../../../src/engine/store/database.ts"
import { groups, mailbox } from "../../../src/engine/store/schema.ts"
import { puppets } from "../../engine/kernel/puppet.ts"
import { emptiedDatabase } from "./emptied-database.ts"
import { startNode } from "./nodes.ts"
import type { Node } from "./nodes.ts"

const SENDER = "shop/one"
const RECEIVER = "shop/two"

const database = emptiedDatabase()
let node: Node

beforeEach(async () => {
  node = await startNode(database(), new OutsideWorld(), { wakesUp: false, program: puppets })
  for (const to of [SENDER, RECEIVER]) {
    await turn([], { to, start: { machine: "puppet@1", input: { verbs: [] } } })
  }
})
afterEach(() => node.crash())

const logged: string[] = []
const noting = Logger.make(({ message, annotations }) => {
  const named = HashMap.toEntries(annotations).map(([name, value]) => `${name}=${String(value)}`)
  logged.push([message, ...named.toSorted()].flat().join(" "))
})

type Request = Omit<Parameters<Transaction["Type"]["turn"]>[0], "nonce">

function turn(locked: readonly string[], request: Request): Promise<Exit.Exit<unknown, unknown>> {
  const body = Effect.flatMap(Transaction, (open) => open.turn({ ...request, nonce: "0".repeat(32) }))
  const whole = Effect.exit(
    Effect.flatMap(ActorHost, (host) =>
      host.run({
        name: "send messages",
        locks: { groups: locked },
        reads: Routine.void,
        body: () => Routine.from(body),
      }),
    ),
  )
  return node.run(Effect.provide(whole, Logger.replace(Logger.defaultLogger, noting)))
}

const sending = (count: number) =>
  turn([SENDER], {
    to: SENDER,
    event: {
      type: "do",
      verbs: Array.from({ length: count }, () => send(RECEIVER, { type: "hear", what: "x" })) as never,
    },
  })

async function waiting(): Promise<number> {
  const { orm } = await node.run(Database)
  return (await orm.select().from(mailbox)).length
}

test("a mailbox takes so many entries and no more, timers included; the message over it stays unsent", async () => {
  await turn([RECEIVER], { to: RECEIVER, event: { type: "wait", delays: [600 * SECOND_MS] } })
  expect(Exit.isSuccess(await sending(MAILBOX_ENTRIES_MAX - 1))).toBe(true)
  expect(await waiting()).toBe(MAILBOX_ENTRIES_MAX)
  const over = await sending(1)
  expect(Exit.isFailure(over) && Cause.pretty(over.cause)).toContain("a mailbox is full at shop/two")
  expect(await waiting()).toBe(MAILBOX_ENTRIES_MAX)
  // Logged with reason and address, and counted.
  expect(logged).toEqual([expect.stringContaining("a mailbox is full at shop/two: 1000 entries")])
  expect(logged[0]).toContain("at=shop/two command=send messages reason=a mailbox is full")
  expect((await node.run(RunningHost)).faultsInCommands).toBe(1)
  // The sender has its earlier state.
  const { orm } = await node.run(Database)
  expect(await orm.execute("select revision from groups where address = 'shop/one'")).toMatchObject({
    rows: [{ revision: 2 }],
  })
})

test("a group whose due entry meets a full mailbox is stopped, and goes on once the mailbox has room", async () => {
  const third = "shop/three"
  await turn([], { to: third, start: { machine: "puppet@1", input: { verbs: [] } } })
  await sending(MAILBOX_ENTRIES_MAX)
  const forward = send(SENDER, { type: "do", verbs: [send(RECEIVER, { type: "hear", what: "y" })] } as never)
  const event = { type: "do", verbs: [forward] as never }
  expect(Exit.isSuccess(await turn([third], { to: third, event }))).toBe(true)
  const host = await node.run(RunningHost)
  const { orm } = await node.run(Database)
  const stops = async () => {
    const rows = await orm.select().from(groups).where(isNotNull(groups.stoppedBecause))
    return rows.map(({ address }) => address)
  }

  expect(await node.run(host.takeDue([SENDER]))).toBe(0)
  expect(node.faults).toEqual([expect.stringContaining("a mailbox is full at shop/two")])
  expect(await stops()).toEqual([SENDER])
  expect(await node.run(host.takeDue([SENDER]))).toBe(0)
  expect(await waiting()).toBe(MAILBOX_ENTRIES_MAX + 1)

  expect(await node.run(host.takeDue([RECEIVER]))).toBe(1)
  await node.run(host.clearFullStops)
  expect(await stops()).toEqual([])
  expect(await node.run(host.takeDue([SENDER]))).toBe(1)
  expect(await waiting()).toBe(1)
})
