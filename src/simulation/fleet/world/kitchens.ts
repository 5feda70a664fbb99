/** Kitchens: the cooks of a store begin an order some time before it is due. The time for each order is drawn. */

import type { Chance } from "../chance.ts"
import { atTimeOfDay } from "../language/spread.ts"
import type { FleetStore } from "../language/model.ts"
import type { FleetWorld } from "./fleet-world.ts"
import { kitchenOrder } from "./machines/kitchen-order.ts"
import { WorldActor } from "./machines/world-actor.ts"
import { Servers } from "./servers.ts"
import type { Counted } from "./tally.ts"

/** An order in a kitchen. */
export interface Meal {
  readonly isReady: boolean
  /** Calls back once the meal is ready; at once if it already is. */
  readonly whenReady: (then: () => void) => void
  /** Calls back with the state of its machine, and with each one after it. */
  readonly watch: WorldActor<typeof kitchenOrder>["watch"]
}

export interface MealRequest extends Counted {
  readonly siteNumber: number
  readonly storeNumber: number
  readonly chance: Chance
}

export interface MealOrder extends MealRequest {
  /** When the meal should be ready. */
  readonly dueMs: number
  /** Known from a table, or drawn at the request, if the store learns of the order later. */
  readonly preparationMs?: number | undefined
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
        const servers = new Servers({
          resource: "cooks",
          wait: "cooks.wait",
          places,
          siteNumber,
          tally,
          nowMs,
        })
        this.#cooks.set(`${siteNumber}/${storeNumber}`, servers)
      }
    }
  }

  /** So many more cooks from now on, or fewer, in each kitchen of a site that has a limit of them. */
  changeCooks(siteNumber: number, by: number): void {
    for (const [storeNumber, { cooks }] of this.#world.model.sites[siteNumber]?.stores.entries() ?? [])
      if (cooks !== null) this.#cooks.get(`${siteNumber}/${storeNumber}`)?.changePlaces(by)
  }

  /** So many cooks of each kitchen of a site that has a limit of them. */
  takeOutCooks(siteNumber: number, count: number): readonly (() => void)[] {
    return (this.#world.model.sites[siteNumber]?.stores ?? []).flatMap(({ cooks }, storeNumber) => {
      const servers = this.#cooks.get(`${siteNumber}/${storeNumber}`)
      return cooks === null || servers === undefined ? [] : [servers.takeOut(count)]
    })
  }

  /** So many cooks of one kitchen with a limit of them are away, each after its order, until the functions are called. */
  takeOutCooksOf(siteNumber: number, storeNumber: number, count: number): readonly (() => void)[] {
    const servers = this.#cooks.get(`${siteNumber}/${storeNumber}`)
    return servers === undefined ? [] : [servers.takeOut(count)]
  }

  /** The kitchens of stores of this name begin no order, until the functions are called. */
  close(store: string): readonly (() => void)[] {
    return this.#world.model.sites.flatMap(({ stores }, siteNumber) =>
      stores.flatMap(({ as }, storeNumber) => {
        const servers = this.#cooks.get(`${siteNumber}/${storeNumber}`)
        return as !== store || servers === undefined ? [] : [servers.takeOut(Number.POSITIVE_INFINITY)]
      }),
    )
  }

  /** Draws a preparation time. */
  preparation({
    siteNumber,
    storeNumber,
    chance,
  }: Pick<MealRequest, "chance" | "siteNumber" | "storeNumber">): number {
    const world = this.#world
    const store = world.model.sites[siteNumber]?.stores[storeNumber] as FleetStore
    return chance.duration(atTimeOfDay(store.preparation, world.msOfDay), "preparation")
  }

  /** The preparation time is drawn now, so that it does not depend on the order in which meals wait. */
  order(order: MealOrder): Meal {
    const world = this.#world
    const store = world.model.sites[order.siteNumber]?.stores[order.storeNumber] as FleetStore
    const ms = order.preparationMs ?? this.preparation(order)
    const actor = new WorldActor(kitchenOrder)
    const waiting: (() => void)[] = []
    const cooks = this.#cooks.get(`${order.siteNumber}/${order.storeNumber}`) as Servers
    const begin = (): void => {
      actor.send("preparation.due")
      cooks.take(() => {
        actor.send("cook.began")
        world.after(ms, () => {
          cooks.release()
          actor.send("preparation.ended")
          for (const then of waiting.splice(0)) then()
        })
      }, order)
    }
    world.at(order.dueMs - store.starts_before, begin)
    return {
      get isReady() {
        return actor.is("ready")
      },
      whenReady: (then) => {
        if (actor.is("ready")) then()
        else waiting.push(then)
      },
      watch: (watcher) => actor.watch(watcher),
    }
  }
}
