/** The catalog as operations write it: schemas of its nouns, and of the relations between them; sites are in `site.ts`. */

import { Schema } from "effect"
import { RETAILER, STALL, ZONE } from "./nouns/catalog-nouns.ts"
import { SafeId, nounSchemas } from "./nouns/noun-schemas.ts"
import { isTimeZone } from "./values/time-zone.ts"

export const TimeZone = Schema.String.pipe(
  Schema.filter(
    (name) => isTimeZone(name) || "must be a time zone of the IANA database, such as America/Chicago",
  ),
  Schema.annotations({ jsonSchema: { type: "string" } }),
)

interface Placed {
  readonly latitude?: number | null
  readonly longitude?: number | null
}

/** A place needs both latitude and longitude. */
function isPlacedWhole({ latitude, longitude }: Placed): boolean | string {
  const isWhole =
    (latitude === undefined) === (longitude === undefined) && (latitude === null) === (longitude === null)
  return isWhole || "must hold latitude and longitude together"
}

export const zoneSchemas = nounSchemas(ZONE, isPlacedWhole)
export const stallSchemas = nounSchemas(STALL)
export const retailerSchemas = nounSchemas(RETAILER)

/** A retailer that a zone supports. */
export const Offer = Schema.Struct({ zone_id: SafeId, retailer_id: SafeId }).pipe(
  Schema.rename({ zone_id: "zoneId", retailer_id: "retailerId" }),
  Schema.annotations({ identifier: "Offer" }),
)
export type Offer = typeof Offer.Type

/**
 * Permission for an organization to book a retailer in a zone. It has effect only while the zone supports the retailer.
 */
export const Grant = Schema.Struct({
  organization_id: Schema.String,
  zone_id: SafeId,
  retailer_id: SafeId,
}).pipe(
  Schema.rename({ organization_id: "organizationId", zone_id: "zoneId", retailer_id: "retailerId" }),
  Schema.annotations({ identifier: "Grant" }),
)
export type Grant = typeof Grant.Type
