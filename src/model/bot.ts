/** Bot: the partner's vehicle or sidewalk robot, as it reports itself. Source: reservations contract, bot status. */

/** In order; any may be skipped. `ABORTED` is outside the order and ends the bot's run. */
export const BOT_STATUSES = [
  "INBOUND",
  "ARRIVED",
  "READY_FOR_HANDOFF",
  "SECURED",
  "DEPARTED",
  "ABORTED",
] as const

export type BotStatus = (typeof BOT_STATUSES)[number]

/** The event that the bot's actor receives for each reported status. */
export const BOT_EVENT_BY_STATUS = {
  INBOUND: "bot.inbound",
  ARRIVED: "bot.arrived",
  READY_FOR_HANDOFF: "bot.ready",
  SECURED: "bot.secured",
  DEPARTED: "bot.departed",
  ABORTED: "bot.aborted",
} as const satisfies Record<BotStatus, string>

export type BotEventType = (typeof BOT_EVENT_BY_STATUS)[BotStatus]

export const BOT_STATUS_BY_EVENT: Readonly<Record<BotEventType, BotStatus>> = {
  "bot.inbound": "INBOUND",
  "bot.arrived": "ARRIVED",
  "bot.ready": "READY_FOR_HANDOFF",
  "bot.secured": "SECURED",
  "bot.departed": "DEPARTED",
  "bot.aborted": "ABORTED",
}
