/**
 * The people around an agent: its user and the store, who answer as the errand says, and what happens meanwhile. It
 * keeps what stands at the store. No time passes in it: each reply says how long it takes.
 */

import type { EpochMs } from "../../model/values/time.ts"
import { MINUTE_MS, isoMs } from "../../model/values/time.ts"
import type { Errand, Fact, Happening, Value } from "./errand.ts"
import { KNOWN } from "./planner.ts"
import type { Answered, Heard, Question } from "./planner.ts"

/** A reply, and how long it takes. */
export interface Reply<A> {
  readonly afterMs: number
  readonly reply: A
}

/** What the desk has others do: pay on a page, and disturb the service. */
export type Outside = Exclude<Happening["what"], { readonly type: "told" | "told_time" | "user_cancels" }>

export class Desk {
  readonly #errand: Errand
  readonly #midnightMs: EpochMs
  readonly #seenSinceMs = new Map<string, EpochMs>()
  #happened = 0
  #payments = 0
  #orders = 0
  #hasThought = false
  #standing = 0

  constructor(errand: Errand, midnightMs: EpochMs) {
    this.#errand = errand
    this.#midnightMs = midnightMs
  }

  /** Orders that stand at the store. */
  get standing(): number {
    return this.#standing
  }

  /** When the user makes the request. */
  get startMs(): EpochMs {
    return timeAt(this.#errand.at, this.#midnightMs)
  }

  answer(question: Question): Reply<Answered & { readonly instrument?: string }> {
    const { user = {} } = this.#errand
    switch (question.about) {
      case "consent": {
        const afterMs = this.#hasThought ? 0 : (user.thinksMinutes ?? 0) * MINUTE_MS
        this.#hasThought = true
        const window = user.window === undefined ? undefined : question.windows[user.window]
        return {
          afterMs,
          reply: { isYes: user.accepts ?? true, ...(window === undefined ? {} : { window }) },
        }
      }
      case "payment":
        return { afterMs: (user.paysAfterMinutes ?? 0) * MINUTE_MS, reply: this.#payment(question.page) }
      case "store":
        return { afterMs: 0, reply: { isYes: user.meansMatch ?? false } }
      case "cart":
        return { afterMs: 0, reply: { isYes: user.leavesOut ?? false } }
      case "later":
        return { afterMs: 0, reply: { isYes: user.waits ?? false } }
    }
  }

  /** The next way to pay; a user without a further one gives up. */
  #payment(page: string | null): Answered & { readonly instrument?: string } {
    const { pays = ["spt_ok"] } = this.#errand.user ?? {}
    const means = pays[this.#payments]
    this.#payments += 1
    if (means === undefined) return { isYes: false }
    const [, instrument] = means.split("page:")
    if (instrument === undefined) return { isYes: true, token: means }
    return page === null ? { isYes: false } : { isYes: true, isPaid: true, instrument }
  }

  /** Places the order: what the store says of it, or null. */
  order(
    items: Value,
    { select, nowMs }: { readonly select: string; readonly nowMs: EpochMs },
  ): Reply<readonly Fact[] | null> {
    const { checkout = {} } = this.#errand
    const afterMs = (checkout.placesAfterMinutes ?? 1) * MINUTE_MS
    if (checkout.refuses === true) return { afterMs, reply: null }
    this.#orders += 1
    this.#standing += 1
    const number = String(1_000 + this.#orders)
    const slot = slotsOf(this.#errand, this.#midnightMs).find((one) => [one.label, one.id].includes(select))
    const readyMs = nowMs + afterMs + (checkout.readyInMinutes ?? 0) * MINUTE_MS
    const facts: readonly (Fact | null)[] = [
      { about: "the store's number of the order", value: number },
      {
        about: "every item of the order, as the store lists it",
        value: (checkout.sells as Value | undefined) ?? items,
      },
      { about: "the store's confirmation text as it was shown", value: `Thank you! Order ${number} is in.` },
      checkout.pickupCode === undefined
        ? null
        : { about: "the pickup code, if the store shows one", value: checkout.pickupCode },
      checkout.readyInMinutes === undefined ? null : { about: KNOWN.readyAt, value: isoMs(readyMs) },
      slot === undefined ? null : { about: "the slot that was chosen at the checkout", value: { ...slot } },
    ]
    return { afterMs, reply: facts.filter((fact) => fact !== null) }
  }

  cancelOrder(): void {
    this.#standing = 0
  }

  /** What happens now: the agent hears it, or others do it. */
  next(state: string, nowMs: EpochMs): Heard | Outside | null {
    if (!this.#seenSinceMs.has(state)) this.#seenSinceMs.set(state, nowMs)
    const happening = this.#errand.meanwhile?.[this.#happened]
    if (happening === undefined || nowMs < this.#dueMs(happening)) return null
    this.#happened += 1
    const { what } = happening
    if (what.type === "told_time") {
      const facts = what.facts.map(({ about, value }) => ({
        about,
        value: value === "then" ? isoMs(nowMs + what.minutesAhead * MINUTE_MS) : value,
      }))
      return { type: "told", facts }
    }
    return what
  }

  /** When the next thing happens, as far as it is known; infinite without one. */
  get nextMs(): EpochMs {
    const happening = this.#errand.meanwhile?.[this.#happened]
    return happening === undefined ? Number.POSITIVE_INFINITY : this.#dueMs(happening)
  }

  #dueMs({ in: state, afterMinutes = 0 }: Happening): EpochMs {
    const sinceMs = this.#seenSinceMs.get(state)
    return sinceMs === undefined ? Number.POSITIVE_INFINITY : sinceMs + afterMinutes * MINUTE_MS
  }
}

/** A time of day, such as `11:30`. */
export function timeAt(text: string, midnightMs: EpochMs): EpochMs {
  const [hours = 0, minutes = 0] = text.split(":").map(Number)
  return midnightMs + (hours * 60 + minutes) * MINUTE_MS
}

export function slotsOf({ checkout }: Errand, midnightMs: EpochMs) {
  return (checkout?.slots ?? []).map(([start, end, label]) => ({
    id: `slot-${start.replace(":", "")}`,
    start: isoMs(timeAt(start, midnightMs)),
    end: isoMs(timeAt(end, midnightMs)),
    label,
  }))
}
