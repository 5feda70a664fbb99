/** What a card shows of an answer, at an instant. */

import type { CourierEnvelope } from "../../../model/courier.ts"
import { CARD_KEY } from "../../../model/requests/courier-card.ts"
import type { CardData } from "../../../model/requests/courier-card.ts"
import { timesIn } from "../../../model/values/zoned-times.ts"
import type { Times } from "../../../model/values/zoned-times.ts"
import type { ToolAnswer } from "./host.ts"

/** What is known of the delivery. */
export interface Known {
  readonly envelope: CourierEnvelope
  /** Null in a host that passes no `_meta` on, and for an answer without an errand. */
  readonly data: CardData | null
  /** By the browser's clock. */
  readonly receivedMs: number
  /** True when the card asked for it, so that it is new. What the host shows by itself may be of days ago. */
  readonly isRead: boolean
}

export type CardKind =
  | "declined"
  | "delivered"
  | "door"
  | "ended"
  | "held"
  | "hold ran out"
  | "not paid"
  | "quote"
  | "ran out"
  | "refused"
  | "way"

/** Null for a result without an envelope, such as one about arguments that do not fit. */
export function knownFrom(answer: ToolAnswer, received: Pick<Known, "isRead" | "receivedMs">): Known | null {
  const envelope = answer.structuredContent
  if (typeof envelope !== "object" || envelope === null || !("next_step" in envelope)) return null
  const data = answer._meta?.[CARD_KEY]
  return {
    envelope: envelope as CourierEnvelope,
    data: typeof data === "object" ? (data as CardData | null) : null,
    ...received,
  }
}

/** The service's time: it is ahead where a demo has moved its clock. Only a new answer shows that it is behind. */
export function serviceMs(known: Known, browserMs: number): number {
  const aheadMs = toldMs(known) - known.receivedMs
  return browserMs + (known.isRead ? aheadMs : Math.max(0, aheadMs))
}

/** When the service has answered. */
export function toldMs({ data, receivedMs }: Known): number {
  return data?.nowMs ?? receivedMs
}

/** Times as people at the delivery read them; without its zone, as the reader does. */
export function timesOf({ data }: Known): Times {
  return timesIn(data?.timeZone ?? Intl.DateTimeFormat().resolvedOptions().timeZone)
}

export function kindOf({ envelope }: Known, nowMs: number): CardKind {
  const { error, state, payment_status: payment } = envelope
  if (error !== undefined && error.code !== "payment_failed")
    return error.code === "quote_expired" ? "ran out" : "refused"
  switch (state) {
    case undefined:
      return "refused"
    case "quoted":
      if (isOver(envelope.quote_expires_at, nowMs)) return "ran out"
      // Only an errand that was held has a payment.
      return envelope.payment === undefined ? "quote" : "hold ran out"
    case "expired":
      return "ran out"
    case "declined":
      return "declined"
    case "held":
      if (isOver(envelope.hold_expires_at, nowMs)) return "hold ran out"
      return payment === "failed" ? "not paid" : "held"
    case "arrived_at_customer":
      return "door"
    case "completed":
      return "delivered"
    case "cancelled":
    case "failed":
      return "ended"
    default:
      return "way"
  }
}

function isOver(at: string | undefined, nowMs: number): boolean {
  return at !== undefined && Date.parse(at) <= nowMs
}

const WAY_EVERY_MS = 10_000

/** How often the delivery is read again while the card is seen; null: never. */
export function everyMs({ envelope }: Known, kind: CardKind): number | null {
  if (kind === "way" || kind === "door") return WAY_EVERY_MS
  const seconds = envelope.poll_after_seconds
  return seconds === undefined || envelope.delivery_id === undefined
    ? null
    : Math.max(WAY_EVERY_MS, seconds * 1000)
}

/** An answer of more than this long ago was shown before: the delivery may stand elsewhere by now. */
const OLD_MS = 60_000

export function isOld(known: Known): boolean {
  return !known.isRead && known.receivedMs - toldMs(known) > OLD_MS
}
