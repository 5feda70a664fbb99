/** A result of a tool for each card, around an instant. */

import type { CourierEnvelope } from "../../src/model/courier.ts"
import { CONSENT, TERMS } from "../../src/areas/courier/terms.ts"
import { CARD_KEY, TRACKING_STEPS } from "../../src/model/requests/courier-card.ts"
import type { CardData } from "../../src/model/requests/courier-card.ts"
import { isoMs } from "../../src/model/values/time.ts"
import { ON_THE_WAY } from "./tracking-pages.ts"

const MINUTE_MS = 60_000
const DELIVERY_ID = `dlv_${"A1".repeat(11)}`
const PAGES = "https://courier.curbline.example"

export interface CardState {
  /** What the agent says above the card. */
  readonly says: string
  readonly result: object
}

export type CardName = keyof ReturnType<typeof cardStates>

export function cardStates(nowMs: number) {
  const at = (minutes: number): string => isoMs(nowMs + minutes * MINUTE_MS)
  const data = (of: Partial<CardData> = {}): CardData => ({
    environment: "production",
    timeZone: "America/Chicago",
    nowMs,
    doorAfterMs: 24 * MINUTE_MS,
    steps: stepsTo(0, nowMs),
    arrival: null,
    change: null,
    map: null,
    vehicle: null,
    endedAtMs: null,
    ...of,
  })
  const result = (envelope: Partial<CourierEnvelope>, of: Partial<CardData> = {}): object => {
    const structuredContent = {
      next_step: "Do it.",
      user_message: "This is how it stands.",
      delivery_id: DELIVERY_ID,
      retailer_name: "Lunchbox & <Sons>",
      ...envelope,
    }
    const content = [{ type: "text", text: JSON.stringify(structuredContent) }]
    return { content, structuredContent, _meta: { [CARD_KEY]: data(of) } }
  }
  const dropoff: CourierEnvelope["dropoff"] = {
    street: "2301 Rosewood Ave",
    unit: "Unit 7",
    city: "Austin",
    state: "TX",
    zip: "78702",
    location: { lat: 30.388, lng: -97.7 },
    is_approximate: false,
  }
  const windowAt = (minutes: number) => ({ start: at(minutes), end: at(minutes + 15) })
  const quoted = {
    state: "quoted",
    serviceable: true,
    price: { amount: "4.95", currency: "usd" },
    pickup_windows: [{ ...windowAt(20), slot_id: "s1" }, windowAt(35), windowAt(50)],
    terms: TERMS,
    consent: CONSENT,
    quote_expires_at: at(29),
    dropoff,
  } as const
  const held = {
    state: "held",
    payment_status: "pending",
    fee_cents: 495,
    price: quoted.price,
    hold_expires_at: at(13.8),
    poll_after_seconds: 10,
    dropoff,
    pickup_profile: {
      vehicle: {
        make: "Curbline",
        model: "Courier One",
        color: "white",
        description: "white Curbline Courier One, an autonomous delivery vehicle",
      },
      pickup_phone: "+15125550144",
    },
    pickup_time: { select: at(20), instruction: "Select the earliest slot." },
    payment: {
      amount_cents: 495,
      currency: "usd",
      seller_profile_id: "profile",
      checkout_url: `${PAGES}/pay/t1`,
      instruction: "Ask the user.",
    },
  } as const
  const { payment, ...approved } = held
  const booked = {
    payment_status: "captured",
    fee_cents: 495,
    price: quoted.price,
    order_number: "5521",
    tracking_url: `${PAGES}/track/t1`,
  } as const
  const onBoard = {
    map: ON_THE_WAY.map === null ? null : { ...ON_THE_WAY.map, vehicle: vehicleAt(nowMs) },
    vehicle: { label: "CB-07", look: "white" },
  } as const
  return {
    quote: { says: "A vehicle can bring it. Here is the price; you decide.", result: result(quoted) },
    held: { says: "A vehicle is held. Two steps are left to you.", result: result(held) },
    approved: {
      says: "The fee is approved. I place the order now.",
      result: result({ ...approved, payment_status: "authorized" }),
    },
    "not paid": {
      says: "The card was declined.",
      result: result({
        ...held,
        payment_status: "failed",
        hold_expires_at: at(10),
        error: { code: "payment_failed", message: "no", retryable: true, payment_failure: "declined" },
      }),
    },
    booked: {
      says: "It is booked.",
      result: result(
        { ...booked, state: "confirmed" },
        {
          arrival: { fromMs: nowMs + 32 * MINUTE_MS, toMs: nowMs + 44 * MINUTE_MS },
          map: onBoard.map === null ? null : { ...onBoard.map, vehicle: null, trail: [] },
        },
      ),
    },
    "on its way": {
      says: "It left the store.",
      result: result(
        { ...booked, state: "en_route_to_customer" },
        {
          ...onBoard,
          steps: stepsTo(2, nowMs),
          arrival: { fromMs: nowMs + 9 * MINUTE_MS, toMs: nowMs + 12 * MINUTE_MS },
          change: { byMinutes: 3, firstToldMs: nowMs + 8 * MINUTE_MS, why: "store" },
        },
      ),
    },
    "at the door": {
      says: "It is at your door.",
      result: result({ ...booked, state: "arrived_at_customer" }, { ...onBoard, steps: stepsTo(3, nowMs) }),
    },
    delivered: {
      says: "Delivered.",
      result: result(
        { ...booked, state: "completed", completed_at: at(0) },
        { steps: stepsTo(4, nowMs), endedAtMs: nowMs },
      ),
    },
    declined: {
      says: "No vehicle can bring it now.",
      result: result({
        state: "declined",
        serviceable: false,
        decline_reason: "outside_service_hours",
        next_pickup_window: windowAt(600),
        user_message: "There is no pickup time left inside the opening hours.",
      }),
    },
    "ran out": {
      says: "That took a while.",
      result: result({ ...quoted, state: "expired", quote_expires_at: at(-1) }),
    },
    "hold ran out": {
      says: "The vehicle waited for 15 minutes.",
      result: result({ ...approved, payment, state: "quoted", quote_expires_at: at(14) }),
    },
    cancelled: {
      says: "I cancelled it.",
      result: result({ state: "cancelled", payment_status: "voided", fee_cents: 495, cancelled_at: at(0) }),
    },
    "not delivered": {
      says: "It did not work.",
      result: result(
        { ...booked, state: "failed", failure_reason: "store_no_handover", payment_status: "refunded" },
        { endedAtMs: nowMs },
      ),
    },
    "in the sandbox": {
      says: "A test of the whole way.",
      result: result(quoted, { environment: "sandbox" }),
    },
  } as const satisfies Record<string, CardState>
}

function vehicleAt(recordedAtMs: number) {
  return { latitude: 30.396, longitude: -97.712, recordedAtMs }
}

/** The steps up to this one, two minutes apart. */
function stepsTo(last: number, nowMs: number): CardData["steps"] {
  return TRACKING_STEPS.map((step, at) => ({
    step,
    atMs: at > last ? null : nowMs - (last - at) * 2 * MINUTE_MS,
  }))
}
