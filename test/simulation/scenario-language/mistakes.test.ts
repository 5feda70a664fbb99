import { describe, expect, test } from "vitest"
import { formatProblem } from "../../../src/simulation/scenario/language/problems.ts"
import { readScenarios } from "../../../src/simulation/scenario/language/read.ts"
import { NAMES } from "./names-in-tests.ts"

/** The problems that reading reports for a file. */
function mistakesIn(text: string): string {
  const { scenarios, problems } = readScenarios("scenarios/x.yaml", text, NAMES)
  expect(scenarios).toEqual([])
  return `\n${problems.map((problem) => formatProblem(problem)).join("\n\n")}\n`
}

/** The problems of steps; they begin at line 4. */
function mistakesInSteps(steps: string): string {
  return mistakesIn(`scenario: S\nbecause: B\nclock: 2026-03-02T11:30 America/Chicago\nsteps:\n${steps}\n`)
}

/** The problem of one more key in an otherwise valid file; it is in line 6. */
function mistakesInKey(key: string): string {
  return mistakesIn(
    `scenario: S\nbecause: B\nclock: 2026-03-02T11:30 America/Chicago\nsteps:\n  - wait: 5m\n${key}\n`,
  )
}

const BOOK = "  - { do: reservation.create, as: lunch, with: { window: [11:45, 12:15] } }"

describe("mistakes in verbs and keys", () => {
  test("a misspelled verb", () => {
    expect(mistakesInSteps("  - expct: { reservation: lunch, status: arrived }")).toMatchInlineSnapshot(`
      "
      error: unknown key "expct", did you mean "expect"?
       --> scenarios/x.yaml:5:5
        |
      5 |   - expct: { reservation: lunch, status: arrived }
        |     ^^^^^
        = expected: one verb a step: do, refuse, expect, never, at_most, inject, wait, use
      "
    `)
  })

  test("no verb", () => {
    expect(mistakesInSteps("  - { at: 11:40, for: lunch }")).toMatchInlineSnapshot(`
      "
      error: this step has no verb
       --> scenarios/x.yaml:5:5
        |
      5 |   - { at: 11:40, for: lunch }
        |     ^^^^^^^^^^^^^^^^^^^^^^^^^
        = expected: one of do, refuse, expect, never, at_most, inject, wait, use
      "
    `)
  })

  test("two verbs", () => {
    expect(mistakesInSteps("  - { wait: 5m, do: calls.lost }")).toMatchInlineSnapshot(`
      "
      error: a step has one verb, this one has "wait" and "do"
       --> scenarios/x.yaml:5:17
        |
      5 |   - { wait: 5m, do: calls.lost }
        |                 ^^
        = help: make two steps of it
      "
    `)
  })

  test("a step with two verbs is not read further, but the name that it gives is taken", () => {
    expect(
      mistakesInSteps(`  - { wait: soon, do: reservation.craete, inject: calls.lost, as: lunch, with: { a: 1 } }
  - { do: runner.assign, for: lunch }`),
    ).toMatchInlineSnapshot(`
      "
      error: a step has one verb, this one has "wait", "do" and "inject"
       --> scenarios/x.yaml:5:19
        |
      5 |   - { wait: soon, do: reservation.craete, inject: calls.lost, as: lunch, with: { a: 1 } }
        |                   ^^
        = help: make a step of each
      "
    `)
  })

  test("a key that belongs to another verb", () => {
    expect(mistakesInSteps("  - { wait: 5m, with: { a: 1 } }")).toMatchInlineSnapshot(`
      "
      error: "with" does not go with "wait"
       --> scenarios/x.yaml:5:17
        |
      5 |   - { wait: 5m, with: { a: 1 } }
        |                 ^^^^
        = expected: wait, at
      "
    `)
  })

  test("a key beside the braces that belongs inside", () => {
    expect(
      mistakesInSteps(`${BOOK}
  - { expect: { exception: bot_no_show }, for: lunch }`),
    ).toMatchInlineSnapshot(`
      "
      error: the key "for" is missing
       --> scenarios/x.yaml:6:15
        |
      6 |   - { expect: { exception: bot_no_show }, for: lunch }
        |               ^^^^^^^^^^^^^^^^^^^^^^^^^^
        = expected: for: the reservation, the name of a reservation

      error: "for" does not go with "expect"
       --> scenarios/x.yaml:6:43
        |
      6 |   - { expect: { exception: bot_no_show }, for: lunch }
        |                                           ^^^
        = expected: expect, at
        = help: write it inside the braces of "expect"
      "
    `)
  })

  test("an unknown key of a scenario", () => {
    expect(mistakesInKey(`promise: { events: "< 60" }`)).toMatchInlineSnapshot(`
      "
      error: unknown key "promise", did you mean "promises"?
       --> scenarios/x.yaml:6:1
        |
      6 | promise: { events: "< 60" }
        | ^^^^^^^
        = expected: keys of a scenario: scenario (required), because (required), tags, seed, clock (required), environment, … (15 in all)
        = help: npx curbline words lists all
      "
    `)
  })

  test("missing keys of a scenario", () => {
    expect(
      mistakesIn(`scenario: S
clock: 2026-03-02T11:30 America/Chicago`),
    ).toMatchInlineSnapshot(`
      "
      error: the key "because" is missing
       --> scenarios/x.yaml:1:1
        |
      1 | scenario: S
        | ^^^^^^^^^^^
        = expected: because: why it matters, in a sentence

      error: the key "steps" is missing
       --> scenarios/x.yaml:1:1
        |
      1 | scenario: S
        | ^^^^^^^^^^^
        = expected: steps: a list of steps
      "
    `)
  })

  test("a step that is no map", () => {
    expect(mistakesInSteps("  - reservation.create")).toMatchInlineSnapshot(`
      "
      error: "reservation.create" where a map should be
       --> scenarios/x.yaml:5:5
        |
      5 |   - reservation.create
        |     ^^^^^^^^^^^^^^^^^^
        = expected: a step such as { at: 11:30, do: reservation.create, as: lunch }
      "
    `)
  })
})

describe("mistakes in commands", () => {
  test("an unknown command", () => {
    expect(mistakesInSteps("  - { do: reservation.craete, as: lunch }")).toMatchInlineSnapshot(`
      "
      error: unknown command "reservation.craete", did you mean "reservation.create"?
       --> scenarios/x.yaml:5:11
        |
      5 |   - { do: reservation.craete, as: lunch }
        |           ^^^^^^^^^^^^^^^^^^
        = expected: one of reservation.create, reservation.move_window, reservation.cancel, reservation.cancel_by_runner, reservation.cancel_by_operations, reservation.read, … (68 in all)
        = help: npx curbline words do lists all
      "
    `)
  })

  test("half a command", () => {
    expect(mistakesInSteps("  - { do: at_store }")).toMatchInlineSnapshot(`
      "
      error: unknown command "at_store", did you mean "runner.at_store"?
       --> scenarios/x.yaml:5:11
        |
      5 |   - { do: at_store }
        |           ^^^^^^^^
        = expected: one of reservation.create, reservation.move_window, reservation.cancel, reservation.cancel_by_runner, reservation.cancel_by_operations, reservation.read, … (68 in all)
        = help: npx curbline words do lists all
      "
    `)
  })

  test("a request's name for what a scenario calls otherwise", () => {
    expect(
      mistakesInSteps(
        "  - { do: reservation.create, with: { arrival_window_start: 11:45, payload_limit: { max_weight_kg: 3 } } }",
      ),
    ).toMatchInlineSnapshot(`
      "
      error: unknown key "arrival_window_start", did you mean "window"?
       --> scenarios/x.yaml:5:39
        |
      5 |   - { do: reservation.create, with: { arrival_window_start: 11:45, payload_limit: { max_weight_kg: 3 } } }
        |                                       ^^^^^^^^^^^^^^^^^^^^
        = expected: arguments of reservation.create: window (required), site, zone, retailer, order_number, end_user_name, end_user_phone, open_link_url, retailer_pickup_ref, max_weight_kg, max_dimensions_cm, idempotency_key

      error: unknown key "payload_limit", did you mean "max_weight_kg"?
       --> scenarios/x.yaml:5:68
        |
      5 |   - { do: reservation.create, with: { arrival_window_start: 11:45, payload_limit: { max_weight_kg: 3 } } }
        |                                                                    ^^^^^^^^^^^^^
        = expected: arguments of reservation.create: window (required), site, zone, retailer, order_number, end_user_name, end_user_phone, open_link_url, retailer_pickup_ref, max_weight_kg, max_dimensions_cm, idempotency_key
      "
    `)
  })

  test("a command as a map", () => {
    expect(mistakesInSteps("  - { do: { reservation.create: { window: [11:45, 12:15] } } }"))
      .toMatchInlineSnapshot(`
      "
      error: a map where the name of a command should be
       --> scenarios/x.yaml:5:11
        |
      5 |   - { do: { reservation.create: { window: [11:45, 12:15] } } }
        |           ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
        = expected: { do: reservation.create, as: lunch, with: { window: [11:45, 12:15] } }
      "
    `)
  })

  test("a missing argument", () => {
    expect(mistakesInSteps("  - { do: reservation.create, as: lunch }")).toMatchInlineSnapshot(`
      "
      error: the key "window" is missing
       --> scenarios/x.yaml:5:11
        |
      5 |   - { do: reservation.create, as: lunch }
        |           ^^^^^^^^^^^^^^^^^^
        = expected: window: the arrival window, two times [from, to], such as [11:45, 12:15]
      "
    `)
  })

  test("a misspelled argument", () => {
    expect(mistakesInSteps("  - { do: reservation.create, with: { windw: [11:45, 12:15] } }"))
      .toMatchInlineSnapshot(`
      "
      error: unknown key "windw", did you mean "window"?
       --> scenarios/x.yaml:5:39
        |
      5 |   - { do: reservation.create, with: { windw: [11:45, 12:15] } }
        |                                       ^^^^^
        = expected: arguments of reservation.create: window (required), site, zone, retailer, order_number, end_user_name, end_user_phone, open_link_url, retailer_pickup_ref, max_weight_kg, max_dimensions_cm, idempotency_key
      "
    `)
  })

  test("no name that it is about", () => {
    expect(mistakesInSteps("  - { do: runner.assign }")).toMatchInlineSnapshot(`
      "
      error: runner.assign needs "for"
       --> scenarios/x.yaml:5:11
        |
      5 |   - { do: runner.assign }
        |           ^^^^^^^^^^^^^
        = expected: for: the name of a reservation
      "
    `)
  })

  test("a name for a command that is about nothing", () => {
    expect(
      mistakesInSteps(`${BOOK}
  - { do: reservation.create, for: lunch, with: { window: [11:45, 12:15] } }`),
    ).toMatchInlineSnapshot(`
    "
    error: "for" does not go with reservation.create
     --> scenarios/x.yaml:6:31
      |
    6 |   - { do: reservation.create, for: lunch, with: { window: [11:45, 12:15] } }
      |                               ^^^
      = help: remove it
    "
  `)
  })

  test("as for a command that makes nothing", () => {
    expect(
      mistakesInSteps(`${BOOK}
  - { do: runner.assign, for: lunch, as: task }`),
    ).toMatchInlineSnapshot(`
    "
    error: "as" has nothing to name: this command makes nothing new
     --> scenarios/x.yaml:6:38
      |
    6 |   - { do: runner.assign, for: lunch, as: task }
      |                                      ^^
      = help: name the one it is about with "for"
    "
  `)
  })

  test("an unknown refusal code", () => {
    expect(
      mistakesInSteps(`${BOOK}
  - refuse: { do: runner.assign, for: lunch, code: INVALID_STAT }`),
    ).toMatchInlineSnapshot(`
      "
      error: unknown code "INVALID_STAT", did you mean "INVALID_STATE"?
       --> scenarios/x.yaml:6:52
        |
      6 |   - refuse: { do: runner.assign, for: lunch, code: INVALID_STAT }
        |                                                    ^^^^^^^^^^^^
        = expected: one of BOT_STATUS_REGRESSION, COMPARTMENT_LOCKED, DELIVERY_ALREADY_EXISTS, DELIVERY_NOT_FOUND, GEOCODE_FAILED, GEOCODING_UNAVAILABLE, … (50 in all)
        = help: npx curbline words refuse lists all
      "
    `)
  })

  test("half a refusal code, and one like no other", () => {
    expect(
      mistakesInSteps(`${BOOK}
  - refuse: { do: runner.assign, for: lunch, code: INVALID }
  - refuse: { do: runner.assign, for: lunch, code: TEAPOT }`),
    ).toMatchInlineSnapshot(`
      "
      error: unknown code "INVALID"
       --> scenarios/x.yaml:6:52
        |
      6 |   - refuse: { do: runner.assign, for: lunch, code: INVALID }
        |                                                    ^^^^^^^
        = expected: one of INVALID_OPEN_LINK, INVALID_READY_BY, INVALID_STATE, INVALID_WEBHOOK_URL, INVALID_API_KEY, INVALID_OPERATOR_TOKEN, invalid_request, invalid_state, invalid_token
        = help: npx curbline words refuse lists all

      error: unknown code "TEAPOT"
       --> scenarios/x.yaml:7:52
        |
      7 |   - refuse: { do: runner.assign, for: lunch, code: TEAPOT }
        |                                                    ^^^^^^
        = expected: one of BOT_STATUS_REGRESSION, COMPARTMENT_LOCKED, DELIVERY_ALREADY_EXISTS, DELIVERY_NOT_FOUND, GEOCODE_FAILED, GEOCODING_UNAVAILABLE, … (50 in all)
        = help: npx curbline words refuse lists all
      "
    `)
  })

  test("a refusal without a code", () => {
    expect(
      mistakesInSteps(`${BOOK}
  - refuse: { do: runner.assign, for: lunch }`),
    ).toMatchInlineSnapshot(`
      "
      error: the key "code" is missing
       --> scenarios/x.yaml:6:13
        |
      6 |   - refuse: { do: runner.assign, for: lunch }
        |             ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
        = expected: keys of "refuse": do (required), as, for, by, with, code (required), retry_after
      "
    `)
  })

  test("a fault as a map", () => {
    expect(
      mistakesInSteps(`${BOOK}
  - inject: { open_link: [500, 200] }
  - inject: { thunder: [500, 200] }`),
    ).toMatchInlineSnapshot(`
      "
      error: a map where the name of a fault should be
       --> scenarios/x.yaml:6:13
        |
      6 |   - inject: { open_link: [500, 200] }
        |             ^^^^^^^^^^^^^^^^^^^^^^^^^
        = expected: { inject: open_link.answers, for: lunch, with: { answers: [500, 200] } }

      error: a map where the name of a fault should be
       --> scenarios/x.yaml:7:13
        |
      7 |   - inject: { thunder: [500, 200] }
        |             ^^^^^^^^^^^^^^^^^^^^^^^
        = expected: one of open_link.answers, webhook.answers, webhook.down, host.fault, photo_signing.fails, photo_signing.works, calls.lost, node.lost, service.crashes, geocoder.fails, geocoder.works, store_directory.fails, store_directory.works, payments.fail, payments.lose_answers, payments.work, payments.take, fleet.answers
        = help: a step is written { inject: open_link.answers, for: lunch, with: { answers: [500, 200] } }
      "
    `)
  })

  test("an unknown fault", () => {
    expect(mistakesInSteps("  - inject: call.lost")).toMatchInlineSnapshot(`
      "
      error: unknown fault "call.lost", did you mean "calls.lost"?
       --> scenarios/x.yaml:5:13
        |
      5 |   - inject: call.lost
        |             ^^^^^^^^^
        = expected: one of open_link.answers, webhook.answers, webhook.down, host.fault, photo_signing.fails, photo_signing.works, … (18 in all)
        = help: npx curbline words inject lists all
      "
    `)
  })
})

describe("mistakes in values", () => {
  test("a bare number for a time", () => {
    expect(mistakesInSteps("  - { at: 1130, wait: 5m }")).toMatchInlineSnapshot(`
      "
      error: the bare number 1130 is not a time, did you mean "11:30"?
       --> scenarios/x.yaml:5:11
        |
      5 |   - { at: 1130, wait: 5m }
        |           ^^^^
        = expected: a time such as 11:30, 11:30:15, tomorrow 11:30, or +90s (after the step before)
      "
    `)
  })

  test("a duration over the bound", () => {
    expect(mistakesInKey("given: { policy: { window_grace: 400d } }")).toMatchInlineSnapshot(`
      "
      error: "400d" is too long
       --> scenarios/x.yaml:6:34
        |
      6 | given: { policy: { window_grace: 400d } }
        |                                  ^^^^
        = expected: a duration of at most 366d
      "
    `)
  })

  test("a bare number for a duration", () => {
    expect(mistakesInKey("given: { policy: { window_grace: 5 } }")).toMatchInlineSnapshot(`
      "
      error: the bare number 5 is not a duration
       --> scenarios/x.yaml:6:34
        |
      6 | given: { policy: { window_grace: 5 } }
        |                                  ^
        = expected: a duration such as 90s, 12m, 1h30m or 250ms
        = help: write the unit: 5s or 5m
      "
    `)
  })

  test("a bare number to wait for", () => {
    expect(mistakesInSteps("  - wait: 5")).toMatchInlineSnapshot(`
      "
      error: the bare number 5 is not a time
       --> scenarios/x.yaml:5:11
        |
      5 |   - wait: 5
        |           ^
        = expected: a duration such as 90s, 12m, 1h30m or 250ms, or a time such as 12:30
        = help: write the unit: 5s or 5m
      "
    `)
  })

  test("a time without its zero", () => {
    expect(mistakesInSteps("  - { at: 9:30, wait: 5m }")).toMatchInlineSnapshot(`
      "
      error: "9:30" is not a time, did you mean "09:30"?
       --> scenarios/x.yaml:5:11
        |
      5 |   - { at: 9:30, wait: 5m }
        |           ^^^^
        = expected: a time such as 11:30, 11:30:15, tomorrow 11:30, or +90s (after the step before)
      "
    `)
  })

  test("a duration for a time", () => {
    expect(mistakesInSteps("  - { at: 90s, wait: 5m }")).toMatchInlineSnapshot(`
      "
      error: "90s" is not a time, did you mean "+90s"?
       --> scenarios/x.yaml:5:11
        |
      5 |   - { at: 90s, wait: 5m }
        |           ^^^
        = expected: a time such as 11:30, 11:30:15, tomorrow 11:30, or +90s (after the step before)
      "
    `)
  })

  test("a time for a duration", () => {
    expect(
      mistakesInSteps(`${BOOK}
  - expect: { exception: bot_no_show, for: lunch, within: 12:00 }`),
    ).toMatchInlineSnapshot(`
    "
    error: "12:00" is not a duration
     --> scenarios/x.yaml:6:59
      |
    6 |   - expect: { exception: bot_no_show, for: lunch, within: 12:00 }
      |                                                           ^^^^^
      = expected: a duration such as 90s, 12m, 1h30m or 250ms
    "
  `)
  })

  test("a window of three times", () => {
    expect(mistakesInSteps("  - { do: reservation.create, with: { window: [11:45, 12:15, 12:30] } }"))
      .toMatchInlineSnapshot(`
        "
        error: a window with 3 times
         --> scenarios/x.yaml:5:47
          |
        5 |   - { do: reservation.create, with: { window: [11:45, 12:15, 12:30] } }
          |                                               ^^^^^^^^^^^^^^^^^^^^^
          = expected: two times [from, to], such as [11:45, 12:15]
        "
      `)
  })

  test("one time for a window", () => {
    expect(mistakesInSteps("  - { do: reservation.create, with: { window: 11:45 } }")).toMatchInlineSnapshot(`
      "
      error: "11:45" where a list should be
       --> scenarios/x.yaml:5:47
        |
      5 |   - { do: reservation.create, with: { window: 11:45 } }
        |                                               ^^^^^
        = expected: two times [from, to], such as [11:45, 12:15]
      "
    `)
  })

  test("a value of the wrong case", () => {
    expect(
      mistakesInSteps(`${BOOK}
  - { do: bot.report, for: lunch, with: { status: Arrived } }`),
    ).toMatchInlineSnapshot(`
    "
    error: unknown value "Arrived", did you mean "ARRIVED"?
     --> scenarios/x.yaml:6:51
      |
    6 |   - { do: bot.report, for: lunch, with: { status: Arrived } }
      |                                                   ^^^^^^^
      = expected: one of INBOUND, ARRIVED, READY_FOR_HANDOFF, SECURED, DEPARTED, ABORTED
    "
  `)
  })

  test("a number for text", () => {
    expect(
      mistakesInSteps("  - { do: reservation.create, with: { window: [11:45, 12:15], order_number: 1187 } }"),
    ).toMatchInlineSnapshot(`
      "
      error: 1187 is not text
       --> scenarios/x.yaml:5:77
        |
      5 |   - { do: reservation.create, with: { window: [11:45, 12:15], order_number: 1187 } }
        |                                                                             ^^^^
        = expected: the order number: text
        = help: write it in quotes: "1187"
      "
    `)
  })

  test("yes for true", () => {
    expect(
      mistakesInSteps(`${BOOK}
  - { do: runner.load, for: lunch, with: { photo: yes } }`),
    ).toMatchInlineSnapshot(`
    "
    error: "yes" is not true or false, did you mean "true"?
     --> scenarios/x.yaml:6:51
      |
    6 |   - { do: runner.load, for: lunch, with: { photo: yes } }
      |                                                   ^^^
      = expected: whether a photo was taken: true or false
    "
  `)
  })

  test("a number out of range", () => {
    expect(
      mistakesInSteps(`${BOOK}
  - expect: { exception: bot_no_show, for: lunch, times: -1 }`),
    ).toMatchInlineSnapshot(`
    "
    error: -1 is out of range
     --> scenarios/x.yaml:6:58
      |
    6 |   - expect: { exception: bot_no_show, for: lunch, times: -1 }
      |                                                          ^^
      = expected: how many times: a whole number from 0 to 10000
    "
  `)
  })

  test("two dimensions", () => {
    expect(
      mistakesInSteps(`${BOOK}
  - { do: runner.measure, for: lunch, with: { dimensions_cm: [1, 2] } }`),
    ).toMatchInlineSnapshot(`
    "
    error: these are not three numbers
     --> scenarios/x.yaml:6:62
      |
    6 |   - { do: runner.measure, for: lunch, with: { dimensions_cm: [1, 2] } }
      |                                                              ^^^^^^
      = expected: its size, centimetres: three numbers [length, width, height] in centimetres
    "
  `)
  })

  test("an answer that is none", () => {
    expect(mistakesInKey("given: { webhooks: [{ as: hook, answers: [timout, 99, { stats: 200 }] }] }"))
      .toMatchInlineSnapshot(`
      "
      error: "timout" is not an answer, did you mean "timeout"?
       --> scenarios/x.yaml:6:43
        |
      6 | given: { webhooks: [{ as: hook, answers: [timout, 99, { stats: 200 }] }] }
        |                                           ^^^^^^
        = expected: a status from 100 to 599, timeout, refused, or { status: 200, after: 6s }

      error: 99 is not an answer
       --> scenarios/x.yaml:6:51
        |
      6 | given: { webhooks: [{ as: hook, answers: [timout, 99, { stats: 200 }] }] }
        |                                                   ^^
        = expected: a status from 100 to 599, timeout, refused, or { status: 200, after: 6s }

      error: unknown key "stats", did you mean "status"?
       --> scenarios/x.yaml:6:57
        |
      6 | given: { webhooks: [{ as: hook, answers: [timout, 99, { stats: 200 }] }] }
        |                                                         ^^^^^
        = expected: an answer: status (required), after
      "
    `)
  })

  test("null where something must be", () => {
    expect(
      mistakesInSteps(`${BOOK}
  - expect: { reservation: lunch, status: null }`),
    ).toMatchInlineSnapshot(`
    "
    error: null is no value here
     --> scenarios/x.yaml:6:43
      |
    6 |   - expect: { reservation: lunch, status: null }
      |                                           ^^^^
      = expected: its status: one of requested, confirmed, arrived, completed, canceled
    "
  `)
  })

  test("a value left out", () => {
    expect(
      mistakesInSteps(`${BOOK}
  - expect: { reservation: lunch, status: }`),
    ).toMatchInlineSnapshot(`
    "
    error: a value is missing
     --> scenarios/x.yaml:6:35
      |
    6 |   - expect: { reservation: lunch, status: }
      |                                   ^^^^^^
      = expected: its status: one of requested, confirmed, arrived, completed, canceled
    "
  `)
  })
})

describe("mistakes in names", () => {
  test("a name that was never given", () => {
    expect(
      mistakesInSteps(`${BOOK}
  - { do: runner.assign, for: lnch }`),
    ).toMatchInlineSnapshot(`
    "
    error: nothing is named "lnch", did you mean "lunch"?
     --> scenarios/x.yaml:6:31
      |
    6 |   - { do: runner.assign, for: lnch }
      |                               ^^^^
      = expected: a reservation named in an earlier step: lunch
    "
  `)
  })

  test("a name with two letters swapped", () => {
    expect(mistakesInSteps(`${BOOK}\n  - { do: runner.assign, for: lunhc }`)).toMatchInlineSnapshot(`
      "
      error: nothing is named "lunhc", did you mean "lunch"?
       --> scenarios/x.yaml:6:31
        |
      6 |   - { do: runner.assign, for: lunhc }
        |                               ^^^^^
        = expected: a reservation named in an earlier step: lunch
      "
    `)
  })

  test("a name given only later", () => {
    expect(
      mistakesInSteps(`  - { do: runner.assign, for: lunch }
${BOOK}`),
    ).toMatchInlineSnapshot(`
  "
  error: "lunch" is named only later, in line 6
   --> scenarios/x.yaml:5:31
    |
  5 |   - { do: runner.assign, for: lunch }
    |                               ^^^^^
    = expected: a reservation named in an earlier step: there is none
  "
`)
  })

  test("a name of another kind", () => {
    expect(
      mistakesInSteps(`${BOOK}
  - expect: { signature: lunch }`),
    ).toMatchInlineSnapshot(`
      "
      error: "lunch" is a reservation, not a webhook
       --> scenarios/x.yaml:6:26
        |
      6 |   - expect: { signature: lunch }
        |                          ^^^^^
        = expected: a webhook named under given or in an earlier step: there is none
      "
    `)
  })

  test("a name given twice", () => {
    expect(
      mistakesInSteps(`${BOOK}
${BOOK}`),
    ).toMatchInlineSnapshot(`
  "
  error: the name "lunch" is taken
   --> scenarios/x.yaml:6:35
    |
  6 |   - { do: reservation.create, as: lunch, with: { window: [11:45, 12:15] } }
    |                                   ^^^^^
    = expected: another name
    = help: line 5 gave it to a reservation
  "
`)
  })

  test("a name with a blank", () => {
    expect(mistakesInSteps("  - { do: reservation.create, as: my lunch, with: { window: [11:45, 12:15] } }"))
      .toMatchInlineSnapshot(`
      "
      error: "my lunch" is not a name
       --> scenarios/x.yaml:5:35
        |
      5 |   - { do: reservation.create, as: my lunch, with: { window: [11:45, 12:15] } }
        |                                   ^^^^^^^^
        = expected: a letter, then letters, digits, - or _, such as lunch
      "
    `)
  })
})

describe("mistakes in facts", () => {
  test("a misspelled fact", () => {
    expect(
      mistakesInSteps(`${BOOK}
  - expect: { reservatoin: lunch, status: arrived }`),
    ).toMatchInlineSnapshot(`
      "
      error: unknown key "reservatoin", did you mean "reservation"?
       --> scenarios/x.yaml:6:15
        |
      6 |   - expect: { reservatoin: lunch, status: arrived }
        |               ^^^^^^^^^^^
        = expected: one of reservation, exception, milestone, webhook, order, deliveries, believes, signature, open_link, state, listed, delivery, quote, vehicle, pickup_webhook, endpoint, delivery_list, analytics, errand, released, texts, compartment
      "
    `)
  })

  test("no fact", () => {
    expect(
      mistakesInSteps(`${BOOK}
  - expect: { status: arrived }`),
    ).toMatchInlineSnapshot(`
      "
      error: this says nothing that can be expected
       --> scenarios/x.yaml:6:13
        |
      6 |   - expect: { status: arrived }
        |             ^^^^^^^^^^^^^^^^^^^
        = expected: one of reservation, exception, milestone, webhook, order, deliveries, believes, signature, open_link, state, listed, delivery, quote, vehicle, pickup_webhook, endpoint, delivery_list, analytics, errand, released, texts, compartment
        = help: npx curbline words expect lists all
      "
    `)
  })

  test("two facts at once", () => {
    expect(
      mistakesInSteps(`${BOOK}
  - expect: { reservation: lunch, exception: bot_no_show }`),
    ).toMatchInlineSnapshot(`
      "
      error: "exception" does not go with "reservation"
       --> scenarios/x.yaml:6:35
        |
      6 |   - expect: { reservation: lunch, exception: bot_no_show }
        |                                   ^^^^^^^^^
        = help: each is a fact of its own: make two steps of it
      "
    `)
  })

  test("a field of another fact", () => {
    expect(
      mistakesInSteps(`${BOOK}
  - expect: { reservation: lunch, times: 1 }`),
    ).toMatchInlineSnapshot(`
      "
      error: unknown key "times"
       --> scenarios/x.yaml:6:35
        |
      6 |   - expect: { reservation: lunch, times: 1 }
        |                                   ^^^^^
        = expected: fields of reservation: reservation (required), status, canceled_by, cancel_reason, stall, window, … (24 in all)
        = help: npx curbline words reservation lists all
      "
    `)
  })

  test("at and within together", () => {
    expect(
      mistakesInSteps(`${BOOK}
  - expect: { exception: bot_no_show, for: lunch, at: 12:00, within: 5m }`),
    ).toMatchInlineSnapshot(`
    "
    error: "at" and "within" exclude each other
     --> scenarios/x.yaml:6:62
      |
    6 |   - expect: { exception: bot_no_show, for: lunch, at: 12:00, within: 5m }
      |                                                              ^^^^^^
      = expected: one of them
    "
  `)
  })

  test("a state that the machine does not have", () => {
    expect(
      mistakesInSteps(`${BOOK}
  - expect: { state: underway.redy, actor: runner-task, for: lunch }`),
    ).toMatchInlineSnapshot(`
    "
    error: the runner-task has no state "underway.redy", did you mean "underway.ready"?
     --> scenarios/x.yaml:6:22
      |
    6 |   - expect: { state: underway.redy, actor: runner-task, for: lunch }
      |                      ^^^^^^^^^^^^^
      = expected: one of underway, underway.ready, ended
    "
  `)
  })

  test("a state of another machine", () => {
    expect(
      mistakesInSteps(`${BOOK}
  - expect: { state: open.confirmed, actor: bot, for: lunch }`),
    ).toMatchInlineSnapshot(`
    "
    error: the bot has no state "open.confirmed"
     --> scenarios/x.yaml:6:22
      |
    6 |   - expect: { state: open.confirmed, actor: bot, for: lunch }
      |                      ^^^^^^^^^^^^^^
      = expected: one of awaited, here
    "
  `)
  })
})

describe("mistakes in time", () => {
  test("a step before the step before", () => {
    expect(
      mistakesInSteps(`  - { at: 11:40, wait: 5m }
  - { at: 11:42, wait: 5m }`),
    ).toMatchInlineSnapshot(`
    "
    error: 11:42 has passed: the step before is not earlier than 11:45
     --> scenarios/x.yaml:6:11
      |
    6 |   - { at: 11:42, wait: 5m }
      |           ^^^^^
      = expected: 11:45 or later
      = help: the next day is "tomorrow 11:42"
    "
  `)
  })

  test("a step before the clock", () => {
    expect(mistakesInSteps("  - { at: 11:00, wait: 5m }")).toMatchInlineSnapshot(`
      "
      error: 11:00 has passed: the step before is not earlier than 11:30
       --> scenarios/x.yaml:5:11
        |
      5 |   - { at: 11:00, wait: 5m }
        |           ^^^^^
        = expected: 11:30 or later
        = help: the next day is "tomorrow 11:00"
      "
    `)
  })

  test("an offset backwards", () => {
    expect(mistakesInSteps("  - { at: -5m, wait: 5m }")).toMatchInlineSnapshot(`
      "
      error: this time is before the step before
       --> scenarios/x.yaml:5:11
        |
      5 |   - { at: -5m, wait: 5m }
        |           ^^^
        = expected: an offset forward, such as +90s
      "
    `)
  })

  test("a fact expected in the past", () => {
    expect(
      mistakesInSteps(`${BOOK}
  - wait: 12:00
  - expect: { exception: bot_no_show, for: lunch, at: 11:50 }`),
    ).toMatchInlineSnapshot(`
    "
    error: 11:50 has passed: the step before is not earlier than 12:00
     --> scenarios/x.yaml:7:55
      |
    7 |   - expect: { exception: bot_no_show, for: lunch, at: 11:50 }
      |                                                       ^^^^^
      = expected: 12:00 or later
      = help: the next day is "tomorrow 11:50"
    "
  `)
  })

  test("a clock without a zone", () => {
    expect(
      mistakesIn(`scenario: S
because: B
clock: 2026-03-02T11:30
steps: [{ wait: 5m }]`),
    ).toMatchInlineSnapshot(`
  "
  error: the clock has no time zone
   --> scenarios/x.yaml:3:8
    |
  3 | clock: 2026-03-02T11:30
    |        ^^^^^^^^^^^^^^^^
    = expected: a local date and time with its time zone, such as 2026-03-02T11:30 America/Chicago
  "
`)
  })

  test("a clock on February 30", () => {
    expect(
      mistakesIn(`scenario: S
because: B
clock: 2026-02-30T11:30 America/Chicago
steps: [{ wait: 5m }]`),
    ).toMatchInlineSnapshot(`
      "
      error: there is no day 2026-02-30 in the calendar
       --> scenarios/x.yaml:3:8
        |
      3 | clock: 2026-02-30T11:30 America/Chicago
        |        ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
        = expected: a local date and time with its time zone, such as 2026-03-02T11:30 America/Chicago
      "
    `)
  })

  test("an unknown time zone", () => {
    expect(
      mistakesIn(`scenario: S
because: B
clock: 2026-03-02T11:30 America/Chigago
steps: [{ wait: 5m }]`),
    ).toMatchInlineSnapshot(`
  "
  error: there is no time zone "America/Chigago", did you mean "America/Chicago"?
   --> scenarios/x.yaml:3:25
    |
  3 | clock: 2026-03-02T11:30 America/Chigago
    |                         ^^^^^^^^^^^^^^^
    = expected: a region of the IANA data base, such as America/Chicago
  "
`)
  })

  test("a time that the clocks leave out", () => {
    expect(
      mistakesIn(`scenario: S
because: B
clock: 2026-03-07T11:30 America/Chicago
steps: [{ wait: tomorrow 02:30 }]`),
    ).toMatchInlineSnapshot(`
      "
      error: there is no 02:30 on 2026-03-08 in America/Chicago
       --> scenarios/x.yaml:4:17
        |
      4 | steps: [{ wait: tomorrow 02:30 }]
        |                 ^^^^^^^^^^^^^^
        = help: the clocks are put forward then
      "
    `)
  })
})

describe("mistakes in what surrounds the steps", () => {
  test("an unknown site", () => {
    expect(mistakesInKey("given: { site: domain-nort }")).toMatchInlineSnapshot(`
      "
      error: there is no site "domain-nort", did you mean "domain-north"?
       --> scenarios/x.yaml:6:16
        |
      6 | given: { site: domain-nort }
        |                ^^^^^^^^^^^
        = expected: a built-in site (domain-north, sandbox-test, one-stall, no-runners, no-stalls) or { stalls: 3 }
      "
    `)
  })

  test("more active stalls than stalls", () => {
    expect(mistakesInKey("given: { site: { stalls: 2, active_stalls: 3 } }")).toMatchInlineSnapshot(`
      "
      error: 3 active stalls of 2
       --> scenarios/x.yaml:6:44
        |
      6 | given: { site: { stalls: 2, active_stalls: 3 } }
        |                                            ^
        = expected: at most 2
      "
    `)
  })

  test("an unknown policy", () => {
    expect(mistakesInKey("given: { policy: { bot_wat: 5m } }")).toMatchInlineSnapshot(`
      "
      error: unknown key "bot_wat", did you mean "bot_wait"?
       --> scenarios/x.yaml:6:20
        |
      6 | given: { policy: { bot_wat: 5m } }
        |                    ^^^^^^^
        = expected: policy values: window_grace, bot_wait, staging_lead, window_ahead_max, window_width_min, window_width_max, open_link_attempts, requests_per_minute, bot_reports_per_minute, announces_handoffs
      "
    `)
  })

  test("an unknown invariant", () => {
    expect(mistakesInKey("always: [no stall is shared without ned]")).toMatchInlineSnapshot(`
      "
      error: there is no invariant "no stall is shared without ned", did you mean "no stall is shared without need"?
       --> scenarios/x.yaml:6:10
        |
      6 | always: [no stall is shared without ned]
        |          ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
        = expected: one of no stall is shared without need, a settled reservation stays settled
        = help: npx curbline words always lists all
      "
    `)
  })

  test("a promise without a comparison", () => {
    expect(mistakesInKey("promises: { events: 60 }")).toMatchInlineSnapshot(`
      "
      error: 60 is not a bound, did you mean "< 60"?
       --> scenarios/x.yaml:6:21
        |
      6 | promises: { events: 60 }
        |                     ^^
        = expected: "< 60", "<= 60", "= 60", ">= 60" or "> 60", in quotes
      "
    `)
  })

  test("an unknown event type", () => {
    expect(mistakesInKey("given: { webhooks: [{ as: hook, events: [status_changed] }] }"))
      .toMatchInlineSnapshot(`
      "
      error: unknown value "status_changed", did you mean "reservation.status_changed"?
       --> scenarios/x.yaml:6:42
        |
      6 | given: { webhooks: [{ as: hook, events: [status_changed] }] }
        |                                          ^^^^^^^^^^^^^^
        = expected: one of reservation.status_changed, reservation.handoff_updated, reservation.exception
      "
    `)
  })

  test("a seed that is no number", () => {
    expect(mistakesInKey("seed: many")).toMatchInlineSnapshot(`
      "
      error: "many" is not a whole number
       --> scenarios/x.yaml:6:7
        |
      6 | seed: many
        |       ^^^^
        = expected: a seed from 0 to 4294967295
      "
    `)
  })

  test("no steps", () => {
    expect(
      mistakesIn(`scenario: S
because: B
clock: 2026-03-02T11:30 America/Chicago
steps: []`),
    ).toMatchInlineSnapshot(`
  "
  error: a scenario without steps
   --> scenarios/x.yaml:4:8
    |
  4 | steps: []
    |        ^^
    = expected: 1 to 2000 steps
  "
`)
  })
})

describe("mistakes in a matrix", () => {
  test("an unknown column", () => {
    expect(
      mistakesInSteps(`  - wait: $puase
matrix: [{ name: short, pause: 5m }]`),
    ).toMatchInlineSnapshot(`
      "
      error: the matrix has no "$puase", did you mean "$pause"?
       --> scenarios/x.yaml:5:11
        |
      5 |   - wait: $puase
        |           ^^^^^^
        = expected: one of $pause

      error: no step uses "$pause"
       --> scenarios/x.yaml:6:25
        |
      6 | matrix: [{ name: short, pause: 5m }]
        |                         ^^^^^
        = help: use it under given or steps, or remove it
      "
    `)
  })

  test("an unused column", () => {
    expect(mistakesInKey("matrix: [{ name: short, pause: 5m }]")).toMatchInlineSnapshot(`
      "
      error: no step uses "$pause"
       --> scenarios/x.yaml:6:25
        |
      6 | matrix: [{ name: short, pause: 5m }]
        |                         ^^^^^
        = help: use it under given or steps, or remove it
      "
    `)
  })

  test("a variable without a matrix", () => {
    expect(mistakesInSteps("  - wait: $pause")).toMatchInlineSnapshot(`
      "
      error: the matrix has no "$pause"
       --> scenarios/x.yaml:5:11
        |
      5 |   - wait: $pause
        |           ^^^^^^
        = expected: a value; there is no matrix
      "
    `)
  })

  test("a row without a column", () => {
    expect(
      mistakesInSteps(`  - wait: $pause
matrix:
  - { name: short, pause: 5m }
  - { name: long }`),
    ).toMatchInlineSnapshot(`
      "
      error: this row has no "pause"
       --> scenarios/x.yaml:8:5
        |
      8 |   - { name: long }
        |     ^^^^^^^^^^^^^^
        = expected: name, pause
      "
    `)
  })

  test("a bad value in a row", () => {
    expect(
      mistakesInSteps(`  - wait: $pause
matrix:
  - { name: short, pause: 5m }
  - { name: long, pause: 90 }`),
    ).toMatchInlineSnapshot(`
    "
    error: the bare number 90 is not a time
     --> scenarios/x.yaml:8:26
      |
    8 |   - { name: long, pause: 90 }
      |                          ^^
      = expected: a duration such as 90s, 12m, 1h30m or 250ms, or a time such as 12:30
      = help: write the unit: 90s or 90m
    "
  `)
  })
})

describe("mistakes in YAML", () => {
  test("an anchor and an alias", () => {
    expect(
      mistakesInSteps(`  - &a { wait: 5m }
  - *a`),
    ).toMatchInlineSnapshot(`
    "
    error: an anchor, &a
     --> scenarios/x.yaml:5:5
      |
    5 |   - &a { wait: 5m }
      |     ^^
      = help: write the value out, or use a matrix

    error: an alias, *a
     --> scenarios/x.yaml:6:5
      |
    6 |   - *a
      |     ^^
      = help: write the value out, or use a matrix
    "
  `)
  })

  test("a tag", () => {
    expect(mistakesInSteps("  - wait: !!str 5m")).toMatchInlineSnapshot(`
      "
      error: a tag, !!str
       --> scenarios/x.yaml:5:11
        |
      5 |   - wait: !!str 5m
        |           ^^^^^
        = help: remove it; the field decides what kind of value this is
      "
    `)
  })

  test("a key that stands twice", () => {
    expect(mistakesInSteps("  - { wait: 5m, wait: 6m }")).toMatchInlineSnapshot(`
      "
      error: the key "wait" is written twice
       --> scenarios/x.yaml:5:17
        |
      5 |   - { wait: 5m, wait: 6m }
        |                 ^^^^
        = help: it is already in line 5
      "
    `)
  })

  test("a tab", () => {
    expect(mistakesInSteps("  - wait:\t5m")).toMatchInlineSnapshot(`
      "
      error: a tab character
       --> scenarios/x.yaml:5:10
        |
      5 |   - wait: 5m
        |          ^
        = expected: spaces
        = help: set the editor to two spaces a step
      "
    `)
  })

  test("tabs for indentation", () => {
    expect(mistakesInSteps("\t- wait: 5m")).toMatchInlineSnapshot(`
      "
      error: a tab character
       --> scenarios/x.yaml:5:1
        |
      5 |  - wait: 5m
        | ^
        = expected: spaces
        = help: set the editor to two spaces a step
      "
    `)
  })

  test("two documents", () => {
    expect(
      mistakesInSteps(`  - wait: 5m
---
scenario: T`),
    ).toMatchInlineSnapshot(`
  "
  error: the file holds more than one document
   --> scenarios/x.yaml:6:1
    |
  6 | ---
    | ^
    = expected: one scenario a file, without ---
  "
`)
  })

  test("a directive", () => {
    expect(
      mistakesIn(`%YAML 1.1
---
scenario: S`),
    ).toMatchInlineSnapshot(`
      "
      error: a YAML directive, %YAML 1.1
       --> scenarios/x.yaml:1:1
        |
      1 | %YAML 1.1
        | ^^^^^^^^^
        = help: remove the line; scenarios are YAML 1.2

      error: the key "because" is missing
       --> scenarios/x.yaml:3:1
        |
      3 | scenario: S
        | ^^^^^^^^^^^
        = expected: because: why it matters, in a sentence

      error: the key "clock" is missing
       --> scenarios/x.yaml:3:1
        |
      3 | scenario: S
        | ^^^^^^^^^^^
        = expected: clock: the local time of the start and its time zone, such as 2026-03-02T11:30 America/Chicago

      error: the key "steps" is missing
       --> scenarios/x.yaml:3:1
        |
      3 | scenario: S
        | ^^^^^^^^^^^
        = expected: steps: a list of steps
      "
    `)
  })

  test("a bracket left open", () => {
    expect(mistakesInSteps("  - { wait: 5m")).toMatchInlineSnapshot(`
      "
      error: this { is not closed
       --> scenarios/x.yaml:5:5
        |
      5 |   - { wait: 5m
        |     ^
        = expected: } after the last value
      "
    `)
  })

  test("a quote left open", () => {
    expect(mistakesInSteps(`  - { do: reservation.read, for: "lunch }`)).toMatchInlineSnapshot(`
      "
      error: a quote is not closed
       --> scenarios/x.yaml:5:34
        |
      5 |   - { do: reservation.read, for: "lunch }
        |                                  ^
        = expected: " at the end of the text
      "
    `)
  })

  test("a bound without quotes", () => {
    expect(
      mistakesInKey(`promises:
  events: > 60`),
    ).toMatchInlineSnapshot(`
      "
      error: not YAML: this does not belong here
       --> scenarios/x.yaml:7:13
        |
      7 |   events: > 60
        |             ^^
        = help: write the value in quotes if it is meant as text
      "
    `)
  })

  test.each([
    { typed: "- wait: { for: 5m }}\n  - { wait: 5m }", found: "5:22: this } closes nothing" },
    { typed: "- { wait: [5m]], at: 11:30 }\n  - { wait: 5m }", found: "5:17: this ] closes nothing" },
    { typed: "- { wait: 5m at: 11:30 }", found: "5:13: not YAML: a comma is missing between two values" },
    { typed: "- at: 11:30\n   wait: 5m", found: "6:4: not YAML: this line belongs to no entry of the list" },
    {
      typed: "hello\n  - wait: 5m\n  - wait: 5m",
      found: "5:3: not YAML: a key without a colon",
    },
  ])("$typed is one mistake, whatever is read wrongly after it", ({ typed, found }) => {
    const mistakes = mistakesInSteps(`  ${typed}\n  - { wait: 5m }`).split("\n\n")
    const read = mistakes.map((one) =>
      one
        .trim()
        .replace(
          /^error: (.*)\n.*?(\d+:\d+)\n[^]*$/,
          (_, message: string, at: string) => `${at}: ${message}`,
        ),
    )
    expect(read).toEqual([found])
  })

  test("an empty file", () => {
    expect(mistakesIn("# nothing")).toMatchInlineSnapshot(`
      "
      error: the file is empty
       --> scenarios/x.yaml:1:1
        |
      1 | # nothing
        | ^
        = expected: a scenario
      "
    `)
  })

  test("a list for a scenario", () => {
    expect(mistakesIn("- wait: 5m")).toMatchInlineSnapshot(`
      "
      error: the file is not a map
       --> scenarios/x.yaml:1:1
        |
      1 | - wait: 5m
        | ^^^^^^^^^^
        = expected: keys such as scenario, because, clock, steps
      "
    `)
  })

  test("thirteen levels", () => {
    expect(mistakesIn(`a: ${"[".repeat(12)}${"]".repeat(12)}`)).toMatchInlineSnapshot(`
      "
      error: lists and maps are nested too deeply
       --> scenarios/x.yaml:1:15
        |
      1 | a: [[[[[[[[[[[[]]]]]]]]]]]]
        |               ^
        = expected: at most 12 levels
      "
    `)
  })
})

test("colors mark the message, the gutter and the caret", () => {
  const [problem] = readScenarios("x.yaml", "- a", NAMES).problems
  expect(problem === undefined ? "" : formatProblem(problem, { color: true })).toBe(
    [
      "\u001B[1;31merror:\u001B[0m \u001B[1mthe file is not a map\u001B[0m",
      " \u001B[34m-->\u001B[0m x.yaml:1:1",
      "  \u001B[34m|\u001B[0m",
      "\u001B[34m1 |\u001B[0m - a",
      "  \u001B[34m|\u001B[0m \u001B[1;31m^^^\u001B[0m",
      "  \u001B[34m=\u001B[0m expected: keys such as scenario, because, clock, steps",
    ].join("\n"),
  )
})

test("a file of more than 256 KiB", () => {
  const { problems } = readScenarios("x.yaml", "#".repeat(256 * 1024 + 1), NAMES)
  expect(problems.map(({ message, expected }) => `${message}; ${expected ?? ""}`)).toEqual([
    "the file is 262145 bytes long; at most 262144 bytes (256 KiB)",
  ])
})

test("more than 2,000 steps", () => {
  const text = `scenario: S\nbecause: B\nclock: 2026-03-02T11:30 America/Chicago\nsteps:\n${"  - wait: 1s\n".repeat(2_001)}`
  const { problems } = readScenarios("x.yaml", text, NAMES)
  expect(problems.map(({ message, expected }) => `${message}; ${expected ?? ""}`)).toEqual([
    "2001 steps; 1 to 2000 steps",
  ])
})

test("a hundred thousand open brackets", () => {
  const { problems } = readScenarios("x.yaml", "[".repeat(100_000), NAMES)
  expect(problems.map(({ message }) => message)).toEqual(["lists and maps are nested too deeply"])
})

test("a long line is cut around the mistake", () => {
  const title = "x".repeat(400)
  const { problems } = readScenarios("x.yaml", `{ a: ${title}, expct: 1, b: ${title} }`, NAMES)
  const shown = problems.map((problem) => formatProblem(problem).split("\n"))
  expect(shown.every((lines) => lines.every((line) => line.length < 180 || line.startsWith("  =")))).toBe(
    true,
  )
  const marked = shown.find(([message]) => message?.includes("expct"))
  const [line = "", caret = ""] = marked?.slice(3) ?? []
  expect(line.slice(caret.indexOf("^"), caret.lastIndexOf("^") + 1)).toBe("expct")
})

test("many mistakes are told at once, in file order", () => {
  const { problems } = readScenarios("x.yaml", MANY, NAMES)
  expect(problems.map(({ place, message }) => `${place.line}:${place.column} ${message}`))
    .toMatchInlineSnapshot(`
      [
        "1:11 5 where text should be",
        "5:11 the bare number 1130 is not a time",
        "5:21 unknown command "reservation.creat"",
        "7:28 nothing is named "lnch"",
        "7:34 unknown key "statsu"",
        "7:59 unknown value "arived"",
        "8:1 unknown key "sed"",
      ]
    `)
})

const MANY = `scenario: 5
because: B
clock: 2026-03-02T11:30 America/Chicago
steps:
  - { at: 1130, do: reservation.creat, as: lunch }
  - { do: runner.assign, for: lunch }
  - expect: { reservation: lnch, statsu: arrived, status: arived }
sed: 5
`

describe("mistakes of people who write their first scenario", () => {
  /** The messages, their suggestions and helps alone. */
  const saidOf = (steps: string): readonly string[] =>
    mistakesInSteps(steps)
      .split("\n")
      .filter((line) => /^error: |= help: /.test(line))
      .map((line) => line.replace(/^ *= /, ""))

  test("an argument beside with, and a key of the step inside of it, are each said once", () => {
    expect(saidOf(`${BOOK}\n  - { do: bot.report, for: lunch, status: ARRIVED }`)).toEqual([
      'error: "status" belongs inside of "with"',
      "help: write with: { status: ARRIVED }",
    ])
    expect(saidOf(`${BOOK}\n  - { do: bot.report, with: { for: lunch, status: ARRIVED } }`)).toEqual([
      'error: "for" belongs beside "with", not inside of it',
      "help: write for: lunch, with: { … }",
    ])
    expect(
      saidOf(`${BOOK}\n  - refuse: { do: bot.report, for: lunch, status: ARRIVED, code: INVALID_STATE }`),
    ).toEqual(['error: "status" belongs inside of "with"', "help: write with: { status: ARRIVED }"])
    expect(saidOf("  - { inject: payments.take, time: 5m }")).toEqual([
      'error: "time" belongs inside of "with"',
      "help: write with: { time: 5m }",
    ])
    expect(saidOf("  - { do: reservation.create, as: lunch, window: [11:45, 12:15] }")).toEqual([
      'error: "window" belongs inside of "with"',
      "help: write with: { window: … }",
    ])
  })

  test("a receiver, a vehicle and an errand without a name are said with how they get one", () => {
    expect(saidOf("  - expect: { webhook: reservation.exception, to: partner, times: 1 }")).toEqual([
      'error: nothing is named "partner"',
      "help: add { as: partner, events: all } to given: webhooks, or to pickup_webhooks for deliveries",
    ])
    expect(saidOf("  - { do: vehicle.go_online, for: v1 }")).toEqual([
      'error: nothing is named "v1"',
      "help: add { as: v1 } to given: vehicles",
    ])
    const errand = mistakesInSteps("  - { do: errand.reserve, for: dinner }")
    expect(errand).toContain("expected: an errand named in an earlier step: there is none")
    expect(errand).toContain("help: the step that makes it names it: as: dinner")
  })

  test("a name whose own step has a mistake is not said to come later", () => {
    const steps = BOOK.replace("as: lunch", "as: “lunch”")
    expect(saidOf(`${steps}\n  - { do: runner.assign, for: “lunch” }`)).toEqual([
      'error: "“lunch”" is not a name',
      'error: the step that names "“lunch”" has a mistake, in line 5',
    ])
  })

  test.each([
    ["wait: 5 min", "5m"],
    ["wait: 1 hour 30 minutes", "1h30m"],
    ["wait: until 12:30", "12:30"],
    ["at: 7:00 pm", "19:00"],
    ["at: 12:05am", "00:05"],
    ["at: 11:5", "11:05"],
    ["at: 30 minutes", "+30m"],
  ])("%s is understood as %s", (written, meant) => {
    const step = written.startsWith("wait") ? `{ ${written} }` : `{ ${written}, wait: 1s }`
    const [message] = saidOf(`  - { do: calls.lost }\n  - ${step}`).filter((line) => line.includes("time"))
    const text = written.replace(/^\w+: /, "")
    expect(message).toBe(`error: "${text}" is not a time, did you mean "${meant}"?`)
  })

  test("what a wait takes is said in full", () => {
    expect(mistakesInSteps("  - wait: soon")).toContain(
      "expected: a duration such as 90s, 12m, 1h30m or 250ms, or a time such as 12:30",
    )
  })

  test("a duration in words is understood", () => {
    expect(saidOf(`${BOOK}\n  - expect: { reservation: lunch, status: canceled, within: 30 min }`)).toEqual([
      'error: "30 min" is not a duration, did you mean "30m"?',
    ])
  })

  test("a blank is missing after a colon", () => {
    expect(saidOf("  - { at:11:30, wait: 5m }")).toEqual([
      'error: unknown key "at:11:30", did you mean "at: 11:30"?',
    ])
    expect(saidOf("  - { wait:5m }")).toEqual(['error: unknown key "wait:5m", did you mean "wait: 5m"?'])
  })

  test("a dash in the wrong column, and a key in it, are no second key on one line", () => {
    expect(mistakesInSteps(`${BOOK}\n - { do: runner.assign, for: lunch }`)).toContain(
      "error: not YAML: this line is not indented like its neighbours\n --> scenarios/x.yaml:6:2\n",
    )
    expect(mistakesInSteps("  - at: 11:30\n     do: calls.lost\n    for: lunch")).toContain(
      "error: not YAML: this line is not indented like its neighbours\n --> scenarios/x.yaml:6:6\n",
    )
  })

  test("a start that does not exist, and one without its T", () => {
    const start = (clock: string): string | undefined =>
      mistakesIn(`scenario: S\nbecause: B\nclock: ${clock} America/Chicago\nsteps:\n  - wait: 5m\n`).split(
        "\n",
      )[1]
    expect(start("2026-02-30T11:30")).toBe("error: there is no day 2026-02-30 in the calendar")
    expect(start("2026-02-28T25:30")).toBe("error: a day has no time 25:30")
    expect(start("2026-03-02 11:30")).toBe(
      'error: "2026-03-02 11:30 America/Chicago" is not a clock, did you mean "2026-03-02T11:30 America/Chicago"?',
    )
  })
})
