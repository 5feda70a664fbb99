import { describe, expect, test } from "vitest"
import { openFragmentFile } from "../../../src/cli/scenarios/fragment-files.ts"
import { allWords } from "../../../src/cli/scenarios/words.ts"
import { languageNames } from "../../../src/cli/scenarios/scenario-files.ts"
import {
  COMMANDS,
  EXPECTATIONS,
  FAULTS,
  SCRIPTED_CODES,
} from "../../../src/simulation/scenario/language/language.ts"
import type { Scenario } from "../../../src/simulation/scenario/language/language.ts"
import { formatProblem } from "../../../src/simulation/scenario/language/problems.ts"
import { readScenarios } from "../../../src/simulation/scenario/language/read.ts"
import { EXCEPTION_CODES } from "../../../src/model/handoff.ts"
import { CATALOGUE } from "../../../src/simulation/swarm/catalogue.ts"
import { EVERYTHING_ENDS, NO_ENGINE_FAULT } from "../../../src/simulation/swarm/run.ts"
import { runAnyScenario } from "../../../src/simulation/swarm/scenario-run.ts"
import { KEYS_BY_VERB, VERBS } from "../../../src/simulation/scenario/language/step.ts"
import { wordsPage } from "../../../src/simulation/scenario/words/words-page.ts"
import { wordsNamed } from "../../../src/simulation/scenario/words/words.ts"

const NAMES = languageNames()
const WORDS = allWords()
const SWARM_ONLY = CATALOGUE.filter(({ sentence }) => !NAMES.invariants.includes(sentence))

/** Examples that differ in their titles and comments alone are run once. */
function onceFor<Made>(make: (scenarios: readonly Scenario[]) => Made) {
  const made = new Map<string, Made>()
  return (example: string, scenarios: readonly Scenario[]): Made => {
    const [, ...lines] = example.split("\n").filter((line) => !line.startsWith("#"))
    const key = lines.join("\n")
    const known = made.get(key) ?? make(scenarios)
    made.set(key, known)
    return known
  }
}

const failuresIn = onceFor((scenarios) =>
  scenarios.flatMap((scenario) => runAnyScenario(scenario).failures.map(({ message }) => message)),
)

/** How often the example's run begins the check of each invariant of the swarm, by sentence. */
const checksIn = onceFor((scenarios) => {
  const checked = new Map<string, number>()
  const counting = SWARM_ONLY.map((invariant): typeof invariant => ({
    ...invariant,
    check: (watched) => {
      checked.set(invariant.sentence, (checked.get(invariant.sentence) ?? 0) + 1)
      return invariant.check(watched)
    },
  }))
  for (const scenario of scenarios) runAnyScenario(scenario, { invariants: counting })
  return checked
})

describe("the words of the language", () => {
  test("are every verb, command, fact, fault, code and invariant, each once", () => {
    const tables = { verb: [...VERBS, "use"], do: Object.keys(COMMANDS), expect: Object.keys(EXPECTATIONS) }
    const more = {
      inject: Object.keys(FAULTS),
      refuse: Object.keys(SCRIPTED_CODES),
      exception: EXCEPTION_CODES,
      always: NAMES.invariants,
      swarm: [...SWARM_ONLY.map(({ sentence }) => sentence), EVERYTHING_ENDS, NO_ENGINE_FAULT],
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
      expect(failuresIn(example, scenarios)).toEqual([])
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

  test("`invariants` are those of scenarios and those that only the swarm checks", () => {
    const { taken } = wordsNamed("invariants", WORDS)
    expect(new Set(taken.map(({ group }) => group))).toEqual(new Set(["always", "swarm"]))
    expect(taken.length).toBe(CATALOGUE.length + 2)
  })

  test.each(SWARM_ONLY.map((one) => [one.sentence, one] as const))(
    "the example of the swarm's invariant is a run in which it is checked: %s",
    (_, invariant) => {
      const { example = "" } = wordsNamed(invariant.sentence, WORDS).named[0] ?? {}
      // One that does not hold for the faults of a part's example says so.
      const isMachines = example.includes("restore_at")
      const { scenarios } = readScenarios("example.yaml", example, NAMES)
      const checks = checksIn(example, scenarios).get(invariant.sentence) ?? 0
      expect(checks).toBe(isMachines && invariant.where !== undefined ? 0 : 1)
    },
  )

  test("an invariant that not every run checks says where", () => {
    for (const { sentence, holdsFor, where } of CATALOGUE)
      expect([sentence, where !== undefined]).toEqual([sentence, holdsFor !== undefined])
    const says = (sentence: string) => wordsNamed(sentence, WORDS).named[0]?.says
    expect(says("attempts of a webhook are as far apart as the contract says")).toBe(
      "about webhooks; is checked by `curbline swarm`, and in scenarios with machine_faults, not where nodes are lost; not where a backup is restored",
    )
    expect(says("no user holds two vehicles")).toContain("about errands; is checked at every moment")
  })

  test("the page has a place for every word", () => {
    const page = wordsPage(WORDS)
    for (const { word } of WORDS)
      expect(page).toMatch(new RegExp(`(### |\`|- )${word.replaceAll(".", "\\.")}`))
  })
})
