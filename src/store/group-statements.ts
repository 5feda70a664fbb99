/**
 * Statements over groups, mailboxes and journals that several repositories use, and those that write them. Statements
 * for any number of rows take them as one JSON text, so that their own text and the server's plan stay the same; one or
 * a few groups are passed as plain values. Columns with JSON are passed as text in both cases, so that they are stored
 * unchanged.
 */

import { sql } from "drizzle-orm"
import { groups, mailbox } from "./schema.ts"

const COLUMNS = "address, kind, revision, instant_ms, occurred_us, head, actors, is_settled, environment"

const GROUP_RECORDS = `json_to_recordset($1::json) as given (address text, kind text, revision int, instant bigint,
  occurred bigint, head text, actors text, settled boolean, environment text)`

export const LOCK_NAME = "select pg_advisory_xact_lock(hashtextextended($1, 0))"

/** Its list is evaluated from left to right: the time limit is set before the wait. */
export const LOCK_NAME_WITHIN =
  "select set_config('lock_timeout', $2, true), pg_advisory_xact_lock(hashtextextended($1, 0))"

/** Fails if a row exists already. */
export const START_GROUPS = `
  insert into groups (${COLUMNS})
  select address, kind, revision, instant, occurred, head, actors::json, settled, environment from ${GROUP_RECORDS}
  order by address`

const NAMES = COLUMNS.split(", ")

/**
 * The same for this number of rows, each with its nine values: for few rows, parsing JSON would cost more than writing
 * them.
 */
export function startGroups(rows: number): string {
  const places = Array.from({ length: rows }, (_, row) =>
    NAMES.map((name, at) => `$${row * NAMES.length + at + 1}${name === "actors" ? "::text::json" : ""}`),
  )
  return `insert into groups (${COLUMNS}) values ${places.map((row) => `(${row.join(", ")})`).join(", ")}`
}

/** One group, by its key. Its values are those of `startGroups`. */
export const CHANGE_GROUP = `
  update groups set kind = $2, revision = $3, instant_ms = $4, occurred_us = $5, head = $6, actors = $7::text::json,
    is_settled = $8, stopped_because = null, environment = coalesce($9, environment)
  where address = $1`

/**
 * The rows exist. A change also clears the stop of a group. An insert finds the rows by their key whatever the server's
 * estimate of the table's size; an update with a join does not.
 */
export const CHANGE_GROUPS = `${START_GROUPS}
  on conflict (address) do update set revision = excluded.revision, instant_ms = excluded.instant_ms,
    occurred_us = excluded.occurred_us, head = excluded.head, actors = excluded.actors,
    is_settled = excluded.is_settled, stopped_because = null,
    environment = coalesce(excluded.environment, groups.environment)`

/** Timers by group and key, messages by id. Without joins: each is looked up by a list of keys. */
export const EMPTY_MAILBOXES = `
  delete from mailbox where id = any(array(
    select found.id from json_to_recordset($1::json) as given ("group" text, key text)
    cross join lateral (
      select mailbox.id from mailbox where mailbox.group_address = given."group" and mailbox.key = given.key offset 0
    ) found
    union all
    select given.id from json_to_recordset($1::json) as given (id bigint) where given.id is not null
  ))`

/** $1 addresses, $2 maximum entries of a mailbox: fails when one has more. */
export const CHECK_MAILBOXES = "select check_mailboxes($1::json, $2::integer)"

/** In the order of the rows: ids show which entry was written first. */
export const FILL_MAILBOXES = `
  insert into mailbox (group_address, kind, key, to_address, event, start, due_ms, instant_ms, cause, held_by)
  select "group", kind, key, "to", event::json, start::json, due, instant, cause::json, held
  from rows from (json_to_recordset($1::json) as ("group" text, kind text, key text, "to" text, event text,
    start text, due bigint, instant bigint, cause text, held text)) with ordinality
  order by ordinality`

/** In the order of the rows: an entry's cause comes before it. */
export const WRITE_JOURNAL = `
  insert into journal (group_address, revision, instant_ms, text, hash)
  select "group", revision, instant, text, hash
  from rows from (json_to_recordset($1::json) as ("group" text, revision int, instant bigint, text text,
    hash text)) with ordinality
  order by ordinality`

/**
 * Whether the group of a mailbox entry is not stopped; looked up for each entry, so that few entries cost few look-ups.
 */
export const MAY_GO_ON = sql`(
  select ${groups.stoppedBecause} is null from ${groups} where ${groups.address} = ${mailbox.groupAddress}
)`

/**
 * When the first entry of a group's mailbox is due; null when there is none. The sum prevents a plan that scans the due
 * entries of all groups.
 */
export const NEXT_DUE = sql<
  string | null
>`(select min(due_ms + 0) from mailbox where group_address = ${groups.address})`
