/**
 * The index in test/README.md: every number in its tables occurs in the name of a test, and every number in a name
 * occurs there.
 */

import { readFileSync, readdirSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, test } from "vitest"

const LATER = "with the HTTP surface"
const SELF = "index.test.ts"

const rows = readFileSync(join(import.meta.dirname, "README.md"), "utf8")
  .split("\n")
  .flatMap((line) => {
    const [, number, rule] = /^\| ([A-Z]{1,2}\d+) +\| (.*?) +\|$/.exec(line) ?? []
    return number === undefined || rule === undefined ? [] : [{ number, rule }]
  })
const families = [...new Set(rows.map(({ number }) => number.replace(/\d+/, "")))].join("|")
const named = new Set(
  readdirSync(import.meta.dirname, { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".ts") && name !== SELF)
    .flatMap((name) => numbersIn(readFileSync(join(import.meta.dirname, name), "utf8"))),
)

describe("the index of the tests", () => {
  test("has no number twice, and each with its rule", () => {
    const numbers = rows.map(({ number }) => number)
    expect(numbers.length).toBeGreaterThan(150)
    expect(numbers.filter((number, at) => numbers.indexOf(number) !== at)).toEqual([])
    expect(rows.filter(({ rule }) => rule === "")).toEqual([])
  })

  test("every number in it stands in the name of a test", () => {
    const missing = rows.filter(({ number, rule }) => !rule.startsWith(LATER) && !named.has(number))
    expect(missing.map(({ number }) => number)).toEqual([])
  })

  test("every number in the name of a test stands in it", () => {
    const known = new Set(rows.map(({ number }) => number))
    expect([...named].filter((number) => !known.has(number)).toSorted()).toEqual([])
  })

  // Each is in the table, so the test above requires a test of its name.
  test.each([
    ["A", 39],
    ["B", 9],
    ["CC", 5],
    ["CK", 13],
    ["CR", 14],
    ["M", 13],
    ["N", 11],
    ["PM", 7],
    ["PW", 14],
    ["Q", 29],
  ])("the choices %s1 to %i are in it, every one", (family, last) => {
    const wanted = Array.from({ length: last }, (_, at) => `${family}${at + 1}`)
    expect(rows.map(({ number }) => number).filter((number) => number.replace(/\d+/, "") === family)).toEqual(
      wanted,
    )
  })

  test("a number waits for the HTTP surface only as long as no test has it", () => {
    const early = rows.filter(({ number, rule }) => rule.startsWith(LATER) && named.has(number))
    expect(early.map(({ number }) => number)).toEqual([])
  })
})

describe("a number in a name", () => {
  test.each([
    ['test("V7: a moved window counts", async () => {', "V7"],
    ['  "T2 %s leaves it",', "T2"],
    ['    row: "H31",', "H31"],
    ['test("CR6 and CK7: a slot", () => {', "CR6 CK7"],
    ['test("XCR6: of no family", () => {', ""],
    ['test("O1 and O2: one POST", () => {', "O1 O2"],
    ['test("it answers (T3, X11)", () => {', "T3 X11"],
    ['stall_id: "V7"', ""],
    ["// V7: a comment", ""],
    ['test("a name of 4.3", () => {', ""],
  ])("%s", (line, found) => {
    expect(numbersIn(line).join(" ")).toBe(found)
  })
})

/** Numbers at the beginning of a quoted text, in its brackets, or alone as the number of a row. */
function numbersIn(text: string): readonly string[] {
  const family = `(?:${families})\\d{1,2}`
  const head = new RegExp(`^${family}(?: and ${family})*(?=:| )`)
  const inside = new RegExp(`(?<=\\(|, |; )${family}(?=[,):])`, "g")
  const row = new RegExp(`(?:row: |\\[|, )"(${family})"`, "g")
  return text.split("\n").flatMap((line) => {
    if (/^\s*(?:\/\/|\*|\/\*)/.test(line)) return []
    const texts = [...line.matchAll(/(["`])((?:\\.|(?!\1).)*)\1/g)].map((match) => match[2] ?? "")
    const heads = texts.flatMap((one) => head.exec(one)?.[0].split(" and ") ?? [])
    const insides = texts.flatMap((one) => one.match(inside) ?? [])
    return [...heads, ...insides, ...[...line.matchAll(row)].map((match) => match[1] ?? "")]
  })
}
