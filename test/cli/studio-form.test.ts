/** The studio's form of a file: what it shows, and that a change leaves every other byte of the text alone. */

import { globSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, test } from "vitest"
import { readText } from "../../src/cli/studio/check.ts"
import { edited } from "../../src/cli/studio/form-edit.ts"
import { formOf } from "../../src/cli/studio/form.ts"
import { COMMANDS, EXPECTATIONS, FAULTS } from "../../src/simulation/scenario/language/language.ts"
import type { AddStep, FileForm, FormValue } from "../../src/pages/web/studio/form/form-contract.ts"
import { stepWords } from "../../src/cli/studio/new-step.ts"
import { runScenario } from "../../src/simulation/scenario/run.ts"
import { FormShapes, changeFor } from "../../src/pages/web/studio/form/form-changes.ts"
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
  const { line, column, length, kind } = at
  return edited(FILE, text, { is: "set", line, column, length, kind, value: to })
}

/** A step with the first names that are known at its place. */
function newStep(text: string, verb: string, word: string, more: Partial<AddStep> = {}): AddStep {
  const { names, steps } = form(text)
  const at = more.at ?? steps.length
  const { needs = [] } = stepWords().words.find((one) => one.word === word && one.verbs.includes(verb)) ?? {}
  const chosen = needs.map(({ key, kind }) => [
    key,
    names.find((one) => one.kind === kind && one.from <= at)?.name ?? "",
  ])
  const code = verb === "refuse" ? "INVALID_STATE" : ""
  return { is: "add", at, verb, word, names: Object.fromEntries(chosen), value: code, ...more }
}

function problems(text: string | null): readonly string[] {
  return readText(FILE, text ?? "the change was refused").problems.map(({ message }) => message)
}

describe("a file with a mistake", () => {
  const titles = (text: string): readonly string[] => form(text).steps.map(({ words }) => words)

  test("keeps the sentences of all steps but the wrong one", () => {
    const wrong = LUNCH.replace(
      "do: bot.report, for: lunch, with: { status: ARRIVED } }",
      "do: bot.repot, for: lunch }",
    )
    expect(titles(LUNCH)).toHaveLength(5)
    expect(titles(wrong)).toEqual(titles(LUNCH).with(1, "do bot.repot"))
  })

  test.each([
    ["its head", LUNCH.replace("clock: 2026", "clok: 2026")],
    ["what is there before", LUNCH.replace("events: all", "events: al")],
    ["what holds always", LUNCH.replace("no stall is shared", "no stall is shard")],
  ])("keeps the sentences of all steps when it is in %s", (_, wrong) => {
    expect(readText(FILE, wrong).problems).toHaveLength(1)
    expect(titles(wrong)).toEqual(titles(LUNCH))
  })
})

describe("the form of a file", () => {
  test("has the title, the reason and the start, and names the keys that it does not show", () => {
    const { head, others } = form(LUNCH)
    expect(head.map(({ text }) => text)).toEqual([
      "Lunch: booked",
      "It is short.",
      "2026-03-02T11:30 America/Chicago",
    ])
    expect(others).toEqual(["always"])
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
      [16, ["for=partner", "answers=500, 200"], []],
      [17, ["reservation=lunch", "status=arrived", "within=5m"], []],
      [18, ["for=lunch", "code=INVALID_STATE", "status=ARRIVED"], []],
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
    expect(edited(FILE, LUNCH, { is: "remove", path: ["steps", 0] })).toBe(
      LUNCH.replace(/ {2}- at: 11:30[^]*?"1187" \}\n/, ""),
    )
    expect(edited(FILE, LUNCH, { is: "remove", path: ["steps", 4] })).toBe(
      LUNCH.replace(/ {2}- refuse.*\n/, ""),
    )
    expect(edited(FILE, LUNCH, { is: "remove", path: ["steps", 5] })).toBe(null)
    expect(edited(FILE, "steps:\n  - wait: 5m\n", { is: "remove", path: ["steps", 0] })).toBe(null)
  })

  test("keeps line ends of Windows", () => {
    const text = LUNCH.replaceAll("\n", "\r\n")
    const added = edited(FILE, text, newStep(text, "do", "runner.assign")) ?? ""
    expect(added.replaceAll("\r\n", "")).not.toMatch(/[\r\n]/)
    expect(problems(added)).toEqual([])
    expect(edited(FILE, added, { is: "remove", path: ["steps", 5] })).toBe(text)
    expect(set(text, value(text, 3, "within"), "9m")).toBe(text.replace("within: 5m", "within: 9m"))
  })

  test("that a place of the text does not have is refused", () => {
    const at = { ...value(LUNCH, 1, "status"), line: 99 }
    expect(set(LUNCH, at, "x")).toBe(null)
    expect(() => edited(FILE, LUNCH, newStep(LUNCH, "do", "no.such_word"))).toThrow("there is no step do")
    expect(edited(FILE, LUNCH, { is: "move", at: 4, to: 5 })).toBe(null)
    expect(edited(FILE, LUNCH, { is: "move", at: 0, to: 2 })).toBe(null)
  })
})

const EVERYTHING = `scenario: One of each
because: Steps can refer to it.
clock: 2026-03-02T11:30 America/Chicago
environment: sandbox
given:
  partners: [{ as: rival }]
  runners: [{ as: ana }]
  webhooks: [{ as: partner }]
  vehicles: [{ as: van }]
steps:
  - { do: reservation.create, as: visit, with: { window: [11:45, 12:15] } }
  - { do: delivery.quote, as: parcel }
  - { do: errand.check, as: meal }
`

describe("a new step", () => {
  test("is about a name that the file has at that place, whatever it is called", () => {
    const visit = LUNCH.replaceAll(/\blunch\b/g, "visit")
    const text = edited(FILE, visit, newStep(visit, "do", "runner.assign", { at: 1 }))
    expect(text).toBe(visit.replace('"1187" }\n', '"1187" }\n  - { do: runner.assign, for: visit }\n'))
    expect(problems(text)).toEqual([])
    expect(form(visit).names).toEqual([
      { name: "partner", kind: "webhook", from: 0 },
      { name: "visit", kind: "reservation", from: 1 },
    ])
  })

  test("that nothing was named for says what has to be made first", () => {
    expect(() => edited(FILE, LUNCH, newStep(LUNCH, "do", "runner.assign", { at: 0 }))).toThrow(
      "runner.assign needs the name of a reservation, and none was chosen; there must be a step before this place with reservation.create",
    )
    const names = { for: "partner" }
    expect(() => edited(FILE, LUNCH, newStep(LUNCH, "do", "runner.assign", { names }))).toThrow(
      '"partner" is none before this step',
    )
  })

  test("gives a name that is free", () => {
    const text = edited(FILE, LUNCH, newStep(LUNCH, "do", "reservation.create")) ?? ""
    expect(text).toContain("  - { do: reservation.create, as: lunch-2, with: { window: [+15m, +45m] } }\n")
    expect(problems(text)).toEqual([])
  })

  test("stands at any place, and comments stay where they are", () => {
    const { steps } = form(LUNCH)
    for (const at of [...steps.keys(), steps.length]) {
      const text = edited(FILE, LUNCH, newStep(LUNCH, "wait", "", { at, value: "5s" })) ?? ""
      expect(text.replace("  - wait: 5s\n", "")).toBe(LUNCH)
      expect(form(text).steps[at]?.values.map((one) => one.text)).toEqual(["5s"])
    }
  })

  test("of every word reads without a mistake with each of its verbs", () => {
    expect(problems(EVERYTHING)).toEqual([])
    const { words } = stepWords()
    const all = words.flatMap(({ word, verbs }) => verbs.map((verb) => [verb, word] as const))
    expect(new Set(words.map(({ word }) => word))).toEqual(
      new Set([COMMANDS, EXPECTATIONS, FAULTS].flatMap((table) => Object.keys(table))),
    )
    for (const [verb, word] of all) {
      const text = edited(FILE, EVERYTHING, newStep(EVERYTHING, verb, word))
      expect([verb, word, problems(text)]).toEqual([verb, word, []])
    }
    expect(new Set(all.map(([verb]) => verb))).toEqual(
      new Set(["do", "refuse", "inject", "expect", "never", "at_most"]),
    )
  })

  test("of a fragment has a value for each parameter", () => {
    const file = join(ROOT, "scenarios/reservations/with-fragment.yaml")
    const text = LUNCH.replace("steps:", "uses: [../fragments/runner.yaml]\nsteps:")
    const [fragment] = formOf(file, text)?.fragments ?? []
    if (fragment === undefined) throw new Error("the file of fragments has none")
    const values = fragment.parameters.map((name) => [name, "lunch"])
    const add = newStep(LUNCH, "use", fragment.name, { at: 1, names: Object.fromEntries(values) })
    const changed = edited(file, text, add) ?? ""
    expect(changed).toContain(`  - { use: ${fragment.name}, with: { ${fragment.parameters[0]}: lunch`)
    expect(formOf(file, changed)?.steps[1]?.others).toEqual([])
    expect(() => edited(file, text, { ...add, names: {} })).toThrow("needs a value for")
    expect(() => edited(FILE, LUNCH, add)).toThrow("the file uses no fragment")
  })
})

describe("a step that moves", () => {
  test("changes its place with its neighbour; the text between them stays", () => {
    const moved = edited(FILE, LUNCH, { is: "move", at: 0, to: 1 }) ?? ""
    const lines = moved.split("\n")
    expect(lines.slice(7, 16)).toEqual([
      "  # The booking.",
      "  - { at: 11:40, do: bot.report, for: lunch, with: { status: ARRIVED } } # early",
      "",
      "  # The bot.",
      "  - at: 11:30",
      "    do: reservation.create",
      "    as: lunch",
      '    with: { window: [11:45, 12:15], order_number: "1187" }',
      "  - { inject: webhook.answers, for: partner, with: { answers: [500, 200] } }",
    ])
    expect(problems(moved)).toContain('"lunch" is named only later, in line 14')
    expect(edited(FILE, moved, { is: "move", at: 1, to: 0 })).toBe(LUNCH)
  })

  test("may stand in brackets", () => {
    const text = "steps: [{ wait: 5m }, { wait: 6m }] # both\n"
    expect(edited(FILE, text, { is: "move", at: 1, to: 0 })).toBe(
      "steps: [{ wait: 6m }, { wait: 5m }] # both\n",
    )
  })
})

describe("a field of a step", () => {
  test("that is not there can be added, and removed again", () => {
    for (const [at, one] of form(LUNCH).steps.entries()) {
      expect(one.missing.length).toBeGreaterThan(0)
      for (const { path, value: start } of one.missing) {
        const text = edited(FILE, LUNCH, { is: "put", path, value: start }) ?? ""
        expect([path, form(text).steps[at]?.others]).toEqual([path, one.others])
        expect([path, edited(FILE, text, { is: "remove", path })]).toEqual([path, LUNCH])
      }
    }
  })

  test("that is the first of its map makes the map, and takes it along", () => {
    const text = "steps:\n  - do: reservation.cancel\n    for: lunch # that one\n"
    const path = ["steps", 0, "with", "reason"]
    const added = edited(FILE, text, { is: "put", path, value: "ill" }) ?? ""
    expect(added).toBe(`${text}    with: { reason: ill }\n`)
    expect(edited(FILE, added, { is: "remove", path })).toBe(text)
  })

  test("that has a comment between it and its neighbour is not removed", () => {
    const text =
      "steps:\n  - { do: reservation.cancel, # a comment\n      for: lunch, with: { reason: ill } }\n"
    expect(edited(FILE, text, { is: "remove", path: ["steps", 0, "for"] })).toBe(null)
    expect(edited(FILE, text, { is: "remove", path: ["steps", 0, "with", "reason"] })).toBe(
      "steps:\n  - { do: reservation.cancel, # a comment\n      for: lunch }\n",
    )
  })

  test("with a list is written with commas", () => {
    const answers = value(LUNCH, 2, "answers")
    expect(set(LUNCH, answers, "500, timeout, 200")).toContain("answers: [500, timeout, 200]")
    expect(set(LUNCH, answers, "503")).toContain("answers: 503 }")
    expect(set(LUNCH, answers, "{ status: 200, after: 6s }")).toContain(
      "answers: [{ status: 200, after: 6s }]",
    )
    expect(set(LUNCH, answers, "500, {")).toBe(null)
  })

  test("offers the names of its kind that are known before", () => {
    const text = edited(FILE, LUNCH, newStep(LUNCH, "do", "reservation.create")) ?? ""
    const added = edited(FILE, text, newStep(text, "do", "runner.assign")) ?? ""
    expect(value(added, 6, "for").options).toEqual(["lunch", "lunch-2"])
    expect(value(added, 1, "for").options).toEqual(["lunch"])
  })
})

describe("what is there before", () => {
  const give = (text: string, key: string): string => edited(FILE, text, { is: "give", key }) ?? ""
  const PLAIN = `scenario: Plain # a title
because: It is short.
clock: 2026-03-02T11:30 America/Chicago

# The steps.
steps:
  - { do: reservation.create, as: visit, with: { window: [11:45, 12:15] } }
`

  test("has the things of given with their values", () => {
    expect(
      form(LUNCH).given.map(({ title, line, path, values }) => [
        title,
        line,
        path,
        values.map(({ label, text }) => `${label}=${text}`),
      ]),
    ).toEqual([
      [
        "Receiver of reservation events partner",
        5,
        ["given", "webhooks", 0],
        ["as=partner", "events=all", "answers=500, 200"],
      ],
    ])
  })

  test("each can be added to a file with or without given, and removed again", () => {
    for (const text of [PLAIN, LUNCH]) {
      for (const { key } of form(text).giveable) {
        const added = give(text, key)
        expect([key, problems(added)]).toEqual([key, []])
        const before = form(text).given.map(({ path }) => path.join(" "))
        const [own] = form(added).given.filter(({ path }) => !before.includes(path.join(" ")))
        expect([key, own?.others]).toEqual([key, []])
        expect([key, edited(FILE, added, { is: "remove", path: own?.path ?? [] })]).toEqual([key, text])
        for (const { path, value: start } of own?.missing ?? []) {
          const more = edited(FILE, added, { is: "put", path, value: start })
          expect([path, problems(more)]).toEqual([path, []])
        }
      }
    }
  })

  test("offers what is a store's own only where a further site has a store", () => {
    const offered = (text: string): readonly unknown[] =>
      form(text).given.flatMap(({ missing }) => missing.map(({ path }) => path.at(-1)))
    const plain = give(PLAIN, "sites")
    expect(offered(plain)).toContain("delivers")
    expect(offered(plain)).not.toContain("store_north_m")
    const store =
      edited(FILE, plain, { is: "put", path: ["given", "sites", 0, "delivers"], value: "true" }) ?? ""
    expect(offered(store)).toContain("store_north_m")
    expect(problems(store)).toEqual([])
  })

  test("stands in lines of its own, and another one beside it", () => {
    const one = give(PLAIN, "webhooks")
    expect(one).toContain("# The steps.\ngiven:\n  webhooks: [{ as: partner }]\nsteps:\n")
    const two = give(give(one, "webhooks"), "vehicles")
    expect(two).toContain(
      "given:\n  webhooks: [{ as: partner }, { as: partner-2 }]\n  vehicles: [{ as: van }]\n",
    )
    expect(form(two).names.map(({ name }) => name)).toEqual(["partner", "partner-2", "van", "visit"])
  })

  test("can be a list in lines, whose comments stay", () => {
    const text = PLAIN.replace(
      "# The steps.",
      "given:\n  vehicles:\n    # near\n    - as: van # white\n      north_m: 10\n",
    )
    const two = give(text, "vehicles")
    expect(two).toBe(text.replace("north_m: 10\n", "north_m: 10\n    - { as: van-2 }\n"))
    const [van] = form(two).given
    expect(van?.values.map(({ label }) => label)).toEqual(["as", "north m"])
    expect(edited(FILE, two, { is: "remove", path: ["given", "vehicles", 0, "north_m"] })).toBe(
      two.replace("      north_m: 10\n", ""),
    )
    // The comment above would be lost with the list.
    expect(edited(FILE, text, { is: "remove", path: ["given", "vehicles", 0] })).toBe(null)
  })

  test("that the form does not know stays as YAML", () => {
    const text = PLAIN.replace(
      "# The steps.",
      "given: { moons: [{ as: luna }] }\nmachine_faults: [{ of: bot }]",
    )
    expect(form(text).others).toEqual(["given: moons", "machine_faults"])
    expect(give(text, "site")).toContain("given: { moons: [{ as: luna }], site: { stalls: 3 } }")
    const actor = PLAIN.replace("{ do: reservation.create,", "{ actor: bot, do: reservation.create,")
    expect(value(actor, 0, "actor").text).toBe("bot")
    expect(edited(FILE, actor, newStep(actor, "do", "reservation.read"))).toContain("{ actor: bot, do:")
  })
})

describe("a file that was made in the form alone", () => {
  test("runs and passes", () => {
    const start = `scenario: Nothing yet
because: It is made in the form.
clock: 2026-03-02T11:30 America/Chicago
steps:
  - wait: 1m
`
    let text = start
    const add = (verb: string, word: string, more: Partial<AddStep> = {}): void => {
      text = edited(FILE, text, newStep(text, verb, word, more)) ?? "the step was refused"
    }
    const put = (key: string): void => {
      const found = form(text)
        .steps.at(-1)
        ?.missing.find(({ label }) => label === key)
      if (found === undefined) throw new Error(`the last step has no field ${key} to add`)
      text =
        edited(FILE, text, { is: "put", path: found.path, value: found.value }) ?? "the field was refused"
    }
    const change = (label: string, to: string): void => {
      text = set(text, value(text, form(text).steps.length - 1, label), to) ?? "the value was refused"
    }
    text = edited(FILE, text, { is: "give", key: "webhooks" }) ?? ""
    add("do", "reservation.create", { at: 0 })
    add("do", "runner.assign")
    put("at")
    add("refuse", "runner.load")
    add("expect", "reservation")
    change("status", "confirmed")
    add("never", "exception")
    put("within")
    add("at_most", "webhook")
    change("times", "3")
    add("inject", "webhook.answers")
    add("wait", "", { value: "10m" })
    text = edited(FILE, text, { is: "move", at: 0, to: 1 }) ?? ""
    text = edited(FILE, text, { is: "move", at: 1, to: 0 }) ?? ""
    const reading = readText(FILE, text)
    expect(reading.problems).toEqual([])
    const [scenario] = reading.scenarios
    if (scenario === undefined) throw new Error("the file has no scenario")
    const { verdict, failures } = runScenario(scenario)
    expect([failures.map(({ message }) => message), verdict]).toEqual([[], "passed"])
  })
})

test("steps of the project's scenarios are moved, and fields and steps added and removed, without a trace", () => {
  const files = globSync("scenarios/{reservations,courier,direct-delivery}/*.yaml", { cwd: ROOT }).filter(
    (_, index) => index % 8 === 0,
  )
  expect(files.length).toBeGreaterThan(12)
  for (const name of files) {
    const file = join(ROOT, name)
    const text = readFileSync(file, "utf8")
    const all = formOf(file, text)
    const at = Math.floor((all?.steps.length ?? 0) / 2)
    // The only step has nowhere to go.
    if (at === 0) continue
    const moved = edited(file, text, { is: "move", at, to: at - 1 })
    expect([name, edited(file, moved ?? "", { is: "move", at: at - 1, to: at })]).toEqual([name, text])
    const added = edited(file, text, newStep(LUNCH, "wait", "", { at, value: "1s" }))
    expect([name, edited(file, added ?? "", { is: "remove", path: ["steps", at] })]).toEqual([name, text])
    for (const { path, value: start } of all?.steps[at]?.missing.slice(0, 3) ?? []) {
      const more = edited(file, text, { is: "put", path, value: start })
      expect([name, path, edited(file, more ?? "", { is: "remove", path })]).toEqual([name, path, text])
    }
  }
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

describe("the keys beside the steps", () => {
  const WHOLE = `scenario: Some rows
because: Each value counts.
tags: [reservation, bot] # both
seed: 42
clock: 2026-03-02T11:30 America/Chicago
matrix:
  - { name: short, wait: 5m, order: "1" }
  - { name: long, wait: 10m, order: "2" } # the usual one
steps:
  - { do: reservation.create, as: lunch, with: { window: [11:45, 12:15], order_number: $order } }
  - { wait: $wait }
always: [no stall is shared without need]
# Few turns.
promises: { events: "< 60" }
`
  const more = (text: string, label: string): FormValue => {
    const found = form(text).more.values.find((one) => one.label === label)
    if (found === undefined) throw new Error(`there is no value ${label}`)
    return found
  }
  const cell = (text: string, at: number, label: string): FormValue => {
    const found = form(text).rest[at]?.values.find((one) => one.label === label)
    if (found === undefined) throw new Error(`part ${at} has no value ${label}`)
    return found
  }

  test("are shown: tags, seed, invariants, rows and promises", () => {
    const { more: shown, rest, addable, others } = form(WHOLE)
    expect(problems(WHOLE)).toEqual([])
    expect(others).toEqual([])
    expect(shown.values.map(({ label, text }) => [label, text])).toEqual([
      ["tags", "reservation, bot"],
      ["seed", "42"],
      ["always", "no stall is shared without need"],
    ])
    expect(rest.map(({ title, values }) => [title, values.map(({ text }) => text)])).toEqual([
      ["Row short", ["short", "5m", "1"]],
      ["Row long", ["long", "10m", "2"]],
      ["Promises", ["< 60"]],
    ])
    expect(addable.map(({ key }) => key)).toEqual(["matrix"])
  })

  test.each([
    ["tags", "reservation, late", "tags: [reservation, late] # both"],
    ["tags", "late", "tags: [late] # both"],
    ["seed", "7", "seed: 7\n"],
  ])("%s is changed where it stands", (label, to, written) => {
    const changed = set(WHOLE, more(WHOLE, label), to) ?? ""
    expect(changed).toContain(written)
    expect(problems(changed)).toEqual([])
  })

  test("a cell keeps its quotes, and a promise gets them", () => {
    expect(set(WHOLE, cell(WHOLE, 0, "order"), "3")).toBe(WHOLE.replace('order: "1"', 'order: "3"'))
    expect(set(WHOLE, cell(WHOLE, 1, "wait"), "20m")).toBe(WHOLE.replace("wait: 10m", "wait: 20m"))
    expect(set(WHOLE, cell(WHOLE, 2, "events"), "<= 80")).toBe(WHOLE.replace('"< 60"', '"<= 80"'))
  })

  test("another row begins as the last one, and a row is removed with its line", () => {
    const added = edited(FILE, WHOLE, { is: "give", key: "matrix" }) ?? ""
    expect(added).toContain('# the usual one\n  - { name: "another row 3", wait: 10m, order: "2" }\nsteps:')
    expect(problems(added)).toEqual([])
    expect(edited(FILE, WHOLE, { is: "remove", path: ["matrix", 0] })).toBe(
      WHOLE.replace('  - { name: short, wait: 5m, order: "1" }\n', ""),
    )
  })

  test("what is missing is added at its place, and can be removed again", () => {
    const bare = WHOLE.replace("tags: [reservation, bot] # both\nseed: 42\n", "").replace(/always[^]*$/, "")
    expect(problems(bare)).toEqual([])
    for (const { path, value: start } of form(bare).more.missing) {
      const added = edited(FILE, bare, { is: "put", path, value: start }) ?? ""
      expect([path, problems(added)]).toEqual([path, []])
      expect(edited(FILE, added, { is: "remove", path })).toBe(bare)
    }
    expect(form(bare).more.missing.map(({ label }) => label)).toEqual(["tags", "seed", "always"])
    const promised = edited(FILE, bare, { is: "give", key: "promises" }) ?? ""
    expect(promised).toBe(`${bare}promises:\n  events: "< 1000"\n`)
    for (const { path, value: start } of form(promised).rest[2]?.missing ?? []) {
      const added = edited(FILE, promised, { is: "put", path, value: start }) ?? ""
      expect([path, problems(added)]).toEqual([path, []])
    }
    expect(edited(FILE, promised, { is: "remove", path: ["promises"] })).toBe(bare)
  })
})

describe("a change that was made in an earlier form", () => {
  const seen = form(LUNCH)
  const order = value(LUNCH, 0, "order number")

  test("fits a text in which another value has become longer or shorter", () => {
    const later = LUNCH.replace("[11:45, 12:15]", "[11:45:00, 12:15]").replace(
      "# a comment",
      "# a\n# comment",
    )
    const edit = changeFor(form(later), { edit: { ...order, is: "set", value: "1188" }, seen })
    expect(edit).not.toBeNull()
    expect(edit === null ? null : edited(FILE, later, edit)).toBe(later.replace('"1187"', '"1188"'))
  })

  test("is not made in a text that has other fields or steps by now", () => {
    for (const later of [
      LUNCH.replace("  # The bot.", "  - { wait: 1m }"),
      LUNCH.replace(', order_number: "1187"', ""),
      LUNCH.replace("because: It is short.\n", ""),
    ]) {
      expect(changeFor(form(later), { edit: { ...order, is: "set", value: "1188" }, seen })).toBeNull()
      expect(changeFor(form(later), { edit: { is: "remove", path: ["steps", 1] }, seen })).toBeNull()
    }
  })

  test("is in a form of the same shape only after values were set, and not after a step was moved", () => {
    const shapes = new FormShapes()
    shapes.read(seen)
    const withValue = form(LUNCH.replace('"1187"', '"1188"'))
    shapes.left(withValue, { edit: { ...order, is: "set", value: "1188" }, before: seen })
    expect(shapes.isSame(seen, withValue)).toBe(true)
    const moved = form(LUNCH)
    shapes.left(moved, { edit: { is: "move", at: 0, to: 1 }, before: withValue })
    expect(shapes.isSame(withValue, moved)).toBe(false)
    expect(shapes.isSame(moved, moved)).toBe(true)
  })
})
