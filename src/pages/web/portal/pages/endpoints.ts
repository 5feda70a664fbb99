/** Webhook endpoints of both products as one list, and their changes. */

import { api, dataOf } from "../api.ts"
import type { PageProps } from "../session.ts"

export type Product = "deliveries" | "reservations"
export type Environment = PageProps["environment"]

/** An endpoint of either product. */
export interface Endpoint {
  readonly id: string
  readonly product: Product
  readonly url: string
  readonly events: readonly string[]
  readonly isActive: boolean
  /** Null where the contract counts none. */
  readonly failures: number | null
  readonly disabledReason: string | null
  readonly createdAt: string
}

export const PRODUCT_NAMES: Readonly<Record<Product, string>> = {
  deliveries: "Direct Delivery",
  reservations: "Reservations",
}

export const EVENTS = {
  deliveries: ["pickup_status.changed", "pickup.vehicle_location.changed"],
  reservations: ["reservation.status_changed", "reservation.handoff_updated", "reservation.exception"],
} as const
export type EventName = (typeof EVENTS)[Product][number]

export async function endpointsIn(environment: Environment): Promise<readonly Endpoint[]> {
  const params = { query: { environment } }
  const [deliveries, reservations] = await Promise.all([
    dataOf(api.GET("/portal/api/delivery-webhooks", { params })),
    dataOf(api.GET("/portal/api/webhooks", { params })),
  ])
  return [
    ...deliveries.webhooks.map((one) => ({
      id: one.webhook_id,
      product: "deliveries" as const,
      url: one.url,
      events: one.events,
      isActive: one.is_active,
      failures: one.consecutive_failures,
      disabledReason: one.disabled_reason,
      createdAt: one.created_at,
    })),
    ...reservations.webhooks.map((one) => ({
      id: one.webhook_id,
      product: "reservations" as const,
      url: one.url,
      events: one.subscribed_events,
      isActive: one.is_active,
      failures: null,
      disabledReason: null,
      createdAt: one.created_at,
    })),
  ]
}

interface Change {
  readonly is_active?: boolean
  readonly rotate_secret?: boolean
}

/** The secret of the answer: whole after a rotation, otherwise masked. */
export async function changed(
  { id, product }: Endpoint,
  environment: Environment,
  body: Change,
): Promise<string> {
  const params = { path: { id }, query: { environment } }
  const { webhook } =
    product === "deliveries"
      ? await dataOf(api.PUT("/portal/api/delivery-webhooks/{id}", { params, body }))
      : await dataOf(api.PUT("/portal/api/webhooks/{id}", { params, body }))
  return webhook.secret
}
