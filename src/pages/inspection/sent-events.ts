/** The types of the events that webhook deliveries of a record send. */

import type { RecordedEntry } from "./recorded-entry.ts"

export class SentEvents {
  readonly #typesByStep = new Map<number, Set<string>>()
  /** By the event's id: a delivery that sends an event again has no cause. */
  readonly #typeById = new Map<string, string>()

  /** A step published an event. */
  published(step: number, type: string): void {
    this.#typesByStep.set(step, (this.#typesByStep.get(step) ?? new Set()).add(type))
  }

  /**
   * Of a delivery that starts, and the step that caused it. All types that the step published, because the record has the
   * event's id without its type; null if it has not the step.
   */
  typeOf({ start }: RecordedEntry, cause: number): string | null {
    const input = start?.["input"]
    const { eventId } = typeof input === "object" && input !== null && "eventId" in input ? input : {}
    const id = typeof eventId === "string" ? eventId : ""
    if (id === "") return null
    const known = this.#typeById.get(id)
    if (known !== undefined) return known
    const types = this.#typesByStep.get(cause)
    if (types === undefined) return null
    const type = [...types].join(" or ")
    this.#typeById.set(id, type)
    return type
  }
}
