/** A linked user's errand on the simulated service, up to its hold and on to its booking. */

import { Effect } from "effect"
import type { ReserveDeliveryArguments } from "../../src/model/courier-requests.ts"
import type { CourierEnvelope } from "../../src/model/courier.ts"
import { Courier } from "../../src/services/courier/courier.ts"
import { Vehicles } from "../../src/services/direct-delivery/vehicles.ts"
import { COURIER } from "../conformance/courier-world.ts"
import type { ServicesHarness } from "../conformance/harness.ts"

const USER = "usr_one"
const courier = Effect.serviceFunctions(Courier)
const vehicles = Effect.serviceFunctions(Vehicles)

export interface Held {
  readonly id: string
  /** Of its checkout link. */
  readonly token: string
  /** What the reserve was answered with. */
  readonly answer: CourierEnvelope
}

export class Errands {
  readonly #h: ServicesHarness
  #calls = 0

  constructor(h: ServicesHarness) {
    this.#h = h
  }

  #key(): string {
    this.#calls += 1
    return `errands-${String(this.#calls).padStart(4, "0")}`
  }

  park(): Promise<void> {
    const vehicle = { vehicleId: "veh_errands", fleetId: COURIER.fleetId, label: "Courier 1" }
    return this.#h.run(
      vehicles.register({ ...vehicle, environment: "production", isSynthetic: false, isOnline: true }),
    )
  }

  async held(more: Partial<ReserveDeliveryArguments> = {}): Promise<Held> {
    const address = { street: "11410 Century Oaks Terrace", city: "Austin", state: "TX", zip: "78758" }
    const checked = await this.#h.run(
      courier.check(USER, {
        retailer_name: "Lunchbox Kitchen",
        store_address: address,
        dropoff_address: { ...address, street: "1 Sample St", location: { lat: 30.41, lng: -97.72 } },
        requested_timing: { type: "asap" },
        pickup_methods_offered: ["curbside"],
        idempotency_key: this.#key(),
      }),
    )
    const id = checked.delivery_id ?? ""
    const answer = await this.#h.run(
      courier.reserve(USER, {
        delivery_id: id,
        customer: { first_name: "Ada", last_name: "Example" },
        contact: {},
        contact_consent: { granted: true, consent_version: "2026-09-27" },
        terms_acknowledged: { accepted: true, terms_version: "2026-09-27" },
        pickup_requirements_seen: [],
        idempotency_key: this.#key(),
        ...more,
      }),
    )
    const url = new URL(answer.payment?.checkout_url ?? "missing:")
    return { id, token: url.pathname.replace("/pay/", ""), answer }
  }

  pay(id: string): Promise<CourierEnvelope> {
    return this.#h.run(
      courier.update(USER, {
        delivery_id: id,
        update_type: "payment",
        payment: { shared_payment_token: "spt_ok_1" },
        idempotency_key: this.#key(),
      }),
    )
  }

  confirm(id: string): Promise<CourierEnvelope> {
    return this.#h.run(
      courier.confirm(USER, {
        delivery_id: id,
        order_number: "1001",
        items: [{ name: "Soup", quantity: 1 }],
        confirmation_text: "Thank you",
        idempotency_key: this.#key(),
      }),
    )
  }

  cancel(id: string): Promise<CourierEnvelope> {
    return this.#h.run(courier.cancel(USER, { delivery_id: id, idempotency_key: this.#key() }))
  }

  status(id: string): Promise<CourierEnvelope> {
    return this.#h.run(courier.status(USER, { delivery_id: id }))
  }
}
