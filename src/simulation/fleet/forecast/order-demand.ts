/** Of which demand an order is that was there before the run: the service knows where it was requested, and not by which demand of a model. */

import { midnightOf, wallClockAt } from "../../../model/values/local-time.ts"
import { DAY_MS, HOUR_MS } from "../../../model/values/time.ts"
import type { EpochMs } from "../../../model/values/time.ts"
import { meanBatch } from "../language/batch.ts"
import type { Product } from "../language/metrics.ts"
import type { FleetDemand, FleetModel } from "../language/model.ts"
import { atTimeOfDay, meanMsOf } from "../language/spread.ts"
import { WEEKDAYS, weekdayAt } from "../language/weekday.ts"
import type { FleetWorld } from "../world/fleet-world.ts"
import { presentChance } from "../world/orders.ts"

/** What is known of an order from before the run. */
export interface Requested {
  readonly id: string
  readonly product: Product
  readonly siteNumber: number
  /** Null when the service does not know it, as of a direct delivery. */
  readonly storeNumber: number | null
  readonly atMs: EpochMs
}

/**
 * One of the demands that ask for this, drawn by how many orders each of them brought in that hour. The id alone names the stream, so each
 * order has the same demand in every case of a seed. Demands of other sites only when the site has none; null without any of the product.
 */
export function demandOf(world: FleetWorld, { id, atMs, ...place }: Requested): FleetDemand | null {
  const found = candidatesOf(world.model, place)
  const rates = found.map((one) => ordersPerHourOf(world.model, one, atMs))
  const isKnown = rates.some((rate) => rate > 0)
  const weights = isKnown ? rates : rates.map(() => 1)
  let left = presentChance(world, id).fraction("demand") * weights.reduce((sum, weight) => sum + weight, 0)
  const drawn = found.find((_, at) => {
    left -= weights[at] ?? 0
    return left < 0
  })
  return drawn ?? found.at(-1) ?? null
}

function candidatesOf(
  { demand, sites }: FleetModel,
  { product, siteNumber, storeNumber }: Pick<Requested, "product" | "siteNumber" | "storeNumber">,
): readonly FleetDemand[] {
  const site = sites[siteNumber]
  const store = storeNumber === null ? null : site?.stores[storeNumber]?.as
  const ofProduct = demand.filter((one) => one.product === product)
  const ofSite = ofProduct.filter((one) => one.site === site?.as)
  const ofStore = ofSite.filter(
    (one) => store === null || hasManyStores(one) || (one.store ?? site?.stores[0]?.as) === store,
  )
  return [ofStore, ofSite, ofProduct].find((some) => some.length > 0) ?? []
}

/** True when a table says the store of each order. */
function hasManyStores({ replay }: FleetDemand): boolean {
  return replay !== null && typeof replay !== "string" && replay.store !== null
}

/** At the hour of an instant; 0 on a weekday on which it has none. */
export function ordersPerHourOf(model: FleetModel, demand: FleetDemand, atMs: EpochMs): number {
  const wall = wallClockAt(atMs, model.clock.timeZone)
  const weekday = WEEKDAYS[weekdayAt(wall)]
  if (demand.on !== null && !demand.on.some((day) => day === weekday)) return 0
  return requestsPerHour(model, demand, (wall - midnightOf(wall)) % DAY_MS) * meanBatch(demand.batch)
}

/** Of a population as many as when no customer waited; of a table or a file the mean of all its time. */
function requestsPerHour(model: FleetModel, demand: FleetDemand, msOfDay: number): number {
  const { per_hour: perHour, every, population, replay, pace } = demand
  if (perHour !== null) return atTimeOfDay(perHour, msOfDay)
  if (every !== null) return (HOUR_MS * pace) / meanMsOf(every)
  if (population !== null) return (population.size * HOUR_MS * pace) / meanMsOf(population.thinks)
  const number = model.demand.indexOf(demand)
  if (replay === null || typeof replay === "string")
    return ((model.replayed.get(number)?.length ?? 0) * HOUR_MS * pace) / model.horizon
  const { orders = [], days = null } = model.logs.find((one) => one.demand === number) ?? {}
  const inDays = (days ?? []).reduce((sum, one) => sum + one.orders.length, 0)
  const perMs = days === null ? orders.length / model.horizon : inDays / (days.length * DAY_MS)
  return perMs * HOUR_MS * replay.scale
}
