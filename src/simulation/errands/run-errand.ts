/** Runs an errand: with the scripted agent, or step by step with another one; and says whether it ended right. */

import { DEMO_STORES } from "../../areas/courier/directory/demo-stores.ts"
import { Desk, slotsOf, timeAt } from "./desk.ts"
import type { Ending, Errand, Fact, Value } from "./errand.ts"
import { isoMs } from "../../model/values/time.ts"
import type { EpochMs } from "../../model/values/time.ts"
import { KNOWN, planErrand } from "./planner.ts"
import type { Act, Planned } from "./planner.ts"
import { ErrandWorld, bytesOf } from "./world.ts"
import type { Message, Traffic } from "./world.ts"

export interface ErrandResult {
  readonly errand: Errand
  readonly endedRight: boolean
  /** What differs from the ending of the errand. */
  readonly found: Readonly<Record<string, unknown>>
  /** Why the agent could not go on; null when it came to an end. */
  readonly deadEnd: string | null
  readonly traffic: Traffic
}

export interface RunOptions {
  /** Changes what the agent sees of an answer: tests take texts away. */
  readonly seen?: (message: Message) => Message
  /** How long an answer is on the wire; as long as its JSON unless said. */
  readonly sentBytes?: (answer: string) => number
  /** Reads each answer as it was sent. */
  readonly watch?: (message: Message) => void
}

/** Monday, 2 March 2026, in Austin. */
const MIDNIGHT_MS: EpochMs = Date.UTC(2026, 2, 2, 6)

/** Runs an errand with the scripted agent. */
export function runErrand(errand: Errand, options: RunOptions = {}): ErrandResult {
  const run = new ErrandRun(errand, options)
  const plan = planErrand(factsOf(errand))
  let turn = plan.next()
  while (turn.done !== true) turn = plan.next(run.replyTo(turn.value))
  return run.end(turn.value)
}

/** An errand under way, whatever agent acts. */
export class ErrandRun {
  readonly #errand: Errand
  readonly #desk: Desk
  readonly #world: ErrandWorld
  readonly #options: RunOptions

  constructor(errand: Errand, options: RunOptions = {}) {
    this.#errand = errand
    this.#options = options
    this.#desk = new Desk(errand, MIDNIGHT_MS)
    this.#world = new ErrandWorld(this.#desk.startMs, options.sentBytes ?? bytesOf)
    for (const what of errand.before ?? []) this.#world.disturb(what)
  }

  get nowMs(): EpochMs {
    return this.#world.nowMs
  }

  /** Carries out what the agent does, and replies to it. */
  replyTo(act: Act): unknown {
    const [desk, world] = [this.#desk, this.#world]
    switch (act.type) {
      case "send":
        return this.#send(act.method, act.params)
      case "wait":
        return world.wait(Math.min(act.ms, Math.max(0, desk.nextMs - world.nowMs)))
      case "wait_until":
        return world.wait(act.atMs - world.nowMs)
      case "ask": {
        const { afterMs, reply } = desk.answer(act.question)
        world.wait(afterMs)
        const page = act.question.about === "payment" ? act.question.page : null
        const { instrument, ...said } = reply
        if (page !== null && instrument !== undefined) world.payAt(page, instrument)
        return said
      }
      case "order": {
        const { afterMs, reply } = desk.order(act.items, { select: act.select, nowMs: world.nowMs })
        world.wait(afterMs)
        return reply
      }
      case "cancel_order":
        return desk.cancelOrder()
      case "listen": {
        const heard = desk.next(act.state ?? "none", world.nowMs)
        if (heard === null || heard.type === "told" || heard.type === "user_cancels") return heard
        world.happen(heard)
        return null
      }
    }
  }

  #send(method: string, params: { readonly [name: string]: Value }): Message {
    const { seen, watch } = this.#options
    const message = this.#world.send(method, params)
    watch?.(message)
    return seen === undefined ? message : seen(message)
  }

  /** The end of the errand, compared with the one that it must have. */
  end({ deadEnd }: Planned): ErrandResult {
    const [errand, desk, world] = [this.#errand, this.#desk, this.#world]
    const { traffic } = world
    const status = world.status()
    world.settle()
    const actual: Ending = {
      state: status?.state ?? null,
      ...(status?.decline_reason === undefined ? {} : { declineReason: status.decline_reason }),
      ...(status?.failure_reason === undefined ? {} : { failureReason: status.failure_reason }),
      chargedCents: world.feesKept === 0 ? 0 : 495,
      storeOrders: desk.standing === 0 ? 0 : 1,
    }
    const keys = new Set([...Object.keys(actual), ...Object.keys(errand.ends)]) as Set<keyof Ending>
    const found = Object.fromEntries(
      [...keys].filter((key) => actual[key] !== errand.ends[key]).map((key) => [key, actual[key] ?? null]),
    )
    const endedRight = deadEnd === null && Object.keys(found).length === 0
    return { errand, endedRight, found, deadEnd, traffic }
  }
}

/** What the agent knows when its user has spoken and the store's checkout is open. */
export function factsOf(errand: Errand): readonly Fact[] {
  const { store, cart, door = DOOR, wanted, checkout = {}, knows = [] } = errand
  const { methods = ["curbside", "counter"], requires = [], announces } = checkout
  const slots = slotsOf(errand, MIDNIGHT_MS)
  return [
    { about: KNOWN.storeName, value: store.name },
    { about: KNOWN.storeAddress, value: store.address ?? addressOf(store.name) },
    { about: KNOWN.door, value: door },
    { about: KNOWN.timing, value: timingOf(wanted) },
    { about: KNOWN.cart, value: cart as unknown as Value },
    { about: KNOWN.firstName, value: "Ada" },
    { about: KNOWN.lastName, value: "Example" },
    { about: KNOWN.methods, value: methods },
    { about: KNOWN.requires, value: requires },
    ...(slots.length === 0 ? [] : [{ about: KNOWN.slots, value: slots }]),
    ...(announces === undefined ? [] : [{ about: KNOWN.announces, value: announces }]),
    ...knows,
  ]
}

const DOOR = {
  street: "1 River Road",
  city: "Austin",
  state: "TX",
  zip: "78758",
  location: { lat: 30.41, lng: -97.72 },
} as const

function timingOf(wanted: Errand["wanted"]): Value {
  if (wanted === undefined) return { type: "asap" }
  const [start, end] = wanted.map((time) => isoMs(timeAt(time, MIDNIGHT_MS)))
  return { type: "window", start: start ?? "", end: end ?? "" }
}

/** Of the listing with this name. */
function addressOf(name: string): Value {
  const listing = DEMO_STORES.find((store) => store.name === name)
  if (listing === undefined)
    throw new Error(`an errand names ${name} without an address, and no listing has that name`)
  const { street, zip, place } = listing
  const location = { lat: place.latitude, lng: place.longitude }
  return { street, city: zip.startsWith("787") ? "Austin" : "San Antonio", state: "TX", zip, location }
}
