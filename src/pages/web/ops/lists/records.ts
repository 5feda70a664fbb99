/** Rows of the lists of operations, as they are on the wire. */

import type { VehicleState } from "../../../../model/requests/board.ts"
import type { CourierState, PaymentStatus } from "../../../../model/courier.ts"
import type { DeliveryStatus } from "../../../../model/delivery.ts"
import type { MessageStatus } from "../../../../model/message.ts"
import type { EndpointState } from "../../../../model/requests/operations-lists.ts"
import type { ReservationStatus } from "../../../../model/reservation.ts"

interface Placed {
  readonly site_id: string
  readonly site_name: string
  readonly timezone: string | null
  readonly organization_id: string
  readonly organization_name: string | null
}

interface Timed {
  readonly created_at: string
  readonly updated_at: string
}

export interface ReservationRow extends Placed, Timed {
  readonly reservation_id: string
  readonly order_number: string
  readonly status: ReservationStatus
  readonly retailer_name: string | null
  readonly stall_label: string | null
  readonly bot_label: string | null
  readonly arrival_window_start: string
  readonly arrival_window_end: string
}

export interface DeliveryRow extends Placed, Timed {
  readonly delivery_id: string
  readonly external_delivery_id: string
  readonly status: DeliveryStatus
  readonly vehicle_id: string
  readonly vehicle_label: string | null
  readonly delivery_eta: string
}

export interface ErrandRow extends Timed {
  readonly delivery_id: string
  readonly order_number: string | null
  readonly state: CourierState
  readonly payment_status: PaymentStatus
  readonly store_name: string
  readonly vehicle_label: string | null
}

export interface VehicleRow {
  readonly vehicle_id: string
  readonly label: string
  readonly fleet_id: string
  readonly state: VehicleState
  readonly run: {
    readonly delivery_id: string
    readonly external_delivery_id: string
    readonly status: DeliveryStatus
    readonly site_id: string
  } | null
  readonly queued: number
  readonly last_fix_at: string | null
  /** 0 to 100, by the last fix. */
  readonly battery_percent: number | null
}

export interface EndpointRow extends Timed {
  readonly webhook_id: string
  readonly area: "direct_delivery" | "reservations"
  readonly state: EndpointState
  readonly organization_id: string
  readonly organization_name: string | null
  readonly site_id: string | null
  readonly site_name: string | null
  readonly url: string
  readonly subscribed_events: readonly string[]
  readonly consecutive_failures: number
  readonly disabled_at: string | null
}

export interface MessageRow {
  readonly message_id: string
  readonly channel: "mail" | "sms"
  readonly purpose: string
  readonly to: string
  readonly subject: string | null
  readonly text: string
  readonly status: MessageStatus
  readonly attempts: number
  readonly due_at: string
  readonly reason: string | null
  readonly created_at: string
}
