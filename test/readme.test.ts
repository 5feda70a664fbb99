import { readFileSync, readdirSync } from "node:fs"
import { describe, expect, test } from "vitest"
import { filterIn, listPage } from "../src/http/inspector/list-page.ts"
import { STORE_COLUMNS, storesIn } from "../src/services/courier/store-file.ts"
import { curbline, fileWith } from "./cli/command-line.ts"
import { curblineHere } from "./cli/same-process.ts"

const OPERATOR = {
  environment: "sandbox",
  operatorTokenId: "token_1",
  label: "on call",
  formKey: "key",
} as const

const readme = readFileSync(new URL("../README.md", import.meta.url), "utf8")

/** Code blocks of one language, in order. */
function blocks(language: string): string[] {
  return [...readme.matchAll(new RegExp(`\`\`\`${language}\\n(.*?)\`\`\``, "gs"))].map(
    (found) => found[1] ?? "",
  )
}

describe("what the README promises", () => {
  const [first = ""] = blocks("yaml")
  const file = fileWith("my-first.yaml", first)

  test("the first scenario checks, runs and explains", () => {
    const commands = (blocks("sh").find((block) => block.includes("my-first.yaml")) ?? "").trim().split("\n")
    expect(commands).toHaveLength(3)
    for (const command of commands) {
      const words = command.replace("my-first.yaml", file).split(" ")
      expect(words.slice(0, 2)).toEqual(["npx", "curbline"])
      expect(curbline(...words.slice(2))).toMatchObject({ status: 0, err: "" })
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

  // On one scenario: that all of them pass is for test/scenarios to say.
  test("every command of the table is taken", async () => {
    const commands = [...readme.matchAll(/^\| `npx curbline (.*?)`/gm)].map((found) => found[1] ?? "")
    expect(commands.length).toBeGreaterThanOrEqual(7)
    const record = fileWith("out.ndjson", "")
    for (const command of commands) {
      if (command.includes("--watch")) continue // Its own test is in test/cli.
      const names: Readonly<Record<string, string>> = {
        "out.ndjson": record,
        ...(command.includes("--tag") ? {} : { scenarios: file }),
      }
      const words = command
        .split(" ")
        // The first scenario has no tags.
        .map((word) => names[word] ?? word)
      expect([command, await curblineHere(...words)]).toMatchObject([command, { status: 0 }])
    }
  })

  test("its file of stores is one, and its table names every column", () => {
    const [csv = ""] = blocks("csv")
    expect(storesIn(csv)).toMatchObject({ type: "stores", stores: [{ storeId: "store_soup" }] })
    expect(csv.split("\n")[0]).toBe(STORE_COLUMNS.join(","))
    const rows = [...readme.matchAll(/^\| ((?:`[a-z_]+`(?:, )?)+) +\|/gm)].map(([, names = ""]) => names)
    const named = rows.flatMap((names) => [...names.matchAll(/`([a-z_]+)`/g)].map(([, name = ""]) => name))
    expect(STORE_COLUMNS.filter((column) => !named.includes(column))).toEqual([])
  })

  test("every command about the connector that it names is there", async () => {
    for (const noun of ["phones", "connector", "stores", "errands", "vehicles"]) {
      const { out } = await curblineHere(noun, "--help")
      const there = [...out.matchAll(/^ {2}([a-z-]+) .*/gm)].map(([, name = ""]) => name)
      const listed = new RegExp(`\`${noun}\` has ([^.;:]*)`).exec(readme)?.[1] ?? ""
      const shown = [...readme.matchAll(new RegExp(`npx curbline ${noun} ([a-z-]+)`, "g"))]
      const named = [...listed.matchAll(/`([a-z-]+)`/g), ...shown].map(([, name = ""]) => name)
      expect([noun, named.length > 0]).toEqual([noun, true])
      expect(there).toEqual(expect.arrayContaining(named))
      if (listed !== "") expect(new Set(named)).toEqual(new Set(there.filter((name) => name !== "help")))
    }
  })

  test("the inspector of the running service is where it says, and its setting and command are there", async () => {
    expect(readme).toContain("`/inspect` of the sandbox host")
    expect((await curblineHere("config")).out).toContain("CURBLINE_PRODUCTION_INSPECTOR")
    expect((await curblineHere("operators", "--help")).out).toMatch(/^ {2}create /m)
    const filters = ["kind", "state", "stuck", "late", "pending", "settled"]
    const page = listPage(OPERATOR, filterIn({}), { groups: [], nextBefore: null }).body.html
    for (const name of filters) expect(page).toContain(`name="${name}"`)
  })

  test("every file that it links to exists", () => {
    const links = [...readme.matchAll(/\]\(([^)#]+)\)/g)].map((found) => found[1] ?? "")
    expect(links.length).toBeGreaterThan(3)
    for (const link of links) {
      const isFolder = !link.includes(".")
      const target = new URL(`../${link}${isFolder ? "/README.md" : ""}`, import.meta.url)
      expect(readFileSync(target, "utf8").length).toBeGreaterThan(0)
    }
  })

  test("every scenario that once failed is listed with the others of its folder", () => {
    const seeds = new URL("../scenarios/seeds/", import.meta.url)
    const list = readFileSync(new URL("README.md", seeds), "utf8")
    const listed = [...list.matchAll(/^- \[.*?\]\((.*?)\): /gm)].map((found) => found[1])
    expect(listed).toEqual(
      readdirSync(seeds)
        .filter((name) => name !== "README.md")
        .toSorted(),
    )
  })

  test("the first command is npm start, which is the service", () => {
    expect(blocks("sh")[0]).toBe("npm ci && npm start\n")
    const { scripts } = JSON.parse(readFileSync(new URL("../package.json", import.meta.url), "utf8"))
    expect(scripts.start).toBe("node src/cli/curbline.js serve")
  })

  test("the settings that src/README.md tells are those of the program, and its help names the list", async () => {
    const table = (text: string): readonly string[] =>
      text
        .split("\n")
        .filter((line) => line.startsWith("|"))
        .map((line) => line.replace(/\s+/g, " ").replace(/-{3,}/g, "---"))
    const known = table((await curblineHere("config", "--table")).out)
    const src = readFileSync(new URL("../src/README.md", import.meta.url), "utf8")
    expect(known.length).toBeGreaterThan(15)
    expect(table(src.slice(src.indexOf("## Settings")))).toEqual(known)
    const { out: config } = await curblineHere("config")
    for (const name of ["CURBLINE_SECRET", "DATABASE_URL"]) expect(config).toContain(name)
    expect((await curblineHere("serve", "--help")).out).toContain("curbline config")
  })

  test("every runtime dependency has one row in the decisions, and no row is left over", () => {
    const { dependencies } = JSON.parse(readFileSync(new URL("../package.json", import.meta.url), "utf8"))
    const decisions = readFileSync(new URL("../src/DECISIONS.md", import.meta.url), "utf8")
    const section = decisions.slice(decisions.indexOf("## 19."), decisions.indexOf("## 20."))
    const rows = [...section.matchAll(/^\| ([^\s-]\S*) +\|/gm)].map(([, name]) => name)
    expect(new Set(rows)).toEqual(new Set(["Package", ...Object.keys(dependencies)]))
    expect(rows).toHaveLength(Object.keys(dependencies).length + 1)
  })

  test("the scripts that it names exist", () => {
    const { scripts } = JSON.parse(readFileSync(new URL("../package.json", import.meta.url), "utf8"))
    for (const [, name] of readme.matchAll(/`npm run (\w+)`/g)) expect(Object.keys(scripts)).toContain(name)
  })
})
