/**
 * A file of streets as lines, points and turns with their tags: GeoJSON, as Overpass turbo and `osmium export` write it and
 * hands do, or the JSON of Overpass. Nothing is left out; who uses a line is decided by its reader.
 * Source: RFC 7946 (GeoJSON); OpenStreetMap wiki, "Overpass API/Overpass QL" (`out geom`, `out body`) and "Relation:restriction".
 */

import { isObject, labelOf } from "./file-parts.ts"
import type { FileLine, FileParts, FilePoint, FileTurn, Position, Tags } from "./file-parts.ts"
import { overpassParts } from "./overpass.ts"

export interface StreetFile extends FileParts {
  readonly credit: string
}

const OSM_CREDIT = "© OpenStreetMap contributors"
/** Programs and texts that name OpenStreetMap as the source. */
const OSM_WORDS = /openstreetmap|overpass|osmium|osm2geojson|osmtogeojson|\bjosm\b|\bodbl\b|\bosm\b/i

/** The file, or what is wrong with it in a sentence. */
export function streetFileOf(file: unknown): StreetFile | string {
  if (!isObject(file)) return NO_STREET_FILE
  const isOverpass = Array.isArray(file["elements"])
  if (!isOverpass && (file["type"] !== "FeatureCollection" || !Array.isArray(file["features"])))
    return NO_STREET_FILE
  const parts = isOverpass
    ? overpassParts(file["elements"] as readonly unknown[])
    : featureParts(file["features"] as readonly unknown[])
  if (typeof parts === "string") return parts
  const credit = isOverpass ? OSM_CREDIT : creditOf(file, parts.lines)
  if (credit === null)
    return 'it has no credit: add "attribution" beside "features", with the text that its makers ask for'
  return parts.lines.length === 0 ? "it has no LineString" : { ...parts, credit }
}

const NO_STREET_FILE = "it is no GeoJSON FeatureCollection, and no JSON of Overpass"

/** What the file says of itself; a file that says nothing and has ways of OpenStreetMap is from there, as `osmium export` writes it. */
function creditOf(file: Tags, lines: readonly FileLine[]): string | null {
  const attribution = wordsOf(file["attribution"])
  if (attribution !== null) return attribution
  const others = [wordsOf(file["copyright"]), wordsOf(file["generator"])]
  if (others.some((one) => one !== null && OSM_WORDS.test(one))) return OSM_CREDIT
  const [copyright] = others
  if (copyright !== undefined && copyright !== null) return copyright
  return lines.some(({ tags }) => wordsOf(tags["highway"]) !== null) ? OSM_CREDIT : null
}

function wordsOf(value: unknown): string | null {
  return typeof value === "string" && value.trim() !== "" ? value.trim() : null
}

function featureParts(features: readonly unknown[]): FileParts | string {
  const lines: FileLine[] = []
  const points: FilePoint[] = []
  const restrictions = new Restrictions()
  for (const [at, feature] of features.entries()) {
    if (!isObject(feature)) return `feature ${at + 1}: it is no object`
    const { geometry } = feature
    if (!isObject(geometry)) continue
    const tags = tagsOf(feature)
    const id = idOf(feature, tags)
    if (geometry["type"] === "Point") {
      const position = positionOf(geometry["coordinates"])
      if (position === null) continue
      points.push({ tags, id, position })
      restrictions.add(tags, { id, position })
      continue
    }
    const isLine = geometry["type"] === "LineString"
    if (!isLine && geometry["type"] !== "MultiLineString") continue
    const written = isLine ? [geometry["coordinates"]] : geometry["coordinates"]
    if (!Array.isArray(written)) return `feature ${at + 1}: the line has no coordinates`
    const parts = (written as readonly unknown[]).map(positionsOf)
    if (parts.includes(null))
      return `feature ${at + 1}: the line's coordinates are not pairs of longitude and latitude`
    const found = parts.filter((part) => part !== null).filter(({ length }) => length > 1)
    if (found.length === 0) continue
    lines.push({ tags, id, label: labelOf(`feature ${at + 1}`, tags, id), parts: found })
    restrictions.add(tags, { id, position: null })
  }
  return { lines, points, turns: restrictions.turns }
}

/** Overpass turbo writes the relations of a way or node at it. Source: osmtogeojson, "@relations". */
class Restrictions {
  readonly #byRelation = new Map<
    string,
    {
      readonly tags: Tags
      readonly from: string[]
      readonly to: string[]
      readonly over: string[]
      via: Position | null
    }
  >()

  add(
    tags: Tags,
    { id, position }: { readonly id: string | null; readonly position: Position | null },
  ): void {
    const relations = tags["@relations"]
    if (id === null || !Array.isArray(relations)) return
    for (const relation of relations as readonly unknown[]) {
      if (!isObject(relation) || !isObject(relation["reltags"])) continue
      if (relation["reltags"]["type"] !== "restriction") continue
      const name = String(relation["rel"])
      const known = this.#byRelation.get(name) ?? {
        tags: relation["reltags"],
        from: [],
        to: [],
        over: [],
        via: null,
      }
      this.#byRelation.set(name, known)
      if (relation["role"] === "from") known.from.push(id)
      if (relation["role"] === "to") known.to.push(id)
      if (relation["role"] === "via" && position === null) known.over.push(id)
      if (relation["role"] === "via") known.via = position
    }
  }

  get turns(): readonly FileTurn[] {
    return [...this.#byRelation.values()]
  }
}

/** Some programs write the tags as a map of their own. */
function tagsOf({ properties }: Tags): Tags {
  if (!isObject(properties)) return {}
  return isObject(properties["tags"]) ? { ...properties, ...properties["tags"] } : properties
}

function idOf(feature: Tags, tags: Tags): string | null {
  const known = [feature["id"], tags["@id"], tags["id"]].find(
    (one) => typeof one === "string" || typeof one === "number",
  )
  if (known === undefined) return null
  const type = tags["@type"]
  return typeof type === "string" && /^\d+$/.test(String(known)) ? `${type}/${known}` : String(known)
}

function positionsOf(line: unknown): readonly Position[] | null {
  if (!Array.isArray(line)) return null
  const positions: Position[] = []
  for (const written of line as readonly unknown[]) {
    const position = positionOf(written)
    if (position === null) return null
    positions.push(position)
  }
  return positions
}

function positionOf(written: unknown): Position | null {
  const [longitude, latitude] = Array.isArray(written) ? (written as readonly unknown[]) : []
  if (typeof longitude !== "number" || typeof latitude !== "number") return null
  return Math.abs(longitude) <= 180 && Math.abs(latitude) <= 90 ? [longitude, latitude] : null
}
