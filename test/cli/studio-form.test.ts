/** The studio's form of a file: what it shows, and that a change leaves every other byte of the text alone. */

import { globSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, test } from "vitest"
import { readText } from "../../src/cli/studio/check.ts"
import { edited } from "../../src/cli/studio/form-edit.ts"
import { formOf } from "../../src/cli/studio/form.ts"
import { COMMANDS, EXPECTATIONS, FAULTS } from "../../src/simulation/scenario/language.ts"
import type { FileForm, FormValue } from "../../src/web/studio/contract.ts"
import { ROOT } from "./command-line.ts"

const LUNCH = `# a comment
scenario: "Lunch: booked"   # and another
because: It is short.
clock: 2026-03-02T11:30 America/Chicago
given: { webhooks: [{ as: partner, events: all, answers: [500, 200] }] }

steps:
  # The booking.
  - at: 11:30
    do: reservation.create
    as: lunch
    with: { window: [11:45, 12:15], order_number: "1187" }

  # The bot.
  - { at: 11:40, do: bot.report, for: lunch, with: { status: ARRIVED } } # early
  - { inject: webhook.answers, for: partner, with: { answers: [500, 200] } }
  - expect: { reservation: lunch, status: arrived, within: 5m }
  - refuse: { do: bot.report, for: lunch, with: { status: ARRIVED }, code: INVALID_STATE }
always:
  - no stall is shared without need
`

const FILE = "lunch.yaml"

function form(text: string): FileForm {
  const found = formOf(FILE, text)
  if (found === null) throw new Error("the text has no form")
  return found
}

function value(text: string, step: number, label: string): FormValue {
  const found = form(text).steps[step]?.values.find((one) => one.label === label)
  if (found === undefined) throw new Error(`step ${step} has no value ${label}`)
  return found
}

function set(text: string, at: FormValue, to: string): string | null {
  const { line, column, length, isText } = at
  return edited(FILE, text, { is: "set", line, column, length, isText, value: to })
}

describe("the form of a file", () => {
  test("has the title, the reason and the start, and names the keys that it does not show", () => {
    const { head, others } = form(LUNCH)
    expect(head.map(({ text }) => text)).toEqual([
      "Lunch: booked",
      "It is short.",
      "2026-03-02T11:30 America/Chicago",
    ])
    expect(others).toEqual(["given", "always"])
  })

  test("has each step as a sentence with its values, and names what stays as YAML", () => {
    expect(
      form(LUNCH).steps.map(({ line, values, others }) => [
        line,
        values.map(({ label, text }) => `${label}=${text}`),
        others,
      ]),
    ).toEqual([
      [9, ["at=11:30", "as=lunch", "window from=11:45", "window to=12:15", "order number=1187"], []],
      [15, ["at=11:40", "for=lunch", "status=ARRIVED"], []],
      [16, ["for=partner"], ["answers"]],
      [17, ["reservation=lunch", "status=arrived", "within=5m"], []],
      [18, ["for=lunch", "status=ARRIVED", "code=INVALID_STATE"], []],
    ])
    expect(form(LUNCH).steps[1]?.words).toBe("the bot of lunch reports ARRIVED")
    expect(value(LUNCH, 1, "status").options).toContain("SECURED")
  })

  test("is there for a file with a mistake in a step, and not for a text that is no map", () => {
    expect(form(LUNCH.replace("ARRIVED", "ARIVED")).steps[1]?.words).toBe("do bot.report")
    expect(formOf(FILE, "steps: [")).toBe(null)
    expect(formOf(FILE, "- a list")).toBe(null)
  })

  test("leaves a value over several lines as YAML", () => {
    const folded = LUNCH.replace("because: It is short.", "because: >\n  It is\n  short.").replace(
      '"1187"',
      '"11\n      87"',
    )
    expect(readText(FILE, folded).problems).toEqual([])
    expect(form(folded).head.map(({ label }) => label)).not.toContain("Why it matters")
    expect(form(folded).steps[0]?.others).toEqual(["order_number"])
  })
})

describe("a change", () => {
  test.each([
    [1, "status", "DEPARTED", "with: { status: DEPARTED } } # early"],
    [1, "at", "11:41:30", "- { at: 11:41:30, do:"],
    [0, "window to", "12:20", "window: [11:45, 12:20], order"],
    [0, "order number", 'A "7", b: c', String.raw`order_number: "A \"7\", b: c" }`],
    [0, "order number", "true", 'order_number: "true" }'],
    [3, "within", "7m", "within: 7m }"],
  ])("of step %i, %s to %s replaces that value alone", (step, label, to, part) => {
    const at = value(LUNCH, step, label)
    const text = set(LUNCH, at, to) ?? ""
    expect(text).toContain(part)
    const lines = LUNCH.split("\n")
    expect(text.split("\n").filter((line, index) => line !== lines[index])).toHaveLength(1)
    expect(value(text, step, label).text).toBe(to)
    expect(set(text, value(text, step, label), at.text)?.replaceAll('"', "")).toBe(LUNCH.replaceAll('"', ""))
  })

  test("of the title keeps the comment behind it", () => {
    const [title] = form(LUNCH).head
    const text = title === undefined ? null : set(LUNCH, title, "Dinner is booked")
    expect(text).toBe(LUNCH.replace('"Lunch: booked"', "Dinner is booked"))
  })

  test("that removes a step leaves comments and other steps alone", () => {
    expect(edited(FILE, LUNCH, { is: "remove", line: 9 })).toBe(
      LUNCH.replace(/ {2}- at: 11:30[^]*?"1187" \}\n/, ""),
    )
    expect(edited(FILE, LUNCH, { is: "remove", line: 18 })).toBe(LUNCH.replace(/ {2}- refuse.*\n/, ""))
    expect(edited(FILE, LUNCH, { is: "remove", line: 8 })).toBe(null)
  })

  test("keeps line ends of Windows", () => {
    const text = LUNCH.replaceAll("\n", "\r\n")
    const added = edited(FILE, text, { is: "add", word: "runner.assign" }) ?? ""
    expect(added.replaceAll("\r\n", "")).not.toMatch(/[\r\n]/)
    expect(readText(FILE, added).problems).toEqual([])
    expect(set(text, value(text, 3, "within"), "9m")).toBe(text.replace("within: 5m", "within: 9m"))
  })

  test("that a place of the text does not have is refused", () => {
    const at = { ...value(LUNCH, 1, "status"), line: 99 }
    expect(set(LUNCH, at, "x")).toBe(null)
    expect(edited(FILE, LUNCH, { is: "add", word: "no.such_word" })).toBe(null)
    expect(edited(FILE, "steps: [{ wait: 5m }, { wait: 6m }]", { is: "remove", line: 1 })).toBe(null)
  })

  test("that adds a step puts it behind the last, whatever its word", () => {
    for (const word of [...Object.keys(COMMANDS), ...Object.keys(EXPECTATIONS), ...Object.keys(FAULTS)]) {
      const text = edited(FILE, LUNCH, { is: "add", word }) ?? ""
      const lines = text.split("\n")
      expect([word, form(text).steps.length]).toEqual([word, 6])
      expect(lines.filter((_, index) => index !== 18).join("\n")).toBe(LUNCH)
      expect(lines[18]).toContain(word)
    }
  })
})

test("every value of every scenario of the project can be set to itself, and the file means the same", () => {
  const files = globSync("scenarios/{reservations,courier,direct-delivery}/*.yaml", { cwd: ROOT })
  expect(files.length).toBeGreaterThan(100)
  const meaning = (text: string): string =>
    JSON.stringify(readText(FILE, text).scenarios, (key, one: unknown) => (key === "place" ? undefined : one))
  for (const file of files) {
    const text = readFileSync(join(ROOT, file), "utf8")
    const all = form(text)
    // From the end on, so that the places before stay where they are.
    const values = [...all.head, ...all.steps.flatMap((step) => step.values)].toSorted(
      (a, b) => b.line - a.line || b.column - a.column,
    )
    let changed = text
    for (const one of values) {
      changed = set(changed, one, one.text) ?? `the value ${one.label} of ${file} cannot be set`
    }
    expect([file, meaning(changed)]).toEqual([file, meaning(text)])
  }
})
