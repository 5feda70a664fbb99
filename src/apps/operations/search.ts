/** Search of operations: reservations, deliveries and errands by order number, id, or the last four digits of a phone number. */

import { Context } from "effect"
import type { Environment, Operator } from "../../model/caller.ts"
import { SEARCH_PAGE_SIZE } from "../../model/values/limits.ts"
import type { EpochMs } from "../../model/values/time.ts"
import { placeCursors } from "../../engine/services/cursors.ts"
import { Routine } from "../../engine/services/routine.ts"
import { service } from "../../engine/services/service.ts"

export type FoundKind = "delivery" | "errand" | "reservation"

/** Nothing personal but the digits that were searched for. */
export interface Found {
  readonly kind: FoundKind
  readonly id: string
  readonly orderNumber: string
  readonly status: string
  /** Null for a zone that is gone, and for an errand, which starts at a store. */
  readonly siteId: string | null
  readonly lastFour: string
  readonly createdAtMs: EpochMs
}

/** The last result of a page. */
export type SearchPlace = Pick<Found, "createdAtMs" | "id">

export interface SearchQuery {
  readonly environment: Environment
  /** An order number in any case of letters, or an id. */
  readonly text: string
  /** Null unless the text has four digits and nothing else. */
  readonly lastFour: string | null
  readonly after: SearchPlace | null
  readonly limit: number
}

export class SearchRows extends Context.Tag("SearchRows")<
  SearchRows,
  {
    /** Newest first. */
    readonly find: (query: SearchQuery) => Routine<readonly Found[]>
  }
>() {}

export interface FoundPage {
  readonly found: readonly Found[]
  readonly nextCursor: string | null
}

export class Search extends service<Search>()("Search", () => ({
  find,
})) {}

const find = Routine.fn(function* (
  { environment }: Operator,
  { text, cursor }: { readonly text: string; readonly cursor?: string | undefined },
) {
  const rows = yield* SearchRows
  const after = cursor === undefined ? null : yield* placeIn(cursor)
  const wanted = text.trim()
  const lastFour = /^\d{4}$/.test(wanted) ? wanted : null
  const limit = SEARCH_PAGE_SIZE
  const rest = yield* rows.find({ environment, text: wanted, lastFour, after, limit: limit + 1 })
  const found = rest.slice(0, limit)
  const last = found.at(-1)
  const nextCursor = rest.length > limit && last !== undefined ? cursorAt(last) : null
  return { found, nextCursor } satisfies FoundPage
})

const { cursorOf: cursorAt, placeOf: placeIn } = placeCursors<SearchPlace>(
  ({ createdAtMs, id }) => `s${createdAtMs}.${id}`,
  (text) => {
    const [, createdAtMs, id] = /^s(\d{1,15})\.([\w-]{1,100})$/.exec(text) ?? []
    return createdAtMs === undefined || id === undefined ? null : { createdAtMs: Number(createdAtMs), id }
  },
)
