/** Mail and SMS to people: the words of an outbox. */

import { INVITATION_MS, RESET_CODE_MS, SIGN_UP_CODE_MS } from "./limits.ts"
import { DAY_MS, HOUR_MS } from "./time.ts"

export const CHANNELS = ["mail", "sms"] as const

export type Channel = (typeof CHANNELS)[number]

/** Why somebody is written to. */
export const PURPOSES = [
  "access-decided",
  "delivery-notice",
  "invitation",
  "keyword-answer",
  "password-changed",
  "password-reset",
  "sign-up",
  "webhook-disabled",
] as const

export type Purpose = (typeof PURPOSES)[number]

/** A message of this age is not sent: what it says has ended, or is no news any more. */
export const MESSAGE_AGE_MS_MAX: Readonly<Record<Purpose, number>> = {
  "access-decided": 7 * DAY_MS,
  "delivery-notice": HOUR_MS,
  invitation: INVITATION_MS,
  "keyword-answer": HOUR_MS,
  "password-changed": 7 * DAY_MS,
  "password-reset": RESET_CODE_MS,
  "sign-up": SIGN_UP_CODE_MS,
  "webhook-disabled": 7 * DAY_MS,
}

/** `pending` waits for its next attempt; the others are ends. `suppressed` was never meant to leave. */
export const MESSAGE_STATUSES = ["expired", "failed", "pending", "sent", "suppressed"] as const

export type MessageStatus = (typeof MESSAGE_STATUSES)[number]
