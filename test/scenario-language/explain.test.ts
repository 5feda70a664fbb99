import { expect, test } from "vitest"
import { explain } from "../../src/simulation/scenario/explain.ts"
import { readScenarios } from "../../src/simulation/scenario/read.ts"
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
     When at 11:30 the partner books lunch, the arrival window 11:45 to 12:15 and the order number 1187.
      And at 11:40 a runner takes lunch.
      And at 11:46 the runner of lunch is at the store.
      And at 11:52 the runner of lunch has the order.
      And at 11:55 the runner of lunch is at the bot.
     Then at 12:05 the exception bot_no_show is told of lunch.
      And within 30 minutes lunch has the status canceled, who canceled: system and the cancel reason window_expired.
      And partner receives reservation.exception, accepted once, counting an event once.
      And this is refused: the bot of lunch reports, the reported status ARRIVED. The reason: the current state does not allow this (INVALID_STATE).

    Always: no stall is shared without need.
    Promised: turns that the run took, less than 60.
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
     When the partner books lunch, the arrival window 10 minutes from now to tomorrow at 12:15, the zone id zone_1, the order number $7, what the runner says at the counter: none, the most that the compartment carries: 12.5 kilograms and the most that fits the compartment: 40 × 30 × 20 centimetres.
      And the partner books a reservation, the arrival window 11:45 to 12:15.
      And 1 minute 30 seconds later the partner cancels lunch, why: no.
      And the bot of lunch reports, the reported status ARRIVED, the bot's label: none, the estimated arrival 5 minutes ago and when it happened: now.
      And the runner of lunch records the load, a photo was taken: yes.
      And the runner measures the order of lunch, its weight: 3 kilograms.
      And the partner registers the endpoint second, the URL https://example.com/hook, the subscribed events all events and the endpoint is active: no.
      And the partner changes the endpoint second, the subscribed events reservation.exception and the secret is rotated: yes.
      And the sandbox walk of lunch advances.
      And the open link of lunch answers too late (timeout), then 200 from then on.
      And a host name misbehaves, the host name hooks.example.com and how: unknown.
      And every call under way is lost, as in a crash.
      And 5 minutes pass.
      And it is 14:00.
      And it is tomorrow at 14:00.
     Then lunch has been booked.
      And within 250 milliseconds lunch has the bot's status: none, the bot's estimate tomorrow at 15:00, the handoff status LOADED and the reservation that it is: lunch.
      And the exception bot_no_show is told of lunch, never.
      And the milestone task_started is told of lunch, twice.
      And hook receives reservation.handoff_updated, about lunch only; with the milestone task_started; and requested 4 times, whatever was answered.
      And deliveries to hook are dropped, 2 of them.
      And hook, who keeps the last pair of occurred_at and event_id, believes that lunch is canceled.
      And every request to hook is signed with a secret that it was given.
      And the open link of lunch was called, 3 times and under 1 attempt id.
      And tomorrow at 15:00 the runner-task of lunch is in underway.ready.
      And the partner's list holds 2 reservations, in the statuses canceled or completed and with the order number 7.

    Promised: turns that the run took, at most 5.
    Promised: minutes from the first instant to the last, more than 1.5.
    "
  `)
})
