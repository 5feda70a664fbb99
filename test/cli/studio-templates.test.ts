/** The studio's templates: what each form writes passes at its first run, and a value that does not fit says why. */

import { describe, expect, test } from "vitest"
import { readText } from "../../src/cli/studio/check.ts"
import { draftOf, templates } from "../../src/cli/studio/templates.ts"
import { runScenario } from "../../src/simulation/scenario/run.ts"

type Values = Readonly<Record<string, string>>

function verdictOf(id: string, values: Values): string {
  const draft = draftOf({ id, values })
  if (draft?.is !== "text") return `no text: ${JSON.stringify(draft)}`
  const { scenarios, problems } = readText("new.yaml", draft.text)
  const [scenario] = scenarios
  if (scenario === undefined) return `${draft.text}\n${JSON.stringify(problems)}`
  const { verdict, failures } = runScenario(scenario)
  return failures.length === 0
    ? verdict
    : `${draft.text}\n${failures.map(({ message }) => message).join("\n")}`
}

test("there is one for each situation that QA asks for", () => {
  expect(templates().map(({ title }) => title)).toEqual([
    "Bot no-show",
    "Payload rejected",
    "Hold expires",
    "Hold expires while the customer pays",
    "Two bots, one stall",
    "Receiver is down for an hour",
    "Runner takes the order but the bot has left",
    "Something else",
  ])
})

describe.each(templates().map(({ id }) => [id]))("%s", (id) => {
  test("passes at its first run as it is offered", () => {
    expect(verdictOf(id, {})).toBe("passed")
  })

  test("has any title, and says in sentences what it will write", () => {
    const values = { title: 'A "quoted": title # with {signs}' }
    expect(verdictOf(id, values)).toBe("passed")
    const draft = draftOf({ id, values })
    expect(draft).toMatchObject({ is: "text" })
    if (draft?.is !== "text") return
    expect(draft.sentences[0]).toBe('A "quoted": title # with {signs}')
    expect(draft.sentences.length).toBeGreaterThan(6)
  })
})

test.each([
  ["bot-no-show", { opens: "17:45", length: "15", wait: "24" }],
  ["bot-no-show", { length: "120", wait: "1" }],
  ["payload-rejected", { limit: "0.1", weight: "50", opens: "02:00" }],
  ["hold-expires", { asked: "18:00", thinks: "14" }],
  ["hold-expires-while-paying", { asked: "18:00", left: "1", takes: "2" }],
  ["hold-expires-while-paying", { left: "8", takes: "9" }],
  ["two-bots-one-stall", { later: "0", length: "15" }],
  ["two-bots-one-stall", { later: "110", length: "120" }],
  ...["1", "2", "3", "6", "14", "29", "30", "31", "61", "62", "63", "120"].map(
    (lasts) => ["receiver-is-down", { lasts }] as const,
  ),
  ["the-bot-has-left", { stays: "14", length: "15" }],
] as const)("%s passes with %j too", (id, values: Values) => {
  expect(verdictOf(id, values)).toBe("passed")
})

test.each([
  ["bot-no-show", { wait: "60" }, "wait", "the reservation ends at 12:45; write at most 39"],
  ["bot-no-show", { opens: "1:00" }, "opens", 'write a time from 02:00 to 18:00, not "1:00"'],
  ["bot-no-show", { length: "1e2" }, "length", 'write a number from 15 to 120, not "1e2"'],
  ["bot-no-show", { wait: "1.5" }, "wait", "write a whole number"],
  ["bot-no-show", { title: " " }, "title", "write a few words"],
  ["payload-rejected", { weight: "9" }, "weight", "the bot can carry it; write more than 10"],
  [
    "hold-expires-while-paying",
    { left: "8", takes: "8" },
    "takes",
    "the hold has not ended then; write more than 8",
  ],
  ["two-bots-one-stall", { later: "30" }, "later", "the windows do not overlap; write less than 30"],
])("%s refuses %j with a reason", (id, values: Values, field, message) => {
  expect(draftOf({ id, values })).toEqual({ is: "problem", field, message })
})

test("an unknown template writes nothing", () => {
  expect(draftOf({ id: "none", values: {} })).toBe(null)
})
