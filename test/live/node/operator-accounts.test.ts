/** Commands on one operator's account at once, on PostgreSQL, where transactions run beside each other. */

import { setTimeout as after } from "node:timers/promises"
import { Effect, Layer } from "effect"
import { afterAll, beforeAll, expect, test } from "vitest"
import { OperatorAccounts } from "../../../src/apps/operators/accounts.ts"
import { OperatorAccountRows, accountLock } from "../../../src/apps/operators/rows.ts"
import { ActorHost } from "../../../src/engine/services/host.ts"
import { Routine } from "../../../src/engine/services/routine.ts"
import { layerPostgres } from "../../../src/engine/store/database.ts"
import { layerTables } from "../../../src/engine/store/sql-tables.ts"
import { liveHarness, openTestDatabase } from "../../conformance/live.ts"
import type { LiveHarness, TestDatabase } from "../../conformance/live.ts"
import { startPostgres } from "../../engine/store/postgres-server.ts"
import type { PostgresDatabase } from "../../engine/store/postgres-server.ts"

/** A command that has no lock to wait for ends sooner. */
const COMMAND_MS = 1000
const HOUR_MS = 3_600_000

let server: PostgresDatabase
let database: TestDatabase
let service: LiveHarness
beforeAll(async () => {
  server = await startPostgres()
  database = openTestDatabase(layerPostgres(server.url))
  service = liveHarness(database.context)
})
afterAll(async () => {
  await service.close()
  await database.close()
  await server.stop()
})

const layer = Layer.provideMerge(
  OperatorAccounts.layer,
  Layer.provide(OperatorAccountRows.layer, layerTables),
)
const accounts = Effect.serviceFunctions(OperatorAccounts)
const rows = Effect.serviceFunctions(OperatorAccountRows)

/** As a sign-in does; its transaction ends when `until` does. */
const signingIn = (accountId: string, until: Promise<void>, onBegun: () => void) =>
  Effect.gen(function* () {
    const host = yield* ActorHost
    const { insertSession } = yield* OperatorAccountRows
    const createdAtMs = service.now()
    yield* host.run({
      name: "a sign-in",
      locks: { key: accountLock(accountId) },
      body: Routine.fn(function* () {
        const endsAtMs = createdAtMs + HOUR_MS
        yield* insertSession({
          tokenHash: "hash",
          environment: "production",
          accountId,
          createdAtMs,
          endsAtMs,
        })
        onBegun()
        yield* Routine.suspend(() => Effect.promise(() => until))
      }),
    })
  }).pipe(Effect.provide(layer))

test("an account that is deactivated during a sign-in has no session", async () => {
  const wanted = { email: "ada@example.com", name: "Ada", role: "admin", siteIds: null } as const
  const { operator } = await service.run(Effect.provide(accounts.make(wanted), layer))
  const { accountId } = operator
  const committing = Promise.withResolvers<void>()
  const begun = Promise.withResolvers<void>()
  const signedIn = service.run(signingIn(accountId, committing.promise, begun.resolve))
  await begun.promise
  const deactivated = service.run(Effect.provide(accounts.change(accountId, { isActive: false }), layer))
  await Promise.race([deactivated, after(COMMAND_MS)])
  committing.resolve()
  await Promise.all([signedIn, deactivated])
  expect(await service.run(Effect.provide(rows.session("hash"), layer))).toBeNull()
})
