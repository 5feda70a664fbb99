/** The client for partners: calls of the APIs with their types, and the verification of webhooks. */

export { curbline } from "./calls.ts"
export type { Curbline, CurblineOptions } from "./calls.ts"
export { verifyWebhook } from "./webhooks.ts"
export type {
  DeliveryEvent,
  ReservationEvent,
  VerifiedWebhook,
  WebhookApi,
  WebhookEvent,
  WebhookFault,
  WebhookHeaders,
  WebhookRequest,
  WebhookVerdict,
} from "./webhooks.ts"
export type { components as AnalyticsTypes } from "./analytics-types.ts"
export type { components as DeliveryTypes } from "./delivery-types.ts"
export type { components as ReservationTypes } from "./reservation-types.ts"
export type { components as SandboxTypes } from "./sandbox-types.ts"
