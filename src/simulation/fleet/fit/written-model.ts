/** A fitted model as the text of a model file, with its figures as comments, and as lines for people. */

import { DAY_MS, MINUTE_MS, SECOND_MS } from "../../../model/values/time.ts"
import { wallClockAt } from "../../../model/values/local-time.ts"
import { showDuration } from "../../scenario/language/shown-duration.ts"
import { WEEKDAYS, weekdayAt } from "../language/weekday.ts"
import type { DurationFit, Interval } from "./duration-fit.ts"
import type { ModelledSpread } from "./families.ts"
import type { FittedErrands, FittedModel, FittedZone } from "./fit-model.ts"
import type { ArrivalFit, Rates, Share } from "./rates.ts"

/** What is known beside the journal: of a database, the site's own row. */
export interface Naming {
  /** Where the journal came from, for the title. */
  readonly source: string
  /** Null: not known. */
  readonly place: { readonly latitude: number; readonly longitude: number } | null
}

/** The model as YAML, which `readFleet` reads. */
export function modelText(fitted: FittedModel, naming: Naming): string {
  return [
    ...headLines(fitted, naming),
    "",
    ...siteLines(fitted, naming),
    "",
    ...actorLines(fitted),
    ...policyLines(fitted),
    "demand:",
    ...reservationLines(fitted),
    ...deliveryLines(fitted),
    ...errandLines(fitted),
    "",
    ...comment("Not known from the data:"),
    ...fitted.unknown.flatMap((line) => comment(`- ${line}`)),
    "",
  ].join("\n")
}

function headLines({ span }: FittedModel, { source }: Naming): readonly string[] {
  const { fromMs, toMs, timeZone } = span
  const [from, to] = [dayText(fromMs, timeZone), dayText(toMs, timeZone)]
  const wall = new Date(wallClockAt(fromMs, timeZone)).toISOString().slice(0, 10)
  const days = Math.min(7, Math.max(1, Math.ceil((toMs - fromMs) / DAY_MS)))
  return [
    ...comment(
      "A model fitted by `curbline fleet fit`: figures beside values are numbers of observations and 95 % intervals.",
    ),
    `fleet: ${quoted(`Fitted from ${source}`)}`,
    `because: ${quoted(`What was observed from ${from} to ${to}, to ask what if.`)}`,
    `clock: ${wall}T00:00 ${timeZone}`,
    `horizon: ${days}d`,
    "replications: 10",
  ]
}

function siteLines(fitted: FittedModel, { place }: Naming): readonly string[] {
  const { zones, deliveries, vehicles, errands } = fitted
  const at = place === null ? "[0, 0]" : `[${place.latitude}, ${place.longitude}]`
  const ofErrands = siteOfErrands(fitted)
  const names = new Set([
    ...deliveries.map(({ siteId }) => siteId),
    ...(ofErrands === null ? [] : [ofErrands]),
  ])
  return [
    "sites:",
    ...zones.flatMap((zone) => zoneLines(zone, at)),
    ...[...names].flatMap((name) => [
      `  - as: ${quoted(name)}`,
      `    at: ${at}`,
      `    vehicles: ${Math.max(1, vehicles)} # took runs`,
      ...(name === ofErrands ? storeLines(errands) : []),
    ]),
  ]
}

/** Errands share the vehicles of a site's deliveries if there is one; null without errands. */
function siteOfErrands({ deliveries, errands }: FittedModel): string | null {
  if (errands === null) return null
  const [only] = deliveries.length === 1 ? deliveries : []
  return only?.siteId ?? "errands"
}

/** Deliveries of the site itself have the first store. */
function storeLines(errands: FittedErrands | null): readonly string[] {
  const stores = errands?.stores ?? []
  return ["    stores:", "      - as: site", ...stores.map(({ storeId }) => `      - as: ${quoted(storeId)}`)]
}

function actorLines({ runner, bot, vehicle, faults }: FittedModel): readonly string[] {
  return [
    ...section("runner", [
      ["walk", runner.walk],
      ["pick_up", runner.pick_up],
      ["load", runner.load],
    ]),
    ...section(
      "bot",
      [
        ["punctuality", bot.punctuality],
        ["settle", bot.settle],
        ["leave", bot.leave],
        ["patience", bot.patience],
      ],
      [
        ...shareLine("no_show", bot.noShow),
        ...shareLine("abort", bot.abort),
        ...medianLine("tells_eta", bot.tellsEtaMs),
      ],
    ),
    ...section("vehicle", [
      ["load", vehicle.load],
      ["drop_off", vehicle.dropOff],
    ]),
    ...section(
      "faults",
      [],
      [
        ...shareLine("open_link_fails", faults.openLinkFails),
        ...shareLine("payload_too_heavy", faults.payloadTooHeavy),
      ],
    ),
  ]
}

function policyLines({ policy }: FittedModel): readonly string[] {
  if (policy === null) return []
  return [
    "policy:",
    `  staging_lead: ${duration(policy.stagingLeadMs)}`,
    `  window_grace: ${duration(policy.windowGraceMs)}`,
    `  bot_wait: ${duration(policy.botWaitMs)}`,
    "",
  ]
}

function reservationLines({ zones, reservations }: FittedModel): readonly string[] {
  return zones.flatMap(({ zoneId, stores }) =>
    stores.flatMap(({ retailerId, arrivals }) =>
      arrivals.rates.flatMap((rates) => [
        "  - product: reservation",
        `    site: ${quoted(zoneId)}`,
        `    store: ${quoted(retailerId)}`,
        ...rateLines(rates),
        ...fitLine("ahead", reservations.ahead, "    "),
        ...medianLine("width", reservations.widthMs, "    "),
        ...shareLine("cancel", reservations.cancel, "    "),
        ...fitLine("cancel_after", reservations.cancelAfter, "    "),
      ]),
    ),
  )
}

function deliveryLines({ deliveries, deliveryCancel, deliveryCancelAfter }: FittedModel): readonly string[] {
  return deliveries.flatMap(({ siteId, arrivals }) =>
    arrivals.rates.flatMap((rates) => [
      "  - product: delivery",
      `    site: ${quoted(siteId)}`,
      ...rateLines(rates),
      ...shareLine("cancel", deliveryCancel, "    "),
      ...fitLine("cancel_after", deliveryCancelAfter, "    "),
    ]),
  )
}

function errandLines(fitted: FittedModel): readonly string[] {
  const { errands } = fitted
  const site = siteOfErrands(fitted)
  if (errands === null || site === null) return []
  const agent = [
    ...fitLine("reserves_after", errands.reservesAfter, "      "),
    ...fitLine("pays_after", errands.paysAfter, "      "),
    ...fitLine("confirms_after", errands.confirmsAfter, "      "),
    ...shareLine("gives_up", errands.givesUp, "      "),
    ...shareLine("declined_cards", errands.declinedCards, "      "),
    ...shareLine("nobody_home", errands.customerAbsent, "      "),
  ]
  return errands.stores.flatMap(({ storeId, arrivals }) =>
    arrivals.rates.flatMap((rates) => [
      "  - product: courier",
      `    site: ${quoted(site)}`,
      `    store: ${quoted(storeId)}`,
      ...rateLines(rates),
      ...shareLine("cancel", errands.cancel, "    "),
      ...fitLine("cancel_after", errands.cancelAfter, "    "),
      ...(agent.length === 0 ? [] : ["    errand:", ...agent]),
    ]),
  )
}

export function medianLine(key: string, ms: number | null, indent = "  "): readonly string[] {
  return ms === null ? [] : [`${indent}${key}: ${duration(ms)} # the median`]
}

function zoneLines({ zoneId, stalls, runners, stores }: FittedZone, at: string): readonly string[] {
  return [
    `  - as: ${quoted(zoneId)}`,
    `    at: ${at}`,
    `    stalls: ${Math.max(1, stalls)} # seen by bookings`,
    `    runners: ${Math.max(1, runners)} # had a task`,
    "    stores:",
    ...stores.flatMap(({ retailerId, preparation }) => [
      `      - as: ${quoted(retailerId)}`,
      ...fitLine("preparation", preparation, "        "),
    ]),
  ]
}

function section(
  name: string,
  fits: readonly (readonly [string, DurationFit | null])[],
  more: readonly string[] = [],
): readonly string[] {
  const lines = [...fits.flatMap(([key, fit]) => fitLine(key, fit, "  ")), ...more]
  return lines.length === 0 ? [] : [`${name}:`, ...lines, ""]
}

export function fitLine(key: string, fit: DurationFit | null, indent: string): readonly string[] {
  return fit === null ? [] : [`${indent}${key}: ${spreadYaml(fit.spread)} # ${fitText(fit)}`]
}

export function shareLine(key: string, share: Share | null, indent = "  "): readonly string[] {
  return share === null ? [] : [`${indent}${key}: ${round(share.value, 5)} # ${shareText(share)}`]
}

export function rateLines({ on, steps }: Rates): readonly string[] {
  const [first] = steps
  const lines = on === null ? [] : [`    on: [${on.join(", ")}]`]
  if (first !== undefined && steps.length === 1)
    return [
      ...lines,
      `    per_hour: ${round(first.perHour, 4)} # ${first.count} arrivals, ${intervalText(first.interval)}`,
    ]
  return [
    ...lines,
    "    per_hour:",
    "      by_hour:",
    ...steps.map(
      ({ fromHour, perHour, interval, count }) =>
        `        "${String(fromHour).padStart(2, "0")}:00": ${round(perHour, 4)} # ${count} arrivals, ${intervalText(interval)}`,
    ),
  ]
}

/** Every fitted duration by its name in a model. */
export function durationsOf({
  reservations,
  runner,
  bot,
  vehicle,
  zones,
  deliveryCancelAfter,
  errands,
}: FittedModel): readonly (readonly [name: string, fit: DurationFit])[] {
  const parts: readonly (readonly [string, DurationFit | null])[] = [
    ["demand.ahead", reservations.ahead],
    ["demand.cancel_after", reservations.cancelAfter],
    ["runner.walk", runner.walk],
    ["runner.pick_up", runner.pick_up],
    ["runner.load", runner.load],
    ["bot.punctuality", bot.punctuality],
    ["bot.settle", bot.settle],
    ["bot.leave", bot.leave],
    ["bot.patience", bot.patience],
    ...zones.flatMap(({ stores }) =>
      stores.map(({ retailerId, preparation }) => [`preparation of ${retailerId}`, preparation] as const),
    ),
    ["vehicle.load", vehicle.load],
    ["vehicle.drop_off", vehicle.dropOff],
    ["cancel_after of deliveries", deliveryCancelAfter],
    ["errand.reserves_after", errands?.reservesAfter ?? null],
    ["errand.pays_after", errands?.paysAfter ?? null],
    ["errand.confirms_after", errands?.confirmsAfter ?? null],
    ["cancel_after of errands", errands?.cancelAfter ?? null],
  ]
  return parts.flatMap(([name, fit]) => (fit === null ? [] : [[name, fit] as const]))
}

/** One line for each fitted part, for the terminal. */
export function fitLines(fitted: FittedModel): readonly string[] {
  const { reservations, bot, faults, zones, span } = fitted
  const shares: readonly (readonly [string, Share | null])[] = [
    ["demand.cancel", reservations.cancel],
    ["bot.no_show", bot.noShow],
    ["bot.abort", bot.abort],
    ["faults.open_link_fails", faults.openLinkFails],
    ["faults.payload_too_heavy", faults.payloadTooHeavy],
    ["errand.gives_up", fitted.errands?.givesUp ?? null],
    ["errand.declined_cards", fitted.errands?.declinedCards ?? null],
    ["errand.nobody_home", fitted.errands?.customerAbsent ?? null],
  ]
  const arrivals = [
    ...zones.flatMap(({ stores }) =>
      stores.map(({ retailerId, arrivals: fit }) => [retailerId, fit] as const),
    ),
    ...fitted.deliveries.map(({ siteId, arrivals: fit }) => [siteId, fit] as const),
    ...(fitted.errands?.stores ?? []).map(({ storeId, arrivals: fit }) => [storeId, fit] as const),
  ]
  return [
    `${fitted.visits} reservations, ${fitted.deliveryCount} deliveries and ${fitted.errands?.count ?? 0} errands, ${dayText(span.fromMs, span.timeZone)} to ${dayText(span.toMs, span.timeZone)}`,
    ...durationsOf(fitted).map(([name, fit]) => `${name}: ${spreadWords(fit.spread)} (${fitText(fit)})`),
    ...shares.flatMap(([name, share]) =>
      share === null ? [] : [`${name}: ${round(share.value * 100, 2)} % (${shareText(share)})`],
    ),
    ...arrivals.map(([name, fit]) => `arrivals of ${name}: ${arrivalText(fit)}`),
    "A fit is judged by the distance of Kolmogorov and Smirnov; its probability is too large, because the same values made the fit.",
    ...fitted.unknown,
  ]
}

export function arrivalText({ rates, unobserved, weekdayProbability }: ArrivalFit): string {
  const groups = rates.map(
    ({ on, steps, count }) =>
      `${on === null ? "" : `${on.join(", ")}: `}${count} in ${steps.length === 1 ? "one rate" : `${steps.length} rates by hour`}`,
  )
  const weekdays =
    weekdayProbability === null
      ? "too few weekdays to compare"
      : weekdayProbability < 0.01
        ? "weekdays differ"
        : "no difference between weekdays was found"
  const gaps = unobserved.length === 0 ? "" : `; hours ${unobserved.join(", ")} were not observed`
  return `${groups.join("; ")}; ${weekdays}${gaps}`
}

/** Numbers of values, intervals, and goodness. */
export function fitText({ n, bounds, spread, intervals, distance, probability }: DurationFit): string {
  const shown = Object.entries(intervals).map(
    ([name, interval]) => `${NAMES[name] ?? name} ${spanText(name, interval)}`,
  )
  const drawn = spread.is === "drawn" ? [distance === null ? "too few to fit" : "no family fits"] : []
  return [
    `n ${n}${bounds === null ? "" : `, ${bounds.count} of them ${bounds.are} bounds`}`,
    ...shown,
    ...drawn,
    ...(distance === null ? [] : [`KS ${round(distance, 3)}, p ${round(probability ?? 0, 3)}`]),
  ].join(", ")
}

const NAMES: Readonly<Record<string, string>> = {
  meanMs: "mean",
  sdMs: "sd",
  scaleMs: "scale",
  fromMs: "from",
  toMs: "to",
}

function spanText(name: string, { low, high }: Interval): string {
  return name.endsWith("Ms") ? `${seconds(low)} to ${seconds(high)}` : intervalText({ low, high })
}

function seconds(ms: number): string {
  return `${round(ms / SECOND_MS, 2)}s`
}

function shareText({ count, of, interval }: Share): string {
  return `${count} of ${of}, ${round(interval.low * 100, 2)} % to ${round(interval.high * 100, 2)} %`
}

function intervalText({ low, high }: Interval): string {
  return `${round(low, 3)} to ${round(high, 3)}`
}

function spreadYaml(of: ModelledSpread): string {
  switch (of.is) {
    case "constant":
      return duration(of.ms)
    case "exponential":
      return `{ exponential: { mean: ${duration(of.meanMs)} } }`
    case "uniform":
      return `{ uniform: [${duration(of.fromMs)}, ${duration(of.toMs)}] }`
    case "weibull":
      return `{ weibull: { shape: ${round(of.shape, 4)}, scale: ${duration(of.scaleMs)} } }`
    case "drawn":
      return `{ drawn_from: [${of.valuesMs.map(duration).join(", ")}] }`
    default:
      return `{ ${of.is}: { mean: ${duration(of.meanMs)}, sd: ${duration(Math.max(1, of.sdMs))} } }`
  }
}

/** The distribution as a model writes it, or what it draws from. */
export function spreadWords(of: ModelledSpread): string {
  return of.is === "drawn"
    ? `drawn from ${of.valuesMs.length} quantiles`
    : spreadYaml(of).replace(/^\{ (.*) \}$/, "$1")
}

/** `1m2s350ms`: as models write it, in whole milliseconds. */
function duration(ms: number): string {
  const whole = Math.round(ms)
  return whole === 0 ? "0s" : showDuration(whole).replaceAll(" ", "")
}

/** `Mon 2026-03-02 10:00`. */
export function dayText(atMs: number, timeZone: string): string {
  const wall = wallClockAt(Math.round(atMs / MINUTE_MS) * MINUTE_MS, timeZone)
  const iso = new Date(wall).toISOString()
  return `${WEEKDAYS[weekdayAt(wall)]} ${iso.slice(0, 10)} ${iso.slice(11, 16)}`
}

export function quoted(text: string): string {
  return JSON.stringify(text)
}

function comment(text: string): readonly string[] {
  return [`# ${text}`]
}

/** Without trailing zeros. */
function round(value: number, digits: number): number {
  return Number(value.toFixed(digits))
}
