/** Templates of fleet models: a form in plain words each, and the model that it writes, which answers its question at its first run. */

import { DAY_MINUTES, HOUR_MINUTES } from "../../model/values/time.ts"
import type { Draft, Filled, Template, TemplateField } from "../../pages/web/studio/contract.ts"
import { TemplateProblem, clock, draftFrom } from "./template-form.ts"
import type { FormValues, WrittenTemplate } from "./template-form.ts"

interface FleetTemplate extends WrittenTemplate {
  readonly sentences: (values: FormValues) => readonly string[]
}

export function fleetTemplates(): readonly Template[] {
  return TEMPLATES.map(({ id, title, about, fields }) => ({ id, title, about, fields }))
}

/** What a form writes, or the first value that does not fit; null for an unknown template. */
export function fleetDraftOf({ id, values }: Filled): Draft | null {
  const template = TEMPLATES.find((one) => one.id === id)
  if (template === undefined) return null
  return draftFrom(template, values, (form) => [form.plain("title"), ...template.sentences(form)])
}

const ZONE = "America/Chicago"
const PLACE = "[30.4021, -97.7253]"
/** A Monday. */
const DATE = "2026-03-02"

const title = (usual: string): TemplateField => ({
  name: "title",
  label: "What the model is about",
  hint: "The title of the model; its file is named after it.",
  kind: "text",
  usual,
})

const opensAt = (label: string, usual: string): TemplateField => ({
  name: "opens",
  label,
  hint: null,
  kind: "time",
  usual,
})

const hours = (usual: string): TemplateField => ({
  name: "hours",
  label: "and is open for",
  hint: null,
  kind: "number",
  unit: "hours",
  usual,
  min: 2,
  max: 16,
})

const count = (name: string, label: string, usual: string, max = 500): TemplateField => ({
  name,
  label,
  hint: null,
  kind: "number",
  usual,
  min: 1,
  max,
})

const demand = (usual: string, peak: string, at: string): readonly TemplateField[] => [
  count("orders", "Orders an hour", usual),
  count("peak", "Orders in the busiest hour", peak),
  { name: "at", label: "The busiest hour begins at", hint: null, kind: "time", usual: at },
]

/** The hours of a day with one busy hour. */
interface Day {
  readonly opens: number
  readonly closes: number
  readonly orders: number
  readonly peak: number
  readonly at: number
}

function dayOf(values: FormValues): Day {
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

function closingOf(values: FormValues, opens: number): number {
  const longest = Math.floor((DAY_MINUTES - opens) / HOUR_MINUTES)
  const open = values.whole("hours")
  if (open > longest) throw new TemplateProblem("hours", `the day ends at midnight; write at most ${longest}`)
  return opens + open * HOUR_MINUTES
}

/** `{ "11:00": 10, "12:00": 30, "13:00": 10 }`. */
function byHour({ opens, closes, orders, peak, at }: Day): string {
  const rates = [
    ...(at === opens ? [] : [[opens, orders] as const]),
    [at, peak] as const,
    ...(at + HOUR_MINUTES === closes ? [] : [[at + HOUR_MINUTES, orders] as const]),
  ]
  return `{ ${rates.map(([time, rate]) => `"${clock(time)}": ${rate}`).join(", ")} }`
}

function head(
  values: FormValues,
  because: string,
  { opens, closes }: Pick<Day, "closes" | "opens">,
): string[] {
  return [
    `fleet: ${values.text("title")}`,
    `because: ${because}`,
    `clock: ${DATE}T${clock(opens)} ${ZONE}`,
    `horizon: ${(closes - opens) / HOUR_MINUTES}h`,
    "replications: 10",
    "",
    "sites:",
    "  - as: site",
    `    at: ${PLACE}`,
  ]
}

/** Cooks that are not what is full first: each is busy for less than two thirds of the busiest hour. */
function cooksFor(perHour: number, minutes: number): number {
  return Math.ceil((perHour * minutes * 1.5) / HOUR_MINUTES) + 1
}

function daySentences(values: FormValues): readonly string[] {
  const { opens, closes, orders, peak, at } = dayOf(values)
  return [
    `From ${clock(opens)} to ${clock(closes)} there are ${orders} orders an hour, and ${peak} from ${clock(at)} to ${clock(at + HOUR_MINUTES)}.`,
  ]
}

const MADE_TEN_TIMES = "The day is run ten times with other chances, and each figure has its interval."

const runners: FleetTemplate = {
  id: "runners",
  title: "Runners for a busy hour",
  about: "Bots come to the curb; how many runners load them in time?",
  fields: [
    title("Runners for our lunch"),
    opensAt("The site opens at", "11:00"),
    hours("4"),
    ...demand("10", "30", "12:00"),
    count("stalls", "Stalls at the curb", "8", 200),
    { ...count("wait", "95 of 100 bots wait at most", "8", 120), unit: "minutes" },
    { ...count("cost", "An hour of a runner costs", "24", 1000), unit: "USD" },
  ],
  lines: (values) => {
    const day = dayOf(values)
    return [
      ...head(values, "How many runners does the busiest hour need?", day),
      `    stalls: ${values.whole("stalls")}`,
      "    runners: 2",
      `    stores: [{ as: store, preparation: { lognormal: { mean: 8m, sd: 3m } }, cooks: ${cooksFor(day.peak, 8)} }]`,
      "",
      "runner: { walk: { uniform: [40s, 100s] }, load: { normal: { mean: 40s, sd: 8s } } }",
      "bot: { punctuality: { normal: { mean: 1m, sd: 3m } }, no_show: 2% }",
      "",
      "demand:",
      `  - { product: reservation, site: site, per_hour: { by_hour: ${byHour(day)} } }`,
      "",
      `promises: { reservations.wait_p95: "< ${values.whole("wait")}m" }`,
      "find: { least: runners, that_keeps: [reservations.wait_p95] }",
      `costs: { currency: USD, runner_hour: ${values.whole("cost")} }`,
    ]
  },
  sentences: (values) => [
    ...daySentences(values),
    `A site with ${values.whole("stalls")} stalls and one store, whose kitchen takes about 8 minutes and has cooks enough.`,
    "A runner walks for 40 to 100 seconds and loads for about 40. Bots come about a minute late, and 2 of 100 never come.",
    `It finds the fewest runners with which 95 of 100 bots wait less than ${values.whole("wait")} minutes, and what they cost.`,
    MADE_TEN_TIMES,
  ],
}

const vehicles: FleetTemplate = {
  id: "vehicles",
  title: "Vehicles for a busy evening",
  about: "Meals go to the door; how many vehicles bring them in time?",
  fields: [
    title("Vehicles for our evening"),
    opensAt("The store opens at", "17:00"),
    hours("5"),
    ...demand("8", "20", "18:00"),
    { ...count("reach", "Customers live within", "3", 20), unit: "km" },
    { ...count("total", "90 of 100 orders arrive within", "60", 240), unit: "minutes" },
    { ...count("cost", "An hour of a vehicle costs", "9", 1000), unit: "USD" },
  ],
  lines: (values) => {
    const day = dayOf(values)
    return [
      ...head(values, "How many vehicles does the busiest hour need?", day),
      `    reach_km: ${values.whole("reach")}`,
      "    vehicles: 4",
      `    stores: [{ as: store, preparation: { lognormal: { mean: 12m, sd: 4m } }, cooks: ${cooksFor(day.peak, 12)} }]`,
      "",
      "vehicle: { load: { uniform: [30s, 90s] }, drop_off: { lognormal: { mean: 2m, sd: 1m } } }",
      "",
      "demand:",
      `  - { product: delivery, site: site, per_hour: { by_hour: ${byHour(day)} }, ready_in: { uniform: [10m, 20m] } }`,
      "",
      "promises:",
      `  deliveries.total_p90: "< ${values.whole("total")}m"`,
      '  deliveries.declined_share: "< 2%"',
      "find: { least: vehicles, that_keeps: [deliveries.total_p90, deliveries.declined_share] }",
      `costs: { currency: USD, vehicle_hour: ${values.whole("cost")} }`,
    ]
  },
  sentences: (values) => [
    ...daySentences(values),
    `One store, whose meals are ready 10 to 20 minutes after the order; customers live within ${values.whole("reach")} km.`,
    `It finds the fewest vehicles with which 90 of 100 orders arrive within ${values.whole("total")} minutes and at most 2 of 100 are declined, and what they cost.`,
    MADE_TEN_TIMES,
  ],
}

const fullFirst: FleetTemplate = {
  id: "what-is-full-first",
  title: "What is full first",
  about: "Demand doubles every hour: runners, stalls or the kitchen, what has to grow first?",
  fields: [
    title("What is full first at our site"),
    opensAt("The site opens at", "10:00"),
    count("orders", "Orders in the first hour", "5", 100),
    count("runners", "Runners", "5", 200),
    count("stalls", "Stalls at the curb", "8", 200),
    count("cooks", "Cooks", "12", 200),
  ],
  lines: (values) => {
    const opens = values.time("opens")
    const rates = doubledRates(values)
    return [
      ...head(values, "What is full first, and so the next thing to buy?", {
        opens,
        closes: opens + rates.length * HOUR_MINUTES,
      }),
      `    stalls: ${values.whole("stalls")}`,
      `    runners: ${values.whole("runners")}`,
      `    stores: [{ as: store, preparation: { lognormal: { mean: 7m, sd: 2m30s } }, cooks: ${values.whole("cooks")} }]`,
      "",
      "runner: { walk: { uniform: [40s, 100s] } }",
      "bot: { punctuality: { normal: { mean: 1m, sd: 3m } }, patience: 30m }",
      "",
      "demand:",
      `  - { product: reservation, site: site, per_hour: { by_hour: { ${rates.map((rate, hour) => `"${clock(opens + hour * HOUR_MINUTES)}": ${rate}`).join(", ")} } } }`,
    ]
  },
  sentences: (values) => [
    `From ${clock(values.time("opens"))} there are ${doubledRates(values).join(", then ")} orders an hour.`,
    `A site with ${values.whole("runners")} runners, ${values.whole("stalls")} stalls and ${values.whole("cooks")} cooks, who take about 7 minutes for an order.`,
    "It says what is full first, when, and at which demand.",
    MADE_TEN_TIMES,
  ],
}

const shifts: FleetTemplate = {
  id: "shifts",
  title: "Shifts of runners",
  about: "The day has one busy hour; which shifts of runners are the cheapest?",
  fields: [
    title("Shifts for our lunch"),
    opensAt("The site opens at", "11:00"),
    hours("4"),
    ...demand("4", "12", "12:00"),
    { ...count("short", "A short shift has", "2", 8), unit: "hours" },
    { ...count("long", "A long shift has", "4", 12), unit: "hours" },
    { ...count("wait", "90 of 100 bots wait at most", "12", 120), unit: "minutes" },
    { ...count("cost", "An hour of a runner costs", "24", 1000), unit: "USD" },
  ],
  lines: (values) => [
    ...atTheCurb(values, "Which shifts of runners are the cheapest that keep the promise?"),
    `promises: { reservations.wait_p90: "< ${values.whole("wait")}m" }`,
    `find: { roster: runners, shifts: { lengths: [${lengthsOf(values).join(", ")}], starts: each 1h } }`,
    `costs: { currency: USD, runner_hour: ${values.whole("cost")} }`,
  ],
  sentences: (values) => [
    ...daySentences(values),
    AT_THE_CURB,
    `Shifts of ${lengthsOf(values).join(" or ")} begin at whole hours. It finds the cheapest with which 90 of 100 bots wait less than ${values.whole("wait")} minutes, and what an hour more would buy.`,
    MADE_TEN_TIMES,
  ],
}

/** `2h` and `4h`. */
function lengthsOf(values: FormValues): readonly string[] {
  const [short, long] = [values.whole("short"), values.whole("long")]
  if (long <= short) throw new TemplateProblem("long", `it is the longer one; write at least ${short + 1}`)
  return [`${short}h`, `${long}h`]
}

const moreDemand: FleetTemplate = {
  id: "more-demand",
  title: "How much more demand",
  about: "Business grows; how many times today's orders can the runners of a site take?",
  fields: [
    title("Growth of our lunch"),
    opensAt("The site opens at", "11:00"),
    hours("3"),
    ...demand("6", "12", "12:00"),
    count("runners", "Runners", "4", 200),
    { ...count("wait", "90 of 100 bots wait at most", "12", 120), unit: "minutes" },
  ],
  lines: (values) => [
    ...atTheCurb(values, "How many times today's orders can the site take?", values.whole("runners")),
    `promises: { reservations.wait_p90: "< ${values.whole("wait")}m" }`,
    "find: { most: demand }",
  ],
  sentences: (values) => [
    ...daySentences(values),
    AT_THE_CURB,
    `It finds how many times as many orders ${values.whole("runners")} runners can take while 90 of 100 bots wait less than ${values.whole("wait")} minutes, and what gives way first.`,
    MADE_TEN_TIMES,
  ],
}

const AT_THE_CURB =
  "A site with 8 stalls and one store, whose kitchen takes about 8 minutes and has cooks enough. A runner walks for 40 to 100 seconds and loads for about 40."

/** A model without its question. */
function atTheCurb(values: FormValues, because: string, atFirst = 2): readonly string[] {
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

const DOUBLINGS = 5

function doubledRates(values: FormValues): readonly number[] {
  return Array.from({ length: DOUBLINGS }, (_, hour) => values.whole("orders") * 2 ** hour)
}

const TEMPLATES: readonly FleetTemplate[] = [runners, vehicles, shifts, moreDemand, fullFirst]
