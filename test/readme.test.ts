/** What the READMEs promise: their commands run, their tables are complete, and their links lead to files. */

import { existsSync, readFileSync, readdirSync, statSync } from "node:fs"
import { dirname, join } from "node:path"
import { describe, expect, test } from "vitest"
import { filterIn, listPage } from "../src/apps/inspector/http/list-page.ts"
import { STORE_COLUMNS, storesIn } from "../src/areas/courier/directory/store-file.ts"
import { ROOT, fileWith } from "./cli/command-line.ts"
import { curblineHere } from "./cli/same-process.ts"

const WORDS = { waitsFor: () => null, dueName: () => "", hueOf: () => "" }
const OPERATOR = {
  environment: "sandbox",
  operator: { type: "operator", by: "ops", environment: "sandbox" },
  operatorId: "token_1",
  needsFactor: false,
  label: "on call",
  formKey: "key",
} as const

const read = (path: string): string => readFileSync(join(ROOT, path), "utf8")
const readme = read("README.md")
const scenarios = read("scenarios/README.md")
const couriers = read("src/apps/mcp/README.md")
const inspector = read("src/pages/web/README.md")

/** Every document that people read as a manual, by path. */
const MANUALS: Readonly<Record<string, string>> = Object.fromEntries(
  ["README.md", "CONTRIBUTING.md", "src/OPERATIONS.md", ...readmesIn("src"), ...readmesIn("scenarios")].map(
    (path) => [path, read(path)],
  ),
)

function readmesIn(folder: string): string[] {
  return readdirSync(join(ROOT, folder), { recursive: true, encoding: "utf8" })
    .filter((path) => /(?:^|[/\\])README[.]md$/.test(path))
    .map((path) => join(folder, path))
    .toSorted()
}

/** Code blocks of one language, in order. */
function blocks(text: string, language: string): string[] {
  return [...text.matchAll(new RegExp(`\`\`\`${language}\\n(.*?)\`\`\``, "gs"))].map(
    (found) => found[1] ?? "",
  )
}

describe("the manual of scenarios", () => {
  const [first = ""] = blocks(scenarios, "yaml")
  const file = fileWith("my-first.yaml", first)

  test("the first scenario checks, runs and explains", async () => {
    const block = blocks(scenarios, "sh").find((one) => one.includes("my-first.yaml")) ?? ""
    const commands = block.trim().split("\n")
    expect(commands).toHaveLength(3)
    for (const command of commands) {
      const words = command.replace("my-first.yaml", file).split(" ")
      expect(words.slice(0, 2)).toEqual(["npx", "curbline"])
      expect(await curblineHere(...words.slice(2))).toMatchObject({ status: 0, err: "" })
    }
  })

  test("changing the number shows expected, found, line and command", async () => {
    const changed = fileWith("changed.yaml", first.replace("times: 2", "times: 3"))
    const { status, out } = await curblineHere("run", changed)
    expect(status).toBe(1)
    expect(out).toContain("accepted 3 times")
    expect(out).toContain("accepted 2 times")
    expect(out).toMatch(/--> .*changed\.yaml:\d+:\d+/)
    expect(out).toContain("npx curbline run")
  })

  test("a misspelt word is pointed at, with the right one", async () => {
    const misspelt = fileWith("misspelt.yaml", first.replace("refuse:", "refse:"))
    expect(await curblineHere("check", misspelt)).toMatchObject({
      status: 2,
      err: expect.stringContaining('unknown key "refse", did you mean "refuse"?'),
    })
  })

  // On one scenario: that all of them pass is for test/simulation/scenarios to say.
  test("every command of the table is taken", async () => {
    const commands = [...scenarios.matchAll(/^\| `npx curbline (.*?)`/gm)].map((found) => found[1] ?? "")
    expect(commands.length).toBeGreaterThanOrEqual(9)
    const record = fileWith("out.ndjson", "")
    for (const command of commands) {
      if (command.includes("--watch")) continue // Its own test is in test/cli.
      const names: Readonly<Record<string, string>> = {
        "out.ndjson": record,
        "out.xml": fileWith("out.xml", ""),
        "out.html": fileWith("out.html", ""),
        ...(/--tag|--grep/.test(command) ? {} : { scenarios: file }),
      }
      const words = command
        .split(" ")
        // The first scenario has no tags.
        .map((word) => names[word] ?? word)
      expect([command, await curblineHere(...words)]).toMatchObject([command, { status: 0 }])
    }
  })

  test("every scenario that once failed is listed with the others of its folder", () => {
    const seeds = join(ROOT, "scenarios/seeds")
    const list = read("scenarios/seeds/README.md")
    const listed = [...list.matchAll(/^- \[.*?\]\((.*?)\): /gm)].map((found) => found[1])
    expect(listed).toEqual(
      readdirSync(seeds)
        .filter((name) => name !== "README.md")
        .toSorted(),
    )
  })
})

describe("the manual of couriers for agents", () => {
  test("its file of stores is one, and its table names every column", () => {
    const [csv = ""] = blocks(couriers, "csv")
    expect(storesIn(csv)).toMatchObject({ type: "stores", stores: [{ storeId: "store_soup" }] })
    expect(csv.split("\n")[0]).toBe(STORE_COLUMNS.join(","))
    const rows = [...couriers.matchAll(/^\| ((?:`[a-z_]+`(?:, )?)+) +\|/gm)].map(([, names = ""]) => names)
    const named = rows.flatMap((names) => [...names.matchAll(/`([a-z_]+)`/g)].map(([, name = ""]) => name))
    expect(STORE_COLUMNS.filter((column) => !named.includes(column))).toEqual([])
  })

  test("every command about the connector that it names is there", async () => {
    for (const noun of ["phones", "connector", "stores", "errands", "vehicles"]) {
      const { out } = await curblineHere(noun, "--help")
      const [commands = ""] = out.split("\nExamples:")
      const there = [...commands.matchAll(/^ {2}([a-z-]+) .*/gm)].map(([, name = ""]) => name)
      const listed = new RegExp(`\`${noun}\` has ([^.;:]*)`).exec(couriers)?.[1] ?? ""
      const shown = [...couriers.matchAll(new RegExp(`npx curbline ${noun} ([a-z-]+)`, "g"))]
      const named = [...listed.matchAll(/`([a-z-]+)`/g), ...shown].map(([, name = ""]) => name)
      expect([noun, named.length > 0]).toEqual([noun, true])
      expect(there).toEqual(expect.arrayContaining(named))
      if (listed !== "") expect(new Set(named)).toEqual(new Set(there.filter((name) => name !== "help")))
    }
  })
})

describe("what the READMEs promise", () => {
  test("the inspector of the running service is where it says, and its setting and command are there", async () => {
    expect(inspector).toContain("`/inspect` of the sandbox host")
    expect((await curblineHere("config")).out).toContain("CURBLINE_PRODUCTION_INSPECTOR")
    expect((await curblineHere("operators", "--help")).out).toMatch(/^ {2}create /m)
    const filters = [
      "kind",
      "order",
      "organization",
      "event",
      "id",
      "state",
      "stuck",
      "late",
      "pending",
      "settled",
    ]
    const nothing = { groups: [], nextBefore: null, counts: [], states: [], nowMs: 0 }
    const page = listPage(OPERATOR, filterIn({}), nothing, WORDS).body.html
    for (const name of filters) expect(page).toContain(`name="${name}"`)
  })

  test("the README is a door: short, and each of its five doors has one command and one way on", () => {
    expect(readme.split("\n").length).toBeLessThanOrEqual(170)
    const [, doors = ""] = /\n## Five doors\n(.*?)\n## /s.exec(readme) ?? []
    const each = doors.split(/^### /m).slice(1)
    expect(each).toHaveLength(5)
    for (const door of each) {
      expect(blocks(door, "sh")).toHaveLength(1)
      expect(door).toMatch(/\]\([^)]+[.]md\)/)
    }
  })

  test("the changelog is read before an upgrade: each release has at most 10,000 bytes", () => {
    const releases = read("CHANGELOG.md").split(/^## /m).slice(1)
    expect(releases.map((one) => one.split("\n")[0])).toContain("0.1.0")
    const long = releases.filter((one) => Buffer.byteLength(`## ${one}`) > 10_000)
    expect(long.map((one) => one.split("\n")[0])).toEqual([])
  })

  test.each(Object.entries(MANUALS))("every link of %s leads to a file", (path, text) => {
    const links = [...text.matchAll(/\]\(([^)#\s]+)(?:#[^)]*)?\)/g)].map((found) => found[1] ?? "")
    const pictures = [...text.matchAll(/(?:src|srcset)="([^"]+)"/g)].map((found) => found[1] ?? "")
    const missing = [...links, ...pictures]
      .filter((link) => !link.includes("://"))
      .filter((link) => {
        const target = join(ROOT, dirname(path), link)
        return (
          !existsSync(target) || (statSync(target).isDirectory() && !existsSync(join(target, "README.md")))
        )
      })
    expect(missing).toEqual([])
  })

  test("every command and flag that they name is one of the program", async () => {
    const named = Object.entries(MANUALS).flatMap(([path, text]) =>
      commandsIn(text).map((words) => ({ path, words })),
    )
    expect(named.length).toBeGreaterThan(50)
    const wrong: string[] = []
    for (const { path, words } of named) {
      const problem = await problemOf(words)
      if (problem !== null) wrong.push(`${path}: npx curbline ${words.join(" ")}: ${problem}`)
    }
    expect(wrong).toEqual([])
  })

  test("the table of management commands has every noun's verbs", async () => {
    const table = read("src/cli/README.md").matchAll(
      /^\| `([a-z-]+)` +\| [^|]+ \| ((?:`[a-z-]+`(?:, )?)+) +\|$/gm,
    )
    const nouns = [...table].map(([, noun = "", verbs = ""]) => ({
      noun,
      verbs: [...verbs.matchAll(/`([a-z-]+)`/g)],
    }))
    expect(nouns.length).toBe(15)
    for (const { noun, verbs } of nouns) {
      const { out } = await curblineHere(noun, "--help")
      const there = [...out.matchAll(/^ {2}([a-z-]+) (?:\[|<| ).*/gm)].map(([, name = ""]) => name)
      const named = verbs.map(([, verb = ""]) => verb)
      expect([noun, named.toSorted()]).toEqual([noun, there.filter((name) => name !== "help").toSorted()])
    }
  })

  test.each([
    ["npx curbline dance", "no command dance"],
    ["npx curbline orgs invent --name x", "no verb invent"],
    ["npx curbline orgs create --nmae x", "no option --nmae"],
    ["npx curbline fleet work --threads 4 --fast", "no option --fast"],
    ["npx curbline sites create \\\n  --no-such-thing", "no option --no-such-thing"],
  ])("a wrong command is found: %j", async (text, problem) => {
    expect(await Promise.all(commandsIn(text).map(problemOf))).toEqual([problem])
  })

  test("the first command is npm start, which is the service", () => {
    expect(blocks(readme, "sh")[0]).toBe("npm ci && npm start\n")
    const { scripts } = JSON.parse(read("package.json"))
    expect(scripts.start).toBe("node src/cli/curbline.js serve")
  })

  test("the settings that src/README.md tells are those of the program, and its help names the list", async () => {
    const table = (text: string): readonly string[] =>
      text
        .split("\n")
        .filter((line) => line.startsWith("|"))
        .map((line) => line.replace(/\s+/g, " ").replace(/-{3,}/g, "---"))
    const known = table((await curblineHere("config", "--table")).out)
    const src = read("src/README.md")
    expect(known.length).toBeGreaterThan(15)
    expect(table(src.slice(src.indexOf("## Settings")))).toEqual(known)
    const { out: config } = await curblineHere("config")
    for (const name of ["CURBLINE_SECRET", "DATABASE_URL"]) expect(config).toContain(name)
    expect((await curblineHere("serve", "--help")).out).toContain("curbline config")
  })

  test("the scripts that they name exist", () => {
    const { scripts } = JSON.parse(read("package.json"))
    const named = Object.values(MANUALS).flatMap((text) => [...text.matchAll(/npm run ([\w:-]+)/g)])
    expect(new Set(named.map(([, name]) => name)).difference(new Set(Object.keys(scripts)))).toEqual(
      new Set(),
    )
  })
})

describe("the decisions", () => {
  const decisions = read("src/DECISIONS.md")
  const sections = [...decisions.matchAll(/^## (\d+)[.] (.+)\n([^]*?)(?=^## |(?![^]))/gm)].map(
    ([, number, title = "", text = ""]) => ({ number: Number(number), title, text }),
  )
  const made = sections.map(({ number }) => number)
  const included = sections.flatMap(({ text }) =>
    [...(/^Includes ([\d, ]+)[.]$/m.exec(text)?.[1]?.matchAll(/\d+/g) ?? [])].map(Number),
  )
  const known: ReadonlySet<number> = new Set([...made, ...included])

  test("a small team can hold them: at most 80, and 70,000 bytes", () => {
    expect(made.length).toBeGreaterThan(20)
    expect(made.length).toBeLessThanOrEqual(80)
    expect(Buffer.byteLength(decisions)).toBeLessThanOrEqual(70_000)
  })

  test("their numbers ascend, and a number that went into a section stands once", () => {
    expect(made).toEqual([...new Set(made)].toSorted((one, other) => one - other))
    expect(known.size).toBe(made.length + included.length)
  })

  test("each stands once in the list by subject, with its title", () => {
    const listed = [...decisions.matchAll(/^- (\d+) (.+)$/gm)]
      .map(([, number, title]) => ({ number: Number(number), title }))
      .toSorted((one, other) => one.number - other.number)
    expect(listed).toEqual(sections.map(({ number, title }) => ({ number, title })))
  })

  test("each says what would reverse it", () => {
    const bare = sections.filter(({ text }) => !/\bReversed\b|Way out/.test(text))
    expect(bare.map(({ number }) => number)).toEqual([])
  })

  test("every file that they name ends a path", () => {
    const paths = [...["src", "machines", "test"].flatMap(textsIn), ...readdirSync(ROOT)]
    const named = [...decisions.matchAll(/`([\w./-]+[.](?:tsx?|m?js|md))`/g)].map(([, name = ""]) => name)
    expect(named.length).toBeGreaterThan(30)
    expect(named.filter((name) => !paths.some((path) => `/${path}`.endsWith(`/${name}`)))).toEqual([])
  })

  test("every runtime dependency has one row, and no row is left over", () => {
    const { dependencies } = JSON.parse(read("package.json"))
    const table = sections.find(({ title }) => title === "Runtime dependencies")?.text ?? ""
    const rows = [...table.matchAll(/^\| ([^\s-]\S*) +\|/gm)].map(([, name]) => name)
    expect(new Set(rows)).toEqual(new Set(["Package", ...Object.keys(dependencies)]))
    expect(rows).toHaveLength(Object.keys(dependencies).length + 1)
  })

  test("every reference to one names a section, or a number that went into a section", () => {
    const texts = ["src", "machines", "test", "scenarios"].flatMap(textsIn)
    const top = readdirSync(ROOT).filter((path) => path.endsWith(".md"))
    const references = [...texts, ...top].flatMap((path) =>
      citedIn(read(path)).map((number) => ({ path, number })),
    )
    expect(references.length).toBeGreaterThan(50)
    expect(references.filter(({ number }) => !known.has(number))).toEqual([])
    const own = [...decisions.matchAll(/§(\d+)/g)].map(([, number]) => Number(number))
    expect(own.filter((number) => !known.has(number))).toEqual([])
  })

  test.each([
    ["the rule is ours (src/DECISIONS.md §%).", [901]],
    ["long-standing defects (src/DECISIONS.md\n * §%, §%)", [901, 902]],
    ["ours, with decisions % and %", [901, 902]],
    ["the first seeds ([decision %](../../DECISIONS.md))", [901]],
    ["Source: spec reservations §3; RFC 9110 §9.3.5", []],
  ])("a reference is found: %s", (text, numbers) => {
    let next = 901
    expect(citedIn(text.replaceAll("%", () => String(next++)))).toEqual(numbers)
  })
})

/** Texts that people write, below a folder. */
function textsIn(folder: string): string[] {
  return readdirSync(join(ROOT, folder), { recursive: true, encoding: "utf8" })
    .map((path) => `${folder}/${path}`)
    .filter((path) => /[.](?:tsx?|js|md|ya?ml|sql)$/.test(path) && !/[/](?:dist|built)[/]/.test(path))
    .filter((path) => path !== "src/DECISIONS.md")
}

/** The numbers of the decisions that a text cites; a contract's or a standard's sections are none. */
function citedIn(text: string): number[] {
  return [
    ...text.matchAll(/(?:\bDECISIONS(?:[.]md)?\)?[\s*,]*§?|\bdecisions? )(\d+(?:(?:,| and| to) §?\d+)*)/g),
  ]
    .flatMap(([, list = ""]) => [...list.matchAll(/\d+/g)])
    .map(Number)
}

/** The command lines of a text's code, without `npx curbline`. Lines that end with a backslash go on. */
function commandsIn(text: string): string[][] {
  const joined = text.replace(/\s*\\\n\s*/g, " ")
  return [...joined.matchAll(/npx curbline((?: (?!&&|#|\|)[^\s`)]+)+)/g)].map(([, words = ""]) =>
    words.trim().split(" "),
  )
}

/** Help texts by command, so that each is printed only once. */
const helps = new Map<string, Promise<string>>()

/** The help of a command, or of a verb of it; an unknown one has no help of its own. */
function helpOf(words: readonly string[]): Promise<string> {
  const key = words.join(" ")
  const known = helps.get(key) ?? curblineHere(...words, "--help").then(({ out }) => out)
  helps.set(key, known)
  return known
}

/** What a named command has that the program has not, or null. */
async function problemOf(words: readonly string[]): Promise<string | null> {
  const [noun = "", verb = ""] = words
  const top = await helpOf([])
  if (noun.startsWith("-")) return top.includes(noun) ? null : `no option ${noun}`
  if (!new RegExp(`^ {2}${noun}\\b`, "m").test(top)) return `no command ${noun}`
  let help = await helpOf([noun])
  const verbs = /^Commands:\n(.*)/ms.exec(help)?.[1] ?? ""
  if (new RegExp(`^ {2}${verb}\\b`, "m").test(verbs) && verb !== "") help = await helpOf([noun, verb])
  else if (verbs !== "" && noun !== "fleet" && !verb.startsWith("-")) return `no verb ${verb}`
  const flags = words.filter((word) => word.startsWith("--")).map((word) => word.replace(/=.*/, ""))
  const missing = flags.filter((flag) => !new RegExp(`${flag}(?![\\w-])`).test(help))
  return missing.length === 0 ? null : `no option ${missing.join(", ")}`
}
