/**
 * Elements of Overpass's JSON as lines, points and turns: with `out geom`, which writes positions at the ways, or with
 * `out body; >; out skel`, which writes the nodes beside them.
 */

import { isObject, labelOf } from "./file-parts.ts"
import type { FileLine, FileParts, FilePoint, FileTurn, Position, Tags } from "./file-parts.ts"

/** The parts, or what is wrong with an element in a sentence. */
export function overpassParts(elements: readonly unknown[]): FileParts | string {
  const nodes = new Map<number, Position>()
  const points: FilePoint[] = []
  for (const [at, element] of elements.entries()) {
    if (!isObject(element)) return `element ${at + 1}: it is no object`
    if (element["type"] !== "node") continue
    const position = placeOf(element)
    if (position === null) return `element ${at + 1}: the node has no lat and lon`
    nodes.set(Number(element["id"]), position)
    const tags = tagsOf(element)
    if (Object.keys(tags).length > 0) points.push({ tags, id: `node/${Number(element["id"])}`, position })
  }
  const lines: FileLine[] = []
  const turns: FileTurn[] = []
  for (const element of elements as readonly Tags[]) {
    const tags = tagsOf(element)
    if (element["type"] === "relation" && tags["type"] === "restriction")
      turns.push(turnOf(element, tags, nodes))
    if (element["type"] !== "way") continue
    const parts = partsOf(element, nodes)
    const id = `way/${Number(element["id"])}`
    if (parts.length > 0) lines.push({ tags, id, label: labelOf("a way", tags, id), parts })
  }
  return { lines, points, turns }
}

/** A way that was cut at a box has gaps: nodes that the file does not have. */
function partsOf(way: Tags, nodes: ReadonlyMap<number, Position>): readonly (readonly Position[])[] {
  const { geometry, nodes: ids } = way
  const places = Array.isArray(geometry)
    ? geometry.map((one: unknown) => (isObject(one) ? placeOf(one) : null))
    : Array.isArray(ids)
      ? ids.map((id: unknown) => nodes.get(Number(id)) ?? null)
      : []
  const parts: Position[][] = [[]]
  for (const place of places) {
    if (place === null) parts.push([])
    else parts.at(-1)?.push(place)
  }
  return parts.filter(({ length }) => length > 1)
}

function turnOf(relation: Tags, tags: Tags, nodes: ReadonlyMap<number, Position>): FileTurn {
  const { members } = relation
  const all = Array.isArray(members) ? (members as readonly unknown[]).filter(isObject) : []
  const ways = (role: string): readonly string[] =>
    all.filter((one) => one["role"] === role && one["type"] === "way").map(({ ref }) => `way/${Number(ref)}`)
  const vias = all.filter(({ role }) => role === "via")
  const [via] = vias
  const isNode = vias.length === 1 && via?.["type"] === "node"
  return {
    tags,
    from: ways("from"),
    to: ways("to"),
    over: vias.every(({ type }) => type === "way") ? ways("via") : [],
    via: isNode ? (nodes.get(Number(via["ref"])) ?? placeOf(via)) : null,
  }
}

function tagsOf({ tags }: Tags): Tags {
  return isObject(tags) ? tags : {}
}

function placeOf({ lat, lon }: Tags): Position | null {
  if (typeof lat !== "number" || typeof lon !== "number") return null
  return Math.abs(lon) <= 180 && Math.abs(lat) <= 90 ? [lon, lat] : null
}
