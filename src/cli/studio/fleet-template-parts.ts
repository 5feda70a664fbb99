/** What templates of fleet models share: their fields, the day that these describe, and the beginning of a model. */

import { DAY_MINUTES, HOUR_MINUTES } from "../../model/values/time.ts"
import type { TemplateField } from "../../pages/web/studio/contract.ts"
import { TemplateProblem, clock } from "./template-form.ts"
import type { FormValues, WrittenTemplate } from "./template-form.ts"

export interface FleetTemplate extends WrittenTemplate {
  readonly sentences: (values: FormValues) => readonly string[]
}

const ZONE = "America/Chicago"
const PLACE = "[30.4021, -97.7253]"
/** A Monday. */
const DATE = "2026-03-02"

export const title = (usual: string): TemplateField => ({
  name: "title",
  label: "What the model is about",
  hint: "The title of the model; its file is named after it.",
  kind: "text",
  usual,
})

export const opensAt = (label: string, usual: string): TemplateField => ({
  name: "opens",
  label,
  hint: null,
  kind: "time",
  usual,
})

export const hours = (usual: string): TemplateField => ({
  name: "hours",
  label: "and is open for",
  hint: null,
  kind: "number",
  unit: "hours",
  usual,
  min: 2,
  max: 16,
})

export const count = (name: string, label: string, usual: string, max = 500): TemplateField => ({
  name,
  label,
  hint: null,
  kind: "number",
  usual,
  min: 1,
  max,
})

export const demand = (usual: string, peak: string, at: string): readonly TemplateField[] => [
  count("orders", "Orders an hour", usual),
  count("peak", "Orders in the busiest hour", peak),
  { name: "at", label: "The busiest hour begins at", hint: null, kind: "time", usual: at },
]

/** The hours of a day with one busy hour. */
export interface Day {
  readonly opens: number
  readonly closes: number
  readonly orders: number
  readonly peak: number
  readonly at: number
}

export function dayOf(values: FormValues): Day {
  const [opens, orders, peak, at] = [
    values.time("opens"),
    values.whole("orders"),
    values.whole("peak"),
    values.time("at"),
  ]
  const closes = closingOf(values, opens)
  if (at < opens || at + HOUR_MINUTES > closes)
    throw new TemplateProblem(
      "at",
      `the hour is within ${clock(opens)} to ${clock(closes)}; write at most ${clock(closes - HOUR_MINUTES)}`,
    )
  if (peak < orders) throw new TemplateProblem("peak", `it is the busiest hour; write at least ${orders}`)
  return { opens, closes, orders, peak, at }
}

export function closingOf(values: FormValues, opens: number): number {
  const longest = Math.floor((DAY_MINUTES - opens) / HOUR_MINUTES)
  const open = values.whole("hours")
  if (open > longest) throw new TemplateProblem("hours", `the day ends at midnight; write at most ${longest}`)
  return opens + open * HOUR_MINUTES
}

/** `{ "11:00": 10, "12:00": 30, "13:00": 10 }`. */
export function byHour({ opens, closes, orders, peak, at }: Day): string {
  const rates = [
    ...(at === opens ? [] : [[opens, orders] as const]),
    [at, peak] as const,
    ...(at + HOUR_MINUTES === closes ? [] : [[at + HOUR_MINUTES, orders] as const]),
  ]
  return `{ ${rates.map(([time, rate]) => `"${clock(time)}": ${rate}`).join(", ")} }`
}

interface Head extends Pick<Day, "closes" | "opens"> {
  readonly days?: number
  readonly date?: string
  readonly place?: string
}

export function head(
  values: FormValues,
  because: string,
  { opens, closes, days = 1, date = DATE, place = PLACE }: Head,
): string[] {
  const more = days === 1 ? "" : `${days - 1}d`
  return [
    `fleet: ${values.text("title")}`,
    `because: ${because}`,
    `clock: ${date}T${clock(opens)} ${ZONE}`,
    `horizon: ${more}${(closes - opens) / HOUR_MINUTES}h`,
    "replications: 10",
    "",
    "sites:",
    "  - as: site",
    `    at: ${place}`,
  ]
}

/** Cooks that are not what is full first: each is busy for less than two thirds of the busiest hour. */
export function cooksFor(perHour: number, minutes: number): number {
  return Math.ceil((perHour * minutes * 1.5) / HOUR_MINUTES) + 1
}

export function daySentences(values: FormValues): readonly string[] {
  const { opens, closes, orders, peak, at } = dayOf(values)
  return [
    `From ${clock(opens)} to ${clock(closes)} there are ${orders} orders an hour, and ${peak} from ${clock(at)} to ${clock(at + HOUR_MINUTES)}.`,
  ]
}

export const MADE_TEN_TIMES = "The day is run ten times with other chances, and each figure has its interval."

export const AT_THE_CURB =
  "A site with 8 stalls and one store, whose kitchen takes about 8 minutes and has cooks enough. A runner walks for 40 to 100 seconds and loads for about 40."

/** A model without its question. */
export function atTheCurb(values: FormValues, because: string, atFirst = 2): readonly string[] {
  const day = dayOf(values)
  return [
    ...head(values, because, day),
    "    stalls: 8",
    `    runners: ${atFirst}`,
    `    stores: [{ as: store, preparation: { lognormal: { mean: 8m, sd: 3m } }, cooks: ${cooksFor(day.peak, 8)} }]`,
    "",
    "runner: { walk: { uniform: [40s, 100s] }, load: { normal: { mean: 40s, sd: 8s } } }",
    "",
    "demand:",
    `  - { product: reservation, site: site, per_hour: { by_hour: ${byHour(day)} } }`,
    "",
  ]
}
