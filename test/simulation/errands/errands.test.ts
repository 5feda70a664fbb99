/** The forty errands, run by an agent that knows only what the connector shows and answers; and with worse texts. */

import { readFileSync } from "node:fs"
import { brotliCompressSync } from "node:zlib"
import { describe, expect, test, vi } from "vitest"
import { BROTLI } from "../../../src/http/bodies/kept-body.ts"
import type { CourierEnvelope } from "../../../src/model/courier.ts"
import type { Errand } from "../../../src/simulation/errands/errand.ts"
import { FORTY_ERRANDS } from "../../../src/simulation/errands/forty/forty-errands.ts"
import { runErrand } from "../../../src/simulation/errands/run-errand.ts"
import type { ErrandResult } from "../../../src/simulation/errands/run-errand.ts"
import type { Message } from "../../../src/simulation/errands/world.ts"

vi.setConfig({ testTimeout: 120_000 })

interface Met extends ErrandResult {
  /** Codes of errors, and reasons to decline. */
  readonly met: ReadonlySet<string>
}

const results = new Map<Errand, Met>()

/** Run once, whichever test asks first. */
function resultOf(errand: Errand): Met {
  const result = results.get(errand) ?? metBy(errand)
  results.set(errand, result)
  return result
}

function metBy(errand: Errand): Met {
  const met = new Set<string>()
  const watch = ({ result }: Message): void => {
    const { error, decline_reason: reason } = Object(
      result?.["structuredContent"],
    ) as Partial<CourierEnvelope>
    if (error !== undefined) met.add(error.code)
    if (reason !== undefined) met.add(reason)
  }
  return { ...runErrand(errand, { watch }), met }
}

function named(name: string): Errand {
  const errand = FORTY_ERRANDS.find((one) => one.name === name)
  if (errand === undefined) throw new Error(`there is no errand "${name}"`)
  return errand
}

describe("an errand ends right", () => {
  test.each(FORTY_ERRANDS.map((errand) => [errand.name, errand] as const))("%s", (_, errand) => {
    const { deadEnd, found, endedRight } = resultOf(errand)
    expect({ deadEnd, found }).toEqual({ deadEnd: null, found: {} })
    expect(endedRight).toBe(true)
  })

  test("there are forty, each with a name and a request of its own", () => {
    expect(FORTY_ERRANDS).toHaveLength(40)
    expect(new Set(FORTY_ERRANDS.map(({ name }) => name)).size).toBe(40)
  })

  test("an errand that ends otherwise than it must is not right", () => {
    const [errand = named("a pub")] = FORTY_ERRANDS
    const ends = { state: "completed", chargedCents: 0, storeOrders: 1 } as const
    const { endedRight, found } = runErrand({ ...errand, ends })
    expect([endedRight, found]).toEqual([false, { chargedCents: 495 }])
  })
})

describe("together they meet", () => {
  test("every reason to decline, and every error that a caller with one key for each call can meet", () => {
    const met = new Set(FORTY_ERRANDS.flatMap((errand) => [...resultOf(errand).met]))
    expect([...met].toSorted()).toEqual([
      "disqualifying_requirement",
      "hold_expired",
      "internal_error",
      "invalid_state",
      "no_capacity",
      "no_curbside",
      "out_of_zone",
      "outside_service_hours",
      "payment_failed",
      "quote_expired",
      "rate_limited",
      "store_not_supported",
      "timing_not_feasible",
    ])
  })
})

/** A message in which one text is replaced. */
function withoutText(text: string, by: string) {
  return (message: Message): Message => JSON.parse(JSON.stringify(message).replaceAll(text, by)) as Message
}

/** A message without the texts of a key, wherever it is. */
function withoutKey(key: string) {
  const kept = (at: string, value: unknown): unknown =>
    at === key && typeof value === "string" ? undefined : value
  return (message: Message): Message => JSON.parse(JSON.stringify(message), kept) as Message
}

test("an errand with eleven status calls takes at most 26 kB on the wire, with what the agent reads before", () => {
  const errand = { ...named("lunch as soon as it is ready"), checkout: { readyInMinutes: 5 } }
  const sentBytes = (answer: string): number => brotliCompressSync(answer, BROTLI).length
  const { traffic } = runErrand(errand, { sentBytes })
  expect([traffic.polls, traffic.requests]).toEqual([11, 18])
  expect(traffic.wireBytes).toBeLessThanOrEqual(26_000)
})

describe("worse texts lower the figure", () => {
  const SOME = [
    "lunch as soon as it is ready",
    "the user remembers the notes for the door later",
    "the user goes to another address",
    "the card is declined first",
    "wine in the cart, left out",
    "a pub",
    "the store asks for a name",
    "the user changes their mind after the booking",
  ].map(named)

  const rightWith = (seen?: (message: Message) => Message): number =>
    SOME.filter((errand) => runErrand(errand, seen === undefined ? {} : { seen }).endedRight).length

  test.each([
    ["with all texts", undefined, 8],
    ["without next_step", withoutKey("next_step"), 0],
    ["without the descriptions of tools/list and its properties", withoutKey("description"), 0],
    ["without the order of calls in the description", withoutText("## Call order", "## Order"), 0],
    [
      "without the name of the property that a report belongs to",
      withoutText("With dropoff_", "If dropoff_"),
      6,
    ],
    [
      "without the wait for the user's consent",
      withoutText(" after the user accepts price, terms and consent", ""),
      1,
    ],
    [
      "without the way out of a cart with wine",
      withoutText(" once the cart holds none of restricted_items", ""),
      7,
    ],
    [
      "without the wait for the store order",
      withoutText(" right after placing the store order as", " with the order as"),
      2,
    ],
  ])("%s", (_, seen, right) => {
    expect(rightWith(seen)).toBe(right)
  })
})

test("the agent imports nothing of the service but units", () => {
  const folder = new URL("../../../src/simulation/errands/", import.meta.url)
  const imported = ["planner.ts", "next-step.ts", "notes.ts", "tool-schemas.ts", "values.ts"].flatMap(
    (name) =>
      [...readFileSync(new URL(name, folder), "utf8").matchAll(/ from "([^"]+)"/g)].map(
        ([, from = ""]) => from,
      ),
  )
  const others = imported.filter(
    (from) => !/^[.]\/(?:errand|next-step|notes|tool-schemas|values)[.]ts$/.test(from),
  )
  expect([...new Set(others)].toSorted()).toEqual([
    "../../model/values/limits.ts",
    "../../model/values/time.ts",
  ])
})
