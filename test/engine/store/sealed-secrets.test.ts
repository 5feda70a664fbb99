/** The mark by which a database knows the secret that it was first used with, on both databases. */

import { Effect, Either, Layer } from "effect"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { WrongSecret, checkSecret, claimDatabase } from "../../../src/areas/webhooks/store/sealed-secrets.ts"
import { layerSecretBox } from "../../../src/engine/store/secret-box.ts"
import type { SecretBox } from "../../../src/engine/store/secret-box.ts"
import { Database, layerPostgres } from "../../../src/engine/store/database.ts"
import type { DatabaseFault } from "../../../src/engine/store/database.ts"
import { secretMark } from "../../../src/engine/store/schema.ts"
import { layerCopiedPglite } from "./embedded-template.ts"
import { startPostgres } from "./postgres-server.ts"
import type { PostgresDatabase } from "./postgres-server.ts"

let server: PostgresDatabase
beforeAll(async () => {
  server = await startPostgres()
})
afterAll(() => server.stop())

const DATABASES: readonly (readonly [string, () => Layer.Layer<Database, DatabaseFault>])[] = [
  ["PGlite", () => Layer.fresh(layerCopiedPglite)],
  ["PostgreSQL", () => layerPostgres(server.url)],
]

function using<A, E>(secret: string, check: Effect.Effect<A, E, Database | SecretBox>) {
  return Effect.either(Effect.provide(check, layerSecretBox(secret)))
}

describe.each(DATABASES)("%s", (_, layer) => {
  test("the first secret marks the database, and no other one is taken, before anything is sealed", async () => {
    await Effect.runPromise(
      Effect.gen(function* () {
        expect(yield* using("first", checkSecret)).toEqual(Either.void)
        expect(yield* using("second", checkSecret)).toEqual(Either.void)
        expect(yield* using("first", claimDatabase)).toEqual(Either.void)
        expect(yield* using("second", claimDatabase)).toEqual(Either.left(new WrongSecret()))
        expect(yield* using("second", checkSecret)).toEqual(Either.left(new WrongSecret()))
        expect(yield* using("first", claimDatabase)).toEqual(Either.void)
        const { orm } = yield* Database
        const marks = yield* Effect.promise(() => orm.select().from(secretMark))
        expect(marks).toHaveLength(1)
        expect(JSON.stringify(marks)).not.toContain("first")
      }).pipe(Effect.provide(layer())),
    )
  })

  test("of first nodes that start at once with two secrets, those with one of them go on", async () => {
    await Effect.runPromise(
      Effect.gen(function* () {
        const { orm } = yield* Database
        yield* Effect.promise(() => orm.delete(secretMark))
        const secrets = ["a", "b", "a", "b", "a", "b"]
        const ends = yield* Effect.all(
          secrets.map((secret) => using(secret, claimDatabase)),
          { concurrency: "unbounded" },
        )
        const going = new Set(secrets.filter((_secret, at) => Either.isRight(ends[at] ?? Either.void)))
        expect(going.size).toBe(1)
      }).pipe(Effect.provide(layer())),
    )
  })
})
