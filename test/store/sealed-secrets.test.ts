/** The mark by which a database knows the secret that it was first used with. */

import { Effect, Either, Layer } from "effect"
import { expect, test } from "vitest"
import { WrongSecret, checkSecret, claimDatabase } from "../../src/areas/webhooks/store/sealed-secrets.ts"
import { layerSecretBox } from "../../src/store/secret-box.ts"
import type { SecretBox } from "../../src/store/secret-box.ts"
import { Database } from "../../src/store/database.ts"
import { secretMark } from "../../src/store/schema.ts"
import { layerCopiedPglite } from "./embedded-template.ts"

test("the first secret marks the database, and no other one is taken, before anything is sealed", async () => {
  await Effect.runPromise(
    Effect.gen(function* () {
      const using = <A, E>(secret: string, check: Effect.Effect<A, E, Database | SecretBox>) =>
        Effect.either(Effect.provide(check, layerSecretBox(secret)))
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
    }).pipe(Effect.provide(Layer.fresh(layerCopiedPglite))),
  )
})
