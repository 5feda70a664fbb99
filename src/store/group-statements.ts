/**
 * Statements over groups, mailboxes and journals that more than one repository asks, and those that write them, whatever
 * the number of rows: each is given its rows as one JSON text, so that its own text, and the server's plan for it, is always
 * the same. What columns hold as JSON comes as text inside it and so arrives to the letter.
 */

import { sql } from "drizzle-orm"
import { groups } from "./schema.ts"

const GROUP_RECORDS = `json_to_recordset($1::json) as given (address text, kind text, revision int, instant bigint,
  occurred bigint, head text, actors text, settled boolean, environment text)`

/** Its list is worked out from left to right: the bound is there before the wait. */
export const LOCK_NAME =
  "select set_config('lock_timeout', $1, true), pg_advisory_xact_lock(hashtextextended($2, 0))"

/** The rows are there. Whatever stopped a group, it is going on now. */
export const CHANGE_GROUPS = `
  update groups set revision = given.revision, instant_ms = given.instant, occurred_us = given.occurred,
    head = given.head, actors = given.actors::json, is_settled = given.settled, stopped_because = null,
    environment = coalesce(given.environment, groups.environment)
  from ${GROUP_RECORDS}
  where groups.address = given.address`

/** Fails where a row is there already. */
export const START_GROUPS = `
  insert into groups (address, kind, revision, instant_ms, occurred_us, head, actors, is_settled, environment)
  select address, kind, revision, instant, occurred, head, actors::json, settled, environment from ${GROUP_RECORDS}
  order by address`

/** Timers by group and key, messages by id. */
export const EMPTY_MAILBOXES = `
  delete from mailbox where id in (
    select mailbox.id from json_to_recordset($1::json) as given ("group" text, key text)
    join mailbox on mailbox.group_address = given."group" and mailbox.key = given.key
    union all
    select given.id from json_to_recordset($1::json) as given (id bigint) where given.id is not null
  )`

/** In the order of the rows: ids say which entry was written first. */
export const FILL_MAILBOXES = `
  insert into mailbox (group_address, kind, key, to_address, event, start, due_ms, instant_ms, cause)
  select "group", kind, key, "to", event::json, start::json, due, instant, cause::json
  from rows from (json_to_recordset($1::json) as ("group" text, kind text, key text, "to" text, event text,
    start text, due bigint, instant bigint, cause text)) with ordinality
  order by ordinality`

/** In the order of the rows: an entry's cause stands before it. */
export const WRITE_JOURNAL = `
  insert into journal (group_address, revision, instant_ms, text, hash)
  select "group", revision, instant, text, hash
  from rows from (json_to_recordset($1::json) as ("group" text, revision int, instant bigint, text text,
    hash text)) with ordinality
  order by ordinality`

/** When the first entry of a group's mailbox is due; null when there is none. */
export const NEXT_DUE = sql<
  string | null
>`(select min(due_ms) from mailbox where group_address = ${groups.address})`
