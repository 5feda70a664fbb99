/** Mail and SMS to people: the words of an outbox. */

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

/** `pending` waits for its next attempt; the others are ends. `suppressed` was never meant to leave. */
export const MESSAGE_STATUSES = ["expired", "failed", "pending", "sent", "suppressed"] as const

export type MessageStatus = (typeof MESSAGE_STATUSES)[number]
