/** One agenda, and on it the clock and the scheduler that Effect sees, beside the timers of machines. */

import { Chunk, Clock, Duration, Effect, Exit, Fiber, Random, Runtime, Schedule } from "effect"
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest"
import { RANK } from "../../../src/engine/kernel/agenda.ts"
import { EngineFault } from "../../../src/engine/kernel/faults.ts"
import { SimulatedTime } from "../../../src/engine/kernel/simulated-time.ts"
import { MemoryHost } from "../../../src/engine/memory/memory-host.ts"
import { contextAt, puppets } from "./puppet.ts"

const hostTimers = ["setTimeout", "setInterval", "setImmediate", "queueMicrotask"] as const
const spies = new Map<string, { readonly mock: { readonly calls: readonly unknown[] } }>()

beforeEach(() => {
  for (const name of hostTimers) spies.set(name, vi.spyOn(globalThis, name))
  spies.set("nextTick", vi.spyOn(process, "nextTick"))
})

afterEach(() => vi.restoreAllMocks())

const usedHostTimers = (): readonly string[] =>
  [...spies].filter(([, spy]) => spy.mock.calls.length > 0).map(([name]) => name)

interface Lab {
  readonly host: MemoryHost
  readonly time: SimulatedTime
  readonly log: string[]
  /** Milliseconds since the run began. */
  readonly now: () => number
  readonly note: (what: string) => Effect.Effect<void>
  readonly fork: <A, E>(effect: Effect.Effect<A, E>) => Fiber.RuntimeFiber<A, E>
}

function openLab(seed = 1): Lab {
  const host = new MemoryHost({ program: puppets, seed, startMs: 10_000, recording: "full" })
  const runtime = Effect.runSync(host.simulated(Effect.runtime()))
  const log: string[] = []
  const now = (): number => host.time.nowMs - 10_000
  const note = (what: string): Effect.Effect<void> => Effect.sync(() => void log.push(`${now()} ${what}`))
  return { host, time: host.time, log, now, note, fork: (effect) => Runtime.runFork(runtime)(effect) }
}

describe("simulated time", () => {
  test("sleeps, schedules, timeouts, races and the timers of machines interleave in exact due order", () => {
    const { host, time, log, now, note, fork } = openLab()
    host.onTurn(
      (result, input) =>
        void log.push(`${now()} ${input.by} ${input.event?.type ?? "start"} r${result.group.revision}`),
    )
    host.command({ to: "show/one", start: { machine: "puppet@1", input: {} } })
    host.command({ to: "show/one", event: { type: "wait", delays: [15, 15, 20] } })
    fork(Effect.zipRight(Effect.sleep(10), note("slept 10")))
    fork(Effect.zipRight(Effect.sleep(30), note("slept 30")))
    fork(Effect.repeat(note("spaced"), Schedule.spaced("20 millis").pipe(Schedule.upTo("40 millis"))))
    fork(
      Effect.retry(
        Effect.zipRight(note("tried"), Effect.fail("no")),
        Schedule.exponential("5 millis").pipe(Schedule.intersect(Schedule.recurs(3))),
      ),
    )
    fork(
      Effect.sleep(100).pipe(
        Effect.timeout(25),
        Effect.catchTag("TimeoutException", () => note("timed out")),
      ),
    )
    fork(
      Effect.race(Effect.as(Effect.sleep(45), "slow"), Effect.as(Effect.sleep(35), "fast")).pipe(
        Effect.flatMap((winner) => note(`${winner} won`)),
      ),
    )
    const after = "timer xstate.after.the first delay.puppet.open.waiting"
    time.run()
    expect(log).toEqual([
      "0 command start r1",
      "0 command wait r2",
      "0 spaced",
      "0 tried",
      "5 tried",
      "10 slept 10",
      `15 ${after} r3`,
      "15 tried",
      "20 spaced",
      "25 timed out",
      `30 ${after} r4`,
      "30 slept 30",
      "35 fast won",
      "35 tried",
      "40 spaced",
      `50 ${after} r5`,
    ])
    expect(contextAt(host.groups.get("show/one"), "show/one").heard).toEqual([
      { atMs: 10_015 },
      { atMs: 10_030 },
      { atMs: 10_050 },
    ])
    expect(usedHostTimers()).toEqual([])
  })

  test("what lost a race or timed out is dead on the agenda and moves no time", () => {
    const { time, now, fork } = openLab()
    fork(Effect.race(Effect.sleep("1 hour"), Effect.sleep(5)))
    fork(Effect.timeoutOption(Effect.sleep("2 hours"), 6))
    time.run()
    expect(now()).toBe(6)
    expect(time.agenda.size).toBe(0)
  })

  test("an interrupted sleeper does not hold up the clock", () => {
    const { time, now, note, log, fork } = openLab()
    const sleeper = fork(Effect.onInterrupt(Effect.sleep("1 day"), () => note("woken")))
    fork(Effect.zipRight(Effect.sleep(3), Fiber.interrupt(sleeper)))
    time.run()
    expect(log).toEqual(["3 woken"])
    expect(now()).toBe(3)
  })

  test("Effect reads the agenda's clock, in milliseconds and nanoseconds", () => {
    const { time, fork } = openLab()
    const fiber = fork(
      Effect.gen(function* () {
        yield* Effect.sleep("1500 micros")
        return [yield* Clock.currentTimeMillis, yield* Clock.currentTimeNanos] as const
      }),
    )
    time.run()
    expect(fiber.unsafePoll()).toEqual(Exit.succeed([10_002, 10_002_000_000n]))
  })

  test("a sleep of no time waits its turn behind what is due", () => {
    const { time, log, note, fork } = openLab()
    fork(Effect.zipRight(Effect.sleep(0), note("slept 0")))
    time.schedule(0, RANK.timer, () => log.push("a timer that was due in the past"))
    time.run()
    expect(log).toEqual(["a timer that was due in the past", "0 slept 0"])
  })

  test("a sleep without end never ends, and time does not run to infinity", () => {
    const { time, now, log, note, fork } = openLab()
    const fiber = fork(Effect.zipRight(Effect.sleep(Duration.infinity), note("woken")))
    fork(Effect.sleep(4))
    time.run()
    expect(log).toEqual([])
    expect(fiber.unsafePoll()).toBeNull()
    expect(now()).toBe(4)
  })

  test("Effect's Random is seeded by the run", () => {
    const drawn = (seed: number): unknown => {
      const { time, fork } = openLab(seed)
      const fiber = fork(
        Effect.all([Random.next, Random.nextIntBetween(0, 1_000), Random.shuffle([1, 2, 3, 4])]),
      )
      time.run()
      const exit = fiber.unsafePoll()
      if (exit === null || Exit.isFailure(exit)) throw new Error("no numbers were drawn")
      const [next, int, shuffled] = exit.value
      return [next, int, Chunk.toReadonlyArray(shuffled)]
    }
    expect(drawn(1)).toEqual(drawn(1))
    expect(drawn(1)).not.toEqual(drawn(2))
  })

  test("jitter is drawn from the run too", () => {
    const lasted = (seed: number): number => {
      const { time, now, fork } = openLab(seed)
      fork(
        Effect.repeat(
          Effect.void,
          Schedule.spaced("1 second").pipe(Schedule.jittered, Schedule.upTo("1 minute")),
        ),
      )
      time.run()
      return now()
    }
    expect(lasted(3)).toBe(lasted(3))
    expect(lasted(3)).not.toBe(lasted(4))
    expect(usedHostTimers()).toEqual([])
  })
})

describe("the order of things at one instant", () => {
  test("timers come before messages before commands and sleeps", () => {
    const { time, log, note, fork } = openLab()
    const at = time.nowMs + 10
    time.schedule(at, RANK.command, () => log.push("command"))
    fork(Effect.zipRight(Effect.sleep(10), note("sleep")))
    time.schedule(at, RANK.message, () => log.push("message"))
    time.schedule(at, RANK.timer, () => log.push("timer"))
    time.run()
    expect(log).toEqual(["timer", "message", "command", "10 sleep"])
  })

  test("tasks of fibers are drained before the agenda moves, those that they cause included", () => {
    const { time, log, note, fork } = openLab()
    time.schedule(time.nowMs, RANK.timer, () => {
      log.push("first")
      fork(
        Effect.gen(function* () {
          yield* Effect.yieldNow()
          yield* note("yielded once")
          yield* Effect.fork(note("child"))
          yield* Effect.yieldNow()
          yield* Effect.yieldNow()
          yield* note("yielded thrice")
        }),
      )
    })
    time.schedule(time.nowMs, RANK.timer, () => log.push("second"))
    time.run()
    expect(log).toEqual(["first", "0 yielded once", "0 child", "0 yielded thrice", "second"])
    expect(usedHostTimers()).toEqual([])
  })

  test("tasks wait in one queue, first come first served", () => {
    const { time, log, note, fork } = openLab()
    for (const name of ["a", "b", "c"]) fork(Effect.zipRight(Effect.yieldNow(), note(name)))
    time.run()
    expect(log).toEqual(["0 a", "0 b", "0 c"])
  })
})

describe("a run", () => {
  test("takes what is due up to its end, the end included, and leaves the rest", () => {
    const time = new SimulatedTime(0)
    const log: number[] = []
    for (const dueMs of [30, 10, 20]) time.schedule(dueMs, RANK.timer, () => log.push(dueMs))
    time.run(20)
    expect(log).toEqual([10, 20])
    expect(time.nowMs).toBe(20)
    time.run(25)
    expect(time.nowMs, "the clock never moves past the last entry").toBe(20)
    time.run()
    expect(log).toEqual([10, 20, 30])
  })

  test("dead entries are skipped without moving time", () => {
    const time = new SimulatedTime(0)
    time.schedule(10, RANK.timer, () => undefined)
    time.schedule(
      99,
      RANK.timer,
      () => undefined,
      () => false,
    )
    time.run()
    expect(time.nowMs).toBe(10)
    expect(time.entries).toBe(1)
  })

  test("what is due in the past is due now", () => {
    const time = new SimulatedTime(1_000)
    expect(time.schedule(3, RANK.timer, () => undefined).dueMs).toBe(1_000)
    time.run()
    expect(time.nowMs).toBe(1_000)
  })

  test("a watcher is called around every entry, and before the agenda is found empty", () => {
    const time = new SimulatedTime(0)
    const log: string[] = []
    time.schedule(10, RANK.timer, () => log.push("entry"))
    time.run(Number.POSITIVE_INFINITY, {
      beforeEntry: () => log.push(`before at ${time.nowMs}`),
      afterEntry: () => log.push(`after at ${time.nowMs}`),
    })
    expect(log).toEqual(["before at 0", "entry", "after at 10", "before at 10"])
  })

  test("an advance inside an advance is a fault, and the next run is a run again", () => {
    const time = new SimulatedTime(0)
    time.schedule(10, RANK.timer, () => time.run())
    expect(() => time.run()).toThrow("an advance inside an advance: at 10 ms")
    time.run()
  })

  test("moving the clock by hand inside an advance is a fault as well", () => {
    const time = new SimulatedTime(0)
    time.schedule(10, RANK.timer, () => time.advanceTo(500))
    expect(() => time.run()).toThrow("an advance inside an advance")
    expect(time.nowMs).toBe(10)
  })

  test("the clock moves by hand over empty time alone, and never back", () => {
    const time = new SimulatedTime(0)
    time.advanceTo(100)
    time.advanceTo(50)
    expect(time.nowMs).toBe(100)
    time.schedule(200, RANK.timer, () => undefined)
    time.advanceTo(200)
    expect(() => time.advanceTo(201)).toThrow("an entry is due at 200 ms")
  })

  test("a fault that a fiber reports ends the run", () => {
    const { time, log, fork, note } = openLab()
    const fault = new EngineFault({ reason: "a fiber died", at: null, found: "as a test" })
    fork(
      Effect.zipRight(
        Effect.sleep(5),
        Effect.sync(() => time.fail(fault)),
      ),
    )
    fork(Effect.zipRight(Effect.sleep(6), note("went on")))
    expect(() => time.run()).toThrow(fault)
    expect(log).toEqual([])
  })
})
