/** An extract of OpenStreetMap gives a model the streets near its sites, and a damaged one is a mistake of the model. */

import { existsSync, mkdirSync, mkdtempSync, readdirSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { deflateSync } from "node:zlib"
import { PbfWriter } from "pbf"
import { describe, expect, test } from "vitest"
import { readFleetFile, textOfBeside } from "../../src/cli/fleets/fleet-files.ts"
import { pbfStreets } from "../../src/cli/fleets/pbf-streets.ts"
import { streetFileOf } from "../../src/pages/html/map/street-file.ts"
import { replayRequest } from "../../src/simulation/fleet/replay/replay-request.ts"
import { replicate } from "../../src/simulation/fleet/world/replication.ts"
import { readFleet } from "../../src/simulation/fleet/language/read.ts"

const ROOT = join(import.meta.dirname, "../..")
const BOX = { west: 9, south: 49, east: 10.5, north: 50.5 }

const TEXTS = [
  "",
  "highway",
  "residential",
  "barrier",
  "bollard",
  "source",
  "survey",
  "type",
  "restriction",
  "no_u_turn",
  "via",
  "from",
  "to",
]

type Write = (writer: PbfWriter) => void

function message(write: Write): Uint8Array {
  const writer = new PbfWriter()
  write(writer)
  return writer.finish()
}

function blob(type: string, content: Uint8Array, isRaw: boolean): readonly Uint8Array[] {
  const data = message((writer) => {
    if (isRaw) writer.writeBytesField(1, content)
    else writer.writeBytesField(3, deflateSync(content))
  })
  const header = message((writer) => {
    writer.writeStringField(1, type)
    writer.writeVarintField(3, data.length)
  })
  const size = new Uint8Array(4)
  new DataView(size.buffer).setUint32(0, header.length)
  return [size, header, data]
}

const HEADER = message((writer) => {
  for (const feature of ["OsmSchema-V0.6", "DenseNodes"]) writer.writeStringField(4, feature)
})

function block(...groups: readonly Write[]): Uint8Array {
  return message((writer) => {
    writer.writeMessage(
      1,
      (texts: readonly string[], table) => {
        for (const one of texts) table.writeStringField(1, one)
      },
      TEXTS,
    )
    for (const group of groups) writer.writeBytesField(2, message(group))
  })
}

/** Three nodes at one latitude, the last one far away; the middle one is a bollard. */
const DENSE: Write = (writer) => {
  const dense = message((inner) => {
    inner.writePackedSVarint(1, [11, 1, 1])
    inner.writePackedSVarint(8, [500_000_000, 0, 0])
    inner.writePackedSVarint(9, [100_000_000, 1_234, 300_000_000])
    inner.writePackedVarint(10, [0, 3, 4, 5, 6, 0, 0])
  })
  writer.writeBytesField(2, dense)
}
const PLAIN: Write = (writer) => {
  for (const [id, longitude] of [
    [11, 100_000_000],
    [12, 100_001_234],
    [13, 400_001_234],
  ] as const)
    writer.writeBytesField(
      1,
      message((node) => {
        node.writeSVarintField(1, id)
        if (id === 12) {
          node.writePackedVarint(2, [3, 5])
          node.writePackedVarint(3, [4, 6])
        }
        node.writeSVarintField(8, 500_000_000)
        node.writeSVarintField(9, longitude)
      }),
    )
}
/** A street along the three, a line that is none, and a restriction at the middle. */
const OTHERS: Write = (writer) => {
  for (const [id, keys] of [
    [1, [1]],
    [2, [5]],
  ] as const)
    writer.writeBytesField(
      3,
      message((way) => {
        way.writeVarintField(1, id)
        way.writePackedVarint(2, [...keys])
        way.writePackedVarint(3, [2])
        way.writePackedSVarint(8, [11, 1, 1])
      }),
    )
  // At a node, over the way, and over a way that is elsewhere.
  for (const [id, via, isNode] of [
    [7, 12, true],
    [8, 1, false],
    [9, 3, false],
  ] as const)
    writer.writeBytesField(
      4,
      message((relation) => {
        relation.writeVarintField(1, id)
        relation.writePackedVarint(2, [7, 8])
        relation.writePackedVarint(3, [8, 9])
        relation.writePackedVarint(8, [11, 10, 12])
        relation.writePackedSVarint(9, [1, via - 1, 1 - via])
        relation.writePackedVarint(10, [1, isNode ? 0 : 1, 1])
      }),
    )
}

/** The elements near a box. */
function cut(path: string, box = BOX): unknown {
  const text = pbfStreets(path, box)
  if (typeof text !== "string") throw new Error("the extract is read")
  return JSON.parse(text)
}

const folder = mkdtempSync(join(tmpdir(), "pbf-streets-"))

function extract(name: string, ...blobs: readonly (readonly Uint8Array[])[]): string {
  const path = join(folder, name)
  writeFileSync(path, Buffer.concat(blobs.flat()))
  return path
}

describe("an extract", () => {
  test.each([
    ["dense and compressed", DENSE, false],
    ["plain and raw", PLAIN, true],
  ])("with nodes that are %s", (name, nodes, isRaw) => {
    const path = extract(
      `${name}.pbf`,
      blob("OSMHeader", HEADER, isRaw),
      blob("OSMData", block(nodes), isRaw),
      blob("OSMData", block(OTHERS), isRaw),
    )
    expect(cut(path)).toEqual({
      version: 0.6,
      elements: [
        { type: "node", id: 12, lat: 50, lon: 10.0001234, tags: { barrier: "bollard" } },
        {
          type: "way",
          id: 1,
          tags: { highway: "residential" },
          geometry: [{ lat: 50, lon: 10 }, { lat: 50, lon: 10.0001234 }, null],
        },
        {
          type: "relation",
          id: 7,
          tags: { type: "restriction", restriction: "no_u_turn" },
          members: [
            { type: "way", ref: 1, role: "from" },
            { type: "node", ref: 12, role: "via", lat: 50, lon: 10.0001234 },
            { type: "way", ref: 1, role: "to" },
          ],
        },
        {
          type: "relation",
          id: 8,
          tags: { type: "restriction", restriction: "no_u_turn" },
          members: ["from", "via", "to"].map((role) => ({ type: "way", ref: 1, role })),
        },
      ],
    })
    expect(streetFileOf(cut(path))).toMatchObject({ credit: "© OpenStreetMap contributors" })
    expect(cut(path, { ...BOX, west: 10.2 })).toEqual({
      version: 0.6,
      elements: [],
    })
  })

  test("of so many nodes in any order as a city has", () => {
    const nodes = 200_000
    const descending: Write = (writer) => {
      const dense = message((inner) => {
        inner.writePackedSVarint(1, [nodes, ...Array.from({ length: nodes - 1 }, () => -1)])
        inner.writePackedSVarint(8, [500_000_000, ...Array.from({ length: nodes - 1 }, () => 0)])
        inner.writePackedSVarint(9, [100_000_000, ...Array.from({ length: nodes - 1 }, () => 1)])
      })
      writer.writeBytesField(2, dense)
    }
    const path = extract(
      "any order.pbf",
      blob("OSMHeader", HEADER, false),
      blob("OSMData", block(descending), false),
      blob("OSMData", block(OTHERS), false),
    )
    const { elements } = cut(path) as { readonly elements: readonly { readonly geometry?: unknown }[] }
    const lon = (id: number): number => (100_000_000 + nodes - id) / 1e7
    expect(elements[0]?.geometry).toEqual([11, 12, 13].map((id) => ({ lat: 50, lon: lon(id) })))
  })

  const whole = Buffer.concat([blob("OSMHeader", HEADER, false), blob("OSMData", block(DENSE), false)].flat())
  const history = message((writer) => writer.writeStringField(4, "HistoricalInformation"))
  test.each<[string, Uint8Array, string]>([
    ["text", Buffer.from("<osm version='0.6'>"), "is no extract in OpenStreetMap's PBF format"],
    ["nothing", new Uint8Array(), "is no extract in OpenStreetMap's PBF format"],
    ["half a file", whole.subarray(0, whole.length - 5), "ends in the middle of a block"],
    [
      "a file of all versions",
      Buffer.concat(blob("OSMHeader", history, false)),
      'needs a reader of "HistoricalInformation"',
    ],
    [
      "damaged blocks",
      Buffer.concat([Buffer.from(whole.subarray(0, -9)), Buffer.alloc(9)]),
      "is no whole extract in OpenStreetMap's PBF format",
    ],
  ])("that is %s is refused", (name, bytes, fault) => {
    const path = join(folder, `${name}.pbf`)
    writeFileSync(path, bytes)
    expect(pbfStreets(path, BOX)).toEqual({ fault })
  })

  test("that is not there is no file", () => {
    expect(pbfStreets(join(folder, "none.pbf"), BOX)).toBeNull()
  })
})

test("where a cache is, the streets are cut once, and again for another box or a changed file", () => {
  const before = process.cwd()
  process.chdir(folder)
  try {
    const path = extract("kept.pbf", blob("OSMHeader", HEADER, true), blob("OSMData", block(DENSE), true))
    const kept = (): readonly string[] => readdirSync(".curbline/cache/streets")
    pbfStreets(path, BOX)
    expect(existsSync(".curbline")).toBe(false)
    mkdirSync(".curbline/cache", { recursive: true })
    const text = pbfStreets(path, BOX)
    const [name = ""] = kept()
    writeFileSync(join(".curbline/cache/streets", name), "kept")
    expect(pbfStreets(path, BOX)).toBe("kept")
    expect(pbfStreets(path, { ...BOX, west: 9.5 })).toBe(text)
    expect(kept()).toHaveLength(2)
    writeFileSync(path, "changed")
    expect(pbfStreets(path, BOX)).toHaveProperty("fault")
    for (let west = 0; west < 9; west += 1)
      pbfStreets(extract("other.pbf", blob("OSMHeader", HEADER, true)), { ...BOX, west })
    expect(kept()).toHaveLength(8)
  } finally {
    process.chdir(before)
  }
})

describe("the model of a real town", () => {
  const file = join(ROOT, "scenarios/fleets/small-town.yaml")

  test("gives a browser the streets as text, and there the same run", async () => {
    const { model } = await readFleetFile(file)
    if (model === null) throw new Error("the model is read")
    const run = replayRequest({ file, text: model.text, seed: 1 }, (name, streets) =>
      textOfBeside(join(ROOT, "scenarios/fleets", name), streets),
    )
    expect(Object.keys(run.beside)).toEqual(["karhula.osm.pbf"])
    const { model: shown } = readFleet({ file, text: run.text, beside: (name) => run.beside[name] ?? null })
    if (shown === null) throw new Error("a browser reads the model")
    expect(shown.travel).toEqual(model.travel)
    expect(replicate(shown, { seed: 1 }).digest).toBe(replicate(model, { seed: 1 }).digest)
  })
})
