/**
 * Quotes and deliveries as callers see them. Without driver and vehicle: the assignment is not part of the answer.
 * Source: direct delivery contract, resources and their fields.
 */

import type { Address } from "../../model/address.ts"
import { isFinal, rankOf } from "../../model/delivery.ts"
import type { DeliveryStatus, UnavailableReason } from "../../model/delivery.ts"
import type { Place } from "../../model/place.ts"
import { isoMs } from "../../model/values/time.ts"
import type { EpochMs } from "../../model/values/time.ts"
import type { State } from "../../../machines/contracts.ts"
import type { Actor } from "../../engine/kernel/group.ts"
import type { TurnResult } from "../../engine/kernel/turn.ts"
import { actorAt, rootOf } from "../../engine/services/actors.ts"
import { estimatesFor } from "../dispatch/estimates.ts"
import type { VehicleNews } from "../dispatch/estimates.ts"
import type { FixRow } from "../dispatch/rows.ts"
import { trackingUrlOf } from "./tracking-links.ts"
import type { TrackingLinkChoices } from "./tracking-links.ts"
import type { Customer, DeliveryAddress, NewDelivery, OrderItem, QuoteRow } from "./rows.ts"

export type QuoteRecord = {
  readonly external_delivery_id: string
  readonly available: boolean
  readonly pickup_eta: string | null
  readonly delivery_eta: string | null
  readonly delivery_fee_cents: number | null
  readonly currency: string | null
  readonly expires_at: string
  readonly unavailable_reason: UnavailableReason | null
  /** Of `NO_CAPACITY`. */
  readonly earliest_at: string | null
}

export type DeliveryRecord = {
  readonly external_delivery_id: string
  readonly status: DeliveryStatus
  readonly pickup_eta: string
  readonly delivery_eta: string
  /** The current estimate; null once the order is on board. */
  readonly estimated_pickup_at: string | null
  /** The current estimate; null after the end. */
  readonly estimated_delivery_at: string | null
  readonly delivery_fee_cents: number
  readonly currency: string
  readonly ready_by: string
  readonly customer: Customer
  readonly delivery_address: DeliveryAddress
  readonly delivery_location: Place
  readonly order_items: readonly OrderItem[]
  readonly pickup_instructions: string | null
  /** The customer's page; null a day after the end. */
  readonly tracking_url: string | null
  readonly cancellation_reason: string | null
  readonly cancelled_at: string | null
  readonly completed_at: string | null
  readonly created_at: string
  readonly updated_at: string
}

/** The position of a vehicle in webhooks. */
export type LocationRecord = {
  readonly latitude: number
  readonly longitude: number
  readonly recorded_at: string
}

/** `earliestAtMs`: of an answer without capacity, when a place is expected to be free. */
export function composeQuote(
  { externalDeliveryId, terms, unavailableReason, expiresAtMs }: QuoteRow,
  earliestAtMs: EpochMs | null,
): QuoteRecord {
  return {
    external_delivery_id: externalDeliveryId,
    available: terms !== null,
    pickup_eta: isoMs(terms?.pickupEtaMs ?? null),
    delivery_eta: isoMs(terms?.deliveryEtaMs ?? null),
    delivery_fee_cents: terms?.feeCents ?? null,
    currency: terms?.currency ?? null,
    expires_at: isoMs(expiresAtMs),
    unavailable_reason: unavailableReason,
    earliest_at: isoMs(earliestAtMs),
  }
}

/** The store of a run, the data of its vehicle, how links are made, and the time of the read. */
export interface Look extends VehicleNews {
  readonly store: Place
  readonly links: TrackingLinkChoices
  readonly nowMs: EpochMs
}

/** Composes the record from its row, its actor at one moment, and its vehicle. */
export function composeDelivery(
  row: NewDelivery,
  actors: ReadonlyMap<Address, Actor>,
  look: Look,
): DeliveryRecord {
  const group = `delivery/${row.deliveryId}`
  const context = actorAt("delivery", actors, group)?.context
  const status = deliveryStatus(actors, group)
  return {
    external_delivery_id: row.externalDeliveryId,
    status,
    pickup_eta: isoMs(row.pickupEtaMs),
    delivery_eta: isoMs(row.deliveryEtaMs),
    ...estimated({ ...row, status }, look),
    delivery_fee_cents: row.feeCents,
    currency: row.currency,
    ready_by: isoMs(row.readyByMs),
    customer: row.customer,
    delivery_address: row.address,
    delivery_location: row.place,
    order_items: row.items,
    pickup_instructions: row.pickupInstructions,
    tracking_url: trackingUrlOf(row, look.links, {
      endedAtMs: context?.completedAtMs ?? context?.cancelledAtMs ?? null,
      nowMs: look.nowMs,
    }),
    cancellation_reason: row.cancellationReason,
    cancelled_at: isoMs(context?.cancelledAtMs ?? null),
    completed_at: isoMs(context?.completedAtMs ?? null),
    created_at: isoMs(row.createdAtMs),
    updated_at: isoMs(row.updatedAtMs),
  }
}

/** Only future times are estimated. */
function estimated(row: NewDelivery, { store, ...seen }: Look) {
  const { status, place: dropoffPlace } = row
  const { pickupAtMs, deliveryAtMs } = estimatesFor({ ...row, ...seen, storePlace: store, dropoffPlace })
  const isAhead = !isFinal(status)
  return {
    estimated_pickup_at: isAhead && rankOf(status) < rankOf("LOADED") ? isoMs(pickupAtMs) : null,
    estimated_delivery_at: isAhead ? isoMs(deliveryAtMs) : null,
  }
}

export function composeLocation(fix: FixRow): LocationRecord {
  return { latitude: fix.latitude, longitude: fix.longitude, recorded_at: isoMs(fix.recordedAtMs) }
}

/** A delivery's status from its actor's state. */
export function deliveryStatus(actors: ReadonlyMap<Address, Actor>, group: Address): DeliveryStatus {
  return STATUS_BY_STATE[rootOf("delivery", { actors, address: group }).state]
}

/** The statuses that a turn announces; none if it was refused. */
export function announcedBy({ outcome, group, emissions }: TurnResult): readonly DeliveryStatus[] {
  if (outcome.type === "refused" || emissions.length === 0) return NO_STATUSES
  return emissions.map(({ actors }) => deliveryStatus(actors, group.address))
}

const NO_STATUSES: readonly DeliveryStatus[] = []

/** Whether a turn announces a status. */
export function announces({ outcome, group, emissions }: TurnResult, status: DeliveryStatus): boolean {
  if (outcome.type === "refused") return false
  for (const { actors } of emissions) if (deliveryStatus(actors, group.address) === status) return true
  return false
}

const STATUS_BY_STATE: Readonly<Record<State<"delivery">, DeliveryStatus>> = {
  scheduled: "SCHEDULED",
  assigned: "ASSIGNED",
  en_route_to_store: "EN_ROUTE_TO_STORE",
  arrived_at_store: "ARRIVED_AT_STORE",
  waiting_for_load: "WAITING_FOR_LOAD",
  loaded: "LOADED",
  en_route_to_customer: "EN_ROUTE_TO_CUSTOMER",
  arrived_at_customer: "ARRIVED_AT_CUSTOMER",
  completed: "COMPLETED",
  cancelled: "CANCELLED",
}
