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
import { DateTime } from "../../../http/records/date-time.ts"
import { operatorEndpoint } from "../../../http/operator-endpoint.ts"
import type { OperatorEndpoint } from "../../../http/operator-endpoint.ts"
import { SiteBoard } from "../site-board.ts"
import type { Board, BoardedReservation } from "../site-board.ts"
import type { BoardRun, BoardVehicle } from "../board-vehicles.ts"
import { RunnerCallShown, runnerCallFields } from "./runner-calls.ts"
import { CLOCK_FIELDS, clockFields } from "./clock.ts"
import { NextTimerShown, TimelineShown, timelineData } from "./timeline.ts"
import { ReservationCase } from "../reservation-case.ts"
import { recordsOf } from "../../../http/records/records.ts"

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

const written = recordsOf(BoardShown)

function boardData({ site, nowMs, runnerCalls, reservations, vehicles, ...board }: Board) {
  const { siteId, name, timezone, place } = site
  return written({
    ...board,
    siteId,
    name,
    timezone,
    position: place,
    atMs: nowMs,
    runnerCalls: runnerCalls.map(runnerCallFields),
    reservations: reservations.map(reservationFields),
    vehicles: vehicles.map(vehicleFields),
  })
}

function reservationFields({ bot, handoff, clock, readyEstimateAtMs, ...one }: BoardedReservation) {
  return {
    ...one,
    ...clockFields(clock),
    botStatus: bot?.status ?? null,
    botLabel: bot?.label ?? null,
    handoffStatus: handoff,
    readyEstimateMs: readyEstimateAtMs,
  }
}

function vehicleFields({ run, lastFix, ...vehicle }: BoardVehicle) {
  return {
    ...vehicle,
    run: run === null ? null : runFields(run),
    lastFixAtMs: lastFix?.atMs ?? null,
    batteryPercent: lastFix?.batteryPercent ?? null,
    position: lastFix,
  }
}

function runFields({ pickupAtMs, deliveryAtMs, arrives, updatedAtMs, clock, ...run }: BoardRun) {
  return {
    ...run,
    ...clockFields(clock),
    estimatedPickupAtMs: pickupAtMs,
    estimatedDeliveryAtMs: deliveryAtMs,
    arrivesFromMs: arrives.fromMs,
    arrivesToMs: arrives.toMs,
    sinceMs: updatedAtMs,
  }
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
