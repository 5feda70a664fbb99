/**
 * What the faults of a plan are on every host: rates that strike until the faults end, each kind from a stream of its own, and the
 * commands in flight, which a crash interrupts.
 */

import { Effect, FiberId } from "effect"
import type { Fiber } from "effect"
import { Streams } from "../../engine/kernel/random.ts"
import { Chance } from "./chance.ts"
import type { StartOf } from "../../engine/services/host.ts"
import type { EnvironmentPolicy } from "../../engine/services/policies.ts"
import { earlierStart, policyUntilUpgrade } from "./earlier-program.ts"
import type { Plan } from "./plan.ts"

type CommandFiber = Fiber.RuntimeFiber<unknown, unknown>

export abstract class PlanFaults {
  protected readonly plan: Plan
  readonly #streams: Streams
  readonly #commands = new Set<CommandFiber>()
  #isUpgraded = false

  constructor(plan: Plan) {
    this.plan = plan
    this.#streams = new Streams(plan.seed)
  }

  /** Since the start of the run. */
  protected abstract readonly elapsedMs: number

  /** A fault of that kind happens. */
  protected abstract count(kind: string): void

  /** A command in flight, which a crash interrupts: its caller gets no answer. */
  began(fiber: CommandFiber): void {
    this.#commands.add(fiber)
  }

  ended(fiber: CommandFiber): void {
    this.#commands.delete(fiber)
  }

  /** Whether the answer to a command is lost on its way to the caller. */
  losesAnswer(): boolean {
    return this.strikes("lost answers", this.plan.faults.lostAnswers)
  }

  /** How late a timer is taken; 0: in time. */
  latenessMs(): number {
    const { lateTimers, lateTimerMsMax } = this.plan.faults
    return this.strikes("late timers", lateTimers) ? this.chance("lateness").between(1, lateTimerMsMax) : 0
  }

  /** The start of an actor: before the upgrade, if there is one, as an earlier program starts it. */
  readonly startOf: StartOf = (start) =>
    this.plan.faults.upgradesAtMs === null || this.#isUpgraded ? start : earlierStart(start)

  /** The policy of bookings; before an upgrade they start machines of the earlier version. */
  policyOf(policy: EnvironmentPolicy): EnvironmentPolicy {
    if (this.plan.faults.upgradesAtMs === null) return policy
    return policyUntilUpgrade(policy, () => this.#isUpgraded)
  }

  /** True once, when the upgrade is due: the earlier program stops, and this one starts over what it has stored. */
  protected upgradesNow(): boolean {
    const { upgradesAtMs } = this.plan.faults
    if (upgradesAtMs === null || this.#isUpgraded || this.elapsedMs < upgradesAtMs) return false
    this.#isUpgraded = true
    this.count("an upgrade")
    return true
  }

  /** Interrupts the commands in flight. */
  protected interruptCommands(): void {
    const commands = [...this.#commands]
    this.#commands.clear()
    for (const fiber of commands) fiber.unsafeInterruptAsFork(FiberId.none)
  }

  /** The result of a call, which may be lost or late. */
  protected arrive<Result>(result: Result): Effect.Effect<Result> {
    const { lostResults, lateResults, lateResultMsMax } = this.plan.faults
    return Effect.suspend(() => {
      if (this.strikes("lost results", lostResults)) return Effect.interrupt
      if (!this.strikes("late results", lateResults)) return Effect.succeed(result)
      return Effect.delay(Effect.succeed(result), this.chance("late result").between(1, lateResultMsMax))
    })
  }

  protected strikes(kind: string, permille: number): boolean {
    if (permille === 0 || this.elapsedMs >= this.plan.faultsEndMs) return false
    const strikes = this.chance(kind).happens(permille)
    if (strikes) this.count(kind)
    return strikes
  }

  protected chance(name: string): Chance {
    return new Chance(this.#streams, `faults/${name}`)
  }
}
