/** Whether this service's secret is the one that the database was written with. */

import { Data, Effect } from "effect"
import { webhookEndpoints } from "../store.ts"
import { Database } from "../../../store/database.ts"
import { declaredTable } from "../../../store/declared-table.ts"
import { SecretBox } from "../../../store/secret-box.ts"
import { sqlOver } from "../../../store/transaction.ts"

const endpoints = declaredTable(webhookEndpoints)

export class WrongSecret extends Data.TaggedError("WrongSecret") {
  override get message(): string {
    return "CURBLINE_SECRET, or the file `secret` of the data folder, is not the secret that this database was written with"
  }
}

/** Tries to open one sealed secret; a database that holds none takes any secret. */
export const checkSecret: Effect.Effect<void, WrongSecret, Database | SecretBox> = Effect.gen(function* () {
  const box = yield* SecretBox
  const { read } = sqlOver(yield* Database)
  const [row] = yield* read("reading a sealed secret", (orm) =>
    orm.select({ secret: endpoints.secret }).from(endpoints).limit(1),
  )
  if (row !== undefined)
    yield* Effect.try({ try: () => box.open(row.secret), catch: () => new WrongSecret() })
})
