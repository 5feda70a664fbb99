/** The inputs of a model in a few rows: what the answer is about. */

import { SiteClock } from "../../simulation/scenario/site-clock.ts"
import { showDuration } from "../../simulation/scenario/shown-duration.ts"
import { counted } from "../../simulation/scenario/counted.ts"
import { DAY_MS } from "../../model/time.ts"
import { inCase } from "../language/cases.ts"
import type { FleetCase } from "../language/cases.ts"
import type { FleetDemand, FleetModel, FleetSite } from "../language/model.ts"
import { USUAL } from "../language/model.ts"
import { timeOfDayText } from "../language/spread.ts"
import type { Hourly, Spread } from "../language/spread.ts"

export type InputRow = readonly [what: string, value: string]

/** Of the model with the settings of a case. */
export function inputRows(written: FleetModel, settings: FleetCase): readonly InputRow[] {
  const model = inCase(written, settings)
  const { demand, sites } = model
  const products = new Set(demand.map(({ product }) => product))
  const isDriven = products.has("delivery") || products.has("courier")
  return [
    ["Time", timeText(model)],
    ...sites.map((site): InputRow => [`Site ${site.as}`, siteText(site)]),
    ...sites.flatMap((site) =>
      site.stores.map((store): InputRow => {
        const cooks = store.cooks === null ? "no limit of cooks" : counted(store.cooks, "cook")
        return [
          `Kitchen ${store.as}`,
          `${cooks}, ${hourlyText(store.preparation, (one) => spreadText(one))} an order`,
        ]
      }),
    ),
    ...demand.map((one, at): InputRow => [`Demand ${at + 1}`, demandText(one)]),
    ...(products.has("reservation") ? [["Runners", partText(model.runner, "runner")] as const] : []),
    ...(products.has("reservation") ? [["Bots", partText(model.bot, "bot")] as const] : []),
    ...(isDriven ? [["Vehicles", vehicleText(model)] as const] : []),
    ...(isDriven && model.travel.is !== "straight" ? [["Travel", travelText(model)] as const] : []),
    ["Policy", partText(model.policy, "policy")],
    ["Faults", partText(model.faults, "faults")],
  ].filter(([, value]) => value !== "") as readonly InputRow[]
}

function timeText({ clock, horizon, warm_up: warmUp }: FleetModel): string {
  const left = warmUp === 0 ? "" : `, the first ${showDuration(warmUp)} left out`
  return `${showDuration(horizon)} from ${clock.local} ${clock.timeZone}${left}`
}

/** `10:00 to 14:00`. */
export function hoursText({ clock, horizon, warm_up: warmUp }: FleetModel): string {
  const shown = new SiteClock(clock)
  return `${shown.show(shown.startMs + warmUp)} to ${shown.show(shown.startMs + horizon)}`
}

function siteText({ runners, stalls, vehicles, reach_km: reach }: FleetSite): string {
  const shifts = runners.map(({ count, from, to, breaks }) => {
    const times = from === 0 && to === DAY_MS ? "" : ` from ${timeOfDayText(from)} to ${timeOfDayText(to)}`
    const pauses = breaks.map(
      (one) => `${showDuration(one.lasts)} between ${timeOfDayText(one.from)} and ${timeOfDayText(one.to)}`,
    )
    const away = pauses.length === 0 ? "" : ` (breaks of ${pauses.join(", of ")})`
    return `${counted(count, "runner")}${times}${away}`
  })
  return [
    ...shifts,
    counted(stalls, "stall"),
    ...(vehicles === 0 ? [] : [`${counted(vehicles, "vehicle")} that reach ${reach} km`]),
  ].join(", ")
}

function demandText(one: FleetDemand): string {
  const way =
    one.per_hour !== null
      ? `${hourlyText(one.per_hour, (rate) => String(Math.round(rate * 100) / 100))} an hour`
      : one.every !== null
        ? `one every ${spreadText(one.every)}`
        : `as in ${one.replay}`
  const days = one.on === null ? "" : ` on ${one.on.join(", ")}`
  const canceled = one.cancel === 0 ? "" : `, ${percent(one.cancel)} canceled by customers`
  const plural = { reservation: "reservations", delivery: "deliveries", courier: "courier orders" }[
    one.product
  ]
  const priority = one.priority === 0 ? "" : `, priority ${one.priority}`
  return `${plural} at ${one.site}${one.store === null ? "" : `, ${one.store}`}: ${way}${days}${priority}${canceled}`
}

function vehicleText({ vehicle }: FleetModel): string {
  const { speed_kmh: speed, ...rest } = vehicle
  const { breakdown, charging, ...plain } = rest
  return [
    `${hourlyText(speed, String)} km/h`,
    partText(plain, "vehicle"),
    ...(breakdown === null ? [] : [`break down every ${spreadText(breakdown.every)} of driving`]),
    ...(charging === null ? [] : [`charge after ${charging.after_km} km`]),
  ]
    .filter((one) => one !== "")
    .join(", ")
}

function travelText({ travel }: FleetModel): string {
  if (travel.is === "streets") return `the fastest way along the streets of ${travel.file}`
  if (travel.is === "straight") return ""
  const times = travel.times.flat()
  const hours = times.some(({ steps }) => steps.length > 1) ? ", some by the hour" : ""
  return `${counted(times.length, "time")} between ${counted(travel.places.length, "place")}${hours}`
}

/** The values of one part that say something: not those that are 0, off, or as usual and unknown to most readers. */
function partText(values: object, part: keyof typeof USUAL): string {
  const usual = USUAL[part] as Readonly<Record<string, unknown>>
  return Object.entries(values)
    .flatMap(([key, value]) => {
      const text = valueText(value)
      const isDull =
        text === null || (part !== "runner" && JSON.stringify(usual[key]) === JSON.stringify(value))
      return isDull ? [] : [`${key.replaceAll("_", " ")} ${text}`]
    })
    .join(", ")
}

function valueText(value: unknown): string | null {
  if (typeof value === "string") return value.replaceAll("_", " ")
  if (typeof value === "boolean") return value ? "yes" : "no"
  if (typeof value === "number") {
    if (value === 0) return null
    if (value < 1) return percent(value)
    return value < 10 ? String(value) : showDuration(value)
  }
  return typeof value === "object" && value !== null && "is" in value ? spreadText(value as Spread) : null
}

function percent(share: number): string {
  return `${Math.round(share * 1000) / 10}%`
}

function hourlyText<T>({ steps }: Hourly<T>, show: (value: T) => string): string {
  const [first, ...more] = steps
  if (first === undefined) return ""
  if (more.length === 0) return show(first.value)
  return steps.map(({ fromMsOfDay, value }) => `${show(value)} from ${timeOfDayText(fromMsOfDay)}`).join(", ")
}

/** `about 8m, give or take 3m (lognormal)`. */
function spreadText(spread: Spread): string {
  const ms = (value: number): string => showDuration(Math.round(value))
  switch (spread.is) {
    case "constant":
      return ms(spread.ms)
    case "exponential":
      return `${ms(spread.meanMs)} on average (exponential)`
    case "uniform":
      return `${ms(spread.fromMs)} to ${ms(spread.toMs)}`
    case "normal":
    case "lognormal":
    case "gamma":
      return `${ms(spread.meanMs)} ± ${ms(spread.sdMs)} (${spread.is})`
    case "weibull":
      return `scale ${ms(spread.scaleMs)}, shape ${spread.shape} (weibull)`
    case "drawn":
      return `one of ${spread.valuesMs.length} measured durations`
  }
}
