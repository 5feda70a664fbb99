/**
 * The faults of the machines that run the service: crashes, lost nodes, results that are lost or come twice or late,
 * timers that are taken late. Each kind draws from a stream of its own, so that one fault less leaves the others.
 */

import { Cause, Chunk, Effect, Option } from "effect"
import { RANK } from "../../engine/kernel/agenda.ts"
import type { Call } from "../../engine/kernel/turn.ts"
import { MAILBOX_ENTRIES_MAX } from "../../model/values/limits.ts"
import type { Areas, Performer } from "../../engine/services/host.ts"
import { CommitLost, MailboxFull } from "../../engine/memory/memory-host.ts"
import type { HostBackup, MemoryHost, MemoryHostOptions } from "../../engine/memory/memory-host.ts"
import { PlanFaults } from "./plan-faults.ts"
import type { Watch } from "./watch.ts"

/** True for a command that was rolled back by a fault of the machine: its commit failed, or a mailbox was full. */
export function isUndone(cause: Cause.Cause<unknown>): boolean {
  return Chunk.some(
    Cause.defects(cause),
    (defect) => defect instanceof CommitLost || defect instanceof MailboxFull,
  )
}

/** A crash of the service or a lost node. */
export interface Crash {
  readonly fault: "node.lost" | "service.crashes"
  /** Since the start of the run. */
  readonly atMs: number
  /** Turns that were committed at that instant before it. */
  readonly turns: number
}

/**
 * Most crashes by a rate at one instant. A crash begins all open calls again; where many are open, the next crash would come
 * before they have begun, and time would stand still.
 */
const CRASHES_OF_INSTANT_MAX = 20

export class MachineFaults extends PlanFaults {
  /** How often each kind happened. */
  readonly happened = new Map<string, number>()
  #watch: Pick<Watch, "onBackup" | "onRestored"> | null = null
  /** Every crash that a rate caused, in order. */
  readonly crashes: Crash[] = []
  #turnsOfInstant = { atMs: -1, turns: 0 }
  #crashesOfInstant = { atMs: -1, crashes: 0 }
  #backup: HostBackup | null = null
  #hasRestored = false
  /** Calls that waited for room, which are all released when the faults end. */
  #deferred: Call[] = []
  #host: MemoryHost | null = null
  #startMs = 0

  /** Faults begin and end with the host's clock. */
  startOn(host: MemoryHost): void {
    this.#host = host
    this.#startMs = host.time.nowMs
    host.onTurn(() => {
      const atMs = this.elapsedMs
      const { turns } = this.#turnsOfInstant
      this.#turnsOfInstant = { atMs, turns: this.#turnsOfInstant.atMs === atMs ? turns + 1 : 1 }
    })
  }

  /** Tells the checks when a backup is taken and restored. */
  tell(watch: Pick<Watch, "onBackup" | "onRestored">): void {
    this.#watch = watch
  }

  readonly beforeEntry = (): void => {
    const { crashes, nodesLost } = this.plan.faults
    if (this.strikes("crashes", crashes)) this.#crashAtRate("service.crashes")
    if (this.strikes("lost nodes", nodesLost)) this.#crashAtRate("node.lost")
    this.#upgradeInTime()
    this.#restoreInTime()
    this.#releaseInTime()
  }

  /** Crashes now, or once so many more turns are committed. */
  crash(fault: Crash["fault"], turns = 0): void {
    const host = this.#host
    if (host === null) return
    if (turns === 0) {
      this.#crash((one) => {
        if (fault === "node.lost") one.loseNode()
        one.crash()
      })
      return
    }
    let left = turns
    host.onTurn(() => {
      left -= 1
      if (left === 0) host.time.schedule(host.time.nowMs, RANK.timer, () => this.crash(fault))
    })
  }

  #crashAtRate(fault: Crash["fault"]): void {
    const atMs = this.elapsedMs
    const { crashes } = this.#crashesOfInstant
    this.#crashesOfInstant = { atMs, crashes: this.#crashesOfInstant.atMs === atMs ? crashes + 1 : 1 }
    if (this.#crashesOfInstant.crashes > CRASHES_OF_INSTANT_MAX) return
    const { turns } = this.#turnsOfInstant
    this.crashes.push({ fault, atMs, turns: this.#turnsOfInstant.atMs === atMs ? turns : 0 })
    this.crash(fault)
  }

  /** The options of a host with these faults. */
  get hostFaults(): Partial<MemoryHostOptions> {
    const { mailboxEntriesMax, upgradesAtMs } = this.plan.faults
    return {
      latenessOf: () => this.latenessMs(),
      losesCommit: this.#losesCommit,
      ...(mailboxEntriesMax === null
        ? {}
        : { mailboxEntriesMax: () => this.#mailboxEntriesMax(mailboxEntriesMax) }),
      ...(upgradesAtMs === null ? {} : { startOf: this.startOf }),
    }
  }

  #mailboxEntriesMax(drawn: number): number {
    const isOver = this.elapsedMs >= this.plan.faultsEndMs
    // The start of a run prepares its world.
    return isOver || this.elapsedMs === 0 ? MAILBOX_ENTRIES_MAX : drawn
  }

  /** The earlier program stops, and this one starts over what it has stored. */
  #upgradeInTime(): void {
    if (this.upgradesNow()) this.crash("service.crashes")
  }

  #restoreInTime(): void {
    const { restoresAtMs, backupAgeMs, heldMs } = this.plan.faults
    const host = this.#host
    if (restoresAtMs === null || host === null || this.#hasRestored) return
    const elapsedMs = this.elapsedMs
    if (this.#backup === null && elapsedMs >= restoresAtMs - backupAgeMs) {
      this.#backup = host.backup()
      this.#watch?.onBackup()
    }
    const backup = this.#backup
    if (elapsedMs < restoresAtMs || elapsedMs >= this.plan.faultsEndMs || backup === null) return
    this.#hasRestored = true
    this.count("a partial restore")
    const endMs = this.#startMs + this.plan.faultsEndMs
    const heldUntilMs = Math.min(host.time.nowMs + heldMs, endMs)
    this.#crash((one) => one.restoreBackup(backup, heldUntilMs))
    this.#watch?.onRestored(heldUntilMs)
  }

  /** A restored backup may have calls that wait, and were released before. */
  #releaseInTime(): void {
    if (this.#deferred.length === 0 || this.elapsedMs < this.plan.faultsEndMs) return
    const waiting = this.#deferred
    this.#deferred = []
    for (const call of waiting) this.#host?.releaseCall(call)
  }

  /** Whether the call waits for room instead of being sent. */
  #defers(call: Call): boolean {
    const { deferredCalls } = this.plan.faults
    return (
      this.#host?.accepts(call.actor, "call.deferred") === true &&
      this.strikes("deferred calls", deferredCalls)
    )
  }

  readonly #wait = (call: Call): Effect.Effect<never> =>
    Effect.gen(this, function* () {
      this.#deferred.push(call)
      this.#host?.takeResult(call, { type: "call.deferred", attempt: call.attempt })
      const afterMs = this.chance("room").between(0, this.plan.faults.deferredMsMax)
      yield* Effect.forkDaemon(
        Effect.delay(
          Effect.sync(() => this.#host?.releaseCall(call)),
          afterMs,
        ),
      )
      return yield* Effect.interrupt
    })

  /** Whether the commit of a command fails. */
  readonly #losesCommit = (): boolean =>
    this.elapsedMs > 0 && this.strikes("lost commits", this.plan.faults.lostCommits)

  /** The performers with results that are lost, late or doubled. */
  readonly withAreas = (areas: Areas["Type"]): Areas["Type"] => ({
    ...areas,
    performers: areas.performers.map((one) => this.#unreliable(one)),
  })

  #unreliable(performer: Performer): Performer {
    const { doubledResults } = this.plan.faults
    return {
      call: performer.call,
      leaseMs: performer.leaseMs,
      perform: (call) =>
        Effect.gen(this, function* () {
          if (this.#defers(call)) return yield* this.#wait(call)
          // A call whose own commit failed has no result: its lease ends it.
          const result = yield* Effect.catchSomeCause(performer.perform(call), (cause) =>
            isUndone(cause) ? Option.some(Effect.interrupt) : Option.none(),
          )
          yield* this.arrive(result)
          if (this.strikes("doubled results", doubledResults)) {
            const afterMs = this.chance("doubled result").between(0, 20_000)
            const wasRestored = this.#hasRestored
            // The process that waited for it ended with the restore.
            const again = Effect.sync(() => {
              if (wasRestored === this.#hasRestored) this.#host?.takeResult(call, result)
            })
            yield* Effect.forkDaemon(Effect.delay(again, afterMs))
          }
          return result
        }),
    }
  }

  /** Without the calls and commands that were in flight. */
  #crash(lose: (host: MemoryHost) => void): void {
    const host = this.#host
    if (host === null) return
    this.interruptCommands()
    lose(host)
  }

  protected count(kind: string): void {
    this.happened.set(kind, (this.happened.get(kind) ?? 0) + 1)
  }

  protected get elapsedMs(): number {
    return this.#host === null ? 0 : this.#host.time.nowMs - this.#startMs
  }
}
