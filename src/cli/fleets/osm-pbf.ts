/**
 * Reads an extract of OpenStreetMap: nodes, ways and relations by their blocks. Blocks are inflated one at a time.
 * Source: OpenStreetMap wiki, "PBF Format".
 */

import { inflateSync } from "node:zlib"
import { PbfReader } from "pbf"

type Tags = Readonly<Record<string, string>>

export interface OsmNode {
  readonly id: number
  readonly longitude: number
  readonly latitude: number
  readonly tags: Tags
}

export interface OsmWay {
  readonly id: number
  readonly refs: readonly number[]
  readonly tags: Tags
}

export interface OsmRelation {
  readonly id: number
  readonly tags: Tags
  readonly members: readonly {
    readonly type: "node" | "relation" | "way"
    readonly ref: number
    readonly role: string
  }[]
}

/** Receives elements in the order of the file. */
export interface OsmReader {
  readonly node: (node: OsmNode) => void
  readonly way: (way: OsmWay) => void
  readonly relation: (relation: OsmRelation) => void
}

/** What a file may ask its readers to know. */
const FEATURES = new Set(["OsmSchema-V0.6", "DenseNodes"])
const BLOB_BYTES_MAX = 32 * 1024 * 1024

/** Not an extract, or one of another kind; the rest of a sentence that begins with the name of the file. */
export class NoExtract extends Error {}

/** First all nodes, then ways and relations. Throws `NoExtract`. */
export function readOsmPbf(bytes: Uint8Array, reader: OsmReader): void {
  const later: Uint8Array[] = []
  let hasHeader = false
  for (const { type, data } of blobsOf(bytes)) {
    if (type === "OSMHeader") {
      hasHeader = true
      checkHeader(inflated(data))
    }
    if (type !== "OSMData") continue
    if (!hasHeader) throw new NoExtract("has no header of OpenStreetMap's PBF format")
    if (readBlock(inflated(data), reader, "nodes")) later.push(data)
  }
  if (!hasHeader) throw new NoExtract("is no extract in OpenStreetMap's PBF format")
  for (const data of later) readBlock(inflated(data), reader, "others")
}

interface Blob {
  readonly type: string
  readonly data: Uint8Array
}

function* blobsOf(bytes: Uint8Array): Iterable<Blob> {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  let at = 0
  while (at < bytes.length) {
    const size = at + 4 <= bytes.length ? view.getUint32(at) : BLOB_BYTES_MAX
    if (size >= 64 * 1024) throw new NoExtract("is no extract in OpenStreetMap's PBF format")
    at += 4
    const header = { type: "", size: -1 }
    new PbfReader(bytes.subarray(at, at + size)).readFields((tag, into: typeof header, pbf) => {
      if (tag === 1) into.type = pbf.readString()
      if (tag === 3) into.size = pbf.readVarint()
    }, header)
    at += size
    if (header.size < 0 || header.size > BLOB_BYTES_MAX || at + header.size > bytes.length)
      throw new NoExtract("ends in the middle of a block")
    yield { type: header.type, data: bytes.subarray(at, at + header.size) }
    at += header.size
  }
}

function inflated(blob: Uint8Array): Uint8Array {
  const parts: { raw: Uint8Array | null; zlib: Uint8Array | null } = { raw: null, zlib: null }
  new PbfReader(blob).readFields((tag, into: typeof parts, pbf) => {
    if (tag === 1) into.raw = pbf.readBytes()
    if (tag === 3) into.zlib = pbf.readBytes()
  }, parts)
  if (parts.raw !== null) return parts.raw
  if (parts.zlib === null) throw new NoExtract("is compressed in another way than by zlib")
  return inflateSync(parts.zlib, { maxOutputLength: BLOB_BYTES_MAX })
}

function checkHeader(block: Uint8Array): void {
  const needed: string[] = []
  new PbfReader(block).readFields((tag, into: string[], pbf) => {
    if (tag === 4) into.push(pbf.readString())
  }, needed)
  const unknown = needed.find((one) => !FEATURES.has(one))
  if (unknown !== undefined) throw new NoExtract(`needs a reader of ${JSON.stringify(unknown)}`)
}

interface Block {
  readonly texts: string[]
  readonly groups: Uint8Array[]
  granularity: number
  latitudeOffset: number
  longitudeOffset: number
}

/** True when the block has ways or relations. */
function readBlock(bytes: Uint8Array, reader: OsmReader, what: "nodes" | "others"): boolean {
  const block: Block = { texts: [], groups: [], granularity: 100, latitudeOffset: 0, longitudeOffset: 0 }
  new PbfReader(bytes).readFields((tag, into: Block, pbf) => {
    if (tag === 1)
      pbf.readMessage((field, texts: string[], table) => {
        if (field === 1) texts.push(table.readString())
      }, into.texts)
    if (tag === 2) into.groups.push(pbf.readBytes())
    if (tag === 17) into.granularity = pbf.readVarint()
    if (tag === 19) into.latitudeOffset = pbf.readVarint(true)
    if (tag === 20) into.longitudeOffset = pbf.readVarint(true)
  }, block)
  let hasOthers = false
  for (const group of block.groups) {
    new PbfReader(group).readFields((tag, _: null, pbf) => {
      if (tag === 3 || tag === 4) hasOthers = true
      if (what === "nodes") {
        if (tag === 1) readNode(block, pbf, reader)
        if (tag === 2) readDense(block, pbf, reader)
      } else {
        if (tag === 3) readWay(block, pbf, reader)
        if (tag === 4) readRelation(block, pbf, reader)
      }
    }, null)
  }
  return hasOthers
}

/** To OpenStreetMap's seven digits. */
function degrees(offset: number, granularity: number, value: number): number {
  return Math.round((offset + granularity * value) / 100) / 1e7
}

interface Written {
  id: number
  readonly keys: number[]
  readonly values: number[]
}

function readNode(block: Block, pbf: PbfReader, { node }: OsmReader): void {
  const read = pbf.readMessage(
    (tag, into: Written & { latitude: number; longitude: number }, message) => {
      if (tag === 1) into.id = message.readSVarint()
      if (tag === 2) message.readPackedVarint(into.keys)
      if (tag === 3) message.readPackedVarint(into.values)
      if (tag === 8) into.latitude = message.readSVarint()
      if (tag === 9) into.longitude = message.readSVarint()
    },
    { id: 0, keys: [], values: [], latitude: 0, longitude: 0 },
  )
  node({
    id: read.id,
    longitude: degrees(block.longitudeOffset, block.granularity, read.longitude),
    latitude: degrees(block.latitudeOffset, block.granularity, read.latitude),
    tags: tagsOf(block, read),
  })
}

const NO_TAGS: Tags = {}

function readDense(block: Block, pbf: PbfReader, { node }: OsmReader): void {
  const { ids, latitudes, longitudes, words } = pbf.readMessage(
    (tag, into: { ids: number[]; latitudes: number[]; longitudes: number[]; words: number[] }, message) => {
      if (tag === 1) message.readPackedSVarint(into.ids)
      if (tag === 8) message.readPackedSVarint(into.latitudes)
      if (tag === 9) message.readPackedSVarint(into.longitudes)
      if (tag === 10) message.readPackedVarint(into.words)
    },
    { ids: [], latitudes: [], longitudes: [], words: [] },
  )
  let [id, latitude, longitude, word] = [0, 0, 0, 0]
  for (const [at, step] of ids.entries()) {
    id += step
    latitude += latitudes[at] ?? 0
    longitude += longitudes[at] ?? 0
    let tags = NO_TAGS
    // Keys and values of a node end with a zero; a block without any tags has none of them.
    if (word < words.length) {
      const keys: number[] = []
      const values: number[] = []
      for (; (words[word] ?? 0) !== 0; word += 2) {
        keys.push(words[word] ?? 0)
        values.push(words[word + 1] ?? 0)
      }
      word += 1
      if (keys.length > 0) tags = tagsOf(block, { keys, values })
    }
    node({
      id,
      longitude: degrees(block.longitudeOffset, block.granularity, longitude),
      latitude: degrees(block.latitudeOffset, block.granularity, latitude),
      tags,
    })
  }
}

function readWay(block: Block, pbf: PbfReader, { way }: OsmReader): void {
  const read = pbf.readMessage(
    (tag, into: Written & { readonly refs: number[] }, message) => {
      if (tag === 1) into.id = message.readVarint()
      if (tag === 2) message.readPackedVarint(into.keys)
      if (tag === 3) message.readPackedVarint(into.values)
      if (tag === 8) message.readPackedSVarint(into.refs)
    },
    { id: 0, keys: [], values: [], refs: [] },
  )
  way({ id: read.id, refs: summed(read.refs), tags: tagsOf(block, read) })
}

const MEMBER_TYPES = ["node", "way", "relation"] as const

function readRelation(block: Block, pbf: PbfReader, { relation }: OsmReader): void {
  const read = pbf.readMessage(
    (tag, into: Written & { roles: number[]; refs: number[]; types: number[] }, message) => {
      if (tag === 1) into.id = message.readVarint()
      if (tag === 2) message.readPackedVarint(into.keys)
      if (tag === 3) message.readPackedVarint(into.values)
      if (tag === 8) message.readPackedVarint(into.roles)
      if (tag === 9) message.readPackedSVarint(into.refs)
      if (tag === 10) message.readPackedVarint(into.types)
    },
    { id: 0, keys: [], values: [], roles: [], refs: [], types: [] },
  )
  const members = summed(read.refs).map((ref, at) => ({
    type: MEMBER_TYPES[read.types[at] ?? 0] ?? "node",
    ref,
    role: block.texts[read.roles[at] ?? 0] ?? "",
  }))
  relation({ id: read.id, tags: tagsOf(block, read), members })
}

function tagsOf({ texts }: Block, { keys, values }: Pick<Written, "keys" | "values">): Tags {
  return Object.fromEntries(keys.map((key, at) => [texts[key] ?? "", texts[values[at] ?? 0] ?? ""]))
}

/** Each number is the difference from the one before. */
function summed(steps: readonly number[]): readonly number[] {
  let sum = 0
  return steps.map((step) => (sum += step))
}
