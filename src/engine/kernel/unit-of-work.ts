/**
 * A unit of work: the turns of one transaction, in memory, on the groups that the transaction has locked. It is
 * synchronous and without I/O, and both hosts use it: a host loads and locks groups, takes due entries and commands
 * through the unit, and writes the results. A unit that is discarded has no effect.
 */

import { groupOf } from "../../model/address.ts"
import type { Address, GroupAddress } from "../../model/address.ts"
import type { JsonObject } from "../../model/values/json.ts"
import { ENTRIES_PER_INSTANT_MAX, MAILBOX_ENTRIES_MAX } from "../../model/values/limits.ts"
import type { Requester } from "../../model/requester.ts"
import type { EpochMs } from "../../model/values/time.ts"
import { RANK } from "./agenda.ts"
import { EngineFault } from "./faults.ts"
import { added, NONE } from "./few.ts"
import type { Cause, Group, Timer } from "./group.ts"
import type { InputKind, TurnInput } from "./journal.ts"
import type { Program } from "./program.ts"
import { SmallMap } from "./small-map.ts"
import { takeTurn, takeUnwrittenTurn } from "./turn.ts"
import type { Message, Outcome, TurnResult } from "./turn.ts"

/** A command's turn: an event for a running actor, or the start of a new group. */
export interface CommandTurn {
  readonly to: Address
  readonly event?: { readonly type: string } & JsonObject
  readonly start?: { readonly machine: string; readonly input: JsonObject }
  readonly facts?: JsonObject
  /** `name@version` of the decision function to run over the facts. */
  readonly decision?: string
  readonly nonce: string
  /** The step of another group's turn that caused this one; absent for a command from outside. */
  readonly cause?: Cause
}

/** The result of a call, for the actor that made it. */
export interface ResultTurn {
  readonly to: Address
  readonly event: NonNullable<TurnInput["event"]>
  readonly facts?: JsonObject
  readonly cause: Cause | null
}

/** A message in a group's mailbox. */
export interface WaitingMessage extends Message {
  /** Order of sending among all messages and timers. */
  readonly sequence: number
}

/** The committed state that a unit works on. It does not change while the unit is open. */
export interface CommittedGroups {
  /** Null for a group that was never started. */
  readonly group: (address: GroupAddress) => Group | null
  /** Messages that wait for a group, in the order of their sequence. */
  readonly messages: (address: GroupAddress) => readonly WaitingMessage[]
  /** Order of arming of a committed timer, among all timers and messages. */
  readonly sequenceOf: (timer: Timer) => number
}

/** What is the same for every unit of a host, or of one transaction on a database. */
export interface UnitHost {
  readonly program: Program
  readonly nonce: () => string
  readonly committed: CommittedGroups
  /** `unwritten`: turns have no journal entries. */
  readonly journal: "unwritten" | "written"
  /** `all`: the unit checks that no mailbox overflows. `locked`: the host checks mailboxes when it writes. */
  readonly knownMailboxes: "all" | "locked"
  /** How many entries a mailbox holds; default `MAILBOX_ENTRIES_MAX`. */
  readonly mailboxEntriesMax?: (() => number) | undefined
  /** The time of a group whose clock differs; default: `nowMs` for every group. */
  readonly nowOf?: (address: GroupAddress) => EpochMs
  /** Whether a timer is due that ends at another clock's instant; null: its due time says so. */
  readonly isDue?: (timer: Timer) => boolean | null
}

export interface UnitScope {
  /** The clock when every lock was held. */
  readonly nowMs: EpochMs
  readonly locked: readonly GroupAddress[]
  /** Who asked for the commands of this unit; null: no request. */
  readonly requester: Requester | null
}

export interface TakenTurn {
  readonly result: TurnResult
  readonly input: TurnInput
}

/** A due entry: a timer or a message. */
type DueEntry = { readonly dueMs: EpochMs; readonly sequence: number } & (
  | { readonly type: "timer"; readonly timer: Timer }
  | { readonly type: "message"; readonly message: WaitingMessage }
)

/** What differs between the inputs of a unit; without a due time, the machine sees the instant of the turn. */
interface InputPart extends Pick<TurnInput, "event" | "start" | "timer" | "to"> {
  readonly facts?: JsonObject | undefined
  readonly decision?: string | undefined
  readonly nonce?: string
  readonly cause?: Cause | null | undefined
  readonly instantMs?: EpochMs
  readonly dueMs?: EpochMs
}

const NO_MESSAGES: ReadonlySet<number> = new Set()
const NO_GROUPS: ReadonlyMap<GroupAddress, Group> = new Map()

/** Above every sequence that a store assigns. */
const FIRST_SEQUENCE = 2 ** 52

export class UnitOfWork {
  readonly nowMs: EpochMs
  /** Timers that were disarmed between their due time and their turn. */
  droppedTimers = 0
  readonly #host: UnitHost
  readonly #scope: UnitScope
  // Most units take one turn of one group, so what they hardly need is made when it is needed.
  #taken: TakenTurn[] = NONE
  #started: Set<GroupAddress> | null = null
  #takenMessages: Set<number> | null = null
  #changed: SmallMap<Group> | null = null
  #afterCommit: (() => void)[] = NONE
  #kept: {
    readonly turns: number
    readonly changed: SmallMap<Group> | null
    readonly actions: number
  } | null = null
  #observed = 0
  #isOpen = true

  constructor(host: UnitHost, scope: UnitScope) {
    this.#host = host
    this.#scope = scope
    this.nowMs = scope.nowMs
  }

  /** In order, with those of refused starts, which have no group. */
  get taken(): readonly TakenTurn[] {
    return this.#taken
  }

  /** True when this unit has locked or started the group. */
  holds(address: GroupAddress): boolean {
    return this.#scope.locked.includes(address) || this.#started?.has(address) === true
  }

  /** The group after this unit's turns so far. */
  group(address: GroupAddress): Group | null {
    return this.#changed?.get(address) ?? this.#host.committed.group(address)
  }

  /** Groups that took turns, in their latest state. */
  get changed(): ReadonlyMap<GroupAddress, Group> {
    return this.#changed ?? NO_GROUPS
  }

  /** Sequences of the messages that this unit removed from mailboxes. */
  get takenMessages(): ReadonlySet<number> {
    return this.#takenMessages ?? NO_MESSAGES
  }

  /** Order of arming among the timers of one group. */
  sequenceOf(timer: Timer): number {
    let sequence = FIRST_SEQUENCE
    for (const { result } of this.#taken) {
      const at = result.armed.indexOf(timer)
      if (at !== -1) return sequence + at
      sequence += result.armed.length
    }
    return this.#host.committed.sequenceOf(timer)
  }

  /** Runs a command's turn. Throws EngineFault when the unit does not hold the group. */
  command(turn: CommandTurn): Outcome {
    const address = groupOf(turn.to)
    if (turn.start !== undefined && this.group(address) === null) (this.#started ??= new Set()).add(address)
    const result = this.#turn(address, "command", turn)
    if (result === null) throw noTurn(turn.to)
    return result.outcome
  }

  /** Runs the turn for a call's result. */
  result(turn: ResultTurn): void {
    this.#turn(groupOf(turn.to), "result", turn)
  }

  /** Takes the group's next due entry; false when nothing is due. */
  takeDue(address: GroupAddress): boolean {
    const due = this.#firstDue(address)
    if (due === null) return false
    if (this.#taken.length >= ENTRIES_PER_INSTANT_MAX) {
      const found = `${ENTRIES_PER_INSTANT_MAX} turns in one transaction`
      throw new EngineFault({ reason: "time does not advance", at: address, found })
    }
    if (due.type === "timer") this.fire(due.timer)
    else this.deliver(due.message)
    return true
  }

  /** Takes a due timer. One that is no longer armed is dropped and counted. */
  fire({ to, id, event, dueMs, cause }: Timer): void {
    const fired = { to, event: { type: event }, timer: id, dueMs, cause }
    const result = this.#turn(groupOf(to), "timer", fired)
    if (result === null) this.droppedTimers += 1
  }

  /** Removes a message from its mailbox and runs its turn. */
  deliver(message: WaitingMessage): void {
    ;(this.#takenMessages ??= new Set()).add(message.sequence)
    this.#turn(groupOf(message.to), "message", message)
  }

  /**
   * The next turn that observers have not seen, including turns that observers caused; null when they have seen all.
   */
  nextUnobserved(): TurnResult | null {
    while (this.#observed < this.#taken.length) {
      const taken = this.#taken[this.#observed]
      this.#observed += 1
      if (taken !== undefined && taken.result.hasGroup) return taken.result
    }
    return null
  }

  /** Runs the action once this unit is committed; a dropped command's actions are dropped with it. */
  afterCommit(action: () => void): void {
    this.#afterCommit = added(this.#afterCommit, action)
  }

  /** For the host, after its commit. */
  runAfterCommit(): void {
    for (const action of this.#afterCommit) action()
  }

  /** Marks the turns so far, which are those of due entries, as kept when the following command is dropped. */
  keepDue(): void {
    const actions = this.#afterCommit.length
    const changed = this.#changed === null ? null : SmallMap.copyOf(this.#changed)
    this.#kept = { turns: this.#taken.length, changed, actions }
  }

  /** Drops every turn since `keepDue`. */
  dropCommand(): void {
    const kept = this.#kept ?? { turns: 0, changed: null, actions: 0 }
    this.#taken = this.#taken.slice(0, kept.turns)
    this.#observed = kept.turns
    this.#afterCommit = this.#afterCommit.slice(0, kept.actions)
    this.#changed = kept.changed
    this.#started = null
  }

  /** After this a further turn is a fault, because it would not be written. */
  close(): void {
    this.#isOpen = false
  }

  #nowOf(address: GroupAddress): EpochMs {
    return this.#host.nowOf?.(address) ?? this.nowMs
  }

  #turn(address: GroupAddress, by: InputKind, part: InputPart): TurnResult | null {
    if (!this.#isOpen) {
      const found = "a turn after the transaction's end"
      throw new EngineFault({ reason: "a transaction suspended", at: address, found })
    }
    if (!this.holds(address)) {
      const found = "a turn outside the transaction's locks"
      throw new EngineFault({ reason: "a group is not locked", at: address, found })
    }
    const before = this.group(address)
    const input = this.#input(by, part, Math.max(this.#nowOf(address), before?.instantMs ?? 0))
    const { program, journal } = this.#host
    const result = (journal === "written" ? takeTurn : takeUnwrittenTurn)(program, before, input)
    if (result === null) return null
    this.#taken = added(this.#taken, { result, input })
    if (!result.hasGroup) return result
    if (this.#changed === null) this.#changed = SmallMap.of(address, result.group)
    else this.#changed.set(address, result.group)
    if (result.messages.length > 0) this.#checkMailboxes(result.messages)
    return result
  }

  /** `leastMs`: the group's time, and not before its last turn. */
  #input(by: InputKind, part: InputPart, leastMs: EpochMs): TurnInput {
    const instantMs = Math.max(leastMs, part.instantMs ?? 0)
    const { requester } = this.#scope
    // A command that another group's turn caused was not asked for by the request.
    const isAsked = by === "command" && part.cause === undefined && requester !== null
    return {
      to: part.to,
      by,
      start: part.start,
      event: part.event,
      facts: part.facts ?? null,
      decision: part.decision ?? null,
      atMs: part.dueMs ?? instantMs,
      instantMs,
      nonce: part.nonce ?? this.#host.nonce(),
      cause: part.cause ?? null,
      timer: part.timer,
      requester: isAsked ? requester : undefined,
    }
  }

  #checkMailboxes(messages: readonly Message[]): void {
    if (this.#host.knownMailboxes !== "all") return
    if (messages.length === 1) return this.#checkMailbox(groupOf((messages[0] as Message).to))
    for (const receiver of new Set(messages.map(({ to }) => groupOf(to)))) this.#checkMailbox(receiver)
  }

  /** A full mailbox fails the sender, so that no message is lost (src/DECISIONS.md §21). */
  #checkMailbox(address: GroupAddress): void {
    let entries = this.group(address)?.timers.size ?? 0
    for (const { sequence } of this.#host.committed.messages(address)) {
      if (this.#takenMessages?.has(sequence) !== true) entries += 1
    }
    for (const { result } of this.#taken) {
      for (const { to } of result.messages) if (groupOf(to) === address) entries += 1
    }
    const mailboxEntriesMax = this.#host.mailboxEntriesMax?.() ?? MAILBOX_ENTRIES_MAX
    if (entries > mailboxEntriesMax) {
      const found = `${mailboxEntriesMax} entries`
      throw new EngineFault({ reason: "a mailbox is full", at: address, found })
    }
  }

  /** By due time; at one instant timers before messages, then in the order of arming and sending. */
  #firstDue(address: GroupAddress): DueEntry | null {
    let first: DueEntry | null = null
    const nowMs = this.#nowOf(address)
    for (const timer of this.group(address)?.timers.values() ?? []) {
      if (!(this.#host.isDue?.(timer) ?? timer.dueMs <= nowMs)) continue
      const due: DueEntry = { type: "timer", timer, dueMs: timer.dueMs, sequence: this.sequenceOf(timer) }
      if (first === null || comesBefore(due, first)) first = due
    }
    for (const message of this.#host.committed.messages(address)) {
      const { instantMs, sequence } = message
      if (instantMs > nowMs || this.#takenMessages?.has(sequence) === true) continue
      const due: DueEntry = { type: "message", message, dueMs: instantMs, sequence }
      if (first === null || comesBefore(due, first)) first = due
    }
    return first
  }
}

function comesBefore(one: DueEntry, other: DueEntry): boolean {
  return (one.dueMs - other.dueMs || RANK[one.type] - RANK[other.type] || one.sequence - other.sequence) < 0
}

function noTurn(to: Address): EngineFault {
  return new EngineFault({ reason: "an address is unknown", at: to, found: "no turn was taken" })
}
