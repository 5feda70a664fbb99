/**
 * Normal durations whose values below 0 are cut. A draw below 0 counts as 0, so with a large standard deviation the
 * mean is greater than the one that the model says.
 */

import { MINUTE_MS, SECOND_MS } from "../../../model/values/time.ts"
import { showDuration } from "../../scenario/language/shown-duration.ts"
import type { FleetModel } from "./model.ts"
import { timeOfDayText } from "./spread.ts"
import type { Hourly, Spread } from "./spread.ts"

type NormalSpread = Extract<Spread, { readonly is: "normal" | "lognormal" | "gamma" }>

/** Durations relative to an instant: values below 0 lie before it, and none is cut. */
const SIGNED: ReadonlySet<string> = new Set(["punctuality"])

/** A mean that is so much greater than the written one is worth a word. */
const SHARE_MIN = 0.01

export interface CutNormal {
  /** Keys and list indexes in the model's text. */
  readonly path: readonly (number | string)[]
  /** `sites.corner.stores.lunchbox.preparation`. */
  readonly name: string
  readonly spread: NormalSpread
  /** The mean of what is drawn. */
  readonly meanMs: number
}

/** Every normal duration of a model whose mean is another one than written. */
export function cutNormals({ sites, runner, vehicle, bot, demand }: FleetModel): readonly CutNormal[] {
  const found: CutNormal[] = []
  const walk = (part: unknown, at: Pick<CutNormal, "name" | "path">): void => {
    if (typeof part !== "object" || part === null) return
    const meanMs = "is" in part ? cutMeanMs(part as Spread, String(at.path.at(-1))) : null
    if (meanMs !== null) found.push({ ...at, spread: part as NormalSpread, meanMs })
    for (const { value, path, name } of partsOf(part)) {
      walk(value, {
        path: [...at.path, ...path],
        name: [at.name, name].filter((one) => one !== "").join("."),
      })
    }
  }
  walk({ sites, runner, vehicle, bot, demand }, { path: [], name: "" })
  return found
}

/** `sites.corner.stores.lunchbox.preparation: a normal of mean 7m and sd 7m …`. */
export function cutNormalText({ name, spread: { meanMs: written, sdMs }, meanMs }: CutNormal): string {
  return `${name}: of a normal with mean ${showDuration(written)} and sd ${showDuration(sdMs)} the values below 0 count as 0, so the mean is ${cutMeanText(meanMs)}. A lognormal or gamma keeps the mean.`
}

/** To the second, and below a minute to the millisecond. */
export function cutMeanText(ms: number): string {
  return showDuration(ms < MINUTE_MS ? Math.round(ms) : Math.round(ms / SECOND_MS) * SECOND_MS)
}

/** The mean of a normal duration without values below 0; null where it is, but for one part in a hundred, the written one. */
export function cutMeanMs(spread: Spread, key: string): number | null {
  if (spread.is !== "normal" || SIGNED.has(key)) return null
  const { meanMs, sdMs } = spread
  const at = meanMs / sdMs
  const density = Math.exp((-at * at) / 2) / Math.sqrt(2 * Math.PI)
  const cutMs = meanMs * shareUpTo(at) + sdMs * density
  return cutMs - meanMs > SHARE_MIN * meanMs ? cutMs : null
}

/**
 * The standard normal distribution function, to seven digits. Source: M. Abramowitz and I. A. Stegun, Handbook of
 * Mathematical Functions (1964) 26.2.17.
 */
function shareUpTo(at: number): number {
  if (at < 0) return 1 - shareUpTo(-at)
  const t = 1 / (1 + 0.2316419 * at)
  const powers = [0.31938153, -0.356563782, 1.781477937, -1.821255978, 1.330274429]
  const sum = powers.reduce((part, factor, power) => part + factor * t ** (power + 1), 0)
  return 1 - (Math.exp((-at * at) / 2) / Math.sqrt(2 * Math.PI)) * sum
}

interface Part extends Pick<CutNormal, "name" | "path"> {
  readonly value: unknown
}

function partsOf(part: object): readonly Part[] {
  if (Array.isArray(part)) return part.map((value, at) => ({ value, path: [at], name: named(value, at) }))
  if (!("steps" in part))
    return Object.entries(part).map(([key, value]) => ({ value, path: [key], name: key }))
  const steps = (part as Hourly<unknown>).steps
  // A value that is not by the hour is one step, and its own in the text.
  if (steps.length === 1) return steps.map(({ value }) => ({ value, path: [], name: "" }))
  return steps.map(({ fromMsOfDay, value }) => {
    const time = timeOfDayText(fromMsOfDay)
    return { value, path: ["by_hour", time], name: time }
  })
}

/** Sites, stores and demands have the name that the model gives them; without a name their number. */
function named(part: unknown, at: number): string {
  const name = typeof part === "object" && part !== null && "as" in part ? part.as : null
  return typeof name === "string" ? name : String(at + 1)
}
