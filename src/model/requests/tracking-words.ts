/** Words about a delivery under way, for the tracking page and for the cards in a chat. */

import type { CourierState, FailureReason, PaymentStatus } from "../courier.ts"
import type { ArrivalChange, TrackingStep } from "./courier-card.ts"

export const WORDS: Readonly<Record<CourierState, string>> = {
  quoted: "Not booked yet",
  declined: "Not taken",
  expired: "Not booked",
  held: "Vehicle held",
  confirmed: "Booked",
  assigned: "A vehicle is assigned",
  en_route_to_store: "On the way to the store",
  arrived_at_store: "At the store",
  waiting_for_load: "Waiting for the order",
  loaded: "Order on board",
  en_route_to_customer: "On the way to you",
  arrived_at_customer: "At your door",
  completed: "Delivered",
  cancelled: "Cancelled",
  failed: "Not delivered",
}

export const STEP_WORDS: Readonly<Record<TrackingStep, string>> = {
  booked: "Booked",
  at_store: "At the store",
  on_its_way: "On its way",
  at_the_door: "At the door",
  delivered: "Delivered",
}

export const REASONS: Readonly<Record<FailureReason, string>> = {
  store_no_handover: "The store did not hand the order over.",
  items_not_carriable: "The vehicle could not carry the items.",
  customer_unavailable: "The order was not taken out of the vehicle.",
  vehicle_fault: "The vehicle had a fault.",
}

export const CHANGES: Readonly<Record<NonNullable<ArrivalChange["why"]>, string>> = {
  store: "The store needs longer.",
  vehicle: "The vehicle comes to the store later than planned.",
  way: "The way takes longer.",
}

export function feeText(status: PaymentStatus): string {
  switch (status) {
    case "pending":
    case "failed":
      return "Nothing was charged."
    case "authorized":
      return "The fee is approved and not charged yet."
    case "captured":
      return "The fee is charged to the card that you gave."
    case "voided":
      return "The fee was released; nothing was charged."
    case "refunded":
      return "The fee goes back to the card that you gave."
  }
}

export function dollars(cents: number, currency: string): string {
  return new Intl.NumberFormat("en-US", { style: "currency", currency }).format(cents / 100)
}
