/** How the model describes durations: a duration, a distribution of durations, or either of them by hour of the day. */

import type { Report } from "../../scenario/language/problems.ts"
import { adviceFor } from "../../scenario/language/problems.ts"
import type { Written } from "../../scenario/language/source.ts"
import { DRAWN_VALUES_MAX } from "../../../model/values/limits.ts"
import { HOUR_MS, MINUTE_MS } from "../../../model/values/time.ts"
import {
  DURATION_PATTERN,
  duration,
  either,
  listOf,
  mapped,
  named,
  number,
  record,
  required,
  saying,
} from "../../scenario/language/shapes.ts"
import type { Shape } from "../../scenario/language/shapes.ts"

/** A distribution of durations; milliseconds. */
export type Spread =
  | { readonly is: "constant"; readonly ms: number }
  | { readonly is: "exponential"; readonly meanMs: number }
  | { readonly is: "uniform"; readonly fromMs: number; readonly toMs: number }
  | { readonly is: "normal" | "lognormal" | "gamma"; readonly meanMs: number; readonly sdMs: number }
  | { readonly is: "weibull"; readonly shape: number; readonly scaleMs: number }
  | { readonly is: "triangular"; readonly fromMs: number; readonly modeMs: number; readonly toMs: number }
  | { readonly is: "drawn"; readonly valuesMs: readonly number[] }
  /** Shares of all durations that are at most so long, from 0 to 1, with straight lines between. */
  | { readonly is: "quantiles"; readonly points: readonly { readonly share: number; readonly ms: number }[] }

/** A value that changes with the local hour: each applies from its time of day on, the last one past midnight. */
export interface Hourly<T> {
  readonly steps: readonly { readonly fromMsOfDay: number; readonly value: T }[]
}

export function always<T>(value: T): Hourly<T> {
  return { steps: [{ fromMsOfDay: 0, value }] }
}

/** The value at a time of day. */
export function atTimeOfDay<T>({ steps }: Hourly<T>, msOfDay: number): T {
  let held = steps.at(-1)
  for (const step of steps) if (step.fromMsOfDay <= msOfDay) held = step
  return (held as { readonly value: T }).value
}

/** The mean; of a Weibull distribution its scale, which is near it. */
export function meanMsOf(of: Spread): number {
  switch (of.is) {
    case "constant":
      return of.ms
    case "exponential":
    case "normal":
    case "lognormal":
    case "gamma":
      return of.meanMs
    case "uniform":
      return (of.fromMs + of.toMs) / 2
    case "triangular":
      return (of.fromMs + of.modeMs + of.toMs) / 3
    case "weibull":
      return of.scaleMs
    case "drawn":
      return of.valuesMs.reduce((sum, ms) => sum + ms, 0) / of.valuesMs.length
    case "quantiles":
      return of.points.reduce((sum, { share, ms }, at) => {
        const before = of.points[at - 1]
        return before === undefined ? sum : sum + (share - before.share) * ((ms + before.ms) / 2)
      }, 0)
  }
}

/** The same distribution with every duration times a factor. */
export function scaled(of: Spread, factor: number): Spread {
  switch (of.is) {
    case "constant":
      return { ...of, ms: of.ms * factor }
    case "exponential":
      return { ...of, meanMs: of.meanMs * factor }
    case "uniform":
      return { ...of, fromMs: of.fromMs * factor, toMs: of.toMs * factor }
    case "normal":
    case "lognormal":
    case "gamma":
      return { ...of, meanMs: of.meanMs * factor, sdMs: of.sdMs * factor }
    case "weibull":
      return { ...of, scaleMs: of.scaleMs * factor }
    case "triangular":
      return { ...of, fromMs: of.fromMs * factor, modeMs: of.modeMs * factor, toMs: of.toMs * factor }
    case "drawn":
      return { ...of, valuesMs: of.valuesMs.map((ms) => ms * factor) }
    case "quantiles":
      return { ...of, points: of.points.map(({ share, ms }) => ({ share, ms: ms * factor })) }
  }
}

/** Bounds of the shape of a Weibull distribution. */
export const WEIBULL_SHAPE = { min: 0.1, max: 20 } as const

/** Distributions by their words. */
export const FORMS = [
  "exponential",
  "uniform",
  "triangular",
  "normal",
  "lognormal",
  "gamma",
  "weibull",
  "drawn_from",
  "quantiles",
] as const

function formShapes(isSigned: boolean): { readonly [form in (typeof FORMS)[number]]: Shape<Spread> } {
  const ms = duration({ isSigned })
  const positive = saying(
    mapped(duration(), (value, refuse) =>
      value > 0 ? value : refuse("0 is too short", "a duration longer than 0"),
    ),
    { pattern: `^(?=.*[1-9])${DURATION_PATTERN}$` },
  )
  const meanAndSd = (is: "normal" | "lognormal" | "gamma", mean: Shape<number>): Shape<Spread> =>
    mapped(
      record(`keys of ${is}`, {
        mean: required("the mean", mean),
        sd: required("the standard deviation", positive),
      }),
      (read) => ({ is, meanMs: read.mean, sdMs: read.sd }),
    )
  return {
    exponential: mapped(
      record("keys of exponential", { mean: required("the mean", positive) }),
      ({ mean }): Spread => ({ is: "exponential", meanMs: mean }),
    ),
    uniform: mapped(listOf("durations [from, to]", ms, { min: 2, max: 2 }), ([from = 0, to = 0], refuse) =>
      from <= to
        ? ({ is: "uniform", fromMs: from, toMs: to } as const)
        : refuse("the second is the shorter one"),
    ),
    normal: meanAndSd("normal", ms),
    lognormal: meanAndSd("lognormal", positive),
    gamma: meanAndSd("gamma", positive),
    weibull: mapped(
      record("keys of weibull", {
        shape: required("the shape", number("a number", WEIBULL_SHAPE)),
        scale: required("the scale", positive),
      }),
      ({ shape, scale }): Spread => ({ is: "weibull", shape, scaleMs: scale }),
    ),
    triangular: mapped(
      listOf("durations [least, most frequent, most]", ms, { min: 3, max: 3 }),
      ([from = 0, mode = 0, to = 0], refuse) =>
        from <= mode && mode <= to
          ? ({ is: "triangular", fromMs: from, modeMs: mode, toMs: to } as const)
          : refuse("not in order", "the least, the most frequent and the most"),
    ),
    quantiles: quantilesShape(ms),
    drawn_from: mapped(listOf("durations", ms, { min: 1, max: DRAWN_VALUES_MAX }), (valuesMs): Spread => ({
      is: "drawn",
      valuesMs,
    })),
  }
}

/** `{ 0%: 1m, 50%: 4m, 95%: 9m, 100%: 20m }`: half of all durations are at most 4m. */
function quantilesShape(ms: Shape<number>): Shape<Spread> {
  const expected = "shares such as 0%: 1m, 50%: 4m, 100%: 20m, whose durations do not fall"
  return mapped(
    saying(named("shares", ms), { propertyNames: { pattern: QUANTILE.source }, minProperties: 2 }),
    (written, refuse): Spread | undefined => {
      const points = [...written]
        .map(([key, value]) => ({ share: Number(QUANTILE.exec(key)?.[1] ?? Number.NaN) / 100, ms: value }))
        .toSorted((a, b) => a.share - b.share)
      const isRising = points.every((point, at) => at === 0 || point.ms >= (points[at - 1]?.ms ?? 0))
      if (points.some(({ share }) => !(share <= 1))) return refuse("a share that is none", expected)
      if (points[0]?.share !== 0 || points.at(-1)?.share !== 1) return refuse("not from 0% to 100%", expected)
      return isRising ? { is: "quantiles", points } : refuse("a longer duration at a smaller share", expected)
    },
  )
}

const QUANTILE = /^\s*(\d{1,3}(?:\.\d+)?)\s*%\s*$/

function spreadShape(isSigned: boolean): Shape<Spread> {
  const constant = mapped(duration({ isSigned }), (ms): Spread => ({ is: "constant", ms }))
  const forms = formShapes(isSigned)
  const words = `${constant.words}, or one of ${FORMS.join(", ")}`
  const read = (value: Written, report: Report): Spread | undefined => {
    if (value.type !== "map") return constant.read(value, report)
    const [entry, ...more] = value.entries
    if (entry === undefined || more.length > 0) {
      report(value.span, `${value.entries.length} keys of a distribution`, { expected: words })
      return undefined
    }
    const form = FORMS.find((one) => one === entry.key)
    if (form !== undefined) return forms[form].read(entry.value, report)
    report(entry.keySpan, `unknown distribution ${JSON.stringify(entry.key)}`, adviceFor(entry.key, FORMS))
    return undefined
  }
  const ofForm = FORMS.map((form) => ({
    type: "object",
    additionalProperties: false,
    required: [form],
    properties: { [form]: forms[form].schema },
  }))
  return { words, read, schema: { anyOf: [constant.schema, ...ofForm] } }
}

const unsigned = spreadShape(false)
const signed = spreadShape(true)

/** Defined once in the schema and referenced wherever a duration is expected. */
export const SPREAD_DEFINITIONS = { spread: unsigned.schema, signed_spread: signed.schema }

/** A duration or a distribution of durations. */
export const spread: Shape<Spread> = { ...unsigned, schema: { $ref: "#/$defs/spread" } }

/** The same relative to an instant; a negative value lies before it. */
export const signedSpread: Shape<Spread> = { ...signed, schema: { $ref: "#/$defs/signed_spread" } }

export const TIME_OF_DAY = /^([01]\d|2[0-3]):([0-5]\d)$/

/** The same, and `24:00`: the end of a span of the day that ends at midnight. */
export const END_TIME_OF_DAY = /^(([01]\d|2[0-3]):[0-5]\d|24:00)$/

/** `11:30` as milliseconds since local midnight; null for any other text. */
export function timeOfDay(text: string): number | null {
  const match = TIME_OF_DAY.exec(text)
  return match === null ? null : Number(match[1]) * HOUR_MS + Number(match[2]) * MINUTE_MS
}

/** `11:30` of milliseconds since local midnight. */
export function timeOfDayText(ms: number): string {
  const [hours, minutes] = [Math.floor(ms / HOUR_MS), Math.floor((ms % HOUR_MS) / MINUTE_MS)]
  return `${String(hours).padStart(2, "0")}:${String(minutes).padStart(2, "0")}`
}

/** Times a speed. */
export const speedFactor = number("a factor such as 0.7", { min: 0.05, max: 5 })

/** Either one value, or `by_hour` with times of day as keys. */
export function hourly<T>(shape: Shape<T>): Shape<Hourly<T>> {
  const byHour = mapped(
    record("keys of a value by the hour", {
      by_hour: required(
        "times of day, each with the value from then on",
        saying(named("times of day", shape), {
          minProperties: 1,
          propertyNames: { pattern: TIME_OF_DAY.source },
        }),
      ),
    }),
    ({ by_hour }, refuse) => {
      const steps = [...by_hour].map(([key, value]) => ({ fromMsOfDay: timeOfDay(key), value }))
      const wrong = [...by_hour.keys()].find((key) => timeOfDay(key) === null)
      if (wrong !== undefined) return refuse(`${JSON.stringify(wrong)} is no time of day`, "such as 07:00")
      if (steps.length === 0) return refuse("no time of day", "at least one, such as 07:00")
      return {
        steps: (steps as { fromMsOfDay: number; value: T }[]).toSorted(
          (a, b) => a.fromMsOfDay - b.fromMsOfDay,
        ),
      }
    },
  )
  const plain = mapped(shape, (value) => always(value))
  const either_ = either(plain, byHour)
  return {
    ...either_,
    read: (value, report) => {
      const isByHour = value.type === "map" && value.entries.some(({ key }) => key === "by_hour")
      return (isByHour ? byHour : plain).read(value, report)
    },
  }
}
