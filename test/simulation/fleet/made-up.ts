/** Replications that no service made: searches, comparisons and answers are tested on queues whose figures are known. */

import { METRICS } from "../../../src/simulation/fleet/language/metrics.ts"
import type { FleetModel } from "../../../src/simulation/fleet/language/model.ts"
import { observed } from "../../../src/simulation/fleet/results/observed.ts"
import { spreadOf } from "../../../src/simulation/fleet/results/spread-figures.ts"
import type { Replication } from "../../../src/simulation/fleet/world/replication.ts"
import { CLOCK, fleetModel } from "./models.ts"

/** A replication with these waits of reservations, in seconds, and figures. */
export function madeUp(
  seed: number,
  waitsS: readonly number[],
  figures: Readonly<Record<string, number>> = {},
): Replication {
  const ms = waitsS.map((wait) => Math.round(wait * 1000))
  const spread = spreadOf(ms)
  const waits = { wait: spread, "reservations.wait": spread }
  const seen = observed(ms, (at) => Math.floor((at * 16) / Math.max(1, ms.length)))
  const own = Object.fromEntries(
    Object.keys(waits).flatMap((measure) => [
      [`${measure}_mean`, spread.mean],
      [`${measure}_p90`, spread.p90],
      [`${measure}_p95`, spread.p95],
      [`${measure}_max`, spread.max],
    ]),
  )
  return {
    seed,
    digest: `digest-${seed}`,
    virtualMs: 3_600_000,
    turns: 10,
    refusals: 0,
    figures: { ...Object.fromEntries([...METRICS.keys()].map((name) => [name, null])), ...own, ...figures },
    durations: waits,
    observed: { wait: seen, "reservations.wait": seen },
    counts: {},
    series: {},
    late: {},
    byRequest: {},
    course: null,
    parts: null,
  }
}

/** A model of one site, with more words. */
export function site(
  more: string,
  counts: { readonly runners?: number; readonly stalls?: number; readonly horizon?: string } = {},
): FleetModel {
  return fleetModel(siteText(more, counts))
}

/** The text of that model. */
export function siteText(more: string, { runners = 4, stalls = 8, horizon = "4h" } = {}): string {
  return `
fleet: A made-up site
because: Its figures are known.
clock: ${CLOCK}
horizon: ${horizon}
replications: 10
sites: [{ as: curb, at: [30.4, -97.7], stalls: ${stalls}, runners: ${runners}, stores: [{ as: store, preparation: 5m }] }]
runner: { walk: 1m, load: 30s }
demand: [{ product: reservation, site: curb, per_hour: 20 }]
${more}
`
}

/** How many of a count the site of a model has. */
export function countOf({ sites }: FleetModel, knob: "runners" | "stalls"): number {
  const [one] = sites
  return knob === "runners" ? (one?.runners[0]?.count ?? 0) : (one?.stalls ?? 0)
}
