/** `/internal/v1/sites/{id}/board`, and what happened to one of its reservations. */

import { Schema } from "effect"
import {
  BOARD_COLUMNS,
  BOARD_RISKS,
  BOARD_TROUBLES,
  STALL_STATES,
  VEHICLE_STATES,
  WAITS_FOR,
} from "../../../model/requests/board.ts"
import { COMPARTMENT_STATES } from "../../../model/compartment.ts"
import { BOT_STATUSES } from "../../../model/bot.ts"
import { HANDOFF_STATUSES } from "../../../model/handoff.ts"
import type { Place } from "../../../model/place.ts"
import { isoMs } from "../../../model/values/time.ts"
import { DateTime } from "../../../http/date-time.ts"
import { operatorEndpoint } from "../../../http/operator-endpoint.ts"
import type { OperatorEndpoint } from "../../../http/operator-endpoint.ts"
import { SiteBoard } from "../site-board.ts"
import type { Board, BoardedReservation, BoardZone } from "../site-board.ts"
import type { BoardVehicle } from "../board-vehicles.ts"
import { RunnerCallShown, runnerCallRecord } from "./runner-calls.ts"
import { CLOCK_FIELDS, clockData } from "./clock.ts"
import { NextTimerShown, TimelineShown, nextTimerData, timelineData } from "./timeline.ts"
import { ReservationCase } from "../reservation-case.ts"

const TextOrNull = Schema.NullOr(Schema.String)
const TimeOrNull = Schema.NullOr(DateTime)
const BatteryOrNull = Schema.NullOr(Schema.Number).annotations({
  description: "Percent, by the last fix; null when that does not report it.",
})

const PositionOrNull = Schema.NullOr(Schema.Struct({ latitude: Schema.Number, longitude: Schema.Number }))

const Stall = Schema.Struct({
  stall_id: Schema.String,
  label: TextOrNull,
  is_active: Schema.Boolean,
  state: Schema.Literal(...STALL_STATES),
  at: TimeOrNull.annotations({
    description:
      "When a due bot is expected, an occupied stall was taken, the promise to a late bot broke, or a free stall is next taken; null: nothing is booked.",
  }),
  reservation_id: TextOrNull,
})

const Reservation = Schema.Struct({
  reservation_id: Schema.String,
  order_number: Schema.String,
  retailer_name: TextOrNull,
  zone_id: Schema.String,
  stall_id: Schema.String,
  stall_label: TextOrNull,
  column: Schema.Literal(...BOARD_COLUMNS),
  trouble: Schema.NullOr(Schema.Literal(...BOARD_TROUBLES)),
  waits_for: Schema.Literal(...WAITS_FOR),
  since: DateTime,
  due_at: DateTime,
  breach_at: DateTime,
  is_late: Schema.Boolean.annotations({
    description:
      "After `breach_at`: by the runner's staging time, the bot's estimate or window, or its wait.",
  }),
  risk: Schema.NullOr(Schema.Literal(...BOARD_RISKS)).annotations({
    description: "What endangers one that is neither late nor in trouble.",
  }),
  bot_status: Schema.NullOr(Schema.Literal(...BOT_STATUSES)),
  bot_label: TextOrNull,
  handoff_status: Schema.NullOr(Schema.Literal(...HANDOFF_STATUSES)),
  runner_id: TextOrNull,
  runner_name: TextOrNull.annotations({ description: "Null for a runner without a phone of the shift." }),
  ready_estimate: TimeOrNull,
  next_timer: NextTimerShown,
  revision: Schema.Number,
  ...CLOCK_FIELDS,
})

const Vehicle = Schema.Struct({
  vehicle_id: Schema.String,
  label: Schema.String,
  state: Schema.Literal(...VEHICLE_STATES),
  run: Schema.NullOr(
    Schema.Struct({
      delivery_id: Schema.String,
      external_delivery_id: Schema.String,
      status: Schema.String,
      site_id: Schema.String,
      estimated_pickup_at: TimeOrNull.annotations({ description: "Null once the order is on board." }),
      estimated_delivery_at: DateTime,
      arrives_from: DateTime,
      arrives_to: DateTime,
      since: DateTime,
      ...CLOCK_FIELDS,
      compartment: Schema.NullOr(Schema.Literal(...COMPARTMENT_STATES)).annotations({
        description: "At the customer's door, of a fleet that can be asked to open; otherwise null.",
      }),
    }),
  ),
  queued: Schema.Number,
  last_fix_at: TimeOrNull,
  battery_percent: BatteryOrNull,
  position: PositionOrNull.annotations({ description: "Of the last fix." }),
})

const BoardShown = Schema.Struct({
  site_id: Schema.String,
  name: Schema.String,
  timezone: TextOrNull,
  position: PositionOrNull.annotations({ description: "Where vehicles pick up." }),
  at: DateTime,
  counters: Schema.Array(Schema.Struct({ retailer_id: Schema.String, name: Schema.String })),
  zones: Schema.Array(
    Schema.Struct({ zone_id: Schema.String, name: Schema.String, stalls: Schema.Array(Stall) }),
  ),
  reservations: Schema.Array(Reservation),
  vehicles: Schema.Array(Vehicle),
  runners_count: Schema.Number.annotations({ description: "Runners with a phone that is paired now." }),
  runner_calls: Schema.Array(RunnerCallShown).annotations({
    description: "Calls to the runners that ring, or rang in the last quarter of an hour, newest first.",
  }),
  is_complete: Schema.Boolean,
}).annotations({ identifier: "SiteBoard", description: "A site as its board shows it." })

const read = operatorEndpoint({
  method: "GET",
  path: "/internal/v1/sites/{id}/board",
  operationId: "readBoard",
  summary: "Stalls, open reservations and vehicles of a site, as its board shows them",
  answers: { 200: Schema.Struct({ board: BoardShown }) },
  errors: ["NOT_FOUND"],
  *handle({ caller, id }) {
    const board = yield* SiteBoard
    return { board: boardData(yield* board.of(caller, id)) }
  },
})

function boardData({
  site,
  nowMs,
  counters,
  zones,
  reservations,
  vehicles,
  runnersCount,
  runnerCalls,
  isComplete,
}: Board) {
  return {
    site_id: site.siteId,
    name: site.name,
    timezone: site.timezone,
    position: positionOf(site.place),
    at: isoMs(nowMs),
    counters: counters.map(({ retailerId, name }) => ({ retailer_id: retailerId, name })),
    zones: zones.map(zoneData),
    reservations: reservations.map(reservationData),
    vehicles: vehicles.map(vehicleData),
    runners_count: runnersCount,
    runner_calls: runnerCalls.map(runnerCallRecord),
    is_complete: isComplete,
  }
}

function zoneData({ zoneId, name, stalls }: BoardZone) {
  return {
    zone_id: zoneId,
    name,
    stalls: stalls.map(({ stallId, label, isActive, state, atMs, reservationId }) => ({
      stall_id: stallId,
      label,
      is_active: isActive,
      state,
      at: isoMs(atMs),
      reservation_id: reservationId,
    })),
  }
}

function reservationData(one: BoardedReservation) {
  return {
    reservation_id: one.reservationId,
    order_number: one.orderNumber,
    retailer_name: one.retailerName,
    zone_id: one.zoneId,
    stall_id: one.stallId,
    stall_label: one.stallLabel,
    column: one.column,
    trouble: one.trouble,
    waits_for: one.waitsFor,
    since: isoMs(one.sinceMs),
    due_at: isoMs(one.dueAtMs),
    breach_at: isoMs(one.breachAtMs),
    is_late: one.isLate,
    risk: one.risk,
    bot_status: one.bot?.status ?? null,
    bot_label: one.bot?.label ?? null,
    handoff_status: one.handoff,
    runner_id: one.runnerId,
    runner_name: one.runnerName,
    ready_estimate: isoMs(one.readyEstimateAtMs),
    next_timer: nextTimerData(one.nextTimer),
    revision: one.revision,
    ...clockData(one.clock),
  }
}

function vehicleData({ vehicleId, label, state, run, queued, lastFix }: BoardVehicle) {
  return {
    vehicle_id: vehicleId,
    label,
    state,
    run:
      run === null
        ? null
        : {
            delivery_id: run.deliveryId,
            external_delivery_id: run.externalDeliveryId,
            status: run.status,
            site_id: run.siteId,
            estimated_pickup_at: isoMs(run.pickupAtMs),
            estimated_delivery_at: isoMs(run.deliveryAtMs),
            arrives_from: isoMs(run.arrives.fromMs),
            arrives_to: isoMs(run.arrives.toMs),
            since: isoMs(run.updatedAtMs),
            ...clockData(run.clock),
            compartment: run.compartment,
          },
    queued,
    last_fix_at: isoMs(lastFix?.atMs ?? null),
    battery_percent: lastFix?.batteryPercent ?? null,
    position: positionOf(lastFix),
  }
}

function positionOf(place: Place | null) {
  return place === null ? null : { latitude: place.latitude, longitude: place.longitude }
}

const timeline = operatorEndpoint({
  method: "GET",
  path: "/internal/v1/reservations/{id}/timeline",
  operationId: "readReservationTimeline",
  summary: "What happened to a reservation, in order of time: names of events and states, nothing personal",
  answers: { 200: TimelineShown },
  errors: ["NOT_FOUND"],
  *handle({ caller, id }) {
    const lines = yield* (yield* ReservationCase).timeline(caller, id)
    return timelineData(lines)
  },
})

const contact = operatorEndpoint({
  method: "POST",
  path: "/internal/v1/reservations/{id}/contact",
  operationId: "showContact",
  summary: "The end user's name and phone number; who looked is in the audit log",
  answers: {
    200: Schema.Struct({
      contact: Schema.Struct({ end_user_name: Schema.String, end_user_phone: Schema.String }),
    }),
  },
  errors: ["NOT_FOUND"],
  *handle({ caller, id }) {
    const { name, phone } = yield* (yield* ReservationCase).contact(caller, id)
    return { contact: { end_user_name: name, end_user_phone: phone } }
  },
})

export const board: readonly OperatorEndpoint<ReservationCase | SiteBoard>[] = [read, timeline, contact]
