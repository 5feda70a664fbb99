/** What the scenarios of these tests may name: a small world instead of the real machines and invariants. */

import type { ScenarioNames } from "../../../src/simulation/scenario/language/read.ts"

export const NAMES: ScenarioNames = {
  invariants: ["no stall is shared without need", "a settled reservation stays settled"],
  statePaths: {
    reservation: ["open", "open.confirmed", "open.arrived", "canceled"],
    bot: ["awaited", "here"],
    "runner-task": ["underway", "underway.ready", "ended"],
    "open-link": ["idle", "calling"],
  },
}

/** The example of the language's description. */
export const NO_SHOW = `# yaml-language-server: $schema=./scenario.schema.json
scenario: The bot never shows up
because: The runner waits ten minutes, then operations must know.
tags: [reservation, exception]
seed: 42
clock: 2026-03-02T11:30 America/Chicago

given:
  site: domain-north            # a built-in world, or one written out here
  webhooks: [{ as: partner, events: all }]

steps:
  - at: 11:30
    do: reservation.create
    as: lunch
    with: { window: [11:45, 12:15], order_number: "1187" }
  - { at: 11:40, do: runner.assign, for: lunch }
  - { at: 11:46, do: runner.at_store, for: lunch }
  - { at: 11:52, do: runner.order_in_hand, for: lunch }
  - { at: 11:55, do: runner.at_unit, for: lunch }
  - expect: { exception: bot_no_show, for: lunch, at: 12:05 }
  - expect: { reservation: lunch, status: canceled, canceled_by: system, cancel_reason: window_expired, within: 30m }
  - expect: { webhook: reservation.exception, to: partner, times: 1 }
  - refuse: { do: bot.report, for: lunch, with: { status: ARRIVED }, code: INVALID_STATE }

always:
  - no stall is shared without need
promises:
  events: "< 60"
`

/** Every kind of field, most commands and every fact. */
export const EVERYTHING = `scenario: Everything that can be said
because: A word that cannot be read is no word.
clock: 2026-03-02T11:30:15 America/Chicago
environment: sandbox
permissions: [reservations:read, reservations:write]
given:
  site: { stalls: 3, active_stalls: 2, runners: false }
  webhooks:
    - { as: hook, events: [reservation.exception], answers: [timeout, 500, { status: 200, after: 6s }] }
    - { as: quiet }
  policy: { window_grace: 5m, open_link_attempts: 3, announces_handoffs: false }
matrix:
  - { name: short, pause: 5m, answers: [timeout, 200] }
  - { name: long, pause: 1h30m, answers: refused }
steps:
  - do: reservation.create
    as: lunch
    with:
      window: [+10m, tomorrow 12:15]
      zone: zone_1
      order_number: $7
      retailer_pickup_ref: null
      max_weight_kg: 12.5
      max_dimensions_cm: [40, 30, 20]
  - { do: reservation.create, with: { window: [11:45, 12:15] } }
  - { at: +90s, do: reservation.cancel, for: lunch, with: { reason: "no" } }
  - { do: bot.report, for: lunch, with: { status: ARRIVED, label: null, eta: -5m, occurred_at: +0s } }
  - { do: runner.load, for: lunch, with: { photo: true } }
  - { do: runner.measure, for: lunch, with: { weight_kg: 3 } }
  - { do: webhook.register, as: second, with: { url: "https://example.com/hook", events: all, is_active: false } }
  - { do: webhook.change, for: second, with: { rotate_secret: true, events: [reservation.exception] } }
  - { do: sandbox.advance, for: lunch }
  - { inject: open_link.answers, for: lunch, with: { answers: $answers } }
  - { inject: host.fault, with: { host: hooks.example.com, fault: unknown } }
  - { inject: calls.lost }
  - wait: $pause
  - wait: 14:00
  - { wait: tomorrow 14:00 }
  - expect: { reservation: lunch }
  - expect: { reservation: lunch, bot: null, bot_eta: tomorrow 15:00, handoff: LOADED, same_as: lunch, within: 250ms }
  - expect: { exception: bot_no_show, for: lunch, times: 0 }
  - expect: { milestone: task_started, for: lunch, times: 2 }
  - expect: { milestone: task_started, webhook: reservation.handoff_updated, to: hook, for: lunch, attempts: 4 }
  - expect: { state: dropped, deliveries: hook, times: 2 }
  - expect: { believes: hook, for: lunch, status: canceled }
  - expect: { signature: hook }
  - expect: { open_link: lunch, calls: 3, attempt_ids: 1 }
  - expect: { state: underway.ready, actor: runner-task, for: lunch, at: tomorrow 15:00 }
  - expect: { listed: 2, status: [canceled, completed], order_number: "7" }
promises: { events: "<= 5", virtual_minutes: "> 1.5" }
`
