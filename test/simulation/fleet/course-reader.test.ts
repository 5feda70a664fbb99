/** A course answers as a walk over all of its rows does, however it was cut into chunks and in whatever order it is asked. */

import fc from "fast-check"
import { describe, expect, test } from "vitest"
import { GrowingRows } from "../../../src/model/replay/columns.ts"
import { emptyBreaks, emptyChanges, emptyLegs, emptyLevels } from "../../../src/model/replay/course.ts"
import type { CourseActor, CourseChunk } from "../../../src/model/replay/course.ts"
import { Course } from "../../../src/model/replay/course-reader.ts"

const vehicle: CourseActor = { kind: "vehicle", name: "van", site: 0, address: null, order: null }

interface Rows {
  readonly actors?: readonly CourseActor[]
  readonly states?: readonly string[]
  readonly levelNames?: CourseChunk["levelNames"]
  readonly legs?: readonly (readonly [
    actor: number,
    state: number,
    fromMs: number,
    untilMs: number,
    ...number[],
  ])[]
  readonly changes?: readonly (readonly [actor: number, state: number, atMs: number, order: number])[]
  readonly levels?: readonly (readonly [level: number, atMs: number, value: number])[]
  readonly breaks?: readonly (readonly [kind: number, atMs: number, actor: number, site: number])[]
}

function chunk(untilMs: number, rows: Rows): CourseChunk {
  const legs = new GrowingRows(emptyLegs())
  for (const [actor, state, fromMs, untilLegMs, ...places] of rows.legs ?? []) {
    const [fromLatitude = 0, fromLongitude = 0, toLatitude = 0, toLongitude = 0] = places
    legs.add({
      actor,
      state,
      fromMs,
      untilMs: untilLegMs,
      fromLatitude,
      fromLongitude,
      toLatitude,
      toLongitude,
    })
  }
  const changes = new GrowingRows(emptyChanges())
  for (const [actor, state, atMs, order] of rows.changes ?? []) changes.add({ actor, state, atMs, order })
  const levels = new GrowingRows(emptyLevels())
  for (const [level, atMs, value] of rows.levels ?? []) levels.add({ level, atMs, value })
  const breaks = new GrowingRows(emptyBreaks())
  for (const [kind, atMs, actor, site] of rows.breaks ?? []) breaks.add({ kind, atMs, actor, site })
  return {
    untilMs,
    actors: rows.actors ?? [],
    states: rows.states ?? [],
    levelNames: rows.levelNames ?? [],
    legs: legs.take(),
    changes: changes.take(),
    levels: levels.take(),
    breaks: breaks.take(),
  }
}

describe("a vehicle that leaves its way for another", () => {
  const course = new Course()
  course.append(
    chunk(400, {
      actors: [vehicle],
      states: ["idle", "to the store", "broken down"],
      legs: [
        [0, 0, 0, 0, 30_000_000, -97_000_000, 30_000_000, -97_000_000],
        [0, 1, 100, 300, 30_000_000, -97_000_000, 30_200_000, -97_000_000],
      ],
      changes: [
        [0, 0, 0, -1],
        [0, 1, 100, 7],
      ],
    }),
  )
  course.append(
    chunk(900, {
      legs: [[0, 1, 600, 700, 30_150_000, -97_000_000, 30_150_000, -97_100_000]],
      changes: [
        [0, 2, 250, 7],
        [0, 1, 600, 7],
      ],
    }),
  )

  test("stands where it left it, until the next way begins", () => {
    expect(course.untilMs).toBe(900)
    expect(course.placeAt(0, 50)).toEqual([30, -97])
    expect(course.placeAt(0, 200)).toEqual([30.1, -97])
    expect(course.placeAt(0, 250)).toEqual([30.15, -97])
    expect(course.placeAt(0, 599)).toEqual([30.15, -97])
    expect(course.placeAt(0, 650)).toEqual([30.15, -97.05])
    expect(course.placeAt(0, 5_000)).toEqual([30.15, -97.1])
  })

  test("is on its way only until it left it", () => {
    expect(course.legAt(0, 50)).toBeNull()
    expect(course.legAt(0, 249)).toMatchObject({
      state: "to the store",
      fromMs: 100,
      untilMs: 300,
      to: [30.2, -97],
    })
    expect(course.shareAt(0, 150)).toBe(0.25)
    expect(course.legAt(0, 250)).toBeNull()
    expect(course.shareAt(0, 650)).toBe(0.5)
    expect(course.shareAt(0, 700)).toBeNull()
  })

  test("has a state, and an order, from the first instant that is known", () => {
    expect([99, 100, 249, 250, 600].map((ms) => course.stateAt(0, ms))).toEqual([
      "idle",
      "to the store",
      "to the store",
      "broken down",
      "to the store",
    ])
    expect([course.orderAt(0, 99), course.orderAt(0, 100)]).toEqual([null, 7])
    expect(course.changeAt(0, 300)).toEqual({ state: "broken down", atMs: 250, order: 7 })
    expect(course.changesOf(0).map(({ atMs }) => atMs)).toEqual([0, 100, 250, 600])
    expect(course.legsOf(0).map(({ fromMs, untilMs, to }) => [fromMs, untilMs, to])).toEqual([
      [0, 0, [30, -97]],
      [100, 250, [30.15, -97]],
      [600, 700, [30.15, -97.1]],
    ])
    expect([course.stateAt(1, 300), course.placeAt(1, 300), course.orderAt(1, 300)]).toEqual([
      null,
      null,
      null,
    ])
  })
})

test("levels and breaks are found by their instants", () => {
  const course = new Course()
  const queue = { resource: "runners", what: "queue", site: 1 } as const
  course.append(
    chunk(100, {
      levelNames: [{ resource: "stalls", what: "busy", site: 0 }, queue],
      levels: [
        [1, 10, 3],
        [0, 20, 1],
        [1, 30, 2],
      ],
      breaks: [
        [1, 10, -1, 0],
        [0, 40, 6, 1],
      ],
    }),
  )
  course.append(chunk(200, { levels: [[1, 150, 0]], breaks: [[3, 150, 2, 0]] }))
  const level = course.levelNumber(queue) ?? Number.NaN
  expect([9, 10, 29, 30, 149, 150, 500].map((ms) => course.levelAt(level, ms))).toEqual([0, 3, 3, 2, 2, 0, 0])
  expect(course.levelNumber({ ...queue, site: 9 })).toBeNull()
  expect(course.breaksIn(10, 150)).toEqual([
    { kind: "declined", atMs: 10, actor: null, site: 0 },
    { kind: "broken promise", atMs: 40, actor: 6, site: 1 },
  ])
  expect(course.breaksIn(41, 151).map(({ kind }) => kind)).toEqual(["fault"])
})

/** In all of a stretch the actor has one state, and goes straight at one pace. */
function expectStretch(
  course: Course,
  { actor, ms, asked }: { readonly actor: number; readonly ms: number; readonly asked: readonly number[] },
): void {
  const stretch = course.stretchAt(actor, ms)
  expect(stretch === null).toBe(course.placeAt(actor, ms) === null)
  if (stretch === null) return
  const { fromMs, untilMs, change, from, to, leg } = stretch
  expect(fromMs <= ms && (ms < untilMs || ms >= course.untilMs)).toBe(true)
  for (const one of [ms, ...asked]) {
    if (one < fromMs || one >= untilMs) continue
    const share = (one - fromMs) / (untilMs - fromMs)
    expect(course.placeAt(actor, one)?.[0]).toBeCloseTo(from[0] + share * (to[0] - from[0]), 9)
    expect([course.changeAt(actor, one), course.legAt(actor, one)]).toEqual([change, leg])
  }
}

test("every answer is that of a walk over all rows", () => {
  const row = fc.record({
    actor: fc.nat(3),
    afterMs: fc.nat(20),
    isLeg: fc.boolean(),
    lengthMs: fc.nat(60),
    cut: fc.boolean(),
  })
  fc.assert(
    fc.property(
      fc.array(row, { maxLength: 60 }),
      fc.array(fc.nat(700), { minLength: 1, maxLength: 40 }),
      (rows, asked) => {
        const course = new Course()
        course.append(chunk(0, { actors: [vehicle], states: rows.map((_, at) => `state ${at}`) }))
        const known: {
          readonly actor: number
          readonly atMs: number
          readonly at: number
          readonly isLeg: boolean
        }[] = []
        let atMs = 0
        let part: {
          legs: NonNullable<Rows["legs"]>[number][]
          changes: NonNullable<Rows["changes"]>[number][]
        } = {
          legs: [],
          changes: [],
        }
        for (const [at, { actor, afterMs, isLeg, lengthMs, cut }] of rows.entries()) {
          atMs += afterMs
          known.push({ actor, atMs, at, isLeg })
          if (isLeg) part.legs.push([actor, at, atMs, atMs + lengthMs, 0, 0, 1_000_000, 0])
          part.changes.push([actor, at, atMs, at])
          if (!cut) continue
          course.append(chunk(atMs, part))
          part = { legs: [], changes: [] }
        }
        course.append(chunk(atMs, part))
        for (const ms of asked) {
          for (const actor of [0, 1, 2, 3]) {
            const past = known.filter((one) => one.actor === actor && one.atMs <= ms)
            expect(course.orderAt(actor, ms)).toBe(past.at(-1)?.at ?? null)
            const leg = past.findLast(({ isLeg }) => isLeg)
            if (leg === undefined) expect(course.placeAt(actor, ms)).toBeNull()
            else {
              const left = past.find((one) => one.atMs > leg.atMs)?.atMs ?? ms
              const { lengthMs } = rows[leg.at] ?? { lengthMs: 0 }
              const share = lengthMs === 0 ? 1 : Math.min(1, (left - leg.atMs) / lengthMs)
              expect(course.placeAt(actor, ms)?.[0]).toBeCloseTo(share, 9)
            }
            expectStretch(course, { actor, ms, asked })
          }
        }
      },
    ),
  )
})
