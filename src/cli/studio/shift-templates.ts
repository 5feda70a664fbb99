/** Templates of fleet models that look for the cheapest shifts of runners, vehicles or cooks. */

import type { TemplateField } from "../../pages/web/studio/contract.ts"
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
import { TemplateProblem } from "./template-form.ts"
import type { FormValues } from "./template-form.ts"

const lengths = (short: string, long: string): readonly TemplateField[] => [
  { ...count("short", "A short shift has", short, 8), unit: "hours" },
  { ...count("long", "A long shift has", long, 12), unit: "hours" },
]

/** `2h` and `4h`. */
function lengthsOf(values: FormValues): readonly string[] {
  const [short, long] = [values.whole("short"), values.whole("long")]
  if (long <= short) throw new TemplateProblem("long", `it is the longer one; write at least ${short + 1}`)
  return [`${short}h`, `${long}h`]
}

/** The search, and the price of an hour of one. */
function rosterLines(values: FormValues, of: "cook" | "runner" | "vehicle"): readonly string[] {
  return [
    `find: { roster: ${of}s, shifts: { lengths: [${lengthsOf(values).join(", ")}], starts: each 1h } }`,
    `costs: { currency: USD, ${of}_hour: ${values.whole("cost")} }`,
  ]
}

function rosterSentence(values: FormValues, keeps: string): string {
  return `Shifts of ${lengthsOf(values).join(" or ")} begin at whole hours. It finds the cheapest with which ${keeps}, and what an hour more would buy.`
}

export const runnerShifts: FleetTemplate = {
  id: "shifts",
  title: "Shifts of runners",
  about: "The day has one busy hour; which shifts of runners are the cheapest?",
  fields: [
    title("Shifts for our lunch"),
    opensAt("The site opens at", "11:00"),
    hours("4"),
    ...demand("4", "12", "12:00"),
    ...lengths("2", "4"),
    { ...count("wait", "90 of 100 bots wait at most", "12", 120), unit: "minutes" },
    { ...count("cost", "An hour of a runner costs", "24", 1000), unit: "USD" },
  ],
  lines: (values) => [
    ...atTheCurb(values, "Which shifts of runners are the cheapest that keep the promise?"),
    `promises: { reservations.wait_p90: "< ${values.whole("wait")}m" }`,
    ...rosterLines(values, "runner"),
  ],
  sentences: (values) => [
    ...daySentences(values),
    AT_THE_CURB,
    rosterSentence(values, `90 of 100 bots wait less than ${values.whole("wait")} minutes`),
    MADE_TEN_TIMES,
  ],
}

export const vehicleShifts: FleetTemplate = {
  id: "vehicle-shifts",
  title: "Shifts of vehicles",
  about: "Meals go to the door; when are how many vehicles needed?",
  fields: [
    title("Vehicles by the hour"),
    opensAt("The store opens at", "16:00"),
    hours("6"),
    ...demand("6", "15", "18:00"),
    ...lengths("2", "4"),
    { ...count("total", "90 of 100 orders arrive within", "60", 240), unit: "minutes" },
    { ...count("cost", "An hour of a vehicle costs", "9", 1000), unit: "USD" },
  ],
  lines: (values) => {
    const day = dayOf(values)
    return [
      ...head(values, "Which shifts of vehicles are the cheapest that keep the promise?", day),
      "    reach_km: 3",
      "    vehicles: 4",
      `    stores: [{ as: store, preparation: { lognormal: { mean: 12m, sd: 4m } }, cooks: ${cooksFor(day.peak, 12)} }]`,
      "",
      "vehicle: { load: { uniform: [30s, 90s] }, drop_off: { lognormal: { mean: 2m, sd: 1m } } }",
      "",
      "demand:",
      `  - { product: delivery, site: site, per_hour: { by_hour: ${byHour(day)} }, ready_in: { uniform: [10m, 20m] } }`,
      "",
      `promises: { deliveries.total_p90: "< ${values.whole("total")}m" }`,
      ...rosterLines(values, "vehicle"),
    ]
  },
  sentences: (values) => [
    ...daySentences(values),
    "One store, whose meals are ready 10 to 20 minutes after the order; customers live within 3 km.",
    rosterSentence(values, `90 of 100 orders arrive within ${values.whole("total")} minutes`),
    MADE_TEN_TIMES,
  ],
}

export const cookShifts: FleetTemplate = {
  id: "cook-shifts",
  title: "Shifts of cooks",
  about: "Bots wait for their meals; when are how many cooks needed?",
  fields: [
    title("Shifts of our kitchen"),
    opensAt("The site opens at", "11:00"),
    hours("4"),
    ...demand("6", "18", "12:00"),
    { ...count("cooks", "A cook takes for an order", "10", 60), unit: "minutes" },
    ...lengths("2", "4"),
    { ...count("wait", "90 of 100 bots wait at most", "12", 120), unit: "minutes" },
    { ...count("cost", "An hour of a cook costs", "22", 1000), unit: "USD" },
  ],
  lines: (values) => {
    const day = dayOf(values)
    const minutes = values.whole("cooks")
    return [
      ...head(values, "Which shifts of cooks are the cheapest that keep the promise?", day),
      "    stalls: 12",
      `    runners: ${Math.ceil(day.peak / 6) + 1}`,
      `    stores: [{ as: store, preparation: { lognormal: { mean: ${minutes}m, sd: ${minutes * 20}s } }, cooks: ${cooksFor(day.peak, minutes)} }]`,
      "",
      "runner: { walk: { uniform: [40s, 100s] }, load: { normal: { mean: 40s, sd: 8s } } }",
      "",
      "demand:",
      `  - { product: reservation, site: site, per_hour: { by_hour: ${byHour(day)} } }`,
      "",
      `promises: { reservations.wait_p90: "< ${values.whole("wait")}m" }`,
      ...rosterLines(values, "cook"),
    ]
  },
  sentences: (values) => [
    ...daySentences(values),
    `A site with 12 stalls, runners enough and one kitchen, in which a cook takes about ${values.whole("cooks")} minutes for an order.`,
    rosterSentence(values, `90 of 100 bots wait less than ${values.whole("wait")} minutes`),
    MADE_TEN_TIMES,
  ],
}
