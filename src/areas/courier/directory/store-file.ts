/** Stores as rows of a CSV file, one column for each field; problems are reported by line and column, many at once. */

import { csvRows } from "../../../model/values/csv.ts"
import type { CsvRow } from "../../../model/values/csv.ts"
import type { FieldProblem } from "../../../model/values/errors.ts"
import {
  ADDRESS_LINE_LENGTH_MAX,
  RETAILER_NAME_LENGTH_MAX,
  STALL_HINT_LENGTH_MAX,
  STORES_MAX,
  STORE_LEAD_MINUTES_MAX,
  STORE_LEAD_MS,
  STORE_PROBLEMS_TOLD_MAX,
} from "../../../model/values/limits.ts"
import { E_164 } from "../../../model/values/schema.ts"
import { MINUTE_MS } from "../../../model/values/time.ts"
import { hoursIn, hoursText } from "./opening-hours.ts"
import { STORE_CATEGORIES } from "./served-stores.ts"
import { STORE_PREFIX } from "./store-directory.ts"
import type { Store } from "./store-directory.ts"

/** Every column, as text, in documented order. */
export const STORE_COLUMNS = [
  "store_id",
  "name",
  "street",
  "zip",
  "latitude",
  "longitude",
  "categories",
  "phone",
  "hours",
  "lead_minutes",
  "kitchen_starts",
  "stall_hint",
] as const

type Column = (typeof STORE_COLUMNS)[number]

export type StoreTexts = Readonly<Record<Column, string>>

/** May be left out or empty: the listing has no value, or the default applies. */
const OPTIONAL: readonly Column[] = ["phone", "hours", "lead_minutes", "stall_hint"]

type StoreFile =
  | { readonly type: "stores"; readonly stores: readonly Store[] }
  | { readonly type: "wrong"; readonly problems: readonly FieldProblem[] }

export function storesIn(text: string): StoreFile {
  const found = csvRows(text)
  if ("fault" in found) return wrong([{ field: `line ${found.fault.line}`, message: found.fault.message }])
  const [header, ...rows] = found.rows
  if (header === undefined) return wrong([{ field: "line 1", message: "must name the columns" }])
  const inHeader = problemsInHeader(header)
  if (inHeader.length > 0) return wrong(inHeader)
  if (rows.length > STORES_MAX) {
    return wrong([{ field: `line ${rows[STORES_MAX]?.line}`, message: `is beyond ${STORES_MAX} stores` }])
  }
  const problems: FieldProblem[] = []
  const stores: Store[] = []
  const lineOf = new Map<string, number>()
  for (const row of rows) {
    const read = storeIn(row, header.cells)
    problems.push(...read.problems)
    if (read.store === null) continue
    const earlier = lineOf.get(read.store.storeId)
    if (earlier !== undefined) {
      problems.push(problemAt(row.line, "store_id", `is also in line ${earlier}`))
    }
    lineOf.set(read.store.storeId, row.line)
    stores.push(read.store)
  }
  return problems.length === 0 ? { type: "stores", stores } : wrong(problems)
}

/** A store as a row of the file. */
export function textsOf(store: Store): StoreTexts {
  return {
    store_id: store.storeId,
    name: store.name,
    street: store.street,
    zip: store.zip,
    latitude: String(store.place.latitude),
    longitude: String(store.place.longitude),
    categories: store.categories.join(" "),
    phone: store.phone ?? "",
    hours: store.hours === null ? "" : hoursText(store.hours),
    lead_minutes: String(store.leadTimeMs / MINUTE_MS),
    kitchen_starts: store.kitchenStarts,
    stall_hint: store.stallHint ?? "",
  }
}

function wrong(problems: readonly FieldProblem[]): StoreFile {
  const told = problems.slice(0, STORE_PROBLEMS_TOLD_MAX)
  const more = problems.length - told.length
  const rest = more === 0 ? [] : [{ field: "and", message: `${more} more of the kind` }]
  return { type: "wrong", problems: [...told, ...rest] }
}

function problemAt(line: number, column: string, message: string): FieldProblem {
  return { field: `line ${line}, ${column}`, message }
}

function problemsInHeader({ line, cells }: CsvRow): readonly FieldProblem[] {
  const unknown = cells.filter((cell) => !(STORE_COLUMNS as readonly string[]).includes(cell))
  const twice = cells.filter((cell, at) => cells.indexOf(cell) !== at)
  const missing = STORE_COLUMNS.filter((column) => !OPTIONAL.includes(column) && !cells.includes(column))
  return [
    ...unknown.map((cell) =>
      problemAt(line, `"${cell}"`, `is no column; there are ${STORE_COLUMNS.join(", ")}`),
    ),
    ...twice.map((cell) => problemAt(line, cell, "stands there twice")),
    ...missing.map((column) => problemAt(line, column, "is missing")),
  ]
}

interface ReadStore {
  readonly store: Store | null
  readonly problems: readonly FieldProblem[]
}

function storeIn({ line, cells }: CsvRow, header: readonly string[]): ReadStore {
  const problems: FieldProblem[] = []
  if (cells.length > header.length) {
    problems.push({
      field: `line ${line}`,
      message: `has ${cells.length} fields for ${header.length} columns`,
    })
  }
  const textOf = (column: Column): string => cells[header.indexOf(column)] ?? ""
  const read = <A>(column: Column, parse: (text: string) => A | Wrong, otherwise: A): A => {
    const text = textOf(column)
    if (text === "" && OPTIONAL.includes(column)) return otherwise
    const value = text === "" ? new Wrong("must not be empty") : parse(text)
    if (!(value instanceof Wrong)) return value
    problems.push(problemAt(line, column, value.message))
    return otherwise
  }
  const store: Store = {
    storeId: read("store_id", storeId, ""),
    name: read("name", atMost(RETAILER_NAME_LENGTH_MAX), ""),
    street: read("street", atMost(ADDRESS_LINE_LENGTH_MAX), ""),
    zip: read("zip", matching(/^\d{5}(?:[ -]?\d{4})?$/, "must be a ZIP code of five digits"), ""),
    place: {
      latitude: read("latitude", degrees(90), 0),
      longitude: read("longitude", degrees(180), 0),
    },
    categories: read("categories", categories, []),
    phone: read<string | null>("phone", matching(E_164, "must be a number in E.164"), null),
    hours: read<Store["hours"]>("hours", hours, null),
    leadTimeMs: read("lead_minutes", leadTime, STORE_LEAD_MS),
    kitchenStarts: read("kitchen_starts", kitchenStarts, "on_check_in"),
    stallHint: read<string | null>("stall_hint", atMost(STALL_HINT_LENGTH_MAX), null),
  }
  return { store: problems.length === 0 ? store : null, problems }
}

/** The problem of a text, which completes a sentence that begins with the column. */
class Wrong {
  readonly message: string

  constructor(message: string) {
    this.message = message
  }
}

function matching(pattern: RegExp, message: string) {
  return (text: string): string | Wrong => (pattern.test(text) ? text : new Wrong(message))
}

function storeId(text: string): string | Wrong {
  const message = `must be ${STORE_PREFIX} and small letters, digits and underscores, 64 characters at most`
  return matching(/^store_[a-z0-9_]{1,58}$/, message)(text)
}

function atMost(max: number) {
  return (text: string): string | Wrong => {
    const length = [...text].length
    if (length > max) return new Wrong(`must have at most ${max} characters, has ${length}`)
    return /\p{Cc}/u.test(text) ? new Wrong("must be one line without control characters") : text
  }
}

function degrees(most: number) {
  return (text: string): number | Wrong => {
    const value = Number(text)
    return /^-?\d{1,3}(?:\.\d{1,17})?$/.test(text) && Math.abs(value) <= most
      ? value
      : new Wrong(`must be degrees from -${most} to ${most}`)
  }
}

/** No screening rule would match an unknown category. */
function categories(text: string): readonly string[] | Wrong {
  const words = text.split(/[\s;|]+/).filter((word) => word !== "")
  const unknown = words.find((word) => !STORE_CATEGORIES.includes(word))
  return unknown === undefined
    ? [...new Set(words)]
    : new Wrong(`has "${unknown}"; there are ${STORE_CATEGORIES.join(", ")}`)
}

function hours(text: string): Store["hours"] | Wrong {
  const found = hoursIn(text)
  return typeof found === "string" ? new Wrong(found) : found
}

function leadTime(text: string): number | Wrong {
  const minutes = Number(text)
  return /^\d{1,3}$/.test(text) && minutes <= STORE_LEAD_MINUTES_MAX
    ? minutes * MINUTE_MS
    : new Wrong(`must be whole minutes from 0 to ${STORE_LEAD_MINUTES_MAX}`)
}

function kitchenStarts(text: string): Store["kitchenStarts"] | Wrong {
  return text === "on_check_in" || text === "scheduled" ? text : new Wrong("must be on_check_in or scheduled")
}
