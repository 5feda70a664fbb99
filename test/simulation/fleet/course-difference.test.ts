/** Two courses of one model: the same ones do not differ, and of others it is said where they part, and whom the change saves and loses. */

import { expect, test } from "vitest"
import {
  breakLines,
  differenceHeadline,
  unmatchedLine,
} from "../../../src/pages/web/replay/what-if/difference-words.ts"
import { courseDifference, coursePairs } from "../../../src/model/replay/course-difference.ts"
import type { Course } from "../../../src/model/replay/course-reader.ts"
import { CLOCK, fleetModel } from "./models.ts"
import { actorsOf, recorded } from "./recorded.ts"

const lunch = ({ runners, perHour = 20 }: { readonly runners: number; readonly perHour?: number }): Course =>
  recorded(
    fleetModel(`
fleet: Lunch
because: Runners are short.
clock: ${CLOCK}
horizon: 2h
sites:
  - { as: curb, at: [30.4, -97.7], stalls: 6, runners: ${runners}, stores: [{ as: tacos }] }
demand:
  - { product: reservation, site: curb, store: tacos, per_hour: ${perHour}, ahead: { uniform: [10m, 40m] } }
`),
    2,
  ).course

/** Names of orders that broke their promise, were declined or had no robot. */
function brokenIn(course: Course): ReadonlySet<string> {
  return new Set(
    course
      .breaksIn(0, course.untilMs)
      .flatMap(({ kind, actor }) => (kind === "fault" || actor === null ? [] : [course.actors[actor]]))
      .map((actor) => actor?.order?.number ?? actor?.name ?? ""),
  )
}

test("a course does not differ from itself, and says so", () => {
  const course = lunch({ runners: 1 })
  const found = courseDifference(course, lunch({ runners: 1 }))
  expect(found).toMatchObject({
    partsAtMs: null,
    saved: [],
    lost: [],
    points: [],
    onlyFirst: 0,
    onlySecond: 0,
  })
  expect(differenceHeadline(found)).toBe("Nothing changes on this day.")
  expect(unmatchedLine(found)).toBe("")
})

test("one more runner saves the orders that break in the first course alone, and loses those of the second alone", () => {
  const [one, two] = [lunch({ runners: 1 }), lunch({ runners: 2 })]
  const [before, after] = [brokenIn(one), brokenIn(two)]
  const found = courseDifference(one, two)
  expect(new Set(found.saved)).toEqual(before.difference(after))
  expect(new Set(found.lost)).toEqual(after.difference(before))
  expect(found.saved.length).toBeGreaterThan(0)
  // Each is a point at the instant of its break, which only one of the courses has.
  expect(found.points.map(({ atMs }) => atMs)).toEqual(
    found.points.map(({ atMs }) => atMs).toSorted((a, b) => a - b),
  )
  for (const [is, names, course] of [
    ["saved", found.saved, one],
    ["lost", found.lost, two],
  ] as const) {
    const own = found.points.filter((point) => point.is === is)
    expect(new Set(own.map(({ name }) => name))).toEqual(new Set(names))
    for (const { atMs } of own) expect(course.breaksIn(atMs, atMs + 1).length).toBeGreaterThan(0)
  }
  expect(found.points.filter(({ is }) => is === "parts")).toEqual([
    expect.objectContaining({ is: "parts", atMs: found.partsAtMs }),
  ])
  const [first = 0, second = 0] = [one, two].map(
    (course) => course.breaksIn(0, course.untilMs).filter(({ kind }) => kind === "broken promise").length,
  )
  expect(found.breaks["broken promise"]).toEqual([first, second])
  expect(breakLines(found)[0]).toContain(`${first} broken promise`)
  expect(differenceHeadline(found)).toContain(`${found.saved.length} order`)
})

test("they part where an actor of both first does something else", () => {
  const [one, two] = [lunch({ runners: 1 }), lunch({ runners: 2 })]
  const { partsAtMs } = courseDifference(one, two)
  expect(partsAtMs).not.toBeNull()
  const statesBefore = (course: Course, ms: number): readonly unknown[] =>
    actorsOf(course, "order").map((actor) => [course.actors[actor]?.name, course.stateAt(actor, ms)])
  const until = (partsAtMs ?? 0) - 1
  const known = ([, state]: readonly unknown[]): boolean => state !== null
  expect(statesBefore(two, until).filter((one_) => known(one_ as readonly unknown[]))).toEqual(
    statesBefore(one, until).filter((one_) => known(one_ as readonly unknown[])),
  )
})

test("an hour with another rate leaves the orders of the other hours comparable, under other numbers", () => {
  const day = (noon: number): Course =>
    recorded(
      fleetModel(`
fleet: Lunch
because: One hour changes.
clock: 2026-03-02T11:00 America/Chicago
horizon: 3h
sites: [{ as: curb, at: [30.4, -97.7], stalls: 6, runners: 2, stores: [{ as: tacos }] }]
demand:
  - { product: reservation, site: curb, store: tacos, per_hour: { by_hour: { "11:00": 12, "12:00": ${noon}, "13:00": 12 } } }
`),
      2,
    ).course
  const [calm, busy] = [day(4), day(24)]
  const askedMs = (course: Course, actor: number): number => course.changesOf(actor)[0]?.atMs ?? 0
  const outsideOf = (course: Course): readonly number[] =>
    actorsOf(course, "order").filter((actor) => Math.floor(askedMs(course, actor) / 3_600_000) !== 1)
  const pairs = new Map(coursePairs(calm, busy))
  const kept = outsideOf(calm)
  expect(kept.length).toBeGreaterThan(10)
  for (const actor of kept) expect(askedMs(busy, pairs.get(actor) ?? -1)).toBe(askedMs(calm, actor))
  const renamed = kept.filter(
    (actor) => calm.actors[actor]?.name !== busy.actors[pairs.get(actor) ?? -1]?.name,
  )
  expect(renamed.length).toBeGreaterThan(0)
  const { onlyFirst, onlySecond } = courseDifference(calm, busy)
  expect(onlyFirst).toBeLessThan(onlySecond)
  expect(onlyFirst).toBeLessThanOrEqual(actorsOf(calm, "order").length - kept.length)
})

test("orders of one course alone are counted and not compared", () => {
  const [few, many] = [lunch({ runners: 2, perHour: 6 }), lunch({ runners: 2, perHour: 30 })]
  const found = courseDifference(few, many)
  expect(found.onlySecond).toBeGreaterThan(0)
  expect(unmatchedLine(found)).toContain("of the changed day")
})

test("orders that one day declines are in its headline, because they break no promise", () => {
  const found = courseDifference(lunch({ runners: 1 }), lunch({ runners: 1 }))
  const breaks = { ...found.breaks, "broken promise": [9, 4], declined: [0, 12] } as const
  expect(differenceHeadline({ ...found, partsAtMs: 60_000, saved: ["order-1"], breaks })).toBe(
    "1 order saved: 4 promises break, 9 as written; 12 orders are declined, 0 as written.",
  )
})
