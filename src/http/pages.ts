/**
 * Pages of management's lists, each in a stable order. A cursor is the name of the last row of its page
 * (src/DECISIONS.md §25); if that row is deleted meanwhile, the page continues after its place.
 */

import { Effect, Schema, SchemaAST } from "effect"
import type { Refused } from "../model/values/errors.ts"
import { PAGE_SIZE } from "../model/values/limits.ts"
import { PageRequest } from "../model/requests/operations-requests.ts"
import type { AnySchema } from "../model/values/schema.ts"
import { placeCursors } from "../engine/services/cursors.ts"
import { decodeQuery } from "./endpoint.ts"
import type { Parameter, Query } from "./endpoint.ts"

type Fields = Readonly<Record<string, { readonly from: AnySchema }>>

/**
 * The fields of a list's request as parameters: filters in the order of their descriptions, then the page. A field that is
 * an array may be sent more than once.
 */
export function listParameters(
  fields: Fields,
  descriptions: Readonly<Record<string, string>> = {},
): readonly Parameter[] {
  const { limit = "Rows of a page; 50 if absent.", ...filters } = descriptions
  const words = { ...filters, limit, cursor: "The last page's `next_cursor`." }
  return Object.entries(words).map(([name, description]) => {
    const schema = fields[name]?.from
    if (schema === undefined) throw new Error(`the request has no field ${name}`)
    const isRepeatable = SchemaAST.isTupleType(schema.ast)
    return { in: "query", name, description, schema, ...(isRepeatable ? { isRepeatable } : {}) }
  })
}

/** What such a parameter says. */
export const ANY_OF = "One of these; may be repeated."

/** Parameters of a list without filters. */
export const PAGING = listParameters(PageRequest.fields)

/** The answer of a list, under its noun. */
export function pageSchema(noun: string, row: AnySchema): AnySchema {
  return Schema.Struct({ [noun]: Schema.Array(row), next_cursor: Schema.NullOr(Schema.String) })
}

/** The requested page of these rows, as the answer's data. */
export function pageOf<Row>(
  query: Query,
  rows: readonly Row[],
  { noun, nameOf, written }: Listing<Row>,
): Effect.Effect<object, Refused> {
  return Effect.gen(function* () {
    const request = yield* decodeQuery(PageRequest, query, PAGING)
    const { limit = PAGE_SIZE, cursor } = request
    const from = cursor === undefined ? 0 : placeBehind(rows.map(nameOf), yield* nameIn(cursor))
    const page = rows.slice(from, from + limit)
    const last = page.at(-1)
    const isLast = last === undefined || from + limit >= rows.length
    return { [noun]: page.map(written), next_cursor: isLast ? null : cursorAt(nameOf(last)) }
  })
}

export interface Listing<Row> {
  /** The field of the answer with the rows. */
  readonly noun: string
  /** Unique in the list. If rows may be deleted, the list is sorted by it. */
  readonly nameOf: (row: Row) => string
  readonly written: (row: Row) => unknown
}

function placeBehind(names: readonly string[], name: string): number {
  const at = names.indexOf(name)
  if (at >= 0) return at + 1
  const behind = names.findIndex((one) => one > name)
  return behind < 0 ? names.length : behind
}

const { cursorOf: cursorAt, placeOf: nameIn } = placeCursors<string>(
  (name) => name,
  (text) => (text === "" ? null : text),
)
