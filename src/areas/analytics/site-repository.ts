/** Sites as analytics sees them, over the catalog's tables. */

import { Effect, Layer } from "effect"
import { grants, offers, sites, stalls, zones } from "../catalog/rows.ts"
import { oneOf } from "../../engine/services/tables/conditions.ts"
import { Tables } from "../../engine/services/tables/tables.ts"
import { Routine } from "../../engine/services/routine.ts"
import { MeasuredSites } from "./sites.ts"

type Measured = MeasuredSites["Type"]

/** Reads that SQL joins. */
type MeasuredReads = Pick<Measured, "site" | "stallIds">

export function measuredSitesOver(tables: Tables["Type"], reads: MeasuredReads): Measured {
  const allZones = tables.of(zones)
  return {
    ...reads,
    siteOfZone: (environment, zoneId) =>
      Routine.map(allZones.get({ environment, zoneId }), (zone) => zone?.siteId ?? null),
  }
}

/** Reads one table after the other; `./store` joins them. */
export function plainMeasuredReads(tables: Tables["Type"]): MeasuredReads {
  const allZones = tables.of(zones)
  const allStalls = tables.of(stalls)
  return {
    site: plainSite(tables),
    stallIds: Routine.fn(function* (environment, siteId) {
      const onSite = yield* allZones.list({ environment, siteId }, { order: "any" })
      const zoneId = oneOf(...onSite.map((zone) => zone.zoneId))
      const found = yield* allStalls.list({ environment, zoneId }, { order: "any" })
      return new Set(found.map(({ stallId }) => stallId))
    }),
  }
}

function plainSite(tables: Tables["Type"]): Measured["site"] {
  const allSites = tables.of(sites)
  const allZones = tables.of(zones)
  const allStalls = tables.of(stalls)
  const given = tables.of(grants)
  const supported = tables.of(offers)
  return Routine.fn(function* ({ environment, organizationId }, siteId) {
    const site = yield* allSites.get({ environment, siteId })
    if (site === null) return null
    const onSite = yield* allZones.list({ environment, siteId }, { order: "any" })
    const zoneId = oneOf(...onSite.map((zone) => zone.zoneId))
    if (organizationId !== null && organizationId !== site.organizationId) {
      const granted = yield* given.list({ environment, organizationId, zoneId }, { order: "any" })
      const offered = yield* supported.list({ environment, zoneId }, { order: "any" })
      const isGranted = granted.some((grant) =>
        offered.some((offer) => offer.zoneId === grant.zoneId && offer.retailerId === grant.retailerId),
      )
      if (!isGranted) return null
    }
    const active = yield* allStalls.list({ environment, zoneId, isActive: true }, { order: "any" })
    return { siteId, timezone: site.timezone, activeStalls: active.length }
  })
}

export const layerPlainMeasuredSites: Layer.Layer<MeasuredSites, never, Tables> = Layer.effect(
  MeasuredSites,
  Effect.map(Tables, (tables) => measuredSitesOver(tables, plainMeasuredReads(tables))),
)
