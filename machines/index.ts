/**
 * The registry: every machine under its id and version. A machine that a kept journal names stays here under its old
 * version beside the new one.
 */

import { bot, botIgnores } from "./bot.ts"
import type { Ignores } from "./ignores.ts"
import { openLink, openLinkIgnores } from "./open-link.ts"
import { reservation, reservationIgnores } from "./reservation.ts"
import { runnerTask, runnerTaskIgnores } from "./runner-task.ts"
import { webhookDelivery, webhookDeliveryIgnores } from "./webhook-delivery.ts"

/** `id@version` → machine. */
export const machines = {
  "bot@1": bot,
  "open-link@1": openLink,
  "reservation@1": reservation,
  "runner-task@1": runnerTask,
  "webhook-delivery@1": webhookDelivery,
} as const

export type MachineId = keyof typeof machines

/** What each machine ignores on purpose. */
export const ignores: Readonly<Record<MachineId, Ignores>> = {
  "bot@1": botIgnores,
  "open-link@1": openLinkIgnores,
  "reservation@1": reservationIgnores,
  "runner-task@1": runnerTaskIgnores,
  "webhook-delivery@1": webhookDeliveryIgnores,
}
