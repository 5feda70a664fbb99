/** What cards say, and what they say to the agent in the user's name. */

import type { CourierEnvelope } from "../../../model/courier.ts"
import { MINUTE_MS } from "../../../model/values/time.ts"
import type { Times } from "../../../model/values/zoned-times.ts"

export function nameOf({ retailer_name: name = "the store" }: CourierEnvelope): string {
  return name
}

/** Of a delivery whose order is placed. */
export function titleOf(envelope: CourierEnvelope): string {
  const { order_number: number } = envelope
  return number === undefined ? nameOf(envelope) : `Order ${number}`
}

export function priceOf({ price, fee_cents: cents, payment }: CourierEnvelope): string | null {
  const currency = price?.currency ?? payment?.currency ?? "usd"
  const amount = price === undefined ? (cents === undefined ? null : cents / 100) : Number(price.amount)
  return amount === null
    ? null
    : new Intl.NumberFormat("en-US", { style: "currency", currency }).format(amount)
}

export interface Accepted {
  readonly envelope: CourierEnvelope
  /** Null for the best one, which the service takes by itself. */
  readonly window: { readonly start: string; readonly end: string } | null
}

/** With the versions that `reserve_delivery` needs. */
export function acceptance({ envelope, window }: Accepted): string {
  const { delivery_id: id = "", terms, consent } = envelope
  const when = window === null ? "" : ` with the pickup window ${window.start} to ${window.end}`
  return [
    `I accept the price of ${priceOf(envelope) ?? "the delivery"}, the delivery terms of version ${terms?.version ?? ""}`,
    `and text messages about this delivery, consent version ${consent?.version ?? ""}.`,
    `Please hold a vehicle for delivery ${id}${when}.`,
  ].join(" ")
}

/** The requests of a card about its delivery. */
export const SAYS = {
  notNow: (id: string) => `I do not want delivery ${id} now. Please do not hold a vehicle.`,
  letGo: (id: string) => `Please cancel delivery ${id} and let the vehicle go.`,
  holdAgain: (id: string) => `Please hold a vehicle again for delivery ${id}.`,
  askAgain: (id: string) => `Please ask for a new price in place of delivery ${id}.`,
  askAt: (id: string, when: string) => `Please check again at ${when} in place of delivery ${id}.`,
  isWrong: (id: string) => `Something is wrong with delivery ${id}. Please help me with it.`,
} as const

export function minutesLeft(atMs: number, nowMs: number): number {
  return Math.max(0, Math.ceil((atMs - nowMs) / MINUTE_MS))
}

/** Minutes further ahead than these are said as a time of day. */
const MINUTES_SAID_MAX = 90

export function arrivalText(
  arrival: { readonly fromMs: number; readonly toMs: number },
  nowMs: number,
  times: Times,
): string {
  const [from, to] = [minutesLeft(arrival.fromMs, nowMs), minutesLeft(arrival.toMs, nowMs)]
  if (to > MINUTES_SAID_MAX) return times.range(arrival.fromMs, arrival.toMs)
  if (from < 1) return to <= 1 ? "In a minute" : `Within ${to} min`
  return from === to ? `${to} min` : `${from} to ${to} min`
}

/** What to choose at the store's checkout, for a person: instants become times. */
export function pickupText(select: string, times: Times): string {
  if (select === "asap") return "as soon as possible"
  const [from = "", to] = select.split("/")
  const [fromMs, toMs] = [instantOf(from), instantOf(to ?? from)]
  if (fromMs === null || toMs === null) return select
  return to === undefined ? `from ${times.time(fromMs)}` : times.range(fromMs, toMs)
}

/** In groups, as a person types it. */
export function phoneText(phone: string): string {
  return phone.replace(/^\+1(\d{3})(\d{3})(\d{4})$/, "+1 $1 $2 $3")
}

function instantOf(text: string): number | null {
  return /^\d{4}-\d\d-\d\dT.*Z$/.test(text) ? Date.parse(text) : null
}
