/**
 * Statements over groups, mailboxes and journals that several repositories use, and those that write them. Statements
 * for any number of rows take them as one JSON text, so that their own text and the server's plan stay the same; one or
 * a few groups are passed as plain values. Columns with JSON are passed as text in both cases, so that they are stored
 * unchanged.
 */

import { sql } from "drizzle-orm"
import { groups, mailbox } from "./schema.ts"

const COLUMNS =
  "address, kind, revision, instant_ms, occurred_us, head, actors, is_settled, environment, clock"

const GROUP_RECORDS = `json_to_recordset($1::json) as given (address text, kind text, revision int, instant bigint,
  occurred bigint, head text, actors text, settled boolean, environment text, clock text)`

export const LOCK_NAME = "select pg_advisory_xact_lock(hashtextextended($1, 0))"

/** Its list is evaluated from left to right: the time limit is set before the wait. */
export const LOCK_NAME_WITHIN =
  "select set_config('lock_timeout', $2, true), pg_advisory_xact_lock(hashtextextended($1, 0))"

/** Fails if a row exists already. */
export const START_GROUPS = `
  insert into groups (${COLUMNS})
  select address, kind, revision, instant, occurred, head, actors::json, settled, environment, clock from ${GROUP_RECORDS}
  order by address`

const NAMES = COLUMNS.split(", ")

/**
 * The same for this number of rows, each with its ten values: for few rows, parsing JSON would cost more than writing
 * them.
 */
export function startGroups(rows: number): string {
  const places = Array.from({ length: rows }, (_, row) =>
    NAMES.map((name, at) => `$${row * NAMES.length + at + 1}${name === "actors" ? "::text::json" : ""}`),
  )
  return `insert into groups (${COLUMNS}) values ${places.map((row) => `(${row.join(", ")})`).join(", ")}`
}

/** One group, by its key. Its values are those of `startGroups` without the clock, which does not change. */
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

/**
 * The same for groups of the sandbox. A message to a group on another clock is due at once: its sender's instant means
 * nothing there. $2 is the real time.
 */
export const FILL_SANDBOX_MAILBOXES = `
  insert into mailbox (group_address, kind, key, to_address, event, start, due_ms, instant_ms, cause, held_by, clock, lease_until_ms)
  select given."group", given.kind, given.key, given."to", given.event::json, given.start::json,
    case when other.is_other then other.now_ms else given.due end,
    case when other.is_other then other.now_ms else given.instant end,
    given.cause::json, given.held,
    case when given.kind = 'message' then other.clock else given.clock end, given.lease
  from rows from (json_to_recordset($1::json) as ("group" text, kind text, key text, "to" text, event text,
    start text, due bigint, instant bigint, cause text, held text, clock text, lease bigint)) with ordinality as
    given ("group", kind, key, "to", event, start, due, instant, cause, held, clock, lease, ordinality)
  left join lateral (
    select g.clock, g.clock is distinct from given.clock as is_other,
      coalesce(c.stands_at_ms, $2::bigint + coalesce(c.offset_ms, 0)) as now_ms
    from groups g left join sandbox_clocks c on c.organization_id = g.clock
    where given.kind = 'message' and g.address = given."group"
  ) other on true
  order by given.ordinality`

/** The turns of a running move of an organization's clock, as its answer lists them. */
export const WRITE_MOVE_TURNS = `
  with written as (
    insert into clock_move_turns (move_id, instant_ms, group_address, input, event, outcome, taken_at_ms)
    select move, instant, "group", input, event, outcome, taken
    from rows from (json_to_recordset($1::json) as (move text, instant bigint, "group" text, input text, event text,
      outcome text, taken bigint)) with ordinality
    order by ordinality
    returning move_id
  )
  update clock_moves m set turns = m.turns + w.turns
  from (select move_id, count(*)::integer as turns from written group by move_id) w where m.move_id = w.move_id`

const GOES_ON = "(select g.stopped_because is null from groups g where g.address = m.group_address)"

/** On real time: also groups of an organization whose clock was never moved. */
const ON_REAL_TIME = "not exists (select from sandbox_clocks c where c.organization_id = m.clock)"

/**
 * Groups with a due entry, those due longest first, without stopped groups. $1 is the real time, $2 the limit. While a clock is moved,
 * the node that moves it takes its entries. Leases of calls end at real instants.
 */
export const DUE_GROUPS = `
  select group_address from (
    (select m.group_address, m.due_ms as due, m.id from mailbox m
      where m.due_ms <= $1::bigint and ${ON_REAL_TIME} and ${GOES_ON} order by m.due_ms, m.id limit $2::integer)
    union all
    (select e.group_address, e.due_ms, e.id from sandbox_clocks c cross join lateral (
      (select m.group_address, m.due_ms, m.id from mailbox m
        where m.clock = c.organization_id and m.due_ms <= coalesce(c.stands_at_ms, $1::bigint + c.offset_ms)
          and m.lease_until_ms is null and ${GOES_ON} order by m.due_ms, m.id limit $2::integer)
      union all
      (select m.group_address, m.lease_until_ms, m.id from mailbox m
        where m.clock = c.organization_id and m.lease_until_ms <= $1::bigint and ${GOES_ON} limit $2::integer)
    ) e where c.move_id is null)
  ) due order by due, id limit $2::integer`

/** The real instant at which the next entry is due, or null; 0 when it is due on a clock that stands still. */
export const NEXT_DUE_AT = `
  select min(at) as at from (
    (select m.due_ms as at from mailbox m where ${ON_REAL_TIME} and ${GOES_ON} order by m.due_ms limit 1)
    union all
    (select e.due_ms - c.offset_ms from sandbox_clocks c cross join lateral (
      select m.due_ms from mailbox m
      where m.clock = c.organization_id and m.lease_until_ms is null and ${GOES_ON} order by m.due_ms limit 1
    ) e where c.stands_at_ms is null)
    union all
    (select 0 from sandbox_clocks c where c.stands_at_ms is not null and c.move_id is null and exists (
      select from mailbox m where m.clock = c.organization_id and m.due_ms <= c.stands_at_ms
        and m.lease_until_ms is null and ${GOES_ON}))
    union all
    (select min(m.lease_until_ms) from sandbox_clocks c join mailbox m on m.clock = c.organization_id
      where m.lease_until_ms is not null and ${GOES_ON})
  ) next`

/**
 * An organization's entries at its clock's instant: $1 the organization, $2 its instant, $3 the real time, $4 the limit of groups,
 * $5 whether calls that wait for their endpoint count. One row.
 */
export const ORGANIZATION_ENTRIES = `
  select
    (select json_agg(due.group_address) from (
      (select m.group_address from mailbox m
        where m.clock = $1 and m.due_ms <= $2::bigint and m.lease_until_ms is null and ${GOES_ON}
        order by m.due_ms, m.id limit $4::integer)
      union all
      (select m.group_address from mailbox m
        where m.clock = $1 and m.lease_until_ms <= $3::bigint and ${GOES_ON} limit $4::integer)
    ) due) as due,
    exists (select from mailbox m where m.clock = $1 and m.lease_until_ms > $3::bigint and ${GOES_ON})
      or ($5::boolean and exists (
        select from deferred_calls d join groups g on g.address = d.group_address
        where g.clock = $1 and g.stopped_because is null)) as waits,
    (select m.due_ms from mailbox m
      where m.clock = $1 and m.due_ms > $2::bigint and m.lease_until_ms is null and ${GOES_ON}
      order by m.due_ms limit 1) as next`

/** The next timer on an organization's clock: $1 the organization. */
export const NEXT_TIMER = `
  select m.group_address, m.key, m.to_address, m.due_ms from mailbox m
  where m.clock = $1 and m.kind = 'timer' and m.lease_until_ms is null and ${GOES_ON}
  order by m.due_ms, m.id limit 1`

/** In the order of the rows: an entry's cause comes before it. */
export const WRITE_JOURNAL = `
  insert into journal (group_address, revision, instant_ms, text, hash, requester)
  select "group", revision, instant, text, hash, requester
  from rows from (json_to_recordset($1::json) as ("group" text, revision int, instant bigint, text text,
    hash text, requester json)) with ordinality
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
