/** Templates of fleet models: a form in plain words each, and the model that it writes, which answers its question at its first run. */

import { HOUR_MINUTES } from "../../model/values/time.ts"
import type { Draft, Filled, Template } from "../../pages/web/studio/contract.ts"
import { log, out, travel, worstDay } from "./day-templates.ts"
import {
  AT_THE_CURB,
  MADE_TEN_TIMES,
  atTheCurb,
  byHour,
  cooksFor,
  count,
  dayOf,
  daySentences,
  demand,
  head,
  hours,
  opensAt,
  title,
} from "./fleet-template-parts.ts"
import type { FleetTemplate } from "./fleet-template-parts.ts"
import { cookShifts, runnerShifts, vehicleShifts } from "./shift-templates.ts"
import { clock, draftFrom } from "./template-form.ts"
import type { FormValues } from "./template-form.ts"

export function fleetTemplates(): readonly Template[] {
  return TEMPLATES.map((one) => ({ id: one.id, title: one.title, about: one.about, fields: one.fields }))
}

/** What a form writes, or the first value that does not fit; null for an unknown template. */
export function fleetDraftOf({ id, values }: Filled): Draft | null {
  const template = TEMPLATES.find((one) => one.id === id)
  if (template === undefined) return null
  return draftFrom(template, values, (form) => [form.plain("title"), ...template.sentences(form)])
}

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

const DOUBLINGS = 5

function doubledRates(values: FormValues): readonly number[] {
  return Array.from({ length: DOUBLINGS }, (_, hour) => values.whole("orders") * 2 ** hour)
}

const TEMPLATES: readonly FleetTemplate[] = [
  runners,
  vehicles,
  runnerShifts,
  vehicleShifts,
  cookShifts,
  moreDemand,
  worstDay,
  out,
  log,
  travel,
  fullFirst,
]
