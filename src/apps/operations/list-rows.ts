/** The rows of the lists of operations: a port of its own, because only operations list across organizations. */

import { Context } from "effect"
import type { Environment } from "../../model/caller.ts"
import type { PaymentStatus } from "../../model/courier.ts"
import type { DeliveryStatus } from "../../model/delivery.ts"
import type { EndpointState, VehicleFilter } from "../../model/requests/operations-lists.ts"
import type { ReservationStatus } from "../../model/reservation.ts"
import type { EpochMs } from "../../model/values/time.ts"
import type { EventType, WebhookArea } from "../../model/webhook.ts"
import type { CourierPhase } from "../../areas/courier/rows.ts"
import type { VehicleRow } from "../../areas/dispatch/rows.ts"
import type { Routine } from "../../engine/services/routine.ts"

/** The last row of a page: lists are sorted by this instant, then by id, both descending. */
export interface ListPlace {
  readonly atMs: EpochMs
  readonly id: string
}

/** Absent filters are null. */
export interface ListQuery {
  readonly environment: Environment
  /** The sites whose rows are listed; null: all. */
  readonly siteIds: readonly string[] | null
  readonly organizationId: string | null
  /** A whole order number in any case of letters, a whole id, or four last digits of a phone number. */
  readonly text: string | null
  readonly fromMs: EpochMs | null
  readonly untilMs: EpochMs | null
  readonly after: ListPlace | null
  readonly limit: number
}

/** Of any list whose rows belong to a site and an organization. */
interface Placed {
  readonly siteId: string
  readonly siteName: string
  readonly timezone: string | null
  readonly organizationId: string
  readonly organizationName: string | null
}

export interface ListedReservation extends Placed {
  readonly reservationId: string
  readonly orderNumber: string
  readonly status: ReservationStatus
  readonly retailerName: string | null
  readonly stallLabel: string | null
  readonly botLabel: string | null
  readonly startsAtMs: EpochMs
  readonly endsAtMs: EpochMs
  readonly createdAtMs: EpochMs
  readonly updatedAtMs: EpochMs
}

export interface ListedDelivery extends Placed {
  readonly deliveryId: string
  readonly externalDeliveryId: string
  readonly status: DeliveryStatus
  readonly vehicleId: string
  readonly vehicleLabel: string | null
  /** As quoted. */
  readonly deliveryEtaMs: EpochMs
  readonly createdAtMs: EpochMs
  readonly updatedAtMs: EpochMs
}

export interface ListedErrand {
  readonly deliveryId: string
  /** Null before the booking. */
  readonly orderNumber: string | null
  readonly phase: CourierPhase
  /** Of its delivery; null before the booking. */
  readonly deliveryStatus: DeliveryStatus | null
  readonly paymentStatus: PaymentStatus
  readonly storeName: string
  readonly vehicleLabel: string | null
  readonly createdAtMs: EpochMs
  readonly updatedAtMs: EpochMs
}

/** Its secret is not read. */
export interface ListedEndpoint {
  readonly webhookId: string
  readonly area: WebhookArea
  readonly state: EndpointState
  readonly organizationId: string
  readonly organizationName: string | null
  /** Null: it gets events of every site of its organization. */
  readonly siteId: string | null
  readonly siteName: string | null
  readonly url: string
  readonly subscribedEvents: readonly EventType[]
  readonly consecutiveFailures: number
  readonly disabledAtMs: EpochMs | null
  readonly createdAtMs: EpochMs
  readonly updatedAtMs: EpochMs
}

export interface ReservationListQuery extends ListQuery {
  readonly statuses: readonly ReservationStatus[] | null
}

export interface DeliveryListQuery extends ListQuery {
  readonly statuses: readonly DeliveryStatus[] | null
}

export interface ErrandListQuery extends Omit<ListQuery, "organizationId" | "siteIds"> {
  /** Errands in one of these phases, or booked with a delivery in one of these statuses. */
  readonly states: {
    readonly phases: readonly CourierPhase[]
    readonly statuses: readonly DeliveryStatus[]
  } | null
}

export interface EndpointListQuery extends Omit<ListQuery, "fromMs" | "untilMs"> {
  readonly states: readonly EndpointState[] | null
}

/** Vehicles are sorted by label, then by id. */
export interface VehicleListQuery extends Pick<ListQuery, "environment" | "limit" | "siteIds" | "text"> {
  readonly states: readonly VehicleFilter[] | null
  readonly after: Pick<VehicleRow, "label" | "vehicleId"> | null
}

export class ListRows extends Context.Tag("ListRows")<
  ListRows,
  {
    /** By the start of the arrival window, the latest first. */
    readonly reservations: (query: ReservationListQuery) => Routine<readonly ListedReservation[]>
    /** Direct deliveries, newest first. */
    readonly deliveries: (query: DeliveryListQuery) => Routine<readonly ListedDelivery[]>
    /** Newest first; only production has any. */
    readonly errands: (query: ErrandListQuery) => Routine<readonly ListedErrand[]>
    /** Newest first. */
    readonly endpoints: (query: EndpointListQuery) => Routine<readonly ListedEndpoint[]>
    /** Of the fleets that serve the sites. */
    readonly vehicles: (query: VehicleListQuery) => Routine<readonly VehicleRow[]>
  }
>() {}
