/** The small languages of the inspector: filter, moment, times, differences, the fold of quiet time. */

import fc from "fast-check"
import { describe, expect, test } from "vitest"
import { changesOf } from "../../../src/pages/inspection/difference.ts"
import { clockText, durationText } from "../../../src/pages/inspection/durations.ts"
import { eventName } from "../../../src/pages/inspection/event-name.ts"
import { filterOf, rowsPassing } from "../../../src/pages/inspection/filter.ts"
import { momentOf, momentText } from "../../../src/pages/inspection/moment.ts"
import {
  enlargedAround,
  labelsOf,
  placeOf,
  stretchesOf,
  timeAt,
} from "../../../src/pages/inspection/quiet-time.ts"
import { shownValue } from "../../../src/pages/inspection/shown-value.ts"
import { rowText } from "../../../src/pages/inspection/row-text.ts"
import { rowCount } from "../../../src/pages/inspection/run-index.ts"
import type { EntryBody } from "../../../src/engine/kernel/journal.ts"
import { runScenario } from "../../../src/simulation/scenario/run.ts"
import { recorded, scenarioNamed } from "./records.ts"

const run = runScenario(await scenarioNamed("reservations/the-open-link-fails-three-times"))
const { rows, run: read } = recorded(run)
const lines = rows.map((line) => JSON.parse(line) as { readonly k: string; readonly e: EntryBody })
const entryTest = (passes: (body: EntryBody) => boolean): readonly number[] =>
  lines.flatMap(({ k, e }, row) => (k === "turn" && passes(e) ? [row] : []))

describe("the filter", () => {
  test.each([
    ["by:timer", entryTest(({ by }) => by === "timer")],
    ["event:call.*", entryTest(({ event }) => event?.type.startsWith("call.") === true)],
    ["event:call.* -event:call.failed", entryTest(({ event }) => event?.type === "call.succeeded")],
    ["event:call.succeeded,call.failed", entryTest(({ event }) => event?.type.startsWith("call.") === true)],
    ["kind:open-link", entryTest(({ steps }) => steps.some(({ a }) => a.includes("/open-link")))],
    ["actor:webhook-delivery/*", entryTest(({ to }) => to.startsWith("webhook-delivery/"))],
    [
      "reason:status_5*",
      entryTest(({ event }) => JSON.stringify(event ?? null).includes('"reason":"status_5')),
    ],
    ["reason:200", entryTest(({ event }) => event?.["status"] === 200)],
    ["status_500", entryTest(({ event }) => event?.["reason"] === "status_500")],
    ["ACTOR:*", []],
    [
      "state:trying.waiting",
      entryTest(({ steps }) => steps.some(({ value }) => JSON.stringify(value) === '{"trying":"waiting"}')),
    ],
    ["is:ignored", entryTest(({ steps }) => steps.some(({ did }) => did === "ignored"))],
    ["is:mark", lines.flatMap(({ k }, row) => (k === "mark" ? [row] : []))],
    ["is:entry by:result,timer", entryTest(({ by }) => by === "result" || by === "timer")],
    ["", [...lines.keys()]],
  ])("%s", (text, wanted) => {
    const filter = filterOf(text)
    if (text === "ACTOR:*") expect(filter.problem).toContain('there is no key "ACTOR"; there are actor, kind')
    else expect(rowsPassing(read.index, filter)).toEqual(wanted)
  })

  test("a word without a key is looked for in the row's text, in any case", () => {
    const found = rowsPassing(read.index, filterOf("Trying.Waiting"))
    expect(found.length).toBeGreaterThan(1)
    for (const row of found) expect(rowText(read.index, row, undefined)).toContain("trying.waiting")
    expect(rowsPassing(read.index, filterOf("-trying.waiting"))).toHaveLength(
      rowCount(read.index) - found.length,
    )
  })

  test("says what is wrong, and goes on with the rest", () => {
    expect(filterOf("is:late by:timer")).toMatchObject({
      problem: 'nothing is "late"; there are refused, failed, ignored, moved, mark, entry',
    })
    expect(rowsPassing(read.index, filterOf("color:red by:timer"))).toEqual(
      rowsPassing(read.index, filterOf("by:timer")),
    )
  })

  test("takes any text: nothing in it is a pattern but the star", () => {
    fc.assert(
      fc.property(fc.string(), (text) => {
        expect(rowsPassing(read.index, filterOf(text)).length).toBeLessThanOrEqual(rowCount(read.index))
      }),
    )
    expect(rowsPassing(read.index, filterOf("event:call.faile."))).toEqual([])
    expect(rowsPassing(read.index, filterOf("event:(call"))).toEqual([])
  })
})

describe("a moment", () => {
  test.each([
    ["417", { run: 1, s: 417 }],
    ["2:417", { run: 2, s: 417 }],
    [" 2:417 ", { run: 2, s: 417 }],
    ["0:417", null],
    ["2:", null],
    ["-1", null],
    ["noon", null],
    ["12345678901234567890", null],
  ])("%s", (text, moment) => {
    expect(momentOf(text)).toEqual(moment)
  })

  test("comes back from its text", () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 999_999_999 }), fc.nat(999_999_999), (number, s) => {
        expect(momentOf(momentText({ run: number, s }))).toEqual({ run: number, s })
      }),
    )
  })
})

describe("times", () => {
  test.each([
    [0, "00:00:00.000", "0s"],
    [751_250, "00:12:31.250", "12m 31s"],
    [5_400_000, "01:30:00.000", "1h 30m"],
    [50, "00:00:00.050", "50ms"],
    [-1_000, "-00:00:01.000", "-1s"],
    [90_000_000, "25:00:00.000", "1d 1h"],
  ])("%i ms", (ms, clock, duration) => {
    expect([clockText(ms), durationText(ms)]).toEqual([clock, duration])
  })

  test.each([
    ["xstate.after.window and grace.reservation.open", "reservation@1", "after window and grace"],
    ["xstate.after.lease v1.5.webhook-delivery.sending", "webhook-delivery@1", "after lease v1.5"],
    ["xstate.after.bar.toll-gate", "toll-gate@1", "after bar"],
    ["@start", "bot@1", "start"],
    ["bot.reported", null, "bot.reported"],
  ])("%s", (type, machine, name) => {
    expect(eventName(type, machine)).toBe(name)
  })
})

describe("differences", () => {
  test("are the changed keys alone, each with its path", () => {
    const before = { attempts: 1, policy: { graceMs: 5, waitMs: 7 }, flags: ["late"], gone: true }
    const after = { attempts: 2, policy: { graceMs: 6, waitMs: 7 }, flags: ["late", "lost"], fresh: null }
    expect(changesOf(before, after)).toEqual([
      { path: "attempts", before: 1, after: 2 },
      { path: "policy.graceMs", before: 5, after: 6 },
      { path: "flags[1]", before: undefined, after: "lost" },
      { path: "fresh", before: undefined, after: null },
      { path: "gone", before: true, after: undefined },
    ])
  })

  test("are none between a value and itself", () => {
    fc.assert(
      fc.property(
        fc.jsonValue(),
        (value) => changesOf(value as never, structuredClone(value) as never).length === 0,
      ),
    )
  })
})

describe("the fold of quiet time", () => {
  const ascending = fc
    .array(fc.nat(10_000_000), { minLength: 1, maxLength: 60 })
    .map((t) => t.toSorted((a, b) => a - b))

  test("gives every time one place, in order, and finds it again", () => {
    fc.assert(
      fc.property(ascending, fc.boolean(), (t, isFolding) => {
        const stretches = stretchesOf(t, { isFolding })
        const places = t.map((one) => placeOf(stretches, one))
        for (const [at, place] of places.entries()) {
          expect(place).toBeGreaterThanOrEqual(at === 0 ? 0 : (places[at - 1] ?? 0) - 1e-9)
          expect(place).toBeLessThanOrEqual(1 + 1e-9)
        }
        const last = t.at(-1) ?? 0
        expect(timeAt(stretches, placeOf(stretches, last))).toBeCloseTo(last, 0)
      }),
    )
  })

  test("gives an hour of waiting less room than a minute of work", () => {
    const work = Array.from({ length: 60 }, (_, second) => second * 1_000)
    const t = [...work, ...work.map((ms) => 3_600_000 + ms)]
    const folded = stretchesOf(t, { isFolding: true })
    expect(folded.filter(({ isFolded }) => isFolded)).toHaveLength(1)
    expect(placeOf(folded, 3_600_000) - placeOf(folded, 59_000)).toBeLessThan(0.05)
    const plain = stretchesOf(t, { isFolding: false })
    expect(placeOf(plain, 3_600_000) - placeOf(plain, 59_000)).toBeGreaterThan(0.9)
  })
})

test("a result is told with its status or reason, how long it took, and which call it answers", () => {
  const texts = rowsPassing(read.index, filterOf("by:result")).map((row) =>
    rowText(read.index, row, undefined),
  )
  expect(texts).toContainEqual(
    expect.stringContaining("result call.failed status_500 after 50ms (open_link, attempt 2) → "),
  )
  expect(texts).toContainEqual(
    expect.stringContaining("result call.succeeded 200 after 50ms (webhook, attempt 1) → "),
  )
})

describe("a value of a context", () => {
  test.each([
    ["startsAtMs", 1_772_473_500_000, "2026-03-02 11:45:00"],
    ["assertedAtMs", 1_772_473_500_250, "2026-03-02 11:45:00.250"],
    ["leaseMs", 90_000, "1m 30s"],
    ["backoffMs", [5_000, 15_000], "[5s, 15s]"],
    [
      "policy",
      { windowGraceMs: 900_000, openLinkAttemptsMax: 3 },
      '{ "windowGraceMs": 15m, "openLinkAttemptsMax": 3 }',
    ],
    ["attempt", 2, "2"],
    ["loadedAtMs", null, "null"],
    ["stallId", "stall_1", '"stall_1"'],
    ["massKg", undefined, "–"],
  ])("%s %j is %s on the site's clock", (key, value, text) => {
    expect(shownValue(key, value, "America/Chicago")).toBe(text)
  })
})

describe("a folded strip", () => {
  test("gives the long wait a fold, and the next longest, until the rest can be told apart", () => {
    const t = [0, 50, 100, 86_400_000, 86_400_050, 86_400_100, 87_000_000, 87_000_050]
    const stretches = stretchesOf(t, { isFolding: true })
    expect(placeOf(stretches, 100) - placeOf(stretches, 50)).toBeGreaterThan(0.1)
    expect(placeOf(stretches, 86_400_100) - placeOf(stretches, 86_400_050)).toBeGreaterThan(0.1)
    expect(placeOf(stretches, 87_000_050)).toBeCloseTo(1)
  })

  test("is used whole by a run of nothing but waits", () => {
    const stretches = stretchesOf([0, 3_600_000, 7_200_000], { isFolding: true })
    expect([0, 3_600_000, 7_200_000].map((t) => placeOf(stretches, t))).toEqual([0, 0.5, 1])
  })
})

describe("an enlarged strip", () => {
  const WEEK = 7 * 24 * 3_600_000
  const t = [0, 40, 90, 200, WEEK, WEEK + 30, WEEK + 400]

  test("shows the run's length divided by the zoom, always with the playhead and never beyond the run", () => {
    for (const zoom of [4, 64, 4 ** 10]) {
      for (const now of t) {
        const { fromT, toT } = enlargedAround(null, { t, now, zoom })
        expect(toT - fromT).toBeCloseTo((WEEK + 400) / zoom, 3)
        expect([fromT >= 0, fromT <= now, now <= toT, toT <= WEEK + 400.001]).toEqual(Array(4).fill(true))
      }
    }
  })

  test("keeps its part while the playhead moves within it, and shows another at another zoom", () => {
    const part = enlargedAround(null, { t, now: 90, zoom: 4 ** 10 })
    expect(enlargedAround(part, { t, now: 200, zoom: 4 ** 10 })).toBe(part)
    expect(enlargedAround(part, { t, now: WEEK, zoom: 4 ** 10 })).not.toBe(part)
    expect(enlargedAround(part, { t, now: 90, zoom: 4 })).not.toBe(part)
  })

  test("labels have milliseconds where they are less than a second apart, also after a hundred hours", () => {
    const label = (from: number, to: number) => labelsOf(stretchesOf([from, to], { isFolding: false }), 3)
    expect(label(WEEK, WEEK + 20)).toEqual(["168:00:00.000", "168:00:00.010", "168:00:00.020"])
    expect(label(WEEK, WEEK + 20_000)).toEqual(["168:00:00", "168:00:10", "168:00:20"])
  })
})
