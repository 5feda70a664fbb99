/**
 * The actor host in memory, on virtual time: a transaction is staged, its body runs synchronously, and calls leave as
 * fibers after commit.
 *
 * Differs from the street: one process, so locks never contend and a commit never fails.
 */

import { Context, Effect, Exit, FiberId, Runtime } from "effect"
import type { Fiber } from "effect"
import { groupOf, kindOf } from "../model/address.ts"
import type { Address, GroupAddress } from "../model/address.ts"
import type { JsonObject } from "../model/json.ts"
import {
  ENTRIES_PER_INSTANT_MAX,
  FOLD_AFTER_MS,
  MAILBOX_ENTRIES_MAX,
  TOMBSTONE_AFTER_MS,
} from "../model/limits.ts"
import type { EpochMs } from "../model/time.ts"
import type { CallResult } from "../model/verbs.ts"
import { RANK } from "../kernel/agenda.ts"
import { EngineFault, faultOf } from "../kernel/faults.ts"
import { timerKey } from "../kernel/group.ts"
import type { Timer } from "../kernel/group.ts"
import type { Entry, TurnInput } from "../kernel/journal.ts"
import type { Program } from "../kernel/program.ts"
import { Streams } from "../kernel/random.ts"
import type { StreamPositions } from "../kernel/random.ts"
import { SimulatedTime, randomOver } from "../kernel/simulated-time.ts"
import { takeTurn } from "../kernel/turn.ts"
import type { Call, TurnResult } from "../kernel/turn.ts"
import { Transaction } from "../services/host.ts"
import type { ActorHost, Answer, Locks, TurnRequest, Areas } from "../services/host.ts"
import { provided } from "../services/provided.ts"
import { MemoryGroups } from "./memory-groups.ts"
import type { GroupsContent, PendingMessage } from "./memory-groups.ts"
import { MemoryStore } from "./memory-store.ts"
import type { StoreContent } from "./memory-store.ts"

export interface MemoryHostOptions {
  readonly program: Program
  readonly seed: number
  readonly startMs: EpochMs
  /** `off` keeps no journal entries and folds settled groups away; hashes stay the same. */
  readonly recording: "full" | "off"
  readonly foldAfterMs?: number
  readonly tombstoneAfterMs?: number
  /** For tests: runs each body of a transaction once before, and rolls that run back. A body with effects outside it shows. */
  readonly rehearses?: boolean
}

/** Told of every committed turn, in order; `result.entry` is null only for a refused start. */
export type TurnListener = (result: TurnResult, input: TurnInput) => void

/** Everything that a host needs to go on elsewhere, as plain JSON. */
export interface HostContent {
  readonly nowMs: EpochMs
  readonly sequence: number
  readonly groups: GroupsContent
  readonly rows: StoreContent
  readonly streams: StreamPositions
}

interface OpenTransaction {
  readonly locks: Locks<unknown>
  readonly started: Set<GroupAddress>
  readonly taken: { readonly result: TurnResult; readonly input: TurnInput }[]
  observed: number
}

type InputPart = Pick<TurnInput, "to" | "by" | "atMs" | "cause"> & Partial<TurnInput>

export class MemoryHost {
  readonly time: SimulatedTime
  readonly streams: Streams
  readonly store = new MemoryStore()
  readonly groups: MemoryGroups
  readonly entries: { readonly entry: Entry; readonly instantMs: EpochMs }[] = []
  readonly counts = { turns: 0, refusals: 0, droppedTimers: 0, lateMessages: 0 }
  readonly #options: MemoryHostOptions
  readonly #handleContext: Context.Context<Transaction>
  readonly #foldTimes: { readonly foldAfterMs: number; readonly tombstoneAfterMs: number }
  readonly #listeners: TurnListener[] = []
  readonly #calls = new Map<Fiber.RuntimeFiber<unknown, unknown>, Call>()
  #open: OpenTransaction | null = null
  #areas: Areas["Type"] = { observers: [], performers: [] }
  #runtime: Runtime.Runtime<never> | null = null

  constructor(options: MemoryHostOptions) {
    this.#options = options
    this.#foldTimes = {
      foldAfterMs: options.foldAfterMs ?? FOLD_AFTER_MS,
      tombstoneAfterMs: options.tombstoneAfterMs ?? TOMBSTONE_AFTER_MS,
    }
    this.time = new SimulatedTime(options.startMs)
    this.streams = new Streams(options.seed)
    this.groups = new MemoryGroups(options.program)
    this.transaction = this.#handle()
    this.#handleContext = Context.make(Transaction, this.transaction)
  }

  /** Runs an effect on this run's Clock, Random and Scheduler. */
  simulated<A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> {
    return this.time.owning(Effect.withRandom(effect, randomOver(this.streams, "effect")))
  }

  /** Hands over the areas' observers and performers, and a runtime on this run's time to run them in. */
  attach(areas: Areas["Type"], runtime: Runtime.Runtime<never>): void {
    this.#areas = areas
    this.#runtime = runtime
  }

  onTurn(listener: TurnListener): void {
    this.#listeners.push(listener)
  }

  /**
   * A group that rests for ever has been asked for the last time: a host without recording folds it like a settled one, so
   * that a long run does not grow with what came to its end.
   */
  retire(address: GroupAddress): void {
    const group = this.groups.get(address)
    if (group === null || this.#options.recording === "full") return
    this.groups.foldLater(group, this.time.nowMs, this.#foldTimes)
  }

  /** Calls under way. */
  get callsInFlight(): number {
    return this.#calls.size
  }

  /**
   * The handle of whatever transaction is open: there is one at a time, and time stands still in it, so that one object
   * serves them all. A runtime that holds it spares every transaction the making of a context.
   */
  readonly transaction: Transaction["Type"]

  /** The port that services see. */
  readonly port: ActorHost["Type"] = {
    transact: (locks, body) => this.#transact(locks, body),
    view: (groups, body) => this.#view(groups, body),
    read: (address) =>
      Effect.sync(() => {
        this.#takeDue(address)
        return this.groups.get(address)
      }),
    nonce: Effect.sync(() => this.streams.nonce("nonces")),
  }

  /** One command in one transaction, outside any Effect: the hot path of load tests. */
  command(request: Omit<TurnRequest, "nonce">): Answer {
    const group = groupOf(request.to)
    this.#takeDue(group)
    return this.#inTransaction({ groups: [group] }, () =>
      this.#commandTurn({ ...request, nonce: this.streams.nonce("nonces") }),
    )
  }

  /** Interrupts every call under way, as a crash would. Their lease timers stay. */
  dropCalls(): void {
    const calls = [...this.#calls.keys()]
    this.#calls.clear()
    this.groups.forgetCalls()
    for (const fiber of calls) fiber.unsafeInterruptAsFork(FiberId.none)
  }

  /** A crash, after which the next process takes over: actors that accept `call.lost` get it for their calls, in order. */
  loseNode(): void {
    const lost = [...this.#calls.values()]
    this.dropCalls()
    for (const { actor, attempt, cause } of lost) {
      const machine = this.groups.get(groupOf(actor))?.actors.get(actor)?.machine ?? ""
      if (this.#options.program.machines[machine]?.events.includes("call.lost") !== true) continue
      const event = { type: "call.lost", attempt }
      const facts = { node: "node_1" }
      this.#alone(actor, { to: actor, by: "result", event, facts, atMs: this.time.nowMs, cause })
    }
  }

  content(): HostContent {
    return {
      nowMs: this.time.nowMs,
      sequence: this.time.agenda.sequence,
      groups: this.groups.content(),
      rows: this.store.content(),
      streams: this.streams.positions(),
    }
  }

  /** Replaces everything by `content`. What the agenda still holds of the old content is dead from then on. */
  restore(content: HostContent): void {
    this.groups.restore(content.groups)
    this.store.restore(content.rows)
    this.streams.restore(content.streams)
    this.time.agenda.skipTo(content.sequence)
    if (content.nowMs > this.time.nowMs) this.time.advanceTo(content.nowMs)
    for (const group of this.groups.all()) {
      for (const timer of group.timers.values()) this.#addTimer(timer, this.groups.sequenceOf(timer))
    }
    for (const message of this.groups.messages()) this.#announce(message)
  }

  #transact<A, E, R>(
    locks: Locks<unknown>,
    body: Effect.Effect<A, E, R>,
  ): Effect.Effect<A, E, Exclude<R, Transaction>> {
    return Effect.suspend(() => {
      for (const group of locks.groups ?? []) this.#takeDue(group)
      const run = (isRehearsal: boolean) =>
        Effect.suspend(() => {
          this.#begin(locks)
          return Effect.flatMap(Effect.exit(Effect.zipLeft(body, this.#observe)), (exit) => {
            if (Exit.isSuccess(exit) && !isRehearsal) this.#commit()
            else this.#rollback()
            return exit
          })
        })
      const ended =
        this.#options.rehearses === true ? Effect.zipRight(Effect.exit(run(true)), run(false)) : run(false)
      return this.#within(Effect.uninterruptible(ended))
    })
  }

  #view<A, E, R>(
    groups: readonly GroupAddress[],
    body: Effect.Effect<A, E, R>,
  ): Effect.Effect<A, E, Exclude<R, Transaction>> {
    return Effect.suspend(() => {
      for (const group of groups) this.#takeDue(group)
      return this.#within(body)
    })
  }

  #within<A, E, R>(body: Effect.Effect<A, E, R>): Effect.Effect<A, E, Exclude<R, Transaction>> {
    return provided(body, this.#handleContext)
  }

  #handle(): Transaction["Type"] {
    const { time } = this
    return {
      get nowMs() {
        return time.nowMs
      },
      turn: (request) => Effect.sync(() => this.#commandTurn(request)),
      group: (address) => Effect.sync(() => this.groups.get(address)),
    }
  }

  #inTransaction<A>(locks: Locks<unknown>, run: () => A): A {
    this.#begin(locks)
    try {
      const value = run()
      if (this.#hasUnobserved()) this.#runNow(this.#within(this.#observe))
      this.#commit()
      return value
    } catch (fault) {
      this.#rollback()
      throw fault
    }
  }

  #begin(locks: Locks<unknown>): void {
    if (this.#open !== null) {
      throw new EngineFault({
        reason: "a transaction suspended",
        at: null,
        found: "another began before it ended",
      })
    }
    this.#open = { locks, started: new Set(), taken: [], observed: 0 }
    this.store.begin()
    this.time.beginTransaction()
  }

  #commit(): void {
    const open = this.#open
    this.#open = null
    this.store.commit()
    this.time.endTransaction()
    for (const { result, input } of open?.taken ?? []) this.#afterCommit(result, input)
    if (this.#options.recording === "off") this.#fold()
  }

  #rollback(): void {
    this.#open = null
    this.store.rollback()
    this.time.endTransaction()
  }

  #hasUnobserved(): boolean {
    const { observers } = this.#areas
    return (this.#open?.taken ?? []).some(({ result }) =>
      observers.some((observer) => observer.kind === kindOf(result.group.address)),
    )
  }

  /** Lets the areas see every turn of the open transaction, those that they cause included. */
  readonly #observe: Effect.Effect<void, never, Transaction> = Effect.suspend(() => {
    const seen = this.#nextSeen()
    return seen === null ? Effect.void : Effect.zipRight(seen, this.#observe)
  })

  /** What the areas do with the next turn that one of them looks at; null when none is left. */
  #nextSeen(): Effect.Effect<void, never, Transaction> | null {
    const open = this.#open
    if (open === null) return null
    while (open.observed < open.taken.length) {
      const result = open.taken[open.observed]?.result
      open.observed += 1
      if (result === undefined || result.entry === null) continue
      const kind = kindOf(result.group.address)
      const seen = this.#areas.observers.flatMap((observer) =>
        observer.kind === kind ? [observer.observe(result)] : [],
      )
      if (seen.length > 0) return seen.reduce((first, next) => Effect.zipRight(first, next))
    }
    return null
  }

  #commandTurn(request: TurnRequest): Answer {
    const { to, event, start, facts, decision, nonce, cause } = request
    this.#assertLocked(groupOf(to), start !== undefined)
    if (this.groups.get(groupOf(to)) === null && this.groups.isFolded(groupOf(to))) {
      throw new EngineFault({
        reason: "a group was folded",
        at: to,
        found: `a command: ${event?.type ?? "@start"}`,
      })
    }
    const result = this.#turn({
      to,
      by: "command",
      ...(event === undefined ? {} : { event }),
      ...(start === undefined ? {} : { start }),
      facts: facts ?? null,
      decision: decision ?? null,
      atMs: this.time.nowMs,
      cause: cause ?? null,
      nonce,
    })
    if (result === null)
      throw new EngineFault({ reason: "an address is unknown", at: to, found: "no turn was taken" })
    return result.outcome
  }

  #assertLocked(group: GroupAddress, isStart: boolean): void {
    const open = this.#open
    if (isStart && this.groups.get(group) === null) open?.started.add(group)
    if (open?.locks.groups?.includes(group) === true || open?.started.has(group) === true) return
    throw new EngineFault({
      reason: "a group is not locked",
      at: group,
      found: "a turn outside the transaction's locks",
    })
  }

  /** Takes one turn inside the open transaction; null when a timer was disarmed meanwhile. */
  #turn(part: InputPart): TurnResult | null {
    const address = groupOf(part.to)
    const before = this.groups.get(address)
    const instantMs = Math.max(this.time.nowMs, before?.instantMs ?? 0, part.instantMs ?? 0)
    const input: TurnInput = {
      facts: null,
      decision: null,
      nonce: part.nonce ?? this.streams.nonce("nonces"),
      ...part,
      instantMs,
      atMs: part.by === "timer" ? part.atMs : instantMs,
    }
    const result = takeTurn(this.#options.program, before, input)
    if (result === null) {
      this.counts.droppedTimers += 1
      return null
    }
    this.#open?.taken.push({ result, input })
    if (result.entry === null) return result
    this.groups.put(result.group)
    this.store.onRollback(() => (before === null ? this.groups.remove(address) : this.groups.put(before)))
    return result
  }

  #afterCommit(result: TurnResult, input: TurnInput): void {
    this.counts.turns += 1
    if (result.outcome.type === "refused") this.counts.refusals += 1
    if (result.entry !== null && this.#options.recording === "full") {
      this.entries.push({ entry: result.entry, instantMs: result.instantMs })
    }
    for (const timer of result.armed) this.#addTimer(timer, this.time.agenda.nextSequence())
    for (const message of result.messages) {
      this.#addMessage({ ...message, sequence: this.time.agenda.nextSequence() })
    }
    for (const call of result.calls) this.#makeCall(call)
    if (this.#options.recording === "off") {
      this.groups.considerFolding(result.group, this.time.nowMs, this.#foldTimes)
    }
    for (const listener of this.#listeners) listener(result, input)
  }

  #fold(): void {
    const gone = this.groups.fold(this.time.nowMs, this.#foldTimes)
    for (const group of gone) {
      for (const observer of this.#areas.observers) {
        if (observer.kind !== kindOf(group)) continue
        this.#runNow(this.#within(observer.forget(group)))
      }
    }
  }

  #addTimer(timer: Timer, sequence: number): void {
    this.groups.noteSequence(timer, sequence)
    const group = groupOf(timer.to)
    const key = timerKey(timer.to, timer.id)
    this.time.agenda.add({
      dueMs: Math.max(timer.dueMs, this.time.nowMs),
      rank: RANK.timer,
      sequence,
      isLive: () => this.groups.get(group)?.timers.get(key) === timer,
      run: () => this.#fire(timer),
    })
  }

  #fire(timer: Timer): void {
    const { to, id, event, dueMs, cause } = timer
    this.#alone(to, { to, by: "timer", event: { type: event }, timer: id, atMs: dueMs, cause })
  }

  #addMessage(message: PendingMessage): void {
    const group = groupOf(message.to)
    const messages = this.groups.messagesFor(group, (one) => groupOf(one.to)).length
    if (messages + (this.groups.get(group)?.timers.size ?? 0) >= MAILBOX_ENTRIES_MAX) {
      throw new EngineFault({
        reason: "a mailbox is full",
        at: message.to,
        found: `${MAILBOX_ENTRIES_MAX} entries`,
      })
    }
    this.groups.addMessage(message)
    this.#announce(message)
  }

  /** Puts a pending message on the agenda. */
  #announce(message: PendingMessage): void {
    this.time.agenda.add({
      dueMs: Math.max(message.instantMs, this.time.nowMs),
      rank: RANK.message,
      sequence: message.sequence,
      isLive: () => this.groups.hasMessage(message.sequence),
      run: () => this.#deliver(message),
    })
  }

  #deliver(message: PendingMessage): void {
    const { to, event, start, instantMs, cause, sequence } = message
    this.groups.takeMessage(sequence)
    const given = event === undefined ? (start === undefined ? {} : { start }) : { event }
    this.#alone(to, { to, by: "message", ...given, instantMs, atMs: instantMs, cause })
  }

  /** Takes what is due for one group, in order of due time and sequence, timers before messages. */
  #takeDue(address: GroupAddress): void {
    for (let taken = 0; ; taken += 1) {
      if (taken >= ENTRIES_PER_INSTANT_MAX) {
        const found = `${ENTRIES_PER_INSTANT_MAX} mailbox entries at ${this.time.nowMs} ms`
        throw new EngineFault({ reason: "time stands still", at: address, found })
      }
      const timer = this.#dueTimer(address)
      const message =
        timer === null ? this.groups.messagesFor(address, (one) => groupOf(one.to))[0] : undefined
      if (timer !== null) this.#fire(timer)
      else if (message !== undefined) this.#deliver(message)
      else return
    }
  }

  #dueTimer(address: GroupAddress): Timer | null {
    let first: Timer | null = null
    for (const timer of this.groups.get(address)?.timers.values() ?? []) {
      if (timer.dueMs > this.time.nowMs) continue
      const before =
        first === null
          ? -1
          : timer.dueMs - first.dueMs || this.groups.sequenceOf(timer) - this.groups.sequenceOf(first)
      if (before < 0) first = timer
    }
    return first
  }

  /** One mailbox entry or call result: a transaction of its own. */
  #alone(to: Address, part: InputPart): void {
    if (this.groups.get(groupOf(to)) === null && this.groups.isFolded(groupOf(to))) {
      this.counts.lateMessages += 1
      return
    }
    this.#inTransaction({ groups: [groupOf(to)] }, () => this.#turn(part))
  }

  #makeCall(call: Call): void {
    const performer = this.#areas.performers.find((one) => one.call === call.call)
    const runtime = this.#runtime
    // A host without areas, as load tests have it, makes no calls.
    if (runtime === null) return
    if (performer === undefined) {
      throw new EngineFault({ reason: "a call is unknown", at: call.actor, found: call.call })
    }
    const group = groupOf(call.actor)
    this.groups.countCall(group, 1)
    // Not at once: the fiber that committed goes on first.
    const fiber: Fiber.RuntimeFiber<unknown, unknown> = Runtime.runFork(runtime)(
      Effect.tap(performer.perform(call), (result) =>
        Effect.sync(() => this.#takeResult(call, result, fiber)),
      ),
      { immediate: false },
    )
    this.#calls.set(fiber, call)
    fiber.addObserver((exit) => {
      if (this.#calls.delete(fiber)) this.groups.countCall(group, -1)
      if (Exit.isFailure(exit) && !Exit.isInterrupted(exit)) this.time.fail(faultOf(exit.cause))
    })
  }

  #takeResult(call: Call, result: CallResult, fiber: Fiber.RuntimeFiber<unknown, unknown>): void {
    if (!this.#calls.has(fiber)) return
    const { actor, cause } = call
    const event = result as unknown as { readonly type: string } & JsonObject
    this.#alone(actor, { to: actor, by: "result", event, atMs: this.time.nowMs, cause })
  }

  #runNow(effect: Effect.Effect<void>): void {
    if (this.#runtime === null) return
    const exit = Runtime.runSyncExit(this.#runtime)(effect)
    if (Exit.isFailure(exit)) throw faultOf(exit.cause)
  }
}
