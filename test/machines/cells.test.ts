/**
 * Every state by event cell of every machine, as literals: a cell moves, stays (only actions ran), restarts
 * (stays, with its clock armed anew), refuses with a code, or is ignored. What is ignored must stand in the
 * machine's `ignores` with a reason, and nothing else may stand there. A final state takes no event at all:
 * its row is the word `final`.
 *
 * A row is a leaf state, or a leaf state and a situation (`open.at_unit, the bot is secured`); a cell is an
 * event, or an event and a variant (`load.recorded (no photo)`). Every leaf must have every event of its
 * machine; situations and variants are added where a guard looks at them. Longer than 400 lines, because a
 * table cut in two is worse.
 */

import { describe, expect, test } from "vitest"
import type { AnyStateMachine, AnyStateNode } from "xstate"
import { ignores, machines } from "../../machines/index.ts"
import type { MachineId } from "../../machines/index.ts"
import { initial, persist, revive, step } from "../../src/engine/kernel/step.ts"
import type { JsonObject } from "../../src/model/values/json.ts"
import {
  CALL_RESENDS_MAX,
  WEBHOOK_ATTEMPTS_MAX,
  WEBHOOK_BACKOFF_MS,
  WEBHOOK_LEASE_MS,
} from "../../src/model/values/limits.ts"
import {
  COMPARTMENT_BASE,
  COMPARTMENT_INPUT,
  compartmentCells,
  compartmentFields,
  compartmentSituations,
} from "./compartment-cells.ts"
import {
  courierBases,
  courierCells,
  courierFields,
  courierInputs,
  courierSituations,
} from "./courier-cells.ts"
import {
  directDeliveryCells,
  directDeliveryFields,
  directDeliveryInputs,
  directDeliverySituations,
} from "./direct-delivery-cells.ts"
import { BOOKED_AT_MS, dotted, ENDS_AT_MS, POLICY, STARTS_AT_MS } from "./group-under-test.ts"

type Cells = { readonly [row: string]: "final" | { readonly [cell: string]: string } }

/** What each machine is started with; its context is the base of every row. */
const inputs: Readonly<Record<MachineId, JsonObject>> = {
  ...courierInputs,
  ...directDeliveryInputs,
  "compartment@1": COMPARTMENT_INPUT,
  "bot@1": { hasRunner: true },
  "open-link@1": {
    attemptsMax: POLICY.openLinkAttemptsMax,
    backoffMs: POLICY.openLinkBackoffMs,
    leaseMs: POLICY.openLinkLeaseMs,
  },
  "open-link@2": {
    attemptsMax: POLICY.openLinkAttemptsMax,
    backoffMs: POLICY.openLinkBackoffMs,
    leaseMs: POLICY.openLinkLeaseMs,
    resendsMax: CALL_RESENDS_MAX,
  },
  "reservation@1": {
    zoneId: "zone_1",
    retailerId: "ret_1",
    startsAtMs: STARTS_AT_MS,
    endsAtMs: ENDS_AT_MS,
    payloadLimit: null,
    hasRunner: true,
    policy: POLICY,
    decided: { stallId: "stall_1" },
  },
  "runner-call@1": { siteId: "site_1", reservationId: "res_1", ringMs: 180_000 },
  "runner-task@1": {
    windowStartsAtMs: STARTS_AT_MS,
    windowEndsAtMs: ENDS_AT_MS,
    payloadLimit: { maxWeightKg: 10, maxDimensionsCm: null },
    policy: POLICY,
  },
  "webhook-delivery@1": {
    endpointId: "whk_1",
    eventId: "evt_1",
    attemptsMax: WEBHOOK_ATTEMPTS_MAX,
    backoffMs: WEBHOOK_BACKOFF_MS,
    leaseMs: WEBHOOK_LEASE_MS,
  },
  "webhook-delivery@2": {
    endpointId: "whk_1",
    eventId: "evt_1",
    attemptsMax: WEBHOOK_ATTEMPTS_MAX,
    backoffMs: WEBHOOK_BACKOFF_MS,
    leaseMs: WEBHOOK_LEASE_MS,
    resendsMax: CALL_RESENDS_MAX,
  },
}

/** What a situation changes in the context. */
const situations: { readonly [situation: string]: JsonObject } = {
  ...courierSituations,
  ...directDeliverySituations,
  ...compartmentSituations,
  "the bot had arrived": { status: "ARRIVED" },
  "the bot is ready": { botStatus: "READY_FOR_HANDOFF" },
  "the bot is secured": { botStatus: "SECURED" },
  "the flag is set": { flags: ["stall_blocked"] },
  "the last attempt": { attempt: 99 },
  "it left too often": { resends: CALL_RESENDS_MAX },
  "run_1 has answered": { answeredBy: "run_1" },
  "the last open link failed": { openLink: "failed", openLinks: 1 },
}

/** The fields of each event, and what its variants change in them. */
const fields: { readonly [cell: string]: JsonObject } = {
  ...directDeliveryFields,
  ...compartmentFields,
  "call.discarded": { attempt: 1, reason: "inactive" },
  "call.discarded (of another attempt)": { attempt: 0, reason: "inactive" },
  "call.failed (of another attempt)": { attempt: 0, reason: "status 500" },
  "call.failed (of that attempt)": { attempt: 99, reason: "status 500" },
  "call.succeeded (of another attempt)": { attempt: 0 },
  "call.succeeded (of that attempt)": { attempt: 99 },
  "call.failed": { attempt: 1, reason: "status 500" },
  "call.deferred": { attempt: 1 },
  "call.deferred (of another attempt)": { attempt: 0 },
  "call.lost": { attempt: 1 },
  "call.lost (of another attempt)": { attempt: 0 },
  "queue.released": { attempt: 1 },
  "queue.released (of another attempt)": { attempt: 0 },
  "call.succeeded": { attempt: 1 },
  "cancel.requested": { by: "partner" },
  "exception.cleared": { code: "stall_blocked" },
  "exception.raised": { code: "stall_blocked" },
  "exception.raised (it ends the task)": { code: "payload_rejected" },
  "load.recorded": { photoId: "pho_1" },
  "load.recorded (no photo)": { photoId: null },
  "order.not_ready": { readyEstimateAtMs: null },
  "payload.measured": { measure: { weightKg: 1, dimensionsCm: null } },
  "payload.measured (it does not fit)": { measure: { weightKg: 11, dimensionsCm: null } },
  "payload.measured (not weighed)": { measure: { weightKg: null, dimensionsCm: null } },
  "runner.answered": { runnerId: "run_1" },
  "runner.assigned": { runnerId: "run_1" },
}
const windowMoved = { startsAtMs: STARTS_AT_MS + 60_000, endsAtMs: ENDS_AT_MS + 60_000 }
const reservationFields: { readonly [cell: string]: JsonObject } = {
  "window.moved": { decided: windowMoved },
  "window.moved (a rule is broken)": { decided: { ...windowMoved, refusal: "WINDOW_TOO_LONG" } },
  "window.moved (the same)": { decided: { startsAtMs: STARTS_AT_MS, endsAtMs: ENDS_AT_MS } },
}

const table: Readonly<Record<MachineId, Cells>> = {
  ...courierCells,
  ...directDeliveryCells,
  ...compartmentCells,
  "bot@1": {
    "underway.unreported": {
      "bot.aborted": "moves to underway.aborted",
      "bot.arrived": "moves to underway.arrived",
      "bot.departed": "moves to underway.departed",
      "bot.inbound": "moves to underway.inbound",
      "bot.ready": "moves to underway.ready",
      "bot.secured": "moves to underway.secured",
      "reservation.ended": "moves to closed",
    },
    "underway.inbound": {
      "bot.aborted": "moves to underway.aborted",
      "bot.arrived": "moves to underway.arrived",
      "bot.departed": "moves to underway.departed",
      "bot.inbound": "stays",
      "bot.ready": "moves to underway.ready",
      "bot.secured": "moves to underway.secured",
      "reservation.ended": "moves to closed",
    },
    "underway.arrived": {
      "bot.aborted": "moves to underway.aborted",
      "bot.arrived": "stays",
      "bot.departed": "moves to underway.departed",
      "bot.inbound": "refuses BOT_STATUS_REGRESSION",
      "bot.ready": "moves to underway.ready",
      "bot.secured": "moves to underway.secured",
      "reservation.ended": "moves to closed",
    },
    "underway.ready": {
      "bot.aborted": "moves to underway.aborted",
      "bot.arrived": "refuses BOT_STATUS_REGRESSION",
      "bot.departed": "moves to underway.departed",
      "bot.inbound": "refuses BOT_STATUS_REGRESSION",
      "bot.ready": "stays",
      "bot.secured": "moves to underway.secured",
      "reservation.ended": "moves to closed",
    },
    "underway.secured": {
      "bot.aborted": "refuses BOT_STATUS_REGRESSION",
      "bot.arrived": "refuses BOT_STATUS_REGRESSION",
      "bot.departed": "moves to underway.departed",
      "bot.inbound": "refuses BOT_STATUS_REGRESSION",
      "bot.ready": "refuses BOT_STATUS_REGRESSION",
      "bot.secured": "stays",
      "reservation.ended": "moves to closed",
    },
    "underway.departed": {
      "bot.aborted": "refuses BOT_STATUS_REGRESSION",
      "bot.arrived": "refuses BOT_STATUS_REGRESSION",
      "bot.departed": "stays",
      "bot.inbound": "refuses BOT_STATUS_REGRESSION",
      "bot.ready": "refuses BOT_STATUS_REGRESSION",
      "bot.secured": "refuses BOT_STATUS_REGRESSION",
      "reservation.ended": "moves to closed",
    },
    "underway.aborted": {
      "bot.aborted": "stays",
      "bot.arrived": "refuses BOT_STATUS_REGRESSION",
      "bot.departed": "refuses BOT_STATUS_REGRESSION",
      "bot.inbound": "refuses BOT_STATUS_REGRESSION",
      "bot.ready": "refuses BOT_STATUS_REGRESSION",
      "bot.secured": "refuses BOT_STATUS_REGRESSION",
      "reservation.ended": "moves to closed",
    },
    closed: {
      "bot.aborted": "refuses INVALID_STATE",
      "bot.arrived": "refuses INVALID_STATE",
      "bot.departed": "refuses INVALID_STATE",
      "bot.inbound": "refuses INVALID_STATE",
      "bot.ready": "refuses INVALID_STATE",
      "bot.secured": "refuses INVALID_STATE",
      "reservation.ended": "ignored",
    },
    "closed, the bot had arrived": {
      "bot.aborted": "refuses INVALID_STATE",
      "bot.arrived": "stays",
      "bot.departed": "refuses INVALID_STATE",
      "bot.inbound": "refuses INVALID_STATE",
      "bot.ready": "refuses INVALID_STATE",
      "bot.secured": "refuses INVALID_STATE",
      "reservation.ended": "ignored",
    },
  },
  "open-link@1": {
    "trying.calling": {
      "call.discarded": "moves to dropped",
      "call.discarded (of another attempt)": "ignored",
      "call.failed": "moves to trying.waiting",
      "call.failed (of another attempt)": "ignored",
      "call.succeeded": "moves to opened",
      "call.succeeded (of another attempt)": "ignored",
      "open_link.dropped": "moves to dropped",
    },
    "trying.calling, the last attempt": {
      "call.failed (of that attempt)": "moves to failed",
      "call.succeeded (of that attempt)": "moves to opened",
    },
    "trying.waiting": {
      "call.discarded": "ignored",
      "call.failed": "ignored",
      "call.succeeded": "ignored",
      "open_link.dropped": "moves to dropped",
    },
    opened: "final",
    failed: "final",
    dropped: "final",
  },
  "open-link@2": {
    "trying.calling": {
      "call.discarded": "moves to dropped",
      "call.discarded (of another attempt)": "ignored",
      "call.failed": "moves to trying.waiting",
      "call.failed (of another attempt)": "ignored",
      "call.lost": "restarts",
      "call.lost (of another attempt)": "ignored",
      "call.succeeded": "moves to opened",
      "call.succeeded (of another attempt)": "ignored",
      "open_link.dropped": "moves to dropped",
    },
    "trying.calling, the last attempt": {
      "call.failed (of that attempt)": "moves to failed",
      "call.succeeded (of that attempt)": "moves to opened",
    },
    "trying.calling, it left too often": { "call.lost": "ignored" },
    "trying.waiting": {
      "call.discarded": "ignored",
      "call.failed": "ignored",
      "call.lost": "ignored",
      "call.succeeded": "moves to opened",
      "call.succeeded (of another attempt)": "ignored",
      "open_link.dropped": "moves to dropped",
    },
    opened: "final",
    failed: "final",
    dropped: "final",
  },
  "reservation@1": {
    "open.confirmed": {
      "bot.arrived": "moves to open.arrived",
      "bot.departed": "moves to completed",
      "cancel.requested": "moves to canceled",
      "order.loaded": "stays",
      "parts.ended": "ignored",
      "window.moved": "restarts",
      "window.moved (a rule is broken)": "refuses WINDOW_TOO_LONG",
      "window.moved (the same)": "stays",
    },
    "open.arrived": {
      "bot.arrived": "ignored",
      "bot.departed": "moves to completed",
      "cancel.requested": "moves to canceled",
      "order.loaded": "stays",
      "parts.ended": "ignored",
      "window.moved": "refuses INVALID_STATE",
      "window.moved (a rule is broken)": "refuses INVALID_STATE",
      "window.moved (the same)": "refuses INVALID_STATE",
    },
    completed: {
      "bot.arrived": "ignored",
      "bot.departed": "ignored",
      "cancel.requested": "refuses INVALID_STATE",
      "order.loaded": "ignored",
      "parts.ended": "stays",
      "window.moved": "refuses INVALID_STATE",
    },
    canceled: {
      "bot.arrived": "ignored",
      "bot.departed": "ignored",
      "cancel.requested": "stays",
      "order.loaded": "ignored",
      "parts.ended": "stays",
      "window.moved": "refuses INVALID_STATE",
    },
  },
  "runner-call@1": {
    ringing: { "operator.withdrew": "moves to withdrawn", "runner.answered": "moves to answered" },
    answered: { "operator.withdrew": "stays", "runner.answered": "refuses INVALID_STATE" },
    "answered, run_1 has answered": { "runner.answered": "stays" },
    missed: { "operator.withdrew": "stays", "runner.answered": "refuses INVALID_STATE" },
    withdrawn: { "operator.withdrew": "stays", "runner.answered": "refuses INVALID_STATE" },
  },
  "runner-task@1": {
    "open.queued": {
      "bot.aborted": "moves to canceled",
      "bot.arrived": "stays",
      "bot.departed": "moves to canceled",
      "bot.eta_changed": "stays",
      "bot.inbound": "stays",
      "bot.ready": "stays",
      "bot.secured": "stays",
      "exception.cleared": "stays",
      "exception.raised": "stays",
      "exception.raised (it ends the task)": "moves to failed",
      "load.recorded": "refuses INVALID_STATE",
      "open_link.failed": "ignored",
      "open_link.opened": "ignored",
      "open_link.retried": "refuses INVALID_STATE",
      "order.given_up": "refuses INVALID_STATE",
      "order.in_hand": "refuses INVALID_STATE",
      "order.not_ready": "refuses INVALID_STATE",
      "order.ready": "refuses INVALID_STATE",
      "payload.measured": "refuses INVALID_STATE",
      "reservation.ended": "moves to canceled",
      "runner.assigned": "moves to open.assigned",
      "runner.at_store": "refuses INVALID_STATE",
      "runner.at_unit": "refuses INVALID_STATE",
      "window.moved": "stays",
    },
    "open.queued, the flag is set": {
      "exception.cleared": "stays",
      "exception.raised": "stays",
    },
    "open.assigned": {
      "bot.aborted": "moves to canceled",
      "bot.arrived": "stays",
      "bot.departed": "moves to canceled",
      "bot.eta_changed": "ignored",
      "bot.inbound": "stays",
      "bot.ready": "stays",
      "bot.secured": "stays",
      "exception.cleared": "stays",
      "exception.raised": "stays",
      "exception.raised (it ends the task)": "moves to failed",
      "load.recorded": "refuses INVALID_STATE",
      "open_link.failed": "ignored",
      "open_link.opened": "ignored",
      "open_link.retried": "refuses INVALID_STATE",
      "order.given_up": "refuses INVALID_STATE",
      "order.in_hand": "refuses INVALID_STATE",
      "order.not_ready": "refuses INVALID_STATE",
      "order.ready": "refuses INVALID_STATE",
      "payload.measured": "refuses INVALID_STATE",
      "reservation.ended": "moves to canceled",
      "runner.assigned": "refuses INVALID_STATE",
      "runner.at_store": "moves to open.at_store",
      "runner.at_unit": "refuses INVALID_STATE",
      "window.moved": "stays",
    },
    "open.at_store": {
      "bot.aborted": "moves to canceled",
      "bot.arrived": "stays",
      "bot.departed": "moves to canceled",
      "bot.eta_changed": "ignored",
      "bot.inbound": "stays",
      "bot.ready": "stays",
      "bot.secured": "stays",
      "exception.cleared": "stays",
      "exception.raised": "stays",
      "exception.raised (it ends the task)": "moves to failed",
      "load.recorded": "refuses INVALID_STATE",
      "open_link.failed": "ignored",
      "open_link.opened": "ignored",
      "open_link.retried": "refuses INVALID_STATE",
      "order.given_up": "moves to failed",
      "order.in_hand": "moves to open.retrieved",
      "order.not_ready": "moves to open.held",
      "order.ready": "refuses INVALID_STATE",
      "payload.measured": "stays",
      "payload.measured (it does not fit)": "moves to failed",
      "payload.measured (not weighed)": "refuses VALIDATION_ERROR",
      "reservation.ended": "moves to canceled",
      "runner.assigned": "refuses INVALID_STATE",
      "runner.at_store": "refuses INVALID_STATE",
      "runner.at_unit": "refuses INVALID_STATE",
      "window.moved": "restarts",
    },
    "open.held": {
      "bot.aborted": "moves to canceled",
      "bot.arrived": "stays",
      "bot.departed": "moves to canceled",
      "bot.eta_changed": "ignored",
      "bot.inbound": "stays",
      "bot.ready": "stays",
      "bot.secured": "stays",
      "exception.cleared": "stays",
      "exception.raised": "stays",
      "exception.raised (it ends the task)": "moves to failed",
      "load.recorded": "refuses INVALID_STATE",
      "open_link.failed": "ignored",
      "open_link.opened": "ignored",
      "open_link.retried": "refuses INVALID_STATE",
      "order.given_up": "moves to failed",
      "order.in_hand": "moves to open.retrieved",
      "order.not_ready": "refuses INVALID_STATE",
      "order.ready": "moves to open.at_store",
      "payload.measured": "stays",
      "payload.measured (it does not fit)": "moves to failed",
      "payload.measured (not weighed)": "refuses VALIDATION_ERROR",
      "reservation.ended": "moves to canceled",
      "runner.assigned": "refuses INVALID_STATE",
      "runner.at_store": "refuses INVALID_STATE",
      "runner.at_unit": "refuses INVALID_STATE",
      "window.moved": "restarts",
    },
    "open.retrieved": {
      "bot.aborted": "moves to canceled",
      "bot.arrived": "stays",
      "bot.departed": "moves to canceled",
      "bot.eta_changed": "ignored",
      "bot.inbound": "stays",
      "bot.ready": "stays",
      "bot.secured": "stays",
      "exception.cleared": "stays",
      "exception.raised": "stays",
      "exception.raised (it ends the task)": "moves to failed",
      "load.recorded": "refuses INVALID_STATE",
      "open_link.failed": "ignored",
      "open_link.opened": "ignored",
      "open_link.retried": "refuses INVALID_STATE",
      "order.given_up": "refuses INVALID_STATE",
      "order.in_hand": "refuses INVALID_STATE",
      "order.not_ready": "refuses INVALID_STATE",
      "order.ready": "refuses INVALID_STATE",
      "payload.measured": "refuses INVALID_STATE",
      "reservation.ended": "moves to canceled",
      "runner.assigned": "refuses INVALID_STATE",
      "runner.at_store": "refuses INVALID_STATE",
      "runner.at_unit": "moves to open.at_unit",
      "window.moved": "stays",
    },
    "open.retrieved, the bot is ready": {
      "runner.at_unit": "moves to open.handoff_ready",
    },
    "open.at_unit": {
      "bot.aborted": "moves to canceled",
      "bot.arrived": "stays",
      "bot.departed": "moves to canceled",
      "bot.eta_changed": "ignored",
      "bot.inbound": "stays",
      "bot.ready": "moves to open.handoff_ready",
      "bot.secured": "stays",
      "exception.cleared": "stays",
      "exception.raised": "stays",
      "exception.raised (it ends the task)": "moves to failed",
      "load.recorded": "refuses INVALID_STATE",
      "open_link.failed": "ignored",
      "open_link.opened": "ignored",
      "open_link.retried": "refuses INVALID_STATE",
      "order.given_up": "refuses INVALID_STATE",
      "order.in_hand": "refuses INVALID_STATE",
      "order.not_ready": "refuses INVALID_STATE",
      "order.ready": "refuses INVALID_STATE",
      "payload.measured": "refuses INVALID_STATE",
      "reservation.ended": "moves to canceled",
      "runner.assigned": "refuses INVALID_STATE",
      "runner.at_store": "refuses INVALID_STATE",
      "runner.at_unit": "refuses INVALID_STATE",
      "window.moved": "stays",
    },
    "open.at_unit, the bot is secured": {
      "load.recorded": "moves to loaded.photographed",
      "load.recorded (no photo)": "moves to loaded.unphotographed",
    },
    "open.handoff_ready": {
      "bot.aborted": "moves to canceled",
      "bot.arrived": "stays",
      "bot.departed": "moves to loaded.unphotographed",
      "bot.eta_changed": "ignored",
      "bot.inbound": "stays",
      "bot.ready": "stays",
      "bot.secured": "moves to loaded.unphotographed",
      "exception.cleared": "stays",
      "exception.raised": "stays",
      "exception.raised (it ends the task)": "moves to failed",
      "load.recorded": "moves to loaded.photographed",
      "load.recorded (no photo)": "moves to loaded.unphotographed",
      "open_link.failed": "stays",
      "open_link.opened": "stays",
      "open_link.retried": "refuses INVALID_STATE",
      "order.given_up": "refuses INVALID_STATE",
      "order.in_hand": "refuses INVALID_STATE",
      "order.not_ready": "refuses INVALID_STATE",
      "order.ready": "refuses INVALID_STATE",
      "payload.measured": "refuses INVALID_STATE",
      "reservation.ended": "moves to canceled",
      "runner.assigned": "refuses INVALID_STATE",
      "runner.at_store": "refuses INVALID_STATE",
      "runner.at_unit": "refuses INVALID_STATE",
      "window.moved": "stays",
    },
    "open.handoff_ready, the flag is set": {
      "exception.cleared": "stays",
      "exception.raised": "stays",
    },
    "open.handoff_ready, the last open link failed": {
      "open_link.retried": "stays",
    },
    "loaded.unphotographed": {
      "bot.aborted": "ignored",
      "bot.arrived": "ignored",
      "bot.departed": "ignored",
      "bot.eta_changed": "ignored",
      "bot.inbound": "ignored",
      "bot.ready": "ignored",
      "bot.secured": "ignored",
      "exception.cleared": "refuses INVALID_STATE",
      "exception.raised": "refuses INVALID_STATE",
      "load.recorded": "moves to loaded.photographed",
      "load.recorded (no photo)": "stays",
      "open_link.failed": "ignored",
      "open_link.opened": "ignored",
      "open_link.retried": "refuses INVALID_STATE",
      "order.given_up": "refuses INVALID_STATE",
      "order.in_hand": "refuses INVALID_STATE",
      "order.not_ready": "refuses INVALID_STATE",
      "order.ready": "refuses INVALID_STATE",
      "payload.measured": "refuses INVALID_STATE",
      "reservation.ended": "ignored",
      "runner.assigned": "refuses INVALID_STATE",
      "runner.at_store": "refuses INVALID_STATE",
      "runner.at_unit": "refuses INVALID_STATE",
      "window.moved": "ignored",
    },
    "loaded.photographed": {
      "bot.aborted": "ignored",
      "bot.arrived": "ignored",
      "bot.departed": "ignored",
      "bot.eta_changed": "ignored",
      "bot.inbound": "ignored",
      "bot.ready": "ignored",
      "bot.secured": "ignored",
      "exception.cleared": "refuses INVALID_STATE",
      "exception.raised": "refuses INVALID_STATE",
      "load.recorded": "refuses INVALID_STATE",
      "open_link.failed": "ignored",
      "open_link.opened": "ignored",
      "open_link.retried": "refuses INVALID_STATE",
      "order.given_up": "refuses INVALID_STATE",
      "order.in_hand": "refuses INVALID_STATE",
      "order.not_ready": "refuses INVALID_STATE",
      "order.ready": "refuses INVALID_STATE",
      "payload.measured": "refuses INVALID_STATE",
      "reservation.ended": "ignored",
      "runner.assigned": "refuses INVALID_STATE",
      "runner.at_store": "refuses INVALID_STATE",
      "runner.at_unit": "refuses INVALID_STATE",
      "window.moved": "ignored",
    },
    canceled: {
      "bot.aborted": "ignored",
      "bot.arrived": "ignored",
      "bot.departed": "ignored",
      "bot.eta_changed": "ignored",
      "bot.inbound": "ignored",
      "bot.ready": "ignored",
      "bot.secured": "ignored",
      "exception.cleared": "refuses INVALID_STATE",
      "exception.raised": "refuses INVALID_STATE",
      "load.recorded": "refuses INVALID_STATE",
      "open_link.failed": "ignored",
      "open_link.opened": "ignored",
      "open_link.retried": "refuses INVALID_STATE",
      "order.given_up": "refuses INVALID_STATE",
      "order.in_hand": "refuses INVALID_STATE",
      "order.not_ready": "refuses INVALID_STATE",
      "order.ready": "refuses INVALID_STATE",
      "payload.measured": "refuses INVALID_STATE",
      "reservation.ended": "ignored",
      "runner.assigned": "refuses INVALID_STATE",
      "runner.at_store": "refuses INVALID_STATE",
      "runner.at_unit": "refuses INVALID_STATE",
      "window.moved": "ignored",
    },
    failed: {
      "bot.aborted": "ignored",
      "bot.arrived": "ignored",
      "bot.departed": "ignored",
      "bot.eta_changed": "ignored",
      "bot.inbound": "ignored",
      "bot.ready": "ignored",
      "bot.secured": "ignored",
      "exception.cleared": "refuses INVALID_STATE",
      "exception.raised": "refuses INVALID_STATE",
      "load.recorded": "refuses INVALID_STATE",
      "open_link.failed": "ignored",
      "open_link.opened": "ignored",
      "open_link.retried": "refuses INVALID_STATE",
      "order.given_up": "refuses INVALID_STATE",
      "order.in_hand": "refuses INVALID_STATE",
      "order.not_ready": "refuses INVALID_STATE",
      "order.ready": "refuses INVALID_STATE",
      "payload.measured": "refuses INVALID_STATE",
      "reservation.ended": "ignored",
      "runner.assigned": "refuses INVALID_STATE",
      "runner.at_store": "refuses INVALID_STATE",
      "runner.at_unit": "refuses INVALID_STATE",
      "window.moved": "ignored",
    },
  },
  "webhook-delivery@1": {
    sending: {
      "call.discarded": "moves to discarded",
      "call.discarded (of another attempt)": "ignored",
      "call.failed": "moves to waiting",
      "call.failed (of another attempt)": "ignored",
      "call.succeeded": "moves to delivered",
      "call.succeeded (of another attempt)": "ignored",
    },
    "sending, the last attempt": {
      "call.failed (of that attempt)": "moves to dropped",
      "call.succeeded (of that attempt)": "moves to delivered",
    },
    waiting: {
      "call.discarded": "ignored",
      "call.failed": "ignored",
      "call.succeeded": "ignored",
    },
    delivered: "final",
    dropped: "final",
    discarded: "final",
  },
  "webhook-delivery@2": {
    sending: {
      "call.deferred": "moves to queued",
      "call.deferred (of another attempt)": "ignored",
      "call.discarded": "moves to discarded",
      "call.discarded (of another attempt)": "ignored",
      "call.failed": "moves to waiting",
      "call.failed (of another attempt)": "ignored",
      "call.lost": "restarts",
      "call.lost (of another attempt)": "ignored",
      "call.succeeded": "moves to delivered",
      "call.succeeded (of another attempt)": "ignored",
      "queue.released": "ignored",
    },
    "sending, the last attempt": {
      "call.failed (of that attempt)": "moves to dropped",
      "call.succeeded (of that attempt)": "moves to delivered",
    },
    "sending, it left too often": { "call.lost": "ignored" },
    queued: {
      "call.deferred": "ignored",
      "call.discarded": "moves to discarded",
      "call.discarded (of another attempt)": "ignored",
      "call.failed": "moves to waiting",
      "call.failed (of another attempt)": "ignored",
      "call.lost": "ignored",
      "call.succeeded": "moves to delivered",
      "call.succeeded (of another attempt)": "ignored",
      "queue.released": "moves to sending",
      "queue.released (of another attempt)": "ignored",
    },
    "queued, the last attempt": { "call.failed (of that attempt)": "moves to dropped" },
    waiting: {
      "call.deferred": "ignored",
      "call.discarded": "ignored",
      "call.failed": "ignored",
      "call.lost": "ignored",
      "call.succeeded": "moves to delivered",
      "call.succeeded (of another attempt)": "ignored",
      "queue.released": "ignored",
    },
    delivered: "final",
    dropped: "final",
    discarded: "final",
  },
}

describe.each(Object.keys(machines) as MachineId[])("the cells of %s", (id) => {
  const machine: AnyStateMachine = machines[id]
  const cells: Cells = table[id]
  const events: readonly string[] = machine.events.filter((type) => !type.startsWith("xstate."))
  const leaves = leavesOf(machine.root)

  test("the table has every leaf state, and no other", () => {
    expect([...new Set(Object.keys(cells).map(stateIn))].toSorted()).toEqual(leaves.map(pathOf).toSorted())
  })

  test("a row of the table has every event of the machine, or the state is final", () => {
    for (const leaf of leaves) {
      const row = cells[pathOf(leaf)]
      expect(row === "final", pathOf(leaf)).toBe(leaf.type === "final")
      if (row === undefined || row === "final") continue
      expect([...new Set(Object.keys(row).map(eventIn))].toSorted(), pathOf(leaf)).toEqual(events.toSorted())
    }
  })

  const rows = Object.entries(cells).flatMap(([row, answers]) =>
    answers === "final" ? [] : Object.entries(answers).map(([cell, answer]) => ({ row, cell, answer })),
  )
  test.each(rows.map(({ row, cell, answer }) => [row, cell, answer] as const))(
    "%s × %s: %s",
    (row, cell, answer) => {
      expect(answerTo(id, row, cell)).toBe(answer)
    },
  )

  test("a final state takes no event", () => {
    for (const leaf of leaves.filter(({ type }) => type === "final")) {
      for (const event of events) expect(answerTo(id, pathOf(leaf), event), pathOf(leaf)).toBe("ignored")
    }
  })

  test("what is ignored stands in the table of reasons, and nothing else does", () => {
    const ignored = rows.filter(({ answer }) => answer === "ignored")
    const reasons = Object.entries(ignores[id]).flatMap(([state, byEvent]) =>
      Object.entries(byEvent).map(([event, reason]) => {
        expect(reason, `${state} × ${event}`).toMatch(/^[A-Z].+[.]$/)
        return `${state} × ${event}`
      }),
    )
    const wanted = new Set(ignored.map(({ row, cell }) => `${stateIn(row)} × ${eventIn(cell)}`))
    expect(reasons.toSorted()).toEqual([...wanted].toSorted())
  })
})

/** What a machine answers in one cell. */
function answerTo(id: MachineId, row: string, cell: string): string {
  const machine: AnyStateMachine = machines[id]
  const state = stateIn(row)
  const situation = row.slice(state.length + 2)
  const found = persist(initial(machine, { ...inputs[id], atMs: BOOKED_AT_MS }).snapshot)
  const context = {
    ...found.context,
    ...courierBases[id],
    ...(id === "compartment@1" ? COMPARTMENT_BASE : {}),
    ...(situation === "" ? {} : situations[situation]),
  }
  const status =
    leavesOf(machine.root).find((leaf) => pathOf(leaf) === state)?.type === "final" ? "done" : "active"
  const snapshot = revive(machine, { value: valueOf(state), context, status })
  const own = id === "reservation@1" ? reservationFields : id.startsWith("courier-") ? courierFields : {}
  const more = own[cell] ?? own[eventIn(cell)] ?? fields[cell] ?? fields[eventIn(cell)]
  const stepped = step(machine, snapshot, { type: eventIn(cell), ...more, atMs: BOOKED_AT_MS } as {
    type: string
  })
  const { asked } = stepped
  const refusal = asked.find((one) => one.type === "kernel.refuse")
  if (refusal?.type === "kernel.refuse") return `refuses ${refusal.code}`
  if (stepped.did === "ignored") return "ignored"
  const after = dotted(stepped.snapshot.value as JsonObject | string)
  if (after !== state) return `moves to ${after}`
  return asked.some((one) => one.type === "arm") ? "restarts" : "stays"
}

/** `open.at_unit, the bot is secured` → `open.at_unit`. */
function stateIn(row: string): string {
  return row.split(", ")[0] ?? ""
}

/** `load.recorded (no photo)` → `load.recorded`. */
function eventIn(cell: string): string {
  return cell.split(" (")[0] ?? ""
}

/** `open.queued` → `{open: "queued"}`. */
function valueOf(state: string): JsonObject | string {
  const [parent, ...rest] = state.split(".")
  return rest.length === 0 ? state : { [parent ?? ""]: valueOf(rest.join(".")) }
}

function leavesOf(node: AnyStateNode): readonly AnyStateNode[] {
  const children = Object.values(node.states)
  return children.length === 0 ? [node] : children.flatMap(leavesOf)
}

function pathOf(node: AnyStateNode): string {
  return node.path.join(".")
}
