import { mkdirSync, symlinkSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { pathToFileURL } from "node:url"
import { describe, expect, test } from "vitest"
import { ROOT, folder, running } from "./command-line.ts"

interface Compared {
  readonly resolved: number
  /** How often Node was asked. */
  readonly asked: number
  readonly differences: readonly object[]
}

/** Imports a module in a process of its own, in which every remembered place is compared with Node's. */
async function comparedWhile(module: string): Promise<Compared> {
  const { status, out, err } = await running([pathToFileURL(module).href], "test/cli/compare-places.ts").ended
  expect({ status, err }).toEqual({ status: 0, err: "" })
  return JSON.parse(out) as Compared
}

describe("where imports lead is remembered", () => {
  test("for every import of the service it is what Node says, and Node is seldom asked", async () => {
    const { resolved, asked, differences } = await comparedWhile(join(ROOT, "src/live/main.ts"))
    expect(differences).toEqual([])
    expect(resolved).toBeGreaterThan(5_000)
    expect(asked).toBeLessThan(resolved / 3)
  })

  test("links, packages in packages, names with a hash and files that do not exist are as Node says", async () => {
    const top = folder()
    const write = (path: string, text: string): void => {
      mkdirSync(join(top, path, ".."), { recursive: true })
      writeFileSync(join(top, path), text)
    }
    const packaged = (path: string, value: string): void => {
      const json = { name: "twice", type: "module", exports: "./index.js", imports: { "#own": "./own.js" } }
      write(`${path}/package.json`, JSON.stringify(json))
      write(`${path}/index.js`, `export { own } from "#own"\nexport { other } from "./other.js"`)
      write(`${path}/own.js`, `export const own = "${value}"`)
      write(`${path}/other.js`, `export const other = "${value}"`)
    }
    packaged("node_modules/twice", "outer")
    packaged("node_modules/holder/node_modules/twice", "inner")
    write(
      "node_modules/holder/package.json",
      JSON.stringify({ name: "holder", type: "module", main: "a.js" }),
    )
    write("node_modules/holder/a.js", `export * from "./b.js"`)
    write("node_modules/holder/b.js", `export { own } from "twice"`)
    // Without a type in its package.json a file is what its text says.
    write("node_modules/untyped/package.json", JSON.stringify({ name: "untyped", main: "one.js" }))
    write("node_modules/untyped/one.js", `module.exports = require("./two.js")`)
    write("node_modules/untyped/two.js", `exports.kind = "commonjs"`)
    write("target/linked.mjs", `export const linked = import.meta.url`)
    write("first.mjs", `export const first = 1`)
    symlinkSync(join(top, "target/linked.mjs"), join(top, "link.mjs"))
    write(
      "main.mjs",
      `
      import assert from "node:assert"
      import "./first.mjs"
      import { linked } from "./link.mjs"
      import * as outer from "twice"
      import * as inner from "holder"
      import { own } from "holder/b.js"
      import untyped from "untyped"
      import again from "untyped/one.js"
      import json from "./first.json" with { type: "json" }
      assert.match(linked, /target\\/linked\\.mjs$/)
      assert.equal(outer.own, "outer")
      assert.equal(inner.own, "inner")
      assert.equal(own, "inner")
      assert.equal(untyped.kind, "commonjs")
      assert.equal(again, untyped)
      assert.equal(json, 1)
      const missing = await import("./missing.mjs").catch((cause) => cause)
      assert.equal(missing.code, "ERR_MODULE_NOT_FOUND")
      assert.equal((await import("./target").catch((cause) => cause)).code, "ERR_UNSUPPORTED_DIR_IMPORT")
      `,
    )
    write("first.json", "1")
    expect((await comparedWhile(join(top, "main.mjs"))).differences).toEqual([])
  })
})
