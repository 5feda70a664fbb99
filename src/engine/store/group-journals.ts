/** Journals of groups over SQL. */

import { asc, eq, inArray } from "drizzle-orm"
import { Effect, Layer } from "effect"
import { GroupJournals, turnOf } from "../services/group-journals.ts"
import { Routine } from "../services/routine.ts"
import { Database } from "./database.ts"
import { journal } from "./schema.ts"
import { sqlOver } from "./transaction.ts"

const COLUMNS = {
  address: journal.groupAddress,
  revision: journal.revision,
  instantMs: journal.instantMs,
  text: journal.text,
}

export const layerGroupJournals: Layer.Layer<GroupJournals, never, Database> = Layer.effect(
  GroupJournals,
  Effect.map(Database, (database): GroupJournals["Type"] => {
    const { read } = sqlOver(database)
    return {
      first: (address, limit) =>
        Routine.map(
          read("reading the journal of a group", (orm) =>
            orm
              .select(COLUMNS)
              .from(journal)
              .where(eq(journal.groupAddress, address))
              .orderBy(asc(journal.revision))
              .limit(limit),
          ),
          (rows) => rows.map(turnOf),
        ),
      of: (addresses) =>
        addresses.length === 0
          ? Routine.succeed(new Map())
          : Routine.map(
              read("reading the journals of groups", (orm) =>
                orm
                  .select(COLUMNS)
                  .from(journal)
                  .where(inArray(journal.groupAddress, [...addresses]))
                  .orderBy(asc(journal.groupAddress), asc(journal.revision)),
              ),
              (rows) =>
                new Map(
                  [...Map.groupBy(rows, ({ address }) => address)].map(([address, entries]) => [
                    address,
                    entries.map(turnOf),
                  ]),
                ),
            ),
    }
  }),
)
