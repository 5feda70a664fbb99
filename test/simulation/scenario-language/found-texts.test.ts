/** What each fact says when it does not hold: one sentence, "expected that …, found that …", for values, times, counts and nothing. */

import { describe, expect, test } from "vitest"
import { EXPECTATIONS } from "../../../src/simulation/scenario/language/language.ts"
import { readScenarios } from "../../../src/simulation/scenario/language/read.ts"
import type { Failure } from "../../../src/simulation/scenario/run-context.ts"
import { runScenario } from "../../../src/simulation/scenario/run.ts"
import { NAMES } from "./names-in-tests.ts"

const GIVEN = `given:
  webhooks: [{ as: partner, events: all }]
  vehicles: [{ as: van, north_m: 20 }]
  pickup_webhooks: [{ as: shop, events: all }]`

function failuresOf(steps: readonly string[]): readonly Failure[] {
  const lines = steps.map((step) => `  - ${step}`).join("\n")
  const text = `scenario: S\nbecause: B\nclock: 2026-03-02T11:30 America/Chicago\n${GIVEN}\nsteps:\n${lines}\n`
  const { scenarios, problems } = readScenarios("x.yaml", text, NAMES)
  expect(problems).toEqual([])
  return scenarios.flatMap((one) => runScenario(one).failures)
}

const BOOK = "{ do: reservation.create, as: lunch, with: { window: [11:45, 12:15] } }"
const VISIT = [
  BOOK,
  "{ at: 11:40, do: runner.assign, for: lunch }",
  "{ at: 11:46, do: runner.at_store, for: lunch }",
  "{ at: 11:47, do: runner.order_in_hand, for: lunch }",
  "{ at: 11:48, do: runner.at_unit, for: lunch }",
]
const ORDER = ["{ do: delivery.quote, as: groceries }", "{ do: delivery.create, for: groceries }"]
const HOLD = [
  "{ do: errand.check, as: dinner }",
  "{ do: errand.reserve, for: dinner }",
  "{ do: errand.check, as: tacos }",
  "{ do: errand.reserve, for: tacos }",
]

/** By fact: steps before, and facts that do not hold then, each with what is expected and what is found. */
const WRONG: Readonly<
  Record<
    keyof typeof EXPECTATIONS,
    readonly (readonly [before: readonly string[], fact: string, expected: string, actual: string])[]
  >
> = {
  reservation: [
    [
      [BOOK],
      "{ reservation: lunch, status: canceled }",
      "lunch has status canceled",
      "lunch has status confirmed",
    ],
    [
      [BOOK],
      "{ reservation: lunch, status: canceled, canceled_by: system, stall: A2 }",
      "lunch has status canceled, canceled_by system and stall A2",
      "lunch has status confirmed, no canceled_by and stall A1",
    ],
    [
      [BOOK],
      "{ reservation: lunch, window: [11:30, 12:00] }",
      "lunch has window 11:30 to 12:00",
      "lunch has window 11:45 to 12:15",
    ],
    [
      VISIT,
      "{ reservation: lunch, task_started_at: null, handoff_completed_at: 11:50 }",
      "lunch has no task_started_at and handoff_completed_at 11:50",
      "lunch has task_started_at 11:46 and no handoff_completed_at",
    ],
    [
      [
        "{ refuse: { do: reservation.create, as: late, with: { window: [10:00, 10:30] }, code: WINDOW_IN_PAST } }",
      ],
      "{ reservation: late, status: confirmed }",
      "late exists",
      "late was never booked",
    ],
    [
      [BOOK, "wait: 5m"],
      "{ reservation: lunch, status: confirmed, at: 11:35 }",
      "this becomes so at 11:35",
      "it was so before",
    ],
  ],
  exception: [
    [
      VISIT,
      "{ exception: bot_no_show, for: lunch }",
      "the exception bot_no_show of lunch is published",
      "it was not published",
    ],
    [
      VISIT,
      "{ exception: bot_no_show, for: lunch, at: 12:30 }",
      "the exception bot_no_show of lunch is published at 12:30",
      "it was published at 11:58",
    ],
    [
      [...VISIT, "{ at: 12:00, expect: { exception: bot_no_show, for: lunch } }"],
      "{ exception: bot_no_show, for: lunch, times: 2 }",
      "the exception bot_no_show of lunch is published 2 times",
      "it was published at 11:58",
    ],
  ],
  milestone: [
    [
      VISIT,
      "{ milestone: handoff_complete, for: lunch }",
      "the milestone handoff_complete of lunch is published",
      "it was not published",
    ],
  ],
  webhook: [
    [
      [BOOK],
      "{ webhook: reservation.status_changed, to: partner, times: 3, attempts: 4 }",
      "reservation.status_changed to partner is accepted 3 times and requested 4 times",
      "it was accepted 1 time and requested 1 time",
    ],
    [
      [BOOK],
      "{ webhook: reservation.status_changed, to: partner, attempted_at: [11:31, 11:40] }",
      "reservation.status_changed to partner is requested at 11:31 and 11:40",
      "it was accepted 1 time and requested 1 time at 11:30",
    ],
    [
      [BOOK],
      "{ webhook: reservation.status_changed, to: partner, previous_status: arrived }",
      "reservation.status_changed to partner with previous_status arrived is accepted",
      "it was accepted 0 times and requested 0 times, and its event had no previous_status",
    ],
    [
      [BOOK],
      "{ webhook: reservation.exception, to: partner, previous_status: null }",
      "reservation.exception to partner with no previous_status is accepted",
      "it was accepted 0 times and requested 0 times, and no such event came",
    ],
  ],
  order: [
    [
      [BOOK],
      "{ order: [reservation.exception, reservation.status_changed], to: partner }",
      "partner accepts reservation.exception, then reservation.status_changed",
      "partner accepted reservation.status_changed",
    ],
    [
      [],
      "{ order: [reservation.exception, reservation.status_changed], to: partner }",
      "partner accepts reservation.exception, then reservation.status_changed",
      "partner accepted nothing",
    ],
  ],
  deliveries: [
    [
      [BOOK, "wait: 1m"],
      "{ deliveries: partner, state: dropped, times: 1 }",
      "1 delivery to partner is in the state dropped",
      "there is 1 delivery: 1 delivered",
    ],
    [
      [],
      "{ deliveries: partner, state: delivered, times: 2 }",
      "2 deliveries to partner are in the state delivered",
      "there is no delivery to it",
    ],
  ],
  believes: [
    [
      [BOOK],
      "{ believes: partner, for: lunch, status: canceled }",
      "partner believes the status canceled",
      "partner believes the status confirmed",
    ],
    [
      ["{ inject: webhook.answers, for: partner, with: { answers: [refused, refused] } }", BOOK],
      "{ believes: partner, for: lunch, status: confirmed, within: 1s }",
      "partner believes the status confirmed",
      "partner believes nothing",
    ],
  ],
  signature: [[[], "{ signature: partner }", "every request to partner is signed", "no request came"]],
  open_link: [
    [
      VISIT,
      "{ open_link: lunch, calls: 2, attempt_ids: 1 }",
      "the open link of lunch is called 2 times with 1 attempt id",
      "it was called at no time",
    ],
    [
      [
        ...VISIT,
        "{ at: 11:50, do: bot.report, for: lunch, with: { status: ARRIVED } }",
        "{ at: 11:51, do: bot.report, for: lunch, with: { status: READY_FOR_HANDOFF } }",
      ],
      "{ open_link: lunch, calls: 2, attempted_at: 11:59 }",
      "the open link of lunch is called 2 times at 11:59",
      "it was called 1 time with 1 attempt id at 11:51",
    ],
  ],
  state: [
    [
      [BOOK],
      "{ state: canceled, actor: reservation, for: lunch }",
      "the reservation of lunch is in the state canceled",
      "it is in the state open.confirmed",
    ],
    [
      [BOOK],
      "{ state: calling, actor: open-link, for: lunch }",
      "the open-link of lunch is in the state calling",
      "it has not started",
    ],
  ],
  listed: [
    [[BOOK], "{ listed: 2 }", "2 reservations are listed", "1 is listed: 1 confirmed"],
    [[BOOK], "{ listed: 1, status: canceled }", "1 reservation is listed", "none is listed"],
  ],
  delivery: [
    [
      ORDER,
      "{ delivery: groceries, status: LOADED }",
      "groceries has status LOADED",
      "groceries has status SCHEDULED",
    ],
    [
      ORDER.slice(0, 1),
      "{ delivery: groceries, status: LOADED }",
      "groceries exists",
      "groceries was never created",
    ],
  ],
  quote: [
    [
      ORDER.slice(0, 1),
      "{ quote: groceries, available: false, reason: NO_CAPACITY }",
      "groceries has available false and reason NO_CAPACITY",
      "groceries has available true and no reason",
    ],
  ],
  vehicle: [
    [
      ORDER.slice(0, 1),
      "{ vehicle: van, active: groceries, queued: 2 }",
      "van has active groceries and queued 2",
      "van has no active and queued 0",
    ],
  ],
  pickup_webhook: [
    [
      ORDER,
      "{ pickup_webhook: pickup_status.changed, to: shop, status: LOADED }",
      "pickup_status.changed to shop is accepted",
      "it was accepted 0 times and requested 0 times",
    ],
  ],
  endpoint: [
    [
      [],
      "{ endpoint: partner, is_active: false, consecutive_failures: 3 }",
      "partner has is_active false and consecutive_failures 3",
      "partner has is_active true and consecutive_failures 0",
    ],
  ],
  delivery_list: [
    [ORDER, "{ delivery_list: 2 }", "2 deliveries are listed", "1 is listed: 1 SCHEDULED"],
    [[], "{ delivery_list: 1 }", "1 delivery is listed", "none is listed"],
  ],
  analytics: [
    [
      [],
      "{ analytics: today, sessions: 2 }",
      "analytics of today has sessions 2",
      "analytics of today has sessions 0",
    ],
  ],
  errand: [
    [
      HOLD.slice(0, 2),
      "{ errand: dinner, state: quoted, decline_reason: out_of_zone }",
      "dinner has state quoted and decline_reason out_of_zone",
      "dinner has state held and no decline_reason",
    ],
  ],
  released: [[HOLD, "{ released: 2, by: tacos }", "2 holds are released by tacos", "1 hold was released"]],
  texts: [[[], "{ texts: 1, to: ada }", "1 text message goes to ada", "0 text messages go there"]],
  compartment: [
    [
      ORDER,
      "{ compartment: groceries, tries_left: 1, calls: 2 }",
      "groceries has tries_left 1 and calls 2",
      "groceries has tries_left 5 and calls 0",
    ],
  ],
}

const ROWS = Object.entries(WRONG).flatMap(([fact, rows]) => rows.map((row) => [fact, ...row] as const))

describe("a fact that does not hold", () => {
  test.each(ROWS)("%s, after %j: %s", (_, before, fact, expected, actual) => {
    const [failure, ...others] = failuresOf([...before, `expect: ${fact}`])
    expect(others).toEqual([])
    expect(failure).toMatchObject({ expected, actual })
    const [opening, found] = failure?.message.split(", found that ") ?? []
    expect(opening?.startsWith(`expected that ${expected}`)).toBe(true)
    expect(found).toBe(actual)
  })

  test("names no value of the program", () => {
    for (const [, , , expected, actual] of ROWS)
      expect(`${expected} ${actual}`).not.toMatch(
        /\b(null|undefined|nothing:|NaN)\b| {2}|: [a-z]+ (true|false)/,
      )
  })
})

describe("other failures are sentences too", () => {
  test.each([
    [
      [
        BOOK,
        "never: { reservation: lunch, status: canceled }",
        "{ at: 12:00, do: reservation.cancel, for: lunch }",
      ],
      'expected "from here on never: lunch has the status canceled", found that at 12:00 lunch has the status canceled',
      "at 12:00 lunch has the status canceled",
    ],
    [
      [
        "at_most: { webhook: reservation.status_changed, to: partner, times: 1 }",
        BOOK,
        "{ at: 12:00, do: reservation.cancel, for: lunch }",
        "wait: 1m",
      ],
      'expected "from here on at most: partner receives reservation.status_changed, accepted once", found that at 12:00 it was accepted 2 times and requested 2 times',
      "at 12:00 it was accepted 2 times and requested 2 times",
    ],
    [
      [BOOK, "refuse: { do: reservation.read, for: lunch, code: NOT_FOUND }"],
      "expected reservation.read to be refused with NOT_FOUND, it was taken",
      "it was taken",
    ],
    [
      [
        BOOK,
        "expect: { reservation: lunch, status: completed, within: 35m }",
        "{ at: 12:00, do: reservation.cancel, for: lunch }",
      ],
      "expected this step at 12:00, found that the step before lasted until 12:05",
      "it is 12:05",
    ],
  ])("%j", (steps, message, actual) => {
    expect(failuresOf(steps).at(-1)).toMatchObject({ message, actual })
  })
})
