/**
 * The turns of one open transaction: groups as loaded, turns taken on them in memory, and in the end what is to be
 * written. Synchronous and without I/O, so it reads like the memory host.
 */

import { groupOf } from "../model/address.ts"
import type { Address, GroupAddress } from "../model/address.ts"
import type { Environment } from "../model/caller.ts"
import { ENTRIES_PER_INSTANT_MAX } from "../model/limits.ts"
import type { EpochMs } from "../model/time.ts"
import { RANK } from "../kernel/agenda.ts"
import { EngineFault } from "../kernel/faults.ts"
import { sameCause, timerKey } from "../kernel/group.ts"
import type { Cause, Group, Timer } from "../kernel/group.ts"
import type { Entry, TurnInput } from "../kernel/journal.ts"
import type { Program } from "../kernel/program.ts"
import { takeTurn } from "../kernel/turn.ts"
import type { TurnResult } from "../kernel/turn.ts"
import type { Answer, TurnRequest } from "../services/host.ts"
import type {
  ArmedTimer,
  GroupChanges,
  LoadedGroup,
  NewMessage,
  WaitingMessage,
} from "../store/group-changes.ts"

export interface StagedTurnsOptions {
  readonly program: Program
  /** The node that makes the calls. */
  readonly node: string
  readonly nonce: () => string
  /** The clock when every lock was held. */
  readonly nowMs: EpochMs
  /** Groups of the locks, found or not. */
  readonly locked: readonly GroupAddress[]
  /** Those of them that have rows. */
  readonly loaded: readonly LoadedGroup[]
}

interface StagedGroup {
  readonly hasRow: boolean
  /** Null when the row was not there, or the start that it waits for has not been taken. */
  readonly before: Group | null
  current: Group | null
  readonly sequenceByTimer: Map<string, number>
  readonly holderByTimer: ReadonlyMap<string, string>
  messages: readonly WaitingMessage[]
}

/** Something due, of either kind. */
type DueEntry = { readonly dueMs: EpochMs; readonly sequence: number } & (
  | { readonly type: "timer"; readonly timer: Timer }
  | { readonly type: "message"; readonly message: WaitingMessage }
)

type InputPart = Pick<TurnInput, "to" | "by" | "atMs" | "cause"> & Partial<TurnInput>

export class StagedTurns {
  readonly nowMs: EpochMs
  readonly taken: TurnResult[] = []
  readonly #options: StagedTurnsOptions
  readonly #groups = new Map<GroupAddress, StagedGroup>()
  readonly #entries: { readonly entry: Entry; readonly instantMs: EpochMs }[] = []
  /** Calls whose actors want to know when their node is gone, by actor and cause. */
  readonly #leased = new Set<string>()
  readonly #environments = new Map<GroupAddress, Environment>()
  readonly #takenMessages: number[] = []
  readonly #sent: { readonly group: GroupAddress; readonly message: NewMessage }[] = []
  /** Above every id that the store gives. */
  #sequence = 2 ** 52
  #isOpen = true

  constructor(options: StagedTurnsOptions) {
    this.#options = options
    this.nowMs = options.nowMs
    for (const address of options.locked) this.#groups.set(address, staged(null))
    for (const one of options.loaded) this.#groups.set(one.address, staged(one))
  }

  /** The group as this transaction has it; undefined when it neither locked nor started it. */
  get(address: GroupAddress): Group | null | undefined {
    return this.#groups.get(address)?.current
  }

  /** A command's turn. */
  command({ to, event, start, environment, facts, decision, nonce, cause }: TurnRequest): Answer {
    const address = groupOf(to)
    if (environment !== undefined) this.#environments.set(address, environment)
    if (start !== undefined && !this.#groups.has(address)) this.#groups.set(address, staged(null))
    return this.#turn({
      to,
      by: "command",
      ...(event === undefined ? {} : { event }),
      ...(start === undefined ? {} : { start }),
      facts: facts ?? null,
      decision: decision ?? null,
      atMs: this.nowMs,
      cause: cause ?? null,
      nonce,
    }).outcome
  }

  /** The turn of a call's result. */
  result(part: Pick<TurnInput, "to" | "cause"> & { readonly event: NonNullable<TurnInput["event"]> }): void {
    this.#turn({ ...part, by: "result", atMs: this.nowMs })
  }

  /** Whether the actor's machine, in the version that it was started with, knows the event. */
  takes(actor: Address, type: string): boolean {
    const group = this.get(groupOf(actor))
    return group !== null && group !== undefined && this.#takes(group, actor, type)
  }

  /** Lets the deferred call of a group go, if it still waits. */
  release(address: GroupAddress): void {
    const snapshot = this.get(address)?.actors.get(address)?.snapshot
    if (snapshot?.value !== "queued") return
    const { attempt = 0 } = snapshot.context as { readonly attempt?: number }
    const nonce = this.#options.nonce()
    this.command({ to: address, event: { type: "queue.released", attempt }, nonce })
  }

  /** Tells the actors of a group which of their calls are lost, because one of these nodes made them and is gone. */
  lost(address: GroupAddress, gone: readonly string[]): void {
    const group = this.#groups.get(address)
    for (const [key, node] of group?.holderByTimer ?? []) {
      const timer = group?.current?.timers.get(key)
      const before = group?.before?.timers.get(key)
      const isHeld = timer !== undefined && before !== undefined && isSameTimer(timer, before)
      if (!isHeld || !gone.includes(node)) continue
      const { to, cause } = timer
      const context = group?.current?.actors.get(to)?.snapshot.context as { readonly attempt?: number }
      const event = { type: "call.lost", attempt: context.attempt ?? 0 }
      this.#turn({ to, by: "result", event, facts: { node }, atMs: this.nowMs, cause })
    }
  }

  /** Takes the group's next due entry; false when nothing is due. */
  takeDue(address: GroupAddress): boolean {
    const group = this.#groups.get(address)
    const due = group === undefined ? null : this.#firstDue(group)
    if (group === undefined || due === null) return false
    if (this.taken.length >= ENTRIES_PER_INSTANT_MAX) {
      const found = `${ENTRIES_PER_INSTANT_MAX} turns in one transaction`
      throw new EngineFault({ reason: "time stands still", at: address, found })
    }
    if (due.type === "timer") {
      const { to, id, event, dueMs, cause } = due.timer
      this.#turn({ to, by: "timer", event: { type: event }, timer: id, atMs: dueMs, cause })
      return true
    }
    const { id, to, event, start, instantMs, cause } = due.message
    group.messages = group.messages.filter((message) => message !== due.message)
    this.#takenMessages.push(id)
    const given = event === null ? (start === null ? {} : { start }) : { event }
    this.#turn({ to, by: "message", ...given, instantMs, atMs: instantMs, cause })
    return true
  }

  /** No turn after this: it would not be written. */
  close(): void {
    this.#isOpen = false
  }

  /** What is to be written. */
  changes(): GroupChanges {
    const changed: Group[] = []
    const started: Group[] = []
    const disarmed: { group: GroupAddress; key: string }[] = []
    const armed: (ArmedTimer & { readonly sequence: number })[] = []
    for (const [address, { hasRow, before, current, sequenceByTimer }] of this.#groups) {
      if (current === null || current.revision === before?.revision) continue
      if (hasRow) changed.push(current)
      else started.push(current)
      for (const [key, timer] of before?.timers ?? [])
        if (!isSameTimer(current.timers.get(key), timer)) disarmed.push({ group: address, key })
      for (const [key, timer] of current.timers) {
        if (isSameTimer(before?.timers.get(key), timer)) continue
        armed.push({
          timer,
          instantMs: current.instantMs,
          heldBy: this.#leased.has(leaseKey(timer.to, timer.cause)) ? this.#options.node : null,
          sequence: sequenceByTimer.get(key) ?? 0,
        })
      }
    }
    return {
      changed: changed.toSorted((a, b) => (a.address < b.address ? -1 : 1)),
      started: started.toSorted((a, b) => (a.address < b.address ? -1 : 1)),
      environments: this.#environments,
      disarmed,
      armed: armed.toSorted((a, b) => a.sequence - b.sequence),
      takenMessages: this.#takenMessages,
      messages: this.#sent,
      entries: this.#entries,
    }
  }

  #turn(part: InputPart): TurnResult {
    const address = groupOf(part.to)
    const group = this.#groups.get(address)
    if (!this.#isOpen) {
      const found = "a turn after the transaction's end"
      throw new EngineFault({ reason: "a transaction suspended", at: address, found })
    }
    if (group === undefined) {
      const found = "a turn outside the transaction's locks"
      throw new EngineFault({ reason: "a group is not locked", at: address, found })
    }
    const instantMs = Math.max(this.nowMs, group.current?.instantMs ?? 0, part.instantMs ?? 0)
    const result = takeTurn(this.#options.program, group.current, {
      facts: null,
      decision: null,
      nonce: part.nonce ?? this.#options.nonce(),
      ...part,
      instantMs,
      atMs: part.by === "timer" ? part.atMs : instantMs,
    })
    if (result === null) {
      const found = `the timer ${part.timer} is not armed`
      throw new EngineFault({ reason: "time stands still", at: part.to, found })
    }
    this.taken.push(result)
    if (result.entry === null) return result
    group.current = result.group
    this.#entries.push({ entry: result.entry, instantMs: result.instantMs })
    for (const { actor, cause } of result.calls) {
      if (this.#takes(result.group, actor, "call.lost")) this.#leased.add(leaseKey(actor, cause))
    }
    for (const timer of result.armed) {
      this.#sequence += 1
      group.sequenceByTimer.set(timerKey(timer.to, timer.id), this.#sequence)
    }
    for (const [at, message] of result.messages.entries()) {
      const { to, event, start, instantMs: sentMs, cause } = message
      const key = `${cause.join(" ")} ${at}`
      const whole = { key, to, event: event ?? null, start: start ?? null, instantMs: sentMs, cause }
      this.#sent.push({ group: groupOf(to), message: whole })
    }
    return result
  }

  /** Whether the actor's machine, in this version, knows the event. */
  #takes({ actors }: Group, address: Address, type: string): boolean {
    const machine = this.#options.program.machines[actors.get(address)?.machine ?? ""]
    return machine?.events.includes(type) === true
  }

  /** By due time; timers before messages; then in the order of their writing. */
  #firstDue({ current, sequenceByTimer, messages }: StagedGroup): DueEntry | null {
    const due: DueEntry[] = []
    for (const [key, timer] of current?.timers ?? []) {
      if (timer.dueMs > this.nowMs) continue
      due.push({ type: "timer", timer, dueMs: timer.dueMs, sequence: sequenceByTimer.get(key) ?? 0 })
    }
    for (const message of messages) {
      if (message.instantMs > this.nowMs) continue
      due.push({ type: "message", message, dueMs: message.instantMs, sequence: message.id })
    }
    return due.toSorted(comesFirst)[0] ?? null
  }
}

function staged(loaded: LoadedGroup | null): StagedGroup {
  return {
    hasRow: loaded !== null,
    before: loaded?.group ?? null,
    current: loaded?.group ?? null,
    sequenceByTimer: new Map(loaded?.sequenceByTimer),
    holderByTimer: loaded?.holderByTimer ?? new Map(),
    messages: loaded?.messages ?? [],
  }
}

/** A call and the timer that was armed in the same step of the same actor: its lease. */
function leaseKey(actor: Address, cause: Cause): string {
  return `${actor} ${cause.join(" ")}`
}

function comesFirst(one: DueEntry, other: DueEntry): number {
  return one.dueMs - other.dueMs || RANK[one.type] - RANK[other.type] || one.sequence - other.sequence
}

function isSameTimer(one: Timer | undefined, other: Timer): boolean {
  return one !== undefined && sameCause(one.cause, other.cause)
}
