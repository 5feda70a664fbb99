/**
 * A sample of Austin's streets: for each, the middle of its part inside one ZIP code area, measured by hand to a
 * thousandth of a degree. Public domain (CC0).
 *
 * Differs from the street: it has no house numbers, so a door is off by up to a kilometre along its street.
 */

import type { Place } from "../../../model/place.ts"
import { kilometresBetween } from "./rough-distance.ts"
import { wholeType } from "./street-words.ts"

/** ZIP code, name without number and direction, latitude, longitude. */
type Row = readonly [zip: string, street: string, latitude: number, longitude: number]

const ROWS: readonly Row[] = [
  ["78701", "congress avenue", 30.267, -97.743],
  ["78701", "6th street", 30.267, -97.739],
  ["78701", "guadalupe street", 30.27, -97.746],
  ["78701", "rainey street", 30.259, -97.739],
  ["78701", "red river street", 30.266, -97.736],
  ["78701", "san jacinto boulevard", 30.268, -97.74],
  ["78702", "6th street", 30.262, -97.724],
  ["78702", "11th street", 30.269, -97.729],
  ["78702", "12th street", 30.274, -97.722],
  ["78702", "cesar chavez street", 30.256, -97.726],
  ["78703", "6th street", 30.274, -97.76],
  ["78703", "enfield road", 30.284, -97.765],
  ["78703", "exposition boulevard", 30.293, -97.768],
  ["78703", "lamar boulevard", 30.279, -97.751],
  ["78704", "1st street", 30.247, -97.756],
  ["78704", "barton springs road", 30.26, -97.759],
  ["78704", "congress avenue", 30.249, -97.75],
  ["78704", "lamar boulevard", 30.252, -97.767],
  ["78705", "38th street", 30.307, -97.745],
  ["78705", "guadalupe street", 30.293, -97.742],
  ["78722", "manor road", 30.284, -97.718],
  ["78727", "parmer lane", 30.428, -97.718],
  ["78731", "far west boulevard", 30.354, -97.756],
  ["78741", "riverside drive", 30.235, -97.723],
  ["78745", "stassney lane", 30.206, -97.786],
  ["78745", "william cannon drive", 30.202, -97.801],
  ["78746", "bee caves road", 30.285, -97.808],
  ["78748", "slaughter lane", 30.174, -97.822],
  ["78751", "airport boulevard", 30.311, -97.715],
  ["78751", "duval street", 30.301, -97.724],
  ["78751", "lamar boulevard", 30.311, -97.74],
  ["78752", "lamar boulevard", 30.337, -97.718],
  ["78753", "lamar boulevard", 30.378, -97.688],
  ["78756", "burnet road", 30.326, -97.74],
  ["78756", "lamar boulevard", 30.32, -97.738],
  ["78757", "anderson lane", 30.359, -97.737],
  ["78757", "burnet road", 30.355, -97.733],
  ["78757", "lamar boulevard", 30.343, -97.719],
  ["78758", "braker lane", 30.389, -97.709],
  ["78758", "burnet road", 30.387, -97.722],
  ["78758", "century oaks terrace", 30.402, -97.726],
  ["78758", "domain drive", 30.402, -97.725],
  ["78758", "esperanza crossing", 30.404, -97.727],
  ["78758", "palm way", 30.403, -97.724],
  ["78758", "rock rose avenue", 30.402, -97.722],
  ["78758", "rundberg lane", 30.364, -97.699],
  ["78759", "research boulevard", 30.399, -97.748],
]

const DIRECTIONS: ReadonlySet<string> = new Set(["n", "s", "e", "w", "north", "south", "east", "west"])

const placeByStreet = new Map(
  ROWS.map(([zip, street, latitude, longitude]) => [`${zip} ${street}`, { latitude, longitude }]),
)

/**
 * The place of a street, with or without number, direction, unit and full street type; null for a street outside the
 * sample.
 */
export function locateByStreet({
  street,
  zip,
}: {
  readonly street: string
  /** Five digits. */
  readonly zip: string
}): Place | null {
  return placeByStreet.get(`${zip} ${plainStreet(street)}`) ?? null
}

/** The stretch of a street that is nearest to a place, in any ZIP code; null for a street outside the sample. */
export function nearestStretch(street: string, place: Place): Place | null {
  const wanted = plainStreet(street)
  const stretches = ROWS.filter(([, named]) => named === wanted)
    .map(([, , latitude, longitude]) => ({ latitude, longitude }))
    .toSorted((one, other) => kilometresBetween(one, place) - kilometresBetween(other, place))
  return stretches[0] ?? null
}

function plainStreet(street: string): string {
  const [named = ""] = street.toLowerCase().split(/[,#]/)
  const words = named.split(/[\s.]+/).filter((word) => word !== "")
  if (/^\d+[a-z]?$/.test(words[0] ?? "")) words.shift()
  while (words.length > 2 && DIRECTIONS.has(words[0] ?? "")) words.shift()
  if (words.length > 2 && DIRECTIONS.has(words.at(-1) ?? "")) words.pop()
  return words.map(wholeType).join(" ")
}
