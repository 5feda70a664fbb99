/**
 * Kept journals: one small run of each area, as it was recorded. They replay for ever: a machine or decision table that one
 * of them names stays in the program under its version. `npx curbline run <scenario> --record` makes another.
 */

import { readFileSync, readdirSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, test } from "vitest"
import { machines } from "../../../machines/index.ts"
import { program } from "../../../src/apps/composition/program.ts"
import { replayRecord } from "../../../src/simulation/replay.ts"

/** Must not change: if a record no longer replays, journals of users do not either. */
const HASHES: Readonly<Record<string, readonly string[]>> = {
  "compartments.ndjson": ["5ceaffd46c23f23785f7fccd0bd665429b7c1e641af132612867c9d3eca1bf14"],
  "deliveries.ndjson": [
    "1a47249f0f0372e2965eef2b11cec3d7bb8acb78443710bae95653030437e85d",
    "c88deac2770ad7968757ab6123e1aedefc425735f757eb842892f59406c672ec",
  ],
  "errands.ndjson": ["3412f53d69eddec67fdf70cb3109b71f0ab8de4372445efde645e4be5020bcd0"],
  "lost-nodes.ndjson": ["2ddb1f6280c9a8f431f097d82e920ec015ec9cd264119c36ff984664057c5d53"],
  "pools.ndjson": [
    "856d4a3c05b632f3915d38a9d7421b7eeaa46b164bfe88a5e4b56ad71417f55c",
    "67ef0b2107cd8bc76584697eb9019665d69abd7b9f5724dec5f4f2250b42217b",
  ],
  "runner-calls.ndjson": ["b0bfba77ba5b26d8caade8f8d03ddd4ece2f7d2e4db2cc24ca4c2ccdaf9a914a"],
  "reservations.ndjson": ["c3e3b0ee8fd86394a112188abeaf453784c30d04baa8fb500395184c26d2d247"],
}

const files = readdirSync(import.meta.dirname).filter((name) => name.endsWith(".ndjson"))
const textOf = (name: string): string => readFileSync(join(import.meta.dirname, name), "utf8")

describe("a kept journal", () => {
  test.each(files)("replays to the byte: %s", (name) => {
    const { difference, hashes } = replayRecord(textOf(name), program)
    expect(difference).toBeNull()
    expect(hashes).toEqual(HASHES[name])
  })

  test("is there for every machine that the program had when it was kept", () => {
    expect(files.toSorted()).toEqual(Object.keys(HASHES).toSorted())
    const named = new Set(
      files.flatMap((name) => [...textOf(name).matchAll(/"([a-z-]+@\d+)"/g)].map((found) => found[1])),
    )
    expect(Object.keys(machines).filter((machine) => !named.has(machine))).toEqual([])
  })
})
