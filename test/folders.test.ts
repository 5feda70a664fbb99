/** Every folder of the program has a README.md that says what it is for, and names only files that exist. */

import { existsSync, readFileSync, readdirSync } from "node:fs"
import { dirname, join } from "node:path"
import { describe, expect, test } from "vitest"

const TOP = join(import.meta.dirname, "..")
/** Made by programs and not committed. */
const MADE = new Set([
  "src/client/dist",
  "src/pages/bundling/built",
  "src/pages/web/ops/api-types.ts",
  "src/pages/web/portal/api-types.ts",
  ...["analytics", "delivery", "reservation", "sandbox"].map((api) => `src/client/${api}-types.ts`),
])
/** An account of the operating system, a word of the fleet language, and a sentence of the first scenario. */
const ALLOWED = /user `nobody`|`nobody_home`|the partner is told when the robot/
/** Numbered files that are only added; `src/engine/store/README.md` and `scenarios/README.md` explain them. */
const NUMBERED = new Set(["scenarios/expected", "src/engine/store/migrations"])
/** More than a reader takes in at once. */
const ENTRIES_MAX = 40

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
    .filter((path) => !MADE.has(path) && !NUMBERED.has(path))
    .flatMap((path) => [path, ...foldersUnder(path)])
}

describe("the folders of the program", () => {
  test("each has a README.md, or the next one above names it", () => {
    expect(folders.length).toBeGreaterThan(50)
    expect(folders.filter((folder) => !isExplained(folder))).toEqual([])
  })

  test(`no folder of src lists more than ${ENTRIES_MAX} entries`, () => {
    const long = folders
      .filter((folder) => folder.startsWith("src"))
      .map((folder) => `${folder}: ${readdirSync(join(TOP, folder)).length}`)
      .filter((line) => Number(line.split(": ")[1]) > ENTRIES_MAX)
    expect(long).toEqual([])
  })

  test("no two folders of a room import each other, also through others", () => {
    expect(circlesAmong(importsOfRooms())).toEqual([])
    // A planted circle is found.
    const planted = new Map([
      ["a", new Set(["b"])],
      ["b", new Set(["c"])],
      ["c", new Set(["a"])],
      ["d", new Set(["a"])],
    ])
    expect(circlesAmong(planted)).toEqual(["a", "b", "c"])
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
    const named = filesNamedIn(readFileSync(join(TOP, path), "utf8"))
    expect(named.filter((names) => !isThere(path, names))).toEqual([])
  })

  const documents = [
    ...readmes,
    "README.md",
    "CONTRIBUTING.md",
    "CHANGELOG.md",
    "src/OPERATIONS.md",
    "src/DECISIONS.md",
  ]

  test.each(documents.filter((path) => path !== "machines/README.md"))("%s speaks plainly", (path) => {
    const lines = readFileSync(join(TOP, path), "utf8").split("\n")
    const riddles = lines.flatMap((line, at) =>
      /\b(?:nobody|whoever|whatever it|(?:is|are|was|were) told|for nothing)\b/i.test(line) &&
      !ALLOWED.test(line)
        ? [`${path}:${at + 1}: ${line}`]
        : [],
    )
    expect(riddles).toEqual([])
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
    const named = new Set([...text.matchAll(/^\| `([\w-]+)[/`]/gm)].map(([, name]) => name))
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
    ["| `cli/a.ts`, `b.ts` | `c.ts` |", ["cli/a.ts", "cli/b.ts", "c.ts"]],
    ["save it as `my-first.yaml`; `*.scenario.ts`; `.ts`; example.md", []],
  ])("%s", (text, names) => {
    expect(filesNamedIn(text).map(([name]) => name)).toEqual(names)
  })

  test("a file that is not there is found", () => {
    const [name = []] = filesNamedIn("`gone-for-good.ts`")
    expect(isThere("src/README.md", name)).toBe(false)
  })
})

function isExplained(folder: string): boolean {
  if (existsSync(join(TOP, folder, "README.md"))) return true
  const above = dirname(folder)
  const readme = join(TOP, above, "README.md")
  return existsSync(readme) && readFileSync(readme, "utf8").includes(`\`${folder.slice(above.length + 1)}`)
}

/** The folders directly inside of rooms, and files in a room itself as one more; each with those that it imports. */
function importsOfRooms(): ReadonlyMap<string, ReadonlySet<string>> {
  const placeOf = (file: string): string =>
    file
      .split("/")
      .slice(0, 3)
      .join("/")
      .replace(/[^/]*\.\w+$/, "")
  const imports = new Map<string, Set<string>>()
  for (const name of readdirSync(join(TOP, "src"), { recursive: true, encoding: "utf8" })) {
    const file = `src/${name.replaceAll("\\", "/")}`
    if (!/\.tsx?$/.test(file) || MADE.has(dirname(file))) continue
    const from = placeOf(file)
    const to = imports.get(from) ?? new Set()
    imports.set(from, to)
    for (const [, path = ""] of readFileSync(join(TOP, file), "utf8").matchAll(/\bfrom "(\.[^"]+)"/g))
      to.add(placeOf(join(dirname(file), path)))
    to.delete(from)
  }
  return imports
}

/** The nodes that lie on a circle: what is left when those that import nothing, or that nothing imports, are taken away again and again. */
function circlesAmong(imports: ReadonlyMap<string, ReadonlySet<string>>): readonly string[] {
  let left = new Set(imports.keys())
  for (;;) {
    const imported = new Set([...left].flatMap((from) => [...(imports.get(from) ?? [])]))
    const next = new Set(
      [...left].filter(
        (one) => imported.has(one) && [...(imports.get(one) ?? [])].some((to) => left.has(to)),
      ),
    )
    if (next.size === left.size) return [...left].toSorted()
    left = next
  }
}

/** Files that a reader creates, or patterns. */
const NOT_OURS = /^my-|[*<{]/

/** The files named in code of a text, in order. In a cell of a table a bare name may be one of the folder named before it. */
function filesNamedIn(text: string): (readonly string[])[] {
  return text
    .replace(/```.*?```/gs, "")
    .split(/\n|\|/)
    .flatMap((cell) => {
      let folder = ""
      return [...cell.matchAll(/`([^`]+)`/g)]
        .flatMap(([, code = ""]) => code.split(/\s+/))
        .filter((word) => /^[\w@*<{][^:]*[.](?:tsx?|yaml|md)$/.test(word) && !NOT_OURS.test(word))
        .map((name) => {
          if (name.includes("/")) folder = `${dirname(name)}/`
          return name.includes("/") || folder === "" ? [name] : [`${folder}${name}`, name]
        })
    })
}

/** A name of a file in the README's own folder, or a path from the top, from `src` or from `test`. */
function isThere(readme: string, names: readonly string[]): boolean {
  const from = [dirname(readme), "", "src", "test"]
  const paths = names.flatMap((name) => from.map((folder) => join(folder, name)))
  return paths.some((path) => MADE.has(path) || existsSync(join(TOP, path)))
}
