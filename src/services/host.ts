/**
 * The actor host as the services see it: transactions over groups, and reads. The scenario runner and the fleets bring a
 * host in memory on virtual time, the live service one on PostgreSQL; both stand behind this port.
 */

import { Context, Effect } from "effect"
import type { GroupAddress } from "../model/address.ts"
import type { Environment } from "../model/caller.ts"
import type { CallResult } from "../model/call-result.ts"
import type { EpochMs } from "../model/time.ts"
import type { Group } from "../kernel/group.ts"
import type { Call, Outcome, TurnResult } from "../kernel/turn.ts"
import type { CommandTurn } from "../kernel/unit-of-work.ts"

/**
 * What a transaction locks before its body runs, taken by rank: idempotency key, zone, vehicle pool, then groups in address order.
 * Groups that the body starts are locked by being new.
 */
export interface Locks<E = never> {
  readonly key?: string
  /** Fails the transaction when another keeps the key for too long; without it that is a fault. */
  readonly whenKeyIsBusy?: E
  /** With its environment: two environments may know a zone by the same id. */
  readonly zone?: string
  /** The fleet whose vehicles are taken. */
  readonly pool?: string
  readonly groups?: readonly GroupAddress[]
}

/** A command's turn, as a body asks for it. */
export interface TurnRequest extends CommandTurn {
  /** Environment of the group that it starts, for lists of groups; turns do not know it. */
  readonly environment?: Environment
}

/** What a turn answered: the machine's reply, or a code of the catalogue of refusals. */
export type Answer = Outcome

/** The handle of an open transaction: the only way to write. It travels in the Effect context. */
export class Transaction extends Context.Tag("Transaction")<
  Transaction,
  {
    /** The clock's reading when the transaction began. */
    readonly nowMs: EpochMs
    /** Runs one turn. Due mailbox entries of the group are taken first. */
    readonly turn: (request: TurnRequest) => Effect.Effect<Answer>
    /** The group as the transaction sees it, or null. */
    readonly group: (address: GroupAddress) => Effect.Effect<Group | null>
  }
>() {}

/** Runs transactions and answers reads. */
export class ActorHost extends Context.Tag("ActorHost")<
  ActorHost,
  {
    /**
     * Runs `body` in one transaction: turns, mailbox, journal and rows commit together when it succeeds, and nothing of
     * it stays when it fails. The body makes no outside contact and never waits. Calls leave after commit.
     */
    readonly transact: <A, E, R>(
      locks: Locks<E>,
      body: Effect.Effect<A, E, R>,
    ) => Effect.Effect<A, E, Exclude<R, Transaction>>
    /**
     * The same with reads that the body always needs: on SQL they leave with the locks and share their round trip. `ahead` only
     * reads rows, which it sees as they are under the locks, and may run twice.
     */
    readonly transactAhead: <A, E, R, Ahead, RAhead>(
      locks: Locks<E>,
      ahead: Effect.Effect<Ahead, never, RAhead>,
      body: (prefetched: Ahead) => Effect.Effect<A, E, R>,
    ) => Effect.Effect<A, E, Exclude<R, Transaction> | RAhead>
    /**
     * Runs reads over one snapshot: groups and rows as of the same moment. Writing in it is a fault. A host in memory
     * takes the due mailbox entries of `groups` first.
     */
    readonly view: <A, E, R>(
      groups: readonly GroupAddress[],
      body: Effect.Effect<A, E, R>,
    ) => Effect.Effect<A, E, Exclude<R, Transaction>>
    /** One group alone, or null. */
    readonly read: (address: GroupAddress) => Effect.Effect<Group | null>
    /**
     * Runs a body that waits for turns of a group: `nextTurn` ends when this host has committed one since the body began, or since
     * it last ended. Turns that another node commits are not seen.
     */
    readonly watching: <A, E, R>(
      group: GroupAddress,
      body: (nextTurn: Effect.Effect<void>) => Effect.Effect<A, E, R>,
    ) => Effect.Effect<A, E, R>
    /** 128 fresh bits as 32 hex digits. */
    readonly nonce: Effect.Effect<string>
  }
>() {}

/** What an area of the service does with the turns of its kind of group, inside the same transaction. */
export interface Observer {
  /** First segment of the groups' addresses. */
  readonly kind: string
  readonly observe: (result: TurnResult) => Effect.Effect<void, never, Transaction>
  /** Reads that it makes for every turn of a group: a host over SQL sends them with the locks. The transaction keeps the rows. */
  readonly ahead?: (group: GroupAddress) => Effect.Effect<unknown>
  /** Drops the rows of a group that a host without recording folds away. */
  readonly forget: (group: GroupAddress) => Effect.Effect<void, never, Transaction>
}

/** Makes one kind of outside contact. Runs after commit; its answer becomes the actor's next event. */
export interface Performer {
  /** Name that machines give to the call. */
  readonly call: string
  readonly perform: (call: Call) => Effect.Effect<CallResult>
  /** For hosts that make a bounded number of calls at once, and share them out among receivers. */
  readonly turn?: {
    readonly prepare: (call: Call) => Effect.Effect<ReadyCall>
    /** How long it may wait: after that its lease would end before its answer. */
    readonly waitMsMax: number
  }
}

/** Whom a call reaches, as far as hosts share out their calls. */
export interface Receiver {
  /** Scheme, host and port. */
  readonly origin: string
  /** One that may fail while others of its origin work. */
  readonly endpoint: string
  /** Whether calls are deferred while the endpoint fails. */
  readonly hasBreaker: boolean
}

/** A call that is about to leave. */
export interface ReadyCall {
  /** Whom it will reach; null when it will be discarded. */
  readonly receiver: Receiver | null
  /** The call with what was read to know the receiver. One that had to wait for its turn reads again. */
  readonly perform: Effect.Effect<CallResult>
}

/** What the hosts run beside machines: the areas' observers and performers. */
export class Areas extends Context.Tag("Areas")<
  Areas,
  { readonly observers: readonly Observer[]; readonly performers: readonly Performer[] }
>() {}

/**
 * Reads that do not depend on one another: on SQL they share a round trip. A host in memory, whose transactions must not
 * suspend, runs them one after the other.
 */
export function batch<const Reads extends readonly Effect.Effect<unknown, unknown, unknown>[]>(reads: Reads) {
  return Effect.all(reads, { concurrency: "inherit" })
}
