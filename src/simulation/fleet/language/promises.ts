/**
 * Promises and stop rules of a fleet model: a bound such as `"< 8m"` for a metric, and how narrow its interval must be.
 */

import { parseDuration } from "../../scenario/language/shapes.ts"
import { adviceFor } from "../../scenario/language/problems.ts"
import { asMap, found } from "../../scenario/language/keys.ts"
import { METRICS, figureNamed } from "./metrics.ts"
import type { Unit } from "./metrics.ts"
import { DURATION_PATTERN } from "../../scenario/language/shapes.ts"
import type { Shape } from "../../scenario/language/shapes.ts"

/** A bound for a metric of a case. */
export interface FleetPromise {
  readonly metric: string
  readonly sign: "<" | "<=" | ">" | ">="
  readonly limit: number
}

/** The half-width of a metric's 95 % interval at which the sampling stops. */
export interface StopRule {
  readonly metric: string
  /** A share of the mean if `isShare`, otherwise in the metric's own unit. */
  readonly halfWidth: number
  readonly isShare: boolean
}

function valueOf(text: string, unit: Unit): number | null {
  const percent = /^(\d+(?:\.\d+)?)%$/.exec(text)?.[1]
  switch (unit) {
    case "ms":
      return parseDuration(text)
    case "share":
      return percent === undefined ? plainNumber(text) : Number(percent) / 100
    case "count":
    case "hours":
    case "money":
      return plainNumber(text)
  }
}

function plainNumber(text: string): number | null {
  return /^\d+(\.\d+)?$/.test(text) ? Number(text) : null
}

const NUMBER = String.raw`\d+(\.\d+)?`

/** The texts that `valueOf` reads. */
const VALUE_PATTERN = {
  ms: DURATION_PATTERN,
  share: `${NUMBER}%?`,
  count: NUMBER,
  hours: NUMBER,
  money: NUMBER,
} as const

const EXAMPLE = { ms: "8m", share: "95%", count: "3", hours: "40", money: "1200" } as const

const UNITS = Object.keys(EXAMPLE) as Unit[]

/** The names of figures of a unit, as a pattern has them. */
function namesOf(unit: Unit): readonly string[] {
  return [...METRICS].flatMap(([name, one]) => (one.unit === unit ? [name.replaceAll(".", "[.]")] : []))
}

function byMetric<T>(
  of: string,
  {
    pattern,
    example,
    make,
  }: {
    readonly pattern: (unit: Unit) => string
    readonly example: (unit: Unit) => string
    readonly make: (metric: string, text: string, unit: Unit) => T | null
  },
): Shape<readonly T[]> {
  const words = `${of}, such as { wait_p95: ${JSON.stringify(example("ms"))} }`
  return {
    words,
    schema: {
      type: "object",
      additionalProperties: false,
      properties: Object.fromEntries(
        [...METRICS].map(([name, { says, unit }]) => [
          name,
          { type: "string", pattern: `^\\s*${pattern(unit)}\\s*$`, description: says },
        ]),
      ),
      patternProperties: Object.fromEntries(
        UNITS.map((unit) => [
          `^(${namesOf(unit).join("|")}) (at|from|of|on) \\S`,
          {
            type: "string",
            pattern: `^\\s*${pattern(unit)}\\s*$`,
            description:
              "the figure at a site, of a demand, on a day or a weekday, or from an hour of the day",
          },
        ]),
      ),
    },
    read: (value, report) => {
      const map = asMap(value, words, report)
      if (map === null) return undefined
      const made: T[] = []
      for (const entry of map.entries) {
        const { base } = figureNamed(entry.key)
        const metric = METRICS.get(base)
        if (metric === undefined) {
          const advice = adviceFor(base, [...METRICS.keys()])
          report(entry.keySpan, `there is no figure ${JSON.stringify(base)}`, advice)
          continue
        }
        const text = entry.value.type === "scalar" ? entry.value.text.trim() : ""
        const one = make(entry.key, text, metric.unit)
        if (one !== null) made.push(one)
        else {
          const expected = `such as ${JSON.stringify(example(metric.unit))}, in quotes`
          report(entry.value.span, `${found(entry.value)} is not right for ${entry.key}`, { expected })
        }
      }
      return made.length === map.entries.length ? made : undefined
    },
  }
}

/** `{ wait_p95: "< 8m", wait_p95 at north: "< 6m" }`. */
export const promises: Shape<readonly FleetPromise[]> = byMetric("figures with their bounds", {
  pattern: (unit) => `(<=|>=|<|>)\\s*${VALUE_PATTERN[unit]}`,
  example: (unit) => `< ${EXAMPLE[unit]}`,
  make: (metric, text, unit) => {
    const [, sign, rest = ""] = /^(<=|>=|<|>)\s*(\S+)$/.exec(text) ?? []
    const limit = sign === undefined ? null : valueOf(rest, unit)
    return limit === null ? null : { metric, sign: sign as FleetPromise["sign"], limit }
  },
})

/** `{ wait_p95: ±5% }`. For a metric that is a share, `±5%` means five percentage points. */
export const stopRules: Shape<readonly StopRule[]> = byMetric("figures with the half-width to reach", {
  pattern: (unit) => {
    const ofMean = unit === "share" ? "" : `|${NUMBER}%`
    return `(±|\\+-)\\s*(?=\\S*[1-9])(${VALUE_PATTERN[unit]}${ofMean})`
  },
  example: (unit) => (unit === "share" ? "±2%" : "±5%"),
  make: (metric, text, unit) => {
    const rest = /^(?:±|\+-)\s*(\S+)$/.exec(text)?.[1]
    if (rest === undefined) return null
    const isShare = rest.endsWith("%") && unit !== "share"
    const halfWidth = isShare ? valueOf(rest, "share") : valueOf(rest, unit)
    return halfWidth === null || halfWidth === 0 ? null : { metric, halfWidth, isShare }
  },
})
