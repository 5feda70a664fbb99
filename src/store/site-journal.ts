/** The rows and the journal of one site, for capacity models that are fitted from them. */

import { Effect } from "effect"
import { and, eq, inArray, sql } from "drizzle-orm"
import { groupOf, kindOf } from "../model/address.ts"
import type { GroupAddress } from "../model/address.ts"
import type { Environment } from "../model/caller.ts"
import type { EntryBody } from "../kernel/journal.ts"
import { Database } from "./database.ts"
import { readJournal } from "./journal-pages.ts"
import { groups } from "./schema.ts"
import { sqlOver } from "./transaction.ts"

export interface KnownSite {
  readonly siteId: string
  readonly name: string
  /** Null when it is not known. */
  readonly timezone: string | null
  readonly place: { readonly latitude: number; readonly longitude: number } | null
  readonly zoneIds: readonly string[]
}

/** The site with this id or this name; null without one. */
export const siteNamed = Effect.fnUntraced(function* (environment: Environment, wanted: string) {
  const { read } = sqlOver(yield* Database)
  const found = yield* read("reading the site", (orm) =>
    orm.execute(sql`
      select s.site_id as "siteId", s.name, s.timezone, s.place,
        coalesce((select json_agg(z.zone_id order by z.zone_id) from zones z
          where z.environment = s.environment and z.site_id = s.site_id), '[]') as "zoneIds"
      from sites s
      where s.environment = ${environment} and (s.site_id = ${wanted} or s.name = ${wanted})
      order by s.site_id limit 1`),
  )
  // The two drivers answer a statement without a schema in two ways.
  const rows: unknown = Array.isArray(found) ? found : (found as { readonly rows: unknown }).rows
  return (rows as readonly KnownSite[])[0] ?? null
})

/** Reservations and deliveries of an environment that have not ended, and all vehicles. */
export const openGroups = Effect.fnUntraced(function* (environment: Environment) {
  const { read } = sqlOver(yield* Database)
  const found = yield* read("reading open groups", (orm) =>
    orm
      .select({ address: groups.address })
      .from(groups)
      .where(
        and(
          inArray(groups.kind, ["reservation", "delivery", "vehicle"]),
          eq(groups.isSettled, false),
          eq(groups.environment, environment),
        ),
      ),
  )
  return new Set(found.map(({ address }) => address))
})

/**
 * Passes the entries of a site's reservations and deliveries, and of all vehicles, in the order of the journal. Cost: the whole journal is
 * read, a page at a time, in one snapshot.
 */
export function readSiteJournal(
  { siteId, zoneIds }: Pick<KnownSite, "siteId" | "zoneIds">,
  take: (text: string, group: GroupAddress) => void,
): Effect.Effect<void, never, Database> {
  const own = new Set<GroupAddress>()
  const isOwn = (group: GroupAddress, text: string): boolean => {
    if (kindOf(group) === "vehicle" || own.has(group)) return true
    const { start } = JSON.parse(text) as EntryBody
    const input = start?.input as { readonly siteId?: string; readonly zoneId?: string } | undefined
    const isHere = input?.siteId === siteId || zoneIds.includes(input?.zoneId ?? "")
    if (isHere) own.add(group)
    return isHere
  }
  return readJournal({
    begin: () => Effect.void,
    page: (entries) =>
      Effect.sync(() => {
        for (const { entry } of entries)
          if (isOwn(groupOf(entry.group), entry.text)) take(entry.text, entry.group)
      }),
    end: () => Effect.void,
  })
}
