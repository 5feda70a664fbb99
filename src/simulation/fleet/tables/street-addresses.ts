/**
 * Addresses of the streets' file: `addr:housenumber` and `addr:street` (or `addr:place`), with `addr:city` and `addr:postcode`, of nodes and of the middle of buildings, in the JSON of Overpass or
 * in GeoJSON. Source: OpenStreetMap wiki, "Key:addr:*".
 */

import { isObject } from "../../../pages/html/map/file-parts.ts"
import type { Tags } from "../../../pages/html/map/file-parts.ts"
import type { Place } from "../../../model/place.ts"
import type { StreetsText } from "../language/read-logs.ts"
import { bookOfRows } from "./address-book.ts"
import type { AddressBook, WrittenAddress } from "./address-book.ts"

/** Or what is missing in a sentence. */
export function streetAddresses(streets: StreetsText | null): AddressBook | string {
  if (streets === null) return "an address is looked up in addresses, or in a file of travel.streets"
  const places = placesIn(parsed(streets.text() ?? ""))
  return places.length === 0
    ? `${streets.file} has no addr:housenumber with addr:street`
    : bookOfRows(streets.file, places)
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}

function placesIn(file: unknown): readonly WrittenAddress[] {
  if (!isObject(file)) return []
  const written = [file["elements"], file["features"]].find((list) => Array.isArray(list)) ?? []
  const all = (written as readonly unknown[]).filter(isObject)
  const nodes = new Map(all.filter(({ type }) => type === "node").map((node) => [node["id"], node]))
  return all.flatMap((one) => {
    const tags = tagsOf(one)
    const [number, street] = [tags["addr:housenumber"], tags["addr:street"] ?? tags["addr:place"]]
    if (typeof number !== "string" || typeof street !== "string") return []
    const middle = middleOf(positionsIn(one, nodes))
    if (middle === null) return []
    const [city = "", postcode = ""] = ["addr:city", "addr:postcode"].map((key) => {
      const value = tags[key]
      return typeof value === "string" ? value : ""
    })
    return [{ address: `${number} ${street}`, city, postcode, place: middle }]
  })
}

function tagsOf({ tags, properties }: Tags): Tags {
  if (isObject(tags)) return tags
  if (!isObject(properties)) return {}
  return isObject(properties["tags"]) ? properties["tags"] : properties
}

/** Pairs of longitude and latitude. */
function positionsIn(one: Tags, nodes: ReadonlyMap<unknown, Tags>): readonly (readonly [number, number])[] {
  const { geometry, center, nodes: ids } = one
  if (isObject(geometry)) return pairsIn(geometry["coordinates"])
  const corners = Array.isArray(geometry)
    ? geometry
    : Array.isArray(ids)
      ? ids.map((id: unknown) => nodes.get(id))
      : [center ?? one]
  return (corners as readonly unknown[]).flatMap((corner) => {
    const { lon, lat } = isObject(corner) ? corner : {}
    return typeof lon === "number" && typeof lat === "number" ? [[lon, lat] as const] : []
  })
}

/** Of nested lists: those of a point, a line or the rings of an area. */
function pairsIn(written: unknown): readonly (readonly [number, number])[] {
  if (!Array.isArray(written)) return []
  const [lon, lat] = written as readonly unknown[]
  if (typeof lon === "number" && typeof lat === "number") return [[lon, lat]]
  return (written as readonly unknown[]).flatMap(pairsIn)
}

function middleOf(pairs: readonly (readonly [number, number])[]): Place | null {
  if (pairs.length === 0) return null
  const [longitude = 0, latitude = 0] = [0, 1].map((axis) => {
    const values = pairs.map((pair) => pair[axis] ?? 0)
    return Math.round(((Math.min(...values) + Math.max(...values)) / 2) * 1e7) / 1e7
  })
  return { latitude, longitude }
}
