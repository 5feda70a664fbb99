/** Today of a site in a page: what the reader of the day keeps, and what a forecast is after now. */

import { describe, expect, test } from "vitest"
import { ApiFault } from "../../../src/pages/web/faults.ts"
import { forecastsAt } from "../../browser/forecast-states.ts"
import { DAY_COMPLETE_UNTIL, dayAnswer } from "../../../src/model/replay/site-day.ts"
import type { SiteDayAnswer } from "../../../src/model/replay/site-day.ts"
import { MINUTE_MS } from "../../../src/model/values/time.ts"
import { DayReader } from "../../../src/pages/web/replay/today/day-reader.ts"
import { expectedIn } from "../../../src/pages/web/replay/today/expected.tsx"
import { writtenCourse } from "../../../src/model/replay/written-course.ts"
import { madeUpChunk, madeUpHead } from "./made-up-course.ts"

const head = madeUpHead()
/** Of the service, in the middle of its day. */
const NOW = head.startMs + head.horizonMs / 2
const full = dayAnswer("site", "ready", {
  head,
  course: writtenCourse({ ...madeUpChunk(), untilMs: 0 }),
  left_out: [],
})

interface Said {
  readonly body: SiteDayAnswer | null
  readonly untilMs?: number
  readonly tag?: string
}

function answer({ body, untilMs, tag = '"one"' }: Said) {
  const headers = new Headers({ ETag: tag })
  if (untilMs !== undefined) headers.set(DAY_COMPLETE_UNTIL, new Date(untilMs).toISOString())
  return { body, headers }
}

/** A reader whose reads get these answers, one after the other. */
function readerOf(...said: readonly (ApiFault | Said)[]) {
  const tags: (string | null)[] = []
  const left = [...said]
  const reader = new DayReader(async (tag) => {
    tags.push(tag)
    const next = left.shift()
    if (next === undefined) throw new Error("one answer too few")
    if (next instanceof ApiFault) throw next
    return answer(next)
  })
  return { reader, tags }
}

describe("the reader of a day", () => {
  test("has no scene until the first day is made, then one that is complete as far as the service said", async () => {
    const { reader, tags } = readerOf(
      { body: dayAnswer("site", "being_made", null) },
      { body: full, untilMs: NOW, tag: '"first"' },
    )
    await reader.read()
    expect([reader.now.state, reader.now.scene]).toEqual(["being_made", null])
    await reader.read()
    const { scene, state } = reader.now
    expect(state).toBe("ready")
    expect(scene?.untilMs).toBe(NOW - (scene?.head.startMs ?? 0))
    expect(scene?.endMs).toBe(scene?.head.horizonMs)
    expect(scene?.orders().size).toBeGreaterThan(0)
    expect(tags).toEqual([null, null])
  })

  test("an answer without new facts keeps the scene, which is complete up to a later instant and never an earlier one", async () => {
    const { reader, tags } = readerOf(
      { body: full, untilMs: NOW },
      { body: null, untilMs: NOW + MINUTE_MS },
      { body: null, untilMs: NOW },
    )
    await reader.read()
    const { scene } = reader.now
    await reader.read()
    await reader.read()
    expect(reader.now.scene).toBe(scene)
    expect(scene?.untilMs).toBe(NOW + MINUTE_MS - (scene?.head.startMs ?? 0))
    expect(tags).toEqual([null, '"one"', '"one"'])
  })

  test("a read that fails leaves the day with the fault, and the next one takes the fault away", async () => {
    const fault = new ApiFault("the database does not answer")
    const { reader } = readerOf({ body: full, untilMs: NOW }, fault, { body: null, untilMs: NOW + 1 })
    await reader.read()
    const { scene } = reader.now
    await reader.read()
    expect([reader.now.fault, reader.now.scene]).toEqual([fault, scene])
    await reader.read()
    expect([reader.now.fault, reader.now.scene]).toEqual([null, scene])
  })

  test("another day of the service is another scene", async () => {
    const { reader, tags } = readerOf(
      { body: full, untilMs: NOW },
      { body: full, untilMs: NOW + MINUTE_MS, tag: '"two"' },
      { body: null, untilMs: NOW + MINUTE_MS },
    )
    await reader.read()
    const { scene } = reader.now
    await reader.read()
    expect(reader.now.scene).not.toBe(scene)
    await reader.read()
    expect(tags).toEqual([null, '"one"', '"two"'])
  })
})

describe("the forecast after now", () => {
  const day = { startMs: NOW - 12 * 60 * MINUTE_MS, timeZone: "America/Chicago" }

  test("has an instant for each promise that is more likely broken than kept, and the words of the board", () => {
    const forecast = forecastsAt(NOW).busy
    const { expected, isBad, words } = expectedIn(forecast, day)
    const likely = (forecast.figures?.promises ?? []).filter(
      ({ breaks, at }) => breaks.value >= 0.5 && at !== null,
    )
    expect(likely.length).toBeGreaterThan(0)
    expect(expected.map(({ ms }) => ms + day.startMs)).toEqual(likely.map(({ at }) => Date.parse(at ?? "")))
    expect(isBad).toBe(true)
    expect(words).toMatch(/^Waits pass 8 min at \d\d:\d\d, 80% likely\. In the next 2 h: /)
  })

  test("draws nothing where nothing is likely to break, and says why there is none", () => {
    const states = forecastsAt(NOW)
    expect(expectedIn(states.calm, day)).toMatchObject({ expected: [], isBad: false })
    const said = (forecast: Parameters<typeof expectedIn>[0]): string => expectedIn(forecast, day).words
    expect([said(null), said(states.young), said(states.failed)]).toEqual([
      "No forecast: it is being made.",
      "No forecast: the site has too little history.",
      "No forecast: the last attempt failed.",
    ])
  })
})
