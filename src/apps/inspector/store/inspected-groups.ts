/** Groups and their journals over SQL, for the inspector. */

import { and, asc, desc, eq, gt, inArray, isNotNull, like, lt, or, sql } from "drizzle-orm"
import type { SQL } from "drizzle-orm"
import { Effect, Layer } from "effect"
import { idOf, kindOf } from "../../../model/address.ts"
import type { GroupAddress } from "../../../model/address.ts"
import type { JsonObject } from "../../../model/values/json.ts"
import { COUNTED_GROUPS_MAX, COUNTED_STATES_MAX } from "../../../model/values/limits.ts"
import { InspectedGroups } from "../rows.ts"
import type { DueEntry, GroupOwner, GroupQuery, InspectedGroup } from "../rows.ts"
import { RELATED } from "./related-groups.ts"
import { OWNERS, groupsOfOrder, groupsOfOrganization } from "./group-owners.ts"
import { Database } from "../../../engine/store/database.ts"
import type { Orm } from "../../../engine/store/database.ts"
import { ask } from "../../../engine/store/prepared-query.ts"
import { groups, journal } from "../../../engine/store/schema.ts"
import { sqlOver } from "../../../engine/store/transaction.ts"
import { Routine } from "../../../engine/services/routine.ts"

export const layerInspectedGroups: Layer.Layer<InspectedGroups, never, Database> = Layer.effect(
  InspectedGroups,
  Effect.map(Database, (database): InspectedGroups["Type"] => {
    const { read } = sqlOver(database)
    return {
      list: (query) =>
        Routine.map(
          read("listing groups", (orm) =>
            selected(orm)
              .where(and(...filtersOf(query)))
              .orderBy(desc(groups.number))
              .limit(query.limit),
          ),
          (rows) => rows.map(groupOf),
        ),
      counts: (environment) =>
        Routine.map(
          read("counting open groups", (orm) => ask(orm, COUNTS, [environment])),
          (rows) =>
            rows.map(({ kind, open: many, stuck }) => ({
              kind: String(kind),
              open: Number(many),
              stuck: Number(stuck),
            })),
        ),
      ...searches(database),
      group: (environment, address) =>
        Routine.map(
          read("reading a group for the inspector", (orm) =>
            selected(orm).where(and(eq(groups.address, address), eq(groups.environment, environment))),
          ),
          ([row]) => (row === undefined ? null : groupOf(row)),
        ),
      journal: ({ address, afterRevision, limit }) =>
        Routine.map(
          read("reading a group's journal", (orm) =>
            orm
              .select({
                revision: journal.revision,
                text: journal.text,
                hash: journal.hash,
                instantMs: journal.instantMs,
                requester: journal.requester,
              })
              .from(journal)
              .where(and(eq(journal.groupAddress, address), gt(journal.revision, afterRevision)))
              .orderBy(asc(journal.revision))
              .limit(limit),
          ),
          (rows) =>
            rows.map(({ requester, ...line }) => (requester === null ? line : { ...line, requester })),
        ),
      calls: (addresses) =>
        Routine.map(
          read("reading groups' calls", (orm) =>
            orm
              .select({ address: journal.groupAddress, text: journal.text })
              .from(journal)
              .where(and(inArray(journal.groupAddress, [...addresses]), mentionsCalls))
              .orderBy(asc(journal.groupAddress), asc(journal.revision)),
          ),
          (rows) =>
            new Map(
              [...Map.groupBy(rows, ({ address }) => address)].map(([address, entries]) => [
                address,
                entries.map(({ text }) => text),
              ]),
            ),
        ),
    }
  }),
)

/** What the list searches and shows beside the groups themselves. */
function searches(
  database: Database["Type"],
): Pick<InspectedGroups["Type"], "groups" | "owners" | "related" | "states" | "withWord"> {
  const { read } = sqlOver(database)
  return {
    states: (environment, kind) =>
      Routine.map(
        read("counting states of open groups", (orm) => ask(orm, STATES, [environment, kind])),
        (rows) =>
          rows.map(({ value, open: many }) => ({
            value: JSON.parse(String(value)) as JsonObject | string,
            open: Number(many),
          })),
      ),
    owners: (addresses) =>
      Routine.map(
        read("reading owners of groups", (orm) => ask(orm, OWNERS, [JSON.stringify(addresses.map(idOf))])),
        (rows) => ownersOf(addresses, rows),
      ),
    groups: (environment, addresses) =>
      Routine.map(
        read("reading groups for the inspector", (orm) =>
          selected(orm)
            .where(and(inArray(groups.address, [...addresses]), eq(groups.environment, environment)))
            .orderBy(asc(groups.number)),
        ),
        (rows) => rows.map(groupOf),
      ),
    related: ({ address, limit }) =>
      Routine.map(
        read("reading addresses of related groups", (orm) =>
          ask(orm, RELATED, [kindOf(address), idOf(address), limit]),
        ),
        (rows) => [...new Set(rows.map((row) => String(row["address"])))].filter((one) => one !== address),
      ),
    withWord: (addresses, word) =>
      Routine.map(
        read("looking for a word in journals", (orm) =>
          orm
            .selectDistinct({ address: journal.groupAddress })
            .from(journal)
            .where(
              and(
                inArray(journal.groupAddress, [...addresses]),
                or(sql`position(${JSON.stringify(word)} in ${journal.text}) > 0`, wasAskedBy(word)),
              ),
            ),
        ),
        (rows) => new Set(rows.map(({ address }) => address)),
      ),
  }
}

/** A caller may have sent an id of its own, which the journal does not have. */
function wasAskedBy(requestId: string): SQL {
  return sql`${journal.requester}->>'request' = ${requestId} or exists (select from kept_requests
    where request_id = ${journal.requester}->>'request' and sent_id = ${requestId})`
}

/** Only roots: the state of a group is that of its root. A state is in the group's snapshot, so the newest groups alone are read. */
const STATES = `
  select value, count(*) as open from (
    select (select (actor->'value')::text from json_array_elements(actors) as actor
      where actor->>'address' = newest.address) as value
    from (select address, actors from groups where environment = $1 and kind = $2 and not is_settled
      order by number desc limit ${COUNTED_STATES_MAX}) as newest) as roots
  where value is not null group by value order by open desc, value`

/** Each kind is looked up and counted in the index of open groups, up to a bound, so that no count reads all groups. */
const COUNTS = `
  with recursive kinds as (
    (select kind from groups where environment = $1 and not is_settled order by kind limit 1)
    union all
    select (select kind from groups where environment = $1 and not is_settled and kind > kinds.kind order by kind limit 1)
    from kinds where kinds.kind is not null)
  select kind,
    (select count(*) from (select from groups where environment = $1 and groups.kind = kinds.kind and not is_settled
      limit ${COUNTED_GROUPS_MAX + 1}) as counted) as open,
    (select count(*) from (select from groups where environment = $1 and groups.kind = kinds.kind and not is_settled
      and stopped_because is not null limit ${COUNTED_GROUPS_MAX + 1}) as counted) as stuck
  from kinds where kind is not null order by kind`

function ownersOf(
  addresses: readonly GroupAddress[],
  rows: readonly Readonly<Record<string, unknown>>[],
): ReadonlyMap<GroupAddress, GroupOwner> {
  const textIn = (value: unknown): string | null => (typeof value === "string" ? value : null)
  const byId = new Map(
    rows.map((row) => [
      String(row["id"]),
      {
        orderNumber: textIn(row["order_number"]),
        organization: textIn(row["name"]),
        eventType: textIn(row["event_type"]),
      },
    ]),
  )
  return new Map(
    addresses.flatMap((address) => {
      const owner = byId.get(idOf(address))
      return owner === undefined ? [] : [[address, owner] as const]
    }),
  )
}

/** May match other entries too: the reader checks each. */
const mentionsCalls = or(like(journal.text, '%"kernel.call"%'), like(journal.text, '%"by":"result"%'))

/** The first entry of a group's mailbox. The sum prevents a plan that scans the due entries of all groups. */
const NEXT_DUE_ENTRY = sql<DueEntry | null>`(
  select json_build_object('atMs', due_ms, 'to', to_address, 'type', event->>'type') from mailbox
  where group_address = ${groups.address} order by due_ms + 0, id limit 1)`

function selected(orm: Orm) {
  const { address, kind, number, revision, instantMs, head, actors, isSettled, stoppedBecause } = groups
  return orm
    .select({
      address,
      kind,
      number,
      revision,
      instantMs,
      head,
      actors,
      isSettled,
      stoppedBecause,
      nextDue: NEXT_DUE_ENTRY,
    })
    .from(groups)
    .$dynamic()
}

function filtersOf(query: GroupQuery) {
  const { environment, kind, addressPart, isOpen, isStopped, dueBeforeMs, beforeNumber } = query
  const { orderNumber, organization } = query
  const isAmong = (addresses: SQL): SQL => sql`${groups.address} = any(${addresses})`
  return [
    eq(groups.environment, environment),
    ...(addressPart === null ? [] : [sql`position(${addressPart} in ${groups.address}) > 0`]),
    ...(orderNumber === null ? [] : [isAmong(groupsOfOrder(environment, orderNumber))]),
    ...(organization === null ? [] : [isAmong(groupsOfOrganization(environment, organization))]),
    ...(kind === null ? [] : [eq(groups.kind, kind)]),
    // Not as a parameter: a plan for any value could not use the index of open groups.
    ...(isOpen ? [sql`not ${groups.isSettled}`] : []),
    ...(isStopped ? [isNotNull(groups.stoppedBecause)] : []),
    ...(dueBeforeMs === null
      ? []
      : [
          // An organization's clock may stand still or be behind: its entries are not late.
          sql`${groups.address} in (
            select group_address from mailbox where due_ms < ${dueBeforeMs}
              and not exists (select from sandbox_clocks where organization_id = mailbox.clock)
          )`,
        ]),
    ...(beforeNumber === null ? [] : [lt(groups.number, beforeNumber)]),
  ]
}

type Row = Omit<InspectedGroup, "actors"> & {
  readonly actors: readonly (InspectedGroup["actors"][number] & object)[]
}

function groupOf({ actors, ...row }: Row): InspectedGroup {
  return { ...row, actors: actors.map(({ address, machine, value }) => ({ address, machine, value })) }
}
