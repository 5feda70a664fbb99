/** Mail and SMS to people: the rows of the outbox. */

import { INVITATION_MS, RESET_CODE_MS, SIGN_UP_CODE_MS } from "./values/limits.ts"
import { DAY_MS, HOUR_MS } from "./values/time.ts"

export const CHANNELS = ["mail", "sms"] as const

export type Channel = (typeof CHANNELS)[number]

/** The reason for a message. */
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

/** A message older than this is not sent, because its content is out of date. */
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

/** `pending` waits for its next attempt; the others are final. `suppressed` messages were never meant to be sent. */
export const MESSAGE_STATUSES = ["expired", "failed", "pending", "sent", "suppressed"] as const

export type MessageStatus = (typeof MESSAGE_STATUSES)[number]
