/**
 * Groups, their mailboxes and their journals as rows: locking and loading them, and writing what a transaction made of
 * them in few statements, whatever the number of turns. Longer than 400 lines: every statement on these tables is here.
 */

import { and, asc, eq, inArray, isNull, lte, or, sql } from "drizzle-orm"
import { Cause as EffectCause, Effect } from "effect"
import { idOf, kindOf } from "../model/address.ts"
import type { GroupAddress } from "../model/address.ts"
import { MAILBOX_ENTRIES_MAX } from "../model/limits.ts"
import type { EpochMs } from "../model/time.ts"
import { EngineFault } from "../kernel/faults.ts"
import { isGroupSettled, persistGroup, reviveGroup, timerKey } from "../kernel/group.ts"
import type { Group, Timer } from "../kernel/group.ts"
import { GENESIS } from "../kernel/hash.ts"
import type { Program } from "../kernel/program.ts"
import type { ReservationRow } from "../services/reservations/rows.ts"
import { DatabaseFault } from "./database.ts"
import type { Database, Orm } from "./database.ts"
import { LOCK_WAIT_MS_MAX } from "./bounds.ts"
import type { GroupChanges, LoadedGroup } from "./group-changes.ts"
import { groups, journal, mailbox, reservations } from "./schema.ts"
import { workedOutOnce } from "./worked-out-once.ts"
import { sqlOver } from "./transaction.ts"
import type { Sql } from "./transaction.ts"

/** What one look saw of a group. */
export interface ForeseenGroup {
  readonly group: Group | null
  readonly reservations: ReadonlyMap<string, ReservationRow | null>
  readonly dueMs: EpochMs | null
}

type MailboxRow = typeof mailbox.$inferSelect
type GroupRow = typeof groups.$inferSelect

export class GroupStore {
  readonly #program: Program
  readonly #sql: Sql
  readonly #foreseeing: (orm: Orm) => ReturnType<typeof foreseeing>

  constructor(program: Program, database: Database["Type"]) {
    this.#program = program
    this.#sql = sqlOver(database)
    this.#foreseeing = workedOutOnce(database, foreseeing)
  }

  /**
   * Waits for a lock that ends with the transaction. Names of different ranks never meet. The bound of the wait, and of
   * every later one in the transaction, is set in the same statement: its list is worked out from left to right.
   */
  lockName(
    rank: "key" | "zone" | "pool" | "group",
    name: string,
    waitMsMax = LOCK_WAIT_MS_MAX,
  ): Effect.Effect<void> {
    const text = `${rank} ${name}`
    const bound = String(waitMsMax)
    return Effect.asVoid(
      this.#sql.writeReturning(lockingWords(rank), (orm) =>
        orm.execute(
          sql`select set_config('lock_timeout', ${bound}, true), pg_advisory_xact_lock(hashtextextended(${text}, 0))`,
        ),
      ),
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
    // Both are sent at once; the second begins when the first has its locks, and sees what was committed until then.
    return this.#sql
      .read("locking groups", (orm) =>
        Promise.all([
          orm
            .select()
            .from(groups)
            .where(whenLocked === "wait" ? some : and(some, isNull(groups.stoppedBecause)))
            .orderBy(asc(groups.address))
            .for("update", whenLocked === "wait" ? {} : { skipLocked: true }),
          orm
            .select()
            .from(mailbox)
            .where(inArray(mailbox.groupAddress, [...addresses]))
            .orderBy(asc(mailbox.id)),
        ]),
      )
      .pipe(
        Effect.map(([found, entries]) => {
          const byGroup = Map.groupBy(entries, ({ groupAddress }) => groupAddress)
          return found.map((row) => this.#loaded(row, byGroup.get(row.address) ?? []))
        }),
      )
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

  /**
   * The group, its reservation's row and when its next entry is due, in one statement: one moment without a transaction.
   * Its timers are left out.
   */
  foresee(address: GroupAddress): Effect.Effect<ForeseenGroup> {
    const reservationId = kindOf(address) === "reservation" ? idOf(address) : ""
    return this.#sql
      .read("reading a group with its row", (orm) =>
        this.#foreseeing(orm).execute({ address, reservationId }),
      )
      .pipe(
        Effect.map(([first]) => ({
          group:
            first === undefined || first.group.revision === 0 ? null : this.#loaded(first.group, []).group,
          reservations: new Map(
            reservationId === "" || first === undefined ? [] : [[reservationId, first.row]],
          ),
          dueMs: first?.dueMs === null || first === undefined ? null : Number(first.dueMs),
        })),
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

  #fillMailbox(changes: GroupChanges): Effect.Effect<void> {
    const { armed, messages } = changes
    if (armed.length === 0 && messages.length === 0) return Effect.void
    const places = [...new Set(messages.map(({ group }) => group))]
    return Effect.zipRight(this.#insertEntries(changes, places), this.#checkMailboxes(places))
  }

  /** A full mailbox fails whoever would have filled it over: nothing that was sent is lost (src/DECISIONS.md §21). */
  #checkMailboxes(places: readonly GroupAddress[]): Effect.Effect<void> {
    if (places.length === 0) return Effect.void
    return Effect.flatMap(
      this.#sql.writeReturning("counting mailboxes", (orm) =>
        orm
          .select({ address: mailbox.groupAddress })
          .from(mailbox)
          .where(inArray(mailbox.groupAddress, [...places]))
          .groupBy(mailbox.groupAddress)
          .having(sql`count(*) > ${MAILBOX_ENTRIES_MAX}`)
          .limit(1),
      ),
      ([full]) => {
        if (full === undefined) return Effect.void
        const found = `${MAILBOX_ENTRIES_MAX} entries`
        return Effect.die(new EngineFault({ reason: "a mailbox is full", at: full.address, found }))
      },
    )
  }

  #insertEntries({ armed, messages }: GroupChanges, places: readonly GroupAddress[]): Effect.Effect<void> {
    return this.#sql.write("filling mailboxes", async (orm) => {
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

function lockingWords(rank: string): string {
  return `locking the ${rank}`
}

/** True when the wait for a transaction's key came to its bound. */
export function isBusyKey(cause: EffectCause.Cause<unknown>): boolean {
  return [...EffectCause.defects(cause)].some(
    (defect) =>
      defect instanceof DatabaseFault && defect.sqlState === "55P03" && defect.doing === lockingWords("key"),
  )
}

function foreseeing(orm: Orm) {
  return orm
    .select({
      group: groups,
      row: reservations,
      dueMs: sql<string | null>`(select min(due_ms) from mailbox where group_address = ${groups.address})`,
    })
    .from(groups)
    .leftJoin(reservations, eq(reservations.reservationId, sql.placeholder("reservationId")))
    .where(eq(groups.address, sql.placeholder("address")))
    .prepare("foresee")
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
