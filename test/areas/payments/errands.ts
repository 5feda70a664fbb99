/** A linked user's errand on the simulated service, up to its hold, with the link that its fee is paid at. */

import type { ReserveDeliveryArguments } from "../../../src/model/requests/courier-requests.ts"
import type { CourierEnvelope } from "../../../src/model/courier.ts"
import { Agent, park, tokenOf } from "../../conformance/courier-agent.ts"
import type { ServicesHarness } from "../../conformance/harness.ts"

export interface Held {
  readonly id: string
  /** Of its checkout link; empty where there is none. */
  readonly token: string
}

export class Errands {
  readonly #h: ServicesHarness
  readonly #agent: Agent

  constructor(h: ServicesHarness) {
    this.#h = h
    this.#agent = new Agent(h)
  }

  park(): Promise<void> {
    return park(this.#h)
  }

  async held(more: Partial<ReserveDeliveryArguments> = {}): Promise<Held> {
    const id = await this.#agent.quoted()
    const { payment } = await this.#agent.reserve(id, more)
    return { id, token: payment?.checkout_url === undefined ? "" : tokenOf(payment.checkout_url) }
  }

  pay(id: string, token?: string): Promise<CourierEnvelope> {
    return this.#agent.pay(id, token)
  }

  confirm(id: string): Promise<CourierEnvelope> {
    return this.#agent.confirm(id)
  }

  cancel(id: string): Promise<CourierEnvelope> {
    return this.#agent.cancel(id)
  }

  /** A requirement of the store that turns up late. */
  decline(id: string): Promise<CourierEnvelope> {
    return this.#agent.update(id, {
      update_type: "pickup_requirements",
      pickup_requirements_seen: ["signature"],
    })
  }

  status(id: string): Promise<CourierEnvelope> {
    return this.#agent.status(id)
  }
}
