/** The parts of the fleet replay's page that need no browser: playhead, address, counters, sentences, lanes, and the work of a frame. */

import { afterEach, beforeAll, describe, expect, test, vi } from "vitest"
import type { FromReplayWorker, ToReplayWorker } from "../../../src/model/replay/messages.ts"
import type { ActorKind } from "../../../src/model/replay/course.ts"
import type { DayFigures, FiguresBySeed } from "../../../src/model/replay/seed-difference.ts"
import { actionsOf } from "../../../src/pages/web/replay/actions.ts"
import {
  readDays,
  readMoment,
  readSpan,
  withDays,
  withMoment,
  writtenSpan,
} from "../../../src/pages/web/replay/address.ts"
import {
  actorWords,
  comparisonOf,
  countDifference,
  pointAt,
  pointsSoFar,
} from "../../../src/pages/web/replay/compare/comparison.ts"
import type { Comparison } from "../../../src/pages/web/replay/compare/comparison.ts"
import { afterNext, daysOfMode, modeOf } from "../../../src/pages/web/replay/compare/use-days.ts"
import { curbAt, storesAt } from "../../../src/pages/web/replay/curb/curb-scene.ts"
import { laneGroups, needsFilter } from "../../../src/pages/web/replay/dock/lane-rows.ts"
import { ticksOf } from "../../../src/pages/web/replay/dock/time-axis.ts"
import { DoorsPicture, drawMarks } from "../../../src/pages/web/replay/map/drawing.ts"
import { MapMarks, apart, markAt } from "../../../src/pages/web/replay/map/marks.ts"
import type { Marks } from "../../../src/pages/web/replay/map/marks.ts"
import { dragged, fitted, pxOf, spotOfPx, zoomed } from "../../../src/pages/web/replay/map/viewport.ts"
import {
  STOPPED,
  afterFrame,
  isWaiting,
  jumped,
  marked,
  neighbor,
  played,
} from "../../../src/pages/web/replay/playback.ts"
import { Player } from "../../../src/pages/web/replay/player.ts"
import { doingAt, promisedAt, shortName } from "../../../src/pages/web/replay/seen/actor-words.ts"
import { countsAt, longestWait, sentenceAt } from "../../../src/pages/web/replay/seen/moment.ts"
import { isLateAt, isOpenAt, stageAt } from "../../../src/pages/web/replay/seen/orders.ts"
import { mixed, paletteFrom } from "../../../src/pages/web/replay/seen/palette.ts"
import { GRID_MS, Scene } from "../../../src/pages/web/replay/seen/scene.ts"
import { dwell, inWords, runClock } from "../../../src/pages/web/replay/seen/times.ts"
import { Session } from "../../../src/pages/web/replay/session.ts"
import { seedRows, seedSentence } from "../../../src/pages/web/replay/what-if/seed-words.ts"
import { madeUpChunk, madeUpHead, partOf } from "./made-up-course.ts"

const MINUTE_MS = 60_000
const NOON_MS = 90 * MINUTE_MS

let scene: Scene

afterEach(() => void vi.unstubAllGlobals())

beforeAll(() => {
  scene = new Scene(madeUpHead())
  scene.append(madeUpChunk())
})

describe("the playhead", () => {
  const computed = { ...STOPPED, computedMs: 100_000, endMs: 200_000 }

  test("goes on by the time of a frame and the speed", () => {
    expect(afterFrame({ ...computed, isPlaying: true, speed: 60 }, 16).ms).toBe(960)
    expect(afterFrame(computed, 16)).toBe(computed)
  })

  test("never passes what is computed: it waits there, and stops at the end of the run", () => {
    const waiting = afterFrame({ ...computed, isPlaying: true, ms: 99_900 }, 16)
    expect(waiting).toMatchObject({ ms: 100_000, isPlaying: true })
    expect(isWaiting(waiting)).toBe(true)
    const ended = afterFrame({ ...computed, isPlaying: true, computedMs: 200_000, ms: 199_900 }, 16)
    expect(ended).toMatchObject({ ms: 200_000, isPlaying: false })
    expect(isWaiting(ended)).toBe(false)
    expect(played(ended)).toMatchObject({ ms: 0, isPlaying: true })
  })

  test("jumps inside of what is computed, to whole milliseconds", () => {
    expect(jumped(computed, 150_000).ms).toBe(100_000)
    expect(jumped(computed, -5).ms).toBe(0)
    expect(jumped(computed, 10.4).ms).toBe(10)
  })

  test("repeats between two marks, until a third press", () => {
    const from = marked({ ...computed, ms: 20_000 })
    expect(from.repeat).toEqual({ fromMs: 20_000, untilMs: null })
    const both = marked({ ...from, ms: 10_000 })
    expect(both.repeat).toEqual({ fromMs: 10_000, untilMs: 20_000 })
    expect(afterFrame({ ...both, ms: 19_990, isPlaying: true }, 16).ms).toBe(10_000)
    expect(marked(both).repeat).toBeNull()
  })

  test("steps to the next instant and the one before, and to none at the ends", () => {
    expect(neighbor([10, 20, 30], 20, 1)).toBe(30)
    expect(neighbor([10, 20, 30], 20, -1)).toBe(10)
    expect(neighbor([10, 20, 30], 20.6, -1)).toBe(10)
    expect(neighbor([10, 20, 30], 30, 1)).toBeNull()
  })
})

describe("the address of a moment", () => {
  test("is read as it was written, and leaves other fields alone", () => {
    const moment = { ms: 5_694_020, pick: "second street/runner-1", site: "second street" }
    const fragment = withMoment("#file=a%2Fb.yaml&seed=3", moment)
    expect(fragment).toContain("t=1:34:54.020")
    expect(readMoment(fragment)).toEqual(moment)
    expect(new URLSearchParams(fragment.slice(1)).get("file")).toBe("a/b.yaml")
    expect(readMoment(withMoment(fragment, { ms: 0, pick: null, site: null }))).toEqual({
      ms: 0,
      pick: null,
      site: null,
    })
  })

  test("has the two days with it: which are shown, the numbers, and the changes from an instant on", () => {
    const days = {
      mode: "b-ghost",
      numbers: [{ name: "Orders an hour of deliveries at a, b: 11:00", value: "12.5" }],
      changes: [
        { atMs: 3_660_000, name: "runners at a, b", value: "+1" },
        { atMs: 4_000_500, name: "demand", value: "0.5" },
      ],
    }
    const moment = withMoment("#file=a%2Fb.yaml&from=0:01:00,demand,2", { ms: 9, pick: null, site: "a, b" })
    const fragment = withDays(moment, days)
    expect(readDays(fragment)).toEqual({ ...days, unread: [] })
    expect(readMoment(fragment)).toEqual({ ms: 9, pick: null, site: "a, b" })
    expect(new URLSearchParams(fragment.slice(1)).get("file")).toBe("a/b.yaml")
    const without = withDays(fragment, { mode: null, numbers: [], changes: [] })
    expect(without).toBe(
      withMoment("#file=a%2Fb.yaml", { ms: 9, pick: null, site: "a, b" }).replace("file=a%2Fb", "file=a/b"),
    )
    expect(readDays("#set=nothing&from=noon,demand,2&from=0:01:00,demand")).toEqual({
      mode: null,
      numbers: [],
      changes: [],
      unread: ["nothing", "noon,demand,2", "0:01:00,demand"],
    })
  })

  test("names the shown days by a word, and an unknown word is the day as it is written", () => {
    for (const mode of ["a", "b", "a-ghost", "b-ghost", "a-beside", "b-beside"])
      expect(modeOf(daysOfMode(mode))).toBe(mode)
    expect(["c", null].map((mode) => modeOf(daysOfMode(mode)))).toEqual(["a", "a"])
  })

  test("is no moment when it is no time", () => {
    expect(readSpan("1:99:00")).toBeNull()
    expect(readSpan("12:34")).toBeNull()
    expect(readSpan(writtenSpan(3_600_000))).toBe(3_600_000)
    expect(readMoment("#fleet=x")).toEqual({ ms: null, pick: null, site: null })
  })
})

describe("what is seen of a course", () => {
  test("the counters' lines say at each half minute what is counted there", () => {
    const { open, late, onBoard } = scene.totals()
    for (let step = 0; step < open.length - 1; step += 7) {
      const counts = countsAt(scene, step * GRID_MS)
      expect([open[step], late[step], onBoard[step]]).toEqual([counts.open, counts.late, counts.onBoard])
    }
    expect(Math.max(...open)).toBeGreaterThan(10)
    expect(Math.max(...onBoard)).toBeGreaterThan(2)
  })

  test("orders around an instant are all that are known and not over for five minutes, and few others", () => {
    const grown = new Scene(madeUpHead())
    expect(grown.ordersAround(0)).toEqual([])
    for (let at = 0; at < 210; at += 10) {
      grown.append(partOf(madeUpChunk(), at * MINUTE_MS, at === 200 ? Infinity : (at + 10) * MINUTE_MS))
      const all = [...grown.orders().values()]
      for (let ms = 0; ms <= grown.untilMs; ms += MINUTE_MS) {
        const around = new Set(grown.ordersAround(ms))
        const missed = all.filter((seen) => {
          const isKnown = stageAt(seen, ms) !== null && ms - (seen.endMs ?? Infinity) < 5 * MINUTE_MS
          return isKnown && !around.has(seen)
        })
        const [first, last] = [ms + 5 * MINUTE_MS, ms - 10 * MINUTE_MS]
        const others = [...around].filter(
          ({ atMs, endMs }) => (atMs[0] ?? 0) > first || (endMs ?? Infinity) < last,
        )
        expect([missed, others], `at ${ms} ms`).toEqual([[], []])
      }
    }
    expect(grown.ordersAround(grown.untilMs + 1)).toEqual(grown.ordersAround(grown.untilMs))
  })

  test("an order is late after its promise until it is met", () => {
    const late = [...scene.orders().values()].filter(({ metMs, order }) => (metMs ?? 0) > order.promisedMs)
    expect(late.length).toBeGreaterThan(0)
    for (const seen of late) {
      expect(isLateAt(seen, seen.order.promisedMs)).toBe(false)
      expect(isLateAt(seen, seen.order.promisedMs + 1)).toBe(true)
      expect(isLateAt(seen, seen.metMs ?? 0)).toBe(false)
      const lateMs = Math.min(25_000, (seen.metMs ?? 0) - seen.order.promisedMs - 1)
      expect(promisedAt(scene, seen, seen.order.promisedMs + lateMs)).toMatchObject({
        word: "Late",
        margin: `Late by ${Math.floor(lateMs / 1000)} s`,
      })
      expect(promisedAt(scene, seen, seen.endMs ?? 0).word).toBe("Was late")
    }
  })

  test("an order that was booked ahead opens with its preparation or its window", () => {
    const seen = [...scene.orders().values()].find(({ order }) => order.product === "reservation")
    if (seen === undefined) throw new Error("no reservation")
    const [bookedMs = 0, cooksMs = 0] = seen.atMs
    expect(stageAt(seen, bookedMs)).toBe("to cook")
    expect(isOpenAt(seen, bookedMs)).toBe(false)
    expect(isOpenAt(seen, cooksMs)).toBe(true)
    expect(isOpenAt(seen, seen.endMs ?? 0)).toBe(false)
  })

  test("the sentence says what is open, what waits, since when, and what keeps up", () => {
    const worst = scene.line((ms) => longestWait(scene, ms)?.count ?? 0)
    const atMs = worst.indexOf(Math.max(...worst)) * GRID_MS
    const waiting = longestWait(scene, atMs)
    const { title, cause } = sentenceAt(scene, atMs)
    expect(title).toMatch(/^Lunch peak: \d+ open, .*\d+ waits? for a (runner|vehicle)\.$/)
    expect(waiting?.count).toBe(Math.max(...worst))
    expect(cause).toMatch(/has had no (runner|vehicle) free since \d\d:\d\d/)
    expect(sentenceAt(scene, 0).title).toBe("Lunch: no order is open.")
    expect(sentenceAt(scene, 0).cause).toMatch(/^The next thing happens at \d\d:\d\d:\d\d\.$/)
  })

  test("the worst minute is the earliest with the most late orders", () => {
    const late = [...scene.totals().late]
    expect(scene.worstMs()).toBe(late.indexOf(Math.max(...late)) * GRID_MS)
    expect(new Scene(madeUpHead()).worstMs()).toBeNull()
  })

  test("what arrives in parts is seen as what arrives at once", () => {
    const whole = madeUpChunk()
    const grown = new Scene(madeUpHead())
    for (let at = 0; at < 210; at += 10)
      grown.append(partOf(whole, at * MINUTE_MS, at === 200 ? Infinity : (at + 10) * MINUTE_MS))
    expect(grown.instants).toEqual(scene.instants)
    expect(grown.breaks).toEqual(scene.breaks)
    expect([...grown.orders().values()]).toEqual([...scene.orders().values()])
    expect(grown.spotAt(3, NOON_MS)).toEqual(scene.spotAt(3, NOON_MS))
  })

  test("an actor's title says what it does, with its order", () => {
    const [runner = 0] = scene.of("runner")
    const carrying = scene.stretchesOf(runner).find(({ state }) => state === "carrying")
    expect(doingAt(scene, runner, carrying?.fromMs ?? 0)).toMatch(/^R1 carries 3\d\d\d$/)
    expect(doingAt(scene, runner, 0)).toBe("R1 is free")
    const names = ["runner-3", "runner-09:00.3", "runner-17:30.2", "runner-11:00b.12", "runner-00:00b.1"]
    expect(names.map((name) => shortName(`downtown/${name}`))).toEqual([
      "R3",
      "R9.3",
      "R17:30.2",
      "R11b.12",
      "R0b.1",
    ])
    expect(["veh_0_0012", "downtown/vehicle-12"].map((name) => shortName(name))).toEqual(["V12", "V12"])
    expect(shortName("order-7")).toBe("order-7")
  })

  test("spans are written shortly and in words", () => {
    expect([dwell(403_000), dwell(3_999_000)]).toEqual(["6:43", "1:06:39"])
    expect([inWords(25_000), inWords(240_000), inWords(5_640_000)]).toEqual(["25 s", "4 min", "1 h 34 min"])
  })
})

describe("the curb of a site", () => {
  test("has each open robot in its own stall, and runners between counter and stall", () => {
    const looks = new Set<string>()
    const places = new Set<string>()
    for (let ms = 0; ms < scene.untilMs; ms += MINUTE_MS) {
      const curb = curbAt(scene, 0, ms)
      for (const [stall, { robot }] of (curb?.stalls ?? []).entries()) {
        if (robot === null) continue
        looks.add(robot.look)
        expect(scene.actors[robot.actor]?.order?.stall).toBe(stall)
      }
      for (const { from, to, share } of curb?.runners ?? []) {
        places.add(`${from.is} ${to.is}`)
        expect(share).toBeGreaterThanOrEqual(0)
        expect(share).toBeLessThanOrEqual(1)
      }
      const tickets = storesAt(scene, 0, ms).flatMap((store) => store.tickets)
      expect(new Set(tickets.map(({ actor }) => actor)).size).toBe(tickets.length)
    }
    expect(looks).toEqual(new Set(["closed", "on board", "open"]))
    expect([...places].toSorted()).toEqual([
      "counter counter",
      "counter stall",
      "rest counter",
      "rest rest",
      "stall stall",
    ])
  })
})

describe("the map", () => {
  const size = { width: 900, height: 400 }

  test("a place stays under the pointer when the map grows, and follows it when it is dragged", () => {
    const view = fitted(
      [
        { east: -500, north: -100 },
        { east: 700, north: 300 },
      ],
      size,
    )
    const at = [120, 90] as const
    const under = spotOfPx(view, at)
    const [x, y] = pxOf(zoomed(view, 2, at), under)
    expect([x, y].map(Math.round)).toEqual([120, 90])
    expect(pxOf(dragged(view, [10, -5]), under).map(Math.round)).toEqual([130, 85])
  })

  test("a pointer picks the nearest mark, and nothing far from all", () => {
    const view = fitted(
      scene.head.sites.flatMap(({ area }) => area.map(scene.ground.spotOf)),
      size,
    )
    const marks = new MapMarks(scene).at({ ms: NOON_MS, view, picked: null, hasTrails: true })
    const [first] = marks.vehicles
    expect(markAt({ ...marks, doors: [] }, first?.at ?? [0, 0])).toBe(first?.actor)
    expect(markAt(marks, [-500, -500])).toBeNull()
    const driving = marks.vehicles.filter(({ look }) => look === "loaded")
    expect(driving.some(({ trail }) => trail.length > 1)).toBe(true)
  })

  test("marks that are kept between frames are those of a map that sees the instant first, also while the run grows", () => {
    const chunk = madeUpChunk()
    const growing = new Scene(madeUpHead())
    const view = fitted(
      scene.head.sites.flatMap(({ area }) => area.map(scene.ground.spotOf)),
      size,
    )
    const kept = new MapMarks(growing)
    const seen = new Set<string>()
    const same = (ms: number): void => {
      const of = { ms, view, picked: null, hasTrails: true }
      const rounded = ({ vehicles, doors }: Marks): string =>
        JSON.stringify([vehicles, doors], (_, value: unknown) =>
          typeof value === "number" ? Math.round(value * 1000) / 1000 : value,
        )
      const marks = kept.at(of)
      for (const { look, isLate } of marks.vehicles) seen.add(isLate ? "late" : look)
      expect(rounded(marks), String(ms)).toBe(rounded(new MapMarks(scene).at(of)))
    }
    for (let fromMs = 0; fromMs < chunk.untilMs; fromMs += 7 * MINUTE_MS) {
      growing.append(partOf(chunk, fromMs, Math.min(chunk.untilMs, fromMs + 7 * MINUTE_MS)))
      for (let ms = fromMs; ms < growing.untilMs; ms += 17_000) same(ms)
    }
    for (let ms = growing.untilMs; ms >= 0; ms -= 97_000) same(ms)
    expect([seen.has("late"), seen.has("free"), seen.has("loaded")]).toEqual([true, true, true])
  })

  test("a frame with 1,000 vehicles copies an arrow for each place, and takes a bounded number of strokes", () => {
    vi.stubGlobal("window", { devicePixelRatio: 2 })
    const strips: CountingStrip[] = []
    vi.stubGlobal("OffscreenCanvas", function (this: unknown, width: number, height: number) {
      strips.push(new CountingStrip(width, height))
      return strips.at(-1)
    })
    const many = new Scene(madeUpHead())
    many.append(madeUpChunk({ runners: 2, vehicles: 500, orders: 3000 }))
    expect(many.of("vehicle").length).toBe(1000)
    const view = fitted(
      many.head.sites.flatMap(({ area }) => area.map(many.ground.spotOf)),
      size,
    )
    const marks = new MapMarks(many)
    const palette = paletteFrom(() => "#123456")
    for (const ms of [0, NOON_MS, NOON_MS + 16 * 300, 180 * MINUTE_MS]) {
      const counting = new CountingCanvas()
      const seen = marks.at({ ms, view, picked: null, hasTrails: true })
      expect(seen.vehicles.length).toBe(1000)
      const doors = new DoorsPicture().drawn(seen, { view, palette }) as unknown as CountingStrip | null
      expect(doors?.counting.of("drawImage") ?? 0).toBe(seen.doors.length)
      expect(doors?.counting.of("stroke") ?? 0).toBe(0)
      const drawn = { marks: seen, doors: null, view, palette, picked: null, taken: [] }
      drawMarks(counting.context, { ...drawn, ghosts: [], ringed: [] })
      // Of those that cover each other one is copied.
      const places = new Set(
        seen.vehicles.map(({ at, look, isLate, heading }) => [at, look, isLate, heading].join()),
      )
      expect(counting.of("drawImage")).toBeLessThanOrEqual(places.size)
      expect(counting.of("drawImage")).toBeGreaterThan(0.8 * places.size)
      // A bounded number of labels.
      expect(counting.of("stroke") + counting.of("fill")).toBeLessThan(60)
      expect(counting.of("fillText")).toBeLessThanOrEqual(24)
      expect(counting.segmentsMax).toBeLessThanOrEqual(500)
      // A ghost and a ring for each: two paths for a hundred of each look.
      const both = new CountingCanvas()
      drawMarks(both.context, { ...drawn, ghosts: seen.vehicles, ringed: seen.vehicles })
      const more = both.of("stroke") + both.of("fill") - counting.of("stroke") - counting.of("fill")
      expect(more).toBeGreaterThan(20)
      expect(more).toBeLessThan(60)
      expect(both.segmentsMax).toBeLessThanOrEqual(500)
    }
    // A strip for each look of vehicles that was seen, however many frames were drawn.
    const ofVehicles = strips.filter(({ width, height }) => width / height === 72)
    expect(ofVehicles.length).toBeGreaterThan(1)
    expect(ofVehicles.length).toBeLessThanOrEqual(7)
    for (const { counting } of ofVehicles) expect(counting.of("stroke")).toBe(144)
    const ofDoors = strips.filter(({ width, height }) => width === height)
    expect(ofDoors.length).toBeGreaterThan(0)
    expect(ofDoors.length).toBeLessThanOrEqual(3)
  })
})

/** Pictures beside each other. */
class CountingStrip {
  readonly counting = new CountingCanvas()
  readonly width: number
  readonly height: number

  constructor(width: number, height: number) {
    this.width = width
    this.height = height
  }

  getContext(): CanvasRenderingContext2D {
    return this.counting.context
  }

  transferToImageBitmap(): this {
    return this
  }
}

/** Counts the calls of a canvas, and the longest path between two strokes. */
class CountingCanvas {
  readonly #counts = new Map<string, number>()
  segmentsMax = 0
  #segments = 0

  readonly context = new Proxy({} as CanvasRenderingContext2D, {
    get: (_, name) => (name === "measureText" ? () => ({ width: 30 }) : () => this.#count(String(name))),
    set: () => true,
  })

  of(name: string): number {
    return this.#counts.get(name) ?? 0
  }

  #count(name: string): void {
    this.#counts.set(name, this.of(name) + 1)
    if (name === "beginPath") this.#segments = 0
    if (["arc", "lineTo", "moveTo"].includes(name)) this.#segments += 1
    this.segmentsMax = Math.max(this.segmentsMax, this.#segments)
  }
}

describe("two days", () => {
  let changed: Scene
  let comparison: Comparison

  beforeAll(() => {
    changed = new Scene(madeUpHead())
    changed.append(madeUpChunk({ vehicles: 3 }))
    comparison = comparisonOf(scene, changed)
  })

  test("vehicles differ that are elsewhere, do something else, or are on one of the days alone", () => {
    const view = fitted(
      scene.head.sites.flatMap(({ area }) => area.map(scene.ground.spotOf)),
      { width: 900, height: 400 },
    )
    const at = (of: Scene) => new MapMarks(of).at({ ms: NOON_MS, view, picked: null, hasTrails: false })
    const [own, other] = [at(scene).vehicles, at(changed).vehicles]
    const same = apart(own, at(scene).vehicles, new Map(own.map(({ actor }) => [actor, actor])))
    expect(same).toEqual({ own: [], other: [] })
    const numbers = comparison.numbers.written
    const found = apart(own, other, numbers)
    expect(found.own.length).toBeGreaterThan(0)
    for (const mark of own) {
      const twin = other.find(({ actor }) => actor === numbers.get(mark.actor))
      const isAlike =
        twin !== undefined &&
        twin.look === mark.look &&
        Math.hypot(twin.at[0] - mark.at[0], twin.at[1] - mark.at[1]) < 4
      expect(found.own.includes(mark)).toBe(!isAlike)
      if (twin !== undefined) expect(found.other.includes(twin)).toBe(!isAlike)
    }
    // The day as written has more vehicles.
    expect(own.some(({ actor }) => !numbers.has(actor))).toBe(true)
  })

  test("P and N step over the differences of two days, and over the breaks of one", () => {
    const { points } = comparison.difference
    expect(points.length).toBeGreaterThan(2)
    const player = new Player({ hasMotion: true })
    player.computed({ computedMs: comparison.untilMs, endMs: comparison.untilMs })
    const nothing = (): void => {}
    const parts = {
      scene,
      player,
      setPicked: nothing,
      setSite: nothing,
      setFollowing: nothing,
      setCurbLarge: nothing,
      setShown: nothing,
      copy: nothing,
      more: {},
    }
    const instants = [...new Set(points.map(({ atMs }) => atMs))]
    const both = actionsOf({ ...parts, comparison })
    for (const atMs of instants) {
      both.toBreak(1)
      expect(player.playing.ms).toBe(atMs)
      expect(pointAt(points, atMs)).toMatch(/^(Here they part, with .+|Order \w+ is (saved|lost))\./)
    }
    both.toBreak(1)
    expect(player.playing.ms).toBe(instants.at(-1))
    expect(pointsSoFar(points, player.playing.ms)).toBe(`Difference ${points.length} of ${points.length}`)
    both.toBreak(-1)
    expect(player.playing.ms).toBe(instants.at(-2))
    player.jump(0)
    actionsOf({ ...parts, comparison: null }).toBreak(1)
    expect(player.playing.ms).toBe(scene.breaks[0]?.atMs)
  })

  test("counts say by how much they differ", () => {
    expect([countDifference(3, 5), countDifference(5, 3), countDifference(4, 4)]).toEqual([
      "−2",
      "+2",
      "same",
    ])
    const words = (kind: ActorKind, name: string): string => actorWords({ kind, name })
    expect([
      words("order", "order-12"),
      words("robot", "7"),
      words("runner", "north/runner-11:00.4"),
    ]).toEqual(["order 12", "the robot of 7", "R11.4"])
  })

  test("the key goes from this day to the changed one, to both, and back", () => {
    const first = { day: "written", isBoth: false, isBeside: true } as const
    const second = afterNext(first)
    const third = afterNext(second)
    expect(second).toEqual({ day: "changed", isBoth: false, isBeside: true })
    expect(third).toEqual({ day: "changed", isBoth: true, isBeside: true })
    expect(afterNext(third)).toEqual(first)
  })
})

describe("twenty seeds", () => {
  const NONE = { asked: 40, completed: 40, late: 0, lost: 0, cost: null }

  /** Figures by seed, from what broke on each. */
  function figures(late: readonly number[], more: Partial<DayFigures> = {}): FiguresBySeed {
    return new Map(late.map((count, seed) => [seed, { ...NONE, late: count, ...more }]))
  }

  test("a sure difference is said with its interval and on how many seeds it is better", () => {
    const written = figures([10, 12, 9, 11, 14, 8])
    const better = figures([8, 9, 9, 8, 12, 6])
    // Differences −2, −3, 0, −3, −2, −2: mean −2, standard error √0.2, t of 5 degrees 2.5706.
    expect(seedSentence(written, better)).toBe(
      "On 6 seeds the change keeps 2.0 promises a day more (95 %: 0.9 to 3.1): better on 5, same on 1, worse on none.",
    )
    expect(seedSentence(better, written)).toBe(
      "On 6 seeds the change breaks 2.0 promises a day more (95 %: 0.9 to 3.1): better on none, same on 1, worse on 5.",
    )
    expect(seedRows(written, better)[0]).toEqual({
      name: "Broken promises",
      written: "10.7",
      changed: "8.7",
      difference: "−2.0",
      interval: "−3.1 to −0.9",
      isBetter: true,
    })
  })

  test("nothing is claimed of an interval that holds 0, of equal days, or of one seed", () => {
    expect(seedSentence(figures([10, 12, 9]), figures([8, 13, 9]))).toMatch(
      /^On 3 seeds no difference is sure: from \d\.\d fewer to \d\.\d more broken promises a day \(95 %\); better on 1, same on 1, worse on 1\.$/,
    )
    expect(seedRows(figures([10, 12, 9]), figures([8, 13, 9]))[0]?.isBetter).toBeNull()
    expect(seedSentence(figures([3, 4]), figures([3, 4]))).toBe(
      "On 2 seeds as many promises break in both, on each seed.",
    )
    expect(seedSentence(figures([3]), figures([1]))).toBeNull()
  })

  test("a lost order is a broken promise, seeds of one model alone count in none, and prices are shown", () => {
    const cost = (total: number) => ({ cost: { total, currency: "USD" } })
    const written = figures([2, 4, 3], { lost: 2, ...cost(900) })
    const changed = figures([2, 4], { ...cost(984) })
    const rows = seedRows(written, changed)
    expect(rows.map(({ name, difference, isBetter }) => [name, difference, isBetter])).toEqual([
      ["Broken promises", "−2.0", true],
      ["of them late", "0.0", null],
      ["of them lost", "−2.0", true],
      ["Completed", "0.0", null],
      ["Cost", "+$84", false],
    ])
    expect(seedRows(figures([1, 2]), figures([1, 2], { asked: 44 }))[0]).toMatchObject({
      name: "Orders",
      difference: "+4.0",
      isBetter: null,
    })
  })
})

describe("the time line", () => {
  test("has times at whole steps of local time", () => {
    const ticks = ticksOf({ width: 1300, endMs: 210 * MINUTE_MS }, scene.head.startMs, scene.clock)
    expect(ticks.map(({ text }) => text).slice(0, 3)).toEqual(["11:00", "11:15", "11:30"])
    expect(ticksOf({ width: 300, endMs: 210 * MINUTE_MS }, scene.head.startMs, scene.clock).length).toBe(4)
    // On the night on which clocks go back, 1:00 comes twice and 6:00 an hour later than by the clock of the start.
    const night = Date.parse("2026-11-01T00:00:00-05:00")
    const axis = { width: 900, endMs: 12 * 60 * MINUTE_MS }
    const after = ticksOf(axis, night, runClock(night, "America/Chicago"))
    expect(after.map(({ ms, text }) => `${ms / (60 * MINUTE_MS)} ${text}`)).toEqual(
      ["0 00:00", "1 01:00", "2 01:00", "3 02:00"].concat(
        [3, 4, 5, 6, 7, 8, 9, 10, 11].map((hour) => `${hour + 1} ${String(hour).padStart(2, "0")}:00`),
      ),
    )
  })

  test("shows everybody, or the busiest of many, or those with a name", () => {
    expect(laneGroups(scene, "").map(({ actors, all }) => [actors.length, all])).toEqual([
      [6, 6],
      [12, 12],
    ])
    const many = new Scene(madeUpHead())
    many.append(madeUpChunk({ runners: 3, vehicles: 30, orders: 120 }))
    const groups = laneGroups(many, "")
    expect(groups.map(({ actors, all }) => [actors.length, all])).toEqual([
      [6, 6],
      [24, 60],
    ])
    expect(needsFilter(groups)).toBe(true)
    expect(laneGroups(many, "vehicle-29").map(({ actors }) => actors.length)).toEqual([0, 2])
  })

  test("colours are mixed over their ground", () => {
    expect(mixed("#ff0000", "#0000ff", 0.5)).toBe("#800080")
    expect(mixed("#ff0000", "#0000ff", 1)).toBe("#ff0000")
  })
})

describe("a run in its worker", () => {
  function opened() {
    const sent: ToReplayWorker[] = []
    const worker = {
      addEventListener: () => {},
      postMessage: (message: ToReplayWorker) => sent.push(message),
      terminate: () => {},
    }
    const session = new Session({
      run: { file: "a.yaml", text: "", beside: {}, seed: 21 },
      start: () => worker,
      onChange: () => {},
    })
    const token = sent[0]?.token ?? -1
    const take = (message: Record<string, unknown>): void =>
      session.take({ token, ...message } as unknown as FromReplayWorker)
    return { session, sent, token, take }
  }

  test("messages of another run are dropped", () => {
    const { session, token, take } = opened()
    take({ type: "opened", head: madeUpHead(), token: token + 1 })
    expect(session.scene).toBeNull()
    take({ type: "opened", head: madeUpHead(), numbers: [], offers: [] })
    expect(session.scene?.head.title).toBe("A lunch rush on both banks")
  })

  test("a run that fails or is stopped keeps what is computed", () => {
    const failing = opened()
    failing.take({ type: "opened", head: madeUpHead(), numbers: [], offers: [] })
    failing.take({ type: "chunk", turns: 12, chunk: partOf(madeUpChunk(), 0, NOON_MS) })
    failing.take({ type: "failed", mistake: { message: "a fault", place: null } })
    expect(failing.session.status).toEqual({
      is: "failed",
      mistake: { message: "a fault", place: null },
      turns: 12,
    })
    expect(failing.session.scene?.untilMs).toBe(NOON_MS)
    const stopped = opened()
    stopped.take({ type: "opened", head: madeUpHead(), numbers: [], offers: [] })
    stopped.session.stop()
    expect(stopped.session.status.is).toBe("stopped")
  })

  test("seeds have a token of their own, and none is taken after their end", () => {
    const { session, sent, token, take } = opened()
    const answers: unknown[] = []
    const end = session.onSeeds([7, 8], (answer) => answers.push(answer))
    const asked = sent.at(-1)
    expect(asked).toMatchObject({ type: "seeds", seeds: [7, 8] })
    expect(asked?.token).not.toBe(token)
    const figures = { asked: 1, completed: 1, late: 0, lost: 0, cost: null }
    take({ type: "figures", token: asked?.token, seed: 7, figures })
    expect(answers).toHaveLength(1)
    take({ type: "failed", token: asked?.token, mistake: { message: "stuck", place: null } })
    expect(answers).toHaveLength(2)
    expect(session.status.is).toBe("opening")
    end()
    expect(sent.at(-1)).toEqual({ type: "cancel", token: asked?.token })
    take({ type: "figures", token: asked?.token, seed: 8, figures })
    expect(answers).toHaveLength(2)
  })

  test("a journal is asked for once, and again when the run is done", () => {
    const { session, sent, take } = opened()
    take({ type: "opened", head: madeUpHead(), numbers: [], offers: [] })
    session.askJournal("delivery/dlv_1")
    session.askJournal("delivery/dlv_1")
    expect(sent.length).toBe(2)
    take({ type: "done", digest: "d", turns: 1 })
    session.askJournal("delivery/dlv_1")
    expect(sent.length).toBe(3)
  })
})
