/** The cache of built files, when several make the same at once. */

import { mkdtempSync, readdirSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { expect, test } from "vitest"
import { isKept, kept } from "../../../src/pages/bundling/cache.ts"

test("of several that are made at once the first is everybody's, and no draft stays", async () => {
  const folder = mkdtempSync(join(tmpdir(), "curbline-cache-"))
  const name = { kind: "page", from: "the same sources", folder }
  expect(isKept(name)).toBe(false)
  const made = await Promise.all(
    ["one order", "another order"].map((text) => kept({ ...name, make: async () => text })),
  )
  expect(new Set(made).size).toBe(1)
  expect(await kept({ ...name, make: async () => "a third order" })).toBe(made[0])
  expect(readdirSync(folder)).toHaveLength(1)
})

test("a folder that cannot be written costs only the making", async () => {
  const file = join(mkdtempSync(join(tmpdir(), "curbline-cache-")), "a file")
  writeFileSync(file, "")
  const name = { kind: "page", from: "the same sources", folder: join(file, "below it") }
  expect(await kept({ ...name, make: async () => "made" })).toBe("made")
})
