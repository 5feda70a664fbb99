/** Kitchens: the cooks of a store begin an order some time before it is due. The time for each order is drawn. */

import { atTimeOfDay } from "../language/spread.ts"
import type { FleetStore } from "../language/model.ts"
import type { FleetWorld } from "./fleet-world.ts"
import { Servers } from "./servers.ts"

/** An order in a kitchen. */
export interface Meal {
  readonly readyAtMs: number | null
  /** Calls back once the meal is ready; at once if it already is. */
  readonly whenReady: (then: () => void) => void
}

export interface MealRequest {
  readonly siteNumber: number
  readonly storeNumber: number
  /** Name of the demand's streams. */
  readonly source: string
  readonly isMeasured: boolean
}

export interface MealOrder extends MealRequest {
  /** When the meal should be ready. */
  readonly dueMs: number
  /** Drawn at the request, if the store learns of the order later. */
  readonly preparationMs?: number
}

export class Kitchens {
  readonly #world: FleetWorld
  readonly #cooks = new Map<string, Servers>()

  constructor(world: FleetWorld) {
    this.#world = world
    for (const [siteNumber, site] of world.model.sites.entries()) {
      for (const [storeNumber, { cooks }] of site.stores.entries()) {
        const places = cooks ?? Number.POSITIVE_INFINITY
        const { tally } = world
        const nowMs = (): number => world.nowMs
        const servers = new Servers({ resource: "cooks", wait: "cooks.wait", places, tally, nowMs })
        this.#cooks.set(`${siteNumber}/${storeNumber}`, servers)
      }
    }
  }

  /** Draws a preparation time. */
  preparation({ siteNumber, storeNumber, source }: MealRequest): number {
    const world = this.#world
    const store = world.model.sites[siteNumber]?.stores[storeNumber] as FleetStore
    return world.chance.duration(atTimeOfDay(store.preparation, world.msOfDay), `${source}/preparation`)
  }

  /** The preparation time is drawn now, so that it does not depend on the order in which meals wait. */
  order(order: MealOrder): Meal {
    const world = this.#world
    const store = world.model.sites[order.siteNumber]?.stores[order.storeNumber] as FleetStore
    const ms = order.preparationMs ?? this.preparation(order)
    const meal = { readyAtMs: null as number | null, waiting: [] as (() => void)[] }
    const cooks = this.#cooks.get(`${order.siteNumber}/${order.storeNumber}`) as Servers
    const begin = (): void => {
      cooks.take(() => {
        world.after(ms, () => {
          cooks.release()
          meal.readyAtMs = world.nowMs
          for (const then of meal.waiting.splice(0)) then()
        })
      }, order)
    }
    world.at(order.dueMs - store.starts_before, begin)
    return {
      get readyAtMs() {
        return meal.readyAtMs
      },
      whenReady: (then) => {
        if (meal.readyAtMs !== null) then()
        else meal.waiting.push(then)
      },
    }
  }
}
