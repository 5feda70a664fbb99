/** The rows and the journal of one site, for capacity models that are fitted from them and for forecasts. */

import { Effect } from "effect"
import { and, eq, inArray, ne } from "drizzle-orm"
import { idOf, kindOf } from "../../model/address.ts"
import type { GroupAddress } from "../../model/address.ts"
import type { Environment } from "../../model/caller.ts"
import type { EpochMs } from "../../model/values/time.ts"
import type { EntryBody } from "../kernel/journal.ts"
import { Database } from "./database.ts"
import { readJournal } from "./journal-pages.ts"
import { ask } from "./prepared-query.ts"
import { groups } from "./schema.ts"
import { sqlOver } from "./transaction.ts"

export interface KnownSite {
  readonly siteId: string
  readonly name: string
  /** Null when it is not known. */
  readonly timezone: string | null
  readonly place: { readonly latitude: number; readonly longitude: number } | null
  readonly zoneIds: readonly string[]
  /** The fleet that carries its deliveries; null without one. */
  readonly fleetId: string | null
}

/** The site with this id or this name; null without one. */
export const siteNamed = Effect.fnUntraced(function* (environment: Environment, wanted: string) {
  const { read } = sqlOver(yield* Database)
  const found = yield* read("reading the site", (orm) => ask(orm, SITE, [environment, wanted]))
  return (found[0] ?? null) as KnownSite | null
})

/** $1 environment, $2 id or name. */
const SITE = `
  select s.site_id as "siteId", s.name, s.timezone, s.place, s.fleet_id as "fleetId",
    coalesce((select json_agg(z.zone_id order by z.zone_id) from zones z
      where z.environment = s.environment and z.site_id = s.site_id), '[]') as "zoneIds"
  from sites s
  where s.environment = $1 and (s.site_id = $2 or s.name = $2)
  order by s.site_id limit 1`

/** What rows say of a fleet, and journals do not. */
export interface FleetRows {
  /** Errands of agents that this fleet carries. */
  readonly errandIds: ReadonlySet<string>
  /** Of deliveries that have not ended, by their id. */
  readonly terms: ReadonlyMap<string, { readonly readyByMs: EpochMs; readonly promisedAtMs: EpochMs }>
}

/** Ids and instants, without any data of people. */
export const fleetRows = Effect.fnUntraced(function* (environment: Environment, fleetId: string) {
  const { read } = sqlOver(yield* Database)
  const errands = yield* read("reading errands of a fleet", (orm) => ask(orm, ERRANDS, [fleetId]))
  const open = yield* read("reading open deliveries of a fleet", (orm) =>
    ask(orm, OPEN_DELIVERIES, [environment, fleetId]),
  )
  const terms = open.map(
    (row) =>
      [
        String(row["delivery_id"]),
        { readyByMs: Number(row["ready_by_ms"]), promisedAtMs: Number(row["delivery_eta_ms"]) },
      ] as const,
  )
  return {
    errandIds: new Set(errands.map((row) => String(row["delivery_id"]))),
    terms: new Map(terms),
  } satisfies FleetRows
})

const ERRANDS = "select delivery_id from courier_orders where fleet_id = $1"

const OPEN_DELIVERIES = `
  select delivery_id, ready_by_ms, delivery_eta_ms from deliveries
  where environment = $1 and fleet_id = $2 and status not in ('COMPLETED', 'CANCELLED')`

/** Reservations, deliveries and errands of an environment that have not ended, and all vehicles. */
export const openGroups = Effect.fnUntraced(function* (environment: Environment) {
  const { read } = sqlOver(yield* Database)
  const found = yield* read("reading open groups", (orm) =>
    orm
      .select({ address: groups.address })
      .from(groups)
      .where(
        and(
          inArray(groups.kind, ["reservation", "delivery", "vehicle", "courier-order"]),
          eq(groups.isSettled, false),
          eq(groups.environment, environment),
        ),
      ),
  )
  return new Set(found.map(({ address }) => address))
})

/**
 * Passes the entries of a site's reservations, and of its fleet's vehicles, deliveries and errands, in the order of the journal. The
 * vehicles of a fleet carry deliveries of all its sites. Ids of sites, zones and fleets may occur in both environments, and starts
 * do not say theirs, so it is read from the groups. Cost: the whole journal is read, a page at a time, in one snapshot.
 */
export function readSiteJournal(
  environment: Environment,
  { siteId, zoneIds, fleetId }: Pick<KnownSite, "fleetId" | "siteId" | "zoneIds">,
  { errandIds }: Pick<FleetRows, "errandIds">,
  take: (text: string, group: GroupAddress) => void,
): Effect.Effect<void, never, Database> {
  const own = new Set<GroupAddress>()
  const isOfSite = (group: GroupAddress, text: string): boolean => {
    const { start } = JSON.parse(text) as EntryBody
    // A group's start has decided where it belongs.
    if (start === undefined) return false
    const input = start.input as Started
    switch (kindOf(group)) {
      case "vehicle":
        return fleetId !== null && input.fleetId === fleetId
      case "courier-order":
        return errandIds.has(idOf(group))
      case "delivery":
        return isCarried(input)
      default:
        return input.siteId === siteId || zoneIds.includes(input.zoneId ?? "")
    }
  }
  /** A delivery of the site, or one that its vehicles carry for another site or an agent. */
  const isCarried = ({ siteId: of = "", decided }: Started): boolean =>
    of === siteId || own.has(`vehicle/${decided?.vehicleId ?? ""}`)
  const isOwn = (group: GroupAddress, text: string, elsewhere: ReadonlySet<GroupAddress>): boolean => {
    if (own.has(group)) return true
    const isHere = isOfSite(group, text) && !elsewhere.has(group)
    if (isHere) own.add(group)
    return isHere
  }
  return readJournal({
    begin: () => Effect.void,
    page: (entries) => {
      const started = entries.filter(({ entry }) => entry.revision === 1).map(({ entry }) => entry.group)
      return Effect.map(outside(environment, started), (elsewhere) => {
        for (const { entry } of entries)
          if (isOwn(entry.group, entry.text, elsewhere)) take(entry.text, entry.group)
      })
    },
    end: () => Effect.void,
  })
}

/** Those of the groups that belong to another environment. */
const outside = Effect.fnUntraced(function* (environment: Environment, addresses: readonly GroupAddress[]) {
  const { read } = sqlOver(yield* Database)
  if (addresses.length === 0) return new Set<GroupAddress>()
  const found = yield* read("reading environments of groups", (orm) =>
    orm
      .select({ address: groups.address })
      .from(groups)
      .where(and(inArray(groups.address, [...addresses]), ne(groups.environment, environment))),
  )
  return new Set(found.map(({ address }) => address))
})

/** The inputs of starts, as far as they name a site. */
interface Started {
  readonly siteId?: string
  readonly zoneId?: string
  readonly fleetId?: string
  readonly decided?: { readonly vehicleId?: string }
}
