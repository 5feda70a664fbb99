/** Every folder of the program has a README.md that says what it is for, and names only files that exist. */

import { existsSync, readFileSync, readdirSync } from "node:fs"
import { dirname, join } from "node:path"
import { describe, expect, test } from "vitest"

const TOP = join(import.meta.dirname, "..")
/** Made by programs and not committed. */
const MADE = new Set(["src/pages/built"])
/** Golden results: one file for each scenario, explained in scenarios/README.md. */
const EXPECTED = "scenarios/expected"

const folders = ["machines", "src", "scenarios", "test"].flatMap((top) => [
  top,
  // What each folder of tests proves is a table in test/README.md, which test/index.test.ts keeps complete.
  ...(top === "test" ? [] : foldersUnder(top)),
])
const readmes = folders.map((folder) => `${folder}/README.md`).filter((path) => existsSync(join(TOP, path)))

function foldersUnder(folder: string): string[] {
  return readdirSync(join(TOP, folder), { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map((entry) => `${folder}/${entry.name}`)
    .filter((path) => !MADE.has(path) && path !== EXPECTED)
    .flatMap((path) => [path, ...foldersUnder(path)])
}

describe("the folders of the program", () => {
  test("each has a README.md", () => {
    expect(folders.length).toBeGreaterThan(50)
    expect(folders.filter((folder) => !existsSync(join(TOP, folder, "README.md")))).toEqual([])
  })

  test.each(readmes)("%s begins with a title and a sentence", (path) => {
    const [title, blank, first] = readFileSync(join(TOP, path), "utf8")
      .replace(/^<!--.*?-->\n+/s, "")
      .split("\n")
    expect(title).toMatch(/^# \S/)
    expect(blank).toBe("")
    expect(first).toMatch(/\w/)
  })

  test.each(readmes)("every file that %s names exists", (path) => {
    expect(
      filesNamedIn(readFileSync(join(TOP, path), "utf8")).filter((name) => !isThere(path, name)),
    ).toEqual([])
  })

  test("src/README.md names each folder of src", () => {
    const text = readFileSync(join(TOP, "src/README.md"), "utf8")
    const named = new Set([...text.matchAll(/^\| (?:\[)?`([\w.-]+)`/gm)].map(([, name]) => name))
    const there = readdirSync(join(TOP, "src"), { withFileTypes: true })
      .filter((entry) => entry.isDirectory())
      .map(({ name }) => name)
    expect(there.filter((name) => !named.has(name))).toEqual([])
  })

  test("test/README.md names each folder of tests", () => {
    const text = readFileSync(join(TOP, "test/README.md"), "utf8")
    const named = new Set([...text.matchAll(/^\| `([\w-]+)`/gm)].map(([, name]) => name))
    const there = readdirSync(join(TOP, "test"), { withFileTypes: true })
      .filter((entry) => entry.isDirectory())
      .map(({ name }) => name)
    expect(there.filter((name) => !named.has(name))).toEqual([])
  })
})

describe("names of files in a text", () => {
  test.each([
    ["see `read.ts` and `src/cli/main.ts`", ["read.ts", "src/cli/main.ts"]],
    ["a view is `app.tsx`; rules: `a-b.yaml`, `README.md`", ["app.tsx", "a-b.yaml", "README.md"]],
    ["`npx vitest run test/machines/bot.test.ts -t L4`", ["test/machines/bot.test.ts"]],
    ["save it as `my-first.yaml`; `*.scenario.ts`; `.ts`; example.md", []],
  ])("%s", (text, names) => {
    expect(filesNamedIn(text)).toEqual(names)
  })
})

/** Files that a reader writes, or that a pattern stands for. */
const NOT_OURS = /^my-|[*<{]/

/** The files named in code of a text, in order. */
function filesNamedIn(text: string): string[] {
  const code = [...text.replace(/```.*?```/gs, "").matchAll(/`([^`]+)`/g)].flatMap(([, one = ""]) =>
    one.split(/\s+/),
  )
  return code.filter((word) => /^[\w@*<{][^:]*[.](?:tsx?|yaml|md)$/.test(word) && !NOT_OURS.test(word))
}

/** A name stands for a file of the README's own folder, or for a path from the top, from `src` or from `test`. */
function isThere(readme: string, name: string): boolean {
  return [dirname(readme), "", "src", "test"].some((from) => existsSync(join(TOP, from, name)))
}
