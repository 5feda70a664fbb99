/**
 * Writes the lines of a live journal's record: a head, the charts, the entries, and an end with a digest of all of
 * them.
 */

import { createHash } from "node:crypto"
import type { Entry } from "../../engine/kernel/journal.ts"
import type { GroupAddress } from "../../model/address.ts"
import type { EpochMs } from "../../model/values/time.ts"
import { RECORD_VERSION, entryLine } from "../../simulation/run-record.ts"

/** The program that made a record. */
export interface RecordMaker {
  /** Name and version. */
  readonly build: string
  /** Chart documents by machine id, as plain JSON. */
  readonly charts: Readonly<Record<string, unknown>>
}

export interface RecordScope {
  readonly clock0Ms: EpochMs
  /** The time zone in which its times are shown; a name of the IANA data base. */
  readonly zone: string
  /** The only group in it; null for the whole journal. */
  readonly group: GroupAddress | null
}

/** The line number of the first entry, after the head and the charts. */
export function firstLine({ charts }: RecordMaker): number {
  return 1 + Object.keys(charts).length
}

/** The same fields as a simulated run's; a live journal has neither seed nor scenario. */
export function headOf({ build }: RecordMaker, { clock0Ms, zone, group }: RecordScope): object {
  return {
    k: "run",
    v: RECORD_VERSION,
    id: "live",
    scenario: "live",
    title: group === null ? "Journal of the live service" : `Journal of ${group}`,
    variant: null,
    seed: null,
    build,
    recording: "full",
    clock0: new Date(clock0Ms).toISOString(),
    zone,
    // Where the answer to a commit was lost, its results are taken again: the second time they change nothing.
    repeatsResults: true,
    ...(group === null ? {} : { groups: [group] }),
  }
}

/** Writes one record from its head to its end. Each piece ends in a newline. */
export class RecordLines {
  readonly #digest = createHash("sha256")
  readonly #maker: RecordMaker
  readonly #scope: RecordScope
  #lines = 0
  #lastMs: EpochMs
  #entries = 0

  constructor(maker: RecordMaker, scope: RecordScope) {
    this.#maker = maker
    this.#scope = scope
    this.#lastMs = scope.clock0Ms
  }

  get entries(): number {
    return this.#entries
  }

  begin(): string {
    const charts = Object.entries(this.#maker.charts).map(([id, doc]) => ({ k: "chart", id, doc }))
    const head = [headOf(this.#maker, this.#scope), ...charts]
    return head.map((fields) => this.#line(JSON.stringify(fields))).join("")
  }

  entry(entry: Entry, instantMs: EpochMs): string {
    this.#lastMs = Math.max(this.#lastMs, instantMs)
    this.#entries += 1
    return this.#line(entryLine(entry, { s: this.#lines, t: instantMs - this.#scope.clock0Ms }))
  }

  /** As in a simulated run's record: the digest covers every line before and the end's own fields. */
  end(hash: string): string {
    const t = this.#lastMs - this.#scope.clock0Ms
    const end = { k: "end", s: this.#lines, t, verdict: null, entries: this.#entries, hash }
    this.#digest.update(`\n${JSON.stringify(end)}`)
    return `${JSON.stringify({ ...end, digest: this.#digest.digest("hex") })}\n`
  }

  #line(text: string): string {
    this.#digest.update(this.#lines === 0 ? text : `\n${text}`)
    this.#lines += 1
    return `${text}\n`
  }
}
