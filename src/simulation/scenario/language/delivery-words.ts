/**
 * Direct delivery's words of the scenario language: commands, faults and facts.
 * `src/simulation/scenario/language/language.ts` includes them and checks their types.
 */

import { ANALYTICS_PERIODS } from "../../../model/requests/analytics.ts"
import { DELIVERY_EVENT_BY_STATUS, DELIVERY_STATUSES, UNAVAILABLE_REASONS } from "../../../model/delivery.ts"
import { LOAD_REPORTS, VEHICLE_PHASES } from "../../../model/vehicle.ts"
import { PICKUP_EVENT_TYPES } from "../../../model/webhook.ts"
import { at, requests, times, within } from "./expectation-fields.ts"

const REPORTED = Object.keys(DELIVERY_EVENT_BY_STATUS)

const eastM = {
  is: "number",
  says: "metres east of the store",
  short: "{value} m east",
} as const
const northM = {
  is: "number",
  says: "metres north of the store",
  short: "{value} m north",
} as const

const site = {
  is: "name",
  of: "site",
  words: ["here"],
  says: "the site of the store, where given: sites has further ones that deliver",
  short: "the store {value}",
} as const
const siteOfOrder = { ...site, usual: "the one of its last quote" } as const

const quoting = {
  site: { ...site, usual: "here" },
  ready_by: {
    is: "time",
    says: "when the order is ready",
    usual: "in 10 minutes",
    short: "ready at {value}",
  },
  phone: { is: "text", says: "the customer's phone number", usual: "+15125550123" },
  zip: {
    is: "text",
    says: "the customer's ZIP code; without one the place is given directly",
    short: "an address in {value}",
  },
  east_m: { ...eastM, usual: "0" },
  north_m: { ...northM, usual: "2000" },
} as const

const endpoint = {
  url: { is: "text", says: "the URL" },
  events: {
    is: "enums",
    of: PICKUP_EVENT_TYPES,
    says: "the subscribed events",
    short: "it receives {value}",
  },
} as const

export const DELIVERY_COMMANDS = {
  "delivery.quote": {
    says: "the retailer asks for a quote {as}, with {with}",
    for: null,
    as: "delivery",
    with: quoting,
  },
  "delivery.requote": {
    says: "the retailer asks for a new quote of {for}, with {with}",
    for: "delivery",
    as: null,
    with: quoting,
  },
  "delivery.create": {
    says: "the retailer makes the quote {for} a delivery, with {with}",
    for: "delivery",
    as: null,
    with: {
      site: siteOfOrder,
      first_name: { is: "text", says: "the customer's first name" },
      phone: { is: "text", says: "the customer's phone number" },
    },
  },
  "delivery.read": {
    says: "the retailer reads {for}, {with}",
    for: "delivery",
    as: null,
    with: { site: siteOfOrder },
  },
  "delivery.cancel": {
    says: "the retailer cancels {for}, {with}",
    for: "delivery",
    as: null,
    with: {
      site: siteOfOrder,
      cancellation_reason: { is: "text", says: "why", short: 'saying "{value}"' },
      reason: { is: "text", says: "why, by its name in older scenarios", short: 'saying "{value}"' },
    },
  },
  "delivery.advance": {
    says: "the sandbox advances {for}, {with}",
    for: "delivery",
    as: null,
    with: {
      site: siteOfOrder,
      to: {
        is: "enum",
        of: REPORTED,
        says: "the status at which it stops",
        usual: "the next one",
        short: "until it is {value}",
      },
    },
  },
  "delivery.supervise": {
    says: "a supervisor at the site says that {for} is {status}",
    for: "delivery",
    as: null,
    with: { status: { is: "enum", of: REPORTED, says: "the status", required: true } },
  },
  "delivery.reassign": {
    says: "operations give {for} to {vehicle}",
    for: "delivery",
    as: null,
    with: { vehicle: { is: "name", of: "vehicle", says: "the other vehicle", required: true } },
  },
  "vehicle.report": {
    says: "{for} reports where it is: {with}",
    for: "vehicle",
    as: null,
    with: {
      site: {
        ...site,
        says: "the site from whose store its metres count",
        short: "counted from the store {value}",
        usual: "the site of the vehicle",
      },
      east_m: { ...eastM, usual: "0" },
      north_m: { ...northM, usual: "0" },
      load: { is: "enum", of: LOAD_REPORTS, says: "what it says of its load", short: "{value}" },
      recorded_at: { is: "time", says: "when it was there", short: "recorded at {value}" },
    },
  },
  "vehicle.drive": {
    says: "{for}, a synthetic vehicle, drives its run to the end",
    for: "vehicle",
    as: null,
    with: {},
  },
  "vehicle.go_online": { says: "{for} goes online", for: "vehicle", as: null, with: {} },
  "vehicle.go_offline": { says: "{for} goes offline", for: "vehicle", as: null, with: {} },
  "sms.reply": {
    says: "the customer {from} replies {text} to a text message",
    for: null,
    as: null,
    with: {
      from: { is: "text", says: "the phone number", required: true },
      text: { is: "text", says: "the message", required: true },
    },
  },
  "customer.reply": {
    says: "the customer of {for} replies {text} to a text message",
    for: "delivery",
    as: null,
    with: { text: { is: "text", says: "the message", required: true } },
  },
  "pickup_webhook.register": {
    says: "the retailer registers the endpoint {as}: {with}",
    for: null,
    as: "webhook",
    with: endpoint,
  },
  "pickup_webhook.change": {
    says: "the retailer changes the endpoint {for}: {with}",
    for: "webhook",
    as: null,
    with: {
      ...endpoint,
      is_active: {
        is: "boolean",
        says: "whether the endpoint is active",
        short: "it is switched on|it is switched off",
      },
      rotate_secret: {
        is: "boolean",
        says: "whether the secret is rotated",
        short: "its secret is rotated|its secret stays",
      },
    },
  },
  "pickup_webhook.remove": {
    says: "the retailer deletes the endpoint {for}",
    for: "webhook",
    as: null,
    with: {},
  },
} as const

export const DELIVERY_FAULTS = {
  "geocoder.fails": { says: "the geocoder does not answer from now on", for: null, with: {} },
  "geocoder.works": { says: "the geocoder answers again", for: null, with: {} },
} as const

export const DELIVERY_EXPECTATIONS = {
  delivery: {
    says: "{delivery} has {fields}",
    fields: {
      delivery: { is: "name", of: "delivery", says: "the delivery", required: true },
      status: { is: "enum", of: DELIVERY_STATUSES, says: "its status" },
      cancellation_reason: { is: "text", says: "the cancellation reason", nullable: true },
      pickup_eta: { is: "time", says: "the quoted pickup", short: "the quoted pickup {value}" },
      delivery_eta: { is: "time", says: "the quoted delivery", short: "the quoted delivery {value}" },
      estimated_pickup: {
        is: "time",
        says: "the estimate of the pickup at that moment",
        short: "the pickup estimate {value}",
        nullable: true,
      },
      estimated_delivery: {
        is: "time",
        says: "the estimate of the delivery at that moment",
        short: "the delivery estimate {value}",
        nullable: true,
      },
      fee_cents: {
        is: "integer",
        min: 0,
        max: 1_000_000,
        says: "the fee",
        short: "the fee of {value} cents",
      },
      first_name: { is: "text", says: "the customer's first name", nullable: true },
      at,
      within,
    },
  },
  quote: {
    says: "the quote {quote} has {fields}",
    fields: {
      quote: { is: "name", of: "delivery", says: "the quote", required: true },
      available: { is: "boolean", says: "whether a delivery can be made", short: "a way|no way" },
      reason: {
        is: "enum",
        of: UNAVAILABLE_REASONS,
        says: "why not",
        short: "the reason {value}",
        nullable: true,
      },
      pickup_eta: { is: "time", says: "the estimated pickup", short: "the pickup estimate {value}" },
      delivery_eta: { is: "time", says: "the estimated delivery", short: "the delivery estimate {value}" },
      fee_cents: {
        is: "integer",
        min: 0,
        max: 1_000_000,
        says: "the fee",
        short: "the fee of {value} cents",
      },
      expires_at: { is: "time", says: "when it expires", short: "the end {value}" },
      earliest: {
        is: "time",
        says: "when a place is expected to be free",
        short: "a place expected at {value}|no such time",
        nullable: true,
      },
    },
  },
  vehicle: {
    says: "{vehicle} has {fields}",
    fields: {
      vehicle: { is: "name", of: "vehicle", says: "the vehicle", required: true },
      active: {
        is: "name",
        of: "delivery",
        says: "the active run",
        short: "the active run {value}",
        nullable: true,
      },
      queued: { is: "integer", min: 0, max: 1_000, says: "runs behind it", short: "{value} runs behind it" },
      phase: { is: "enum", of: VEHICLE_PHASES, says: "how far along it is", short: "the phase {value}" },
      online: { is: "boolean", says: "whether it is online", short: "a connection|no connection" },
      at,
      within,
    },
  },
  pickup_webhook: {
    says: "{to} receives {pickup_webhook}",
    fields: {
      pickup_webhook: { is: "enum", of: PICKUP_EVENT_TYPES, says: "the event", required: true },
      to: { is: "name", of: "webhook", says: "the receiver", required: true },
      for: { is: "name", of: "delivery", says: "about this delivery only" },
      status: { is: "enum", of: DELIVERY_STATUSES, says: "with the delivery in this status" },
      previous_status: { is: "enum", of: DELIVERY_STATUSES, says: "with this status before" },
      vehicle_location: { is: "boolean", says: "with or without the vehicle's position" },
      ...requests,
      within,
    },
  },
  endpoint: {
    says: "the endpoint {endpoint} has {fields}",
    fields: {
      endpoint: { is: "name", of: "webhook", says: "the endpoint", required: true },
      is_active: { is: "boolean", says: "whether it is active", short: "a connection|no connection" },
      consecutive_failures: {
        is: "integer",
        min: 0,
        max: 1_000,
        says: "failures in a row",
        short: "{value} failures in a row",
      },
      notices: { ...times, says: "notices to its owner", short: "{value} notices to its owner" },
      within,
    },
  },
  delivery_list: {
    says: "the retailer's list holds {delivery_list} deliveries",
    fields: {
      delivery_list: { is: "integer", min: 0, max: 1_000, says: "how many", required: true },
      delivery_status: { is: "enums", of: DELIVERY_STATUSES, says: "in one of these statuses" },
      site: { ...site, usual: "here" },
    },
  },
  analytics: {
    says: "analytics of the site for {analytics} has {fields}",
    fields: {
      analytics: { is: "enum", of: ANALYTICS_PERIODS, says: "the period up to now", required: true },
      sessions: { ...times, says: "vehicles that came to a stall", short: "{value} sessions" },
      dwell_seconds: {
        is: "integer",
        min: 0,
        max: 100_000,
        says: "how long they stood, on average",
        short: "a stay of {value} s",
      },
      occupancy: { is: "number", says: "occupied stall-time in percent", short: "an occupancy of {value} %" },
    },
  },
} as const
