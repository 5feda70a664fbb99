/**
 * Groups, their mailboxes and their journals as rows: locking and loading them, and writing what a transaction made of
 * them in few statements, whatever the number of turns. Longer than 400 lines: every statement on these tables is here.
 */

import { and, asc, eq, getTableColumns, isNull, like, sql } from "drizzle-orm"
import type { SQL } from "drizzle-orm"
import { idOf, kindOf } from "../../model/address.ts"
import type { GroupAddress } from "../../model/address.ts"
import type { Environment } from "../../model/caller.ts"
import { MAILBOX_ENTRIES_MAX } from "../../model/values/limits.ts"
import type { EpochMs } from "../../model/values/time.ts"
import { EngineFault } from "../kernel/faults.ts"
import { isGroupSettled, persistGroup, reviveGroup, timerKey } from "../kernel/group.ts"
import type { Group, Timer } from "../kernel/group.ts"
import { GENESIS } from "../kernel/hash.ts"
import type { Program } from "../kernel/program.ts"
import type { GroupRow as AreaRow } from "../services/group-rows.ts"
import { DatabaseFault, constraintIn, databaseFault, keyIn } from "./database.ts"
import type { Database, Orm } from "./database.ts"
import { STARTED_AT_ONCE_MAX } from "./bounds.ts"
import type { GroupChanges, LoadedGroup } from "./group-changes.ts"
import {
  CHANGE_GROUP,
  CHANGE_GROUPS,
  CHECK_MAILBOXES,
  DUE_GROUPS,
  EMPTY_MAILBOXES,
  FILL_MAILBOXES,
  FILL_SANDBOX_MAILBOXES,
  LOCK_NAME,
  LOCK_NAME_WITHIN,
  NEXT_DUE,
  NEXT_DUE_AT,
  NEXT_TIMER,
  ORGANIZATION_ENTRIES,
  START_GROUPS,
  WRITE_JOURNAL,
  WRITE_MOVE_TURNS,
  startGroups,
} from "./group-statements.ts"
import { clockStateIn, clockText } from "./clock-state.ts"
import { declaredTable, shownColumns } from "./declared-table.ts"
import { RowCache } from "./row-cache.ts"
import { groups, mailbox } from "./schema.ts"
import { ask, oncePerDatabase, preparedQuery } from "./prepared-query.ts"
import { openTransaction, sendNow, flushNothing, sqlOver, writeDeferred } from "./transaction.ts"
import type { Prefetched, Sql } from "./transaction.ts"
import type { ClockState } from "../services/organization-clock.ts"
import { Routine } from "../services/routine.ts"

/** The result of one read of a group. */
export interface PrefetchedGroup {
  readonly group: Group | null
  readonly rows: Prefetched["Type"]
  readonly dueMs: EpochMs | null
  /** The clock on which it lives; null: real time. */
  readonly clockState: ClockState | null
}

/** The entries of an organization whose clock is moved. */
export interface OrganizationEntries {
  /** Groups with an entry that is due. */
  readonly due: readonly GroupAddress[]
  /** True while results of calls are outstanding. */
  readonly waits: boolean
  /** When the next entry is due, by the organization's clock. */
  readonly nextMs: EpochMs | null
}

/** A timer, by the clock on which it lives. */
export interface NextTimer {
  readonly group: GroupAddress
  readonly name: string
  readonly atMs: EpochMs
}

type MailboxRow = typeof mailbox.$inferSelect
type GroupRow = typeof groups.$inferSelect & { readonly clockState: string | null }

export class GroupStore {
  readonly #program: Program
  readonly #sql: Sql
  readonly #queries: ReturnType<typeof queriesOf>
  readonly #rowReads: ReadonlyMap<string, RowReads>
  readonly #mailboxEntriesMax: () => number

  /** `mailboxEntriesMax`: how many entries a mailbox holds now; tests make it small. */
  constructor(
    program: Program,
    database: Database["Type"],
    rows: readonly AreaRow[],
    mailboxEntriesMax: () => number = () => MAILBOX_ENTRIES_MAX,
  ) {
    this.#mailboxEntriesMax = mailboxEntriesMax
    this.#program = program
    this.#sql = sqlOver(database, flushNothing)
    this.#queries = queriesOf(database)
    this.#rowReads = rowReadsOf(database, rows)
  }

  /**
   * Sends the statements that take locks, all at once: names in the given order, then groups in address order, which
   * are loaded with their group rows. The inner effect waits for the locks. Names of different ranks never
   * collide. The time limit of a name also applies to the statements after it, until another name sets its own; null
   * does not change it.
   */
  beginLocking(
    names: readonly LockName[],
    addresses: readonly GroupAddress[],
  ): Routine<Routine<readonly LoadedGroup[]>> {
    const beginLoading = this.#beginLoading(addresses, "wait")
    return Routine.gen(function* () {
      const locking: Routine<unknown>[] = []
      for (const name of names) {
        locking.push(yield* sendNow(`locking the ${name.rank}`, (orm) => lockName(orm, name)))
      }
      const loading = yield* beginLoading
      return Routine.zipRight(Routine.inTurn(...locking), loading)
    })
  }

  /** Locks and loads the groups that no other transaction holds and that are not stopped. */
  lockFree(addresses: readonly GroupAddress[]): Routine<readonly LoadedGroup[]> {
    return Routine.flatMap(this.#beginLoading(addresses, "skip"), (loading) => loading)
  }

  #beginLoading(
    addresses: readonly GroupAddress[],
    whenLocked: "wait" | "skip",
  ): Routine<Routine<readonly LoadedGroup[]>> {
    if (addresses.length === 0) return Routine.succeed(Routine.succeed([]))
    const count = addresses.length === 1 ? "one" : "many"
    const { locking, lockingFree, waiting } = this.#queries[count]
    const lockingNow = whenLocked === "wait" ? locking : lockingFree
    const places = { address: addresses[0], addresses: [...addresses] }
    const rowReads = [...this.#rowReads].flatMap(([kind, reads]) => {
      const ids = addresses.filter((address) => kindOf(address) === kind).map(idOf)
      return ids.length === 0 || !reads.isReadWithLock ? [] : [{ reads, ids }]
    })
    const loaded = (row: GroupRow, entries: readonly MailboxRow[]) => this.#loaded(row, entries)
    return Routine.gen(function* () {
      const open = yield* openTransaction("locking groups")
      // All are sent at once; the others run when the first has its locks, and see what was committed until then.
      const sent = yield* sendNow("locking groups", (orm) =>
        Promise.all([
          lockingNow(orm).execute(places),
          waiting(orm).execute(places),
          Promise.all(rowReads.map(({ reads, ids }) => reads[count](orm).execute({ id: ids[0], ids }))),
        ]),
      )
      return Routine.map(sent, ([found, entries, rows]) => {
        const locked = new Set(found.map(({ address }) => idOf(address)))
        for (const [at, { reads }] of rowReads.entries()) {
          for (const row of rows[at] ?? []) if (locked.has(reads.idOf(row))) reads.cache.locked(open, row)
        }
        const byGroup = Map.groupBy(entries, ({ groupAddress }) => groupAddress)
        return found.map((row) => loaded(row, byGroup.get(row.address) ?? []))
      })
    })
  }

  /** The group as of now, without a lock. */
  find(address: GroupAddress): Routine<LoadedGroup | null> {
    return Routine.map(
      this.#sql.readByKey("reading a group", (orm) => this.#queries.finding(orm).execute({ address })),
      (rows) => {
        const [first] = rows
        if (first === undefined) return null
        return this.#loaded(
          { ...first.group, clockState: first.clockState },
          rows.flatMap((row) => (row.mailbox === null ? [] : [row.mailbox])),
        )
      },
    )
  }

  /**
   * The group, its group row, and when its next entry is due, as of one moment: one statement.
   * Without its timers.
   */
  prefetch(address: GroupAddress): Routine<PrefetchedGroup> {
    const id = idOf(address)
    const reads = this.#rowReads.get(kindOf(address))
    const asked =
      reads === undefined
        ? this.#sql.readByKey("reading a group", async (orm) => {
            const [first] = await this.#queries.prefetching(orm).execute({ address })
            return seen(first, null)
          })
        : this.#sql.readByKey("reading a group with its row", async (orm) => {
            const [first] = await reads.prefetching(orm).execute({ address, id })
            return seen(first, { table: reads.table, id, row: first?.row ?? null })
          })
    return Routine.map(asked, ({ row, ...rest }) => ({
      ...rest,
      clockState: clockStateIn(row?.clockState ?? null),
      group: row === null || row.revision === 0 ? null : this.#loaded(row, []).group,
    }))
  }

  /** Groups with a due entry, those due longest first, without stopped groups. */
  due(realMs: EpochMs, limit: number): Routine<readonly GroupAddress[]> {
    return Routine.map(
      this.#sql.read("looking for due entries", (orm) => ask(orm, DUE_GROUPS, [realMs, limit])),
      (rows) => [...new Set(rows.map((row) => String(row["group_address"])))],
    )
  }

  /** The real instant at which the next entry is due, or null. */
  readonly nextDueMs: Routine<EpochMs | null> = Routine.suspend(() =>
    Routine.map(
      this.#sql.read("looking for the next due entry", (orm) => ask(orm, NEXT_DUE_AT, [])),
      ([first]) => numberOrNull(first?.["at"]),
    ),
  )

  /** What is due on an organization's clock at its instant, and when the next entry is due. */
  entriesOf(
    organizationId: string,
    { atMs, realMs, limit, countsQueued }: EntriesWanted,
  ): Routine<OrganizationEntries> {
    return Routine.map(
      this.#sql.read("looking at an organization's entries", (orm) =>
        ask(orm, ORGANIZATION_ENTRIES, [organizationId, atMs, realMs, limit, countsQueued]),
      ),
      ([row]) => ({
        due: [...new Set((row?.["due"] ?? []) as readonly GroupAddress[])],
        waits: row?.["waits"] === true,
        nextMs: numberOrNull(row?.["next"]),
      }),
    )
  }

  /** The next timer on an organization's clock, or null. */
  nextTimer(organizationId: string): Routine<NextTimer | null> {
    return Routine.map(
      this.#sql.read("looking for an organization's next timer", (orm) =>
        ask(orm, NEXT_TIMER, [organizationId]),
      ),
      ([row]) =>
        row === undefined
          ? null
          : {
              group: String(row["group_address"]),
              name: String(row["key"]).slice(timerKey(String(row["to_address"]), "").length),
              atMs: Number(row["due_ms"]),
            },
    )
  }

  /**
   * Stops a group whose due entry ends in a fault, so that the wake-up skips it; its next successful transaction clears
   * the stop.
   */
  stop(address: GroupAddress, because: string): Routine<void> {
    return this.#sql.write("stopping a group", (orm) =>
      orm.update(groups).set({ stoppedBecause: because }).where(eq(groups.address, address)),
    )
  }

  /** Clears all stops, because the program may have changed since. */
  readonly clearStops: Routine<void> = Routine.suspend(() =>
    this.#sql.write("clearing stops", (orm) =>
      orm
        .update(groups)
        .set({ stoppedBecause: null })
        .where(sql`${groups.stoppedBecause} is not null`),
    ),
  )

  /** Clears the stops of groups whose due entry met a full mailbox, because the mailbox may have room by now. */
  readonly clearFullStops: Routine<void> = Routine.suspend(() =>
    this.#sql.write("clearing stops of full mailboxes", (orm) =>
      orm
        .update(groups)
        .set({ stoppedBecause: null })
        .where(like(groups.stoppedBecause, `${FULL_MAILBOX_REASON} at %`)),
    ),
  )

  /** Writes all changes of a transaction to its groups, and the deferred writes, in one round trip. */
  write(changes: GroupChanges): Routine<void> {
    return Routine.inTurn(
      Routine.map(openTransaction("writing groups"), writeDeferred),
      this.#writeChanged(changes),
      this.#emptyMailbox(changes),
      this.#fillMailbox(changes),
      this.#writeJournal(changes.entries),
      this.#writeStarted(changes),
      this.#writeMoveTurns(changes),
    )
  }

  #loaded(row: GroupRow, entries: readonly MailboxRow[]): LoadedGroup {
    const { address, revision, instantMs, occurredUs, head, actors } = row
    const timers = entries.filter(({ kind }) => kind === "timer")
    const kept = { address, revision, instantMs, occurredUs, head, actors, timers: timers.map(timerOf) }
    return {
      address,
      group: revision === 0 ? null : reviveGroup(this.#program, kept),
      environment: row.environment,
      clock: row.clock,
      clockState: clockStateIn(row.clockState),
      leaseEndByTimer: new Map(
        timers.flatMap(({ key, leaseUntilMs }) => (leaseUntilMs === null ? [] : [[key, leaseUntilMs]])),
      ),
      sequenceByTimer: new Map(timers.map(({ key, id }) => [key, id])),
      holderByTimer: new Map(timers.flatMap(({ key, heldBy }) => (heldBy === null ? [] : [[key, heldBy]]))),
      messages: entries
        .filter(({ kind }) => kind === "message")
        .map(({ id, toAddress, event, start, instantMs: sentMs, cause }) => ({
          sequence: id,
          to: toAddress,
          ...(event === null ? {} : { event }),
          ...(start === null ? {} : { start }),
          instantMs: sentMs,
          cause,
        })),
    }
  }

  /** The rows are locked, so they have not changed since they were read. */
  #writeChanged(changes: GroupChanges): Routine<void> {
    const records = changes.changed.map((group) => recordOf(group, changes))
    const [only] = records
    if (only === undefined) return Routine.void
    return this.#sql.write("writing groups", (orm) =>
      records.length === 1
        ? ask(orm, CHANGE_GROUP, Object.values(only).slice(0, -1))
        : ask(orm, CHANGE_GROUPS, [records]),
    )
  }

  #writeStarted(changes: GroupChanges): Routine<void> {
    const { started } = changes
    if (started.length === 0) return Routine.void
    const records = started.map((group) => recordOf(group, changes))
    return this.#sql.write("writing new groups", (orm) =>
      records.length <= STARTED_AT_ONCE_MAX
        ? ask(
            orm,
            startGroups(records.length),
            records.flatMap((record) => Object.values(record)),
          )
        : ask(orm, START_GROUPS, [records]),
    )
  }

  #writeMoveTurns({ moveTurns, realMs }: GroupChanges): Routine<void> {
    if (moveTurns.length === 0) return Routine.void
    const records = moveTurns.map(({ moveId, instantMs, ...turn }) => ({
      move: moveId,
      instant: instantMs,
      ...turn,
      taken: realMs,
    }))
    return this.#sql.write("writing turns of a move", (orm) => ask(orm, WRITE_MOVE_TURNS, [records]))
  }

  #emptyMailbox({ disarmed, takenMessages }: GroupChanges): Routine<void> {
    if (disarmed.length === 0 && takenMessages.length === 0) return Routine.void
    return this.#sql.write("emptying mailboxes", (orm) =>
      ask(orm, EMPTY_MAILBOXES, [[...disarmed, ...takenMessages.map((id) => ({ id }))]]),
    )
  }

  #fillMailbox(changes: GroupChanges): Routine<void> {
    const { armed, messages } = changes
    if (armed.length === 0 && messages.length === 0) return Routine.void
    const senders = new Map(messages.map(({ group, message }) => [group, message.cause[0]]))
    return Routine.zipRight(this.#insertEntries(changes, senders), this.#checkMailboxes([...senders.keys()]))
  }

  /** A full mailbox fails the sender, so that no message is lost (src/DECISIONS.md §21). */
  #checkMailboxes(places: readonly GroupAddress[]): Routine<void> {
    if (places.length === 0) return Routine.void
    return this.#sql.write("counting mailboxes", (orm) =>
      ask(orm, CHECK_MAILBOXES, [JSON.stringify(places), this.#mailboxEntriesMax()]),
    )
  }

  #insertEntries(
    { armed, messages, clocks, isOfSandbox, realMs }: GroupChanges,
    senders: ReadonlyMap<GroupAddress, GroupAddress>,
  ): Routine<void> {
    const write = this.#sql.write
    return Routine.gen(function* () {
      const places = [...senders].map(([address, sender]) => ({
        ...placeOf(address, sender),
        clock: clocks.get(sender) ?? null,
      }))
      if (places.length > 0) {
        yield* write("keeping places for groups", (orm) =>
          orm.insert(groups).values(places).onConflictDoNothing(),
        )
      }
      const timers = armed.map(({ timer, instantMs, heldBy, leaseUntilMs }) => ({
        group: timer.cause[0],
        kind: "timer",
        key: timerKey(timer.to, timer.id),
        to: timer.to,
        event: JSON.stringify({ type: timer.event }),
        due: timer.dueMs,
        instant: instantMs,
        cause: JSON.stringify(timer.cause),
        held: heldBy,
        ...(isOfSandbox ? { clock: clocks.get(timer.cause[0]) ?? null, lease: leaseUntilMs } : {}),
      }))
      const sent = messages.map(({ group, message: { key, to, event, start, instantMs, cause } }) => ({
        group,
        kind: "message",
        key,
        to,
        event: event === undefined ? null : JSON.stringify(event),
        start: start === undefined ? null : JSON.stringify(start),
        due: instantMs,
        instant: instantMs,
        cause: JSON.stringify(cause),
        ...(isOfSandbox ? { clock: clocks.get(cause[0]) ?? null } : {}),
      }))
      yield* write("filling mailboxes", (orm) =>
        isOfSandbox
          ? ask(orm, FILL_SANDBOX_MAILBOXES, [[...timers, ...sent], realMs])
          : ask(orm, FILL_MAILBOXES, [[...timers, ...sent]]),
      )
    })
  }

  #writeJournal(entries: GroupChanges["entries"]): Routine<void> {
    if (entries.length === 0) return Routine.void
    const records = entries.map(({ entry: { group, revision, text, hash, requester }, instantMs }) => ({
      group,
      revision,
      instant: instantMs,
      text,
      hash,
      ...(requester === undefined ? {} : { requester }),
    }))
    return this.#sql.write("writing the journal", (orm) => ask(orm, WRITE_JOURNAL, [records]))
  }
}

/** The engine fault of a failed statement, or null: an actor was started twice, or a mailbox is full. */
export function engineFaultIn(defect: unknown): EngineFault | null {
  if (!(defect instanceof DatabaseFault)) return null
  const at = keyIn(defect)
  if (defect.sqlState === FULL_MAILBOX) {
    return new EngineFault({ reason: FULL_MAILBOX_REASON, at, found: `${MAILBOX_ENTRIES_MAX} entries` })
  }
  const isStartedTwice = defect.sqlState === UNIQUE_VIOLATION && constraintIn(defect) === GROUPS_KEY
  if (!isStartedTwice) return null
  return new EngineFault({ reason: "an actor was started twice", at, found: "its row was there already" })
}

/** Raised by the function `check_mailboxes` (migration 0133). */
const FULL_MAILBOX = "CB001"

const FULL_MAILBOX_REASON = "a mailbox is full"

/** Source: PostgreSQL error codes, class 23. */
const UNIQUE_VIOLATION = "23505"

/** PostgreSQL's name of the primary key of the table `groups`. */
const GROUPS_KEY = "groups_pkey"

/** A lock of a name that ends with the transaction. */
export interface LockName {
  readonly rank: "group" | "key" | "pool" | "zone"
  readonly name: string
  /** Null: keeps the time limit of the connection or of an earlier lock of the transaction. */
  readonly waitMsMax: number | null
}

/** The wait for a transaction's key reached its time limit. */
class BusyKey extends DatabaseFault {}

async function lockName(orm: Orm, { rank, name, waitMsMax }: LockName): Promise<unknown> {
  const text = `${rank} ${name}`
  try {
    return await (waitMsMax === null
      ? ask(orm, LOCK_NAME, [text])
      : ask(orm, LOCK_NAME_WITHIN, [text, String(waitMsMax)]))
  } catch (cause) {
    const fault = databaseFault(`locking the ${rank}`, cause)
    throw rank === "key" && fault.sqlState === LOCK_NOT_AVAILABLE ? new BusyKey(fault) : fault
  }
}

/** Source: PostgreSQL error codes, class 55. */
const LOCK_NOT_AVAILABLE = "55P03"

/** True when the wait for a transaction's key reached its time limit. */
export function isBusyKey(defect: unknown): boolean {
  return defect instanceof BusyKey
}

/**
 * One group and several have separate statements: for a list of any length the server makes a new plan at every run,
 * because it cannot know how short the list is (src/DECISIONS.md §108).
 */
function lockingQueriesOf(database: Database["Type"], { group, entry }: Wanted) {
  return {
    locking: preparedQuery(database, (orm) =>
      orm
        .select(GROUP_WITH_CLOCK)
        .from(groups)
        .where(group)
        .orderBy(asc(groups.address))
        .for("update")
        .prepare("locking"),
    ),
    lockingFree: preparedQuery(database, (orm) =>
      orm
        .select(GROUP_WITH_CLOCK)
        .from(groups)
        .where(and(group, isNull(groups.stoppedBecause)))
        .orderBy(asc(groups.address))
        .for("update", { skipLocked: true })
        .prepare("locking free"),
    ),
    waiting: preparedQuery(database, (orm) =>
      orm.select().from(mailbox).where(entry).orderBy(asc(mailbox.id)).prepare("waiting"),
    ),
  }
}

interface EntriesWanted {
  readonly atMs: EpochMs
  readonly realMs: EpochMs
  readonly limit: number
  /** Whether calls that wait for their endpoint count as outstanding. */
  readonly countsQueued: boolean
}

/** All columns of a group, and the state of its clock. */
const GROUP_WITH_CLOCK = { ...getTableColumns(groups), clockState: clockText(groups.clock) }

function numberOrNull(value: unknown): number | null {
  return value === null || value === undefined ? null : Number(value)
}

interface Wanted {
  readonly group: SQL
  readonly entry: SQL
}

type RowReads = ReturnType<typeof readsOfRow>

const rowReads = oncePerDatabase(() => new WeakMap<readonly AreaRow[], ReadonlyMap<string, RowReads>>())

function rowReadsOf(database: Database["Type"], rows: readonly AreaRow[]): ReadonlyMap<string, RowReads> {
  const known = rowReads(database).get(rows)
  if (known !== undefined) return known
  const reads = new Map(rows.map((row) => [row.kind, readsOfRow(database, row)]))
  rowReads(database).set(rows, reads)
  return reads
}

/** The key of a group row is one column: the group's id. */
function readsOfRow(database: Database["Type"], { table, isReadWithLock }: AreaRow) {
  const rows = declaredTable(table)
  const shown = shownColumns(table)
  const [keyName = ""] = table.key
  const hasKey = (wanted: SQL): SQL => sql`${rows[keyName]} = ${wanted}`
  const reading = (wanted: SQL) =>
    preparedQuery(database, (orm) => orm.select(shown).from(rows).where(hasKey(wanted)).prepare("group rows"))
  return {
    table: table.name,
    isReadWithLock,
    cache: new RowCache(table),
    idOf: (row: Readonly<Record<string, unknown>>) => String(row[keyName]),
    one: reading(sql`${sql.placeholder("id")}`),
    many: reading(sql`any(${sql.placeholder("ids")}::text[])`),
    prefetching: preparedQuery(database, (orm) =>
      orm
        .select({ group: GROUP_WITH_CLOCK, row: shown, dueMs: NEXT_DUE })
        .from(groups)
        .leftJoin(rows, hasKey(sql`${sql.placeholder("id")}`))
        .where(eq(groups.address, sql.placeholder("address")))
        .prepare("prefetch with a row"),
    ),
  }
}

const queriesOf = oncePerDatabase((database) => {
  const address = sql.placeholder("address")
  const addresses = sql`any(${sql.placeholder("addresses")}::text[])`
  return {
    one: lockingQueriesOf(database, {
      group: eq(groups.address, address),
      entry: eq(mailbox.groupAddress, address),
    }),
    many: lockingQueriesOf(database, {
      group: eq(groups.address, addresses),
      entry: eq(mailbox.groupAddress, addresses),
    }),
    finding: preparedQuery(database, (orm) =>
      orm
        .select({ group: groups, clockState: clockText(groups.clock), mailbox })
        .from(groups)
        .leftJoin(mailbox, eq(mailbox.groupAddress, groups.address))
        .where(eq(groups.address, sql.placeholder("address")))
        .orderBy(asc(mailbox.id))
        .prepare("finding"),
    ),
    prefetching: preparedQuery(database, (orm) =>
      orm
        .select({ group: GROUP_WITH_CLOCK, dueMs: NEXT_DUE })
        .from(groups)
        .where(eq(groups.address, sql.placeholder("address")))
        .prepare("prefetch"),
    ),
  }
})

/** The result of a read of a group, and the rows that came with it. */
function seen(
  first: { readonly group: GroupRow; readonly dueMs: string | null } | undefined,
  found: { readonly table: string; readonly id: string; readonly row: object | null } | null,
) {
  return {
    row: first?.group ?? null,
    dueMs: first === undefined || first.dueMs === null ? null : Number(first.dueMs),
    rows: { rows: new Map(found === null ? [] : [[found.table, new Map([[found.id, found.row]])]]) },
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

/** As the statements of `group-statements.ts` read it: by name in JSON, and in column order as plain values. */
function recordOf(group: Group, { environments, clocks }: Pick<GroupChanges, "clocks" | "environments">) {
  const { address, revision, instantMs, occurredUs, head, actors } = persistGroup(group)
  return {
    address,
    kind: kindOf(address),
    revision,
    instant: instantMs,
    occurred: occurredUs,
    head,
    actors: JSON.stringify(actors),
    settled: isGroupSettled(group),
    environment: environments.get(address) ?? null,
    clock: clocks.get(address) ?? null,
  }
}

/**
 * The placeholder row of a group that was sent its start, so that there is a row to lock. It has its sender's
 * environment.
 */
function placeOf(address: GroupAddress, sender: GroupAddress) {
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
    environment: sql<Environment | null>`(select environment from groups where address = ${sender})`,
  }
}
