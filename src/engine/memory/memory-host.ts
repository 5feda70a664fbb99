/**
 * The actor host in memory, on virtual time: a transaction is staged, its body runs synchronously, and calls start as
 * fibers after the commit.
 *
 * Differs from the street: one process, so locks never contend and a commit never fails.
 */

import { Context, Effect, Exit, FiberId, FiberRefs, Runtime } from "effect"
import type { Fiber } from "effect"
import { groupOf, kindOf } from "../../model/address.ts"
import type { Address, GroupAddress } from "../../model/address.ts"
import { withFields } from "../../model/values/json.ts"
import type { JsonObject } from "../../model/values/json.ts"
import {
  ENTRIES_PER_INSTANT_MAX,
  FOLD_AFTER_MS,
  FULL_MAILBOX_RETRY_MS,
  TOMBSTONE_AFTER_MS,
} from "../../model/values/limits.ts"
import type { Requester } from "../../model/requester.ts"
import type { EpochMs } from "../../model/values/time.ts"
import type { CallDeferred, CallResult } from "../../model/call-result.ts"
import { RANK } from "../kernel/agenda.ts"
import { EngineFault, faultOf } from "../kernel/faults.ts"
import { NONE } from "../kernel/few.ts"
import { isArmedIn } from "../kernel/group.ts"
import type { Timer } from "../kernel/group.ts"
import type { Entry, TurnInput } from "../kernel/journal.ts"
import type { Program } from "../kernel/program.ts"
import { Streams } from "../kernel/random.ts"
import type { StreamPositions } from "../kernel/random.ts"
import { SimulatedTime, randomOver } from "../kernel/simulated-time.ts"
import type { Call, TurnResult } from "../kernel/turn.ts"
import { TurnDigest } from "../kernel/turn-digest.ts"
import { UnitOfWork } from "../kernel/unit-of-work.ts"
import type { CommittedGroups, UnitHost, WaitingMessage } from "../kernel/unit-of-work.ts"
import { Transaction, readsOf } from "../services/host.ts"
import type { ActorHost, Answer, Areas, Command, Observer, StartOf, TurnRequest } from "../services/host.ts"
import { noting } from "../services/command-notes.ts"
import { contextWith } from "../services/provided.ts"
import { CurrentRequester } from "../services/requester.ts"
import { answerTo, exitOf, inFiber } from "../services/answering.ts"
import type { Answering } from "../services/answering.ts"
import { isLater } from "../services/later.ts"
import type { MaybeLater } from "../services/later.ts"
import { Routine } from "../services/routine.ts"
import { TurnWatchers } from "../services/turn-watchers.ts"
import { MemoryGroups } from "./memory-groups.ts"
import type { GroupsContent } from "./memory-groups.ts"
import { MemoryStore } from "./memory-store.ts"
import type { StoreContent } from "./memory-store.ts"

export interface MemoryHostOptions {
  readonly program: Program
  readonly seed: number
  readonly startMs: EpochMs
  /** `off` writes no journal entries and folds settled groups; the digest stays the same. */
  readonly recording: "full" | "off"
  readonly foldAfterMs?: number
  readonly tombstoneAfterMs?: number
  /**
   * For tests: runs each body of a transaction twice, and rolls the first run back. A test then sees bodies with
   * effects outside the transaction.
   */
  readonly rehearses?: boolean
  /** How late a timer is taken, in milliseconds; default: at its due time. A command of its group takes it before that. */
  readonly latenessOf?: (timer: Timer) => number
  /** True for a command whose commit fails: it is rolled back, and its caller gets `CommitLost` as a defect. */
  readonly losesCommit?: () => boolean
  /** How many entries a mailbox holds now; default `MAILBOX_ENTRIES_MAX`, beyond which the run ends with a fault. */
  readonly mailboxEntriesMax?: () => number
  /** By default every actor starts as it was asked for. */
  readonly startOf?: StartOf
}

/** A commit that failed, as after a lost connection to a database. */
export class CommitLost extends Error {}

/** A command that met a full mailbox: it is rolled back, and its caller learns only that the service failed. */
export class MailboxFull extends Error {}

/** Called for every committed turn, in order; `result.entry` is null only for a refused start. */
export type TurnListener = (result: TurnResult, input: TurnInput) => void

/** The state of a host as plain JSON, enough to continue elsewhere. */
export interface HostContent {
  readonly nowMs: EpochMs
  readonly sequence: number
  readonly groups: GroupsContent
  readonly rows: StoreContent
  readonly streams: StreamPositions
  readonly digest: string
}

/** The state of a host, and how long its journal is. */
export interface HostBackup {
  readonly content: HostContent
  readonly entries: number
}

export class MemoryHost {
  readonly time: SimulatedTime
  readonly streams: Streams
  readonly store = new MemoryStore()
  readonly groups: MemoryGroups
  readonly entries: { readonly entry: Entry; readonly instantMs: EpochMs }[] = []
  readonly counts = { turns: 0, refusals: 0, droppedTimers: 0, lateMessages: 0, fullMailboxes: 0 }
  readonly #options: MemoryHostOptions
  readonly #handleContext: Context.Context<Transaction>
  readonly #foldTimes: { readonly foldAfterMs: number; readonly tombstoneAfterMs: number }
  readonly #listeners: TurnListener[] = []
  readonly #calls = new Map<Fiber.RuntimeFiber<unknown, unknown>, Call>()
  readonly #committed: CommittedGroups
  readonly #unitHost: UnitHost
  readonly #watchers = new TurnWatchers()
  readonly #digest = new TurnDigest()
  readonly #nonce = (): string => this.streams.nonce("nonces")
  #open: UnitOfWork | null = null
  /** The turn that the areas are shown now. */
  #shown: TurnResult | null = null
  /** Until then no call leaves, and nothing that is due is taken, as after a restore. */
  #heldUntilMs: EpochMs = 0
  #areas: Areas["Type"] = { observers: [], performers: [] }
  #observersByKind: ReadonlyMap<string, readonly Observer[]> = new Map()
  #runtime: Runtime.Runtime<never> | null = null
  /** For observers and for callers without a fiber; null until areas are attached. */
  #answering: Answering | null = null

  constructor(options: MemoryHostOptions) {
    this.#options = options
    this.#foldTimes = {
      foldAfterMs: options.foldAfterMs ?? FOLD_AFTER_MS,
      tombstoneAfterMs: options.tombstoneAfterMs ?? TOMBSTONE_AFTER_MS,
    }
    this.time = new SimulatedTime(options.startMs)
    this.streams = new Streams(options.seed)
    this.groups = new MemoryGroups(options.program)
    this.#committed = {
      group: (address) => this.groups.get(address),
      messages: (address) => this.groups.messagesFor(address),
      sequenceOf: (timer) => this.#sequenceOf(timer),
    }
    this.#unitHost = {
      program: options.program,
      nonce: this.#nonce,
      committed: this.#committed,
      journal: options.recording === "off" ? "unwritten" : "written",
      knownMailboxes: "all",
      mailboxEntriesMax: options.mailboxEntriesMax,
    }
    this.transaction = this.#handle()
    this.#handleContext = Context.make(Transaction, this.transaction)
  }

  /** Runs an effect on this run's Clock, Random and Scheduler. Batched reads run in order: a transaction must not suspend. */
  simulated<A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> {
    const withChance = Effect.withRandom(effect, randomOver(this.streams, "effect"))
    return this.time.owning(Effect.withConcurrency(withChance, 1))
  }

  /** Attaches the areas' observers and performers, and a runtime on this run's time. */
  attach(areas: Areas["Type"], runtime: Runtime.Runtime<never>): void {
    this.#areas = areas
    this.#observersByKind = Map.groupBy(areas.observers, ({ kind }) => kind)
    const services = contextWith(runtime.context, this.#handleContext)
    this.#answering = {
      services,
      clock: this.time.clock,
      refs: runtime.fiberRefs,
      run: runAtOnce,
    }
    this.#runtime = runtime
  }

  onTurn(listener: TurnListener): void {
    this.#listeners.push(listener)
  }

  /**
   * The caller will not use this resting group again: without recording it is folded like a settled one, so that memory
   * does not grow with a long run.
   */
  retire(address: GroupAddress): void {
    const group = this.groups.get(address)
    if (group === null || this.#options.recording === "full") return
    this.groups.foldLater(group, this.time.nowMs, this.#foldTimes)
  }

  /** Runs a service's routine at once, without a fiber. Throws a defect. */
  answer<A, E, R>(routine: Effect.Effect<A, E, R>): Exit.Exit<A, E> {
    if (this.#answering === null) throw new Error("no areas are attached")
    const at = this.#answering
    return atOnce(exitOf(() => answerTo(routine, at)))
  }

  /** The entry from which rows follow that are written now; null outside a transaction, and for a command without a turn. */
  get writing(): Entry | null {
    return (this.#shown ?? this.#open?.taken.at(-1)?.result)?.entry ?? null
  }

  /** Calls in flight. */
  get callsInFlight(): number {
    return this.#calls.size
  }

  /**
   * The handle of the open transaction: there is only one at a time, so one object serves all. A runtime that holds it
   * saves building a context for each transaction.
   */
  readonly transaction: Transaction["Type"]

  /** The host as services see it. */
  readonly port: ActorHost["Type"] = {
    run: noting((command) => Routine.answeredBy((at) => this.#run(command, this.#inside(at)))),
    view: (groups, body) => Routine.answeredBy((at) => this.#view(groups, body, this.#inside(at))),
    read: (address) =>
      Routine.sync(() => {
        this.#takeDue(address)
        return this.groups.get(address)
      }),
    watching: (group, body) => this.#watchers.watching(group, body),
    nonce: Routine.sync(() => this.#nonce()),
  }

  /** One command in one transaction, outside any Effect: the hot path of load tests. */
  command(request: Omit<TurnRequest, "nonce">): Answer {
    const group = groupOf(request.to)
    this.#takeDue(group)
    const turn = withFields(request, { nonce: this.#nonce() })
    return this.#inTransaction(group, () => this.#commandTurn(turn))
  }

  /** Projects a group onto its rows as a turn would, without one: its areas see the group as it is. */
  project(address: GroupAddress): void {
    const group = this.groups.get(address)
    const at = this.#answering
    if (group === null || at === null) return
    const { instantMs } = group
    const seen: TurnResult = { ...NOTHING_HAPPENED, group, instantMs, nonce: this.#nonce() }
    this.#begin([])
    try {
      for (const observer of this.#observersOf(address)) atOnce(answerTo(observer.observe(seen), at))
      this.#commit()
    } catch (thrown) {
      this.#rollback()
      throw thrown
    }
  }

  /** Makes calls that were in flight when the groups of this host were saved. */
  resumeCalls(calls: readonly Call[]): void {
    for (const call of calls) this.#makeCall(call)
  }

  /** Gives an actor the result of a call, also one that it has had already, or that the call waits for room. */
  takeResult({ actor, cause }: Pick<Call, "actor" | "cause">, result: CallDeferred | CallResult): void {
    const event = result as unknown as { readonly type: string } & JsonObject
    // A result that meets a full mailbox is not taken: the lease of its call ends the attempt.
    this.#aloneUnlessFull(groupOf(actor), (unit) => unit.result({ to: actor, event, cause }))
  }

  /** Sends a call that waits for room, if it still waits, as the queue of a live host does. */
  releaseCall({ actor, attempt }: Pick<Call, "actor" | "attempt">): void {
    const snapshot = this.groups.get(groupOf(actor))?.actors.get(actor)?.snapshot
    const context = snapshot?.context as { readonly attempt?: number } | undefined
    if (snapshot?.value !== "queued" || context?.attempt !== attempt) return
    const event = { type: "queue.released", attempt }
    const nonce = this.streams.nonce("released calls")
    this.#aloneUnlessFull(groupOf(actor), (unit) => void unit.command({ to: actor, event, nonce }))
  }

  /** Interrupts every call in flight, as a crash would. Their lease timers stay. */
  dropCalls(): void {
    const calls = [...this.#calls.keys()]
    this.#calls.clear()
    this.groups.forgetCalls()
    for (const fiber of calls) fiber.unsafeInterruptAsFork(FiberId.none)
  }

  /** True when the actor's machine, in the version that it was started with, knows the event. */
  accepts(actor: Address, type: string): boolean {
    const machine = this.groups.get(groupOf(actor))?.actors.get(actor)?.machine ?? ""
    return this.#options.program.machines[machine]?.events.includes(type) === true
  }

  /** A crash and a successor: actors that accept `call.lost` get it for their calls, in order. */
  loseNode(): void {
    const lost = [...this.#calls.values()]
    this.dropCalls()
    for (const { actor, attempt, cause } of lost) {
      if (!this.accepts(actor, "call.lost")) continue
      const event = { type: "call.lost", attempt }
      const facts = { node: "node_1" }
      this.#aloneUnlessFull(groupOf(actor), (unit) => unit.result({ to: actor, event, facts, cause }))
    }
  }

  /** A crash: the calls in flight are lost, and the host starts again from what it has stored. */
  crash(): void {
    this.dropCalls()
    this.restore(JSON.parse(JSON.stringify(this.content())) as HostContent)
  }

  /** What a backup of the database holds. */
  backup(): HostBackup {
    return JSON.parse(JSON.stringify({ content: this.content(), entries: this.entries.length })) as HostBackup
  }

  /**
   * A crash, and then a backup in place of what was stored. Time and chance go on. Calls to the outside are held until
   * an operator allows them.
   */
  restoreBackup({ content, entries }: HostBackup, heldUntilMs: EpochMs): void {
    this.dropCalls()
    this.#heldUntilMs = heldUntilMs
    this.entries.length = entries
    this.restore({ ...content, streams: this.streams.positions(), nowMs: this.time.nowMs })
  }

  /** True while calls to the outside are held. */
  get areCallsHeld(): boolean {
    return this.time.nowMs < this.#heldUntilMs
  }

  /** Of all turns so far, in order; the same with and without recording. 16 hex digits. */
  digest(): string {
    return this.#digest.total()
  }

  content(): HostContent {
    const sequences = new Map(this.#armed().map(({ timer, sequence }) => [timer, sequence]))
    return {
      nowMs: this.time.nowMs,
      sequence: this.time.agenda.sequence,
      groups: this.groups.content((timer) => sequences.get(timer) ?? 0),
      rows: this.store.content(),
      streams: this.streams.positions(),
      digest: this.#digest.total(),
    }
  }

  /** Replaces everything by `content`. Agenda entries of the old content are no longer live. */
  restore(content: HostContent): void {
    const armed = this.groups.restore(content.groups)
    this.store.restore(content.rows)
    this.streams.restore(content.streams)
    this.#digest.restore(content.digest)
    this.time.agenda.skipTo(content.sequence)
    if (content.nowMs > this.time.nowMs) this.time.advanceTo(content.nowMs)
    for (const [timer, sequence] of armed) this.#addTimer(timer, sequence)
    for (const message of this.groups.messages()) this.#announce(message)
  }

  /** With the ports of a transaction, in which nothing waits. */
  #inside(at: Answering): Answering {
    const services = contextWith(at.services, this.#handleContext)
    return services === at.services && at.run === runAtOnce ? at : { ...at, services, run: runAtOnce }
  }

  #run<A, E, R, Read, RRead>(command: Command<A, E, R, Read, RRead>, at: Answering): A {
    const groups = command.locks.groups ?? []
    this.#failingWhenFull(() => {
      for (const group of groups) this.#takeDue(group)
    })
    if (this.#options.rehearses === true) this.#rehearse(groups, () => this.#runBody(command, at))
    this.#begin(groups, FiberRefs.getOrDefault(at.refs, CurrentRequester))
    try {
      const answer = this.#runBody(command, at)
      if (this.#options.losesCommit?.() === true)
        throw new CommitLost(`the commit of "${command.name}" failed`)
      this.#commit()
      return answer
    } catch (thrown) {
      this.#rollback()
      throw this.#meetsFullMailbox(thrown) ? new MailboxFull(thrown.message) : thrown
    }
  }

  #failingWhenFull(take: () => void): void {
    try {
      take()
    } catch (thrown) {
      throw this.#meetsFullMailbox(thrown) ? new MailboxFull(thrown.message) : thrown
    }
  }

  /** True for a fault that a bound of this host caused; with the usual bound it ends the run. */
  #meetsFullMailbox(thrown: unknown): thrown is EngineFault {
    const isOne =
      this.#options.mailboxEntriesMax !== undefined &&
      thrown instanceof EngineFault &&
      thrown.reason === "a mailbox is full"
    if (isOne) this.counts.fullMailboxes += 1
    return isOne
  }

  #runBody<A, E, R, Read, RRead>(command: Command<A, E, R, Read, RRead>, at: Answering): A {
    const read = atOnce(answerTo(readsOf(command), at))
    const answer = atOnce(answerTo(command.body(read), at))
    this.#observe(at.refs)
    return answer
  }

  /** Runs a body and rolls it back. The real run draws the same random numbers. */
  #rehearse(groups: readonly GroupAddress[], body: () => unknown): void {
    const positions = this.streams.positions()
    this.#begin(groups)
    try {
      body()
    } catch {
      // The real run fails in the same way.
    } finally {
      this.#rollback()
      this.streams.restore(positions)
    }
  }

  #view<A, E, R>(groups: readonly GroupAddress[], body: Effect.Effect<A, E, R>, at: Answering): A {
    this.#failingWhenFull(() => {
      for (const group of groups) this.#takeDue(group)
    })
    return atOnce(answerTo(body, at))
  }

  #handle(): Transaction["Type"] {
    const { time } = this
    return {
      get nowMs() {
        return time.nowMs
      },
      turn: (request) => Routine.sync(() => this.#commandTurn(request)),
      group: (address) => Routine.sync(() => (this.#open ?? this.#committed).group(address)),
      afterCommit: (action) => Routine.sync(() => this.#open?.afterCommit(action)),
    }
  }

  #inTransaction<A>(group: GroupAddress, run: (unit: UnitOfWork) => A): A {
    const unit = this.#begin([group])
    try {
      const value = run(unit)
      this.#observe()
      this.#commit()
      return value
    } catch (fault) {
      this.#rollback()
      throw fault
    }
  }

  #begin(locked: readonly GroupAddress[], requester: Requester | null = null): UnitOfWork {
    if (this.#open !== null) {
      throw new EngineFault({
        reason: "a transaction suspended",
        at: null,
        found: "another began before it ended",
      })
    }
    const unit = new UnitOfWork(this.#unitHost, { nowMs: this.time.nowMs, locked, requester })
    this.#open = unit
    this.store.begin()
    this.time.beginTransaction()
    return unit
  }

  #commit(): void {
    const unit = this.#open
    this.#open = null
    this.store.commit()
    this.time.endTransaction()
    if (unit === null) return
    this.counts.droppedTimers += unit.droppedTimers
    for (const group of unit.changed.values()) this.groups.put(group)
    for (const sequence of unit.takenMessages) this.groups.takeMessage(sequence)
    for (const { result, input } of unit.taken) this.#afterCommit(result, input)
    unit.runAfterCommit()
    this.#watchers.committed(unit.changed.keys())
    if (this.#options.recording === "off") this.#fold()
  }

  #rollback(): void {
    this.#open = null
    this.#shown = null
    this.store.rollback()
    this.time.endTransaction()
  }

  /**
   * Shows the areas every turn of the open transaction, including turns that observers cause. `refs` are those of the caller, by
   * which an observer knows who sent the request.
   */
  #observe(refs: FiberRefs.FiberRefs | null = null): void {
    const own = this.#answering
    if (own === null) return
    const at = refs === null || refs === own.refs ? own : { ...own, refs }
    for (
      let next = this.#open?.nextUnobserved() ?? null;
      next !== null;
      next = this.#open?.nextUnobserved() ?? null
    ) {
      this.#shown = next
      for (const observer of this.#observersOf(next.group.address))
        atOnce(answerTo(observer.observe(next), at))
    }
    this.#shown = null
  }

  #observersOf(group: GroupAddress): readonly Observer[] {
    return this.#observersByKind.get(kindOf(group)) ?? NONE
  }

  #commandTurn(request: TurnRequest): Answer {
    const { to, event } = request
    const group = groupOf(to)
    const unit = this.#open
    if (unit === null || this.#isFolded(group)) {
      throw new EngineFault({
        reason: unit === null ? "a group is not locked" : "a group was folded",
        at: to,
        found: `a command: ${event?.type ?? "@start"}`,
      })
    }
    const { startOf } = this.#options
    const { start } = request
    return unit.command(
      start === undefined || startOf === undefined ? request : { ...request, start: startOf(start) },
    )
  }

  #afterCommit(result: TurnResult, input: TurnInput): void {
    this.counts.turns += 1
    this.#digest.add(result, input)
    if (result.outcome.type === "refused") this.counts.refusals += 1
    if (result.entry !== null) {
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
      for (const observer of this.#observersOf(group)) {
        if (this.#answering !== null) atOnce(answerTo(observer.forget(group), this.#answering))
      }
    }
  }

  #addTimer(timer: Timer, sequence: number): void {
    const dueMs = Math.max(timer.dueMs, this.time.nowMs) + (this.#options.latenessOf?.(timer) ?? 0)
    const subject: Armed = { timer, sequence }
    this.time.agenda.add({
      dueMs,
      rank: RANK.timer,
      sequence,
      subject,
      isLive: this.#isArmed,
      run: this.#fire,
    })
  }

  readonly #isArmed = (subject: unknown): boolean => {
    const { timer } = subject as Armed
    // Its cause begins with its group, as the text that maps have hashed before.
    const group = this.groups.get(timer.cause[0])
    return group !== null && isArmedIn(group, timer)
  }

  readonly #fire = (subject: unknown): void => {
    const { timer } = subject as Armed
    const againMs = this.#heldUntil() ?? this.#aloneUnlessFull(groupOf(timer.to), (unit) => unit.fire(timer))
    if (againMs === null) return
    const entry = { dueMs: Math.max(againMs, this.time.nowMs), rank: RANK.timer, subject }
    const { agenda } = this.time
    agenda.add({ ...entry, sequence: agenda.nextSequence(), isLive: this.#isArmed, run: this.#fire })
  }

  /** Order of arming of a timer. It is needed so seldom that a search costs less than an index. */
  #sequenceOf(timer: Timer): number {
    return this.#armed().find((one) => one.timer === timer)?.sequence ?? 0
  }

  /** Timers on the agenda, also those that are no longer armed. */
  #armed(): readonly Armed[] {
    const own = this.time.agenda.entries().filter(({ isLive }) => isLive === this.#isArmed)
    return own.map(({ subject }) => subject as Armed)
  }

  #heldUntil(): EpochMs | null {
    return this.areCallsHeld ? this.#heldUntilMs : null
  }

  #addMessage(message: WaitingMessage): void {
    this.groups.addMessage(message)
    this.#announce(message)
  }

  /** Puts a pending message on the agenda. */
  #announce(message: WaitingMessage): void {
    this.time.agenda.add({
      dueMs: Math.max(message.instantMs, this.time.nowMs),
      rank: RANK.message,
      sequence: message.sequence,
      isLive: () => this.groups.hasMessage(message.sequence),
      run: () => this.#deliver(message),
    })
  }

  #deliver(message: WaitingMessage): void {
    const group = groupOf(message.to)
    if (this.#isFolded(group)) this.groups.takeMessage(message.sequence)
    const againMs =
      this.#heldUntil() ??
      this.#untilEarlier(group, message) ??
      this.#aloneUnlessFull(group, (unit) => unit.deliver(message))
    if (againMs === null) return
    this.time.schedule(
      againMs,
      RANK.message,
      () => this.#deliver(message),
      () => this.groups.hasMessage(message.sequence),
    )
  }

  /** A message does not overtake one that waits because it met a full mailbox; null when it is the first. */
  #untilEarlier(group: GroupAddress, { sequence }: WaitingMessage): EpochMs | null {
    const [first] = this.groups.messagesFor(group)
    return first === undefined || first.sequence >= sequence ? null : this.time.nowMs + FULL_MAILBOX_RETRY_MS
  }

  /** The same as `#alone`; returns when to try again if the turn met a full mailbox, else null. */
  #aloneUnlessFull(group: GroupAddress, take: (unit: UnitOfWork) => void): EpochMs | null {
    try {
      this.#alone(group, take)
      return null
    } catch (thrown) {
      if (!this.#meetsFullMailbox(thrown)) throw thrown
      return this.time.nowMs + FULL_MAILBOX_RETRY_MS
    }
  }

  /** Takes what is due for one group, each entry in a transaction of its own. */
  #takeDue(address: GroupAddress): void {
    // Usually all that is due was taken in the order of the agenda.
    if (this.time.agenda.firstDueMs > this.time.nowMs && !this.#isEverLate()) return
    for (let taken = 0; this.#hasDue(address); taken += 1) {
      if (taken >= ENTRIES_PER_INSTANT_MAX) {
        const found = `${ENTRIES_PER_INSTANT_MAX} mailbox entries at ${this.time.nowMs} ms`
        throw new EngineFault({ reason: "time does not advance", at: address, found })
      }
      this.#inTransaction(address, (unit) => unit.takeDue(address))
    }
  }

  /** True when a timer or message may wait for longer than its time. */
  #isEverLate(): boolean {
    const { latenessOf, mailboxEntriesMax } = this.#options
    return latenessOf !== undefined || mailboxEntriesMax !== undefined || this.#heldUntilMs > 0
  }

  #hasDue(address: GroupAddress): boolean {
    const { nowMs } = this.time
    for (const timer of this.groups.get(address)?.timers.values() ?? []) if (timer.dueMs <= nowMs) return true
    return this.groups.messagesFor(address).some(({ instantMs }) => instantMs <= nowMs)
  }

  /** Runs a turn in a transaction of its own, unless its group was folded. */
  #alone(group: GroupAddress, take: (unit: UnitOfWork) => void): void {
    if (this.#isFolded(group)) this.counts.lateMessages += 1
    else this.#inTransaction(group, take)
  }

  #isFolded(group: GroupAddress): boolean {
    return this.groups.get(group) === null && this.groups.isFolded(group)
  }

  #makeCall(call: Call): void {
    const performer = this.#areas.performers.find((one) => one.call === call.call)
    // A host without areas, as in load tests, makes no calls.
    if (this.#runtime === null) return
    if (performer === undefined) {
      throw new EngineFault({ reason: "a call is unknown", at: call.actor, found: call.call })
    }
    // A held call is made again after its lease, once calls are allowed.
    if (this.areCallsHeld) return
    const group = groupOf(call.actor)
    this.groups.countCall(group, 1)
    // Starts later: the fiber that committed continues first.
    const fiber: Fiber.RuntimeFiber<unknown, unknown> = Runtime.runFork(this.#runtime)(
      Effect.tap(performer.perform(call), (result) =>
        Effect.sync(() => this.#takeOwnResult(call, result, fiber)),
      ),
      { immediate: false },
    )
    this.#calls.set(fiber, call)
    fiber.addObserver((exit) => {
      if (this.#calls.delete(fiber)) this.groups.countCall(group, -1)
      if (Exit.isFailure(exit) && !Exit.isInterrupted(exit)) this.time.fail(faultOf(exit.cause))
    })
  }

  #takeOwnResult(call: Call, result: CallResult, fiber: Fiber.RuntimeFiber<unknown, unknown>): void {
    if (this.#calls.has(fiber)) this.takeResult(call, result)
  }
}

/** A timer on the agenda, with its order of arming. */
interface Armed {
  readonly timer: Timer
  readonly sequence: number
}

const NOTHING_HAPPENED = {
  hasGroup: true,
  entry: null,
  steps: [],
  outcome: { type: "answered", value: null },
  emissions: [],
  calls: [],
  messages: [],
  armed: [],
  hasMoved: false,
} as const

/** Runs an Effect that is no routine, without waiting. */
const runAtOnce: Answering["run"] = (effect, at) => {
  const ended = inFiber(effect, at)
  return isLater(ended) ? Exit.die(waits()) : ended
}

/** The answer of a routine in memory, which never waits. */
function atOnce<A>(answer: MaybeLater<A>): A {
  if (!isLater(answer)) return answer
  void answer.then(undefined, () => undefined)
  throw waits()
}

function waits(): EngineFault {
  return new EngineFault({ reason: "a transaction suspended", at: null, found: "its body waits" })
}
