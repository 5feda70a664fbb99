/** The cells of the compartment, for cells.test.ts: every state by event, as literals. */

import type { JsonObject } from "../../src/model/values/json.ts"
import {
  CALL_RESENDS_MAX,
  COMPARTMENT_TRIES_MAX,
  OPEN_LINK_ATTEMPTS_MAX,
  OPEN_LINK_BACKOFF_MS,
  OPEN_LINK_LEASE_MS,
} from "../../src/model/values/limits.ts"

/** What the machine is started with. */
export const COMPARTMENT_INPUT = {
  deliveryId: "dlv_1",
  fleetId: "fleet_1",
  triesMax: COMPARTMENT_TRIES_MAX,
  attemptsMax: OPEN_LINK_ATTEMPTS_MAX,
  backoffMs: OPEN_LINK_BACKOFF_MS,
  leaseMs: OPEN_LINK_LEASE_MS,
  resendsMax: CALL_RESENDS_MAX,
}

/** Rows stand in the first attempt of the first opening. */
export const COMPARTMENT_BASE: JsonObject = { attempt: 1, openings: 1 }

/** What a situation changes in the context. */
export const compartmentSituations: { readonly [situation: string]: JsonObject } = {
  "four wrong tries": { wrongTries: COMPARTMENT_TRIES_MAX - 1 },
  "the last attempt of the second opening": {
    attempt: 2 * OPEN_LINK_ATTEMPTS_MAX,
    attemptsBefore: OPEN_LINK_ATTEMPTS_MAX,
  },
}

/** The fields of each event, and what its variants change in them. */
const there = { status: "ARRIVED_AT_CUSTOMER", vehicleId: "veh_1" }
export const compartmentFields: { readonly [cell: string]: JsonObject } = {
  "opening.granted": there,
  "opening.granted (still on its way)": { ...there, status: "EN_ROUTE_TO_CUSTOMER" },
  "opening.requested": { ...there, digitsMatch: true },
  "opening.requested (wrong digits)": { ...there, digitsMatch: false },
  "opening.requested (still on its way)": { ...there, digitsMatch: true, status: "EN_ROUTE_TO_CUSTOMER" },
  "opening.requested (delivered)": { ...there, digitsMatch: true, status: "COMPLETED" },
  "call.failed (of the sixth attempt)": { attempt: 2 * OPEN_LINK_ATTEMPTS_MAX, reason: "timeout" },
}

const results = {
  "call.discarded": "ignored",
  "call.failed": "ignored",
  "call.lost": "ignored",
  "call.succeeded": "ignored",
}

export const compartmentCells = {
  "compartment@1": {
    closed: {
      ...results,
      "opening.granted": "moves to opening.calling",
      "opening.granted (still on its way)": "refuses INVALID_STATE",
      "opening.requested": "moves to opening.calling",
      "opening.requested (wrong digits)": "stays",
      "opening.requested (still on its way)": "refuses INVALID_STATE",
      "opening.requested (delivered)": "refuses INVALID_STATE",
    },
    "closed, four wrong tries": {
      "opening.requested": "moves to opening.calling",
      "opening.requested (wrong digits)": "moves to locked",
    },
    "opening.calling": {
      "call.discarded": "moves to closed",
      "call.discarded (of another attempt)": "ignored",
      "call.failed": "moves to opening.waiting",
      "call.failed (of another attempt)": "ignored",
      "call.lost": "restarts",
      "call.lost (of another attempt)": "ignored",
      "call.succeeded": "moves to opened",
      "call.succeeded (of another attempt)": "ignored",
      "opening.granted": "stays",
      "opening.requested": "stays",
      "opening.requested (wrong digits)": "stays",
    },
    "opening.calling, the last attempt of the second opening": {
      "call.failed": "ignored",
      "call.failed (of the sixth attempt)": "moves to failed",
    },
    "opening.calling, it left too often": { "call.lost": "ignored" },
    "opening.waiting": {
      ...results,
      "call.succeeded": "moves to opened",
      "call.succeeded (of another attempt)": "ignored",
      "opening.granted": "stays",
      "opening.requested": "stays",
    },
    opened: {
      ...results,
      "opening.granted": "moves to opening.calling",
      "opening.granted (still on its way)": "refuses INVALID_STATE",
      "opening.requested": "stays",
      "opening.requested (delivered)": "refuses INVALID_STATE",
    },
    failed: {
      ...results,
      "call.succeeded": "moves to opened",
      "call.succeeded (of another attempt)": "ignored",
      "opening.granted": "moves to opening.calling",
      "opening.granted (still on its way)": "refuses INVALID_STATE",
      "opening.requested": "refuses INVALID_STATE",
    },
    locked: {
      ...results,
      "opening.granted": "moves to opening.calling",
      "opening.granted (still on its way)": "refuses INVALID_STATE",
      "opening.requested": "stays",
    },
  },
}
