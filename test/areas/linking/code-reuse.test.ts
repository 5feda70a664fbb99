/**
 * A code that is used again while its tokens are being refreshed, clients with metadata documents, and terminals: on PostgreSQL, where
 * transactions run beside each other.
 */

import { setTimeout as after } from "node:timers/promises"
import { Effect, Either } from "effect"
import { afterAll, beforeAll, expect, test } from "vitest"
import { issuePair } from "../../../src/areas/linking/issuing.ts"
import { Linking } from "../../../src/areas/linking/linking.ts"
import { GrantRows } from "../../../src/areas/linking/rows.ts"
import { layerGrantRows } from "../../../src/areas/linking/store/grants.ts"
import { hashOfSecret } from "../../../src/areas/linking/secrets.ts"
import { ActorHost } from "../../../src/engine/services/host.ts"
import { Routine } from "../../../src/engine/services/routine.ts"
import { layerPostgres } from "../../../src/engine/store/database.ts"
import { startPostgres } from "../../engine/store/postgres-server.ts"
import type { PostgresDatabase } from "../../engine/store/postgres-server.ts"
import { makeConnector } from "./connector.ts"
import type { Connector } from "./connector.ts"
import { clientDocumentTests } from "./client-documents.ts"
import { terminalTests } from "./terminal-codes.ts"

/** An exchange that has no lock to wait for ends sooner. */
const EXCHANGE_MS = 1000

let server: PostgresDatabase
let connector: Connector
beforeAll(async () => {
  server = await startPostgres()
  connector = await makeConnector("production", layerPostgres(server.url))
})
afterAll(async () => {
  await connector.close()
  await server.stop()
})

const isGood = (token: string): Promise<boolean> =>
  connector.run(
    Effect.map(
      Effect.either(Effect.flatMap(Linking, (linking) => linking.authenticate(`Bearer ${token}`))),
      Either.isRight,
    ),
  )

/** As a refresh does on another node; its transaction ends when `until` does. */
const refreshing = (refreshToken: string, until: Promise<void>, onIssued: () => void) =>
  Effect.gen(function* () {
    const host = yield* ActorHost
    const found = yield* (yield* GrantRows).token(hashOfSecret(refreshToken))
    if (found === null) throw new Error("no such token")
    const { token } = found
    return yield* host.run({
      name: "a refresh",
      locks: { key: `linking/family/${token.familyId}` },
      body: Routine.fn(function* () {
        const pair = yield* issuePair(token, { access: "mca_new", refresh: "mcr_new" })
        onIssued()
        yield* Routine.suspend(() => Effect.promise(() => until))
        return pair
      }),
    })
  }).pipe(Effect.provide(layerGrantRows))

test("a code that is used again takes along the pair of a refresh in flight", async () => {
  const who = connector.visitor()
  const client = await who.register()
  const form = who.exchangeForm(client, await who.authorize(client, await connector.number()))
  const { refresh_token } = (await who.token(form)).json
  const committing = Promise.withResolvers<void>()
  const issued = Promise.withResolvers<void>()
  const refreshed = connector.run(refreshing(String(refresh_token), committing.promise, issued.resolve))
  await issued.promise
  const again = who.token(form)
  await Promise.race([again, after(EXCHANGE_MS)])
  committing.resolve()
  const pair = await refreshed
  expect((await again).json["error"]).toBe("invalid_grant")
  expect(await isGood(pair.access_token)).toBe(false)
})

clientDocumentTests(() => connector)
terminalTests(() => connector)
