import { describe, expect, test } from "vitest"
import { openFragmentFile } from "../../src/cli/fragment-files.ts"
import { languageNames } from "../../src/cli/scenario-files.ts"
import { COMMANDS, EXPECTATIONS, FAULTS, SCRIPTED_CODES } from "../../src/simulation/scenario/language.ts"
import { formatProblem } from "../../src/simulation/scenario/problems.ts"
import { readScenarios } from "../../src/simulation/scenario/read.ts"
import { runAnyScenario } from "../../src/swarm/scenario-run.ts"
import { KEYS_BY_VERB, VERBS } from "../../src/simulation/scenario/step.ts"
import { wordsPage } from "../../src/simulation/scenario/words-page.ts"
import { wordsNamed, wordsOf } from "../../src/simulation/scenario/words.ts"

const NAMES = languageNames()
const WORDS = wordsOf(NAMES)

describe("the words of the language", () => {
  test("are every verb, command, fact, fault, code and invariant, each once", () => {
    const tables = { verb: [...VERBS, "use"], do: Object.keys(COMMANDS), expect: Object.keys(EXPECTATIONS) }
    const more = {
      inject: Object.keys(FAULTS),
      refuse: Object.keys(SCRIPTED_CODES),
      always: NAMES.invariants,
    }
    for (const [group, wanted] of Object.entries({ ...tables, ...more }))
      expect(WORDS.filter((one) => one.group === group).map(({ word }) => word)).toEqual(wanted)
  })

  test.each(WORDS.map((one) => [`${one.group} ${one.word}`, one] as const))(
    "the example of %s is a scenario that uses it and passes",
    (_, { word, example }) => {
      const { scenarios, problems } = readScenarios(
        "scenarios/example.yaml",
        example,
        NAMES,
        openFragmentFile,
      )
      expect(problems.map((problem) => formatProblem(problem))).toEqual([])
      expect(scenarios.length).toBeGreaterThan(0)
      // The title names the word in any case.
      const [title = "", ...lines] = example.split("\n")
      expect(title).toContain(word)
      if (word !== "scenario") expect(lines.join("\n")).toContain(word)
      expect(example).not.toContain("…")
      const failed = scenarios.flatMap((scenario) => runAnyScenario(scenario).failures)
      expect(failed.map(({ message }) => message)).toEqual([])
    },
  )

  test("a command has its arguments and what it names and is about", () => {
    const { named } = wordsNamed("bot.report", WORDS)
    expect(named).toHaveLength(1)
    const fields = named[0]?.fields ?? []
    expect(fields.map(({ name }) => name)).toEqual(["for", "by", ...Object.keys(COMMANDS["bot.report"].with)])
    expect(fields.filter(({ isRequired }) => isRequired).map(({ name }) => name)).toEqual(["for", "status"])
    expect(KEYS_BY_VERB.do).toContain("for")
  })

  test("fields have their units and defaults", () => {
    const fieldOf = (word: string, name: string) =>
      wordsNamed(word, WORDS).named[0]?.fields.find((field) => field.name === name)
    expect(fieldOf("runner.measure", "weight_kg")).toMatchObject({ unit: "kilograms", usual: null })
    expect(fieldOf("runner.measure", "dimensions_cm")).toMatchObject({ unit: "centimetres" })
    expect(fieldOf("delivery.quote", "north_m")).toMatchObject({ unit: "metres", usual: "2000" })
    expect(fieldOf("reservation.create", "order_number")).toMatchObject({ unit: null, usual: "1001" })
  })

  test("a verb is described with the words that it takes", () => {
    const { named, taken } = wordsNamed("inject", WORDS)
    expect(named.map(({ group }) => group)).toEqual(["verb"])
    expect(taken.map(({ word }) => word)).toEqual(Object.keys(FAULTS))
    const refused = wordsNamed("refuse", WORDS).taken.map(({ word }) => word)
    expect(refused).toEqual([...Object.keys(COMMANDS), ...Object.keys(SCRIPTED_CODES)])
  })

  test("the page has a place for every word", () => {
    const page = wordsPage(WORDS)
    for (const { word } of WORDS)
      expect(page).toMatch(new RegExp(`(### |\`|- )${word.replaceAll(".", "\\.")}`))
  })
})
