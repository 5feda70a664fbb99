/** Finds rows of a table in memory: by the key, by indexes that are built when a condition first needs them, or by a scan. */

import { isEither } from "../services/tables/conditions.ts"
import type { Comparison, Order, Where } from "../services/tables/conditions.ts"
import type { Columns } from "../services/tables/columns.ts"
import type { Index, Table } from "../services/tables/table.ts"
import type { ListOptions } from "../services/tables/tables.ts"
import type { MemoryTable, RowsBy } from "./memory-store.ts"

/** A row as it is kept: plain JSON. */
export type Plain = Readonly<Record<string, unknown>>

/** Joins the values of a key. PostgreSQL's text cannot contain this separator. */
const SEPARATOR = "\u0000"

const NO_ROWS: readonly Plain[] = []

/** Finds the rows of a condition: by the key, by the best index, or by a scan. */
export class Search<C extends Columns> {
  readonly #rows: MemoryTable<Plain>
  readonly #key: readonly string[]
  readonly #indexes: readonly PreparedIndex[]
  readonly #ordered: readonly OrderedIndex[]

  constructor(rows: MemoryTable<Plain>, { key, indexes, columns }: Table<C>) {
    this.#rows = rows
    this.#key = key
    const all = [...indexes, { by: key }] as unknown as readonly Index<Columns>[]
    this.#indexes = all.map((index) => new PreparedIndex(rows, index))
    this.#ordered = all.flatMap((index) => orderedIndexOf(rows, index, columns) ?? [])
  }

  keyOf(row: object): string {
    return valuesOf(row as Plain, this.#key)
  }

  /** In order of insertion, or in the order in which they were indexed. */
  found(where: Where<C>): readonly Plain[] {
    // Observers query at every turn for rows that most runs do not have: webhook endpoints, waiting calls.
    if (this.#rows.size === 0) return NO_ROWS
    if (isEither(where)) {
      return this.#rows.all().filter((row) => where.either.some((tests) => fulfils(row, tests)))
    }
    const tests = where as Plain
    if (this.#hasKey(tests)) {
      const row = this.#rows.get(this.keyOf(tests))
      return row !== null && fulfils(row, tests) ? [row] : NO_ROWS
    }
    const found: Plain[] = []
    for (const row of this.#candidates(tests)) if (fulfils(row, tests)) found.push(row)
    return found
  }

  /** The first row in the order, without looking at the others where an index has that order. */
  first(where: Where<C>, order: Order<C>): Plain | null {
    const [by] = order
    if (by === undefined) return this.#firstFound(where)
    const isEnough = this.#rows.size > 0 && !isEither(where)
    const index = isEnough ? this.#orderedBy(where, nameOf(by)) : null
    if (index === null) return ordered(this.found(where), { order, limit: 1 })[0] ?? null
    return index.first(where as Plain, order)
  }

  #orderedBy(tests: Plain, column: string): OrderedIndex | null {
    for (const index of this.#ordered) if (index.serves(tests, column)) return index
    return null
  }

  #firstFound(where: Where<C>): Plain | null {
    if (isEither(where) || this.#rows.size === 0 || this.#hasKey(where)) return this.found(where)[0] ?? null
    for (const row of this.#candidates(where)) if (fulfils(row, where)) return row
    return null
  }

  #hasKey(tests: Plain): boolean {
    for (const name of this.#key) if (!isValue(tests[name])) return false
    return true
  }

  #candidates(tests: Plain): Iterable<Plain> {
    for (const index of this.#ordered) {
      const isExact = isValue(tests[index.orderedBy]) && index.serves(tests, index.orderedBy)
      if (isExact) return index.equalTo(tests)
    }
    let best: PreparedIndex | null = null
    let columns = 0
    for (const index of this.#indexes) {
      const served = index.columnsServed(tests)
      if (served > columns) {
        best = index
        columns = served
      }
    }
    if (best !== null) return best.rowsOf(tests, columns)
    return this.#listed(tests) ?? this.#rows.all()
  }

  /** Finds the rows of a condition that lists values, by the key or by an index that begins with that column. Null without one. */
  #listed(tests: Plain): readonly Plain[] | null {
    const [name = ""] = this.#key
    const keys = this.#key.length === 1 ? valuesIn(tests[name]) : null
    if (keys !== null) return keys.map((key) => this.#rows.get(String(key))).filter((row) => row !== null)
    for (const index of this.#indexes) {
      const values = valuesIn(tests[index.column])
      if (values === null) continue
      const ofEach = values.map((value) => ({ ...tests, [index.column]: value }))
      if (ofEach.some((one) => index.columnsServed(one) === 0)) continue
      return ofEach.flatMap((one) => [...index.rowsOf(one, 1)])
    }
    return null
  }
}

/** The values of a test that lists them, each once; else null. */
function valuesIn(test: unknown): readonly unknown[] | null {
  const { op, values } = (test ?? {}) as { readonly op?: string; readonly values?: readonly unknown[] }
  return (op === "oneOf" || op === "among") && values !== undefined ? [...new Set(values)] : null
}

/** A declared index, over the leading columns for which a condition has values. */
class PreparedIndex {
  readonly #rows: MemoryTable<Plain>
  readonly #by: readonly string[]
  readonly #where: Plain
  readonly #byLength = new Map<number, LeadingColumns>()

  constructor(rows: MemoryTable<Plain>, { by, where = {} }: Index<Columns>) {
    this.#rows = rows
    this.#by = by
    this.#where = where
  }

  /** The first column of the index. */
  get column(): string {
    return this.#by[0] ?? ""
  }

  /** How many columns the index serves; none if the index may lack a row of the condition. */
  columnsServed(tests: Plain): number {
    let served = 0
    while (served < this.#by.length && isValue(tests[this.#by[served] ?? ""])) served += 1
    if (served === 0) return 0
    for (const name in this.#where) if (!isWithin(tests[name], this.#where[name])) return 0
    return served
  }

  rowsOf(tests: Plain, columns: number): Iterable<Plain> {
    const { by, rows } = this.#over(columns)
    return rows.rowsOf(valuesOf(tests, by))
  }

  #over(columns: number): LeadingColumns {
    const known = this.#byLength.get(columns)
    if (known !== undefined) return known
    const by = this.#by.slice(0, columns)
    const valueOf = (row: Plain) => (fulfils(row, this.#where) ? valuesOf(row, by) : null)
    const rows = this.#rows.indexBy(valueOf, [...by, ...Object.keys(this.#where)])
    const made = { by, rows }
    this.#byLength.set(columns, made)
    return made
  }
}

/** Rows by the leading columns of an index. */
interface LeadingColumns {
  readonly by: readonly string[]
  readonly rows: RowsBy<Plain>
}

/** An index whose last column is a number that is never null: rows that share the other columns, in the order of that number. */
class OrderedIndex {
  readonly orderedBy: string
  readonly #rows: MemoryTable<Plain>
  readonly #by: readonly string[]
  readonly #where: Plain
  /** Null until a statement needs the index. */
  #byValues: Map<string, Plain[]> | null = null

  constructor(rows: MemoryTable<Plain>, { by, where = {} }: Index<Columns>) {
    this.#rows = rows
    this.#by = by.slice(0, -1)
    this.orderedBy = by.at(-1) ?? ""
    this.#where = where
  }

  serves(tests: Plain, orderedBy: string): boolean {
    if (orderedBy !== this.orderedBy || !this.#by.every((name) => isValue(tests[name]))) return false
    for (const name in this.#where) if (!isWithin(tests[name], this.#where[name])) return false
    return true
  }

  /** The first row of the tests in an order that begins with the index's number. */
  first<C extends Columns>(tests: Plain, order: Order<C>): Plain | null {
    const rows = this.#rowsOf(tests)
    const isDescending = typeof order[0] !== "string"
    let first: Plain | null = null
    let at = isDescending ? rows.length - 1 : this.#leastPlace(rows, tests)
    for (; at >= 0 && at < rows.length; at += isDescending ? -1 : 1) {
      const row = rows[at] as Plain
      if (first !== null && first[this.orderedBy] !== row[this.orderedBy]) break
      if (fulfils(row, tests) && (first === null || compared(order, row, first) < 0)) first = row
    }
    return first
  }

  /** Where the rows begin that the test of the number allows. */
  #leastPlace(rows: readonly Plain[], tests: Plain): number {
    const test = tests[this.orderedBy] as { readonly op?: string; readonly value?: number } | undefined
    return test?.op === "atLeast" && test.value !== undefined ? this.#placeOf(rows, test.value) : 0
  }

  /** Rows whose number is the one that the tests name. */
  equalTo(tests: Plain): readonly Plain[] {
    const rows = this.#rowsOf(tests)
    const value = tests[this.orderedBy] as number
    const from = this.#placeOf(rows, value)
    let to = from
    while (to < rows.length && rows[to]?.[this.orderedBy] === value) to += 1
    return rows.slice(from, to)
  }

  #rowsOf(tests: Plain): readonly Plain[] {
    return this.#built().get(valuesOf(tests, this.#by)) ?? NO_ROWS
  }

  #built(): Map<string, Plain[]> {
    if (this.#byValues !== null) return this.#byValues
    this.#byValues = new Map()
    this.#rows.follow({ move: (_, before, after) => this.#move(before, after) })
    return this.#byValues
  }

  #move(before: Plain | undefined, after: Plain | undefined): void {
    const byValues = this.#built()
    if (before !== undefined && fulfils(before, this.#where)) {
      const values = valuesOf(before, this.#by)
      const rows = byValues.get(values) ?? []
      let at = this.#placeOf(rows, before[this.orderedBy] as number)
      while (at < rows.length && rows[at] !== before) at += 1
      rows.copyWithin(at, at + 1)
      rows.pop()
      if (rows.length === 0) byValues.delete(values)
    }
    if (after === undefined || !fulfils(after, this.#where)) return
    const values = valuesOf(after, this.#by)
    const rows = byValues.get(values)
    if (rows === undefined) return void byValues.set(values, [after])
    const place = this.#placeOf(rows, (after[this.orderedBy] as number) + SMALLEST_STEP)
    if (place === rows.length) rows.push(after)
    else rows.splice(place, 0, after)
  }

  /** Where the first row stands that has this number or a greater one. */
  #placeOf(rows: readonly Plain[], value: number): number {
    let [from, to] = [0, rows.length]
    // Rows mostly come in their order.
    if (to > 0 && (rows[to - 1]?.[this.orderedBy] as number) < value) return to
    while (from < to) {
      const middle = (from + to) >> 1
      if ((rows[middle]?.[this.orderedBy] as number) < value) from = middle + 1
      else to = middle
    }
    return from
  }
}

/** Ordered columns hold whole numbers: so rows of one number stand in the order of their insertion. */
const SMALLEST_STEP = 0.5

const ORDERED_KINDS: ReadonlySet<string> = new Set(["bigint", "integer", "serial"])

function orderedIndexOf(
  rows: MemoryTable<Plain>,
  index: Index<Columns>,
  columns: Columns,
): OrderedIndex | null {
  const last = columns[index.by.at(-1) ?? ""]
  const isOrdered =
    index.by.length > 1 && last !== undefined && !last.isNullable && ORDERED_KINDS.has(last.kind)
  return isOrdered ? new OrderedIndex(rows, index) : null
}

function nameOf(term: Order<Columns>[number]): string {
  return typeof term === "string" ? term : term.descending
}

function valuesOf(row: Plain, names: readonly string[]): string {
  let values = String(row[names[0] ?? ""])
  for (let at = 1; at < names.length; at += 1) values += SEPARATOR + String(row[names[at] ?? ""])
  return values
}

/** True for a value to compare with; null is one too. */
function isValue(test: unknown): boolean {
  return test !== undefined && (test === null || typeof test !== "object")
}

/** True when every row that meets the test also meets the index's own test. */
function isWithin(test: unknown, ofIndex: unknown): boolean {
  const wanted = ofIndex as Comparison<unknown> | boolean | number | string | null
  if (test === undefined) return false
  if (wanted === null || typeof wanted !== "object") return test === wanted
  if (isValue(test)) return meets(test, wanted)
  const { op, values } = test as { readonly op?: string; readonly values?: readonly unknown[] }
  if (op === "oneOf" && values !== undefined) return values.every((value) => meets(value, wanted))
  if (op === "noneOf" && wanted.op === "noneOf")
    return wanted.values.every((value) => values?.includes(value))
  return wanted.op === "notNull" && op !== undefined
}

function fulfils(row: Plain, tests: Plain): boolean {
  for (const name in tests) if (!meets(row[name], tests[name])) return false
  return true
}

function meets(value: unknown, test: unknown): boolean {
  if (test === undefined) return true
  if (test === null || typeof test !== "object") return value === test
  if (Array.isArray(test)) return test.every((one) => meets(value, one))
  return value !== null && holds(value as number, test as Comparison<unknown>)
}

function holds(value: number, test: Comparison<unknown>): boolean {
  switch (test.op) {
    case "above":
      return value > (test.value as number)
    case "atLeast":
      return value >= (test.value as number)
    case "atMost":
      return value <= (test.value as number)
    case "below":
      return value < (test.value as number)
    case "not":
      return value !== test.value
    case "among":
    case "oneOf":
      return test.values.includes(value)
    case "noneOf":
      return !test.values.includes(value)
    case "contains":
      return asciiLower(String(value)).includes(asciiLower(test.text))
    case "notNull":
      return true
  }
}

/** As `lower` in the database's collation "C". */
function asciiLower(text: string): string {
  return text.replaceAll(/[A-Z]/g, (letter) => letter.toLowerCase())
}

export function ordered<C extends Columns>(
  rows: readonly Plain[],
  { order, limit }: Pick<ListOptions<C>, "limit" | "order">,
): readonly Plain[] {
  const isOrdered = order === "any" || order.length === 0 || rows.length < 2
  const sorted = isOrdered ? rows : rows.toSorted((one, other) => compared(order, one, other))
  return limit === undefined ? sorted : sorted.slice(0, limit)
}

/** Null sorts last, as in PostgreSQL. Equal rows keep their order of insertion. */
function compared<C extends Columns>(order: Order<C>, one: Plain, other: Plain): number {
  for (const term of order) {
    const name = nameOf(term)
    const [a, b] = [one[name] as number | null, other[name] as number | null]
    if (a === b) continue
    const isFirst = b === null || (a !== null && a < b)
    return isFirst === (typeof term === "string") ? -1 : 1
  }
  return 0
}
