/**
 * The tables, one schema for PGlite and PostgreSQL, for queries; the migrations create them. Instants are whole
 * milliseconds since the Unix epoch. Columns that are part of a hash are `json` or `text`, never `jsonb`, which
 * reorders keys.
 */

import { bigint, bigserial, boolean, integer, json, pgTable, text } from "drizzle-orm/pg-core"
import type { PersistedGroup } from "../kernel/group.ts"
import type { Environment } from "../../model/caller.ts"
import type { JsonObject } from "../../model/values/json.ts"
import type { Requester } from "../../model/requester.ts"
import type { CallHolder } from "../services/outbound/call-hold.ts"

const ms = () => bigint({ mode: "number" })

/** One row for each group. Revision 0 is a group that was sent its start and has not processed it. */
export const groups = pgTable("groups", {
  address: text().primaryKey(),
  kind: text().notNull(),
  revision: integer().notNull(),
  instantMs: ms().notNull(),
  occurredUs: ms().notNull(),
  head: text().notNull(),
  actors: json().$type<PersistedGroup["actors"]>().notNull(),
  isSettled: boolean().notNull(),
  /** The fault of a mailbox entry; the wake-up skips the group until it is cleared. */
  stoppedBecause: text(),
  /** The order in which groups were started or first sent to. */
  number: bigserial({ mode: "number" }).notNull(),
  /** Null: unknown, because an older program started the group. */
  environment: text().$type<Environment>(),
  /** The organization on whose sandbox clock the group lives; null: real time. */
  clock: text(),
})

/** Events due now or later: armed timers, and messages between groups. `id` is the order in which they were written. */
export const mailbox = pgTable("mailbox", {
  id: bigserial({ mode: "number" }).primaryKey(),
  groupAddress: text().notNull(),
  kind: text().$type<"timer" | "message">().notNull(),
  key: text().notNull(),
  toAddress: text().notNull(),
  event: json().$type<{ readonly type: string } & JsonObject>(),
  start: json().$type<{ readonly machine: string; readonly input: JsonObject }>(),
  dueMs: ms().notNull(),
  instantMs: ms().notNull(),
  cause: json().$type<readonly [string, number, number]>().notNull(),
  /** For the lease of a call: the node that makes it. */
  heldBy: text(),
  /** The clock of its group, by which it is due. */
  clock: text(),
  /** For the lease of a call on an organization's clock: the real instant at which it ends. */
  leaseUntilMs: ms(),
})

/** Groups whose call could not be sent, in the order of deferral. */
export const deferredCalls = pgTable("deferred_calls", {
  groupAddress: text().primaryKey(),
  endpoint: text().notNull(),
  number: bigserial({ mode: "number" }).notNull(),
})

/** Nodes that run now. The row of a stopped node is deleted. */
export const nodes = pgTable("nodes", {
  nodeId: text().primaryKey(),
  startedAtMs: ms().notNull(),
  /** Grows while it runs. */
  beats: ms().notNull(),
})

/** One row: a text sealed with the secret of the service. */
export const secretMark = pgTable("secret_mark", {
  isOne: boolean().primaryKey().default(true),
  sealed: text().notNull(),
})

/** `position` only orders the export: a cause is written before its effect. It is not part of any hash. */
export const journal = pgTable("journal", {
  groupAddress: text().notNull(),
  revision: integer().notNull(),
  position: bigserial({ mode: "number" }).notNull(),
  instantMs: ms().notNull(),
  text: text().notNull(),
  hash: text().notNull(),
  /** Who asked for the command; null for other entries, and in those of older programs. Not part of any hash. */
  requester: json().$type<Requester>(),
})

/** Requests in the current minute, by budget. */
export const requestCounts = pgTable("request_counts", {
  bucket: text().primaryKey(),
  startsAtMs: ms().notNull(),
  count: integer().notNull(),
})

/** What past stays come to, by quarter of an hour; written with each stay that ends. */
export const stallQuarters = pgTable("stall_quarters", {
  environment: text().$type<Environment>().notNull(),
  siteId: text().notNull(),
  quarterMs: ms().notNull(),
  began: integer().notNull(),
  stayMs: ms().notNull(),
  occupiedMs: ms().notNull(),
  throughout: integer().notNull(),
})

/** Attempts in the current window, by bucket. */
export const portalAttempts = pgTable("portal_attempts", {
  bucket: text().primaryKey(),
  startsAtMs: ms().notNull(),
  count: integer().notNull(),
})

/** Has a row while outbound calls are held, as after a restore. */
export const callHold = pgTable("call_hold", {
  holdNo: integer().primaryKey().default(1),
  sinceMs: ms().notNull(),
  heldBy: text().$type<CallHolder>(),
})

/** Migrations that have run. */
export const migrations = pgTable("migrations", {
  name: text().primaryKey(),
  /** Whether programs that do not know it may run; null where the program that ran it did not say. */
  allowsOlder: boolean("allows_older"),
})
