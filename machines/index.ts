/**
 * The registry: every machine under its id and version. A machine that a kept journal names stays here under its old
 * version beside the new one.
 */

import { bot, botIgnores } from "./bot.ts"
import { compartment, compartmentIgnores } from "./compartment.ts"
import { courierOrder, courierOrderIgnores } from "./courier-order.ts"
import { courierPayment, courierPaymentIgnores } from "./courier-payment.ts"
import { delivery, deliveryIgnores } from "./delivery.ts"
import type { Ignores } from "./ignores.ts"
import { openLink1, openLink1Ignores } from "./open-link-1.ts"
import { openLink, openLinkIgnores } from "./open-link.ts"
import { reservation, reservationIgnores } from "./reservation.ts"
import { runnerCall, runnerCallIgnores } from "./runner-call.ts"
import { runnerTask, runnerTaskIgnores } from "./runner-task.ts"
import { vehicle, vehicleIgnores } from "./vehicle.ts"
import { webhookDelivery1, webhookDelivery1Ignores } from "./webhook-delivery-1.ts"
import { webhookDelivery, webhookDeliveryIgnores } from "./webhook-delivery.ts"
import { webhookEndpoint, webhookEndpointIgnores } from "./webhook-endpoint.ts"

/** `id@version` → machine. */
export const machines = {
  "bot@1": bot,
  "compartment@1": compartment,
  "courier-order@1": courierOrder,
  "courier-payment@1": courierPayment,
  "delivery@1": delivery,
  "open-link@1": openLink1,
  "open-link@2": openLink,
  "reservation@1": reservation,
  "runner-call@1": runnerCall,
  "runner-task@1": runnerTask,
  "vehicle@1": vehicle,
  "webhook-delivery@1": webhookDelivery1,
  "webhook-delivery@2": webhookDelivery,
  "webhook-endpoint@1": webhookEndpoint,
} as const

export type MachineId = keyof typeof machines

/** The ignored events of each machine. */
export const ignores: Readonly<Record<MachineId, Ignores>> = {
  "bot@1": botIgnores,
  "compartment@1": compartmentIgnores,
  "courier-order@1": courierOrderIgnores,
  "courier-payment@1": courierPaymentIgnores,
  "delivery@1": deliveryIgnores,
  "open-link@1": openLink1Ignores,
  "open-link@2": openLinkIgnores,
  "reservation@1": reservationIgnores,
  "runner-call@1": runnerCallIgnores,
  "runner-task@1": runnerTaskIgnores,
  "vehicle@1": vehicleIgnores,
  "webhook-delivery@1": webhookDelivery1Ignores,
  "webhook-delivery@2": webhookDeliveryIgnores,
  "webhook-endpoint@1": webhookEndpointIgnores,
}
