/**
 * Examples of words that need more than their own step: what has to happen before, so that each example passes when it is run.
 * A word without an entry here has an example that is made from its fields (`words.ts`).
 */

import type { ExceptionCode } from "../../../model/handoff.ts"
import type {
  CommandName,
  ExpectationName,
  FaultName,
  PromisedName,
  ScriptedCode,
} from "../language/language.ts"

/** The lines of a scenario file below its first three. */
export interface Example {
  /** Lines between the clock and `given`. */
  readonly head?: readonly string[]
  readonly given?: readonly string[]
  readonly steps: readonly string[]
  /** Lines behind the steps. */
  readonly after?: readonly string[]
}

const PARTNER = "webhooks: [{ as: partner, events: all }]"
const SHOP = "pickup_webhooks: [{ as: partner, events: all }]"

const BOOKED = ["at: 11:30, do: reservation.create, as: lunch, with: { window: [11:45, 12:15] }"]
const ASSIGNED = [...BOOKED, "do: runner.assign, for: lunch"]
const AT_STORE = [...ASSIGNED, "do: runner.at_store, for: lunch"]
const HELD = [...AT_STORE, "do: runner.hold, for: lunch, with: { ready_at: +30m }"]
const IN_HAND = [...AT_STORE, "do: runner.order_in_hand, for: lunch"]
const AT_UNIT = [...IN_HAND, "do: runner.at_unit, for: lunch"]
const BOT_READY = [...AT_UNIT, "do: bot.report, for: lunch, with: { status: READY_FOR_HANDOFF }"]

const QUOTED = ["do: delivery.quote, as: groceries, with: { ready_by: +30m }"]
const ORDERED = [...QUOTED, "do: delivery.create, for: groceries"]
const VAN = ["vehicles: [{ as: van }]"]

/** A van at the door of the customer, whose fleet opens its compartment. */
const AT_THE_DOOR = [
  'do: fleet.change, with: { open_url: "https://fleet.example/open" }',
  "do: delivery.quote, as: groceries",
  "do: delivery.create, for: groceries",
  "at: 11:38, do: vehicle.report, for: van, with: { north_m: 20, load: loaded }",
  "at: 11:44, do: vehicle.report, for: van, with: { north_m: 1990, load: loaded }",
  "expect: { delivery: groceries, status: ARRIVED_AT_CUSTOMER, within: 1s }",
]
const NEAR_VAN = ["vehicles: [{ as: van, north_m: 20 }]"]

/** Ana works for half an hour. */
const ANA = "runners: [{ as: ana, from: 11:30, to: 12:00 }]"

const CHECKED = ["do: errand.check, as: dinner"]
const RESERVED = [...CHECKED, "do: errand.reserve, for: dinner"]
const PAID = [...CHECKED, "do: errand.reserve, for: dinner, with: { token: spt_ok }"]
const CONFIRMED = [...PAID, "do: errand.confirm, for: dinner, with: { item: Burrito }"]
const UNDER_WAY = [...CONFIRMED, "expect: { errand: dinner, state: assigned, within: 1s }"]

/** A table of examples; a word that is missing here has one made from its fields. */
type Table<Name extends string> = { readonly [name in Name]?: Example }

const DO: Table<CommandName> = {
  "runner.at_store": { steps: AT_STORE },
  "runner.hold": { steps: HELD },
  "runner.ready": { steps: [...HELD, "at: +10m, do: runner.ready, for: lunch"] },
  "runner.give_up": { steps: [...HELD, "at: +10m, do: runner.give_up, for: lunch"] },
  "runner.order_in_hand": { steps: IN_HAND },
  "runner.measure": {
    steps: [
      "do: reservation.create, as: lunch, with: { window: [11:45, 12:15], max_weight_kg: 20 }",
      ...AT_STORE.slice(1),
      "do: runner.measure, for: lunch, with: { weight_kg: 12.5 }",
    ],
  },
  "runner.at_unit": { steps: AT_UNIT },
  "runner.load": {
    steps: [
      ...BOT_READY,
      "expect: { open_link: lunch, calls: 1, within: 10s }",
      "do: runner.load, for: lunch, with: { photo: true }",
    ],
  },
  "runner.retry_open_link": {
    steps: [
      ...BOOKED,
      "inject: open_link.answers, for: lunch, with: { answers: [500, 500, 500, 200] }",
      ...BOT_READY.slice(1),
      "expect: { exception: access_failed, for: lunch, within: 1m }",
      "do: runner.retry_open_link, for: lunch",
    ],
  },
  "sandbox.advance": {
    head: ["environment: sandbox"],
    steps: [...BOOKED, "do: sandbox.advance, for: lunch", "do: sandbox.advance, for: lunch"],
  },
  "delivery.read": { given: VAN, steps: [...ORDERED, "do: delivery.read, for: groceries"] },
  "delivery.cancel": {
    given: VAN,
    steps: [
      ...ORDERED,
      'do: delivery.cancel, for: groceries, with: { cancellation_reason: "the customer is away" }',
    ],
  },
  "delivery.advance": {
    head: ["environment: sandbox"],
    given: VAN,
    steps: [...ORDERED, "do: delivery.advance, for: groceries, with: { to: LOADED }"],
  },
  "delivery.supervise": {
    given: ["delivery_site: { supervisors: true }", ...VAN],
    steps: [...ORDERED, "at: +1m, do: delivery.supervise, for: groceries, with: { status: LOADED }"],
  },
  "delivery.reassign": {
    given: ["vehicles: [{ as: van }, { as: cart, north_m: 4000 }]"],
    steps: [...ORDERED, "do: delivery.reassign, for: groceries, with: { vehicle: cart }"],
  },
  "customer.reply": {
    given: VAN,
    steps: [...ORDERED, 'do: customer.reply, for: groceries, with: { text: "STOP" }'],
  },
  "errand.pay": { steps: [...RESERVED, "do: errand.pay, for: dinner, with: { token: spt_ok }"] },
  "errand.pay_at_checkout": {
    steps: [...RESERVED, "do: errand.pay_at_checkout, for: dinner, with: { token: spt_ok }"],
  },
  "errand.confirm": { steps: CONFIRMED },
  "errand.ready_at": { steps: [...RESERVED, "do: errand.ready_at, for: dinner, with: { time: +40m }"] },
  "errand.choose_slot": {
    steps: [
      "do: errand.check, as: dinner, with: { store: Slot Street Bakery, slot: [12:15, 12:45] }",
      "do: errand.reserve, for: dinner, with: { slot: [12:15, 12:45] }",
      "do: errand.choose_slot, for: dinner, with: { slot: [12:30, 13:00] }",
    ],
  },
  "errand.choose_window": {
    steps: [...RESERVED, "do: errand.choose_window, for: dinner, with: { window: [12:30, 12:45] }"],
  },
  "errand.change_order": {
    steps: [...UNDER_WAY, "do: errand.change_order, for: dinner, with: { item: Salad }"],
  },
  "errand.tell_check_in": {
    steps: [
      ...UNDER_WAY,
      'do: errand.tell_check_in, for: dinner, with: { instructions: "Park in a marked space and call." }',
    ],
  },
  "errand.tell_requirements": {
    steps: [...UNDER_WAY, "do: errand.tell_requirements, for: dinner, with: { requirements: none }"],
  },
  "errand.tell_dropoff": {
    steps: [...UNDER_WAY, 'do: errand.tell_dropoff, for: dinner, with: { notes: "Ring at the side door." }'],
  },
  "errand.tell_contact": {
    steps: [...UNDER_WAY, 'do: errand.tell_contact, for: dinner, with: { email: "ada@example.com" }'],
  },
  "errand.report_issue": {
    steps: [
      ...UNDER_WAY,
      "at: +5m, do: errand.report_issue, for: dinner, with: { issue: order_cancelled_by_store }",
    ],
  },
  "errand.fail": {
    steps: [...UNDER_WAY, "do: errand.fail, for: dinner, with: { reason: store_no_handover }"],
  },
  "errand.refund": {
    steps: [
      ...UNDER_WAY,
      "do: errand.fail, for: dinner, with: { reason: vehicle_fault }",
      "do: errand.refund, for: dinner",
    ],
  },
  "fleet.change": {
    given: VAN,
    steps: ['do: fleet.change, with: { open_url: "https://fleet.example/open" }'],
  },
  "compartment.open": { given: NEAR_VAN, steps: [...AT_THE_DOOR, "do: compartment.open, for: groceries"] },
  "key.create": {
    steps: [
      ...BOOKED,
      "do: key.create, as: reader, with: { permissions: [reservations:read] }",
      "do: reservation.read, for: lunch, by: reader",
      "refuse: { do: reservation.cancel, for: lunch, by: reader, code: PERMISSION_DENIED }",
    ],
  },
  "key.rotate": {
    given: ["keys: [{ as: old_key }]"],
    steps: [
      ...BOOKED,
      "do: key.rotate, for: old_key, as: new_key, with: { overlap: 10m }",
      "at: +9m, do: reservation.read, for: lunch, by: old_key",
      "at: +1m, refuse: { do: reservation.read, for: lunch, by: old_key, code: INVALID_API_KEY }",
      "do: reservation.read, for: lunch, by: new_key",
    ],
  },
  "key.revoke": {
    given: ["keys: [{ as: old_key }]"],
    steps: [
      ...BOOKED,
      "do: reservation.read, for: lunch, by: old_key",
      "do: key.revoke, for: old_key",
      "refuse: { do: reservation.read, for: lunch, by: old_key, code: INVALID_API_KEY }",
    ],
  },
  "runners.call": {
    given: [ANA],
    steps: ['do: runners.call, with: { message: "two bots at once" }', "do: runners.answer, by: ana"],
  },
  "runners.answer": {
    given: ["runners: [{ as: ana }, { as: ben }]"],
    steps: [
      "do: runners.call",
      "do: runners.answer, by: ana",
      "refuse: { do: runners.answer, by: ben, code: INVALID_STATE }",
    ],
  },
  "runners.withdraw": {
    given: [ANA],
    steps: [
      "do: runners.call",
      "do: runners.withdraw",
      "refuse: { do: runners.answer, by: ana, code: INVALID_STATE }",
    ],
  },
  "compartment.grant": { given: NEAR_VAN, steps: [...AT_THE_DOOR, "do: compartment.grant, for: groceries"] },
}

const RIVAL = "partners: [{ as: rival }]"

const GIVEN: Table<"keys" | "operators" | "partners" | "runners" | "sites"> = {
  runners: {
    given: [
      "runners: [{ as: ana, from: 11:30, to: 12:00 }, { as: ben, from: 12:00, breaks: [{ from: 12:30, to: 13:00 }] }]",
    ],
    steps: [
      ...BOOKED,
      "refuse: { do: runner.assign, for: lunch, by: ben, code: SIGN_IN_REQUIRED }",
      "do: runner.assign, for: lunch, by: ana",
      "expect: { reservation: lunch, handoff: ASSIGNED, runner: ana }",
      "at: 12:00, refuse: { do: runner.at_store, for: lunch, by: ana, code: SIGN_IN_REQUIRED }",
      "refuse: { do: runner.at_store, for: lunch, by: ben, code: INVALID_STATE }",
    ],
  },
  sites: {
    given: ["sites: [{ as: south, stalls: 1 }]", "runners: [{ as: ana }, { as: ben, site: south }]"],
    steps: [
      "do: reservation.create, as: lunch, with: { window: [11:45, 12:15], site: south }",
      "refuse: { do: runner.assign, for: lunch, by: ana, code: NOT_FOUND }",
      "do: runner.assign, for: lunch, by: ben",
    ],
  },
  operators: {
    given: ["operators: [{ as: olga }, { as: vic, role: viewer }, { as: max, site: elsewhere }]"],
    steps: [
      ...BOOKED,
      "refuse: { do: runner.assign, for: lunch, by: vic, code: PERMISSION_DENIED }",
      "refuse: { do: runner.assign, for: lunch, by: max, code: NOT_FOUND }",
      "do: runner.assign, for: lunch, by: olga, with: { runner: ana }",
    ],
  },
  partners: {
    given: [RIVAL],
    steps: [
      ...BOOKED,
      "refuse: { do: reservation.read, for: lunch, by: rival, code: NOT_FOUND }",
      "expect: { listed: 0, by: rival }",
    ],
  },
  keys: {
    given: ["keys: [{ as: old_key, state: revoked }]"],
    steps: [...BOOKED, "refuse: { do: reservation.read, for: lunch, by: old_key, code: INVALID_API_KEY }"],
  },
}

const EXPECT: Table<ExpectationName> = {
  reservation: { steps: [...BOOKED, "expect: { reservation: lunch, status: confirmed }"] },
  exception: {
    steps: [...AT_UNIT, "expect: { exception: bot_no_show, for: lunch, within: 15m }"],
  },
  milestone: { steps: [...AT_STORE, "expect: { milestone: task_started, for: lunch, times: 1 }"] },
  webhook: {
    given: [PARTNER],
    steps: [
      ...BOOKED,
      "do: reservation.cancel, for: lunch",
      "expect: { webhook: reservation.status_changed, to: partner, status: canceled, times: 1 }",
    ],
  },
  order: {
    given: [PARTNER],
    steps: [
      ...BOOKED,
      "do: runner.assign, for: lunch",
      "do: runner.at_store, for: lunch",
      "at: 11:50, do: bot.report, for: lunch, with: { status: ARRIVED }",
      "expect: { order: [reservation.handoff_updated, reservation.status_changed], to: partner }",
    ],
  },
  deliveries: {
    given: [PARTNER],
    steps: [
      ...BOOKED,
      "do: reservation.cancel, for: lunch",
      "expect: { deliveries: partner, state: delivered, times: 2 }",
    ],
  },
  believes: {
    given: [PARTNER],
    steps: [
      ...BOOKED,
      "do: reservation.cancel, for: lunch",
      "expect: { believes: partner, for: lunch, status: canceled }",
    ],
  },
  signature: {
    given: [PARTNER],
    steps: [...BOOKED, "do: reservation.cancel, for: lunch", "expect: { signature: partner }"],
  },
  open_link: { steps: [...BOT_READY, "expect: { open_link: lunch, calls: 1, within: 10s }"] },
  listed: { steps: [...BOOKED, "expect: { listed: 1, status: confirmed }"] },
  delivery: {
    given: VAN,
    steps: [...ORDERED, "expect: { delivery: groceries, status: ASSIGNED, within: 1s }"],
  },
  vehicle: { given: VAN, steps: [...ORDERED, "expect: { vehicle: van, active: groceries, within: 1s }"] },
  pickup_webhook: {
    given: [SHOP, ...VAN],
    steps: [
      ...ORDERED,
      "expect: { pickup_webhook: pickup_status.changed, to: partner, status: ASSIGNED, within: 10s }",
    ],
  },
  delivery_list: {
    given: VAN,
    steps: [...ORDERED, "expect: { delivery_list: 1, delivery_status: SCHEDULED }"],
  },
  analytics: {
    steps: [
      ...BOOKED,
      "at: 11:50, do: bot.report, for: lunch, with: { status: ARRIVED }",
      "at: 12:00, do: bot.report, for: lunch, with: { status: DEPARTED }",
      "expect: { analytics: today, sessions: 1, dwell_seconds: 600 }",
    ],
  },
  released: {
    steps: [
      ...RESERVED,
      "do: errand.check, as: tacos",
      "do: errand.reserve, for: tacos",
      "expect: { released: 1, by: tacos }",
    ],
  },
  texts: { steps: [...CONFIRMED, "expect: { texts: 1, to: ada }"] },
  compartment: {
    given: NEAR_VAN,
    steps: [...AT_THE_DOOR, "expect: { compartment: groceries, state: closed, tries_left: 5 }"],
  },
}

const booking = (fields: string, code: ScriptedCode): string =>
  `refuse: { do: reservation.create, with: { ${fields} }, code: ${code} }`
const again = "idempotency_key: order-1001"

const REFUSE: Table<ScriptedCode> = {
  INVALID_OPERATOR_TOKEN: {
    given: ["operators: [{ as: eve, known: false }]"],
    steps: [...BOOKED, "refuse: { do: runner.assign, for: lunch, by: eve, code: INVALID_OPERATOR_TOKEN }"],
  },
  SIGN_IN_REQUIRED: {
    given: [ANA],
    steps: [
      ...BOOKED,
      "at: 12:00, refuse: { do: runner.assign, for: lunch, by: ana, code: SIGN_IN_REQUIRED }",
    ],
  },
  BOT_STATUS_REGRESSION: {
    steps: [
      ...BOOKED,
      "at: 11:50, do: bot.report, for: lunch, with: { status: ARRIVED }",
      "refuse: { do: bot.report, for: lunch, with: { status: INBOUND }, code: BOT_STATUS_REGRESSION }",
    ],
  },
  COMPARTMENT_LOCKED: {
    given: NEAR_VAN,
    steps: [
      ...AT_THE_DOOR,
      'repeat: 4, refuse: { do: compartment.open, for: groceries, with: { digits: "0000" }, code: WRONG_DIGITS }',
      'refuse: { do: compartment.open, for: groceries, with: { digits: "0000" }, code: COMPARTMENT_LOCKED }',
    ],
  },
  DELIVERY_ALREADY_EXISTS: {
    given: VAN,
    steps: [...ORDERED, "refuse: { do: delivery.requote, for: groceries, code: DELIVERY_ALREADY_EXISTS }"],
  },
  DELIVERY_NOT_FOUND: {
    given: VAN,
    steps: [...QUOTED, "refuse: { do: delivery.read, for: groceries, code: DELIVERY_NOT_FOUND }"],
  },
  GEOCODE_FAILED: {
    steps: ['refuse: { do: delivery.quote, with: { zip: "00000" }, code: GEOCODE_FAILED }'],
  },
  GEOCODING_UNAVAILABLE: {
    steps: [
      "inject: geocoder.fails",
      'refuse: { do: delivery.quote, with: { zip: "78758" }, code: GEOCODING_UNAVAILABLE }',
    ],
  },
  IDEMPOTENCY_KEY_REUSED: {
    steps: [
      `do: reservation.create, as: lunch, with: { window: [11:45, 12:15], ${again} }`,
      booking(`window: [11:45, 12:15], order_number: "1002", ${again}`, "IDEMPOTENCY_KEY_REUSED"),
    ],
  },
  INVALID_OPEN_LINK: {
    steps: [
      booking('window: [11:45, 12:15], open_link_url: "http://bots.partner.example/x"', "INVALID_OPEN_LINK"),
    ],
  },
  INVALID_READY_BY: {
    steps: ["refuse: { do: delivery.quote, with: { ready_by: 11:20 }, code: INVALID_READY_BY }"],
  },
  INVALID_STATE: {
    steps: [
      ...BOOKED,
      "do: reservation.cancel, for: lunch",
      "refuse: { do: bot.report, for: lunch, with: { status: INBOUND }, code: INVALID_STATE }",
    ],
  },
  INVALID_WEBHOOK_URL: {
    steps: [
      'refuse: { do: webhook.register, with: { url: "https://10.0.0.7/hook" }, code: INVALID_WEBHOOK_URL }',
    ],
  },
  NOT_FOUND: {
    steps: [
      "refuse: { do: reservation.create, as: lunch, with: { window: [11:00, 11:20] }, code: WINDOW_IN_PAST }",
      "refuse: { do: reservation.read, for: lunch, code: NOT_FOUND }",
    ],
  },
  NO_CAPACITY: {
    given: VAN,
    steps: [
      "do: delivery.quote, as: order, repeat: 3",
      "do: delivery.create, for: order-1",
      "do: delivery.create, for: order-2",
      "refuse: { do: delivery.create, for: order-3, code: NO_CAPACITY }",
    ],
  },
  PERMISSION_DENIED: {
    head: ["permissions: [reservations:read]"],
    steps: [booking("window: [11:45, 12:15]", "PERMISSION_DENIED")],
  },
  QUOTE_EXPIRED: {
    given: VAN,
    steps: [...QUOTED, "at: 11:35, refuse: { do: delivery.create, for: groceries, code: QUOTE_EXPIRED }"],
  },
  QUOTE_NOT_FOUND: {
    steps: [
      "refuse: { do: delivery.quote, as: groceries, with: { ready_by: 11:20 }, code: INVALID_READY_BY }",
      "refuse: { do: delivery.create, for: groceries, code: QUOTE_NOT_FOUND }",
    ],
  },
  QUOTE_UNAVAILABLE: {
    steps: [
      "do: delivery.quote, as: far, with: { north_m: 5010 }",
      "refuse: { do: delivery.create, for: far, code: QUOTE_UNAVAILABLE }",
    ],
  },
  RETAILER_INACTIVE: {
    given: ["delivery_site: { active: false }"],
    steps: ["refuse: { do: delivery.quote, code: RETAILER_INACTIVE }"],
  },
  RETAILER_NOT_CONFIGURED: {
    given: ["delivery_site: { configured: false }"],
    steps: ["refuse: { do: delivery.quote, code: RETAILER_NOT_CONFIGURED }"],
  },
  RETAILER_NOT_FOUND: {
    given: [RIVAL],
    steps: [...ORDERED, "refuse: { do: delivery.read, for: groceries, by: rival, code: RETAILER_NOT_FOUND }"],
  },
  RETAILER_NOT_SUPPORTED_IN_ZONE: {
    steps: [
      booking("window: [11:45, 12:15], retailer: retailer_not_granted", "RETAILER_NOT_SUPPORTED_IN_ZONE"),
    ],
  },
  URL_VALIDATION_UNAVAILABLE: {
    steps: [
      "inject: host.fault, with: { host: slow.partner.example, fault: unavailable }",
      booking(
        'window: [11:45, 12:15], open_link_url: "https://slow.partner.example/x"',
        "URL_VALIDATION_UNAVAILABLE",
      ),
    ],
  },
  VALIDATION_ERROR: {
    steps: [
      ...BOOKED,
      "refuse: { do: bot.report, for: lunch, with: { status: INBOUND, eta: +25h }, code: VALIDATION_ERROR }",
    ],
  },
  WEBHOOK_LIMIT_REACHED: {
    steps: [
      "do: webhook.register, as: receiver, repeat: 10",
      "refuse: { do: webhook.register, code: WEBHOOK_LIMIT_REACHED }",
    ],
  },
  WINDOW_IN_PAST: { steps: [booking("window: [11:00, 11:20]", "WINDOW_IN_PAST")] },
  WINDOW_TOO_FAR_OUT: { steps: [booking("window: [+1441m, +1460m]", "WINDOW_TOO_FAR_OUT")] },
  WINDOW_TOO_LONG: { steps: [booking("window: [11:45, 13:50]", "WINDOW_TOO_LONG")] },
  WINDOW_TOO_SHORT: { steps: [booking("window: [11:45, 11:49]", "WINDOW_TOO_SHORT")] },
  WRONG_DIGITS: {
    given: NEAR_VAN,
    steps: [
      ...AT_THE_DOOR,
      'refuse: { do: compartment.open, for: groceries, with: { digits: "0000" }, code: WRONG_DIGITS }',
    ],
  },
  ZONE_HAS_NO_STALLS: {
    given: ["site: no-stalls"],
    steps: [booking("window: [11:45, 12:15]", "ZONE_HAS_NO_STALLS")],
  },
  ZONE_NOT_FOUND: { steps: [booking("window: [11:45, 12:15], zone: zone_nowhere", "ZONE_NOT_FOUND")] },
  INVALID_API_KEY: {
    given: ["keys: [{ as: mistyped, state: wrong }]"],
    steps: [
      "refuse: { do: reservation.create, by: mistyped, with: { window: [11:45, 12:15] }, code: INVALID_API_KEY }",
    ],
  },
  NOT_FLEET_PARTNER: {
    given: ["partners: [{ as: rival, fleet_partner: false }]"],
    steps: [
      "refuse: { do: reservation.create, by: rival, with: { window: [11:45, 12:15] }, code: NOT_FLEET_PARTNER }",
    ],
  },
  ORG_INACTIVE: {
    given: ["partners: [{ as: rival, active: false }]"],
    steps: [
      "refuse: { do: reservation.create, by: rival, with: { window: [11:45, 12:15] }, code: ORG_INACTIVE }",
    ],
  },
  RATE_LIMITED: {
    given: ["policy: { requests_per_minute: 2 }"],
    steps: [
      "at: 11:30:45, do: reservation.create, as: lunch, with: { window: [11:45, 12:15] }",
      "do: reservation.read, for: lunch",
      "refuse: { do: reservation.read, for: lunch, code: RATE_LIMITED, retry_after: 15s }",
      "at: +15s, do: reservation.read, for: lunch",
    ],
  },
  WRONG_ENV_KEY: {
    given: ["keys: [{ as: test_key, environment: sandbox }]"],
    steps: [
      "refuse: { do: reservation.create, by: test_key, with: { window: [11:45, 12:15] }, code: WRONG_ENV_KEY }",
    ],
  },
  hold_expired: {
    steps: [
      ...PAID,
      "at: +15m, refuse: { do: errand.ready_at, for: dinner, with: { time: +30m }, code: hold_expired }",
    ],
  },
  idempotency_conflict: {
    steps: [
      "do: errand.check, as: dinner, with: { idempotency_key: check-001 }",
      "refuse: { do: errand.check, with: { idempotency_key: check-001, north_m: 500 }, code: idempotency_conflict }",
    ],
  },
  internal_error: {
    steps: ["inject: store_directory.fails", "refuse: { do: errand.check, code: internal_error }"],
  },
  invalid_request: {
    steps: [
      ...CHECKED,
      'refuse: { do: errand.reserve, for: dinner, with: { phone: "+15125550143" }, code: invalid_request }',
    ],
  },
  invalid_state: { steps: [...CHECKED, "refuse: { do: errand.pay, for: dinner, code: invalid_state }"] },
  no_capacity: {
    given: VAN,
    steps: [
      ...CHECKED,
      "do: vehicle.go_offline, for: van",
      "refuse: { do: errand.reserve, for: dinner, code: no_capacity }",
    ],
  },
  not_found: {
    steps: [...CHECKED, "refuse: { do: errand.read, for: dinner, with: { by: grace }, code: not_found }"],
  },
  payment_failed: {
    steps: [
      ...RESERVED,
      "refuse: { do: errand.pay, for: dinner, with: { token: spt_declined }, code: payment_failed }",
    ],
  },
  quote_expired: {
    steps: [...CHECKED, "at: +30m, refuse: { do: errand.reserve, for: dinner, code: quote_expired }"],
  },
  rate_limited: {
    steps: [
      ...CHECKED,
      "do: errand.reserve, for: dinner, repeat: 10",
      "refuse: { do: errand.reserve, for: dinner, code: rate_limited }",
    ],
  },
  timing_not_feasible: {
    steps: [
      ...RESERVED,
      "refuse: { do: errand.ready_at, for: dinner, with: { time: 14:31 }, code: timing_not_feasible }",
    ],
  },
  invalid_token: {
    steps: [
      ...CHECKED,
      "do: phone.disable, with: { of: ada }",
      "refuse: { do: errand.read, for: dinner, code: invalid_token }",
    ],
  },
}

const PROMISES: Table<PromisedName> = {
  virtual_minutes: { steps: BOOKED, after: ["promises:", '  virtual_minutes: "<= 60"'] },
}

const INJECT: Table<FaultName> = {
  // A call waits ten seconds at most.
  "payments.take": {
    steps: [
      ...RESERVED,
      "inject: payments.take, with: { time: 5m }",
      "refuse: { do: errand.pay, for: dinner, code: internal_error }",
    ],
  },
}

/** Those that the service publishes by itself. */
const EXCEPTION: Table<ExceptionCode> = {
  payload_rejected: {
    steps: [
      "do: reservation.create, as: lunch, with: { window: [11:45, 12:15], max_weight_kg: 20 }",
      ...AT_STORE.slice(1),
      "do: runner.measure, for: lunch, with: { weight_kg: 21 }",
      "expect: { exception: payload_rejected, for: lunch }",
      "expect: { reservation: lunch, handoff: FAILED }",
    ],
  },
  access_failed: {
    steps: [
      ...BOOKED,
      "inject: open_link.answers, for: lunch, with: { answers: [500] }",
      ...BOT_READY.slice(1),
      "expect: { exception: access_failed, for: lunch, within: 1m }",
    ],
  },
  order_not_ready_fail: {
    steps: [
      ...HELD,
      "at: +10m, do: runner.give_up, for: lunch",
      "expect: { exception: order_not_ready_fail, for: lunch }",
      "expect: { reservation: lunch, handoff: FAILED }",
    ],
  },
  bot_no_show: { steps: [...AT_UNIT, "expect: { exception: bot_no_show, for: lunch, within: 10m }"] },
  order_not_ready_hold: {
    steps: [...HELD, "expect: { exception: order_not_ready_hold, for: lunch }"],
  },
}

const TABLES = {
  given: GIVEN,
  do: DO,
  exception: EXCEPTION,
  expect: EXPECT,
  inject: INJECT,
  refuse: REFUSE,
  promises: PROMISES,
}

/** The example of a word; undefined when one made from its fields passes. */
export function writtenExample(group: string, word: string): Example | undefined {
  const table: { readonly [word: string]: Example } | undefined = Object.hasOwn(TABLES, group)
    ? TABLES[group as keyof typeof TABLES]
    : undefined
  return table !== undefined && Object.hasOwn(table, word) ? table[word] : undefined
}
