/** The studio's templates: what each form writes passes at its first run, and a value that does not fit says why. */

import { readFileSync } from "node:fs"
import { describe, expect, test } from "vitest"
import { readText } from "../../src/cli/studio/check.ts"
import { fleetDraftOf, fleetTemplates } from "../../src/cli/studio/fleet-templates.ts"
import { draftOf, templates } from "../../src/cli/studio/templates.ts"
import { readFleet } from "../../src/simulation/fleet/language/read.ts"
import type { FleetModel } from "../../src/simulation/fleet/language/model.ts"
import { runScenario } from "../../src/simulation/scenario/run.ts"
import { modelWith } from "../simulation/fleet/tables/tables.ts"

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

describe("fleet models", () => {
  /** The model that a form writes, or why there is none. */
  function modelOf(id: string, values: Values): FleetModel | string {
    const draft = fleetDraftOf({ id, values })
    if (draft?.is !== "text") return JSON.stringify(draft)
    const { model, problems } = readFleet({ file: "new.yaml", text: draft.text, beside: () => null })
    return model ?? JSON.stringify(problems)
  }

  test("there is one for each question that planners ask first", () => {
    const titles = fleetTemplates().map(({ title }) => title)
    expect(titles).toEqual([
      "Runners for a busy hour",
      "Vehicles for a busy evening",
      "Shifts of runners",
      "Shifts of vehicles",
      "Shifts of cooks",
      "How much more demand",
      "The worst day of a week",
      "What fails while runners are away",
      "A day of your own log",
      "The way to the doors",
      "What is full first",
    ])
  })

  test.each([
    ["runners", {}],
    ["runners", { title: 'A "quoted": title # with {signs}' }],
    ["runners", { opens: "02:00", hours: "16", at: "17:00", orders: "500", peak: "500", stalls: "200" }],
    ["runners", { opens: "11:00", hours: "2", at: "11:00" }],
    ["runners", { opens: "11:00", hours: "2", at: "12:00", orders: "1", peak: "1", wait: "1", cost: "1000" }],
    ["vehicles", {}],
    ["vehicles", { opens: "18:00", hours: "6", at: "18:00", reach: "20", total: "240", peak: "500" }],
    ["shifts", {}],
    ["shifts", { opens: "06:00", hours: "16", at: "12:00", short: "4", long: "8", wait: "1" }],
    ["vehicle-shifts", {}],
    ["vehicle-shifts", { opens: "02:00", hours: "16", at: "12:00", short: "1", long: "12", total: "240" }],
    ["cook-shifts", {}],
    [
      "cook-shifts",
      { opens: "18:00", hours: "6", cooks: "60", peak: "100", at: "18:00", short: "8", long: "12" },
    ],
    ["worst-day", {}],
    ["worst-day", { opens: "08:00", hours: "16", busy: "Mon", orders: "100", more: "100" }],
    ["out", {}],
    ["out", { away: "4", from: "11:00", minutes: "240" }],
    ["out", { opens: "18:00", hours: "6", at: "18:00", from: "18:00", minutes: "360" }],
    ["travel", {}],
    ["travel", { opens: "18:00", hours: "6", at: "18:00", near: "1", far: "120", rush: "1" }],
    ["travel", { opens: "17:00", hours: "2", at: "18:00" }],
    ["more-demand", {}],
    ["more-demand", { runners: "200", orders: "1", peak: "1" }],
    ["what-is-full-first", {}],
    ["what-is-full-first", { opens: "18:00", orders: "100", runners: "1", stalls: "200", cooks: "200" }],
  ] as const)("%s with %j is a model without a mistake", (id, values: Values) => {
    const model = modelOf(id, values)
    expect(model).toMatchObject({ replications: 10 })
    const [title] = [values["title"] ?? fleetTemplates().find((one) => one.id === id)?.fields[0]?.usual]
    expect(model).toMatchObject({ fleet: title })
  })

  test.each([
    ["runners", { hours: "16", opens: "18:00" }, "hours", "the day ends at midnight; write at most 6"],
    ["runners", { at: "15:00" }, "at", "the hour is within 11:00 to 15:00; write at most 14:00"],
    ["vehicles", { orders: "30" }, "peak", "it is the busiest hour; write at least 30"],
    ["shifts", { short: "4" }, "long", "it is the longer one; write at least 5"],
    ["cook-shifts", { long: "2" }, "long", "it is the longer one; write at least 3"],
    ["worst-day", { busy: "Friday" }, "busy", "write some of Mon, Tue, Wed, Thu, Fri, Sat, Sun"],
    ["out", { away: "5" }, "away", "there are 4 runners"],
    ["out", { from: "10:00" }, "from", "the day is from 11:00 to 15:00"],
    ["out", { minutes: "300" }, "minutes", "the day ends at 15:00; write at most 180"],
    ["log", { date: "4 December" }, "date", "write a date such as 2026-09-11"],
    ["log", { date: "2026-13-04" }, "date", "write a date such as 2026-09-11"],
    ["log", { place: "Austin" }, "place", "write two numbers such as 30.2430, -97.7200"],
    ["log", { file: " " }, "file", "write a few words"],
    ["what-is-full-first", { cooks: "0" }, "cooks", 'write a number from 1 to 200, not "0"'],
  ])("%s refuses %j with a reason", (id, values: Values, field, message) => {
    expect(fleetDraftOf({ id, values })).toEqual({ is: "problem", field, message })
  })

  test("a log beside the model is read by the columns of the form", async () => {
    const logged = readFileSync(new URL("../../scenarios/fleets/order-log.csv", import.meta.url), "utf8")
    const of = async (values: Values, table: string) => {
      const draft = fleetDraftOf({ id: "log", values })
      const model = await modelWith(draft?.is === "text" ? draft.text : "", {
        [values["file"] ?? "order-log.csv"]: table,
      })
      return model.logs.map(({ orders }) => orders.length)
    }
    const [orders = 0] = await of({}, logged)
    expect(orders).toBeGreaterThan(20)
    const renamed = logged.replace("ordered_at", "asked at: when").replace("door_lat", '1st "lat"')
    expect(await of({ file: "our log.csv", time: "asked at: when", lat: '1st "lat"' }, renamed)).toEqual([
      orders,
    ])
  })

  test("say in sentences what they will write", () => {
    const draft = fleetDraftOf({ id: "runners", values: { peak: "40" } })
    expect(draft).toMatchObject({
      sentences: expect.arrayContaining([
        "From 11:00 to 15:00 there are 10 orders an hour, and 40 from 12:00 to 13:00.",
      ]) as unknown,
    })
    expect(fleetDraftOf({ id: "none", values: {} })).toBe(null)
  })
})
