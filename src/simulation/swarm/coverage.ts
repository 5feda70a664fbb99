/** What runs reached: transitions of machines, decisions with what they decided, answers of commands, and faults. */

import type { Entry, EntryBody } from "../../engine/kernel/journal.ts"
import type { SimulatedService } from "../simulated-service.ts"
import { statePathOf } from "./seen.ts"

export const COVERED = ["transition", "decision", "answer", "fault"] as const
export type Covered = (typeof COVERED)[number]

export class Coverage {
  /** How often, by kind and name. */
  readonly counts: ReadonlyMap<Covered, Map<string, number>> = new Map(
    COVERED.map((kind) => [kind, new Map()]),
  )

  readonly #stateOf = new Map<string, string>()

  /** Of a run, or empty. */
  constructor(service?: SimulatedService, bodyOf?: (entry: Entry) => EntryBody) {
    if (service === undefined || bodyOf === undefined) return
    service.host.onTurn(({ entry }) => {
      if (entry !== null) this.note(bodyOf(entry))
    })
  }

  add(kind: Covered, name: string, times = 1): void {
    const counts = this.counts.get(kind)
    counts?.set(name, (counts.get(name) ?? 0) + times)
  }

  /** Adds what another run reached. */
  join(other: Iterable<readonly [Covered, Iterable<readonly [string, number]>]>): void {
    for (const [kind, names] of other) for (const [name, times] of names) this.add(kind, name, times)
  }

  /** The next entry of the run. */
  note({ decision, decided, refused, steps }: EntryBody): void {
    if (decision !== null) this.add("decision", `${decision} ${refusalIn(decided) ?? refused ?? "chosen"}`)
    for (const { a, on, did, value } of steps) {
      const { type: event } = on as { readonly type: string }
      const before = this.#stateOf.get(a) ?? "none"
      const after = statePathOf(value)
      this.#stateOf.set(a, after)
      if (did === "moved" || event === "@start")
        this.add("transition", `${kindOf(a)}: ${before} ${event} ${after}`)
    }
  }
}

function refusalIn(decided: unknown): string | null {
  if (typeof decided !== "object" || decided === null || !("refusal" in decided)) return null
  return String(decided.refusal)
}

/** The kind of an actor, without its number. */
function kindOf(address: string): string {
  const [kind = "", , part] = address.split("/")
  return part === undefined ? kind : part.replace(/-\d+$/, "")
}
