/** Direct delivery's world behind the app: sites of the caller's organization, one vehicle each, and the usual order. */

import { Effect } from "effect"
import type { Environment } from "../../src/model/caller.ts"
import { MINUTE_MS } from "../../src/model/values/time.ts"
import { Vehicles } from "../../src/areas/dispatch/vehicles.ts"
import { ActorHost } from "../../src/engine/services/host.ts"
import { Routine } from "../../src/engine/services/routine.ts"
import { writeDeliverySite } from "../../src/areas/direct-delivery/store/delivery-rows.ts"
import { SANDBOX_SITE, SITE, deliverySites, north } from "../conformance/delivery-world.ts"
import { iso, makeApi } from "./api.ts"
import type { Answered, Api, ApiOptions, Sent } from "./api.ts"

export interface Shop {
  readonly api: Api
  readonly site: string
  /** With the site's header. */
  readonly call: (method: string, path: string, sent?: Sent) => Promise<Answered>
  readonly quoting: (more?: object) => object
}

/** The app with the world's sites, which belong to the caller's organization, and one vehicle each. */
export async function openShop(
  environment: Environment = "production",
  options: Omit<ApiOptions, "environment"> = {},
): Promise<Shop> {
  const api = await makeApi({ ...options, environment })
  const ours = deliverySites.filter(({ organizationId }) => organizationId === "org_one")
  const given = Effect.forEach(ours, (one) =>
    writeDeliverySite({ ...one, organizationId: api.organizationId }),
  )
  await api.run(
    Effect.flatMap(ActorHost, (host) =>
      host.run({ name: "a test", locks: {}, body: () => Routine.from(given) }),
    ),
  )
  const isSynthetic = environment === "sandbox"
  const fleetId = isSynthetic ? "fleet_sandbox" : "fleet_north"
  const vehicle = { vehicleId: "veh_1", fleetId, environment, label: "1", isSynthetic, isOnline: true }
  await api.run(Effect.flatMap(Vehicles, (vehicles) => vehicles.register(vehicle)))
  const site = isSynthetic ? SANDBOX_SITE : SITE
  return {
    api,
    site,
    call: (method, path, sent = {}) =>
      api.call(method, path, { ...sent, headers: { "x-retailer-id": site, ...sent.headers } }),
    quoting: (more) => ({
      external_delivery_id: "order-1",
      customer: { phone: "+15125550123" },
      delivery_address: { street: "1 Sample St", city: "Austin", state: "TX", zip: "78758" },
      delivery_location: north(2_000),
      ready_by: iso(api.now() + 10 * MINUTE_MS),
      order_items: [{ name: "Milk", quantity: 2 }],
      ...more,
    }),
  }
}

/** Quoted and created; the answer to the create. */
export async function created({ call, quoting }: Shop, id = "order-1"): Promise<Answered> {
  await call("POST", "/dd/v1/deliveries/quote", { body: quoting({ external_delivery_id: id }) })
  return call("POST", "/dd/v1/deliveries", { body: { external_delivery_id: id } })
}

/** Status and code in one line; `-` where nothing is refused. */
export function codeOf({ status, code }: Answered): string {
  return `${status} ${code ?? "-"}`
}
