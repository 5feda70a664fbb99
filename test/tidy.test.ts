/**
 * Checks that the linter cannot make, on the text of the tree: leftovers, skipped tests, machine paths, words that readers
 * do not understand, and two ways around the ban on host time and input that no lint rule finds. Every finding is a
 * `file:line`.
 */

import { readdirSync, readFileSync, statSync } from "node:fs"
import { join, relative, sep } from "node:path"
import { describe, expect, test } from "vitest"

interface Rule {
  readonly name: string
  /** Which files are looked at; paths are relative to the top of the tree, with `/`. */
  readonly where: RegExp
  readonly except?: RegExp
  /** `code` leaves out comments, `comment` looks at the text of `//` comments alone. */
  readonly part: "code" | "comment" | "text"
  readonly pattern: RegExp
  readonly instead: string
  readonly catches: readonly string[]
  readonly spares: readonly string[]
}

const INSIDE =
  /^(?:machines|src\/(?:model|engine\/(?:kernel|services|memory)|apps\/composition|simulation\/(?:scenario|fork|from-journal)|simulation(?=\/[^/]+$)|(?:areas\/[\w-]+|http\/access|apps\/(?:inspector|operations|operators|portal))(?:\/(?:memory|directory|screening|people))?(?=\/[^/]+$)))\/.*\.ts$/
const SOURCE = /\.[cm]?[jt]sx?$/

const rules: readonly Rule[] = [
  {
    name: "no date is made from the host's clock inside the program",
    where: INSIDE,
    part: "code",
    pattern: /\bnew Date\s*\(\s*\)|\bnew Date\b(?!\s*\()|(?<!\bnew\s+)(?<![\w.$])Date\(|\bTemporal\.Now\b/,
    instead: "take the instant from the event or the run's clock",
    catches: ["const at = new Date()", "return new Date( )", "const at = new Date", "log(Date())"],
    spares: ["new Date(atMs).toISOString()", "Date.parse(text)", "Schema.Date", "isDate(value)"],
  },
  {
    name: "no module is loaded on demand inside the program",
    where: INSIDE,
    part: "code",
    pattern: /\b(?:import|require)\s*\(|\bcreateRequire\b/,
    instead: "import it at the top of the file, where its name is checked",
    catches: ['const fs = await import("node:fs")', 'require("node:fs")'],
    spares: ['import { hash } from "node:crypto"', "reimport(row)"],
  },
  {
    name: "nothing is left to fix",
    where: /./,
    part: "text",
    pattern: /\bFIXME\b/,
    instead: "fix it, or write a TODO with an issue's number",
    catches: ["// FIXME later"],
    spares: ["// fixed"],
  },
  {
    name: "whatever is left to do has an issue's number",
    where: /./,
    part: "text",
    pattern: /\bTODO\b(?!\s*\(?#\d)/,
    instead: "write `TODO #12: …`, or do it",
    catches: ["// TODO: later", "# TODO"],
    spares: ["// TODO #12: later", "// TODO(#12): later"],
  },
  {
    name: "no test runs alone",
    where: SOURCE,
    part: "code",
    pattern: /\b(?:describe|test|it|suite|bench)(?:\.\w+)*\.only\b/,
    instead: "remove `.only`",
    catches: ['test.only("a late runner")', 'describe.concurrent.only("stalls")'],
    spares: ["permissions.only", 'test("the only runner")'],
  },
  {
    name: "no test is skipped",
    where: SOURCE,
    part: "code",
    pattern:
      /\b(?:describe|test|it|suite|bench|context|task)(?:\.\w+)*\.(?:skip|skipIf|runIf|todo)\b|\bx(?:it|test|describe)\(/,
    instead: "make it pass, or delete it",
    catches: ['test.skip("a late runner")', 'it.todo("stalls")', "test.skipIf(isSlow)", "context.skip()"],
    spares: ["rows.skip", "exit(1)", 'test("todo")'],
  },
  {
    name: "no test replaces the environment of its process",
    where: /^test\//,
    part: "code",
    pattern: /\bprocess\.env\s*=(?!=)/,
    instead: "change it by name: the process does not read another object, and later changes are lost",
    catches: ["process.env = before"],
    spares: ['process.env["CI"] = "true"', "const before = { ...process.env }"],
  },
  {
    name: "nothing is printed outside the command",
    where: SOURCE,
    except: /^(?:src\/cli|test\/bench)\//,
    part: "code",
    pattern: /\bconsole\s*\.\s*\w+/,
    instead: "return it, or write it where the command prints",
    catches: ['console.log("here")', "console.error(cause)"],
    spares: ["consoleLayer", "the console"],
  },
  {
    name: "no code is commented out",
    where: SOURCE,
    part: "comment",
    pattern: new RegExp(
      [
        String.raw`^(?:export\s+)?(?:const|let|var)\s+[\w$\[{].*=`,
        String.raw`^(?:import|export)\b.*["'{*]`,
        String.raw`^export\s+(?:async\s+)?(?:function|class|type|interface)\b`,
        String.raw`^(?:async\s+)?function\s+\w+\(`,
        String.raw`^(?:\}\s*else\s+)?(?:if|for|while|switch)\s*\(.*\)\s*(?:\{|return\b.*|throw\b.*|continue|break)?$`,
        String.raw`^(?:return|throw|await)\s+(?:await\s+|new\s+)?[\w.$]+\(.*\)$`,
        String.raw`^(?:expect|test|it|describe)(?:\.\w+)*\(`,
        String.raw`^(?:[\w$]+\.)+[\w$]+\(.*\)$`,
        String.raw`^[)\]}]+[,;)]*$`,
        String.raw`(?:=>\s*\{|;)$`,
        String.raw`=>\s*\S+\)$`,
      ].join("|"),
    ),
    instead: "delete it; the history keeps it",
    catches: [
      "// const stall = stalls[0]",
      '// import { step } from "./step.ts"',
      "// if (stall === undefined) return",
      "// group.turns.push(turn)",
      "// return settle(group)",
      "// })",
      '// expect(stall.id).toBe("sta_1")',
    ],
    spares: [
      "// A raise without a delay has already been taken inside this macrostep.",
      "// from confirmed, `bot` sends bot.arrived first",
      "// if the order is loaded, the window's end completes it",
      "// return early: nothing is due",
      "// See transition(machine) in XState 5.33.",
      "// import direction is checked elsewhere",
    ],
  },
  {
    name: "names and comments use plain words and standard terms",
    where: /^(?:machines|src|test|scenarios)\/.*\.(?:[cm]?[jt]sx?|css|yaml|txt)$/,
    // These files have such words as data: words that READMEs must not have, and the user of a PostgreSQL server.
    except: /^test\/(?:folders\.test|engine\/store\/postgres-programs)\.ts$/,
    part: "text",
    pattern: new RegExp(
      [
        String.raw`\b[nN]obody(?![_-]home)`,
        String.raw`\b[wW]hom?ever\b`,
        "how-manieth",
        String.raw`(?<!")\bloud\b`,
        String.raw`\b(?:put off|worked out|in vain|as good as|keeps to itself)\b`,
        "putOff|PutOff|[fF]oreseen",
        String.raw`\b\w*Pen\b`,
        "worked-?[oO]ut-?[oO]nce|asked-?[tT]ogether|underWay",
      ].join("|"),
      "u",
    ),
    instead:
      "say who does what; use the standard term, such as deferred, prefetched, prepared, batched, in flight",
    catches: [
      "// Nobody waits here.",
      'test("tells nobody")',
      "/** Fails whoever would have filled it over. */",
      "sends it to whomever it concerns",
      "const isPutOff = held.isNew",
      "/** The writes that were put off. */",
      "class Foreseen extends Context.Tag",
      "export interface RecordPen {",
      'import { once } from "./worked-out-once.ts"',
      'import { together } from "./asked-together.ts"',
      "const underWay = calls.size",
      "/** The how-manieth request it was. */",
      "// It fails, and is loud about it.",
      "the third asks in vain",
    ],
    spares: [
      "nobody_home: optional(share)",
      'LOG_LEVEL: "loud"',
      "const open = true",
      "isOpen(pencil)",
      "deferred",
      "cloudy",
      "what nobler words",
    ],
  },
  {
    name: "no path of a developer's machine",
    where: /./,
    part: "text",
    pattern: /(?<![\w.:/*@-])(?:\/(?:work|root|home|tmp|Users)\/|[A-Z]:\\Users\\)/,
    instead: "use a path relative to the tree, or os.tmpdir() in a test",
    catches: ['readFile("/home/ann/run.ndjson")', "see /tmp/run.json", "cd /root/curbline"],
    spares: ["https://example.com/home/page", "src/tmp/x", "import.meta.dirname"],
  },
]

const TOP = join(import.meta.dirname, "..")
const NOT_OURS = new Set(["node_modules", ".git", ".curbline", "coverage", "dist", "package-lock.json"])
// This file spells out all that it looks for.
const SELF = "test/tidy.test.ts"

const files = filesUnder(TOP)
  .map((path) => ({ name: relative(TOP, path).split(sep).join("/"), text: readFileSync(path, "utf8") }))
  .filter(({ name, text }) => name !== SELF && !text.includes("\0"))

describe("the tree is tidy", () => {
  test("there are files to look at", () => {
    expect(files.map(({ name }) => name)).toContain("package.json")
  })

  test.each(rules)("$name", (rule) => {
    const findings = files
      .filter(({ name }) => rule.where.test(name) && rule.except?.test(name) !== true)
      .flatMap(({ name, text }) =>
        linesFound(rule, text).map(({ line, shown }) => `${name}:${line}: ${shown} (${rule.instead})`),
      )
    expect(findings).toEqual([])
  })
})

describe("the tidy rules find what they look for", () => {
  test.each(rules)("$name", (rule) => {
    expect(rule.catches.filter((line) => linesFound(rule, line).length === 0)).toEqual([])
    expect(rule.spares.filter((line) => linesFound(rule, line).length > 0)).toEqual([])
  })
})

function linesFound(rule: Rule, text: string): { readonly line: number; readonly shown: string }[] {
  return text.split("\n").flatMap((line, index) => {
    const found = partOf(line, rule.part)
    return found !== null && rule.pattern.test(found) ? [{ line: index + 1, shown: line.trim() }] : []
  })
}

/** A line as the rule reads it, or null when it has no such part. Strings that hold `//` count as code up to there. */
function partOf(line: string, part: Rule["part"]): string | null {
  const trimmed = line.trim()
  switch (part) {
    case "text":
      return line
    case "code":
      if (/^(?:\/\/|\/\*|\*)/.test(trimmed)) return null
      return line.replace(/\s\/\/\s.*$/, "")
    case "comment":
      return trimmed.startsWith("//") ? trimmed.replace(/^\/+\s*/, "") : null
  }
}

function filesUnder(folder: string): string[] {
  return readdirSync(folder)
    .filter((name) => !NOT_OURS.has(name) && !name.endsWith(".log"))
    .flatMap((name) => {
      const path = join(folder, name)
      return statSync(path).isDirectory() ? filesUnder(path) : [path]
    })
}
