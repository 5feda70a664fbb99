/**
 * Groups, their mailboxes and their journals as rows: locking and loading them, and writing what a transaction made of
 * them in few statements, whatever the number of turns.
 */

import { and, asc, eq, inArray, isNull, lte, or, sql } from "drizzle-orm"
import { Effect } from "effect"
import { kindOf } from "../model/address.ts"
import type { Address, GroupAddress } from "../model/address.ts"
import type { JsonObject } from "../model/json.ts"
import type { EpochMs } from "../model/time.ts"
import { EngineFault } from "../kernel/faults.ts"
import { isGroupSettled, persistGroup, reviveGroup, timerKey } from "../kernel/group.ts"
import type { Cause, Group, Timer } from "../kernel/group.ts"
import { GENESIS } from "../kernel/hash.ts"
import type { Entry } from "../kernel/journal.ts"
import type { Program } from "../kernel/program.ts"
import type { Database } from "./database.ts"
import { groups, journal, mailbox } from "./schema.ts"
import { sqlOver } from "./transaction.ts"
import type { Sql } from "./transaction.ts"

/** A message that waits for its group. */
export interface WaitingMessage {
  readonly id: number
  readonly to: Address
  readonly event: ({ readonly type: string } & JsonObject) | null
  readonly start: { readonly machine: string; readonly input: JsonObject } | null
  readonly instantMs: EpochMs
  readonly cause: Cause
}

/** A group and all that waits for it. `group` is null while its start waits in the mailbox. */
export interface LoadedGroup {
  readonly address: GroupAddress
  readonly group: Group | null
  /** Order in which timers were written, by their key. */
  readonly sequenceByTimer: ReadonlyMap<string, number>
  readonly messages: readonly WaitingMessage[]
}

export interface ArmedTimer {
  readonly timer: Timer
  readonly instantMs: EpochMs
}

export interface NewMessage extends Omit<WaitingMessage, "id"> {
  /** Unlike any other message's. */
  readonly key: string
}

/** What one transaction made of its groups. */
export interface GroupChanges {
  /** Groups that had rows, all of them locked. */
  readonly changed: readonly Group[]
  readonly started: readonly Group[]
  /** Timers gone or replaced. */
  readonly disarmed: readonly { readonly group: GroupAddress; readonly key: string }[]
  /** In the order of their arming. */
  readonly armed: readonly ArmedTimer[]
  readonly takenMessages: readonly number[]
  readonly messages: readonly { readonly group: GroupAddress; readonly message: NewMessage }[]
  readonly entries: readonly { readonly entry: Entry; readonly instantMs: EpochMs }[]
}

type MailboxRow = typeof mailbox.$inferSelect
type GroupRow = typeof groups.$inferSelect

export class GroupStore {
  readonly #program: Program
  readonly #sql: Sql

  constructor(program: Program, database: Database["Type"]) {
    this.#program = program
    this.#sql = sqlOver(database)
  }

  /** Waits for a lock that ends with the transaction. Names of different ranks never meet. */
  lockName(rank: "key" | "zone" | "group", name: string): Effect.Effect<void> {
    const text = `${rank} ${name}`
    return this.#sql.write(`locking the ${rank}`, (orm) =>
      orm.execute(sql`select pg_advisory_xact_lock(hashtextextended(${text}, 0))`),
    )
  }

  /**
   * Locks the groups that exist, in address order, and loads them. `skip` leaves out groups that another transaction
   * holds, and those that have stopped.
   */
  lock(
    addresses: readonly GroupAddress[],
    whenLocked: "wait" | "skip",
  ): Effect.Effect<readonly LoadedGroup[]> {
    if (addresses.length === 0) return Effect.succeed([])
    const some = inArray(groups.address, [...addresses])
    return this.#sql
      .read("locking groups", (orm) =>
        orm
          .select()
          .from(groups)
          .where(whenLocked === "wait" ? some : and(some, isNull(groups.stoppedBecause)))
          .orderBy(asc(groups.address))
          .for("update", whenLocked === "wait" ? {} : { skipLocked: true }),
      )
      .pipe(Effect.flatMap((found) => this.#withMailbox(found)))
  }

  /** The group as it stands now, without a lock. */
  find(address: GroupAddress): Effect.Effect<LoadedGroup | null> {
    return this.#sql
      .read("reading a group", (orm) =>
        orm
          .select()
          .from(groups)
          .leftJoin(mailbox, eq(mailbox.groupAddress, groups.address))
          .where(eq(groups.address, address))
          .orderBy(asc(mailbox.id)),
      )
      .pipe(
        Effect.map((rows) => {
          const [first] = rows
          if (first === undefined) return null
          return this.#loaded(
            first.groups,
            rows.flatMap((row) => (row.mailbox === null ? [] : [row.mailbox])),
          )
        }),
      )
  }

  /** Groups with a due entry, the longest due first. Those that have stopped are left out. */
  due(nowMs: EpochMs, limit: number): Effect.Effect<readonly GroupAddress[]> {
    return this.#sql
      .read("looking for due entries", (orm) =>
        orm
          .select({ address: mailbox.groupAddress })
          .from(mailbox)
          .innerJoin(groups, eq(groups.address, mailbox.groupAddress))
          .where(and(lte(mailbox.dueMs, nowMs), isNull(groups.stoppedBecause)))
          .orderBy(asc(mailbox.dueMs), asc(mailbox.id))
          .limit(limit),
      )
      .pipe(Effect.map((rows) => [...new Set(rows.map(({ address }) => address))]))
  }

  /** When the next entry is due, or null. */
  readonly nextDueMs: Effect.Effect<EpochMs | null> = Effect.suspend(() =>
    this.#sql
      .read("looking for the next due entry", (orm) =>
        orm
          .select({ dueMs: mailbox.dueMs })
          .from(mailbox)
          .innerJoin(groups, eq(groups.address, mailbox.groupAddress))
          .where(isNull(groups.stoppedBecause))
          .orderBy(asc(mailbox.dueMs))
          .limit(1),
      )
      .pipe(Effect.map(([first]) => first?.dueMs ?? null)),
  )

  /** Keeps the wake-up away from a group whose due entry ends in a fault; its next good transaction clears it. */
  stop(address: GroupAddress, because: string): Effect.Effect<void> {
    return this.#sql.write("stopping a group", (orm) =>
      orm.update(groups).set({ stoppedBecause: because }).where(eq(groups.address, address)),
    )
  }

  /** Lets every stopped group try again: the program may have changed since. */
  readonly clearStops: Effect.Effect<void> = Effect.suspend(() =>
    this.#sql.write("clearing stops", (orm) =>
      orm
        .update(groups)
        .set({ stoppedBecause: null })
        .where(sql`${groups.stoppedBecause} is not null`),
    ),
  )

  /** Writes everything that a transaction made of its groups; what does not depend on each other goes together. */
  write(changes: GroupChanges): Effect.Effect<void> {
    return Effect.all(
      [
        this.#writeChanged(changes.changed),
        this.#writeStarted(changes.started),
        Effect.zipRight(this.#emptyMailbox(changes), this.#fillMailbox(changes)),
        this.#writeJournal(changes.entries),
      ],
      { concurrency: "unbounded", discard: true },
    )
  }

  #withMailbox(found: readonly GroupRow[]): Effect.Effect<readonly LoadedGroup[]> {
    if (found.length === 0) return Effect.succeed([])
    const addresses = found.map(({ address }) => address)
    return this.#sql
      .read("reading mailboxes", (orm) =>
        orm.select().from(mailbox).where(inArray(mailbox.groupAddress, addresses)).orderBy(asc(mailbox.id)),
      )
      .pipe(
        Effect.map((entries) => {
          const byGroup = Map.groupBy(entries, ({ groupAddress }) => groupAddress)
          return found.map((row) => this.#loaded(row, byGroup.get(row.address) ?? []))
        }),
      )
  }

  #loaded(row: GroupRow, entries: readonly MailboxRow[]): LoadedGroup {
    const { address, revision, instantMs, occurredUs, head, actors } = row
    const timers = entries.filter(({ kind }) => kind === "timer")
    const kept = { address, revision, instantMs, occurredUs, head, actors, timers: timers.map(timerOf) }
    return {
      address,
      group: revision === 0 ? null : reviveGroup(this.#program, kept),
      sequenceByTimer: new Map(timers.map(({ key, id }) => [key, id])),
      messages: entries
        .filter(({ kind }) => kind === "message")
        .map(({ id, toAddress, event, start, instantMs: sentMs, cause }) => ({
          id,
          to: toAddress,
          event,
          start,
          instantMs: sentMs,
          cause,
        })),
    }
  }

  /** The rows are locked, so nobody has changed them since they were read. */
  #writeChanged(changed: readonly Group[]): Effect.Effect<void> {
    return Effect.forEach(
      changed,
      (group) =>
        this.#sql.write("writing a group", (orm) =>
          orm.update(groups).set(rowOf(group)).where(eq(groups.address, group.address)),
        ),
      { discard: true },
    )
  }

  /** An address may hold the place of a group that was sent its start. Any other row there is a second start. */
  #writeStarted(started: readonly Group[]): Effect.Effect<void> {
    if (started.length === 0) return Effect.void
    return this.#sql
      .writeReturning("writing new groups", (orm) =>
        orm
          .insert(groups)
          .values(started.map(rowOf))
          .onConflictDoUpdate({
            target: groups.address,
            set: {
              revision: sql`excluded.revision`,
              instantMs: sql`excluded.instant_ms`,
              occurredUs: sql`excluded.occurred_us`,
              head: sql`excluded.head`,
              actors: sql`excluded.actors`,
              isSettled: sql`excluded.is_settled`,
              stoppedBecause: sql`null`,
            },
            setWhere: eq(groups.revision, 0),
          })
          .returning({ address: groups.address }),
      )
      .pipe(
        Effect.flatMap((written) => {
          const known = new Set(written.map(({ address }) => address))
          const twice = started.find(({ address }) => !known.has(address))
          if (twice === undefined) return Effect.void
          const found = "its row was there already"
          return Effect.die(
            new EngineFault({ reason: "an actor was started twice", at: twice.address, found }),
          )
        }),
      )
  }

  #emptyMailbox({ disarmed, takenMessages }: GroupChanges): Effect.Effect<void> {
    if (disarmed.length === 0 && takenMessages.length === 0) return Effect.void
    return this.#sql.write("emptying mailboxes", (orm) =>
      orm
        .delete(mailbox)
        .where(
          or(
            takenMessages.length === 0 ? undefined : inArray(mailbox.id, [...takenMessages]),
            ...disarmed.map(({ group, key }) => and(eq(mailbox.groupAddress, group), eq(mailbox.key, key))),
          ),
        ),
    )
  }

  #fillMailbox({ armed, messages }: GroupChanges): Effect.Effect<void> {
    if (armed.length === 0 && messages.length === 0) return Effect.void
    return this.#sql.write("filling mailboxes", async (orm) => {
      const places = [...new Set(messages.map(({ group }) => group))]
      if (places.length > 0) await orm.insert(groups).values(places.map(placeOf)).onConflictDoNothing()
      await orm.insert(mailbox).values([
        ...armed.map(({ timer, instantMs }) => ({
          groupAddress: timer.cause[0],
          kind: "timer" as const,
          key: timerKey(timer.to, timer.id),
          toAddress: timer.to,
          event: { type: timer.event },
          start: null,
          dueMs: timer.dueMs,
          instantMs,
          cause: timer.cause,
        })),
        ...messages.map(({ group, message }) => ({
          groupAddress: group,
          kind: "message" as const,
          key: message.key,
          toAddress: message.to,
          event: message.event,
          start: message.start,
          dueMs: message.instantMs,
          instantMs: message.instantMs,
          cause: message.cause,
        })),
      ])
    })
  }

  #writeJournal(entries: GroupChanges["entries"]): Effect.Effect<void> {
    if (entries.length === 0) return Effect.void
    return this.#sql.write("writing the journal", (orm) =>
      orm.insert(journal).values(
        entries.map(({ entry, instantMs }) => ({
          groupAddress: entry.group,
          revision: entry.revision,
          instantMs,
          text: entry.text,
          hash: entry.hash,
        })),
      ),
    )
  }
}

function timerOf({ toAddress, key, event, dueMs, cause }: MailboxRow): Timer {
  return {
    to: toAddress,
    id: key.slice(timerKey(toAddress, "").length),
    event: event?.type ?? "",
    dueMs,
    cause,
  }
}

function rowOf(group: Group): GroupRow {
  const { address, revision, instantMs, occurredUs, head, actors } = persistGroup(group)
  return {
    address,
    kind: kindOf(address),
    revision,
    instantMs,
    occurredUs,
    head,
    actors,
    isSettled: isGroupSettled(group),
    stoppedBecause: null,
  }
}

/** The row of a group that was sent its start: something to lock. */
function placeOf(address: GroupAddress): GroupRow {
  return {
    address,
    kind: kindOf(address),
    revision: 0,
    instantMs: 0,
    occurredUs: 0,
    head: GENESIS,
    actors: [],
    isSettled: false,
    stoppedBecause: null,
  }
}
