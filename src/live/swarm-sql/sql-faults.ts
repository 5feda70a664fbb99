/** The faults of a plan that a live host over a database can have. */

import { setImmediate as nextTurnOfTheLoop } from "node:timers/promises"
import { Cause, Effect } from "effect"
import type { EngineFault } from "../../engine/kernel/faults.ts"
import { FULL_MAILBOX_RETRY_MS, MAILBOX_ENTRIES_MAX } from "../../model/values/limits.ts"
import type { EpochMs } from "../../model/values/time.ts"
import type { Areas, Performer } from "../../engine/services/host.ts"
import type { Coverage } from "../../simulation/swarm/coverage.ts"
import { PlanFaults } from "../../simulation/swarm/plan-faults.ts"
import type { Plan } from "../../simulation/swarm/plan.ts"
import { isExpected, isFullMailbox, isLost } from "./lost-commits.ts"
import type { LostPart } from "./lost-commits.ts"
import type { SqlService } from "./sql-service.ts"

interface Time {
  readonly nowMs: () => EpochMs
  readonly startMs: EpochMs
  /** Ends the first sleep that is due: the wait for an answer, or that of a caller. */
  readonly wakeOne: () => void
}

/** What a restore of a backup does to the run. */
export interface Restoring {
  readonly keep: () => Promise<void>
  /** Another service goes on over the rows of the backup, and makes no calls until this instant. */
  readonly restore: (heldUntilMs: EpochMs) => Promise<void>
  /** Another service goes on over the same rows. */
  readonly reopen: () => Promise<void>
}

export class SqlFaults extends PlanFaults {
  /** Until when calls are held after a restore. */
  heldUntilMs: EpochMs = Number.NEGATIVE_INFINITY
  readonly #time: Time
  readonly #coverage: Coverage
  #service: SqlService | null = null
  #restoring: Restoring | null = null
  #hasBackup = false
  #hasRestored = false
  #crashes = 0
  #retriesFullMs: EpochMs = Number.POSITIVE_INFINITY

  constructor(plan: Plan, time: Time, coverage: Coverage) {
    super(plan)
    this.#time = time
    this.#coverage = coverage
  }

  startOn(service: SqlService): void {
    this.#service = service
  }

  restoreBy(restoring: Restoring): void {
    this.#restoring = restoring
  }

  /** The next step crashes. */
  crash(): void {
    this.#crashes += 1
  }

  /**
   * A crash loses the calls and commands in flight; a transaction that has begun is whole. An answer that has come by then is
   * lost too: its receiver did what it was asked for, and no row says so.
   */
  async beforeStep(): Promise<void> {
    await this.#restoreInTime()
    await this.#upgradeInTime()
    const { crashes, nodesLost } = this.plan.faults
    if (this.strikes("crashes", crashes + nodesLost)) this.#crashes += 1
    if (this.#crashes === 0 || this.#service === null) return
    this.#crashes = 0
    this.#time.wakeOne()
    // The answer arrives, and its result waits for others of the same instant.
    await nextTurnOfTheLoop()
    this.interruptCommands()
    if ((await Effect.runPromise(this.#service.host.dropCalls)) > 0) this.count("lost answers of calls")
  }

  async #restoreInTime(): Promise<void> {
    const { restoresAtMs, backupAgeMs, heldMs } = this.plan.faults
    const restoring = this.#restoring
    if (restoresAtMs === null || restoring === null || this.#hasRestored) return
    const { elapsedMs } = this
    if (!this.#hasBackup && elapsedMs >= restoresAtMs - backupAgeMs) {
      this.#hasBackup = true
      await restoring.keep()
    }
    if (elapsedMs < restoresAtMs || elapsedMs >= this.plan.faultsEndMs) return
    this.#hasRestored = true
    this.count("a partial restore")
    const endMs = this.#time.startMs + this.plan.faultsEndMs
    const heldUntilMs = Math.min(this.#time.nowMs() + heldMs, endMs)
    this.heldUntilMs = heldUntilMs
    this.interruptCommands()
    await restoring.restore(heldUntilMs)
  }

  /** The earlier program ends, and this one starts over its rows. */
  async #upgradeInTime(): Promise<void> {
    if (this.#restoring === null || !this.upgradesNow()) return
    this.interruptCommands()
    await this.#restoring.reopen()
  }

  /** The performers with results that are lost or late. One that comes after the lease of its call is a second result. */
  readonly withAreas = (areas: Areas["Type"]): Areas["Type"] => ({
    ...areas,
    performers: areas.performers.map((one) => this.#unreliable(one)),
  })

  /** Without preparation, so that every call passes here. */
  #unreliable(performer: Performer): Performer {
    const { lostResults, lateResults } = this.plan.faults
    if (lostResults + lateResults === 0) return performer
    return {
      call: performer.call,
      // A result may be lost, or come after the lease as a second result.
      leaseMs: Number.POSITIVE_INFINITY,
      perform: (call) => Effect.flatMap(performer.perform(call), (result) => this.arrive(result)),
    }
  }

  /** What is lost of the next commit. The start of a run prepares its world, and loses none. */
  readonly losesCommit = (): LostPart | null => {
    if (this.elapsedMs === 0 || !this.strikes("lost commits", this.plan.faults.lostCommits)) return null
    return this.chance("lost part").of(["answer", "commit"])
  }

  /** The small bound ends with the other faults, and does not hold while the world is prepared. */
  readonly mailboxEntriesMax = (): number => {
    const { faultsEndMs, faults } = this.plan
    const isSmall = this.elapsedMs > 0 && this.elapsedMs < faultsEndMs
    return (isSmall ? faults.mailboxEntriesMax : null) ?? MAILBOX_ENTRIES_MAX
  }

  /** True for a fault that lost commits and small mailboxes leave at the host. */
  readonly expects = (fault: EngineFault): boolean => {
    const { lostCommits, mailboxEntriesMax } = this.plan.faults
    if (mailboxEntriesMax !== null && isFullMailbox(fault)) {
      this.count("full mailboxes")
      this.#retriesFullMs = Math.min(this.#retriesFullMs, this.#time.nowMs() + FULL_MAILBOX_RETRY_MS)
      return true
    }
    return lostCommits > 0 && !isFullMailbox(fault) && isExpected(fault)
  }

  /** Whether lost commits or small mailboxes alone ended a command: its caller sends it again. */
  undid(cause: Cause.Cause<unknown>): boolean {
    const isUndone = isLost(cause)
    if (isUndone && [...Cause.defects(cause)].some(isFullMailbox)) this.count("full mailboxes")
    return isUndone
  }

  /** When the groups that met a full mailbox are tried again; never when none did. */
  get retriesFullMs(): EpochMs {
    return this.#retriesFullMs
  }

  /** They are about to be tried again. */
  retryingFull(): void {
    this.#retriesFullMs = Number.POSITIVE_INFINITY
  }

  protected get elapsedMs(): number {
    return this.#time.nowMs() - this.#time.startMs
  }

  protected count(kind: string): void {
    this.#coverage.add("fault", kind)
  }
}
