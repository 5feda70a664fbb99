/** An agent of one linked user and the vehicle that it is sent, in the words of the courier connector's tests. */

import { Effect } from "effect"
import type {
  CheckDeliveryArguments,
  ConfirmDeliveryArguments,
  ReserveDeliveryArguments,
  UpdateDeliveryArguments,
} from "../../src/model/requests/courier-requests.ts"
import type { CourierEnvelope } from "../../src/model/courier.ts"
import { SECOND_MS } from "../../src/model/values/time.ts"
import { CourierCheckout } from "../../src/areas/courier/checkout.ts"
import { Courier } from "../../src/areas/courier/courier.ts"
import { Tracking } from "../../src/areas/tracking/tracking.ts"
import { Vehicles } from "../../src/areas/dispatch/vehicles.ts"
import { COURIER } from "./courier-world.ts"
import { operations } from "./harness.ts"
import type { ServicesHarness } from "./harness.ts"

export const courier = Effect.serviceFunctions(Courier)
export const checkout = Effect.serviceFunctions(CourierCheckout)
export const tracking = Effect.serviceFunctions(Tracking)
export const vehicles = Effect.serviceFunctions(Vehicles)

export const USER = "usr_one"
const STORE = { latitude: 30.4021, longitude: -97.7253 }

function north(metres: number) {
  return { latitude: STORE.latitude + metres / 111_195, longitude: STORE.longitude }
}

/** An agent of one user: each call has a new key unless the test gives one. */
export class Agent {
  readonly #h: ServicesHarness
  readonly #userId: string
  #calls = 0
  readonly #orderNumberById = new Map<string, string>()

  constructor(h: ServicesHarness, userId = USER) {
    this.#h = h
    this.#userId = userId
  }

  #key(): string {
    this.#calls += 1
    return `${this.#userId}-${String(this.#calls).padStart(6, "0")}`
  }

  checking(more: Partial<CheckDeliveryArguments> = {}): CheckDeliveryArguments {
    const { latitude, longitude } = north(2_000)
    const address = { street: "11410 Century Oaks Terrace", city: "Austin", state: "TX", zip: "78758" }
    return {
      retailer_name: "Lunchbox Kitchen",
      store_address: address,
      dropoff_address: { ...address, street: "1 Sample St", location: { lat: latitude, lng: longitude } },
      requested_timing: { type: "asap" },
      pickup_methods_offered: ["curbside"],
      idempotency_key: this.#key(),
      ...more,
    }
  }

  reserving(id: string, more: Partial<ReserveDeliveryArguments> = {}): ReserveDeliveryArguments {
    return {
      delivery_id: id,
      customer: { first_name: "Ada", last_name: "Example" },
      contact: {},
      contact_consent: { granted: true, consent_version: "2026-09-27" },
      terms_acknowledged: { accepted: true, terms_version: "2026-09-27" },
      pickup_requirements_seen: [],
      idempotency_key: this.#key(),
      ...more,
    }
  }

  /** Each delivery of each user has a number of its own. */
  #orderNumberOf(id: string): string {
    const next = (this.#userId === USER ? 1001 : 2001) + this.#orderNumberById.size
    const number = this.#orderNumberById.get(id) ?? String(next)
    this.#orderNumberById.set(id, number)
    return number
  }

  confirming(id: string, more: Partial<ConfirmDeliveryArguments> = {}): ConfirmDeliveryArguments {
    return {
      delivery_id: id,
      order_number: this.#orderNumberOf(id),
      items: [{ name: "Burrito", quantity: 1 }],
      confirmation_text: "Thank you for your order",
      idempotency_key: this.#key(),
      ...more,
    }
  }

  check(more: Partial<CheckDeliveryArguments> = {}): Promise<CourierEnvelope> {
    return this.#h.run(courier.check(this.#userId, this.checking(more)))
  }

  reserve(id: string, more: Partial<ReserveDeliveryArguments> = {}): Promise<CourierEnvelope> {
    return this.#h.run(courier.reserve(this.#userId, this.reserving(id, more)))
  }

  confirm(id: string, more: Partial<ConfirmDeliveryArguments> = {}): Promise<CourierEnvelope> {
    return this.#h.run(courier.confirm(this.#userId, this.confirming(id, more)))
  }

  update(
    id: string,
    more: Omit<UpdateDeliveryArguments, "delivery_id" | "idempotency_key">,
  ): Promise<CourierEnvelope> {
    const args = { delivery_id: id, idempotency_key: this.#key(), ...more }
    return this.#h.run(courier.update(this.#userId, args))
  }

  pay(id: string, token = "spt_ok_1"): Promise<CourierEnvelope> {
    return this.update(id, { update_type: "payment", payment: { shared_payment_token: token } })
  }

  status(id: string): Promise<CourierEnvelope> {
    return this.#h.run(courier.status(this.#userId, { delivery_id: id }))
  }

  cancel(id: string, reason?: string): Promise<CourierEnvelope> {
    const args = { delivery_id: id, reason, idempotency_key: this.#key() }
    return this.#h.run(courier.cancel(this.#userId, args))
  }

  /** A quote, and its id. */
  async quoted(more: Partial<CheckDeliveryArguments> = {}): Promise<string> {
    return idIn(await this.check(more))
  }

  async held(more: Partial<ReserveDeliveryArguments> = {}): Promise<string> {
    const id = await this.quoted()
    await this.reserve(id, more)
    return id
  }

  async authorized(): Promise<string> {
    const id = await this.held()
    await this.pay(id)
    return id
  }

  async booked(): Promise<string> {
    const id = await this.authorized()
    await this.confirm(id)
    await this.#h.advance(SECOND_MS)
    return id
  }
}

export function idIn(envelope: CourierEnvelope): string {
  if (envelope.delivery_id === undefined) throw new Error(JSON.stringify(envelope))
  return envelope.delivery_id
}

export function codeOf(envelope: CourierEnvelope): string {
  return envelope.error?.code ?? `answered ${String(envelope.state)}`
}

export function tokenOf(url: string | undefined): string {
  return String(url).split("/").at(-1) ?? ""
}

export async function park(h: ServicesHarness, vehicleId = "veh_courier"): Promise<void> {
  const vehicle = { vehicleId, fleetId: COURIER.fleetId, environment: "production", label: "C" } as const
  await h.run(vehicles.register({ ...vehicle, isSynthetic: false, isOnline: true }))
  await drive(h, 1_000, undefined, vehicleId)
}

/** A vehicle's way to the door: metres north of the store, and its load reports. */
export const WAY: readonly (readonly [metres: number, load: "loaded" | "unloaded" | undefined])[] = [
  [990, undefined],
  [900, undefined],
  [5, undefined],
  [5, undefined],
  [5, undefined],
  [5, "loaded"],
  [500, undefined],
  [1_995, undefined],
  [2_000, "unloaded"],
]

export async function drive(
  h: ServicesHarness,
  metres: number,
  load?: "loaded" | "unloaded",
  vehicleId = "veh_courier",
): Promise<void> {
  await h.advance(20 * SECOND_MS)
  const fix = { ...north(metres), recorded_at: h.now(), load }
  await h.run(vehicles.report(operations, vehicleId, [fix]))
  await h.advance(SECOND_MS)
}

/** A host with one parked vehicle, and an agent of the first user. */
export async function ready<H extends ServicesHarness>(
  make: () => H,
): Promise<{ readonly h: H; readonly agent: Agent }> {
  const h = make()
  await park(h)
  return { h, agent: new Agent(h) }
}
