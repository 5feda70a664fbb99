/** Checks the changes of a model: their time is in the run, what they name exists, and no count falls below what a site needs. */

import type { LocalStart } from "../../../scenario/language/language.ts"
import { adviceFor } from "../../../scenario/language/problems.ts"
import type { Advice, Report } from "../../../scenario/language/problems.ts"
import { counted } from "../../../scenario/language/counted.ts"
import { showDuration } from "../../../scenario/language/shown-duration.ts"
import { SiteClock } from "../../../scenario/language/site-clock.ts"
import type { WrittenMap } from "../../../scenario/language/source.ts"
import { COUNT_MAX, canChange, instantOfChange } from "../changes.ts"
import type { ChangeEffect } from "../changes.ts"
import { checkAtSite } from "./check-counts.ts"
import { isUsed } from "./check-questions.ts"
import { countsAt } from "../counts.ts"
import type { FleetSite, WrittenFleet } from "../model.ts"
import { demandNames } from "../paths/demand-names.ts"
import { spanAt } from "../written-part.ts"

type Tell = (message: string, advice?: Advice) => void

interface Checking {
  readonly root: WrittenMap
  readonly report: Report
  readonly clock: LocalStart
}

export function checkChanges(written: WrittenFleet, { root, report, clock }: Checking): void {
  const { startMs } = new SiteClock(clock)
  const run = { startMs, timeZone: clock.timeZone }
  const counts = new ChangedCounts(written)
  const timed = written.changes
    .map((change, at) => ({ ...change, at, atMs: instantOfChange(change, run) }))
    .toSorted((one, other) => one.atMs - other.atMs)
  for (const { at, atMs, effects } of timed) {
    if (atMs < startMs || atMs >= startMs + written.horizon)
      report(spanAt(root, ["changes", at, "at"]), "the change is outside of the run", {
        help: `orders come for ${showDuration(written.horizon)} from ${clock.local}`,
      })
    for (const [key, effect] of effects) {
      const tell: Tell = (message, advice = {}) => report(spanAt(root, ["changes", at, key]), message, advice)
      checkEffect(effect, { written, tell, counts })
    }
  }
}

interface OfChange {
  readonly written: WrittenFleet
  readonly tell: Tell
  readonly counts: ChangedCounts
}

function checkEffect(effect: ChangeEffect, { written, tell, counts }: OfChange): void {
  switch (effect.is) {
    case "count": {
      const { resource, site, by } = effect
      checkAtSite({ resource, site }, { written, tell })
      if (site === null && !isUsed(resource, written)) tell(`no order of this model needs ${resource}`)
      counts.change(effect, (message, expected) =>
        tell(message, { expected: `${by < 0 ? "at least" : "at most"} ${expected}` }),
      )
      return
    }
    case "demand": {
      const names = demandNames(written.demand)
      if (effect.demand !== null && !names.includes(effect.demand))
        tell(`there is no demand ${JSON.stringify(effect.demand)}`, adviceFor(effect.demand, names))
      return
    }
    case "dispatch":
    case "open_link_fails":
    case "payload_too_heavy":
      if (!isUsed("runners", written))
        tell("no order of this model is a reservation", { help: "leave it out" })
      return
    case "vehicle_dispatch":
      if (!isUsed("vehicles", written))
        tell("no order of this model needs a vehicle", { help: "leave it out" })
      return
    case "breakdowns":
      if ((written.vehicle?.breakdown ?? null) === null)
        tell("no vehicle of this model breaks down", {
          help: "write vehicle: { breakdown: { every: …, repair: … } }, or the breakdown of one vehicle",
        })
      return
    case "breakdown": {
      const names = counts.vehicleNames()
      if (!names.includes(effect.vehicle))
        tell(
          `there is no vehicle ${JSON.stringify(effect.vehicle)} at that time`,
          adviceFor(effect.vehicle, names),
        )
    }
  }
}

/** Of a vehicle by the number of its site, and its own, which begins at 1. */
export function vehicleName(site: number, number: number): string {
  return `veh_${site}_${String(number).padStart(4, "0")}`
}

/** Counts of every site while changes pass, earliest first. */
class ChangedCounts {
  readonly #sites: readonly FleetSite[]
  /** By resource and site: how many more than the model says. */
  readonly #changed = new Map<string, number>()
  /** By site: vehicles that ever came, whose names stay theirs. */
  readonly #vehicles: number[]

  constructor({ sites }: Pick<WrittenFleet, "sites">) {
    this.#sites = sites
    this.#vehicles = sites.map(({ vehicles }) => vehicles)
  }

  change(
    { resource, site, by }: Extract<ChangeEffect, { readonly is: "count" }>,
    tell: (message: string, expected: number) => void,
  ): void {
    for (const [number, one] of this.#sites.entries()) {
      const counts = countsAt(one, resource)
      // Shifts are of one crew, and kitchens have cooks of their own.
      const before =
        resource === "cooks" ? Math.min(...counts) : counts.reduce((sum, count) => sum + count, 0)
      if ((site !== null && one.as !== site) || !canChange(one, resource)) continue
      const key = `${resource} ${number}`
      const now = before + (this.#changed.get(key) ?? 0)
      const least = resource === "cooks" ? 1 : 0
      const has = `${one.as} has ${counted(now, resource.slice(0, -1))} then`
      if (now + by < least) tell(has, least - now)
      else if (now + by > COUNT_MAX[resource]) tell(has, COUNT_MAX[resource] - now)
      else this.#changed.set(key, now + by - before)
      if (resource === "vehicles" && by > 0) this.#vehicles[number] = (this.#vehicles[number] ?? 0) + by
    }
  }

  vehicleNames(): readonly string[] {
    return this.#vehicles.flatMap((count, site) =>
      Array.from({ length: count }, (_, at) => vehicleName(site, at + 1)),
    )
  }
}
