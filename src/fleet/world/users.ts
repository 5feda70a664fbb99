/**
 * Linked users of a fleet's courier orders: one an order, and then free for another. A user rests after an order, so that neither
 * the limit of calls nor the one hold of a user plays a part; there are as many as one rest needs, however long a run is.
 */

import { HOUR_MS } from "../../model/time.ts"
import { putUser } from "../../simulation/memory-courier-rows.ts"
import type { FleetWorld } from "./fleet-world.ts"

/** The longest stretch over which a user's calls are counted, twice: its windows are the clock's. */
const REST_MS = 2 * HOUR_MS

export class Users {
  readonly #world: FleetWorld
  /** In the order in which they were let go. */
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
