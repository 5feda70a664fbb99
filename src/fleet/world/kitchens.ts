/** Kitchens: cooks of a store, who begin an order a while before it is due and make each in the time that was drawn for it. */

import { atTimeOfDay } from "../language/spread.ts"
import type { FleetStore } from "../language/model.ts"
import type { FleetWorld } from "./fleet-world.ts"
import { Servers } from "./servers.ts"

/** An order in a kitchen. */
export interface Meal {
  readonly readyAtMs: number | null
  /** Calls back once it is ready; at once if it is. */
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
  /** When it should be ready. */
  readonly dueMs: number
  /** Drawn at its request, where the store is told of it later. */
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

  /** How long it takes a cook, drawn. */
  preparation({ siteNumber, storeNumber, source }: MealRequest): number {
    const world = this.#world
    const store = world.model.sites[siteNumber]?.stores[storeNumber] as FleetStore
    return world.chance.duration(atTimeOfDay(store.preparation, world.msOfDay), `${source}/preparation`)
  }

  /** The preparation is drawn now, so that it does not depend on who waits for whom. */
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
