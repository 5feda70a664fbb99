/** `GET /internal/v1/search`: the search box of operations. */

import { Schema } from "effect"
import { SEARCH_LENGTH_MAX } from "../../../model/values/limits.ts"
import { PageRequest } from "../../../model/requests/operations-requests.ts"
import { text } from "../../../model/values/schema.ts"
import { isoMs } from "../../../model/values/time.ts"
import { DateTime } from "../../../http/records/date-time.ts"
import { decodeQuery } from "../../../http/endpoint.ts"
import { operatorEndpoint } from "../../../http/operator-endpoint.ts"
import type { OperatorEndpoint } from "../../../http/operator-endpoint.ts"
import type { Parameter } from "../../../http/endpoint.ts"
import { PAGING } from "../../../http/pages.ts"
import { Search } from "../search.ts"

const Text = text({ max: SEARCH_LENGTH_MAX })

const PARAMETERS: readonly Parameter[] = [
  {
    in: "query",
    name: "q",
    description: "An order number, an id, or the last four digits of a phone number.",
    schema: Text,
    isRequired: true,
  },
  ...PAGING.filter(({ name }) => name === "cursor"),
]

const SearchRequest = Schema.Struct({
  q: Text,
  cursor: PageRequest.fields.cursor,
})

const find = operatorEndpoint({
  method: "GET",
  path: "/internal/v1/search",
  operationId: "search",
  summary:
    "Reservations, deliveries and errands by order number, id or last four digits of the phone, newest first",
  parameters: PARAMETERS,
  answers: {
    200: Schema.Struct({
      results: Schema.Array(
        Schema.Struct({
          kind: Schema.Literal("delivery", "errand", "reservation"),
          id: Schema.String,
          order_number: Schema.String,
          status: Schema.String,
          site_id: Schema.NullOr(Schema.String),
          phone_last_four: Schema.String,
          created_at: DateTime,
        }),
      ),
      next_cursor: Schema.NullOr(Schema.String),
    }),
  },
  *handle({ caller, query }) {
    const { q, cursor } = yield* decodeQuery(SearchRequest, query, PARAMETERS)
    const { found, nextCursor } = yield* (yield* Search).find(caller, { text: q, cursor })
    const results = found.map(({ kind, id, orderNumber, status, siteId, lastFour, createdAtMs }) => ({
      kind,
      id,
      order_number: orderNumber,
      status,
      site_id: siteId,
      phone_last_four: lastFour,
      created_at: isoMs(createdAtMs),
    }))
    return { results, next_cursor: nextCursor }
  },
})

export const search: readonly OperatorEndpoint<Search>[] = [find]
