/** Sessions in memory, counted one by one, and the sites of a simulated world as analytics sees them. */

import { Effect, Layer } from "effect"
import { ENVIRONMENTS } from "../model/caller.ts"
import { SessionRows } from "../services/analytics/rows.ts"
import type { Session } from "../services/analytics/rows.ts"
import { MeasuredSites } from "../services/analytics/sites.ts"
import { tallyOf } from "../services/analytics/tally.ts"
import type { DeliverySite } from "../services/direct-delivery/rows.ts"
import type { WorldSite } from "./memory-rows.ts"
import type { MemoryStore } from "./memory-store.ts"

type Key = Pick<Session, "environment" | "sessionId">

/** Cost of `tally`: reads every session of the run for every span. */
export function layerMemorySessionRows(
  store: MemoryStore,
  sites: readonly WorldSite[],
): Layer.Layer<SessionRows> {
  const sessions = store.table<Session>("sessions")
  const keyOf = ({ environment, sessionId }: Key): string => `${environment}/${sessionId}`
  const insert = (session: Session): boolean => {
    if (sessions.get(keyOf(session)) !== null) return false
    sessions.put(keyOf(session), session)
    return true
  }
  return Layer.succeed(SessionRows, {
    begin: (session) => Effect.sync(() => void insert({ ...session, endsAtMs: null })),
    beginInZone: ({ zoneId, ...session }) =>
      Effect.sync(() => {
        const siteId = siteOfZone(sites, zoneId)
        if (siteId !== null) insert({ ...session, siteId, endsAtMs: null })
      }),
    end: (session, endsAtMs) =>
      Effect.sync(() => {
        const known = sessions.get(keyOf(session))
        if (known === null || known.endsAtMs !== null) return
        sessions.put(keyOf(session), { ...known, endsAtMs: Math.max(known.startsAtMs, endsAtMs) })
      }),
    add: (added) => Effect.sync(() => added.filter(insert).length),
    forget: (sessionId) =>
      Effect.sync(() => {
        for (const environment of ENVIRONMENTS) sessions.delete(keyOf({ environment, sessionId }))
      }),
    byId: (session) => Effect.sync(() => sessions.get(keyOf(session))),
    tally: ({ environment, siteId, cuts, nowMs }) =>
      Effect.sync(() =>
        tallyOf(
          sessions.all().filter((one) => one.environment === environment && one.siteId === siteId),
          { cuts, nowMs },
        ),
      ),
  })
}

/** All sites belong to one organization, the same in both environments. */
export function layerMemoryMeasuredSites(
  sites: readonly WorldSite[],
  deliverySites: readonly DeliverySite[] = [],
): Layer.Layer<MeasuredSites> {
  const siteOf = (siteId: string): WorldSite | undefined => sites.find((one) => one.site_id === siteId)
  return Layer.succeed(MeasuredSites, {
    site: ({ environment, organizationId }, siteId) =>
      Effect.sync(() => {
        const site = siteOf(siteId)
        const store = deliverySites.find((one) => one.siteId === siteId && one.environment === environment)
        const isSeen =
          organizationId === null ||
          store?.organizationId === organizationId ||
          site?.zones.some((zone) => zone.retailers.some((retailer) => retailer.isGranted)) === true
        if (!isSeen || (site === undefined && store === undefined)) return null
        if (site === undefined) return { siteId, timezone: store?.timezone ?? null, activeStalls: 0 }
        const stalls = site.zones.flatMap((zone) => zone.stalls)
        const activeStalls = stalls.filter((stall) => stall.isActive).length
        return { siteId, timezone: site.timezone ?? store?.timezone ?? null, activeStalls }
      }),
    siteOfZone: (_, zoneId) => Effect.sync(() => siteOfZone(sites, zoneId)),
    stallIds: (_, siteId) =>
      Effect.sync(
        () => new Set(siteOf(siteId)?.zones.flatMap((zone) => zone.stalls.map((stall) => stall.stall_id))),
      ),
  })
}

function siteOfZone(sites: readonly WorldSite[], zoneId: string): string | null {
  return sites.find(({ zones }) => zones.some((zone) => zone.zone_id === zoneId))?.site_id ?? null
}
