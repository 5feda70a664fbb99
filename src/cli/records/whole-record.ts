/** The record of one whole run, as commands that need all of its entries at once read it. */

import { program } from "../../apps/composition/program.ts"
import { wallClockAt } from "../../model/values/local-time.ts"
import { DAY_MS } from "../../model/values/time.ts"
import type { EpochMs } from "../../model/values/time.ts"
import { replayRecord } from "../../simulation/replay.ts"
import type { ReplayedTurn } from "../../simulation/replay.ts"
import { readText } from "../kit/text-files.ts"
import { UsageError } from "../kit/usage-error.ts"

export interface WholeRecord {
  readonly file: string
  readonly text: string
  readonly turns: readonly ReplayedTurn[]
  readonly timeZone: string
}

/** Entries of a week of a busy site; all of them are kept in memory. */
const TURNS_READ_MAX = 300_000

/** Throws `UsageError` for a record that does not replay, of several runs, or of some groups alone. */
export function wholeRecord(file: string, command: string): WholeRecord {
  const text = readText(file)
  const turns: ReplayedTurn[] = []
  const { difference, runs } = replayRecord(text, program, null, (turn) => turns.push(turn))
  if (difference !== null) throw new UsageError(`${file}: line ${difference.line}: ${difference.message}`)
  if (turns.length > TURNS_READ_MAX)
    throw new UsageError(
      `${file} has ${turns.length} entries, and ${command} reads ${TURNS_READ_MAX}; export a shorter time`,
    )
  if (runs !== 1) throw new UsageError(`${file} holds ${runs} runs; record one run alone`)
  const head = JSON.parse(text.split("\n", 1)[0] ?? "{}") as {
    readonly zone?: unknown
    readonly groups?: unknown
  }
  if (head.groups !== undefined)
    throw new UsageError(
      `${file} holds some groups of a run alone; the whole site is needed, from "curbline journal export"`,
    )
  return { file, text, turns, timeZone: typeof head.zone === "string" ? head.zone : "UTC" }
}

/** The time of day at the site; with the date when the record is longer than a day. */
export function clockOf({
  turns,
  timeZone,
}: Pick<WholeRecord, "timeZone" | "turns">): (atMs: EpochMs) => string {
  const [first, last] = [turns[0], turns.at(-1)].map((turn) => turn?.result.instantMs ?? 0)
  const isLong = (last ?? 0) - (first ?? 0) >= DAY_MS
  return (atMs) =>
    new Date(wallClockAt(atMs, timeZone))
      .toISOString()
      .slice(isLong ? 5 : 11, 19)
      .replace("T", " ")
}
