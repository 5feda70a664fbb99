/** What the runner's phone reads and sends, as it is on the wire. */

import type { ExceptionCode, HandoffStatus } from "../handoff.ts"
import type { BotStatus } from "../bot.ts"
import type { Environment } from "../caller.ts"
import type { ReservationStatus } from "../reservation.ts"
import type { RunnerCallState } from "./runner-calls.ts"
import type { AllowedMoves, MoveAhead } from "./runner-moves.ts"

/** A change must have this header with the value `1`: a page of another site cannot send it. */
export const RUNNER_HEADER = "X-Curbline-Runner"
/** When the runner pressed the button, by the phone's clock. */
export const PHONE_TIME_HEADER = "X-Curbline-Phone-Time"
export const MOVE_KEY_HEADER = "Idempotency-Key"

/** The paired phone. */
export interface PhoneRecord {
  readonly phone_id: string
  readonly runner_id: string
  readonly runner_name: string
  readonly environment: Environment
  readonly site: { readonly site_id: string; readonly name: string; readonly timezone: string | null }
  /** The end of the shift. */
  readonly ends_at: string
}

/** A call of operations to the runners of the site. */
export interface PhoneCall {
  readonly call_id: string
  /** The task that it is about; null: none. */
  readonly reservation_id: string | null
  readonly order_number: string | null
  readonly stall_label: string | null
  readonly message: string | null
  readonly called_by: string
  readonly called_at: string
  /** When it rings no more. */
  readonly ends_at: string
  readonly state: RunnerCallState
  /** Who answered. */
  readonly runner_id: string | null
  readonly runner_name: string | null
}

/** Who has a task: this phone's runner, another runner, or no one yet. */
export type TaskHolder = "free" | "other" | "you"

export interface PhoneTask extends AllowedMoves {
  readonly reservation_id: string
  readonly status: ReservationStatus
  readonly stall_label: string | null
  readonly order_number: string
  /** What the runner says at the counter. */
  readonly pickup_reference: string
  readonly end_user_name: string
  readonly retailer_name: string | null
  readonly retailer_support_phone: string | null
  readonly pickup_requirements: string | null
  readonly arrival_window_start: string
  readonly arrival_window_end: string
  readonly payload_limit: {
    readonly max_weight_kg?: number | null | undefined
    readonly max_dimensions_cm?:
      { readonly length: number; readonly width: number; readonly height: number } | null | undefined
  } | null
  readonly bot: {
    readonly status: BotStatus
    readonly label: string | null
    readonly eta: string | null
  } | null
  readonly handoff: {
    readonly status: HandoffStatus
    readonly ready_estimate: string | null
    readonly runner_at_unit_at: string | null
    readonly load_photo_skipped: boolean | null
  } | null
  readonly open_exceptions: readonly ExceptionCode[]
  readonly is_order_returning: boolean | null
  readonly holder: TaskHolder
  /** Of a task of this phone's or another runner, if the name is known. */
  readonly runner_name: string | null
  /** When its promise is broken, as on the board; null after the task's end. */
  readonly due_at: string | null
  /** States after the next moves, for a phone without network. */
  readonly ahead: readonly MoveAhead[]
  /** The instant as of which the task was read, on the clock of its reservation. */
  readonly now: string
}

export interface MovedTask {
  readonly task: PhoneTask
  /** True when the service had made this move before. */
  readonly is_repeat: boolean
}
