/** What was fitted from a table as the text of a model file, and as lines for people. */

import { DAY_MS } from "../../../model/values/time.ts"
import type { FleetDemand } from "../language/model.ts"
import type { DurationFit } from "./duration-fit.ts"
import type { FittedTable, FittedTableStore } from "./table-fit.ts"
import {
  arrivalText,
  dayText,
  fitLine,
  fitText,
  medianLine,
  quoted,
  rateLines,
  shareLine,
  spreadWords,
} from "./written-model.ts"

export interface TableNaming {
  readonly source: string
  readonly product: FleetDemand["product"]
  readonly timeZone: string
  /** Of the site. */
  readonly place: { readonly latitude: number; readonly longitude: number } | null
  readonly reachKm: number | null
  /** How the table was read, and which rows are no orders. */
  readonly notes: readonly string[]
}

/** The model as YAML, which `readFleet` reads. */
export function tableModelText(fitted: FittedTable, naming: TableNaming): string {
  const { source, product, timeZone, place, reachKm } = naming
  const { fromMs, toMs } = fitted.span
  const days = Math.min(7, Math.max(1, Math.ceil((toMs - fromMs) / DAY_MS)))
  const at = place === null ? "[0, 0]" : `[${place.latitude}, ${place.longitude}]`
  const guess = `# a guess: the orders of the busiest hour of the log`
  return [
    "# A model fitted by `curbline fleet fit --table`: figures beside values are numbers of observations and 95 % intervals.",
    ...naming.notes.map((note) => `# ${note}`),
    `fleet: ${quoted(`Fitted from ${source}`)}`,
    `because: ${quoted(`What was ordered from ${spanText(fitted)}, to ask what if.`)}`,
    `clock: ${new Date(fromMs).toISOString().slice(0, 10)}T00:00 ${timeZone}`,
    `horizon: ${days}d`,
    "replications: 10",
    "",
    "sites:",
    "  - as: site",
    `    at: ${at}`,
    ...(reachKm === null ? [] : [`    reach_km: ${reachKm}`]),
    ...(product === "reservation"
      ? [`    stalls: ${fitted.busiest} ${guess}`, `    runners: ${fitted.busiest} ${guess}`]
      : [`    vehicles: ${fitted.busiest} ${guess}`]),
    ...storeLines(fitted.stores),
    "",
    ...(fitted.patience === null ? [] : ["bot:", ...fitLine("patience", fitted.patience, "  "), ""]),
    "demand:",
    ...fitted.stores.flatMap((store) => demandLines(store, fitted, product)),
    "",
    ...(fitted.odd.length === 0 ? [] : ["# Odd in the data:", ...fitted.odd.map((line) => `# - ${line}`)]),
    "# Not known from the data:",
    ...UNKNOWN.map((line) => `# - ${line}`),
    "",
  ].join("\n")
}

/** Of every table. */
export const UNKNOWN: readonly string[] = [
  "Orders that were refused or not placed are not in a log: the demand is that of its rows.",
  "Runners, cooks, stalls and vehicles, and how they work, are not in a log: the counts are guesses, and the rest has its defaults.",
]

function storeLines(stores: readonly FittedTableStore[]): readonly string[] {
  return [
    "    stores:",
    ...stores.flatMap(({ store, preparation }) => [
      `      - as: ${quoted(store ?? "store")}`,
      ...fitLine("preparation", preparation, "        "),
    ]),
  ]
}

function demandLines(
  { store, arrivals }: FittedTableStore,
  { ahead, readyIn, cancel, cancelAfter, widthMs }: FittedTable,
  product: FleetDemand["product"],
): readonly string[] {
  return arrivals.rates.flatMap((rates) => [
    `  - product: ${product}`,
    "    site: site",
    ...(store === null ? [] : [`    store: ${quoted(store)}`]),
    ...rateLines(rates),
    ...fitLine("ahead", ahead, "    "),
    ...medianLine("width", widthMs, "    "),
    ...fitLine("ready_in", readyIn, "    "),
    ...shareLine("cancel", cancel, "    "),
    ...fitLine("cancel_after", cancelAfter, "    "),
  ])
}

/** Every fitted duration by its name in a model. */
export function tableDurations({
  stores,
  ahead,
  readyIn,
  cancelAfter,
  patience,
}: FittedTable): readonly (readonly [name: string, fit: DurationFit])[] {
  const parts: readonly (readonly [string, DurationFit | null])[] = [
    ["demand.ahead", ahead],
    ["demand.ready_in", readyIn],
    ["demand.cancel_after", cancelAfter],
    ["bot.patience", patience],
    ...stores.map(({ store, preparation }) => [`preparation of ${store ?? "store"}`, preparation] as const),
  ]
  return parts.flatMap(([name, fit]) => (fit === null ? [] : [[name, fit] as const]))
}

/** One line for each fitted part, for the terminal. */
export function tableLines(fitted: FittedTable, { notes }: Pick<TableNaming, "notes">): readonly string[] {
  return [
    ...notes,
    `${fitted.orders} orders from ${spanText(fitted)}`,
    ...tableDurations(fitted).map(([name, fit]) => `${name}: ${spreadWords(fit.spread)} (${fitText(fit)})`),
    ...shareLine("demand.cancel", fitted.cancel, ""),
    ...fitted.stores.map(
      ({ store, arrivals }) => `arrivals of ${store ?? "store"}: ${arrivalText(arrivals)}`,
    ),
    ...fitted.odd,
    ...UNKNOWN,
  ]
}

function spanText({ span: { fromMs, toMs, timeZone } }: FittedTable): string {
  return `${dayText(fromMs, timeZone)} to ${dayText(toMs, timeZone)}`
}
