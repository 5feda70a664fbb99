/**
 * Linked users of a fleet's courier orders: a user has one order at a time. After an order a user rests, so that
 * neither the limit of calls nor the limit of one hold for each user matters. There are as many users as a rest period
 * needs, however long a run is.
 */

import { HOUR_MS } from "../../../model/values/time.ts"
import { putUser } from "../../../areas/courier/memory/courier-rows.ts"
import type { FleetWorld } from "./fleet-world.ts"

/** Twice the longest window in which a user's calls are counted, because windows are fixed to the clock. */
const REST_MS = 2 * HOUR_MS

export class Users {
  readonly #world: FleetWorld
  /** In the order in which their orders ended. */
  readonly #free: { readonly userId: string; readonly fromMs: number }[] = []
  #made = 0

  constructor(world: FleetWorld) {
    this.#world = world
  }

  take(): string {
    const first = this.#free[0]
    if (first !== undefined && first.fromMs <= this.#world.nowMs) {
      this.#free.shift()
      return first.userId
    }
    this.#made += 1
    const userId = `usr_fleet_${String(this.#made).padStart(6, "0")}`
    putUser(this.#world.service.host.store, userId, { phone: "+15125550100", isEnabled: true })
    return userId
  }

  release(userId: string): void {
    this.#free.push({ userId, fromMs: this.#world.nowMs + REST_MS })
  }
}
