import { readFileSync, readdirSync } from "node:fs"
import { join } from "node:path"
import { Ajv2020 } from "ajv/dist/2020.js"
import { describe, expect, test } from "vitest"
import { parse } from "yaml"
import { readScenarios } from "../../../src/simulation/scenario/language/read.ts"
import { scenarioJsonSchema, scenarioSchemaText } from "../../../src/simulation/scenario/words/json-schema.ts"
import { openFragmentFile } from "../../../src/cli/scenarios/fragment-files.ts"
import { languageNames } from "../../../src/cli/scenarios/scenario-files.ts"
import { EVERYTHING, NAMES, NO_SHOW } from "./names-in-tests.ts"

const ajv = new Ajv2020({ allErrors: true, strictTypes: false, strictRequired: false })
const validate = ajv.compile(scenarioJsonSchema(NAMES))

const BOOK = "  - { do: reservation.create, as: lunch, with: { window: [11:45, 12:15] } }"

function withSteps(steps: string): string {
  return `scenario: S\nbecause: B\nclock: 2026-03-02T11:30 America/Chicago\nsteps:\n${BOOK}\n${steps}\n`
}

/** Whether reader and schema take the text. */
function verdicts(text: string): { readonly reader: boolean; readonly schema: boolean } {
  return {
    reader: readScenarios("x.yaml", text, NAMES).problems.length === 0,
    schema: validate(parse(text)),
  }
}

describe("reader and schema agree that it is right", () => {
  test.each([
    ["the example", NO_SHOW],
    ["everything that can be said", EVERYTHING],
    ["a fact that never holds", withSteps("  - never: { reservation: lunch, status: canceled, within: 5m }")],
    ["a bounded count", withSteps("  - at_most: { exception: bot_no_show, for: lunch, times: 1 }")],
    [
      "a step that is repeated",
      withSteps(
        "  - { do: reservation.create, as: more, repeat: 3, every: 5m, with: { window: [12:00, 12:15] } }",
      ),
    ],
    ["a wait until tomorrow", withSteps("  - wait: tomorrow 09:00")],
    [
      "a name in a variable",
      `${withSteps("  - { do: runner.assign, for: $who }")}matrix: [{ name: a, who: lunch }]\n`,
    ],
  ])("%s", (_, text) => {
    const { reader, schema } = verdicts(text)
    expect({ reader, schema, errors: schema ? [] : validate.errors }).toEqual({
      reader: true,
      schema: true,
      errors: [],
    })
  })
})

describe("reader and schema agree that it is wrong", () => {
  test.each([
    ["a condition with a time of its own", "  - never: { reservation: lunch, status: canceled, at: 12:00 }"],
    ["a bound without a count", "  - at_most: { exception: bot_no_show, for: lunch }"],
    ["a bound of what is not counted", "  - at_most: { reservation: lunch, status: canceled }"],
    ["a step that is repeated once", "  - { do: runner.assign, for: lunch, repeat: 1 }"],
    ["a time between repetitions that there are none of", "  - { do: runner.assign, for: lunch, every: 5m }"],
    ["a repetition of a wait", "  - { wait: 5m, repeat: 2 }"],
    ["a misspelled verb", "  - expct: { reservation: lunch }"],
    ["no verb", "  - { at: 11:40 }"],
    ["two verbs", "  - { wait: 5m, inject: calls.lost }"],
    ["a key of another verb", "  - { wait: 5m, with: {} }"],
    ["an unknown command", "  - { do: reservation.craete }"],
    ["a missing argument", "  - { do: bot.report, for: lunch, with: { label: b } }"],
    ["no arguments where one is required", "  - { do: bot.report, for: lunch }"],
    ["a misspelled argument", "  - { do: bot.report, for: lunch, with: { status: ARRIVED, lable: b } }"],
    ["no name that it is about", "  - { do: runner.assign }"],
    ["a name for what is about nothing", "  - { inject: calls.lost, for: lunch }"],
    ["as for a command that makes nothing", "  - { do: runner.assign, for: lunch, as: task }"],
    ["as inside a refusal", "  - refuse: { do: runner.assign, for: lunch, as: task, code: INVALID_STATE }"],
    ["an unknown code", "  - refuse: { do: runner.assign, for: lunch, code: NO }"],
    [
      "an argument of a refused command",
      "  - refuse: { do: bot.report, for: lunch, with: { status: GONE }, code: INVALID_STATE }",
    ],
    ["a bare number for a time", "  - { at: 1130, wait: 5m }"],
    ["a bare number to wait for", "  - wait: 5"],
    ["a duration for a time", "  - { at: 90s, wait: 5m }"],
    ["a time for a duration", "  - expect: { reservation: lunch, within: 12:00 }"],
    ["units in the wrong order", "  - wait: 5s3m"],
    ["a window of one time", "  - { do: reservation.move_window, for: lunch, with: { window: [11:50] } }"],
    ["null for what must be something", "  - expect: { reservation: lunch, status: null }"],
    ["at and within together", "  - expect: { exception: bot_no_show, for: lunch, at: 12:00, within: 5m }"],
    ["two facts at once", "  - expect: { reservation: lunch, exception: bot_no_show, for: lunch }"],
    ["no fact", "  - expect: { status: arrived }"],
    ["a field of another fact", "  - expect: { reservation: lunch, times: 1 }"],
    ["an unknown state", "  - expect: { state: open.confirmed, actor: bot, for: lunch }"],
    ["an answer that is none", "  - { inject: open_link.answers, for: lunch, with: { answers: [timout] } }"],
  ])("%s", (_, step) => {
    expect(verdicts(withSteps(step))).toEqual({ reader: false, schema: false })
  })

  test.each([
    ["an unknown key", "promise: {}"],
    ["an unknown site", "given: { site: nowhere }"],
    ["an endpoint without a name", "given: { webhooks: [{ events: all }] }"],
    ["an unknown invariant", "always: [nothing happens]"],
    ["a bound without a comparison", "promises: { events: 60 }"],
    ["a row without a name", "matrix: [{ pause: 5m }]"],
    ["a seed that is negative", "seed: -1"],
  ])("%s", (_, key) => {
    expect(verdicts(withSteps(`  - wait: 5m\n${key}`))).toEqual({ reader: false, schema: false })
  })
})

test("the schema's file is indented by two and ends with a newline", () => {
  const text = scenarioSchemaText(NAMES)
  expect(text.startsWith('{\n  "$schema"')).toBe(true)
  expect(text.endsWith("}\n")).toBe(true)
  expect(JSON.parse(text)).toEqual(scenarioJsonSchema(NAMES))
})

describe("the scenarios of this tree fit their schema", () => {
  const names = languageNames()
  const validateLive = ajv.compile(scenarioJsonSchema(names))
  const top = join(import.meta.dirname, "../../../scenarios")
  const files = readdirSync(top, { recursive: true, encoding: "utf8" }).filter(
    (file) => file.endsWith(".yaml") && !/^(?:fleets|fragments|what-ifs)/.test(file),
  )

  test.each(files.toSorted())("%s", (file) => {
    const text = readFileSync(join(top, file), "utf8")
    expect(readScenarios(join(top, file), text, names, openFragmentFile).problems).toEqual([])
    expect(validateLive(parse(text)) ? [] : validateLive.errors).toEqual([])
  })
})
