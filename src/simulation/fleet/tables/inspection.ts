/** What a table holds, column by column, what its columns may mean, and a demand that replays it. The meanings are guesses for a person to read. */

import type { ColumnKind, InspectedColumn, InspectedTable } from "../../../model/replay/inspected-table.ts"
import { isoMs } from "../../../model/values/time.ts"
import { numberIn } from "./cells.ts"
import { timeFormOf } from "./instants.ts"
import type { Table } from "./table.ts"

const EXAMPLES = 3

/** `site` stands in the demand. */
export function inspectTable(table: Table, site: string): InspectedTable {
  const plain = table.columns.map((name, at) => plainColumn(table, name, at))
  const guesses = guessesOf(plain)
  const columns = plain.map((column) => ({ ...column, guess: guesses.get(column.number) ?? null }))
  const { file, form, rows } = table
  const hours = hoursOf(table, columns)
  return {
    file,
    form,
    rows: rows.length,
    columns,
    rowsByHour: hours?.byHour ?? null,
    demand: demandText(table, columns, { site, firstDay: hours?.firstDay ?? null }),
  }
}

type PlainColumn = Omit<InspectedColumn, "guess">

function cellsAt({ rows }: Table, at: number): readonly string[] {
  return rows.map(({ cells }) => cells[at] ?? "")
}

function plainColumn(table: Table, name: string, at: number): PlainColumn {
  const cells = cellsAt(table, at)
  const counts = new Map<string, number>()
  for (const cell of cells) if (cell !== "") counts.set(cell, (counts.get(cell) ?? 0) + 1)
  const values = [...counts].toSorted(([, one], [, other]) => other - one).map(([value]) => value)
  const filled = cells.filter((cell) => cell !== "").length
  const form = values.length === 0 ? null : timeFormOf(values, null)
  const isTime =
    form !== null && !isPlainNumber(values, name) && ("read" in form || form.message.includes(" or "))
  const isNumber = values.length > 0 && values.every((value) => numberIn(value, table) !== null)
  return {
    number: at + 1,
    name,
    kind: values.length === 0 ? "empty" : isTime ? "time" : isNumber ? "number" : "text",
    timeForm: isTime ? ("read" in form ? form.says : form.message.replace(/^.* are /, "")) : null,
    filled: cells.length === 0 ? 0 : filled / cells.length,
    examples: values.slice(0, EXAMPLES),
    distinct: values.length,
  }
}

/** A number that could be a time, in a column that is not called one. */
function isPlainNumber(values: readonly string[], name: string): boolean {
  return (
    values.every((value) => /^[-+]?\d+([.,]\d+)?$/.test(value)) && !/time|date|_at$|stamp|created/i.test(name)
  )
}

/* Guesses. */

function guessesOf(columns: readonly PlainColumn[]): ReadonlyMap<number, string> {
  const guesses = new Map<number, string>()
  const guess = (word: string, found: PlainColumn | undefined): void => {
    if (found !== undefined && !guesses.has(found.number)) guesses.set(found.number, word)
  }
  const named = (pattern: RegExp, kinds: readonly ColumnKind[]): PlainColumn | undefined =>
    columns.find(
      ({ name, kind, number }) => kinds.includes(kind) && pattern.test(name) && !guesses.has(number),
    )
  const time: readonly ColumnKind[] = ["time"]
  guess(
    "time",
    named(/creat|purchase|order(ed)?_?(at|time|date)|request|placed|platform_order/i, time) ??
      named(/pickup|book|time|date/i, time) ??
      columns.find(({ kind }) => kind === "time"),
  )
  if (![...guesses.values()].includes("time")) {
    guess("time.weekday", named(/dow|weekday|day_of_week/i, ["number", "text"]))
    guess("time.hour", named(/hour/i, ["number"]))
  }
  guess("preparation.from", named(/accept|approv|confirm/i, time))
  guess("preparation.to", named(/ready|prepared|carrier/i, time))
  const door = doorOf(columns)
  guess("door.lat", door?.lat)
  guess("door.lon", door?.lon)
  guess(
    "cancel",
    columns.find(
      ({ kind, examples, distinct }) =>
        kind === "text" && distinct <= 20 && examples.some((cell) => /cancel/i.test(cell)),
    ) ?? named(/status/i, ["text"]),
  )
  guess(
    "store",
    named(/store|shop|restaurant|retailer/i, ["number", "text"]) ?? named(/market|poi/i, ["number", "text"]),
  )
  guess("preparation.each", named(/items|quantity|qty/i, ["number"]))
  guess("priority", named(/priority|tier/i, ["number", "text"]))
  return guesses
}

const LATITUDE = /^lat(itude)?$|.{3}lat(itude)?$/
const LONGITUDE = /^(lon|lng|long|longitude)$|.{3}(lon|lng|long|longitude)$/

/** `dropoffLat` and `DROPOFF_LAT` have the same words. */
function wordsOf(name: string): readonly string[] {
  return name
    .replaceAll(/([a-z])([A-Z])/g, "$1 $2")
    .toLowerCase()
    .split(/[^a-z]+/)
}

function isDoor(name: string): boolean {
  return wordsOf(name).some((word) => /^to$|drop|recipient|customer|dest|door|deliver/.test(word))
}

/** Where the order is made or collected. */
function isOrigin(name: string): boolean {
  return wordsOf(name).some((word) =>
    /^(from|poi)$|store|shop|pick|merchant|restaurant|retailer|sender|vendor|origin|warehouse/.test(word),
  )
}

interface DoorColumns {
  readonly lat: PlainColumn
  readonly lon: PlainColumn
}

/** Two columns of numbers whose names differ in that word alone; those that are called a door's before others. */
function doorOf(columns: readonly PlainColumn[]): DoorColumns | undefined {
  const named = (pattern: RegExp) =>
    columns.flatMap((column) => {
      const words = wordsOf(column.name)
      if (column.kind !== "number" || isOrigin(column.name) || !words.some((word) => pattern.test(word)))
        return []
      return [
        { column, rest: words.map((word) => word.replace(/(lat|lon|lng|long)(itude)?$/, "")).join(" ") },
      ]
    })
  const longitudes = named(LONGITUDE)
  const pairs = named(LATITUDE).flatMap(({ column: lat, rest }) => {
    const lon = longitudes.find((one) => one.rest === rest)?.column
    return lon === undefined ? [] : [{ lat, lon }]
  })
  return pairs.find(({ lat }) => isDoor(lat.name)) ?? (pairs.length === 1 ? pairs[0] : undefined)
}

/* Hours and the demand. */

interface Hours {
  readonly byHour: readonly number[]
  /** The first day in the table; null of a log without dates. */
  readonly firstDay: string | null
}

function hoursOf(table: Table, columns: readonly InspectedColumn[]): Hours | null {
  const byHour = Array.from({ length: 24 }, () => 0)
  const count = (hour: number): void => {
    if (hour >= 0 && hour < 24) byHour[Math.floor(hour)] = (byHour[Math.floor(hour)] ?? 0) + 1
  }
  const hour = columns.find(({ guess }) => guess === "time.hour")
  if (hour !== undefined) {
    for (const cell of cellsAt(table, hour.number - 1)) count(numberIn(cell, table) ?? -1)
    return { byHour, firstDay: null }
  }
  const time = columns.find(({ guess }) => guess === "time")
  if (time === undefined) return null
  const cells = cellsAt(table, time.number - 1)
  const form = timeFormOf(cells, null)
  if (!("read" in form)) return null
  let first = Number.POSITIVE_INFINITY
  for (const cell of cells) {
    const read = form.read(cell)
    if (read === null) continue
    const ms = "wallMs" in read ? read.wallMs : read.instantMs
    first = Math.min(first, ms)
    count(new Date(ms).getUTCHours())
  }
  return { byHour, firstDay: Number.isFinite(first) ? isoMs(first).slice(0, 10) : null }
}

/** What is sure enough is a line; the rest is a comment to complete. */
function demandText(
  table: Table,
  columns: readonly InspectedColumn[],
  { site, firstDay }: { readonly site: string; readonly firstDay: string | null },
): string {
  const by = (guess: string): InspectedColumn | undefined => columns.find((one) => one.guess === guess)
  const [time, weekday, hour] = [by("time"), by("time.weekday"), by("time.hour")]
  const [lat, lon, from, to] = [by("door.lat"), by("door.lon"), by("preparation.from"), by("preparation.to")]
  const [store, cancel, items, priority] = [by("store"), by("cancel"), by("preparation.each"), by("priority")]
  const isAmbiguous = time?.timeForm?.includes(" or ") === true
  const lines = [
    `file: ${yaml(table.file)}`,
    time !== undefined
      ? isAmbiguous
        ? `time: { column: ${nameOf(time)}, format: ${yaml(time.timeForm?.split(" or ")[0] ?? "")} } # or ${time.timeForm?.split(" or ")[1]}`
        : `time: ${nameOf(time)} # ${time.timeForm}`
      : weekday !== undefined && hour !== undefined
        ? `time: { weekday: ${nameOf(weekday)}, hour: ${nameOf(hour)}, zero_is: Sun }`
        : "# time: the column of the time of the order",
    ...(store === undefined
      ? []
      : [
          `# store: { column: ${nameOf(store)}, are: { ${store.examples.map((cell) => `${yaml(cell)}: STORE`).join(", ")} } }`,
        ]),
    ...(lat === undefined || lon === undefined ? [] : [doorLine(table, lat, lon)]),
    ...(from !== undefined && to !== undefined
      ? [`preparation: { from: ${nameOf(from)}, to: ${nameOf(to)} }`]
      : to !== undefined
        ? [`preparation: { to: ${nameOf(to)} }`]
        : items === undefined
          ? []
          : [`# preparation: { column: ${nameOf(items)}, each: 2m }`]),
    ...cancelLines(table, cancel),
    ...(priority === undefined ? [] : [`# priority: ${nameOf(priority)}`]),
    ...(firstDay === null ? [] : [`# first_day: ${firstDay}`]),
    "# resample: days",
  ]
  return [
    "demand:",
    "  - product: delivery",
    `    site: ${yaml(site)} # a site of the model`,
    "    replay:",
    ...lines.map((line) => `      ${line}`),
    "",
  ].join("\n")
}

function cancelLines(table: Table, cancel: InspectedColumn | undefined): readonly string[] {
  if (cancel === undefined) return []
  const cells = [...new Set(cellsAt(table, cancel.number - 1))].filter((cell) => /cancel/i.test(cell))
  return cells.length === 0
    ? []
    : [`cancel: { column: ${nameOf(cancel)}, is: [${cells.map(yaml).join(", ")}] }`]
}

/** A comment when the names do not say whose place it is, or the values do not say what a degree is. */
function doorLine(table: Table, lat: InspectedColumn, lon: InspectedColumn): string {
  const perDegree = perDegreeOf(table, lat, lon)
  const degree = perDegree === 1 ? "" : `, per_degree: ${perDegree ?? "HOW_MUCH"}`
  const line = `door: { lat: ${nameOf(lat)}, lon: ${nameOf(lon)}${degree} }`
  return perDegree !== null && isDoor(lat.name) ? line : `# ${line}`
}

/** What logs write a degree as: itself, or a whole number of its millionths or of a tenth of them. Null when it is neither. */
function perDegreeOf(table: Table, lat: InspectedColumn, lon: InspectedColumn): number | null {
  const [latitudes, longitudes] = [lat, lon].map(({ number }) =>
    cellsAt(table, number - 1).flatMap((cell) => numberIn(cell, table) ?? []),
  ) as [number[], number[]]
  const most = (values: readonly number[]): number =>
    values.reduce((max, value) => Math.max(max, Math.abs(value)), 0)
  const [latMost, lonMost] = [most(latitudes), most(longitudes)]
  const isWithin = (perDegree: number): boolean => latMost <= 90 * perDegree && lonMost <= 180 * perDegree
  if (isWithin(1)) return 1
  const areParts =
    Math.max(latMost, lonMost) >= MICRO && [...latitudes, ...longitudes].every(Number.isInteger)
  return areParts ? ([MICRO, 10 * MICRO].find(isWithin) ?? null) : null
}

const MICRO = 1_000_000

/** A name that a number would be taken for is quoted; a column without a name has its number. */
function nameOf({ name, number }: InspectedColumn): string {
  return name === "" || name === String(number) ? String(number) : yaml(name)
}

function yaml(text: string): string {
  return /^[A-Za-z_][\w./-]*$/.test(text) && !/^(y|n|yes|no|on|off|true|false|null)$/i.test(text)
    ? text
    : JSON.stringify(text)
}
