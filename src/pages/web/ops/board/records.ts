/** What the board reads of `/internal/v1`, as it is on the wire. */

import type {
  BoardColumn,
  BoardRisk,
  BoardTrouble,
  DeliveryMove,
  DeliveryWaitsFor,
  StallState,
  VehicleState,
  WaitsFor,
} from "../../../../model/requests/board.ts"
import type { CompartmentState } from "../../../../model/compartment.ts"
import type { BotStatus } from "../../../../model/bot.ts"
import type { DeliveryStatus, ReportedStatus } from "../../../../model/delivery.ts"
import type { ExceptionCode, HandoffStatus } from "../../../../model/handoff.ts"
import type { ReservationStatus } from "../../../../model/reservation.ts"
import type { RunnerCallState } from "../../../../model/requests/runner-calls.ts"
import type { AllowedMoves, RunnerMove } from "../../../../model/requests/runner-moves.ts"
import type { components } from "../api-types.ts"

export type ForecastRecord = components["schemas"]["SiteForecast"]

export type ForecastFigures = components["schemas"]["ForecastFigures"]

export type ForecastPromise = ForecastFigures["promises"][number]

export type MomentRecord = components["schemas"]["CaseMoment"]

export type MomentAnswer = NonNullable<MomentRecord["answer"]>

export type MomentFigures = NonNullable<MomentAnswer["figures"]>

export interface Position {
  readonly latitude: number
  readonly longitude: number
}

export interface StallRecord {
  readonly stall_id: string
  readonly label: string | null
  readonly is_active: boolean
  readonly state: StallState
  readonly at: string | null
  readonly reservation_id: string | null
}

export interface ZoneRecord {
  readonly zone_id: string
  readonly name: string
  readonly stalls: readonly StallRecord[]
}

/** What lives on the clock of an organization. */
export interface Clocked {
  /** When it was read, on the clock that its times are on. */
  readonly clock_at: string
  readonly clock_stands: boolean
}

/** An open reservation. */
export interface CardRecord extends Clocked {
  readonly reservation_id: string
  readonly order_number: string
  readonly retailer_name: string | null
  readonly zone_id: string
  readonly stall_id: string
  readonly stall_label: string | null
  readonly column: BoardColumn
  readonly trouble: BoardTrouble | null
  readonly waits_for: WaitsFor
  readonly since: string
  readonly due_at: string
  readonly breach_at: string
  readonly is_late: boolean
  readonly risk: BoardRisk | null
  readonly bot_status: BotStatus | null
  readonly bot_label: string | null
  readonly handoff_status: HandoffStatus | null
  readonly runner_id: string | null
  readonly runner_name: string | null
  readonly ready_estimate: string | null
  readonly next_timer: TimerRecord | null
  readonly revision: number
}

export interface TimerRecord {
  readonly name: string
  readonly at: string
}

export interface RunRecord extends Clocked {
  readonly delivery_id: string
  readonly external_delivery_id: string
  readonly status: DeliveryStatus
  readonly site_id: string
  /** Null once the order is on board. */
  readonly estimated_pickup_at: string | null
  readonly estimated_delivery_at: string
  readonly arrives_from: string
  readonly arrives_to: string
  readonly since: string
  /** At the customer's door, of a fleet that can be asked to open; otherwise null. */
  readonly compartment: CompartmentState | null
}

export interface VehicleRecord {
  readonly vehicle_id: string
  readonly label: string
  readonly state: VehicleState
  readonly run: RunRecord | null
  readonly queued: number
  readonly last_fix_at: string | null
  /** 0 to 100, by the last fix. */
  readonly battery_percent: number | null
  readonly position: Position | null
}

export interface RunnerCallRecord {
  readonly call_id: string
  readonly reservation_id: string | null
  readonly called_by: string
  readonly called_at: string
  readonly state: RunnerCallState
  readonly runner_id: string | null
  readonly runner_name: string | null
  readonly ended_at: string | null
}

export interface BoardRecord {
  readonly site_id: string
  readonly name: string
  readonly timezone: string | null
  readonly position: Position | null
  /** The service's clock. */
  readonly at: string
  readonly counters: readonly { readonly retailer_id: string; readonly name: string }[]
  readonly zones: readonly ZoneRecord[]
  readonly reservations: readonly CardRecord[]
  readonly vehicles: readonly VehicleRecord[]
  readonly runners_count: number
  /** That ring, or rang lately; newest first. */
  readonly runner_calls: readonly RunnerCallRecord[]
  readonly is_complete: boolean
}

/** A reservation as runners and operators read it, with the moves that its machines take now. */
export interface ReservationRecord extends AllowedMoves {
  readonly reservation_id: string
  readonly status: ReservationStatus
  readonly order_number: string
  readonly site_id: string | null
  readonly stall_label: string | null
  readonly retailer_name: string | null
  readonly retailer_support_phone: string | null
  readonly arrival_window_start: string
  readonly arrival_window_end: string
  readonly runner_id: string | null
  readonly open_exceptions: readonly ExceptionCode[]
}

/** A delivery without anything personal, also after its end. */
export interface DeliveryRecord extends Clocked {
  readonly delivery_id: string
  /** The service's clock. */
  readonly at: string
  readonly external_delivery_id: string
  readonly status: DeliveryStatus
  readonly site_id: string
  readonly vehicle_id: string
  readonly vehicle_label: string | null
  readonly is_errand: boolean
  /** Null after the end. */
  readonly waits_for: DeliveryWaitsFor | null
  readonly since: string
  readonly next_timer: TimerRecord | null
  /** What its machines take now. */
  readonly moves: readonly DeliveryMove[]
  readonly reportable_statuses: readonly ReportedStatus[]
  readonly ready_by: string
  readonly delivery_eta: string
  readonly estimated_pickup_at: string | null
  readonly estimated_delivery_at: string | null
  readonly completed_at: string | null
  readonly cancelled_at: string | null
}

export interface TimelineRecord {
  readonly at: string
  /** `reservation`, `bot`, `runner-task`, `open-link`; `delivery`, `compartment`. */
  readonly actor: string
  readonly event: string
  readonly label: string
  readonly by: "command" | "message" | "result" | "timer"
  readonly after: string
  readonly refused: string | null
}

/** A move of a runner's phone, done or refused. */
export interface PhoneMoveRecord {
  readonly runner_id: string
  readonly move: RunnerMove
  /** `done`, or the code of its refusal. */
  readonly outcome: string
  readonly at: string
  /** When the button was pressed, by the phone's clock. */
  readonly phone_at: string | null
}

export interface ContactRecord {
  readonly end_user_name: string
  readonly end_user_phone: string
}

export interface PhoneRecord {
  readonly phone_id: string
  readonly runner_id: string
  readonly runner_name: string
  readonly paired_at: string
  readonly ends_at: string
}

export interface PairingRecord {
  /** On this host; the code is in the fragment. */
  readonly path: string
  readonly runner_name: string
  readonly expires_at: string
}
