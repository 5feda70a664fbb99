/**
 * Guarantees of the portal's and the messages' rows that only a database has; their contract is run by
 * `test/conformance`.
 */

import { sql } from "drizzle-orm"
import { Context, Effect, Layer } from "effect"
import { expect, test } from "vitest"
import { MessageRows } from "../../../src/areas/messages/rows.ts"
import { PortalRows } from "../../../src/apps/portal/rows.ts"
import { ActorHost } from "../../../src/engine/services/host.ts"
import { Database } from "../../../src/engine/store/database.ts"
import { SecondFactorRows } from "../../../src/apps/portal/people/second-factor-rows.ts"
import { layerPortalRows } from "../../../src/apps/portal/store/portal-sessions.ts"
import { layerSealedTables, layerTables } from "../../../src/engine/store/sql-tables.ts"
import { overBothDatabases } from "../../conformance/live-harnesses.ts"
import { START_MS } from "../../conformance/memory.ts"

const overSql = Layer.mergeAll(
  layerPortalRows,
  SecondFactorRows.layer.pipe(Layer.provide(Layer.merge(layerTables, layerSealedTables("contract")))),
  MessageRows.layer.pipe(Layer.provide(layerSealedTables("contract"))),
)

overBothDatabases((_, { make, context }) => {
  test("texts of messages are sealed in their rows", async () => {
    const harness = make()
    const T = START_MS
    const body = Effect.gen(function* () {
      const host = yield* ActorHost
      const rows = yield* MessageRows
      yield* host.run({
        name: "a test",
        locks: {},
        body: () =>
          rows.insert({
            messageId: "msg_1",
            channel: "mail",
            purpose: "sign-up",
            environment: null,
            organizationId: null,
            to: "ada@wheels.example",
            subject: "Your code",
            text: "the code is 271828",
            status: "pending",
            attempts: 0,
            dueAtMs: T,
            reason: null,
            createdAtMs: T,
            endedAtMs: null,
            subjectId: null,
          }),
      })
    })
    await harness.run(Effect.provide(body, overSql))
    const rows = await Context.get(await context(), Database).orm.execute(sql`select * from messages`)
    expect(JSON.stringify(rows)).toContain("msg_1")
    expect(JSON.stringify(rows)).not.toContain("271828")
  })

  test("the secret of a second factor is sealed in its row", async () => {
    const harness = make()
    const factor = { accountId: "acc_1", secret: "GEZDGNBVGY3TQOJQ", confirmedAtMs: null, lastStep: 0 }
    const body = Effect.gen(function* () {
      const host = yield* ActorHost
      const rows = yield* SecondFactorRows
      yield* host.run({
        name: "a test",
        locks: {},
        body: () => rows.put({ ...factor, createdAtMs: START_MS }),
      })
    })
    await harness.run(Effect.provide(body, overSql))
    const rows = await Context.get(await context(), Database).orm.execute(sql`select * from second_factors`)
    expect(JSON.stringify(rows)).toContain("acc_1")
    expect(JSON.stringify(rows)).not.toContain(factor.secret)
  })

  test("no two accounts share an address, whatever the services do", async () => {
    const harness = make()
    const account = {
      accountId: "acc_1",
      organizationId: "org_1",
      role: "owner",
      email: "ada@wheels.example",
      name: "Ada",
      passwordHash: "x",
      createdAtMs: START_MS,
    } as const
    const body = Effect.gen(function* () {
      const host = yield* ActorHost
      const rows = yield* PortalRows
      yield* host.run({ name: "a test", locks: {}, body: () => rows.insertAccount(account) })
      return yield* Effect.exit(
        host.run({
          name: "a test",
          locks: {},
          body: () => rows.insertAccount({ ...account, accountId: "acc_2" }),
        }),
      )
    })
    const exit = await harness.run(Effect.provide(body, overSql))
    expect(exit._tag).toBe("Failure")
  })
})
