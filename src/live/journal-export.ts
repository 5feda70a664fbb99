/** Journal export: the live journal as a run record, which the simulator replays entry by entry. */

import { createHash } from "node:crypto"
import { Effect } from "effect"
import type { Database } from "../store/database.ts"
import { readJournal } from "../store/journal-pages.ts"
import { RECORD_VERSION, entryLine } from "../simulation/record.ts"

export interface JournalExport {
  /** What runs: name and version of the program. */
  readonly build: string
  /** Chart documents by machine id, as plain JSON. */
  readonly charts: Readonly<Record<string, unknown>>
  /** Takes the record's text, piece by piece. */
  readonly write: (text: string) => Effect.Effect<void>
}

/** Writes the whole journal as one run. Its hash is the sum of all heads in the database: nothing was left out. */
export function exportJournal({
  build,
  charts,
  write,
}: JournalExport): Effect.Effect<{ readonly entries: number; readonly hash: string }, never, Database> {
  return Effect.gen(function* () {
    const digest = createHash("sha256")
    let lines = 0
    let clock0Ms = 0
    let lastMs = 0
    let entries = 0
    let total = ""
    const lineOf = (text: string): string => {
      digest.update(lines === 0 ? text : `\n${text}`)
      lines += 1
      return `${text}\n`
    }
    yield* readJournal({
      begin: (firstMs) => {
        clock0Ms = firstMs ?? 0
        lastMs = clock0Ms
        const head = headOf({ build, clock0Ms })
        const chartLines = Object.entries(charts).map(([id, doc]) => ({ k: "chart", id, doc }))
        return write([head, ...chartLines].map((fields) => lineOf(JSON.stringify(fields))).join(""))
      },
      page: (page) => {
        entries += page.length
        const texts = page.map(({ entry, instantMs }) => {
          lastMs = Math.max(lastMs, instantMs)
          return lineOf(entryLine(entry, { s: lines, t: instantMs - clock0Ms }))
        })
        return write(texts.join(""))
      },
      end: (hash) => {
        total = hash
        // As in a simulated run's record: the digest covers every line before and the end's own fields.
        const end = { k: "end", s: lines, t: lastMs - clock0Ms, verdict: null, entries, hash }
        digest.update(`\n${JSON.stringify(end)}`)
        return write(`${JSON.stringify({ ...end, digest: digest.digest("hex") })}\n`)
      },
    })
    return { entries, hash: total }
  })
}

/** The same fields as a simulated run's; a live journal has neither seed nor scenario. */
function headOf({ build, clock0Ms }: { build: string; clock0Ms: number }): object {
  return {
    k: "run",
    v: RECORD_VERSION,
    id: "live",
    scenario: "live",
    title: "Journal of the live service",
    variant: null,
    seed: null,
    build,
    recording: "full",
    clock0: new Date(clock0Ms).toISOString(),
    zone: "UTC",
  }
}
