/** People of the portal with sites and deliveries of their own in the sandbox. */

import { Effect } from "effect"
import { expect } from "vitest"
import { DirectDelivery } from "../../../src/areas/direct-delivery/direct-delivery.ts"
import { PERMISSIONS } from "../../../src/model/caller.ts"
import type { Partner } from "../../../src/model/caller.ts"
import type { QuoteRequest } from "../../../src/model/requests/delivery-requests.ts"
import { MINUTE_MS } from "../../../src/model/values/time.ts"
import type { Browser, Portal } from "./portal.ts"

export const API = "/portal/api"
export const PHONE = "+15125550123"

/** A person with a site of the sandbox, and the same organization as the caller of an API key. */
export async function started(portal: Portal, email = "ada@wheels.example") {
  const browser = await portal.signedUp(email)
  const { data } = await browser.call("GET", `${API}/session`)
  const { organization_id: organizationId } = data["organization"] as { organization_id: string }
  const partner: Partner = {
    type: "partner",
    organizationId,
    environment: "sandbox",
    permissions: PERMISSIONS,
  }
  return { browser, partner, siteId: await madeSite(browser) }
}

export async function madeSite(browser: Browser, name = "East kitchen"): Promise<string> {
  const location = { latitude: 30.27, longitude: -97.74 }
  const body = { name, location, reach_km: 10, delivery_price_cents: 599 }
  const { status, data } = await browser.call("POST", `${API}/sites`, { body })
  expect(status).toBe(201)
  return (data["site"] as { site_id: string }).site_id
}

export function quoting(portal: Portal, id: string, more: Partial<QuoteRequest> = {}): QuoteRequest {
  return {
    external_delivery_id: id,
    customer: { phone: PHONE },
    delivery_address: { street: "1 Sample St", city: "Austin", state: "TX", zip: "78701" },
    delivery_location: { latitude: 30.28, longitude: -97.74 },
    ready_by: portal.now() + 10 * MINUTE_MS,
    order_items: [{ name: "Milk", quantity: 1 }],
    ...more,
  }
}

/** Quoted and created, as over the API. */
export function deliver(portal: Portal, partner: Partner, siteId: string, id: string): void {
  portal.run(
    Effect.gen(function* () {
      const service = yield* DirectDelivery
      yield* service.quote(partner, siteId, quoting(portal, id))
      yield* service.create(partner, siteId, { external_delivery_id: id })
    }),
  )
}

/** Status and code of an answer, such as `404 NOT_FOUND`. */
export async function codeOf(
  browser: Browser,
  method: string,
  path: string,
  body?: unknown,
): Promise<string> {
  const { status, code } = await browser.call(method, `${API}${path}`, body === undefined ? {} : { body })
  return `${status} ${code ?? "-"}`
}
