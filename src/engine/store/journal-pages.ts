/** The journal as of one moment, page by page, causes before their effects. */

import { Effect } from "effect"
import { asc, gt, min } from "drizzle-orm"
import type { EpochMs } from "../../model/values/time.ts"
import { HeadSum } from "../kernel/hash.ts"
import type { Entry } from "../kernel/journal.ts"
import { Database } from "./database.ts"
import { groups, journal } from "./schema.ts"
import { inSnapshot, sqlOver } from "./transaction.ts"

export interface KeptEntry {
  readonly entry: Entry
  readonly instantMs: EpochMs
}

export interface JournalReader<R> {
  /** Called first, with the instant of the earliest entry, or null when there is none. */
  readonly begin: (firstMs: EpochMs | null) => Effect.Effect<void, never, R>
  readonly page: (entries: readonly KeptEntry[]) => Effect.Effect<void, never, R>
  /** Called last, with the sum of all heads. */
  readonly end: (hash: string) => Effect.Effect<void, never, R>
}

const PAGE_ENTRIES = 1_000

/** Passes the whole journal to a reader in one snapshot of the database, while the service runs on. */
export const readJournal = Effect.fnUntraced(function* <R>(reader: JournalReader<R>) {
  const database = yield* Database
  const { read } = sqlOver(database)
  const body = Effect.gen(function* () {
    const [first] = yield* read("looking for the first entry", (orm) =>
      orm.select({ firstMs: min(journal.instantMs) }).from(journal),
    )
    yield* reader.begin(first?.firstMs ?? null)
    for (let after = 0; ;) {
      const rows = yield* read("reading the journal", (orm) =>
        orm
          .select()
          .from(journal)
          .where(gt(journal.position, after))
          .orderBy(asc(journal.position))
          .limit(PAGE_ENTRIES),
      )
      const last = rows.at(-1)
      if (last === undefined) break
      after = last.position
      yield* reader.page(
        rows.map(({ groupAddress: group, revision, text, hash, instantMs, requester }) => ({
          entry: { group, revision, text, hash, ...(requester === null ? {} : { requester }) },
          instantMs,
        })),
      )
    }
    const sum = new HeadSum()
    const heads = yield* read("reading heads", (orm) =>
      orm.select({ address: groups.address, head: groups.head }).from(groups).where(gt(groups.revision, 0)),
    )
    for (const { address, head } of heads) sum.add(address, head)
    yield* reader.end(sum.total())
  })
  yield* inSnapshot(database, body)
})
