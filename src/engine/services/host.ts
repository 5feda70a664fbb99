/**
 * The actor host as the services see it: transactions over groups, and reads. The scenario runner and the fleets use a
 * host in memory on virtual time, the live service one on PostgreSQL; both implement this port.
 */

import { Context } from "effect"
import type { Effect } from "effect"
import type { GroupAddress } from "../../model/address.ts"
import type { Environment } from "../../model/caller.ts"
import type { CallResult } from "../../model/call-result.ts"
import type { EpochMs } from "../../model/values/time.ts"
import type { Group } from "../kernel/group.ts"
import type { Call, Outcome, TurnResult } from "../kernel/turn.ts"
import type { CommandTurn } from "../kernel/unit-of-work.ts"
import type { Owner } from "./owner-turns.ts"
import { Answerable, answerTo, answersTo } from "./answering.ts"
import type { Answering } from "./answering.ts"
import type { MaybeLater } from "./later.ts"
import { Routine } from "./routine.ts"

/**
 * What a transaction locks before its body runs, in this order: idempotency key, zone, vehicle pool, then groups by
 * address. A group that the body starts counts as locked.
 */
export interface Locks<E = never> {
  readonly key?: string
  /** The error when another transaction keeps the key for too long; without it that is a fault. */
  readonly whenKeyIsBusy?: E
  /** Includes the environment, because two environments may have zones with the same id. */
  readonly zone?: string
  /** The fleet whose vehicles are assigned. */
  readonly pool?: string
  readonly groups?: readonly GroupAddress[]
}

/** A command as a value: a host runs it in one transaction. */
export interface Command<A, E, R, Read = void, RRead = never> {
  /** For traces and the log of faults: a verb and a noun, without ids. */
  readonly name: string
  readonly locks: Locks<E>
  /**
   * What the body always reads: over SQL these reads are sent with the locks and share their round trip. They see the rows as they
   * are under the locks, and may run twice.
   */
  readonly reads?: Routine<Read, never, RRead>
  /** Runs turns, writes rows and reads more. It makes no outbound contact, never waits, and may run twice. */
  readonly body: (read: Read) => Routine<A, E, R>
}

/** A command's turn, as a body requests it. */
export interface TurnRequest extends CommandTurn {
  /** Environment of a new group, for lists of groups; turns do not see it. */
  readonly environment?: Environment
  /** The organization of a new group, on whose clock it lives in the sandbox; absent: real time. */
  readonly organizationId?: string
}

/** The machine, in its version, and the input by which an actor starts. */
export type ActorStart = NonNullable<TurnRequest["start"]>

/** For tests: the same start as an earlier program makes it, which has earlier versions of machines. */
export type StartOf = (start: ActorStart) => ActorStart

/** The result of a turn: the machine's reply, or a refusal code. */
export type Answer = Outcome

/** The handle of an open transaction: the only way to write. It is passed in the Effect context. */
export class Transaction extends Context.Tag("Transaction")<
  Transaction,
  {
    /** The time at which the transaction had its locks. */
    readonly nowMs: EpochMs
    /** Runs one turn, after the group's due mailbox entries. */
    readonly turn: (request: TurnRequest) => Routine<Answer>
    /** The group in this transaction, or null. */
    readonly group: (address: GroupAddress) => Routine<Group | null>
    /** Runs an action of this process right after the commit, before watchers of the groups are woken; never after a rollback. */
    readonly afterCommit: (action: () => void) => Routine<void>
  }
>() {}

/** Runs transactions and reads. */
export class ActorHost extends Context.Tag("ActorHost")<
  ActorHost,
  {
    /**
     * Runs a command in one transaction: turns, mailbox, journal and rows are committed together when its body succeeds and
     * rolled back when it fails. Calls are sent after the commit.
     */
    readonly run: <A, E, R, Read = void, RRead = never>(
      command: Command<A, E, R, Read, RRead>,
    ) => Routine<A, E, Exclude<R, Transaction> | RRead>
    /**
     * Runs reads over one snapshot: groups and rows as of the same moment. Writing is a fault. The due mailbox entries
     * of `groups` are taken first.
     */
    readonly view: <A, E, R>(
      groups: readonly GroupAddress[],
      body: Routine<A, E, R>,
    ) => Routine<A, E, Exclude<R, Transaction>>
    /** Reads one group, or null. */
    readonly read: (address: GroupAddress) => Routine<Group | null>
    /**
     * Runs a body that waits for turns of a group: `nextTurn` completes when this host has committed one since the body
     * began, or since it last completed. It does not see turns that another node commits.
     */
    readonly watching: <A, E, R>(
      group: GroupAddress,
      body: (nextTurn: Effect.Effect<void>) => Effect.Effect<A, E, R>,
    ) => Effect.Effect<A, E, R>
    /** 128 fresh bits as 32 hex digits. */
    readonly nonce: Routine<string>
  }
>() {}

/** What an area does with the turns of its kind of group, inside the same transaction. */
export interface Observer {
  /** First segment of the groups' addresses. */
  readonly kind: string
  readonly observe: (result: TurnResult) => Routine<void, never, Transaction>
  /**
   * Reads that it makes for every turn of a group: a host over SQL sends them with the locks. The transaction caches
   * the rows.
   */
  readonly ahead?: (group: GroupAddress) => Routine<unknown>
  /** Deletes the rows of a group that an unrecorded run folds. */
  readonly forget: (group: GroupAddress) => Routine<void, never, Transaction>
}

/** Makes one kind of outbound call. Runs after the commit; its result becomes the actor's next event. */
export interface Performer {
  /** The name that machines give to the call. */
  readonly call: string
  /** The lease that machines give such a call. When it ends, the call is interrupted and its slot is free. */
  readonly leaseMs: number
  readonly perform: (call: Call) => Effect.Effect<CallResult>
  /**
   * Reads what the call needs in the transaction that requests it, which knows most of these rows. For a call that begins right
   * after the commit. Optional: saves a round trip.
   */
  readonly ready?: (call: Call) => Routine<ReadyCall, never, Transaction>
  /** For hosts with a bounded number of concurrent calls, shared fairly among receivers. */
  readonly turn?: {
    readonly prepare: (call: Call) => Effect.Effect<ReadyCall>
    /** Longest wait: after that the lease would end before the answer. */
    readonly waitMsMax: number
  }
}

/** The receiver of a call, for the fair sharing of slots. */
export interface Receiver extends Owner {
  /** Scheme, host and port. */
  readonly origin: string
  /** The part of an origin that may fail while other endpoints of it work. */
  readonly endpoint: string
  /** True when calls are deferred while the endpoint fails. */
  readonly hasBreaker: boolean
}

/** A call that is about to be sent. */
export interface ReadyCall {
  /** Null when the call will be discarded. */
  readonly receiver: Receiver | null
  /** Makes the call with the rows that were read to find the receiver. A call that had to wait reads them again. */
  readonly perform: Effect.Effect<CallResult>
}

/** What the hosts run beside machines: the areas' observers and performers. */
export class Areas extends Context.Tag("Areas")<
  Areas,
  { readonly observers: readonly Observer[]; readonly performers: readonly Performer[] }
>() {}

/** Reads that do not depend on each other: on SQL they share a round trip; in memory one runs after the other. */
export function batch<const Reads extends readonly Effect.Effect<unknown, unknown, unknown>[]>(
  reads: Reads,
): Routine<
  { -readonly [At in keyof Reads]: Effect.Effect.Success<Reads[At]> },
  Effect.Effect.Error<Reads[number]>,
  Effect.Effect.Context<Reads[number]>
> {
  return new Batch(reads) as never
}

class Batch extends Answerable<unknown[], unknown, unknown> {
  readonly #reads: readonly Effect.Effect<unknown, unknown, unknown>[]

  constructor(reads: readonly Effect.Effect<unknown, unknown, unknown>[]) {
    super()
    this.#reads = reads
  }

  answer(at: Answering): MaybeLater<unknown[]> {
    return answersTo(this.#reads, at)
  }
}

/**
 * A read, and in the same round trip what later requests of the transaction need. In memory, where that would save nothing, the
 * read alone.
 */
export function readingAhead<A, E, R, E2, R2>(
  read: Effect.Effect<A, E, R>,
  ahead: () => Effect.Effect<unknown, E2, R2>,
): Routine<A, E | E2, R | R2> {
  const both = (): Routine<A, E | E2, R | R2> => Routine.map(batch([read, ahead()]), ([value]) => value)
  return Routine.answeredBy<A, E | E2, R | R2>((at) => answerTo(at.readsAhead === true ? both() : read, at))
}

/** What the body of a command gets: its reads, or nothing. */
export function readsOf<A, E, R, Read, RRead>({
  reads,
}: Command<A, E, R, Read, RRead>): Routine<Read, never, RRead> {
  return reads ?? (Routine.void as unknown as Routine<Read>)
}
