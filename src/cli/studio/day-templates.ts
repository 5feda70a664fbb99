/** Templates of fleet models about a planner's own days: the worst of them, what is out, a log of orders, and the way to the doors. */

import { HOUR_MINUTES } from "../../model/values/time.ts"
import type { TemplateField } from "../../pages/web/studio/contract.ts"
import { WEEKDAYS } from "../../simulation/fleet/language/weekday.ts"
import {
  AT_THE_CURB,
  MADE_TEN_TIMES,
  atTheCurb,
  byHour,
  closingOf,
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
import { TemplateProblem, clock } from "./template-form.ts"
import type { FormValues } from "./template-form.ts"

const text = (name: string, label: string, usual: string, hint: string | null = null): TemplateField => ({
  name,
  label,
  hint,
  kind: "text",
  usual,
})

const wait = { ...count("wait", "90 of 100 bots wait at most", "12", 120), unit: "minutes" }

export const worstDay: FleetTemplate = {
  id: "worst-day",
  title: "The worst day of a week",
  about: "Some days have more orders; which is the worst, and by how much?",
  fields: [
    title("Our week"),
    opensAt("The site opens at", "11:00"),
    hours("4"),
    count("orders", "Orders an hour", "8", 100),
    text("busy", "Busy days", "Fri, Sat", `Such as ${WEEKDAYS[4]}, or several with commas between them.`),
    count("more", "Orders an hour more on these days", "8", 100),
    count("runners", "Runners", "3", 200),
    wait,
  ],
  lines: (values) => {
    const opens = values.time("opens")
    const closes = closingOf(values, opens)
    const perHour = (rate: number): string =>
      `per_hour: { by_hour: { "00:00": 0, "${clock(opens)}": ${rate}${closes % (24 * HOUR_MINUTES) === 0 ? "" : `, "${clock(closes)}": 0`} } }`
    const [orders, more] = [values.whole("orders"), values.whole("more")]
    return [
      ...head(values, "Which day of the week is the worst?", { opens, closes, days: 7 }),
      "    stalls: 8",
      `    runners: ${values.whole("runners")}`,
      `    stores: [{ as: store, preparation: { lognormal: { mean: 8m, sd: 3m } }, cooks: ${cooksFor(orders + more, 8)} }]`,
      "",
      "runner: { walk: { uniform: [40s, 100s] }, load: { normal: { mean: 40s, sd: 8s } } }",
      "",
      "demand:",
      `  - { as: every day, product: reservation, site: site, ${perHour(orders)} }`,
      `  - { as: busy days, product: reservation, site: site, on: [${busyDays(values).join(", ")}], ${perHour(more)} }`,
      "",
      `promises: { reservations.wait_p90: "< ${values.whole("wait")}m" }`,
      "worst: day",
    ]
  },
  sentences: (values) => [
    `From Monday to Sunday there are ${values.whole("orders")} orders an hour, and ${values.whole("more")} more on ${busyDays(values).join(", ")}.`,
    AT_THE_CURB,
    `It names the day on which 90 of 100 bots wait longest for ${values.whole("runners")} runners, and the days that may be as bad.`,
    "The week is run ten times with other chances, and each figure has its interval.",
  ],
}

function busyDays(values: FormValues): readonly string[] {
  const days = values.plain("busy").split(/[\s,]+/)
  if (days.every((day) => WEEKDAYS.some((known) => known === day))) return days
  throw new TemplateProblem("busy", `write some of ${WEEKDAYS.join(", ")}`)
}

export const out: FleetTemplate = {
  id: "out",
  title: "What fails while runners are away",
  about: "Some runners are away for a while; does the site keep its promise?",
  fields: [
    title("A lunch without some runners"),
    opensAt("The site opens at", "11:00"),
    hours("4"),
    ...demand("10", "20", "12:00"),
    count("runners", "Runners", "4", 200),
    count("away", "Runners who are away", "2", 200),
    { name: "from", label: "They are away from", hint: null, kind: "time", usual: "12:00" },
    { ...count("minutes", "for", "30", 480), unit: "minutes" },
    wait,
  ],
  lines: (values) => {
    const { from, until } = awayOf(values)
    return [
      ...atTheCurb(values, "Which promise fails while runners are away?", values.whole("runners")),
      `promises: { reservations.wait_p90: "< ${values.whole("wait")}m" }`,
      `out: [{ runners: ${values.whole("away")}, from: ${clock(from)}, to: ${clock(until)} }]`,
    ]
  },
  sentences: (values) => {
    const { from, until } = awayOf(values)
    return [
      ...daySentences(values),
      AT_THE_CURB,
      `Of ${values.whole("runners")} runners ${values.whole("away")} are away from ${clock(from)} to ${clock(until)}; each finishes the task before.`,
      `It says how long 90 of 100 bots wait while they are away, and at other times, against ${values.whole("wait")} minutes.`,
      MADE_TEN_TIMES,
    ]
  },
}

function awayOf(values: FormValues): { readonly from: number; readonly until: number } {
  const { opens, closes } = dayOf(values)
  const [from, minutes] = [values.time("from"), values.whole("minutes")]
  if (from < opens || from >= closes)
    throw new TemplateProblem("from", `the day is from ${clock(opens)} to ${clock(closes)}`)
  if (from + minutes > closes)
    throw new TemplateProblem("minutes", `the day ends at ${clock(closes)}; write at most ${closes - from}`)
  if (values.whole("away") > values.whole("runners"))
    throw new TemplateProblem("away", `there are ${values.whole("runners")} runners`)
  return { from, until: from + minutes }
}

export const log: FleetTemplate = {
  id: "log",
  title: "A day of your own log",
  about: "Your orders are in a table; which fleet brings those of one day in time?",
  fields: [
    title("A Friday of our log"),
    text(
      "file",
      "File of the log",
      "order-log.csv",
      "Put it beside the model; its columns are those of the file.",
    ),
    text("time", "Column of the time of an order", "ordered_at"),
    text("lat", "Column of the door's latitude", "door_lat"),
    text("lon", "Column of the door's longitude", "door_lon"),
    text("place", "Latitude and longitude of the store", "30.2430, -97.7200"),
    text("date", "Day of the log", "2026-09-11", "Such as 2026-09-11."),
    opensAt("The store opens at", "11:00"),
    hours("4"),
    { ...count("reach", "Customers live within", "3", 20), unit: "km" },
    { ...count("total", "90 of 100 orders arrive within", "60", 240), unit: "minutes" },
  ],
  lines: (values) => {
    const opens = values.time("opens")
    const [closes, date, place] = [closingOf(values, opens), dateOf(values), placeOf(values)]
    return [
      ...head(values, "How many vehicles does a day of the log need?", { opens, closes, date, place }),
      `    reach_km: ${values.whole("reach")}`,
      "    vehicles: 4",
      "    stores: [{ as: store, preparation: { lognormal: { mean: 12m, sd: 4m } } }]",
      "",
      "vehicle: { load: { uniform: [30s, 90s] }, drop_off: { lognormal: { mean: 2m, sd: 1m } } }",
      "",
      "demand:",
      "  - product: delivery",
      "    site: site",
      "    replay:",
      `      file: ${values.text("file")}`,
      `      time: ${values.text("time")}`,
      `      door: { lat: ${values.text("lat")}, lon: ${values.text("lon")} }`,
      "",
      "promises:",
      `  deliveries.total_p90: "< ${values.whole("total")}m"`,
      '  deliveries.declined_share: "< 2%"',
      "find: { least: vehicles, that_keeps: [deliveries.total_p90, deliveries.declined_share] }",
    ]
  },
  sentences: (values) => [
    `The orders of ${dateOf(values)} from ${values.plain("file")}, each at its time and its door.`,
    `It finds the fewest vehicles with which 90 of 100 orders arrive within ${values.whole("total")} minutes and at most 2 of 100 are declined.`,
    "Rows that are no order of that day are counted by reason. What the log does not say is drawn ten times with other chances.",
  ],
}

function dateOf(values: FormValues): string {
  const date = values.plain("date")
  if (/^\d{4}-\d{2}-\d{2}$/.test(date) && !Number.isNaN(Date.parse(date))) return date
  throw new TemplateProblem("date", "write a date such as 2026-09-11")
}

/** `[30.2430, -97.7200]`. */
function placeOf(values: FormValues): string {
  const place = values.plain("place")
  if (/^-?\d{1,2}(\.\d+)?, *-?\d{1,3}(\.\d+)?$/.test(place)) return `[${place}]`
  throw new TemplateProblem("place", "write two numbers such as 30.2430, -97.7200")
}

export const travel: FleetTemplate = {
  id: "travel",
  title: "The way to the doors",
  about: "A river is between the store and half of its customers; how many vehicles does that take?",
  fields: [
    title("Deliveries across the river"),
    opensAt("The store opens at", "17:00"),
    hours("4"),
    ...demand("6", "14", "18:00"),
    { ...count("near", "A drive on one side of the river takes", "5", 120), unit: "minutes" },
    { ...count("far", "A drive across the river takes", "12", 120), unit: "minutes" },
    { ...count("rush", "and in the busiest hour", "20", 120), unit: "minutes" },
    { ...count("total", "90 of 100 orders arrive within", "75", 240), unit: "minutes" },
  ],
  lines: (values) => {
    const day = dayOf(values)
    const [near, far, rush] = ["near", "far", "rush"].map((name) => `${values.whole(name)}m`)
    const after = day.at + HOUR_MINUTES === day.closes ? "" : `, "${clock(day.at + HOUR_MINUTES)}": ${far}`
    return [
      ...head(values, "How many vehicles do deliveries across the river need?", day),
      "    reach_km: 3",
      "    vehicles: 4",
      `    stores: [{ as: store, preparation: { lognormal: { mean: 12m, sd: 4m } }, cooks: ${cooksFor(day.peak, 12)} }]`,
      "",
      "vehicle: { load: { uniform: [30s, 90s] }, drop_off: { lognormal: { mean: 2m, sd: 1m } } }",
      "",
      "# Every door belongs to the nearer of the two places.",
      "travel:",
      "  matrix:",
      "    places: [{ as: our side, at: [30.4021, -97.7253] }, { as: other side, at: [30.4021, -97.7050] }]",
      "    times:",
      `      our side: { our side: ${near}, other side: { by_hour: { "00:00": ${far}, "${clock(day.at)}": ${rush}${after} } } }`,
      `      other side: { other side: ${near} }`,
      "",
      "demand:",
      `  - { product: delivery, site: site, per_hour: { by_hour: ${byHour(day)} }, ready_in: { uniform: [10m, 20m] } }`,
      "",
      "promises:",
      `  deliveries.total_p90: "< ${values.whole("total")}m"`,
      '  deliveries.declined_share: "< 2%"',
      "find: { least: vehicles, that_keeps: [deliveries.total_p90, deliveries.declined_share] }",
    ]
  },
  sentences: (values) => [
    ...daySentences(values),
    `A drive on one side of the river takes ${values.whole("near")} minutes, one across it ${values.whole("far")}, and ${values.whole("rush")} in the busiest hour.`,
    `It finds the fewest vehicles with which 90 of 100 orders arrive within ${values.whole("total")} minutes and at most 2 of 100 are declined.`,
    MADE_TEN_TIMES,
  ],
}
