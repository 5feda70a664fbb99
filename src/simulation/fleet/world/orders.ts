/** Orders: one request of one demand, from its instant to its end, and its counters. */

import { arrivalsOf, comesOn, drawnCount, laterBy } from "./arrivals.ts"
import type { Arrival } from "./arrivals.ts"
import type { OrderFacts } from "../language/order-log.ts"
import type { Chance } from "../chance.ts"
import type { FleetDemand } from "../language/model.ts"
import { factorsOf } from "../language/changes.ts"
import type { DemandFactor } from "../language/changes.ts"
import { demandNames } from "../language/paths/demand-names.ts"
import type { Product } from "../language/metrics.ts"
import type { FleetWorld } from "./fleet-world.ts"
import { customer } from "./machines/customer.ts"
import { WorldActor } from "./machines/world-actor.ts"
import type { Counted } from "./tally.ts"

/** The fields that orders of all products have. */
export interface Order extends Counted {
  readonly product: Product
  readonly demand: FleetDemand
  readonly siteNumber: number
  readonly storeNumber: number
  /** Everything that is drawn for it is drawn at its request, so that it depends on no other order. */
  readonly chance: Chance
  /** What is known of it from a table, instead of what is drawn. */
  readonly facts: OrderFacts
  /** What it takes of a vehicle's capacity. */
  readonly items: number
  readonly askedAtMs: number
  readonly customer: WorldActor<typeof customer>
  /** How long after the request the customer cancels; null if not. */
  readonly cancelsAfterMs: number | null
  /** Called when the service refused the order or has no capacity for it. */
  readonly decline: (reason: string) => void
  readonly open: () => void
  readonly close: (end: OrderEnd, why: string | null) => void
}

/** Only a courier order can be declined after it was opened, or fail. */
export type OrderEnd = "canceled" | "completed" | "declined" | "failed"

/** Carry out the orders of a product. */
export interface Takers {
  readonly [product: string]: { readonly ask: (order: Order) => void } | undefined
}

/**
 * Schedules the customer's cancellation, if one was drawn: it is asked for while the order is open. `cancel` calls back when the service
 * refuses it.
 */
export function cancelLater(world: FleetWorld, order: Order, cancel: (refused: () => void) => void): void {
  if (order.cancelsAfterMs === null) return
  world.after(order.cancelsAfterMs, () => {
    if (order.customer.send("mind.changed")) cancel(() => order.customer.send("cancel.refused"))
  })
}

/** The reason of requests that come while the service is out. */
const SERVICE_UNAVAILABLE = "SERVICE_UNAVAILABLE"

/** Schedules the next order of every demand; each order schedules the one after it. */
export function startDemand(world: FleetWorld, takers: Takers): void {
  const sources = sourcesOf(world.model.demand)
  const names = demandNames(world.model.demand)
  const { demandFromMs, startMs } = world
  for (const [at, demand] of world.model.demand.entries()) {
    const chance = world.chance.of(sources[at] ?? "")
    const name = names[at] ?? ""
    const arrivals = arrivalsOf({
      demand,
      instants: world.model.replayed.get(at),
      log: world.model.logs.find((log) => log.demand === at),
      logChance: world.chance.of(`log/${typeof demand.replay === "object" ? demand.replay?.file : ""}`),
      factors: factorsOf(name, world.changes, demandFromMs),
      chance,
      clock: world.clock,
      startMs: demandFromMs,
      horizonMs: world.model.horizon + startMs - demandFromMs,
    })
    const taker = takers[demand.product]
    const ask = (arrival: Omit<Arrival, "atMs">, ended?: () => void): void => {
      const order = orderOf(world, demand, arrival, ended)
      if (world.rules.serviceOuts > 0) order.decline(SERVICE_UNAVAILABLE)
      else taker?.ask(order)
    }
    if (demand.population !== null) {
      const factors = factorsOf(name, world.changes, startMs)
      startPopulation(world, { demand, population: demand.population, chance, factors, ask })
      continue
    }
    const schedule = (): void => {
      let next = arrivals.next().value
      while (next !== undefined && demandFromMs + next.atMs < startMs) next = arrivals.next().value
      if (next === undefined) return
      const arrival = next
      world.at(demandFromMs + arrival.atMs, () => {
        schedule()
        ask(arrival)
      })
    }
    schedule()
  }
}

interface StartedPopulation {
  readonly demand: FleetDemand
  readonly population: NonNullable<FleetDemand["population"]>
  readonly chance: Chance
  readonly factors: readonly DemandFactor[]
  readonly ask: (arrival: Omit<Arrival, "atMs">, ended: () => void) => void
}

/** Customers who each think, order, and think again when the order has ended. Some of them may have an order from before the run. */
function startPopulation(
  world: FleetWorld,
  { demand, population, chance, factors, ask }: StartedPopulation,
): void {
  const { startMs, clock } = world
  const customers: (() => () => void)[] = []
  world.thinking.set(demand, customers)
  for (let number = 1; number <= population.size; number += 1) {
    const own = chance.of(`customer/${number}`)
    let thoughts = 0
    const think = (): void => {
      thoughts += 1
      const thought = thoughts
      const thinkMs = own.duration(population.thinks, "thinks") / demand.pace
      const atMs = Math.round(laterBy(thinkMs, factors, world.nowMs - startMs))
      if (atMs >= world.model.horizon) return
      world.at(startMs + atMs, () => {
        if (thought !== thoughts) return
        if (comesOn({ demand, clock, startMs }, atMs)) ask({ chance: own, facts: null }, think)
        else think()
      })
    }
    think()
    customers.push(() => {
      thoughts += 1
      return think
    })
  }
}

/**
 * Names of the demands' streams: of what each asks for, and not of its place in the model, so that a demand that is added above has
 * no part in them. Those that ask for the same are numbered.
 */
function sourcesOf(demand: readonly FleetDemand[]): readonly string[] {
  const counts = new Map<string, number>()
  return demand.map(({ product, site, store }) => {
    const asked = `demand/${product}/${site}/${store ?? ""}`
    const number = (counts.get(asked) ?? 0) + 1
    counts.set(asked, number)
    return `${asked}/${number}`
  })
}

/** Of a thing that was there before the run, by its id. What was drawn for it once is drawn for its order again. */
export function presentChance({ chance }: FleetWorld, id: string): Chance {
  return chance.of(`present/${id}`)
}

/**
 * The order of what was requested before the run, by its id there: its customer cancels no more. In a population it is the order of one
 * of the customers, who thinks again after its end.
 */
export function adoptedOrder(
  world: FleetWorld,
  demand: FleetDemand,
  id: string,
  askedAtMs = world.nowMs,
): Order {
  const ended = world.thinking.get(demand)?.pop()?.()
  const drawn = orderOf(world, demand, { chance: presentChance(world, id), facts: null }, ended)
  return { ...drawn, cancelsAfterMs: null, askedAtMs }
}

function orderOf(
  world: FleetWorld,
  demand: FleetDemand,
  { chance, facts: told }: Omit<Arrival, "atMs">,
  ended?: () => void,
): Order {
  const facts = told ?? {}
  const { model, tally, nowMs } = world
  const siteNumber = model.sites.findIndex(({ as }) => as === demand.site)
  const storeNumber = Math.max(
    0,
    model.sites[siteNumber]?.stores.findIndex(({ as }) => as === (facts.store ?? demand.store)) ?? 0,
  )
  const { product } = demand
  const demandNumber = model.demand.indexOf(demand)
  // The connector has its own decline reasons.
  const reasons = product === "courier" ? "errands." : ""
  const isMeasured = tally.isMeasured(nowMs)
  const drawnCancel = chance.happens(demand.cancel, "cancel")
  const drawnCancelMs = chance.duration(demand.cancel_after, "cancel-after")
  const isCanceled = facts.isCanceled ?? drawnCancel
  const cancelMs = facts.cancelAfterMs ?? drawnCancelMs
  const ofOrder = new WorldActor(customer)
  const counted = { demandNumber, askedAtMs: nowMs }
  if (isMeasured) tally.countOrder(product, "asked", counted)
  const order: Order = {
    customer: ofOrder,
    product,
    demand,
    siteNumber,
    storeNumber,
    chance,
    facts,
    items: drawnCount(demand.items, chance, "items"),
    askedAtMs: nowMs,
    isMeasured,
    demandNumber,
    cancelsAfterMs: isCanceled ? cancelMs : null,
    decline: (reason) => {
      if (ofOrder.send("request.declined")) ended?.()
      world.course?.end(order, "declined")
      if (!isMeasured) return
      tally.countOrder(product, "declined", counted)
      tally.count(`${reasons}declined.${reason}`)
    },
    open: () => {
      if (ofOrder.send("order.opened")) world.openOrders += 1
    },
    close: (end, why) => {
      if (ofOrder.send(end === "completed" ? "order.completed" : "order.stopped")) {
        world.openOrders -= 1
        ended?.()
      }
      world.course?.end(order, end)
      if (!isMeasured) return
      if (end === "failed") tally.countErrand(end, counted)
      else tally.countOrder(product, end, counted)
      if (why !== null) tally.count(`${reasons}${end}.${why}`)
    },
  }
  return order
}
