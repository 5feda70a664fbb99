/** Whether this service's secret is the one that the database was written with. */

import { Data, Effect } from "effect"
import { webhookEndpoints } from "../store.ts"
import { Database } from "../../../engine/store/database.ts"
import { declaredTable } from "../../../engine/store/declared-table.ts"
import { secretMark } from "../../../engine/store/schema.ts"
import { SecretBox } from "../../../engine/store/secret-box.ts"
import { inTransaction, sqlOver } from "../../../engine/store/transaction.ts"

const endpoints = declaredTable(webhookEndpoints)

export class WrongSecret extends Data.TaggedError("WrongSecret") {
  override get message(): string {
    return "CURBLINE_SECRET, or the file `secret` of the data folder, is not the secret that this database was written with"
  }
}

/** What the mark holds, sealed. */
const MARK = "curbline"

/** Tries to open the mark, and one secret from before there were marks. A database without either takes any secret. */
export const checkSecret: Effect.Effect<void, WrongSecret, Database | SecretBox> = Effect.gen(function* () {
  const box = yield* SecretBox
  const { read } = sqlOver(yield* Database)
  const marks = yield* read("reading the mark of the secret", (orm) =>
    orm.select({ sealed: secretMark.sealed }).from(secretMark),
  )
  const secrets = yield* read("reading a sealed secret", (orm) =>
    orm.select({ sealed: endpoints.secret }).from(endpoints).limit(1),
  )
  for (const { sealed } of [...marks, ...secrets])
    yield* Effect.try({ try: () => box.open(sealed), catch: () => new WrongSecret() })
})

/** The check of a node that starts: the first one leaves its mark, so that no other secret is taken afterwards. */
export const claimDatabase: Effect.Effect<void, WrongSecret, Database | SecretBox> = Effect.gen(function* () {
  yield* checkSecret
  const box = yield* SecretBox
  const database = yield* Database
  const { write } = sqlOver(database)
  const sealed = box.seal(MARK)
  yield* inTransaction(
    database,
    write("marking the database with the secret", (orm) =>
      orm.insert(secretMark).values({ sealed }).onConflictDoNothing(),
    ),
  )
  // Of two first nodes one was later.
  yield* checkSecret
})
