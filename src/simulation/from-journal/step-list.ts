/** The steps of a written scenario in their order, each at its instant, and the notes about what is not repeated. */

import { wallClockAt } from "../../model/values/local-time.ts"
import { DAY_MS, SECOND_MS } from "../../model/values/time.ts"
import type { EpochMs } from "../../model/values/time.ts"
import { writtenDuration } from "../scenario/language/scenario-text.ts"
import { SiteClock } from "../scenario/language/site-clock.ts"
import type { WrittenValue } from "./recorded-visit.ts"

export class StepList {
  readonly steps: object[] = []
  readonly notes: string[] = []
  readonly clock: SiteClock
  /** Local date and time of the start. */
  readonly local: string
  readonly #timeZone: string
  /** When the step before ends. */
  #nowMs: EpochMs

  /** Begins at the whole second of the first instant. */
  constructor(firstMs: EpochMs, timeZone: string) {
    const startMs = firstMs - (firstMs % SECOND_MS)
    this.local = new Date(wallClockAt(startMs, timeZone)).toISOString().slice(0, 19)
    this.clock = new SiteClock({ local: this.local, timeZone })
    this.#timeZone = timeZone
    this.#nowMs = this.clock.startMs
  }

  get nowMs(): EpochMs {
    return this.#nowMs
  }

  note(text: string): void {
    if (!this.notes.includes(text)) this.notes.push(text)
  }

  /** A step at its instant, by the site's clock where it can say it, else by the time after the step before. */
  step(instantMs: EpochMs, step: object): void {
    const at = instantMs === this.#nowMs ? {} : { at: this.timeOf(instantMs) }
    this.add({ ...at, ...step })
    this.#nowMs = instantMs
  }

  /** A step at once after the one before. */
  add(step: object): void {
    this.steps.push(step)
  }

  /** What holds from the instant on; later steps count from there. */
  expectAt(instantMs: EpochMs, fact: object): void {
    const when = instantMs > this.#nowMs ? { at: this.timeOf(instantMs) } : { within: "1s" }
    this.add({ expect: { ...fact, ...when } })
    this.#nowMs = Math.max(this.#nowMs, instantMs)
  }

  timeOf(instantMs: EpochMs): string {
    return this.#clockTime(instantMs) ?? `+${writtenDuration(instantMs - this.#nowMs)}`
  }

  /** Times that the clock cannot say count from the step's own instant. */
  writtenFields(
    fields: { readonly [field: string]: WrittenValue },
    stepMs: EpochMs,
  ): { readonly [field: string]: unknown } {
    return Object.fromEntries(
      Object.entries(fields).map(([name, value]) => [name, this.#writtenValue(value, stepMs)]),
    )
  }

  #writtenValue(value: WrittenValue, stepMs: EpochMs): unknown {
    if (Array.isArray(value)) return value.map((one: WrittenValue) => this.#writtenValue(one, stepMs))
    if (typeof value !== "object" || value === null) return value
    const { instantMs } = value as { readonly instantMs: EpochMs }
    const ms = instantMs - stepMs
    return this.#clockTime(instantMs) ?? `${ms < 0 ? "-" : "+"}${writtenDuration(Math.abs(ms))}`
  }

  /** Null for an instant between seconds, of a day that has no word, or that clocks show twice. */
  #clockTime(instantMs: EpochMs): string | null {
    const wall = wallClockAt(instantMs, this.#timeZone)
    const first = wallClockAt(this.clock.startMs, this.#timeZone)
    const days = Math.floor(wall / DAY_MS) - Math.floor(first / DAY_MS)
    if (instantMs % SECOND_MS !== 0 || days < 0 || days > 1) return null
    const msOfDay = wall - Math.floor(wall / DAY_MS) * DAY_MS
    const shown = this.clock.show(instantMs)
    if (/first|second/.test(shown)) return null
    const time = new Date(msOfDay).toISOString().slice(11, 19).replace(/:00$/, "")
    return days === 0 ? time : `tomorrow ${time}`
  }
}
