/**
 * The run record: one NDJSON file with the runs of one command line. Each run is a header, the charts of its machines,
 * its journal entries with marks between them, and an end with the run's hash and a digest of all its lines.
 * `s` numbers the lines of a run, `t` is milliseconds since `clock0`, `g` and `r` are group and revision, `h` the
 * group's hash after the entry, `e` the entry's exact text, and `who` the requester of a command, which no hash covers.
 */

import type { Entry, EntryBody } from "../engine/kernel/journal.ts"
import { digest } from "../engine/kernel/hash.ts"
import type { GroupAddress } from "../model/address.ts"
import type { EpochMs } from "../model/values/time.ts"

export const RECORD_VERSION = 1

/** `full` can be replayed; `states` keeps only the states of actors, for a quick look at a long run. */
export const RECORDINGS = ["full", "states"] as const

export type Recording = (typeof RECORDINGS)[number]

export interface RecordContext {
  readonly recording: Recording
  /** Name and version of the program that ran. */
  readonly build: string
  /** Chart documents by machine id, as plain JSON. */
  readonly charts: Readonly<Record<string, unknown>>
}

/** A message about the run, with its place in the file. */
export interface Mark {
  readonly atMs: EpochMs
  readonly level: "step" | "pass" | "fail"
  readonly text: string
  readonly place: { readonly file: string; readonly line: number; readonly column: number } | null
  /** How many journal entries there were at that time. */
  readonly afterEntries: number
}

/** A recorded run, of any kind. */
export interface RecordedRun {
  /** Name of the file that described it. */
  readonly name: string
  readonly title: string
  readonly variant: string | null
  readonly seed: number
  readonly startMs: EpochMs
  readonly timeZone: string
  readonly marks: readonly Mark[]
  readonly entries: readonly { readonly entry: Entry; readonly instantMs: EpochMs }[]
  readonly virtualMs: number
  /** Null for a run without promises. */
  readonly verdict: string | null
  readonly hash: string
  /** Whether results of calls could come twice, which then changes nothing; absent: no. */
  readonly repeatsResults?: boolean
  /** The number of the run that a fork goes on from, in its file; absent: not a fork. */
  readonly forkOf?: number
  /** The groups whose journals it has; absent: all of the run. */
  readonly groups?: readonly GroupAddress[]
  /** The names that a scenario gave, by group; absent: none. */
  readonly names?: Readonly<Record<GroupAddress, string>>
}

/** `scenarios/reservations/no-show.yaml` as `no-show`. */
export function nameOfFile(file: string): string {
  return file.replace(/^.*\//, "").replace(/\.(ya?ml|ts)$/, "")
}

/** The lines of any run, each ending in a newline. */
export function recordOfRun(run: RecordedRun, context: RecordContext): string {
  const { name, title, variant, seed, startMs, timeZone, repeatsResults = false, names = {} } = run
  const lines: string[] = []
  const add = (fields: object): void => {
    lines.push(JSON.stringify(fields))
  }
  add({
    k: "run",
    v: RECORD_VERSION,
    id: digest(`${name}\n${variant ?? ""}\n${seed}`).slice(0, 16),
    scenario: name,
    title,
    variant,
    seed,
    build: context.build,
    recording: context.recording,
    clock0: new Date(startMs).toISOString(),
    zone: timeZone,
    ...(repeatsResults ? { repeatsResults } : {}),
    ...(run.groups === undefined ? {} : { groups: run.groups }),
    ...(run.forkOf === undefined ? {} : { forkOf: run.forkOf }),
    ...(Object.keys(names).length > 0 ? { names } : {}),
  })
  for (const [id, doc] of Object.entries(context.charts)) add({ k: "chart", id, doc })
  const marks = [...run.marks]
  const addMarks = (upTo: number): void => {
    for (let mark = marks[0]; mark !== undefined && mark.afterEntries <= upTo; mark = marks[0]) {
      marks.shift()
      add(markLine(mark, { s: lines.length, startMs }))
    }
  }
  addMarks(0)
  for (const [index, { entry, instantMs }] of run.entries.entries()) {
    const at = { s: lines.length, t: instantMs - startMs }
    lines.push(context.recording === "full" ? entryLine(entry, at) : statesLine(entry, at))
    addMarks(index + 1)
  }
  addMarks(Number.POSITIVE_INFINITY)
  const { verdict, virtualMs, hash } = run
  lines.push(endLine(lines, { t: virtualMs, verdict, entries: run.entries.length, hash }))
  return `${lines.join("\n")}\n`
}

/** The end line of a run. Its digest covers every line before it and its own fields. */
export function endLine(
  before: readonly string[],
  end: {
    readonly t: unknown
    readonly verdict: unknown
    readonly entries: number
    readonly hash: string
  },
): string {
  const fields = {
    k: "end",
    s: before.length,
    t: end.t,
    verdict: end.verdict,
    entries: end.entries,
    hash: end.hash,
  }
  return JSON.stringify({ ...fields, digest: digest(`${before.join("\n")}\n${JSON.stringify(fields)}`) })
}

/** One entry as a line, with its text unchanged. */
export function entryLine(entry: Entry, { s, t }: { s: number; t: number }): string {
  const { group, revision, hash, text, requester } = entry
  const who = requester === undefined ? "" : `,"who":${JSON.stringify(requester)}`
  return `{"k":"turn","s":${s},"t":${t},"g":${JSON.stringify(group)},"r":${revision},"h":"${hash}"${who},"e":${text}}`
}

/** The same line with states instead of the entry. */
function statesLine(entry: Entry, { s, t }: { s: number; t: number }): string {
  const { group, revision, hash, text } = entry
  const { to, by, steps, refused } = JSON.parse(text) as EntryBody
  const states = steps.map(({ a, on, value, status }) => ({
    a,
    on: (on as { readonly type: string }).type,
    value,
    status,
  }))
  return JSON.stringify({ k: "turn", s, t, g: group, r: revision, h: hash, to, by, states, refused })
}

function markLine(mark: Mark, { s, startMs }: { s: number; startMs: EpochMs }): object {
  const { level, text, place } = mark
  const src = place === null ? null : `${place.file}:${place.line}:${place.column}`
  return { k: "mark", s, t: mark.atMs - startMs, level, text, src }
}
