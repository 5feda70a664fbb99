/**
 * The time of a simulated run: one agenda, and on it the Clock, the Scheduler and the Random that Effect uses, so that
 * `Effect.sleep`, `Schedule`, `timeout` and machine timers interleave in exact due order. Fiber tasks wait in one FIFO
 * that is drained before the agenda moves; no host timer is used.
 */

import { Cause, Chunk, Clock, Duration, Effect, Exit, Random, Supervisor } from "effect"
import type { Context, Fiber, Option, Scheduler } from "effect"
import { ENTRIES_PER_INSTANT_MAX, RUN_ENTRIES_MAX } from "../../model/values/limits.ts"
import type { EpochMs } from "../../model/values/time.ts"
import { Agenda, RANK } from "./agenda.ts"
import type { AgendaEntry, Rank } from "./agenda.ts"
import { EngineFault } from "./faults.ts"
import type { Streams } from "./random.ts"

/** Called before and after every agenda entry: for checks, restarts between entries, progress. */
export interface AgendaWatcher {
  readonly beforeEntry?: () => void
  readonly afterEntry?: () => void
}

export class SimulatedTime {
  readonly agenda = new Agenda()
  readonly clock: Clock.Clock
  readonly scheduler: Scheduler.Scheduler
  readonly #fibers = new LiveFibers((fault) => this.fail(fault))
  #nowMs: EpochMs
  #tasks: (() => void)[] = []
  #isAdvancing = false
  #isInTransaction = false
  #entries = 0
  #entriesAtInstant = 0
  #fault: EngineFault | null = null

  constructor(startMs: EpochMs) {
    this.#nowMs = startMs
    this.clock = this.#makeClock()
    this.scheduler = this.#makeScheduler()
  }

  get nowMs(): EpochMs {
    return this.#nowMs
  }

  /** Agenda entries run so far. */
  get entries(): number {
    return this.#entries
  }

  /** Puts an entry on the agenda. An entry whose due time has passed is due now. */
  schedule(dueMs: EpochMs, rank: Rank, run: () => void, isLive: () => boolean = always): AgendaEntry {
    const entry = {
      dueMs: Math.max(dueMs, this.#nowMs),
      rank,
      sequence: this.agenda.nextSequence(),
      isLive,
      run,
    }
    this.agenda.add(entry)
    return entry
  }

  /** Runs an effect on this Clock and Scheduler, and counts every fiber that it forks. */
  owning<A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> {
    return effect.pipe(
      Effect.withClock(this.clock),
      Effect.withScheduler(this.scheduler),
      Effect.supervised(this.#fibers),
    )
  }

  /** Fibers of this run that have not ended. When the agenda is empty they can never end. */
  get fibersAlive(): number {
    return this.#fibers.alive.size
  }

  /** Marks a transaction: while it is open, a fiber that sleeps or yields is a fault. */
  beginTransaction(): void {
    this.#isInTransaction = true
  }

  endTransaction(): void {
    this.#isInTransaction = false
  }

  /** Ends the run with a fault as soon as the current task returns. */
  fail(fault: EngineFault): void {
    this.#fault ??= fault
  }

  /** Runs everything that is due up to and including `untilMs`. The clock then shows the due time of the last entry. */
  run(untilMs: EpochMs = Number.POSITIVE_INFINITY, watcher: AgendaWatcher = {}): void {
    if (this.#isAdvancing) {
      throw new EngineFault({
        reason: "an advance inside an advance",
        at: null,
        found: `at ${this.#nowMs} ms`,
      })
    }
    this.#isAdvancing = true
    try {
      this.#drainTasks()
      for (;;) {
        watcher.beforeEntry?.()
        if (this.#tasks.length > 0) this.#drainTasks()
        const next = this.agenda.peek()
        if (next === undefined || next.dueMs > untilMs) return
        this.agenda.removeFirst()
        this.#moveTo(next.dueMs)
        next.run(next.subject)
        this.#drainTasks()
        watcher.afterEntry?.()
      }
    } finally {
      this.#isAdvancing = false
    }
  }

  /** Moves the clock forward over a period without entries. An earlier entry is a fault: `run` must take it first. */
  advanceTo(instantMs: EpochMs): void {
    if (this.#isAdvancing) {
      throw new EngineFault({
        reason: "an advance inside an advance",
        at: null,
        found: `at ${this.#nowMs} ms`,
      })
    }
    const next = this.agenda.peek()
    if (next !== undefined && next.dueMs < instantMs) {
      throw new EngineFault({
        reason: "time does not advance",
        at: null,
        found: `an entry is due at ${next.dueMs} ms`,
      })
    }
    this.#nowMs = Math.max(this.#nowMs, instantMs)
  }

  #moveTo(dueMs: EpochMs): void {
    this.#entries += 1
    if (this.#entries > RUN_ENTRIES_MAX) {
      throw new EngineFault({
        reason: "the run is too long",
        at: null,
        found: `${RUN_ENTRIES_MAX} agenda entries`,
      })
    }
    if (dueMs > this.#nowMs) {
      this.#nowMs = dueMs
      this.#entriesAtInstant = 0
    }
    this.#entriesAtInstant += 1
    if (this.#entriesAtInstant > ENTRIES_PER_INSTANT_MAX) {
      const found = `${ENTRIES_PER_INSTANT_MAX} agenda entries at ${dueMs} ms`
      throw new EngineFault({ reason: "time does not advance", at: null, found })
    }
  }

  #drainTasks(): void {
    if (this.#tasks.length === 0) return this.#assertSound()
    for (let at = 0; at < this.#tasks.length; at += 1) {
      if (at >= ENTRIES_PER_INSTANT_MAX) {
        const found = `${ENTRIES_PER_INSTANT_MAX} tasks of fibers at ${this.#nowMs} ms`
        throw new EngineFault({ reason: "time does not advance", at: null, found })
      }
      this.#tasks[at]?.()
    }
    this.#tasks = []
    this.#assertSound()
  }

  #assertSound(): void {
    if (this.#fault !== null || this.#isInTransaction) throw this.#fault ?? suspended("waits")
  }

  #makeClock(): Clock.Clock {
    const read = (): EpochMs => this.#nowMs
    return {
      [Clock.ClockTypeId]: Clock.ClockTypeId,
      unsafeCurrentTimeMillis: read,
      unsafeCurrentTimeNanos: () => BigInt(read()) * 1_000_000n,
      currentTimeMillis: Effect.sync(read),
      currentTimeNanos: Effect.sync(() => BigInt(read()) * 1_000_000n),
      sleep: (duration) =>
        Effect.async<void>((resume) => {
          if (this.#isInTransaction) {
            resume(Effect.die(suspended("sleeps")))
            return
          }
          let isLive = true
          const dueMs = this.#nowMs + Math.ceil(Duration.toMillis(duration))
          // No entry is scheduled: the run finds fibers that wait forever when its agenda is empty.
          if (!Number.isFinite(dueMs)) return undefined
          this.schedule(
            dueMs,
            RANK.command,
            () => resume(Effect.void),
            () => isLive,
          )
          return Effect.sync(() => {
            isLive = false
          })
        }),
    }
  }

  #makeScheduler(): Scheduler.Scheduler {
    return {
      shouldYield: () => false,
      scheduleTask: (task) => {
        if (this.#isInTransaction) this.fail(suspended("yields"))
        this.#tasks.push(task)
      },
    }
  }
}

/** The fibers of one run. An engine fault that ends any fiber ends the run, even if no other fiber joins that one. */
class LiveFibers extends Supervisor.AbstractSupervisor<number> {
  readonly alive = new Set<Fiber.RuntimeFiber<unknown, unknown>>()
  readonly #fail: (fault: EngineFault) => void

  constructor(fail: (fault: EngineFault) => void) {
    super()
    this.#fail = fail
  }

  override get value(): Effect.Effect<number> {
    return Effect.sync(() => this.alive.size)
  }

  override onStart<A, E, R>(
    _: Context.Context<R>,
    __: Effect.Effect<A, E, R>,
    ___: Option.Option<Fiber.RuntimeFiber<unknown, unknown>>,
    fiber: Fiber.RuntimeFiber<A, E>,
  ): void {
    this.alive.add(fiber)
  }

  override onEnd<A, E>(exit: Exit.Exit<A, E>, fiber: Fiber.RuntimeFiber<A, E>): void {
    this.alive.delete(fiber)
    if (Exit.isSuccess(exit)) return
    for (const defect of Cause.defects(exit.cause)) if (defect instanceof EngineFault) this.#fail(defect)
  }
}

/** Effect's Random over one named stream. */
export function randomOver(streams: Streams, name: string): Random.Random {
  const next = Effect.sync(() => streams.fraction(name))
  const below = (max: number): Effect.Effect<number> =>
    Effect.map(next, (fraction) => Math.floor(fraction * max))
  return {
    [Random.RandomTypeId]: Random.RandomTypeId,
    next,
    nextBoolean: Effect.map(next, (fraction) => fraction >= 0.5),
    nextInt: below(Number.MAX_SAFE_INTEGER),
    nextRange: (min, max) => Effect.map(next, (fraction) => min + fraction * (max - min)),
    nextIntBetween: (min, max) => Effect.map(below(max - min), (offset) => min + offset),
    shuffle: (elements) =>
      Effect.sync(() => {
        const items = [...elements]
        for (let at = items.length - 1; at > 0; at -= 1) {
          const other = streams.between(name, { from: 0, to: at })
          const moved = items[at]
          items[at] = items[other] as (typeof items)[number]
          items[other] = moved as (typeof items)[number]
        }
        return Chunk.fromIterable(items)
      }),
  }
}

function always(): boolean {
  return true
}

function suspended(does: string): EngineFault {
  return new EngineFault({ reason: "a transaction suspended", at: null, found: `its body ${does}` })
}
