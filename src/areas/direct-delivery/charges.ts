/**
 * Charges: one for each completed direct delivery of production, with the fee that its quote fixed. The sandbox is
 * free. Charges are only recorded: operations read them, and export them for invoices. Source: direct delivery
 * contract, sandbox; the record is ours (src/DECISIONS.md §31).
 */

import { idOf } from "../../model/address.ts"
import type { GroupAddress } from "../../model/address.ts"
import { listedSites } from "../../model/caller.ts"
import type { Caller } from "../../model/caller.ts"
import { Refused } from "../../model/values/errors.ts"
import { CHARGES_EXPORTED_MAX, PAGE_SIZE } from "../../model/values/limits.ts"
import type {
  ExportChargesRequest,
  ListChargesRequest,
  SumChargesRequest,
} from "../../model/requests/operations-requests.ts"
import { instantsOf, wallClockAt } from "../../model/values/local-time.ts"
import { csvText } from "../../model/values/csv.ts"
import { HOUR_MS, isoMs } from "../../model/values/time.ts"
import type { EpochMs } from "../../model/values/time.ts"
import type { DeliveryRow } from "./rows.ts"
import { epochMs, integer, serial, text } from "../../engine/services/tables/columns.ts"
import { table } from "../../engine/services/tables/table.ts"
import type { RowOf } from "../../engine/services/tables/table.ts"
import { wrongCursor } from "../../engine/services/cursors.ts"
import { Routine } from "../../engine/services/routine.ts"
import { repository, service } from "../../engine/services/service.ts"
import { among, atLeast, below, descending, ifGiven } from "../../engine/services/tables/conditions.ts"
import { Tables } from "../../engine/services/tables/tables.ts"
import type { TableAccessOf } from "../../engine/services/tables/tables.ts"
import { Effect } from "effect"

export const chargeTable = table("charges", {
  one: "a charge",
  many: "charges",
  columns: {
    deliveryId: text(),
    organizationId: text(),
    siteId: text(),
    externalDeliveryId: text(),
    feeCents: integer(),
    currency: text(),
    completedAtMs: epochMs(),
    /** Numbers charges in the order in which they were written. */
    number: serial(),
  },
  key: ["deliveryId"],
  indexes: [
    { name: "charges_newest", by: ["number"] },
    { name: "charges_site", by: ["siteId", "number"] },
    { name: "charges_organization", by: ["organizationId", "number"] },
  ],
})

export type Charge = RowOf<typeof chargeTable>

/** Which charges. */
export interface ChargeSpan {
  /** Null: every organization. */
  readonly organizationId: string | null
  /** Null: every site. */
  readonly siteIds: readonly string[] | null
  /** Completed at or after it. */
  readonly fromMs: EpochMs | null
  /** Completed before it. */
  readonly untilMs: EpochMs | null
}

export interface ChargeQuery extends ChargeSpan {
  readonly beforeNumber: number | null
  readonly limit: number
}

/** Charges of one site and currency between two cuts. */
export interface PartSum {
  /** Which: 0 is from the first cut to the second. */
  readonly part: number
  readonly siteId: string
  readonly currency: string
  readonly count: number
  readonly feeCents: number
}

/** Reads that a database does without bringing the rows. */
export interface ChargeReads {
  /** When the first and the last charge of a span were completed; null when it has none. */
  readonly ends: (span: ChargeSpan) => Routine<{ readonly firstMs: EpochMs; readonly lastMs: EpochMs } | null>
  /** Of a span, between cuts in ascending order that enclose it; in no order. */
  readonly sums: (span: ChargeSpan, cuts: readonly EpochMs[]) => Routine<readonly PartSum[]>
}

type ChargeAccess = TableAccessOf<typeof chargeTable>

export function chargeRowsOver(rows: ChargeAccess, reads: ChargeReads) {
  return {
    ...reads,
    /** A repeat changes nothing: a delivery is charged once. */
    insert: rows.insertOrIgnore,
    byId: (deliveryId: string) => rows.get({ deliveryId }),
    /** Newest first. */
    list: ({ beforeNumber, limit, ...span }: ChargeQuery) =>
      rows.list(
        { ...conditionOf(span), number: ifGiven(beforeNumber, below) },
        { order: [descending("number")], limit },
      ),
    /** Deletes a charge; only a host without recording uses it. */
    forget: (deliveryId: string) => rows.delete({ deliveryId }),
  }
}

function conditionOf({ organizationId, siteIds, fromMs, untilMs }: ChargeSpan) {
  return {
    organizationId: organizationId ?? undefined,
    siteId: ifGiven(siteIds, (all) => among(...all)),
    completedAtMs: [ifGiven(fromMs, atLeast), ifGiven(untilMs, below)],
  }
}

/** Looks at every row; `./store` does it in SQL. */
function plainChargeReads(rows: ChargeAccess): ChargeReads {
  return {
    ends: (span) =>
      Routine.map(rows.list(conditionOf(span), { order: ["completedAtMs"] }), (all) => {
        const [first, last] = [all[0], all.at(-1)]
        if (first === undefined || last === undefined) return null
        return { firstMs: first.completedAtMs, lastMs: last.completedAtMs }
      }),
    sums: (span, cuts) =>
      Routine.map(rows.list(conditionOf(span), { order: "any" }), (all) => {
        const sumByKey = new Map<string, PartSum>()
        for (const { siteId, currency, feeCents, completedAtMs } of all) {
          const part = cuts.findLastIndex((cut) => cut <= completedAtMs)
          const key = [part, siteId, currency].join()
          const { count, feeCents: fees } = sumByKey.get(key) ?? { count: 0, feeCents: 0 }
          sumByKey.set(key, { part, siteId, currency, count: count + 1, feeCents: fees + feeCents })
        }
        return [...sumByKey.values()]
      }),
  }
}

export class ChargeRows extends repository<ChargeRows>()(
  "ChargeRows",
  Effect.map(Tables, (tables) => {
    const rows = tables.of(chargeTable)
    return chargeRowsOver(rows, plainChargeReads(rows))
  }),
) {}

export interface ChargePage {
  readonly charges: readonly Charge[]
  readonly nextCursor: string | null
}

/** Charges of one site in one month. */
export interface ChargeSum {
  /** `2026-11`, of the requested time zone. */
  readonly month: string
  readonly siteId: string
  readonly currency: string
  readonly count: number
  readonly feeCents: number
}

export class Charges extends service<Charges>()("Charges", () => ({ list, sums, csv })) {}

/** Runs in the transaction of the turn that completes a retailer's delivery. */
export const noteCharge = Routine.fn(function* (row: DeliveryRow) {
  if (row.environment !== "production" || row.completedAtMs === null) return
  const { deliveryId, organizationId, siteId, externalDeliveryId, feeCents, currency, completedAtMs } = row
  const rows = yield* ChargeRows
  yield* rows.insert({
    deliveryId,
    organizationId,
    siteId,
    externalDeliveryId,
    feeCents,
    currency,
    completedAtMs,
  })
})

/** Deletes the charge of a delivery whose group an unrecorded run folds. */
export const forgetCharge = Routine.fn(function* (group: GroupAddress) {
  const rows = yield* ChargeRows
  yield* rows.forget(idOf(group))
})

/** Newest first; for a partner, those of its organization. Empty in the sandbox. */
const list = Routine.fn(function* (caller: Caller, request: ListChargesRequest) {
  if (caller.environment !== "production") return { charges: [], nextCursor: null } satisfies ChargePage
  const rows = yield* ChargeRows
  const { limit = PAGE_SIZE, cursor } = request
  const span = spanOf(caller, request)
  const beforeNumber = cursor === undefined ? null : yield* placeOf(cursor, span)
  const found = yield* rows.list({ ...span, beforeNumber, limit: limit + 1 })
  const charges = found.slice(0, limit)
  const nextCursor = found.length > limit ? (charges.at(-1)?.deliveryId ?? null) : null
  return { charges, nextCursor } satisfies ChargePage
})

/** A cursor is the id of a charge (src/DECISIONS.md §25). */
const placeOf = Routine.fn(function* (
  cursor: string,
  { organizationId, siteIds }: Pick<ChargeQuery, "organizationId" | "siteIds">,
) {
  const charge = yield* (yield* ChargeRows).byId(cursor)
  const isKnown =
    charge !== null &&
    (organizationId ?? charge.organizationId) === charge.organizationId &&
    (siteIds === null || siteIds.includes(charge.siteId))
  if (isKnown) return charge.number
  return yield* wrongCursor
})

function spanOf(caller: Caller, { site_id, from, until }: ExportChargesRequest): ChargeSpan {
  const organizationId = caller.type === "partner" ? caller.organizationId : null
  const siteIds = listedSites(caller.type === "operator" ? caller : {}, site_id)
  return { organizationId, siteIds, fromMs: from ?? null, untilMs: until ?? null }
}

/** All charges of a span, newest first. */
const spanned = Routine.fn(function* (caller: Caller, request: ExportChargesRequest) {
  const rows = yield* ChargeRows
  const query = { ...spanOf(caller, request), beforeNumber: null, limit: CHARGES_EXPORTED_MAX + 1 }
  const found = caller.environment === "production" ? yield* rows.list(query) : []
  if (found.length > CHARGES_EXPORTED_MAX) {
    const message = `must leave at most ${CHARGES_EXPORTED_MAX} charges in the span`
    return yield* new Refused({ code: "VALIDATION_ERROR", problems: [{ field: "from", message }] })
  }
  return found
})

/** Sums by month, site and currency: the newest month first, then by site. */
const sums = Routine.fn(function* (caller: Caller, { timezone = "UTC", ...request }: SumChargesRequest) {
  if (caller.environment !== "production") return []
  const rows = yield* ChargeRows
  const span = spanOf(caller, request)
  const ends = yield* rows.ends(span)
  if (ends === null) return []
  const months = monthsFrom(ends.firstMs, ends.lastMs, timezone)
  const orderOf = (one: PartSum): string => [one.siteId, one.currency].join()
  return (yield* rows.sums(
    span,
    months.map(({ startMs }) => startMs),
  ))
    .toSorted((one, other) => other.part - one.part || orderOf(one).localeCompare(orderOf(other), "en"))
    .map(({ part, ...sum }): ChargeSum => ({ ...sum, month: months[part]?.month ?? "" }))
})

/** The months of a time zone from that of one instant to the one after that of another. */
function monthsFrom(firstMs: EpochMs, lastMs: EpochMs, timezone: string) {
  const first = new Date(wallClockAt(firstMs, timezone))
  const months: { readonly month: string; readonly startMs: EpochMs }[] = []
  for (let after = 0; (months.at(-1)?.startMs ?? firstMs) <= lastMs; after += 1) {
    const wallMs = Date.UTC(first.getUTCFullYear(), first.getUTCMonth() + after, 1)
    // Where clocks go forward at midnight, the month begins an hour later on them.
    const [startMs = wallMs] = [0, HOUR_MS].flatMap((later) => instantsOf(wallMs + later, timezone))
    months.push({ month: isoMs(wallMs).slice(0, 7), startMs })
  }
  return months
}

/** All charges of a span as CSV (RFC 4180), oldest first, with a header line. */
const csv = Routine.fn(function* (caller: Caller, request: ExportChargesRequest) {
  const found = yield* spanned(caller, request)
  return csvText([COLUMNS, ...found.toReversed().map(cellsOf)])
})

const COLUMNS = [
  "delivery_id",
  "external_delivery_id",
  "organization_id",
  "site_id",
  "fee_cents",
  "currency",
  "completed_at",
]

function cellsOf(charge: Charge): readonly string[] {
  return [
    charge.deliveryId,
    charge.externalDeliveryId,
    charge.organizationId,
    charge.siteId,
    String(charge.feeCents),
    charge.currency,
    isoMs(charge.completedAtMs),
  ]
}
