/** The parts of the fleet replay's page that need no browser: playhead, address, counters, sentences, lanes, and the work of a frame. */

import { beforeAll, describe, expect, test } from "vitest"
import type { FromReplayWorker, ToReplayWorker } from "../../../src/model/replay/messages.ts"
import { readMoment, readSpan, withMoment, writtenSpan } from "../../../src/pages/web/replay/address.ts"
import { curbAt } from "../../../src/pages/web/replay/curb/curb-scene.ts"
import { laneGroups, needsFilter } from "../../../src/pages/web/replay/dock/lane-rows.ts"
import { ticksOf } from "../../../src/pages/web/replay/dock/time-axis.ts"
import { drawMarks } from "../../../src/pages/web/replay/map/drawing.ts"
import { MapMarks, markAt } from "../../../src/pages/web/replay/map/marks.ts"
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
import { doingAt, promisedAt, shortName } from "../../../src/pages/web/replay/seen/actor-words.ts"
import { countsAt, longestWait, sentenceAt } from "../../../src/pages/web/replay/seen/moment.ts"
import { isLateAt, isOpenAt, stageAt } from "../../../src/pages/web/replay/seen/orders.ts"
import { mixed, paletteFrom } from "../../../src/pages/web/replay/seen/palette.ts"
import { GRID_MS, Scene } from "../../../src/pages/web/replay/seen/scene.ts"
import { dwell, inWords } from "../../../src/pages/web/replay/seen/times.ts"
import { Session } from "../../../src/pages/web/replay/session.ts"
import { madeUpChunk, madeUpHead, partOf } from "./made-up-course.ts"

const MINUTE_MS = 60_000
const NOON_MS = 90 * MINUTE_MS

let scene: Scene

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
      const tickets = curb?.stores.flatMap((store) => store.tickets) ?? []
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

  test("a frame with 1,000 vehicles takes a bounded number of strokes, whatever the vehicles do", () => {
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
      drawMarks(counting.context, { marks: seen, view, palette, picked: null, taken: [] })
      // Three paths for each hundred vehicles, one for each hundred doors and look, and a bounded number of labels.
      expect(counting.of("stroke") + counting.of("fill")).toBeLessThan(160)
      expect(counting.of("fillText")).toBeLessThanOrEqual(24)
      expect(counting.segmentsMax).toBeLessThanOrEqual(500)
    }
  })
})

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

describe("the time line", () => {
  test("has times at whole steps of local time", () => {
    const ticks = ticksOf({ width: 1300, endMs: 210 * MINUTE_MS }, scene.head.startMs, scene.clock)
    expect(ticks.map(({ text }) => text).slice(0, 3)).toEqual(["11:00", "11:15", "11:30"])
    expect(ticksOf({ width: 300, endMs: 210 * MINUTE_MS }, scene.head.startMs, scene.clock).length).toBe(4)
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
    take({ type: "opened", head: madeUpHead(), numbers: [] })
    expect(session.scene?.head.title).toBe("A lunch rush on both banks")
  })

  test("a run that fails or is stopped keeps what is computed", () => {
    const failing = opened()
    failing.take({ type: "opened", head: madeUpHead(), numbers: [] })
    failing.take({ type: "chunk", turns: 12, chunk: partOf(madeUpChunk(), 0, NOON_MS) })
    failing.take({ type: "failed", mistake: { message: "a fault", place: null } })
    expect(failing.session.status).toEqual({
      is: "failed",
      mistake: { message: "a fault", place: null },
      turns: 12,
    })
    expect(failing.session.scene?.untilMs).toBe(NOON_MS)
    const stopped = opened()
    stopped.take({ type: "opened", head: madeUpHead(), numbers: [] })
    stopped.session.stop()
    expect(stopped.session.status.is).toBe("stopped")
  })

  test("a journal is asked for once, and again when the run is done", () => {
    const { session, sent, take } = opened()
    take({ type: "opened", head: madeUpHead(), numbers: [] })
    session.askJournal("delivery/dlv_1")
    session.askJournal("delivery/dlv_1")
    expect(sent.length).toBe(2)
    take({ type: "done", digest: "d", turns: 1 })
    session.askJournal("delivery/dlv_1")
    expect(sent.length).toBe(3)
  })
})
