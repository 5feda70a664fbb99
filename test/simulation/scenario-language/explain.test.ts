import { expect, test } from "vitest"
import { explain } from "../../../src/simulation/scenario/words/explain.ts"
import { readScenarios } from "../../../src/simulation/scenario/language/read.ts"
import { EVERYTHING, NAMES, NO_SHOW } from "./names-in-tests.ts"

function explained(text: string): string {
  const [scenario] = readScenarios("x.yaml", text, NAMES).scenarios
  return scenario === undefined ? "" : explain(scenario)
}

test("the example reads as sentences", () => {
  expect(explained(NO_SHOW)).toMatchInlineSnapshot(`
    "The bot never shows up
    The runner waits ten minutes, then operations must know.

    Given it is 11:30 on Monday, March 2, 2026 (America/Chicago).
      And the site is domain-north.
      And the endpoint partner receives all events and answers 200.
     When at 11:30 the partner books lunch for 11:45 to 12:15, with the order number 1187.
      And at 11:40 a runner takes lunch.
      And at 11:46 the runner of lunch is at the store.
      And at 11:52 the runner of lunch has the order.
      And at 11:55 the runner of lunch is at the bot.
     Then at 12:05 the exception bot_no_show is published for lunch.
      And within 30 minutes lunch has the status canceled, the canceler system and the cancel reason window_expired.
      And partner receives reservation.exception, accepted once; decided once nothing more can come within 10 seconds.
      And this is refused: the bot of lunch reports ARRIVED. The reason: the current state does not allow this (INVALID_STATE).

    Always: no stall is shared without need.
    Promised: turns that the run took, less than 60.
    "
  `)
})

test("the words of reports, exceptions and facts read as sentences", () => {
  const steps = [
    `{ do: reservation.create, as: lunch, with: { window: [11:45, 12:15] } }`,
    `{ do: reservation.move_window, for: lunch, with: { window: [12:00, 12:30] } }`,
    `{ do: bot.report, for: lunch, with: { status: INBOUND, label: "{with} $& {for}" } }`,
    `{ do: bot.report, for: lunch, with: { status: ABORTED, reason: "flat tire" } }`,
    `{ do: runner.assign, for: lunch, with: { runner: run_2 } }`,
    `{ do: runner.hold, for: lunch, with: { ready_at: 11:50 } }`,
    `{ do: runner.hold, for: lunch }`,
    `{ do: runner.measure, for: lunch, with: { weight_kg: 3, dimensions_cm: [40, 30, 20] } }`,
    `{ do: runner.load, for: lunch, with: { photo: false } }`,
    `{ do: exception.raise, for: lunch, with: { code: stall_blocked, message: "a van" } }`,
    `{ do: exception.clear, for: lunch, with: { code: stall_blocked } }`,
    `{ do: sandbox.advance, for: lunch, with: { reason_code: stall_blocked } }`,
    `{ inject: webhook.answers, for: hook, with: { answers: [500, 200] } }`,
    `{ inject: host.fault, with: { host: a.example, fault: private } }`,
    `expect: { reservation: lunch, canceled_by: null, load_photo_url: none, load_photo_skipped: true }`,
    `expect: { reservation: lunch, runner_delay_seconds: null, takes_order_back: true }`,
    `expect: { reservation: lunch, runner_delay_seconds: 60 }`,
    `expect: { webhook: reservation.exception, to: hook, times: 0, attempts: 2 }`,
  ]
  const text = `scenario: S
because: B
clock: 2026-03-02T11:30 America/Chicago
given: { webhooks: [{ as: hook }] }
steps:
${steps.map((step) => `  - ${step}`).join("\n")}
`
  const sentences = explained(text).split("\n").slice(6, -1)
  expect(sentences).toHaveLength(steps.length)
  expect(`\n${sentences.join("\n")}\n`).toMatchInlineSnapshot(`
    "
     When the partner books lunch for 11:45 to 12:15.
      And the partner moves lunch to the window 12:00 to 12:30.
      And the bot of lunch reports INBOUND, with the label {with} $& {for}.
      And the bot of lunch reports ABORTED, with the reason "flat tire".
      And a runner takes lunch, namely run_2.
      And the order of lunch is not ready and the runner waits, with the counter's estimate 11:50.
      And the order of lunch is not ready and the runner waits.
      And the runner measures the order of lunch: 3 kg and 40 × 30 × 20 cm.
      And the runner of lunch records the load, without a photo.
      And the exception stall_blocked is raised on lunch, with the message "a van".
      And the exception stall_blocked of lunch is cleared.
      And the sandbox walk of lunch advances, raising stall_blocked instead of a step.
      And the receiver hook answers 500, then 200 from then on.
      And the fault of the host name a.example is now private.
     Then lunch has no canceler, a skipped photo and no photo link.
      And lunch has no runner delay and a runner who takes the order back.
      And lunch has the runner delay of 60 seconds.
      And hook receives reservation.exception, never accepted and requested twice; decided once nothing more can come within 10 seconds.
    "
  `)
})

test("everything that can be said reads as sentences", () => {
  expect(explained(EVERYTHING)).toMatchInlineSnapshot(`
    "Everything that can be said (short)
    A word that cannot be read is no word.

    Given it is 11:30:15 on Monday, March 2, 2026 (America/Chicago).
      And the site has 3 stalls, 2 of them in use, and no runners.
      And everything happens in the sandbox.
      And the partner's key has only reservations:read and reservations:write.
      And the endpoint hook receives reservation.exception and answers too late (timeout), 500, then 200 after 6 seconds from then on.
      And the endpoint quiet receives all events and answers 200.
      And the policy says how long after the window's end a reservation stays open: 5 minutes.
      And the policy says attempts of one open link: 3.
      And the policy says handoff and exception events are sent: no.
     When the partner books lunch for 10 minutes from now to tomorrow at 12:15, with the zone id zone_1, the order number $7, no pickup reference, a compartment for at most 12.5 kg and a compartment of 40 × 30 × 20 cm.
      And the partner books a reservation for 11:45 to 12:15.
      And 1 minute 30 seconds later the partner cancels lunch, saying "no".
      And the bot of lunch reports ARRIVED, with no label, the estimate 5 minutes ago and the time now.
      And the runner of lunch records the load, with a photo.
      And the runner measures the order of lunch: 3 kg.
      And the partner registers the endpoint second: the URL https://example.com/hook, it receives all events and it is switched off.
      And the partner changes the endpoint second: it receives reservation.exception and its secret is rotated.
      And the sandbox walk of lunch advances.
      And the open link of lunch answers too late (timeout), then 200 from then on.
      And the fault of the host name hooks.example.com is now unknown.
      And every call in flight is lost, as in a crash.
      And 5 minutes pass.
      And it is 14:00.
      And it is tomorrow at 14:00.
     Then lunch has been booked.
      And within 250 milliseconds lunch has no bot status, the bot estimate tomorrow at 15:00, the handoff status LOADED and the same id as lunch.
      And the exception bot_no_show is published for lunch, never; decided once nothing more can come within 10 seconds.
      And the milestone task_started is published for lunch, twice; decided once nothing more can come within 10 seconds.
      And hook receives reservation.handoff_updated, about lunch only, with the milestone task_started and requested 4 times; decided once nothing more can come within 10 seconds.
      And deliveries to hook are dropped, 2 of them; decided once nothing more can come within 10 seconds.
      And hook, who keeps the last pair of occurred_at and event_id, believes that lunch is canceled.
      And every request to hook is signed with a secret that it was given; decided once nothing more can come within 10 seconds.
      And the open link of lunch was called, 3 times and under 1 attempt id; decided once nothing more can come within 10 seconds.
      And tomorrow at 15:00, and not before, the runner-task of lunch is in underway.ready.
      And the partner's list holds 2 reservations, in the statuses canceled or completed and with the order number 7.

    Promised: turns that the run took, at most 5.
    Promised: minutes from the first instant to the last, more than 1.5.
    "
  `)
})
