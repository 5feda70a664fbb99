/**
 * The streets of an extract of OpenStreetMap near the sites of a model, as the JSON that Overpass gives: a run, a report and a
 * browser read them without the extract. What was cut is kept in the folder `.curbline/cache`, where that is.
 */

import { existsSync, mkdirSync, readdirSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs"
import { join, resolve } from "node:path"
import { digest } from "../../engine/kernel/hash.ts"
import type { Box } from "../../pages/html/map/projection.ts"
import { canonicalJson } from "../../model/values/canonical-json.ts"
import type { BesideFault } from "../../simulation/fleet/language/beside.ts"
import { bytesAt, textAt } from "../kit/text-files.ts"
import { NoExtract, readOsmPbf } from "./osm-pbf.ts"
import type { OsmRelation, OsmWay } from "./osm-pbf.ts"

/** Of the text below: another one is not read from the cache. */
const FORMAT = 3
const CACHE = ".curbline/cache"
const KEPT_MAX = 8

/** Tags of ways that say who may use them, how fast and in which direction. */
const WAY_TAGS =
  /^(highway|name|area|junction|service|surface|access|vehicle|motor_vehicle|motorcar|foot|(oneway|maxspeed|sidewalk)(:.+)?|(zone|source):maxspeed|speed_kmh)$/
const NODE_TAGS = /^(barrier|access|vehicle|motor_vehicle|motorcar|foot|addr:(housenumber|street|place))$/
const ADDRESS_TAGS = /^addr:(housenumber|street|place)$/
const RELATION_TAGS = /^(type|restriction(:.+)?|except)$/

export function isPbf(path: string): boolean {
  return /\.pbf$/i.test(path)
}

/** The text of the streets in the box; null when there is no file, a fault when it is no extract. */
export function pbfStreets(path: string, box: Box): BesideFault | string | null {
  const kept = cachePlace(path, box)
  const known = kept === null ? null : textAt(kept)
  if (known !== null) return known
  const bytes = bytesAt(path)
  if (bytes === null || "fault" in bytes) return bytes
  try {
    const text = cut(bytes, box)
    if (kept !== null) keep(kept, text)
    return text
  } catch (error) {
    if (error instanceof NoExtract) return { fault: error.message }
    return { fault: "is no whole extract in OpenStreetMap's PBF format" }
  }
}

function cut(bytes: Uint8Array, { west, south, east, north }: Box): string {
  const elements: object[] = []
  const nodes = new NodePlaces()
  const near = new Set<number>()
  readOsmPbf(bytes, {
    node: ({ id, longitude, latitude, tags }) => {
      if (longitude < west || longitude > east || latitude < south || latitude > north) return
      nodes.add(id, longitude, latitude)
      if (tags["barrier"] !== undefined || hasAddress(tags))
        elements.push({ type: "node", id, lat: latitude, lon: longitude, tags: chosen(tags, NODE_TAGS) })
    },
    way: (way) => {
      const written = wayOf(way, nodes)
      if (written === null) return
      near.add(way.id)
      elements.push(written)
    },
    relation: (relation) => {
      const written = restrictionOf(relation, { nodes, near })
      if (written !== null) elements.push(written)
    },
  })
  return JSON.stringify({ version: 0.6, elements })
}

function wayOf({ id, refs, tags }: OsmWay, nodes: NodePlaces): object | null {
  if (tags["highway"] === undefined && !hasAddress(tags)) return null
  const geometry = refs.map((ref) => nodes.placeOf(ref))
  const places = geometry.filter((place) => place !== null)
  if (places.length === 0) return null
  // A building is no line of the map.
  if (tags["highway"] === undefined)
    return { type: "way", id, tags: chosen(tags, ADDRESS_TAGS), center: middleOf(places) }
  return { type: "way", id, tags: chosen(tags, WAY_TAGS), geometry }
}

function hasAddress(tags: Readonly<Record<string, string>>): boolean {
  return tags["addr:housenumber"] !== undefined
}

type WrittenPlace = NonNullable<ReturnType<NodePlaces["placeOf"]>>

function middleOf(places: readonly WrittenPlace[]): WrittenPlace {
  const middle = (values: readonly number[]): number =>
    Math.round(((Math.min(...values) + Math.max(...values)) / 2) * 1e7) / 1e7
  return { lat: middle(places.map(({ lat }) => lat)), lon: middle(places.map(({ lon }) => lon)) }
}

/** Null unless its node, or its ways between the two others, are near. */
function restrictionOf(
  { id, tags, members }: OsmRelation,
  { nodes, near }: { readonly nodes: NodePlaces; readonly near: ReadonlySet<number> },
): object | null {
  if (tags["type"] !== "restriction") return null
  const written = members.map((member) => ({
    ...member,
    ...(member.type === "node" ? nodes.placeOf(member.ref) : null),
  }))
  const isNear = written.some(
    (member) => "lat" in member || (member.role === "via" && member.type === "way" && near.has(member.ref)),
  )
  return isNear ? { type: "relation", id, tags: chosen(tags, RELATION_TAGS), members: written } : null
}

function chosen(tags: Readonly<Record<string, string>>, names: RegExp): object {
  return Object.fromEntries(Object.entries(tags).filter(([name]) => names.test(name)))
}

/** Places of nodes by their ids, which come in ascending order in almost every file. */
class NodePlaces {
  #ids: number[] = []
  #places: (readonly [longitude: number, latitude: number])[] = []
  #isSorted = true

  add(id: number, longitude: number, latitude: number): void {
    this.#isSorted &&= id > (this.#ids.at(-1) ?? -Infinity)
    this.#ids.push(id)
    this.#places.push([longitude, latitude])
  }

  placeOf(id: number): { readonly lat: number; readonly lon: number } | null {
    if (!this.#isSorted) this.#sort()
    let [low, high] = [0, this.#ids.length - 1]
    while (low < high) {
      const middle = Math.floor((low + high) / 2)
      if ((this.#ids[middle] ?? 0) < id) low = middle + 1
      else high = middle
    }
    const place = this.#places[low]
    return this.#ids[low] === id && place !== undefined ? { lat: place[1], lon: place[0] } : null
  }

  #sort(): void {
    const order = [...this.#ids.keys()].toSorted(
      (one, other) => (this.#ids[one] ?? 0) - (this.#ids[other] ?? 0),
    )
    const [ids, places] = [this.#ids, this.#places]
    this.#ids = order.map((at) => ids[at] ?? 0)
    this.#places = order.map((at) => places[at] ?? [0, 0])
    this.#isSorted = true
  }
}

/** Null where there is no cache. A changed file has another place. */
function cachePlace(path: string, box: Box): string | null {
  if (!existsSync(CACHE)) return null
  try {
    const { size, mtimeMs } = statSync(path)
    const name = digest(
      canonicalJson({ format: FORMAT, path: resolve(path), size, mtimeMs, box: { ...box } }),
    )
    return join(CACHE, "streets", `${name}.json`)
  } catch {
    return null
  }
}

/** A cache that cannot be written fails no run. */
function keep(place: string, text: string): void {
  const folder = join(CACHE, "streets")
  try {
    mkdirSync(folder, { recursive: true })
    const others = readdirSync(folder).map((name) => join(folder, name))
    const oldestFirst = others.toSorted((one, other) => statSync(one).mtimeMs - statSync(other).mtimeMs)
    for (const old of oldestFirst.slice(0, Math.max(0, others.length + 1 - KEPT_MAX))) rmSync(old)
    const fresh = `${place}.${process.pid}`
    writeFileSync(fresh, text)
    renameSync(fresh, place)
  } catch {
    // The next run cuts the streets again.
  }
}
