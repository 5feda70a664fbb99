/** The faults of a plan that a live host over a database can have. */

import { Effect } from "effect"
import type { Fiber } from "effect"
import { Streams } from "../kernel/random.ts"
import type { EpochMs } from "../model/time.ts"
import type { Areas, Performer } from "../services/host.ts"
import { Chance } from "../swarm/chance.ts"
import type { Coverage } from "../swarm/coverage.ts"
import type { Plan } from "../swarm/plan.ts"
import type { SqlService } from "./sql-service.ts"

type CommandFiber = Fiber.RuntimeFiber<unknown, unknown>

interface Time {
  readonly nowMs: () => EpochMs
  readonly startMs: EpochMs
}

export class SqlFaults {
  readonly #plan: Plan
  readonly #time: Time
  readonly #coverage: Coverage
  readonly #streams: Streams
  readonly #commands = new Set<CommandFiber>()
  #service: SqlService | null = null
  #crashes = 0

  constructor(plan: Plan, time: Time, coverage: Coverage) {
    this.#plan = plan
    this.#time = time
    this.#coverage = coverage
    this.#streams = new Streams(plan.seed)
  }

  startOn(service: SqlService): void {
    this.#service = service
  }

  began(fiber: CommandFiber): void {
    this.#commands.add(fiber)
  }

  ended(fiber: CommandFiber): void {
    this.#commands.delete(fiber)
  }

  losesAnswer(): boolean {
    return this.#strikes("lost answers", this.#plan.faults.lostAnswers)
  }

  /** The next step crashes. */
  crash(): void {
    this.#crashes += 1
  }

  /** A crash loses the calls and commands in flight; a transaction that has begun is whole. */
  async beforeStep(): Promise<void> {
    const { crashes, nodesLost } = this.#plan.faults
    if (this.#strikes("crashes", crashes + nodesLost)) this.#crashes += 1
    if (this.#crashes === 0 || this.#service === null) return
    this.#crashes = 0
    const commands = [...this.#commands]
    this.#commands.clear()
    for (const fiber of commands) fiber.unsafeInterruptAsFork(fiber.id())
    await Effect.runPromise(this.#service.host.dropCalls)
  }

  /** How late the host takes what is due next. */
  latenessMs(): number {
    const { lateTimers, lateTimerMsMax } = this.#plan.faults
    return this.#strikes("late timers", lateTimers) ? this.#chance("lateness").between(1, lateTimerMsMax) : 0
  }

  /** The performers with results that are lost or late. One that comes after the lease of its call is a second result. */
  readonly withAreas = (areas: Areas["Type"]): Areas["Type"] => ({
    ...areas,
    performers: areas.performers.map((one) => this.#unreliable(one)),
  })

  /** Without preparation, so that every call passes here. */
  #unreliable(performer: Performer): Performer {
    const { lostResults, lateResults, lateResultMsMax } = this.#plan.faults
    if (lostResults + lateResults === 0) return performer
    return {
      call: performer.call,
      perform: (call) =>
        Effect.gen(this, function* () {
          const result = yield* performer.perform(call)
          if (this.#strikes("lost results", lostResults)) return yield* Effect.interrupt
          if (this.#strikes("late results", lateResults))
            yield* Effect.sleep(this.#chance("late result").between(1, lateResultMsMax))
          return result
        }),
    }
  }

  #strikes(kind: string, permille: number): boolean {
    const elapsedMs = this.#time.nowMs() - this.#time.startMs
    if (permille === 0 || elapsedMs >= this.#plan.faultsEndMs) return false
    const strikes = this.#chance(kind).happens(permille)
    if (strikes) this.#coverage.add("fault", kind)
    return strikes
  }

  #chance(name: string): Chance {
    return new Chance(this.#streams, `faults/${name}`)
  }
}
