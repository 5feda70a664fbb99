/**
 * Takes out what the model says is out, and brings it back. Work that is under way is finished, unless a vehicle breaks down by chance:
 * that stands where it is.
 *
 * Differs from the street: while the service is out, only new requests are refused. Calls of orders in flight are repeated until they are
 * answered in operation, and are answered at once here. A day after the last order may come, everything is back, whatever the model says:
 * orders that wait for it end in the run.
 */

import { Context } from "effect"
import { CatalogAdmin } from "../../../areas/catalog/catalog-admin.ts"
import type { Chance } from "../chance.ts"
import { vehicleName } from "../language/checks/check-changes.ts"
import { countsAt } from "../language/counts.ts"
import type { Resource } from "../language/metrics.ts"
import { outSpans } from "../language/out.ts"
import type { FleetOut, OutAtTimes, OutByChance, OutEffect } from "../language/out.ts"
import type { Shift } from "../language/shifts.ts"
import { DAY_MS } from "../../../model/values/time.ts"
import type { Deliveries } from "./deliveries.ts"
import { OPERATIONS } from "./fleet-world.ts"
import type { FleetWorld } from "./fleet-world.ts"
import type { Kitchens } from "./kitchens.ts"
import { Repairs } from "./repairs.ts"
import type { Visits } from "./visits.ts"

interface Parts {
  readonly kitchens: Kitchens
  /** Without vehicles there are none. */
  readonly deliveries: Deliveries | undefined
  readonly visits: Visits
}

/** Brings back what was taken out. */
type Back = () => void

export function startOuts(world: FleetWorld, parts: Parts): void {
  const streams = new StreamNames()
  for (const { when, effects } of world.model.out) {
    if (when.is === "chance") startByChance({ when, effects }, { world, parts, streams })
    else
      startAtTimes(when, world, () =>
        [...effects.values()].flatMap((effect) => takeOut(effect, world, parts)),
      )
  }
}

/** Vehicles and cooks of a shift are out for the rest of the day. */
export function startShifts(world: FleetWorld, { kitchens, deliveries }: Omit<Parts, "visits">): void {
  const keep = (shifts: readonly Shift[], takeOutCount: (count: number) => readonly Back[]): void => {
    for (const { count, from, to } of shifts)
      if (from > 0 || to < DAY_MS)
        startAtTimes({ from: { msOfDay: to % DAY_MS }, to: { msOfDay: from } }, world, () =>
          takeOutCount(count),
        )
  }
  for (const [number, site] of world.model.sites.entries()) {
    keep(site.vehicleShifts, (count) => deliveries?.takeOut(number, count) ?? [])
    for (const [store, { cookShifts }] of site.stores.entries())
      keep(cookShifts, (count) => kitchens.takeOutCooksOf(number, store, count))
  }
}

function startAtTimes(
  times: Pick<OutAtTimes, "from" | "to">,
  world: FleetWorld,
  takeOutNow: () => readonly Back[],
): void {
  const { clock, horizon } = world.model
  const run = { startMs: world.startMs, horizonMs: horizon, timeZone: clock.timeZone }
  for (const { fromMs, untilMs } of outSpans(times, run))
    world.at(fromMs, () => {
      const backs = takeOutNow()
      world.after(world.outMs(untilMs - world.nowMs), () => {
        for (const back of backs) back()
      })
    })
}

/** Names of streams by what is out and not by its place in the model; those of the same thing are numbered. */
class StreamNames {
  readonly #counts = new Map<string, number>()

  of(key: string): string {
    const number = (this.#counts.get(key) ?? 0) + 1
    this.#counts.set(key, number)
    return `out/${key}/${number}`
  }
}

interface Chances {
  readonly world: FleetWorld
  readonly parts: Parts
  readonly streams: StreamNames
}

/** One thing that breaks down by itself; `fail` is called with how long it is away. */
interface Unit {
  readonly name: string
  readonly fail: (awayMs: number) => void
}

function startByChance(
  { when, effects }: Pick<FleetOut, "effects"> & { readonly when: OutByChance },
  { world, parts, streams }: Chances,
): void {
  const repairs = new Repairs(world, when.crew)
  for (const [key, effect] of effects) {
    const stream = streams.of(key)
    for (const { name, fail } of unitsOf(effect, world, parts))
      breakAgain({ world, when, repairs, fail, chance: world.chance.of(`${stream}/${name}`) })
  }
}

interface Breaking extends Pick<Unit, "fail"> {
  readonly world: FleetWorld
  readonly when: OutByChance
  readonly repairs: Repairs
  readonly chance: Chance
}

function breakAgain(breaking: Breaking): void {
  const { world, when, repairs, fail, chance } = breaking
  world.after(chance.duration(when.every, "every"), () => {
    if (world.isOver || world.nowMs >= world.allBackMs) return
    const awayMs = world.outMs(repairs.awayMs(chance.duration(when.lasts, "lasts")))
    fail(awayMs)
    world.after(awayMs, () => breakAgain(breaking))
  })
}

function unitsOf(effect: OutEffect, world: FleetWorld, parts: Parts): readonly Unit[] {
  const away = (name: string, one: OutEffect): Unit => ({
    name,
    fail: (awayMs) => {
      const backs = takeOut(one, world, parts)
      world.after(awayMs, () => {
        for (const back of backs) back()
      })
    },
  })
  if (effect.is !== "count") return [away("", effect)]
  return sitesOf(effect, world).flatMap(([number, site]) =>
    Array.from(
      { length: Math.min(effect.count, thereAre(effect.resource, number, world)) },
      (_, at): Unit => {
        const id = vehicleName(number, at + 1)
        return effect.resource === "vehicles"
          ? { name: id, fail: (awayMs) => parts.deliveries?.breakDown(id, awayMs) }
          : away(`${number}/${at + 1}`, { ...effect, site, count: 1 })
      },
    ),
  )
}

/** Of cooks those of the largest kitchen. */
function thereAre(resource: Resource, siteNumber: number, { model }: FleetWorld): number {
  const site = model.sites[siteNumber]
  if (site === undefined) return 0
  if (resource === "cooks") return Math.max(0, ...site.stores.map(({ cooks }) => cooks ?? 0))
  return countsAt(site, resource).reduce((sum, count) => sum + count, 0)
}

function sitesOf(
  { site }: Extract<OutEffect, { readonly is: "count" }>,
  { model }: FleetWorld,
): readonly (readonly [number: number, name: string])[] {
  return model.sites.flatMap(({ as }, number) =>
    site === null || site === as ? [[number, as] as const] : [],
  )
}

function takeOut(effect: OutEffect, world: FleetWorld, parts: Parts): readonly Back[] {
  switch (effect.is) {
    case "service":
      world.rules.serviceOuts += 1
      return [() => (world.rules.serviceOuts -= 1)]
    case "street":
      return [world.takeStreetOut(effect.street)]
    case "kitchen":
      return parts.kitchens.close(effect.store)
    case "count":
      return sitesOf(effect, world).flatMap(([number]) => countOut(effect, number, { world, ...parts }))
  }
}

function countOut(
  { resource, count }: Extract<OutEffect, { readonly is: "count" }>,
  siteNumber: number,
  { world, kitchens, deliveries, visits }: Parts & { readonly world: FleetWorld },
): readonly Back[] {
  switch (resource) {
    case "runners":
      return visits.takeOutRunners(siteNumber, count)
    case "cooks":
      return kitchens.takeOutCooks(siteNumber, count)
    case "vehicles":
      return deliveries?.takeOut(siteNumber, count) ?? []
    case "stalls":
      return stallsOut(world, siteNumber, count)
  }
}

/** The last ones. Operations take them out of the catalog, so that no new window is on them; a bot that has one waits for it. */
function stallsOut(world: FleetWorld, siteNumber: number, count: number): readonly Back[] {
  const { stalls } = Context.unsafeGet(world.service.runtime.context, CatalogAdmin)
  const curb = world.curbs[siteNumber]
  const setActive = (stallId: string, isActive: boolean): void =>
    world.call(stalls.change(OPERATIONS.environment, stallId, { isActive }))
  return (curb?.lastOnes(count) ?? []).map((place): Back => {
    const stallId = `stall_${siteNumber}_${place + 1}`
    const back = curb?.takeOut(place)
    setActive(stallId, false)
    return () => {
      back?.()
      setActive(stallId, true)
    }
  })
}
