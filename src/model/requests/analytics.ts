/** Requests of the analytics endpoints, as schemas. Source: direct delivery contract, analytics endpoints. */

import { Schema } from "effect"
import { CATALOG_ID_LENGTH_MAX, IMPORTED_SESSIONS_MAX } from "../values/limits.ts"
import { GRANULARITIES } from "../values/local-calendar.ts"
import { wallClockOf } from "../values/local-time.ts"
import type { WallClockMs } from "../values/local-time.ts"
import { Instant, text } from "../values/schema.ts"
import type { EpochMs } from "../values/time.ts"

export const ANALYTICS_PERIODS = ["today", "week", "month"] as const

const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i

/** Accepts upper and lower case; stored in lower case. */
const SiteId = Schema.transform(
  Schema.String.pipe(
    Schema.filter((id) => UUID.test(id) || "must be a UUID"),
    Schema.annotations({ jsonSchema: { type: "string", format: "uuid" } }),
  ),
  Schema.String,
  { strict: true, decode: (id) => id.toLowerCase(), encode: (id) => id },
)

/** An instant, or a date, which means midnight at the site on that date. */
export type Moment =
  | { readonly type: "instant"; readonly instantMs: EpochMs }
  | { readonly type: "date"; readonly midnight: WallClockMs }

const MomentText = Schema.String.pipe(
  Schema.filter(
    (written) =>
      momentOf(written) !== null ||
      "must be an RFC 3339 time with Z or an offset, or a date such as 2026-06-01",
  ),
  Schema.annotations({ jsonSchema: { type: "string" } }),
)

/** Null when the text is neither an instant nor a date. */
export function momentOf(written: string): Moment | null {
  const midnight = wallClockOf(`${written}T00:00`)
  if (midnight !== null) return { type: "date", midnight }
  const decoded = Schema.decodeUnknownOption(Instant)(written)
  return decoded._tag === "Some" ? { type: "instant", instantMs: decoded.value } : null
}

/** The parameters that every analytics endpoint takes. */
export const MetricsRequest = Schema.Struct({
  siteId: SiteId,
  period: Schema.optional(Schema.Literal(...ANALYTICS_PERIODS)),
  startDate: Schema.optional(MomentText),
  endDate: Schema.optional(MomentText),
})

export type MetricsRequest = typeof MetricsRequest.Type

export const TrendsRequest = Schema.Struct({
  ...MetricsRequest.fields,
  granularity: Schema.optional(Schema.Literal(...GRANULARITIES)),
})

export type TrendsRequest = typeof TrendsRequest.Type

const ImportedSession = Schema.Struct({
  external_id: text({ max: CATALOG_ID_LENGTH_MAX }),
  stall_id: text({ max: CATALOG_ID_LENGTH_MAX }),
  starts_at: Instant,
  ends_at: Instant,
})

const importedFields = {
  sessions: Schema.Array(ImportedSession).pipe(
    Schema.filter(
      ({ length }) =>
        (length >= 1 && length <= IMPORTED_SESSIONS_MAX) ||
        `must hold 1 to ${IMPORTED_SESSIONS_MAX} sessions`,
    ),
  ),
}

/** Imported history of one site, when the site is named elsewhere in the request. */
export const SessionHistory = Schema.Struct(importedFields)

/** The same, with its site. Importing the same history again changes nothing. */
export const ImportSessionsRequest = Schema.Struct({ site_id: SiteId, ...importedFields })

export type ImportSessionsRequest = typeof ImportSessionsRequest.Type
