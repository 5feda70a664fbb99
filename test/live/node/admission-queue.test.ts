/** The admission queue on a clock that the tests move: how many are let in, who is next, who is turned away, and why. */

import { describe, expect, test } from "vitest"
import { AdmissionQueue } from "../../../src/live/concurrency/admission-queue.ts"
import type { QueueClock } from "../../../src/live/concurrency/admission-queue.ts"
import type { Entered, Entry, EntryKind, Place } from "../../../src/http/access/admission-queue.ts"
import {
  ADMISSION_INTERVAL_MS,
  ADMISSION_LIMIT_FIRST,
  ADMISSION_LIMIT_MAX,
  ADMISSION_LIMIT_MIN,
  ADMISSION_STANDING_MS,
  ADMISSION_WAITING_MAX,
  ADMISSION_WAIT_BURST_MS_MAX,
  ADMISSION_WAIT_CALM_MS_MAX,
  ADMISSION_WAIT_STANDING_MS_MAX,
  OVERLOADED_MS_MAX,
  OVERLOAD_PAUSE_MS_MAX,
  TRANSACTION_WAIT_MS_WANTED,
} from "../../../src/live/configuration/bounds.ts"

interface Line {
  readonly queue: AdmissionQueue
  readonly counted: { admitted: number; left: number; full: number; late: number }
  /** Moves the clock, and lets every timer run at its instant. */
  readonly advance: (ms: number) => void
  /** Enters, and notes how it ended. */
  readonly enter: (share?: string, kind?: EntryKind) => Asked
  /** Takes every place that is free. */
  readonly fill: () => Promise<readonly Place[]>
}

interface Asked {
  readonly entry: Entry
  readonly share: string
  ended: Entered | null
}

function makeLine(): Line {
  let nowMs = 0
  let timers: { readonly atMs: number; readonly run: () => void }[] = []
  const clock: QueueClock = {
    nowMs: () => nowMs,
    after: (ms, run) => {
      const timer = { atMs: nowMs + ms, run }
      timers.push(timer)
      return () => (timers = timers.filter((one) => one !== timer))
    },
    soon: queueMicrotask,
  }
  const counted = { admitted: 0, left: 0, full: 0, late: 0 }
  const queue = new AdmissionQueue(clock, {
    onAdmitted: () => (counted.admitted += 1),
    onLeft: () => (counted.left += 1),
    onShed: (reason) => (counted[reason] += 1),
  })
  const enter: Line["enter"] = (share = "org", kind = "fresh") => {
    const entry = queue.enter({ share, kind })
    const asked: Asked = { entry, share, ended: null }
    void entry.entered.then((ended) => (asked.ended = ended))
    return asked
  }
  return {
    queue,
    counted,
    advance: (ms) => {
      const untilMs = nowMs + ms
      for (;;) {
        const [next] = timers.filter(({ atMs }) => atMs <= untilMs).toSorted((a, b) => a.atMs - b.atMs)
        if (next === undefined) break
        timers = timers.filter((one) => one !== next)
        nowMs = next.atMs
        next.run()
      }
      nowMs = untilMs
    },
    enter,
    fill: async () => {
      const free = queue.figures.limit - queue.figures.inFlight
      return Promise.all(Array.from({ length: free }, () => placeOf(enter("filler"))))
    },
  }
}

/** Runs everything that was scheduled with `soon`. */
function allSettled(): Promise<void> {
  return new Promise((resolve) => void setImmediate(resolve))
}

async function placeOf({ entry }: Asked): Promise<Place> {
  const entered = await entry.entered
  if (entered.type !== "admitted") throw new Error(`was ${entered.type}`)
  return entered.place
}

async function endsOf(asked: readonly Asked[]): Promise<readonly string[]> {
  await allSettled()
  return asked.map(({ ended }) => {
    if (ended === null) return "waits"
    return ended.type === "shed" ? ended.reason : ended.type
  })
}

describe("places", () => {
  test("a request is admitted at once while there is one, and its place is free when it leaves", async () => {
    const line = makeLine()
    const places = await line.fill()
    expect(line.queue.figures).toEqual({
      inFlight: ADMISSION_LIMIT_FIRST,
      waiting: 0,
      limit: ADMISSION_LIMIT_FIRST,
    })
    const next = line.enter()
    expect(await endsOf([next])).toEqual(["waits"])
    places[0]?.leave()
    expect(await endsOf([next])).toEqual(["admitted"])
  })

  test("leaving twice frees one place", async () => {
    const line = makeLine()
    const [place] = await line.fill()
    const two = [line.enter(), line.enter()]
    place?.leave()
    place?.leave()
    expect(await endsOf(two)).toEqual(["admitted", "waits"])
  })

  test("what was admitted before and comes back with its body goes first", async () => {
    const line = makeLine()
    const [place] = await line.fill()
    const fresh = line.enter("org")
    const back = line.enter("org", "resumed")
    place?.leave()
    expect(await endsOf([fresh, back])).toEqual(["waits", "admitted"])
  })

  test("organizations take turns, however many requests one of them has", async () => {
    const line = makeLine()
    const places = await line.fill()
    const many = Array.from({ length: 4 }, () => line.enter("many"))
    const few = [line.enter("few"), line.enter("few")]
    const other = [line.enter("other")]
    for (const place of places.slice(0, 5)) place.leave()
    expect(await endsOf(many)).toEqual(["admitted", "admitted", "waits", "waits"])
    expect(await endsOf([...few, ...other])).toEqual(["admitted", "admitted", "admitted"])
  })
})

describe("the limit", () => {
  const steps = (line: Line, count: number, waitMs: number | null): void => {
    for (let step = 0; step < count; step += 1) {
      if (waitMs !== null) line.queue.observeWait(waitMs)
      line.advance(ADMISSION_INTERVAL_MS)
      line.enter().entry.withdraw()
    }
  }

  test("falls to its least while even the shortest wait for a transaction is too long", () => {
    const line = makeLine()
    steps(line, 1, TRANSACTION_WAIT_MS_WANTED + 1)
    expect(line.queue.figures.limit).toBe(57)
    steps(line, 100, TRANSACTION_WAIT_MS_WANTED + 1)
    expect(line.queue.figures.limit).toBe(ADMISSION_LIMIT_MIN)
  })

  test("stays when one transaction of many began at once: the queue in front of the database does not stand", async () => {
    const line = makeLine()
    line.queue.observeWait(10 * TRANSACTION_WAIT_MS_WANTED)
    line.queue.observeWait(0)
    steps(line, 1, null)
    expect(line.queue.figures.limit).toBe(ADMISSION_LIMIT_FIRST)
  })

  test("rises to its most while requests wait here and none for a transaction", async () => {
    const line = makeLine()
    for (let step = 0; step < 60; step += 1) {
      await line.fill()
      line.enter()
      line.queue.observeWait(1)
      line.advance(ADMISSION_INTERVAL_MS)
    }
    expect(line.queue.figures.limit).toBe(ADMISSION_LIMIT_MAX)
  })

  test("does not rise while no request waits: nothing says that more would go well", () => {
    const line = makeLine()
    for (let step = 0; step < 60; step += 1) {
      line.queue.observeWait(1)
      line.advance(ADMISSION_INTERVAL_MS)
    }
    expect(line.queue.figures.limit).toBe(ADMISSION_LIMIT_FIRST)
  })
})

describe("overload", () => {
  /** The limit does not move. */
  const held = (line: Line): void => line.queue.observeWait(TRANSACTION_WAIT_MS_WANTED + 1)

  test("in a burst a request waits longer than in a queue that stands, and is then told to come back", async () => {
    const line = makeLine()
    const places = await line.fill()
    // The queue empties now and then, so it is not a standing queue.
    const step = (): void => {
      held(line)
      line.advance(ADMISSION_INTERVAL_MS)
    }
    for (let ms = 0; ms < ADMISSION_STANDING_MS; ms += ADMISSION_INTERVAL_MS) step()
    while (line.queue.figures.inFlight > line.queue.figures.limit)
      places[line.queue.figures.inFlight - 1]?.leave()
    const asked = line.enter()
    for (let ms = 0; ms < ADMISSION_STANDING_MS; ms += ADMISSION_INTERVAL_MS) step()
    expect(await endsOf([asked])).toEqual(["waits"])
    for (let ms = 0; ms <= ADMISSION_WAIT_BURST_MS_MAX; ms += ADMISSION_INTERVAL_MS) step()
    expect(await endsOf([asked])).toEqual(["late"])
    expect(asked.ended).toEqual({ type: "shed", reason: "late", retryAfterSeconds: 1 })
  })

  test("a process that was held up for long rejects no request for which there is a place", async () => {
    const line = makeLine()
    const asked = Array.from({ length: ADMISSION_LIMIT_FIRST }, () => line.enter())
    // No callback runs in this time but the queue's own timer, which comes first.
    line.advance(4 * ADMISSION_WAIT_BURST_MS_MAX)
    expect(new Set(await endsOf(asked))).toEqual(new Set(["admitted"]))
    expect(line.counted.late).toBe(0)
  })

  test("in a queue that stands, a request waits for less", async () => {
    const line = makeLine()
    // The limit is at its least, and stays there.
    for (let step = 0; step < 100; step += 1) {
      held(line)
      line.advance(ADMISSION_INTERVAL_MS)
    }
    const places = await line.fill()
    let shedAfterMs: number | null = null
    for (let ms = 0; ms < 4 * ADMISSION_STANDING_MS && shedAfterMs === null; ms += 50) {
      line.enter("flood")
      held(line)
      line.advance(50)
      if (line.counted.late > 0) shedAfterMs = ms
    }
    expect(places).toHaveLength(ADMISSION_LIMIT_MIN)
    const late = line.enter("org")
    const waited: number[] = []
    for (let ms = 0; ms <= ADMISSION_WAIT_BURST_MS_MAX; ms += 50) {
      if ((await endsOf([late]))[0] === "waits") waited.push(ms)
      held(line)
      line.advance(50)
    }
    expect(waited.at(-1)).toBeLessThanOrEqual(ADMISSION_WAIT_STANDING_MS_MAX + 2 * ADMISSION_INTERVAL_MS)
  })

  /** A line with the least limit, of which every place is taken. */
  const fullLine = async () => {
    const line = makeLine()
    const pass = (ms: number): void => {
      for (let left = ms; left > 0; left -= ADMISSION_INTERVAL_MS) {
        held(line)
        line.advance(ADMISSION_INTERVAL_MS)
      }
    }
    pass(100 * ADMISSION_INTERVAL_MS)
    return { line, pass, places: await line.fill() }
  }

  test.each(["fresh", "resumed"] as const)(
    "a lone request of a calm organization is not turned away by its age alone (%s)",
    async (kind) => {
      const { line, pass, places } = await fullLine()
      const flood = Array.from({ length: 50 }, () => line.enter("flood", kind))
      const calm = line.enter("calm", kind)
      const stranger = [line.enter("other", kind), line.enter("other", kind)]
      pass(ADMISSION_WAIT_BURST_MS_MAX + ADMISSION_INTERVAL_MS)
      expect(new Set(await endsOf(flood))).toEqual(new Set(["late"]))
      expect(await endsOf([calm, ...stranger])).toEqual(["waits", "waits", "waits"])
      // The flood goes on, and a place is free: it is the turn of those who waited.
      for (let count = 0; count < 50; count += 1) line.enter("flood", kind)
      for (const place of places.slice(0, 3)) place.leave()
      expect(await endsOf([calm, ...stranger.slice(0, 1)])).toEqual(["admitted", "admitted"])
    },
  )

  test("a request that returns from other work is admitted where another is late, and does not count as turned away", async () => {
    const { line, pass } = await fullLine()
    const { inFlight } = line.queue.figures
    const asked = [line.enter("org", "returning"), line.enter("org", "resumed")]
    pass(ADMISSION_WAIT_BURST_MS_MAX + ADMISSION_INTERVAL_MS)
    expect(await endsOf(asked)).toEqual(["admitted", "late"])
    expect(line.counted.late).toBe(1)
    // It is in flight beyond the limit, so that it delays those who are not admitted yet.
    expect(line.queue.figures).toMatchObject({ inFlight: inFlight + 1, waiting: 0 })
  })

  test("a calm organization is turned away, too, when no place becomes free for long", async () => {
    const { line, pass } = await fullLine()
    const calm = line.enter("calm")
    for (let ms = 0; ms <= ADMISSION_WAIT_CALM_MS_MAX; ms += ADMISSION_INTERVAL_MS) {
      for (let count = 0; count < 3; count += 1) line.enter("flood")
      expect(await endsOf([calm])).toEqual(["waits"])
      pass(ADMISSION_INTERVAL_MS)
    }
    pass(ADMISSION_INTERVAL_MS)
    expect(await endsOf([calm])).toEqual(["late"])
  })

  test("organizations with one request each are no calm ones: all of them fill the queue", async () => {
    const { line, pass } = await fullLine()
    const asked = Array.from({ length: 20 }, (_, at) => line.enter(`org ${at}`))
    pass(ADMISSION_WAIT_BURST_MS_MAX + ADMISSION_INTERVAL_MS)
    expect(new Set(await endsOf(asked))).toEqual(new Set(["late"]))
  })

  test("requests that return with their bodies take turns by organization", async () => {
    const { line, places } = await fullLine()
    const flood = Array.from({ length: 20 }, () => line.enter("flood", "resumed"))
    const calm = line.enter("calm", "resumed")
    places[0]?.leave()
    places[1]?.leave()
    expect(await endsOf([calm, ...flood.slice(0, 2)])).toEqual(["admitted", "admitted", "waits"])
  })

  test("a full queue turns away the newest of the share that has most in it", async () => {
    const line = makeLine()
    const [place] = await line.fill()
    const flood = Array.from({ length: ADMISSION_WAITING_MAX }, () => line.enter("flood"))
    const more = line.enter("flood")
    const other = line.enter("quiet")
    expect(await endsOf([more, flood[0] ?? more, flood.at(-1) ?? more, other])).toEqual([
      "full",
      "waits",
      "full",
      "waits",
    ])
    expect(line.queue.figures.waiting).toBe(ADMISSION_WAITING_MAX)
    place?.leave()
    place?.leave()
    expect(line.counted.full).toBe(2)
  })

  test("a client that leaves takes its request with it", async () => {
    const line = makeLine()
    const [place] = await line.fill()
    const gone = line.enter()
    const next = line.enter()
    gone.entry.withdraw()
    place?.leave()
    expect(await endsOf([gone, next])).toEqual(["left", "admitted"])
    gone.entry.withdraw()
    next.entry.withdraw()
    expect([line.counted.left, line.queue.figures.waiting]).toEqual([1, 0])
  })

  test("is told from its first refusal to the pause after its last", async () => {
    const line = makeLine()
    await line.fill()
    const flood = (): void => {
      while (line.queue.figures.waiting < ADMISSION_WAITING_MAX) line.enter("flood")
      line.enter("flood")
      held(line)
    }
    expect(line.queue.sheddingMs).toBe(0)
    flood()
    for (let ms = 0; ms < OVERLOADED_MS_MAX; ms += ADMISSION_INTERVAL_MS) {
      line.advance(ADMISSION_INTERVAL_MS)
      flood()
    }
    expect(line.queue.sheddingMs).toBeGreaterThanOrEqual(OVERLOADED_MS_MAX)
    // Those who wait are turned away, the last of them now.
    line.advance(ADMISSION_WAIT_BURST_MS_MAX + ADMISSION_INTERVAL_MS)
    line.advance(OVERLOAD_PAUSE_MS_MAX + 1)
    expect(line.queue.sheddingMs).toBe(0)
  })
})
