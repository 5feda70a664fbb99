/** A group of the running service: entries after the last known one are requested, and the run grows by them. */

import type { PackedRecord } from "../../../inspection/packed.ts"
import { RecordReader, WITHOUT_END } from "../../../inspection/run-reader.ts"
import { at, rowCount } from "../../../inspection/run-index.ts"
import { FORM_KEY_HEADER, NOW_HEADER, REVISION_HEADER, STUCK_HEADER } from "../../../../model/live-group.ts"
import type { AskedBy, KeptAttempts } from "../../../../model/asked-by.ts"
import type { LiveGroup } from "../../../../model/live-group.ts"
import type { RelatedGroups } from "../../../../model/related-groups.ts"
import type { EpochMs } from "../../../../model/values/time.ts"
import { openedRun } from "./record-source.ts"
import type { OpenRun } from "./record-source.ts"

/** ms without a whole answer until a request counts as failed: a network that drops packets answers nothing, for minutes */
const ANSWER_MS_MAX = 15_000

/** The result of a request. `gone` is final: the group does not exist, or the user may not see it. */
export type Read = "away" | "failing" | "gone" | "nothing" | "signed out" | "something"

export class LiveSource {
  readonly #record: PackedRecord
  readonly #live: LiveGroup
  readonly #lines: string[] = []
  readonly #reader: RecordReader
  #revision = 0
  #stuckBecause: string | null = null
  #nowMs: EpochMs | null = null

  constructor(record: PackedRecord, live: LiveGroup) {
    this.#record = record
    this.#live = live
    const { address, named } = live
    this.#reader = new RecordReader(
      (text) => this.#lines.push(text),
      (group) => (group === address ? named.eventType : null),
    )
    this.#reader.take(JSON.stringify(live.head))
  }

  /** Sends one request. A long journal arrives in several parts. */
  async read(): Promise<Read> {
    try {
      const answer = await fetch(`${this.#live.paths.entries}?after=${this.#revision}`, {
        cache: "no-store",
        signal: AbortSignal.timeout(ANSWER_MS_MAX),
      })
      if (!answer.ok) return problemOf(answer.status)
      const stuck = answer.headers.get(STUCK_HEADER)
      this.#stuckBecause = stuck === null ? null : decodeURIComponent(stuck)
      this.#nowMs = Number(answer.headers.get(NOW_HEADER))
      if (answer.status === 204) return "nothing"
      for (const line of (await answer.text()).split("\n")) this.#reader.take(line)
      this.#revision = Number(answer.headers.get(REVISION_HEADER))
      return "something"
    } catch {
      return "away"
    }
  }

  /** Why the group is stuck, by the last answer; null when it is not. */
  get stuckBecause(): string | null {
    return this.#stuckBecause
  }

  /** The service's time, by the last answer; null before the first. */
  get nowMs(): EpochMs | null {
    return this.#nowMs
  }

  /** The run as far as it was read: a new object each time, so that views notice that it grew. */
  opened(): OpenRun {
    const [run] = this.#reader.runs()
    const [packed] = this.#record.runs
    if (run === undefined || packed === undefined) throw new Error("the page holds no run")
    const problem = run.problem === WITHOUT_END ? null : run.problem
    const lines = this.#lines
    return openedRun({
      packed: { ...packed, head: run.head, problem, rows: rowCount(run.index) },
      index: { ...run.index },
      charts: this.#record.charts,
      lineAt: (row) => Promise.resolve(lines[row] ?? ""),
      pathTo: (group, revision) => {
        // All records of this service have the same number of lines before the first revision.
        const before = at(run.index.s, 0) - at(run.index.revision, 0)
        return `${this.#pageOf(group)}#at=${before + revision}`
      },
      isStuck: () => this.#stuckBecause !== null,
      named: this.#live.named,
      others: {
        related: () => keptIn<RelatedGroups>(this.#live.paths.related),
        pageOf: (group) => this.#pageOf(group),
      },
      kept: {
        asked: (revision) => keptIn<AskedBy>(`${this.#live.paths.asked}?revision=${revision}`),
        bodies: () => keptIn<KeptAttempts>(this.#live.paths.bodies),
      },
    })
  }

  #pageOf(group: string): string {
    return `${this.#live.paths.groups}/${group.split("/").map(encodeURIComponent).join("/")}`
  }
}

async function keptIn<Kept>(path: string): Promise<Kept> {
  const signal = AbortSignal.timeout(ANSWER_MS_MAX)
  const answer = await fetch(path, { cache: "no-store", signal }).catch(() => null)
  if (answer === null) throw new Error("Not opened: the service is away.")
  if (answer.status === 401) throw new Error("Not opened: the session has ended.")
  if (!answer.ok) throw new Error(`Not opened: the service answered ${answer.status}.`)
  const { data } = (await answer.json()) as { readonly data: Kept }
  return data
}

/** A busy or failing host may recover; an unknown group stays unknown. */
function problemOf(status: number): Read {
  if (status === 401) return "signed out"
  return status >= 500 || status === 429 ? "failing" : "gone"
}

/** The result of a sent event, in words. */
export async function sentEvent(
  { paths, formKey }: LiveGroup,
  event: { readonly to: string; readonly type: string; readonly fields: object },
): Promise<string> {
  try {
    const answer = await fetch(paths.events ?? "", {
      method: "POST",
      headers: { "content-type": "application/json", [FORM_KEY_HEADER]: formKey },
      body: JSON.stringify(event),
      signal: AbortSignal.timeout(ANSWER_MS_MAX),
    })
    if (answer.status === 401) return "not sent: the session has ended"
    const { error, details = [], data } = await answerIn(answer)
    if (data === undefined) {
      return [
        error ?? `not sent: ${answer.status}`,
        ...details.map((one) => `${one.field} ${one.message}`),
      ].join("; ")
    }
    return data.outcome === "refused"
      ? `${event.type} was refused with ${data.code}`
      : `${event.type}: ${data.outcome}`
  } catch {
    // After a time limit the event may still have arrived; the journal shows whether it did.
    return "no answer: the service is away, and the journal shows whether the event came"
  }
}

/** Proxies answer with HTML pages of their own. */
async function answerIn(answer: Response): Promise<Answer> {
  try {
    return (await answer.json()) as Answer
  } catch {
    return {}
  }
}

interface Answer {
  readonly error?: string
  readonly details?: readonly { readonly field: string; readonly message: string }[]
  readonly data?: { readonly outcome: string; readonly code: string | null }
}
