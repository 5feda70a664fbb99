/** Orders: one request of one demand, from its instant to its end, and its counters. */

import { arrivalsOf } from "./arrivals.ts"
import type { FleetDemand } from "../language/model.ts"
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
  /** Name of the demand's streams. */
  readonly source: string
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

/** Schedules the next order of every demand; each order schedules the one after it. */
export function startDemand(world: FleetWorld, takers: Takers): void {
  for (const [at, demand] of world.model.demand.entries()) {
    const source = `demand/${at + 1}`
    const next = arrivalsOf({
      demand,
      instants: world.model.replayed.get(at),
      chance: world.chance,
      source,
      clock: world.clock,
      startMs: world.startMs,
      horizonMs: world.model.horizon,
    })
    const taker = takers[demand.product]
    const schedule = (): void => {
      const offsetMs = next()
      if (offsetMs === null) return
      world.at(world.startMs + offsetMs, () => {
        schedule()
        taker?.ask(orderOf(world, demand, source))
      })
    }
    schedule()
  }
}

/** The order of what was requested before the run: its customer cancels no more. */
export function adoptedOrder(
  world: FleetWorld,
  demand: FleetDemand,
  source: string,
  askedAtMs = world.nowMs,
): Order {
  return { ...orderOf(world, demand, source), cancelsAfterMs: null, askedAtMs }
}

function orderOf(world: FleetWorld, demand: FleetDemand, source: string): Order {
  const { model, tally, chance, nowMs } = world
  const siteNumber = model.sites.findIndex(({ as }) => as === demand.site)
  const storeNumber = Math.max(
    0,
    model.sites[siteNumber]?.stores.findIndex(({ as }) => as === demand.store) ?? 0,
  )
  const { product } = demand
  const demandNumber = model.demand.indexOf(demand)
  // The connector has its own decline reasons.
  const reasons = product === "courier" ? "errands." : ""
  const isMeasured = tally.isMeasured(nowMs)
  const isCanceled = chance.happens(demand.cancel, `${source}/cancel`)
  const cancelMs = chance.duration(demand.cancel_after, `${source}/cancel-after`)
  const ofOrder = new WorldActor(customer)
  if (isMeasured) tally.countOrder(product, "asked", demandNumber)
  const order: Order = {
    customer: ofOrder,
    product,
    demand,
    siteNumber,
    storeNumber,
    source,
    askedAtMs: nowMs,
    isMeasured,
    demandNumber,
    cancelsAfterMs: isCanceled ? cancelMs : null,
    decline: (reason) => {
      ofOrder.send("request.declined")
      world.course?.end(order, "declined")
      if (!isMeasured) return
      tally.countOrder(product, "declined", demandNumber)
      tally.count(`${reasons}declined.${reason}`)
    },
    open: () => {
      if (ofOrder.send("order.opened")) world.openOrders += 1
    },
    close: (end, why) => {
      if (ofOrder.send(end === "completed" ? "order.completed" : "order.stopped")) world.openOrders -= 1
      world.course?.end(order, end)
      if (!isMeasured) return
      if (end === "failed") tally.countErrand(end, demandNumber)
      else tally.countOrder(product, end, demandNumber)
      if (why !== null) tally.count(`${reasons}${end}.${why}`)
    },
  }
  return order
}
