/** The main numbers of a fleet model with their places in its text, for sliders. */

import { EACH_SITE } from "./counts.ts"
import { withDemandParts } from "./demand-parts.ts"
import { listed } from "../../../model/values/listed.ts"
import { isValuePath, stepsTo } from "./paths/value-paths.ts"
import { partAt } from "./written-part.ts"
import { parseSource, reporter } from "../../scenario/language/source.ts"
import type { Written, WrittenMap, WrittenScalar } from "../../scenario/language/source.ts"
import type { FleetGroup, FleetNumber } from "../../../model/replay/number-text.ts"

/** Keys whose numbers are counts of people, or of vehicles and stalls. */
const PEOPLE: ReadonlySet<string> = new Set(["cooks", "count", "runners"])
const PLACES: ReadonlySet<string> = new Set(["speed_kmh", "stalls", "vehicles"])
/** Parts that say when, what is asked, or how it is answered. */
const OTHERS: ReadonlySet<string> = new Set([
  "changes",
  "costs",
  "find",
  "promises",
  "sensitivity",
  "sweep",
  "travel",
  "until",
])
const NUMBER = /^(\d+(?:\.\d+)?)(ms|s|m|h|%)?$/
/** A slider goes at least this far. */
const LEAST_MAX = 10

/** In the order of the text; empty for a text that is not YAML. */
export function fleetNumbers(file: string, text: string): readonly FleetNumber[] {
  const root = parseSource({ file, text }, reporter([]))
  if (root === null) return []
  const setBy = settersIn(root)
  const sites = root.entries.find(({ key }) => key === "sites")?.value
  const hasSites = sites?.type === "list" && sites.items.length > 1
  // A path names one of the demands that are made from a written one, whose numbers are those of all of them.
  const parts = withDemandParts(root)
  const byPath = new Map([...setBy.keys()].flatMap((path) => writtenAt(parts, path)))
  return root.entries
    .filter(({ key }) => !OTHERS.has(key))
    .flatMap(({ key, value }) =>
      value.type === "scalar"
        ? []
        : numbersIn(value, { keys: [key], names: [], path: null, setBy, byPath, hasSites }),
    )
}

/** What a path leads to in the text; nothing for a setting that is no path, and for a value that is left out. */
function writtenAt(root: WrittenMap, path: string): readonly (readonly [Written, string])[] {
  const steps = isValuePath(path) ? stepsTo(root, path) : null
  if (steps === null || !("length" in steps)) return []
  const part = partAt(root, steps)
  return part === partAt(root, steps.slice(0, -1)) ? [] : [[part, path]]
}

interface Setter {
  /** In words. */
  readonly setBy: string
  /** The first value of a sweep, as it is written; null for a search. */
  readonly first: string | null
}

/** The settings that a sweep or a search sets, and which of the two does, in words. The numbers in the text have no effect then. */
function settersIn({ entries }: WrittenMap): ReadonlyMap<string, Setter> {
  const of = (name: string): Written | undefined => entries.find(({ key }) => key === name)?.value
  const [sweep, find] = [of("sweep"), of("find")]
  const swept = sweep?.type === "map" ? sweep.entries : []
  const least = find?.type === "map" ? find.entries.find(({ key }) => key === "least")?.value : undefined
  return new Map<string, Setter>([
    ...swept.map(({ key, value }) => {
      const values = scalarsIn(value)
      return [key, { setBy: `the sweep tries ${listed(values)}`, first: values[0] ?? null }] as const
    }),
    ...scalarsIn(least).map(
      (setting) => [setting, { setBy: "the search looks for it", first: null }] as const,
    ),
  ])
}

/** A text, or the texts of a list. */
function scalarsIn(value: Written | undefined): readonly string[] {
  if (value === undefined) return []
  if (value.type === "scalar") return [value.text]
  return value.type === "list" ? value.items.flatMap(scalarsIn) : []
}

interface Way {
  readonly keys: readonly string[]
  /** Below the key at the top. */
  readonly names: readonly Name[]
  /** Whether stores of one name may be at several sites. */
  readonly hasSites: boolean
  /** The path by which a sweep sets it; null unless one does. */
  readonly path: string | null
  readonly byPath: ReadonlyMap<Written, string>
  /** By setting. */
  readonly setBy: ReadonlyMap<string, Setter>
}

/** A key, or what distinguishes an item of a list. */
interface Name {
  readonly is: "key" | "number" | "thing"
  readonly text: string
}

function numbersIn(value: Written, above: Way): readonly FleetNumber[] {
  const way = { ...above, path: above.byPath.get(value) ?? above.path }
  switch (value.type) {
    case "scalar":
      return numberOf(value, way)
    case "list":
      return value.items.flatMap((item, at) => {
        const own = item.type === "map" ? nameOf(item) : null
        const bounds = way.keys.at(-1) === "uniform" ? (["least", "most"][at] ?? null) : null
        const number = bounds ?? (value.items.length > 1 ? String(at + 1) : null)
        const name = own ?? (number === null ? null : ({ is: "number", text: number } as const))
        return numbersIn(item, { ...way, names: name === null ? way.names : [...way.names, name] })
      })
    case "map":
      return value.entries.flatMap(({ key, value: inside }) =>
        numbersIn(inside, {
          ...way,
          keys: [...way.keys, key],
          names: [...way.names, { is: "key", text: key }],
        }),
      )
  }
}

/** What distinguishes an item: its name; of a demand its product, site and store before it, where no column says them. */
function nameOf({ entries }: WrittenMap): Name | null {
  const textOf = (key: string): string | null => {
    const found = entries.find((entry) => entry.key === key)?.value
    return found?.type === "scalar" ? found.text : null
  }
  const isByColumn = entries.some(({ key, value }) => key === "product" && value.type === "map")
  const [product, site, store] = [isByColumn ? "" : textOf("product"), textOf("site"), textOf("store")]
  const [from, as] = [textOf("from"), textOf("as")]
  if (product !== null) {
    const orders = ORDERS[product] ?? product
    const where = `${site === null ? "" : ` at ${site}`}${store === null ? "" : ` for ${store}`}`
    return { is: "thing", text: `${orders}${where}${as === null ? "" : `, ${as}`}` }
  }
  if (as !== null) return { is: "thing", text: as }
  return from === null ? null : { is: "number", text: `from ${from}` }
}

const ORDERS: Readonly<Record<string, string>> = {
  "": "orders",
  courier: "courier orders",
  delivery: "deliveries",
  reservation: "reservations",
}

/** Keys that say how a number is written, and not what it is. */
const UNSAID: ReadonlySet<string> = new Set(
  ["by_hour", "constant", "count", "exponential", "gamma", "geometric", "lognormal", "normal"].concat(
    "quantiles",
    "stores",
    "triangular",
    "uniform",
    "weibull",
  ),
)

/** Keys that do not read well. */
const KEY_WORDS: Readonly<Record<string, string>> = {
  batch: "orders at once",
  per_hour: "orders an hour",
  sd: "standard deviation",
  speed_kmh: "speed in km/h",
}

/** Whose numbers are at the top of a model. */
const WHOSE: Readonly<Record<string, string>> = { bot: "bots", runner: "runners", vehicle: "vehicles" }

/** `Preparation at Lunchbox: mean`, `Orders an hour of deliveries at north: 11:00`, `Walk of runners: least`. */
function labelOf({ keys, names, hasSites }: Way): string {
  const [root = ""] = keys
  if (root === "out") return outLabel(names)
  const things = names.flatMap(({ is, text }) => (is === "thing" ? [text] : []))
  const lastThing = names.findLastIndex(({ is }) => is === "thing")
  const said = names
    .slice(lastThing + 1)
    .filter(({ is, text }) => is !== "key" || !UNSAID.has(text))
    .map(({ is, text }) => (is === "key" ? (KEY_WORDS[text] ?? text.replaceAll("_", " ")) : text))
  const [subject = KEY_WORDS[root] ?? root.replaceAll("_", " "), ...details] = said
  const more = details.length === 0 ? "" : `: ${details.join(", ")}`
  return `${subject.charAt(0).toUpperCase()}${subject.slice(1)}${whereOf(root, { things, hasSites })}${more}`
}

/** `Vehicles out: from 12:00`, `Time out: 2, mean`: what, and then in which entry of `out`. */
function outLabel(names: readonly Name[]): string {
  const said = names.filter(({ is, text }) => is !== "key" || !UNSAID.has(text))
  const at = said.findIndex(({ is }) => is === "key")
  const what = said[at]?.text ?? ""
  const details = said.filter((_, place) => place !== at).map(({ text }) => KEY_WORDS[text] ?? text)
  const subject = OUT_WORDS[what] ?? `${what.replaceAll("_", " ")} out`
  return `${subject.charAt(0).toUpperCase()}${subject.slice(1)}${details.length === 0 ? "" : `: ${details.join(", ")}`}`
}

const OUT_WORDS: Readonly<Record<string, string>> = {
  crew: "repairs at a time",
  every: "time in use before a breakdown",
  lasts: "time out",
}

function whereOf(
  root: string,
  { things: [outer, inner], hasSites }: { readonly things: readonly string[]; readonly hasSites: boolean },
): string {
  if (outer === undefined) return WHOSE[root] === undefined ? "" : ` of ${WHOSE[root]}`
  if (root === "demand") return ` of ${outer}`
  if (inner === undefined) return ` at ${outer}`
  return ` at ${hasSites ? `${inner}, ${outer}` : inner}`
}

function numberOf({ text, value: read, span }: WrittenScalar, way: Way): readonly FleetNumber[] {
  const { keys } = way
  const [, digits = "", unit = ""] = NUMBER.exec(text) ?? []
  const group = groupOf(keys, unit)
  // Quoted texts are times of the day.
  if (digits === "" || group === null || span.length !== text.length || typeof read === "boolean") return []
  const value = Number(digits)
  const settings = settingsOf(way)
  const setter = setterOf(settings, way)
  const isWhole = Number.isInteger(value) && (group === "People" || group === "Vehicles and stalls")
  const max = unit === "%" ? Math.min(100, Math.max(LEAST_MAX, value * 2)) : Math.max(LEAST_MAX, value * 2)
  return [
    {
      group,
      label: labelOf(way),
      value,
      unit,
      min:
        group === "Durations" || isWhole || keys.includes("batch") || keys.at(-1) === "size"
          ? Math.min(1, value)
          : 0,
      max: Math.ceil(max),
      step: isWhole || Number.isInteger(value) ? 1 : 0.1,
      line: span.place.line,
      column: span.place.column,
      length: text.length,
      setBy: setter?.setBy ?? null,
      firstCase: setter?.first ?? null,
      settings,
    },
  ]
}

/** A count is set at every site, or at its own; any value by its path. */
function settingsOf({ keys, names, path }: Way): readonly string[] {
  if (path !== null) return [path]
  const setting = settingOf(keys)
  const site = keys[0] === "sites" ? names[0]?.text : undefined
  return site === undefined ? [setting] : [setting, `${setting} at ${site}`]
}

/** A search may set it at each site. */
function setterOf(settings: readonly string[], { keys, setBy }: Way): Setter | undefined {
  const eachSite = settings.length === 1 ? [] : [`${settingOf(keys)} at ${EACH_SITE}`]
  return [...settings, ...eachSite].map((name) => setBy.get(name)).find((one) => one !== undefined)
}

/** The number of a shift is `count`. */
function settingOf(keys: readonly string[]): string {
  return (keys.at(-1) === "count" ? keys.at(-2) : keys.at(-1)) ?? ""
}

function groupOf(keys: readonly string[], unit: string): FleetGroup | null {
  if (keys.includes("per_hour") || keys.includes("batch") || keys.at(-1) === "size") return "Demand"
  if (unit === "%") return "Chances"
  if (unit !== "") return "Durations"
  const last = keys.findLast((key) => PEOPLE.has(key) || PLACES.has(key))
  if (last === undefined || keys.at(-1) === "at") return null
  return PEOPLE.has(last) && !keys.includes("vehicles") ? "People" : "Vehicles and stalls"
}
