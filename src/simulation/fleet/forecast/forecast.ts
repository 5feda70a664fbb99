/**
 * A forecast: from the present state of a site a fitted or given model goes on many times, and the answer is which promises
 * will break, when, with which probability, and what one more runner or one more vehicle now would change. Pure: time and chance come from
 * its arguments. The caller bounds it by replications and by turns; it stops between two replications.
 */

import { instantsOf, wallClockAt } from "../../../model/values/local-time.ts"
import { SECOND_MS } from "../../../model/values/time.ts"
import type { EpochMs } from "../../../model/values/time.ts"
import type { PersistedGroup } from "../../../engine/kernel/group.ts"
import { digest } from "../../../engine/kernel/hash.ts"
import type { DispatchPolicy } from "../../../model/vehicle-pool.ts"
import { CURB_WAIT_MS, SEED_MAX } from "../../../model/values/limits.ts"
import { shareOf } from "../fit/rates.ts"
import type { Share } from "../fit/rates.ts"
import { medianOf } from "../fit/median.ts"
import { GROUP_BY_PRODUCT, figureNamed, unitOf } from "../language/metrics.ts"
import { partsOf } from "../language/parts.ts"
import type { Part } from "../language/parts.ts"
import type { FleetModel } from "../language/model.ts"
import type { FleetPromise } from "../language/promises.ts"
import { keeps } from "../results/summary.ts"
import { msOfBin } from "../results/observed.ts"
import type { Sample } from "../results/estimates.ts"
import { partSample } from "../results/part-sample.ts"
import { runToItsEnd } from "../world/replication.ts"
import type { Replication } from "../world/replication.ts"
import { STRETCH_MS } from "../world/tally.ts"
import { atTheDoor, stretchOfCount, sumByStretch } from "./at-the-door.ts"
import type { DoorForecast } from "./at-the-door.ts"
import { siteOfMore, variantsOf } from "./one-more.ts"
import type { More } from "./one-more.ts"
import { pickupsOf } from "./pickups.ts"
import type { PickupForecast } from "./pickups.ts"
import type { TermsById } from "./drawn-fleet.ts"
import { modelWith, presentOf, worldFrom } from "./present.ts"
import type { Present } from "./present.ts"

export interface ForecastOptions {
  /** The groups of the site as the service keeps them; those that the model has no place for are counted. */
  readonly groups: readonly PersistedGroup[]
  /** What the rows of the service say of deliveries, by their id. */
  readonly terms?: TermsById
  /** Its promises are those that are forecast; its clock and horizon are replaced. */
  readonly model: FleetModel
  /** The present. */
  readonly atMs: EpochMs
  readonly aheadMs: number
  readonly replications: number
  readonly seed: number
  /** Another choice of vehicles, made on the same seeds; null for none. */
  readonly comparedPolicy?: DispatchPolicy | null
  /** No further replication begins after this many turns of machines. */
  readonly turnsMax: number
  /** Called after each replication, with one more runner or vehicle too; `wanted` is the maximum number of replications. */
  readonly onDone?: (done: Replication, wanted: number) => void
  /** Asked before each replication but the first: none begins after it answered true. */
  readonly isOver?: () => boolean
}

/** A promise of the next hours. */
export interface PromiseForecast {
  readonly promise: FleetPromise
  /** In how many replications it breaks, with a 95 % interval. */
  readonly breaks: Share
  /** The same with one more runner from now on; null when the model has no runners. */
  readonly breaksWithOneMore: Share | null
  /** The change by that runner in pairs of the same seeds: how many replications it saves, and how many it costs. */
  readonly saved: number
  readonly costs: number
  /** The site of that runner; null for the only site. */
  readonly runnerAt: string | null
  /** The same with one more vehicle from now on; null when the model has none. */
  readonly oneMoreVehicle: OneMore | null
  /**
   * Of the replications in which it breaks: the middle one's first quarter of an hour beyond the limit: when
   * the wait began, or when the late order was due that is one too many. Null if neither shows it.
   */
  readonly whenMs: EpochMs | null
  /** Why no time is known, in words; null for a promise whose breach has a time, and for one that never breaks. */
  readonly noTime: string | null
  /** The middle of its figure. */
  readonly median: number | null
}

/** What one more of something changes, in pairs of the same seeds. */
export interface OneMore {
  /** Where it is; null for the only site. */
  readonly site: string | null
  readonly breaks: Share
  readonly saved: number
  readonly costs: number
}

export interface Forecast {
  readonly atMs: EpochMs
  readonly untilMs: EpochMs
  /** How many were made; fewer than asked for when the bound was reached. */
  readonly replications: number
  readonly turns: number
  /** Reservations under way that the forecast goes on with. */
  readonly adopted: number
  /** Deliveries under way, those of booked errands too. */
  readonly deliveries: number
  /** Errands of agents under way, booked or not. */
  readonly errands: number
  /** Vehicles with a place in it: those of the present, or the model's count without any. */
  readonly vehicles: number
  /** Sentences about what the groups and rows do not say, so that it was drawn from the model. */
  readonly drawn: readonly string[]
  readonly leftOut: Readonly<Record<string, number>>
  /** Those that break most often first. */
  readonly promises: readonly PromiseForecast[]
  /** Of reservations. */
  readonly pickups: PickupForecast
  readonly door: { readonly deliveries: DoorForecast; readonly errands: DoorForecast }
}

export function forecast(options: ForecastOptions): Forecast {
  const { groups, atMs, aheadMs, seed, terms = new Map() as TermsById } = options
  const ahead = modelFrom(options.model, { atMs, aheadMs })
  const present = presentOf(groups, ahead)
  const model = modelWith(ahead, present)
  const variants = variantsOf(model, atMs).map((variant) => ({ ...variant, made: [] as Replication[] }))
  const made: Replication[] = []
  const compared = comparedModel(model, options.comparedPolicy ?? null)
  const madeByPolicy: Replication[] = []
  const wanted = (1 + variants.length + (compared === null ? 0 : 1)) * options.replications
  let turns = 0
  const run = (one: FleetModel, at: number): Replication => {
    const own = seedOf({ seed: seed + at, atMs })
    const { world, begin } = worldFrom(one, present, { seed: own, atMs, terms })
    const done = runToItsEnd(world, { seed: own, onProgress: undefined, begin })
    turns += done.turns
    options.onDone?.(done, wanted)
    return done
  }
  const isOver = (): boolean => turns >= options.turnsMax || (made.length > 0 && options.isOver?.() === true)
  for (let at = 0; at < options.replications && !isOver(); at += 1) {
    made.push(run(model, at))
    for (const variant of variants) variant.made.push(run(variant.model, at))
    if (compared !== null) madeByPolicy.push(run(compared, at))
  }
  const variantFor = (more: More, figure: string | null) => {
    const siteNumber = siteOfMore(model, { more, figure, atMs })
    return variants.find((one) => one.more === more && one.siteNumber === siteNumber)
  }
  const madeWith = (more: More): readonly Replication[] => variantFor(more, null)?.made ?? []
  const promises = model.promises.map((promise) => {
    const seenWith = (more: More): MadeWith => {
      const variant = variantFor(more, promise.metric)
      const site = model.sites.length > 1 ? model.sites[variant?.siteNumber ?? -1]?.as : undefined
      return { made: (variant?.made ?? []).map((one) => seenBy(promise, one, model)), site: site ?? null }
    }
    return promiseOf(baseOf(promise), {
      atMs,
      made: made.map((one) => seenBy(promise, one, model)),
      runner: seenWith("runner"),
      vehicle: seenWith("vehicle"),
      promise,
    })
  })
  const { vehicles, trips, errands } = present.fleet
  return {
    atMs,
    untilMs: atMs + aheadMs,
    replications: made.length,
    turns,
    adopted: present.reservations.length,
    deliveries: trips.length,
    errands: errands.length,
    vehicles: model.sites.reduce((sum, site) => sum + site.vehicles, 0),
    drawn: vehicles.length + trips.length + errands.length === 0 ? [] : drawnOf(present, terms),
    leftOut: present.leftOut,
    promises: promises.toSorted((a, b) => b.breaks.value - a.breaks.value),
    pickups: pickupsOf({
      made,
      madeWithMore: madeWith("runner"),
      lateAfterMs: CURB_WAIT_MS,
      stretches: Math.ceil(aheadMs / STRETCH_MS),
    }),
    door: {
      deliveries: atTheDoor("deliveries", { made, madeWithMore: madeWith("vehicle"), madeByPolicy }),
      errands: atTheDoor("errands", { made, madeWithMore: madeWith("vehicle"), madeByPolicy }),
    },
  }
}

function comparedModel(model: FleetModel, policy: DispatchPolicy | null): FleetModel | null {
  return policy === null ? null : { ...model, policy: { ...model.policy, vehicle_dispatch: policy } }
}

/** What the groups and the given rows do not say. */
function drawnOf({ fleet }: Present, terms: TermsById): readonly string[] {
  const { trips, errands } = fleet
  const unknown = trips.filter(({ id }) => !terms.has(id)).length
  return [
    "Places are not read: where vehicles are and where customers live is drawn from the model.",
    ...(unknown === 0
      ? []
      : [
          `Of ${unknown} deliveries under way the quoted times are not known: when they are ready is drawn from the model, and none of them counts as late.`,
        ]),
    ...(errands.length === 0
      ? []
      : [
          "How long agents of errands under way still take, and whether they go on, is drawn from the model.",
        ]),
  ]
}

/** Not the seed itself: the present may be that of a run with it, whose ids must not come again. */
function seedOf({ seed, atMs }: { readonly seed: number; readonly atMs: EpochMs }): number {
  return Number.parseInt(digest(`forecast ${seed} ${atMs}`).slice(0, 12), 16) % SEED_MAX
}

/** The model from now on. Its warm-up is over: what is under way is there. */
export function modelFrom(
  model: FleetModel,
  { atMs, aheadMs }: { readonly atMs: EpochMs; readonly aheadMs: number },
): FleetModel {
  const { timeZone } = model.clock
  const secondMs = Math.floor(atMs / SECOND_MS) * SECOND_MS
  const wall = wallClockAt(secondMs, timeZone)
  const isSecond = instantsOf(wall, timeZone)[1] === secondMs
  const local = new Date(wall).toISOString().slice(0, 19)
  return {
    ...model,
    clock: { local, timeZone, ...(isSecond ? { occurrence: "second" } : {}) },
    horizon: aheadMs,
    warm_up: 0,
    replayed: new Map(),
    logs: [],
    demand: model.demand.filter(({ replay }) => replay === null),
  }
}

/** What a replication says of the part that a promise is about. */
type Seen = Pick<Sample, "figures" | "observed"> & Pick<Replication, "late">

interface MadeWith {
  readonly made: readonly Seen[]
  /** Where one more is; null for the only site. */
  readonly site: string | null
}

interface Made {
  readonly atMs: EpochMs
  readonly made: readonly Seen[]
  readonly runner: MadeWith
  readonly vehicle: MadeWith
  /** As the model has it. */
  readonly promise: FleetPromise
}

/** The promise without the name of its site or demand. */
function baseOf(promise: FleetPromise): FleetPromise {
  return { ...promise, metric: figureNamed(promise.metric).base }
}

/** Of a promise of a site or a demand, what was measured there. */
function seenBy({ metric }: FleetPromise, one: Replication, model: FleetModel): Seen {
  const { part: name } = figureNamed(metric)
  const part = partsOf(model).find((of) => of.kind === name?.kind && of.name === name.name)
  return part === undefined ? one : { ...partSample(one, part), late: lateOf(one, part, model) }
}

/** When the late orders of a site or a demand were due, by group of orders. */
function lateOf(
  { parts, late }: Replication,
  { demandNumbers }: Part,
  model: FleetModel,
): Replication["late"] {
  // A model of one demand at one site.
  if (parts === null) return late
  const groups = new Map<string, readonly (readonly number[])[]>()
  for (const at of demandNumbers) {
    const demand = model.demand[at]
    if (demand === undefined) continue
    const group = GROUP_BY_PRODUCT[demand.product]
    groups.set(group, [...(groups.get(group) ?? []), parts.demands[at]?.late ?? []])
  }
  return Object.fromEntries([...groups].map(([group, all]) => [group, sumByStretch(all)]))
}

/** `base` has the metric without the name of a part. */
function promiseOf(
  base: FleetPromise,
  { atMs, made, runner: withRunner, vehicle, promise }: Made,
): PromiseForecast {
  const broken = made.map((one) => breaks(base, one))
  const oneMore = ({ made: more, site }: MadeWith): OneMore | null => {
    const brokenWithMore = more.map((one) => breaks(base, one))
    const share = shareOf(count(brokenWithMore), brokenWithMore.length)
    if (share === null) return null
    return {
      site,
      breaks: share,
      saved: count(broken.map((one, at) => one && brokenWithMore[at] === false)),
      costs: count(broken.map((one, at) => !one && brokenWithMore[at] === true)),
    }
  }
  const stretches = made.flatMap((one, at) => (broken[at] === true ? (firstBeyond(base, one) ?? []) : []))
  const stretch = medianOf(stretches)
  const runner = oneMore(withRunner)
  return {
    promise,
    breaks: shareOf(count(broken), broken.length) ?? NEVER,
    breaksWithOneMore: runner?.breaks ?? null,
    saved: runner?.saved ?? 0,
    costs: runner?.costs ?? 0,
    runnerAt: runner?.site ?? null,
    oneMoreVehicle: oneMore(vehicle),
    whenMs: stretch === null ? null : atMs + stretch * STRETCH_MS,
    noTime: stretch === null && count(broken) > 0 ? noTimeOf(base) : null,
    median: medianOf(made.flatMap(({ figures }) => figures[base.metric] ?? [])),
  }
}

function count(all: readonly boolean[]): number {
  return all.filter(Boolean).length
}

const NEVER: Share = { value: 0, count: 0, of: 0, interval: { low: 0, high: 1 } }

/** A figure that nothing measured breaks no promise of the next hours. */
function breaks(promise: FleetPromise, { figures }: Seen): boolean {
  const value = figures[promise.metric] ?? null
  return value !== null && !keeps(promise, value)
}

/**
 * The first quarter of an hour in which a wait of the promise's measure began that is beyond its limit, or in which the late order was
 * due that is one too many.
 */
function firstBeyond(promise: FleetPromise, seen: Seen): number | null {
  const { metric, sign, limit } = promise
  if (LATE.test(metric)) return sign.startsWith("<") ? firstTooLate(promise, seen) : null
  const { observed } = seen
  const measure = Object.keys(observed).find((name) => metric.startsWith(`${name}_`))
  const waits = measure === undefined ? undefined : observed[measure]
  if (waits === undefined || unitOf(metric) !== "ms") return null
  const isBeyond = (ms: number): boolean => (sign.startsWith("<") ? ms > limit : ms < limit)
  const at = waits.bin.findIndex((bin) => isBeyond(msOfBin(bin)))
  return at === -1 ? null : (waits.stretch[at] ?? null)
}

/** Late orders of all products or of one: their number, or their share of those that were requested. */
const LATE = /^(\w+)\.late(_share)?$/

/** A share breaks with the late order that makes it too large at the end, because only then all requests are known. */
function firstTooLate(promise: FleetPromise, { figures, late }: Seen): number | null {
  const [, group = "", isShare] = LATE.exec(promise.metric) ?? []
  const counts = group === "orders" ? sumByStretch(Object.values(late)) : (late[group] ?? [])
  const of = isShare === undefined ? 1 : Math.max(1, figures[`${group}.asked`] ?? 0)
  const most = Math.max(1, Math.floor(promise.limit * of))
  const wanted = keeps(promise, most / of) ? most + 1 : most
  return stretchOfCount(counts, wanted)
}

/** Why a promise that breaks has no time. */
function noTimeOf({ metric, sign }: FleetPromise): string {
  if (sign.startsWith(">")) return "what is missing has no time"
  return LATE.test(metric) || unitOf(metric) === "ms"
    ? "no wait and no late order shows when"
    : "it is known of the whole time alone, so it has no time"
}
