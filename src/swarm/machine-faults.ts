/**
 * The faults of the machines that run the service: crashes, lost nodes, results that are lost or come twice or late,
 * timers that are taken late. Each kind draws from a stream of its own, so that one fault less leaves the others.
 */

import { Cause, Chunk, Effect, FiberId, Option, Struct } from "effect"
import type { Fiber } from "effect"
import { Streams } from "../kernel/random.ts"
import type { EnvironmentPolicy } from "../services/policies.ts"
import type { Areas, Performer } from "../services/host.ts"
import { CommitLost } from "../simulation/memory-host.ts"
import type { MemoryHost } from "../simulation/memory-host.ts"
import { Chance } from "./chance.ts"
import type { Plan } from "./plan.ts"

/** True for a failure that is nothing but a lost commit. */
export function isCommitLost(cause: Cause.Cause<unknown>): boolean {
  return Chunk.some(Cause.defects(cause), (defect) => defect instanceof CommitLost)
}

type CommandFiber = Fiber.RuntimeFiber<unknown, unknown>

export class MachineFaults {
  /** How often each kind happened. */
  readonly happened = new Map<string, number>()
  readonly #plan: Plan
  readonly #streams: Streams
  readonly #commands = new Set<CommandFiber>()
  #host: MemoryHost | null = null
  #startMs = 0

  constructor(plan: Plan) {
    this.#plan = plan
    this.#streams = new Streams(plan.seed)
  }

  /** Faults begin and end with the host's clock. */
  startOn(host: MemoryHost): void {
    this.#host = host
    this.#startMs = host.time.nowMs
  }

  /** A command in flight, which a crash interrupts: its caller gets no answer. */
  began(fiber: CommandFiber): void {
    this.#commands.add(fiber)
  }

  ended(fiber: CommandFiber): void {
    this.#commands.delete(fiber)
  }

  /** Whether the answer to a command is lost on its way to the caller. */
  losesAnswer(): boolean {
    return this.#strikes("lost answers", this.#plan.faults.lostAnswers)
  }

  readonly beforeEntry = (): void => {
    const { crashes, nodesLost } = this.#plan.faults
    if (this.#strikes("crashes", crashes)) this.#crash((host) => host.dropCalls())
    if (this.#strikes("lost nodes", nodesLost)) this.#crash((host) => host.loseNode())
  }

  /** How late a timer is taken. */
  readonly latenessOf = (): number => {
    const { lateTimers, lateTimerMsMax } = this.#plan.faults
    return this.#strikes("late timers", lateTimers) ? this.#chance("lateness").between(1, lateTimerMsMax) : 0
  }

  /** Whether the commit of a command fails. */
  readonly losesCommit = (): boolean =>
    this.#elapsedMs() > 0 && this.#strikes("lost commits", this.#plan.faults.lostCommits)

  /** The performers with results that are lost, late or doubled. */
  readonly withAreas = (areas: Areas["Type"]): Areas["Type"] => ({
    ...areas,
    performers: areas.performers.map((one) => this.#unreliable(one)),
  })

  /** The policy of bookings; before an upgrade they start machines of the earlier version. */
  policyOf(policy: EnvironmentPolicy): EnvironmentPolicy {
    const { upgradesAtMs } = this.#plan.faults
    if (upgradesAtMs === null) return policy
    const earlier = Struct.omit(policy.reservation, "openLinkResendsMax")
    const isUpgraded = (): boolean => this.#elapsedMs() >= upgradesAtMs
    const count = (): void => this.#count("an upgrade")
    return {
      ...policy,
      get reservation() {
        if (isUpgraded()) return policy.reservation
        count()
        return earlier
      },
    }
  }

  #unreliable(performer: Performer): Performer {
    const { lostResults, doubledResults, lateResults, lateResultMsMax } = this.#plan.faults
    return {
      call: performer.call,
      perform: (call) =>
        Effect.gen(this, function* () {
          // A call whose own commit failed has no result: its lease ends it.
          const result = yield* Effect.catchSomeCause(performer.perform(call), (cause) =>
            isCommitLost(cause) ? Option.some(Effect.interrupt) : Option.none(),
          )
          if (this.#strikes("lost results", lostResults)) return yield* Effect.interrupt
          if (this.#strikes("late results", lateResults))
            yield* Effect.sleep(this.#chance("late result").between(1, lateResultMsMax))
          if (this.#strikes("doubled results", doubledResults)) {
            const afterMs = this.#chance("doubled result").between(0, 20_000)
            const again = Effect.sync(() => this.#host?.takeResult(call, result))
            yield* Effect.forkDaemon(Effect.delay(again, afterMs))
          }
          return result
        }),
    }
  }

  /** A host that is rebuilt from its content as JSON, without the calls and commands that were in flight. */
  #crash(lose: (host: MemoryHost) => void): void {
    const host = this.#host
    if (host === null) return
    const commands = [...this.#commands]
    this.#commands.clear()
    for (const fiber of commands) fiber.unsafeInterruptAsFork(FiberId.none)
    lose(host)
    host.restore(JSON.parse(JSON.stringify(host.content())) as ReturnType<MemoryHost["content"]>)
  }

  #strikes(kind: string, permille: number): boolean {
    if (permille === 0 || this.#elapsedMs() >= this.#plan.faultsEndMs) return false
    const strikes = this.#chance(kind).happens(permille)
    if (strikes) this.#count(kind)
    return strikes
  }

  #count(kind: string): void {
    this.happened.set(kind, (this.happened.get(kind) ?? 0) + 1)
  }

  #elapsedMs(): number {
    return this.#host === null ? 0 : this.#host.time.nowMs - this.#startMs
  }

  #chance(name: string): Chance {
    return new Chance(this.#streams, `faults/${name}`)
  }
}
