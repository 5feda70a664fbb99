/** Two phones of a site that pair at once, on PostgreSQL, where transactions run beside each other. */

import { setTimeout as after } from "node:timers/promises"
import { Effect, Layer } from "effect"
import { afterAll, beforeAll, expect, test } from "vitest"
import { hashOfToken } from "../../../src/http/access/opaque-tokens.ts"
import { CatalogRows } from "../../../src/areas/catalog/rows.ts"
import { RunnerPhoneRows } from "../../../src/areas/runner-phones/rows.ts"
import { RunnerPhones } from "../../../src/areas/runner-phones/runner-phones.ts"
import { RUNNER_PHONES_MAX } from "../../../src/model/values/limits.ts"
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
const MINUTE_MS = 60_000
const CODES = ["one", "other"]
const OF_SITE = { environment: "production", siteId: "east" } as const

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

const layerRows = Layer.provide(RunnerPhoneRows.layer, layerTables)

/** Pairs by a code; a new phone is written when `until` does. */
const pairing = (code: string, until: Promise<unknown>) => {
  const late = Layer.effect(
    RunnerPhoneRows,
    Effect.map(RunnerPhoneRows, (known) => ({
      ...known,
      insertPhone: Routine.fn(function* (phone: Parameters<typeof known.insertPhone>[0]) {
        yield* Routine.suspend(() => Effect.promise(() => until))
        yield* known.insertPhone(phone)
      }),
    })),
  )
  const noCatalog = Layer.succeed(CatalogRows, {} as CatalogRows["Type"])
  const layer = Layer.provide(RunnerPhones.layer, Layer.merge(Layer.provide(late, layerRows), noCatalog))
  return Effect.provide(Effect.serviceFunctions(RunnerPhones).pair("production", code), layer)
}

test("a site has no more phones than it may, also when two pair at once", async () => {
  const madeAtMs = service.now()
  const endsAtMs = madeAtMs + MINUTE_MS
  const stored = Effect.gen(function* () {
    const host = yield* ActorHost
    const rows = yield* RunnerPhoneRows
    const body = Routine.fn(function* () {
      for (let number = 1; number < RUNNER_PHONES_MAX; number += 1) {
        const runner = { runnerId: `runner-${number}`, runnerName: `Runner ${number}` }
        const phone = {
          phoneId: `phone-${number}`,
          tokenHash: `hash-${number}`,
          pairedAtMs: madeAtMs,
          endsAtMs,
        }
        yield* rows.insertPhone({ ...OF_SITE, ...runner, ...phone })
      }
      for (const code of CODES) {
        const runner = { runnerId: `runner-${code}`, runnerName: code }
        yield* rows.insertPairing({ ...OF_SITE, ...runner, codeHash: hashOfToken(code), madeAtMs, endsAtMs })
      }
    })
    yield* host.run({ name: "a site with room for one phone", locks: {}, body })
  })
  await service.run(Effect.provide(stored, layerRows))
  const pairings = CODES.map((code) => service.run(pairing(code, after(COMMAND_MS))))
  const paired = await Promise.all(pairings)
  const ended = paired.map(({ endedIds }) => endedIds)
  expect(ended.toSorted((one, other) => one.length - other.length)).toEqual([[], ["phone-1"]])
  const listing = Effect.flatMap(RunnerPhoneRows, (rows) =>
    rows.phones({ ...OF_SITE, endsAfterMs: madeAtMs }),
  )
  expect(await service.run(Effect.provide(listing, layerRows))).toHaveLength(RUNNER_PHONES_MAX)
})
