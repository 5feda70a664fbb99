/** Journal export: the live journal as a run record, which the simulator replays entry by entry. */

import { Effect } from "effect"
import type { Database } from "../../engine/store/database.ts"
import { readJournal } from "../../engine/store/journal-pages.ts"
import { RecordLines } from "./record-lines.ts"
import type { RecordMaker } from "./record-lines.ts"

export interface JournalExport extends RecordMaker {
  /** Receives the record's text in pieces. */
  readonly write: (text: string) => Effect.Effect<void>
}

/**
 * Writes the whole journal as one run. The run's hash is the sum of all heads in the database, which proves that no
 * group is missing.
 */
export function exportJournal({
  write,
  ...maker
}: JournalExport): Effect.Effect<{ readonly entries: number; readonly hash: string }, never, Database> {
  return Effect.gen(function* () {
    let lines = new RecordLines(maker, { clock0Ms: 0, zone: "UTC", group: null })
    let total = ""
    yield* readJournal({
      begin: (firstMs) => {
        lines = new RecordLines(maker, { clock0Ms: firstMs ?? 0, zone: "UTC", group: null })
        return write(lines.begin())
      },
      page: (page) => write(page.map(({ entry, instantMs }) => lines.entry(entry, instantMs)).join("")),
      end: (hash) => {
        total = hash
        return write(lines.end(hash))
      },
    })
    return { entries: lines.entries, hash: total }
  })
}
