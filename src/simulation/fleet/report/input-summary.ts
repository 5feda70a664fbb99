/** The inputs of a model in a few rows: what the answer is about. */

import { SiteClock } from "../../scenario/language/site-clock.ts"
import { showDuration } from "../../scenario/language/shown-duration.ts"
import { counted } from "../../scenario/language/counted.ts"
import { changeWords } from "../../../model/replay/change-text.ts"
import { listed } from "../../../model/values/listed.ts"
import { DAY_MS } from "../../../model/values/time.ts"
import { meanBatch } from "../language/batch.ts"
import { inCase } from "../language/cases.ts"
import type { FleetCase } from "../language/cases.ts"
import { changeTimeText } from "../language/changes.ts"
import type { ChangeEffect, FleetChange } from "../language/changes.ts"
import { cutMeanMs, cutMeanText } from "../language/cut-normals.ts"
import type { FleetDemand, FleetModel, FleetSite } from "../language/model.ts"
import { USUAL } from "../language/model.ts"
import type { FleetOut } from "../language/out.ts"
import { outWords } from "../results/out-words.ts"
import { promiseWords } from "../results/promise-words.ts"
import { shownTime } from "../results/shown-time.ts"
import type { Shift } from "../language/shifts.ts"
import { timeOfDayText } from "../language/spread.ts"
import type { Hourly, Spread } from "../language/spread.ts"
import { travelNotes } from "../language/travel.ts"

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
    ...demand.map((one, at): InputRow => [
      one.as === null ? `Demand ${at + 1}` : `Demand ${at + 1}, ${one.as}`,
      [
        demandText(one),
        ...model.logs.filter(({ demand: of }) => of === at).flatMap(({ notes }) => notes),
      ].join("; "),
    ]),
    ...(products.has("reservation") ? [["Runners", partText(model.runner, "runner")] as const] : []),
    ...(products.has("reservation") ? [["Bots", partText(model.bot, "bot")] as const] : []),
    ...(isDriven ? [["Vehicles", vehicleText(model)] as const] : []),
    ...(isDriven && model.travel.is !== "straight" ? [["Travel", travelText(model)] as const] : []),
    ...(isDriven && model.doors.is !== "anywhere" ? [["Doors", doorsText(model.doors)] as const] : []),
    ...(products.has("courier") ? [["Agents", agentsText(demand)] as const] : []),
    ["Policy", partText(model.policy, "policy")],
    ["Faults", partText(model.faults, "faults")],
    ["Changes", model.changes.map(changeText).join("; ")],
    ["Out", model.out.map(outText).join("; ")],
    ["Prices", pricesText(model)],
    ["Promises", model.promises.map((one) => promiseWords(one)).join("; ")],
  ].filter(([, value]) => value !== "") as readonly InputRow[]
}

function timeText({ clock, horizon, warm_up: warmUp }: FleetModel): string {
  const left = warmUp === 0 ? "" : `, the first ${showDuration(warmUp)} left out`
  return `${showDuration(horizon)} from ${clock.local} ${clock.timeZone}${left}`
}

/** `10:00 to 14:00`, `Fri 00:00 to Tue 00:00`. */
export function hoursText(model: FleetModel): string {
  const { startMs } = new SiteClock(model.clock)
  return `${shownTime(model, startMs + model.warm_up)} to ${shownTime(model, startMs + model.horizon)}`
}

function siteText(site: FleetSite): string {
  const { runners, stalls, vehicles, reach_km: reach, area } = site
  const reachText = area === null ? `${reach} km` : `an area of ${counted(area.length, "corner")}`
  const shifts = runners.map(({ count, from, to, breaks }) => {
    const times = timesText({ from, to })
    const pauses = breaks.map(
      (one) => `${showDuration(one.lasts)} between ${timeOfDayText(one.from)} and ${timeOfDayText(one.to)}`,
    )
    const away = pauses.length === 0 ? "" : ` (breaks of ${pauses.join(", of ")})`
    return `${counted(count, "runner")}${times}${away}`
  })
  return [
    ...shifts,
    counted(stalls, "stall"),
    ...(vehicles === 0
      ? []
      : [`${staffText("vehicle", vehicles, site.vehicleShifts)} that reach ${reachText}`]),
    ...site.stores.flatMap(({ as, cooks, cookShifts }) =>
      cooks === null || cookShifts.length === 0 ? [] : [`${staffText("cook", cooks, cookShifts)} in ${as}`],
    ),
  ].join(", ")
}

function staffText(what: string, total: number, shifts: readonly Shift[]): string {
  if (shifts.length === 0) return counted(total, what)
  return shifts.map((shift) => `${counted(shift.count, what)}${timesText(shift)}`).join(", ")
}

function timesText({ from, to }: Pick<Shift, "from" | "to">): string {
  return from === 0 && to === DAY_MS ? "" : ` from ${timeOfDayText(from)} to ${timeOfDayText(to)}`
}

function demandText(one: FleetDemand): string {
  const way =
    one.per_hour !== null
      ? `${hourlyText(one.per_hour, (rate) => String(Math.round(rate * 100) / 100))} an hour`
      : one.every !== null
        ? `one every ${spreadText(one.every)}`
        : one.population !== null
          ? `${counted(one.population.size, "customer")} who order ${spreadText(one.population.thinks)} after the last order`
          : replayText(one)
  const each = meanBatch(one.batch)
  const batch =
    each === 1
      ? ""
      : `, ${Math.round(each * 100) / 100} orders at once${one.batch.is === "count" ? "" : " on average"}`
  const items = meanBatch(one.items)
  const size =
    items === 1
      ? ""
      : `, ${Math.round(items * 100) / 100} items an order${one.items.is === "count" ? "" : " on average"}`
  const days = one.on === null ? "" : ` on ${one.on.join(", ")}`
  const canceled = one.cancel === 0 ? "" : `, ${percent(one.cancel)} canceled by customers`
  const plural = { reservation: "reservations", delivery: "deliveries", courier: "courier orders" }[
    one.product
  ]
  const priority = one.priority === 0 ? "" : `, priority ${one.priority}`
  const store = one.store === null ? "" : `, ${one.store}`
  return `${plural} at ${one.site}${store}: ${way}${batch}${size}${days}, ${leadText(one)}${priority}${canceled}`
}

function replayText({ replay }: FleetDemand): string {
  if (replay === null || typeof replay === "string") return `as in ${replay}`
  const { file, scale, repeat, resample, first_day: firstDay } = replay
  return [
    `as in ${file}`,
    ...(scale === 1 ? [] : [`${scale} times as many`]),
    ...(firstDay === null ? [] : [`from its ${firstDay} on`]),
    ...(repeat === null ? [] : [`repeated ${repeat}`]),
    ...(resample === null ? [] : ["its days drawn with replacement"]),
  ].join(", ")
}

/** How long before it is due an order is requested. */
function leadText({ product, ahead, width, ready_in: readyIn }: FleetDemand): string {
  return product === "reservation"
    ? `made ${spreadText(ahead)} before a window of ${showDuration(width)}`
    : `ready ${spreadText(readyIn)} after the request`
}

/** How agents of courier orders behave, once for each way in which they do. */
function agentsText(demand: readonly FleetDemand[]): string {
  const texts = demand.flatMap(({ product, errand }) =>
    product === "courier" ? [partText(errand ?? USUAL.errand, "errand")] : [],
  )
  return [...new Set(texts)].join("; ")
}

function pricesText({ costs }: FleetModel): string {
  if (costs === null) return ""
  const { currency, ...prices } = costs
  return Object.entries(prices)
    .flatMap(([key, price]) =>
      price === 0 ? [] : [`${key.replaceAll("_", " ")} ${price}${currency === "" ? "" : ` ${currency}`}`],
    )
    .join(", ")
}

function vehicleText({ vehicle }: FleetModel): string {
  const { speed_kmh: speed, ...rest } = vehicle
  const { breakdown, charging, batching, ...plain } = rest
  return [
    `${hourlyText(speed, String)} km/h`,
    partText(plain, "vehicle"),
    ...(batching === null ? [] : [batchingText(batching)]),
    ...(breakdown === null
      ? []
      : [
          `break down every ${spreadText(breakdown.every)} of driving, repaired in ${spreadText(breakdown.repair)}${crewText(breakdown.crew)}`,
        ]),
    ...(charging === null ? [] : [`charge after ${charging.after_km} km for ${spreadText(charging.takes)}`]),
  ]
    .filter((one) => one !== "")
    .join(", ")
}

function batchingText({
  within_km: within,
  waits,
  capacity,
}: NonNullable<FleetModel["vehicle"]["batching"]>): string {
  const wait = waits === 0 ? "" : `, waiting up to ${showDuration(waits)} for the second`
  const room = capacity === null ? "" : `, at most ${counted(capacity, "item")} together`
  return `two orders on a trip if their doors are within ${within} km${wait}${room}`
}

function doorsText(doors: Exclude<FleetModel["doors"], { readonly is: "anywhere" }>): string {
  const counts = doors.bySite.map(({ of }) => of.length)
  const what = doors.is === "points" ? "at one of" : "in one of"
  return `${what} ${listed(counts.map((count) => counted(count, doors.is === "points" ? "place" : "area")))}, by weight`
}

function travelText({ travel }: FleetModel): string {
  if (travel.is === "streets")
    return [`the fastest way along the streets of ${travel.file}`, ...travelNotes(travel)].join("; ")
  if (travel.is === "straight") return ""
  const times = travel.times.flat()
  const hours = times.some(({ steps }) => steps.length > 1) ? ", some by the hour" : ""
  return `${counted(times.length, "time")} between ${counted(travel.places.length, "place")}${hours}`
}

/** `from 12:40 1 more runner at north`. */
function changeText({ at, effects }: FleetChange): string {
  const words = [...effects].map(([name, effect]) => changeWords({ name, value: effectText(effect) }))
  return `from ${changeTimeText(at)} ${listed(words)}`
}

/** `2 vehicles from 12:00 to 14:00`; `4 vehicles, each after 8h on average (exponential), for 30m, 2 repairs at a time`. */
function outText(out: FleetOut): string {
  const { when } = out
  const what = outWords(out)
  if (when.is === "times") return `${what} from ${changeTimeText(when.from)} to ${changeTimeText(when.to)}`
  return `${what}, each after ${spreadText(when.every)}, for ${spreadText(when.lasts)}${crewText(when.crew)}`
}

function crewText(crew: number | null): string {
  return crew === null ? "" : `, ${counted(crew, "repair")} at a time`
}

/** As the model would write it. */
function effectText(effect: ChangeEffect): string {
  switch (effect.is) {
    case "count":
      return `${effect.by > 0 ? "+" : ""}${effect.by}`
    case "demand":
    case "breakdowns":
      return String(effect.factor)
    case "dispatch":
    case "vehicle_dispatch":
      return effect.policy
    case "open_link_fails":
    case "payload_too_heavy":
      return percent(effect.share)
    case "breakdown":
      return showDuration(effect.ms)
  }
}

/** Parts whose values matter to the answer also where they are as usual. */
const SHOWN_IN_FULL: ReadonlySet<keyof typeof USUAL> = new Set(["errand", "runner"])

/** The values of one part that say something: not those that are 0, off, or as usual and unknown to most readers. */
function partText(values: object, part: keyof typeof USUAL): string {
  const usual = USUAL[part] as Readonly<Record<string, unknown>>
  return Object.entries(values)
    .flatMap(([key, value]) => {
      const text = valueText(value, key)
      const isDull =
        text === null || (!SHOWN_IN_FULL.has(part) && JSON.stringify(usual[key]) === JSON.stringify(value))
      return isDull ? [] : [`${key.replaceAll("_", " ")} ${text}`]
    })
    .join(", ")
}

function valueText(value: unknown, key: string): string | null {
  if (typeof value === "string") return value.replaceAll("_", " ")
  if (typeof value === "boolean") return value ? "yes" : "no"
  if (typeof value === "number") {
    if (value === 0) return null
    if (value < 1) return percent(value)
    return value < 10 ? String(value) : showDuration(value)
  }
  return typeof value === "object" && value !== null && "is" in value
    ? spreadText(value as Spread, key)
    : null
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

/** `8m ± 3m (lognormal)`; of a normal duration that is cut at 0 also its mean. `key` is the word that it is written for. */
function spreadText(spread: Spread, key = ""): string {
  const ms = (value: number): string => showDuration(Math.round(value))
  const cutMs = cutMeanMs(spread, key)
  const cut = cutMs === null ? "" : `; ${cutMeanText(cutMs)} on average, because values below 0 count as 0`
  switch (spread.is) {
    case "constant":
      return ms(spread.ms)
    case "exponential":
      return `${ms(spread.meanMs)} on average (exponential)`
    case "uniform":
      return `${ms(spread.fromMs)} to ${ms(spread.toMs)}`
    case "triangular":
      return `${ms(spread.fromMs)} to ${ms(spread.toMs)}, most often ${ms(spread.modeMs)} (triangular)`
    case "quantiles":
      return spread.points.map(({ share: part, ms: value }) => `${percent(part)}: ${ms(value)}`).join(", ")
    case "normal":
    case "lognormal":
    case "gamma":
      return `${ms(spread.meanMs)} ± ${ms(spread.sdMs)} (${spread.is}${cut})`
    case "weibull":
      return `scale ${ms(spread.scaleMs)}, shape ${spread.shape} (weibull)`
    case "drawn":
      return `one of ${spread.valuesMs.length} measured durations`
  }
}
