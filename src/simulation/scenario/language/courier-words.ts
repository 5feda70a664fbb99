/**
 * The courier connector's words of the scenario language: commands, faults and facts.
 * `src/simulation/scenario/language/language.ts` includes them and checks their types.
 */

import {
  CHECK_IN_METHODS,
  COURIER_STATES,
  DECLINE_REASONS,
  DISQUALIFYING_REQUIREMENTS,
  FAILURE_REASONS,
  ISSUE_CODES,
  PAYMENT_FAILURES,
  PAYMENT_STATUSES,
  PICKUP_METHODS,
  PICKUP_REQUIREMENTS,
} from "../../../model/courier.ts"
import type { CourierErrorCode } from "../../../model/courier.ts"
import { at, within } from "./expectation-fields.ts"

/** Users with linked phone numbers. */
export const SCENARIO_USERS = ["ada", "grace"] as const

/** What the page behind a checkout link may be; `closed` says that nothing is to be paid. */
const CHECKOUT_PAGES = ["open", "paid", "unclear", "closed", "expired", "unknown"] as const

/** A refusal of a tool call: its envelope's error, or the authentication challenge. */
export type ToolRefusal = CourierErrorCode | "invalid_token"

/** The meaning of each tool error, for `explain`. */
export const COURIER_REFUSALS: Readonly<Record<ToolRefusal, string>> = {
  hold_expired: "the hold has run out; reserve again",
  idempotency_conflict: "this idempotency key was used for another call",
  internal_error: "something does not answer; send the same call again",
  invalid_request: "a field says something that cannot be",
  invalid_state: "the errand's state does not allow this",
  no_capacity: "no vehicle is free",
  not_found: "the user has no such errand",
  payment_failed: "the fee is not paid",
  quote_expired: "the quote has run out; check again",
  rate_limited: "too many calls",
  timing_not_feasible: "no pickup is possible at that time",
  invalid_token: "the token is not good: the number behind it is disabled",
}

const call = {
  by: {
    is: "enum",
    of: SCENARIO_USERS,
    says: "whose agent calls",
    usual: "ada",
    short: "for the user {value}",
  },
  idempotency_key: { is: "text", says: "the idempotency key", short: "the key {value}" },
} as const

const slot = { is: "window", says: "the store's pickup slot" } as const
const slotId = { is: "text", says: "the slot's id", short: "the slot id {value}" } as const
const requirements = {
  is: "enums",
  of: PICKUP_REQUIREMENTS,
  says: "what the store requires of the person who collects",
} as const

export const COURIER_COMMANDS = {
  "errand.check": {
    says: "an agent asks whether {as} can be carried, with {with}",
    for: null,
    as: "errand",
    with: {
      store: { is: "text", says: "the store's name", short: "the store {value}", usual: "Lunchbox Kitchen" },
      methods: { is: "enums", of: PICKUP_METHODS, says: "how the store hands out orders", usual: "curbside" },
      item: { is: "text", says: "what is in the cart", short: "{value} in the cart" },
      window: { is: "window", says: "when the user wants the pickup", short: "a pickup in {value}" },
      slot,
      slot_id: slotId,
      north_m: {
        is: "number",
        says: "metres north of the Lunchbox Kitchen",
        short: "{value} m north",
        usual: "2000",
      },
      zip: { is: "text", says: "the user's ZIP code; without one the place is given directly" },
      ...call,
    },
  },
  "errand.reserve": {
    says: "the agent holds a vehicle for {for}, with {with}",
    for: "errand",
    as: null,
    with: {
      requirements,
      check_in_method: { is: "enum", of: CHECK_IN_METHODS, says: "how a customer checks in at the store" },
      window: { is: "window", says: "the offered window that was chosen", short: "a pickup in {value}" },
      slot,
      slot_id: slotId,
      token: { is: "text", says: "a shared payment token", short: "the payment token {value}" },
      phone: { is: "text", says: "the contact's phone number" },
      ...call,
    },
  },
  "errand.pay": {
    says: "the agent sends a payment for {for}, with {with}",
    for: "errand",
    as: null,
    with: {
      token: {
        is: "text",
        says: "the shared payment token",
        short: "the payment token {value}",
        usual: "spt_ok",
      },
      ...call,
    },
  },
  "errand.pay_at_checkout": {
    says: "the user pays for {for} at the checkout page, with {with}",
    for: "errand",
    as: null,
    with: {
      token: { is: "text", says: "what the page is given", short: "the card {value}", usual: "spt_ok" },
    },
  },
  "errand.confirm": {
    says: "the agent reports the store order of {for}, with {with}",
    for: "errand",
    as: null,
    with: {
      item: { is: "text", says: "what was ordered", short: "{value} in the order", usual: "Burrito" },
      order_number: { is: "text", says: "the store's order number", usual: "1001" },
      ready_at: { is: "time", says: "when the store has it ready", short: "the order ready at {value}" },
      slot,
      slot_id: slotId,
      ...call,
    },
  },
  "errand.ready_at": {
    says: "the agent reports that the order of {for} is ready at {time}, {with}",
    for: "errand",
    as: null,
    with: { time: { is: "time", says: "when", required: true }, ...call },
  },
  "errand.choose_slot": {
    says: "the agent reports the slot {slot} for {for}, {with}",
    for: "errand",
    as: null,
    with: { slot: { ...slot, required: true }, slot_id: slotId, ...call },
  },
  "errand.choose_window": {
    says: "the agent chooses the pickup window {window} for {for}, {with}",
    for: "errand",
    as: null,
    with: { window: { is: "window", says: "one of the offered windows", required: true }, ...call },
  },
  "errand.change_order": {
    says: "the agent reports that the order of {for} changed: {with}",
    for: "errand",
    as: null,
    with: {
      item: { is: "text", says: "what is ordered now", short: "{value} in the order" },
      order_number: { is: "text", says: "the store's order number" },
      ...call,
    },
  },
  "errand.tell_check_in": {
    says: "the agent reports how to check in for {for}: {with}",
    for: "errand",
    as: null,
    with: { instructions: { is: "text", says: "what the store asks for", required: true }, ...call },
  },
  "errand.tell_requirements": {
    says: "the agent reports that the store of {for} asks for {requirements}, {with}",
    for: "errand",
    as: null,
    with: { requirements: { ...requirements, required: true }, ...call },
  },
  "errand.tell_dropoff": {
    says: "the agent reports how to find the door of {for}: {with}",
    for: "errand",
    as: null,
    with: { notes: { is: "text", says: "the notes", required: true }, ...call },
  },
  "errand.tell_contact": {
    says: "the agent reports another e-mail address for {for}: {with}",
    for: "errand",
    as: null,
    with: { email: { is: "text", says: "the address", required: true }, ...call },
  },
  "errand.report_issue": {
    says: "the agent reports {issue} for {for}, {with}",
    for: "errand",
    as: null,
    with: {
      issue: { is: "enum", of: ISSUE_CODES, says: "what the store reported", required: true },
      ready_at: {
        is: "time",
        says: "when a late order is ready",
        short: "the order ready at {value}",
      },
      ...call,
    },
  },
  "phone.disable": {
    says: "operations let the number of {of} in no longer",
    for: null,
    as: null,
    with: { of: { is: "enum", of: SCENARIO_USERS, says: "the user", required: true } },
  },
  "phone.enable": {
    says: "operations let the number of {of} in again",
    for: null,
    as: null,
    with: { of: { is: "enum", of: SCENARIO_USERS, says: "the user", required: true } },
  },
  "errand.read": { says: "the agent reads {for}, {with}", for: "errand", as: null, with: { by: call.by } },
  "errand.cancel": {
    says: "the agent cancels {for}, {with}",
    for: "errand",
    as: null,
    with: { reason: { is: "text", says: "why", short: 'saying "{value}"' }, ...call },
  },
  "errand.fail": {
    says: "operations say that {for} failed, {with}",
    for: "errand",
    as: null,
    with: {
      reason: { is: "enum", of: FAILURE_REASONS, says: "why", required: true, short: "for {value}" },
      refund: { is: "boolean", says: "whether the fee goes back", short: "with a refund: {value}" },
    },
  },
  "errand.refund": {
    says: "operations give the fee of {for} back",
    for: "errand",
    as: null,
    with: {},
  },
} as const

export const COURIER_FAULTS = {
  "store_directory.fails": {
    says: "the directory of stores does not answer from now on",
    for: null,
    with: {},
  },
  "store_directory.works": { says: "the directory of stores answers again", for: null, with: {} },
  "payments.fail": { says: "the payment processor does not answer from now on", for: null, with: {} },
  "payments.lose_answers": {
    says: "the payment processor carries out requests, and its answers are lost from now on",
    for: null,
    with: {},
  },
  "payments.work": { says: "the payment processor answers again", for: null, with: {} },
  "payments.take": {
    says: "the payment processor takes {time} for an answer from now on",
    for: null,
    with: { time: { is: "duration", says: "how long", required: true, short: "{value}" } },
  },
} as const

export const COURIER_EXPECTATIONS = {
  errand: {
    says: "{errand} has {fields}",
    fields: {
      errand: { is: "name", of: "errand", says: "the errand", required: true },
      state: { is: "enum", of: COURIER_STATES, says: "its state", short: "the state {value}" },
      payment: { is: "enum", of: PAYMENT_STATUSES, says: "its payment", short: "a payment that is {value}" },
      payment_failure: {
        is: "enum",
        of: PAYMENT_FAILURES,
        says: "why its last payment failed",
        short: "a payment that failed as {value}",
      },
      decline_reason: { is: "enum", of: DECLINE_REASONS, says: "why not", short: "the reason {value}" },
      disqualifying: {
        is: "enums",
        of: DISQUALIFYING_REQUIREMENTS,
        says: "what a vehicle cannot do",
        short: "{value} against it",
      },
      restricted: { is: "text", says: "what may not be carried", short: "{value} among its items" },
      failure_reason: {
        is: "enum",
        of: FAILURE_REASONS,
        says: "why it failed",
        short: "the failure {value}",
      },
      quote_ends: { is: "time", says: "when its quote ends", short: "a quote until {value}" },
      hold_ends: { is: "time", says: "when its hold ends", short: "a hold until {value}" },
      windows: { is: "integer", min: 0, max: 100, says: "windows offered", short: "{value} windows" },
      first_window: { is: "window", says: "the best window", short: "the best window {value}" },
      slot_id: { is: "text", says: "the best window's slot", short: "the best window in the slot {value}" },
      next_window: {
        is: "window",
        says: "when a pickup is possible next, of a decline for its time",
        short: "the next window {value}",
      },
      earliest: {
        is: "time",
        says: "when a vehicle is expected to be free, of an answer without capacity",
        short: "a free vehicle expected at {value}",
      },
      store_matches: {
        is: "text",
        says: "the listings that were probably meant, separated by commas",
        short: "{value} as the store that may be meant",
      },
      select: {
        is: "text",
        says: "what to choose at the store's checkout",
        short: '"{value}" to choose at the store',
      },
      pickup: { is: "time", says: "the planned pickup", short: "a planned pickup at {value}" },
      arrival: {
        is: "time",
        says: "when the delivery window begins",
        short: "a delivery from {value}",
      },
      checkout: {
        is: "boolean",
        says: "whether there is a checkout link",
        short: "a checkout link|no checkout link",
      },
      checkout_page: {
        is: "enum",
        of: CHECKOUT_PAGES,
        says: "what the user sees behind the last checkout link",
        short: "a checkout page that is {value}",
      },
      location: {
        is: "boolean",
        says: "whether the vehicle's position is shown",
        short: "the vehicle's position shown|the vehicle's position hidden",
      },
      same_as: {
        is: "name",
        of: "errand",
        says: "the errand that it is",
        short: "the same id as {value}",
      },
      at,
      within,
    },
  },
  released: {
    says: "the last reserve of {by} released {released} earlier holds",
    fields: {
      released: { is: "integer", min: 0, max: 100, says: "how many", required: true },
      by: { is: "name", of: "errand", says: "the errand that was reserved", required: true },
    },
  },
  texts: {
    says: "{texts} text messages went to {to}",
    fields: {
      texts: { is: "integer", min: 0, max: 1_000, says: "how many", required: true },
      to: { is: "enum", of: SCENARIO_USERS, says: "the user", required: true },
      within,
    },
  },
} as const
