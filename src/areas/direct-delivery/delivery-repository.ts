/** Quotes and deliveries over their declared tables. */

import { sites } from "../catalog/rows.ts"
import { vehicleFixes } from "../dispatch/rows.ts"
import { LATEST_FIX } from "../dispatch/vehicle-repository.ts"
import type { Transaction } from "../../engine/services/host.ts"
import { BLANK_PHONE, BLANK_TEXT } from "../../engine/services/retention/blanks.ts"
import type { PurgeOrder } from "../../engine/services/retention/retention.ts"
import {
  above,
  among,
  atLeast,
  atMost,
  below,
  contains,
  descending,
  either,
  ifGiven,
  not,
  oneOf,
} from "../../engine/services/tables/conditions.ts"
import type { Tables } from "../../engine/services/tables/tables.ts"
import { Routine } from "../../engine/services/routine.ts"
import { IS_OPEN_RUN, blankErrand, deliveries, quotes, storeLoads } from "./rows.ts"
import type { Completions, DeliveryRow, DeliveryRows, QuoteRow } from "./rows.ts"
import type { EpochMs } from "../../model/values/time.ts"

type Found<Row> = (order: PurgeOrder) => Routine<readonly Row[], never, Transaction>

/** Reads that SQL tunes: purges have indexes over expressions there. */
export interface DeliveryReads {
  readonly prefetchRunsOf: DeliveryRows["Type"]["prefetchRunsOf"]
  readonly progress: DeliveryRows["Type"]["progress"]
  readonly completions: DeliveryRows["Type"]["completions"]
  /** The oldest deliveries that ended by then and hold texts of people. */
  readonly ended: Found<DeliveryRow>
  /** The same of quotes that expired by then. */
  readonly expired: Found<QuoteRow>
}

export function deliveryRowsOver(
  tables: Tables["Type"],
  { completions, ended, expired, prefetchRunsOf, progress }: DeliveryReads,
): DeliveryRows["Type"] {
  const rows = tables.of(deliveries)
  const allQuotes = tables.of(quotes)
  const fixes = tables.of(vehicleFixes)
  const allLoads = tables.of(storeLoads)
  return {
    loads: (siteId) => Routine.map(allLoads.get({ siteId }), (row) => row?.tookMs ?? []),
    putLoads: (siteId, tookMs) => allLoads.upsert({ siteId, tookMs }),
    prefetchRunsOf,
    progress,
    completions,
    putQuote: allQuotes.upsert,
    quote: (siteId, externalDeliveryId) => allQuotes.get({ siteId, externalDeliveryId }),
    insert: rows.insert,
    change: (deliveryId, change) => rows.update({ deliveryId }, change),
    byId: (deliveryId) => rows.get({ deliveryId }),
    byExternalId: (siteId, externalDeliveryId) => rows.first({ siteId, externalDeliveryId }),
    list: ({ of, statuses, createdAfterMs, createdBeforeMs, search, beforeNumber, limit }) =>
      rows.list(
        {
          ...("siteId" in of
            ? { siteId: of.siteId }
            : { organizationId: of.organizationId, environment: of.environment }),
          status: ifGiven(statuses, (all) => among(...all)),
          externalDeliveryId: ifGiven(search, contains),
          createdAtMs: [ifGiven(createdAfterMs, above), ifGiven(createdBeforeMs, below)],
          number: ifGiven(beforeNumber, below),
        },
        { order: [descending("number")], limit },
      ),
    runsOf: (fleetId, vehicleId) =>
      rows.list({ fleetId, vehicleId, status: IS_OPEN_RUN }, { order: ["number"] }),
    openRuns: (fleetId, limit) => rows.list({ fleetId, status: IS_OPEN_RUN }, { order: ["number"], limit }),
    blankEnded: Routine.fn(function* (order) {
      const old = yield* ended(order)
      for (const row of old) {
        const cancellationReason = row.cancellationReason === null ? null : BLANK_TEXT
        const { deliveryId } = row
        yield* rows.update({ deliveryId }, { ...blankErrand(row), cancellationReason, toldFix: null })
      }
      return old.length
    }),
    blankQuotes: Routine.fn(function* (order) {
      const old = yield* expired(order)
      for (const quote of old) {
        const { siteId, externalDeliveryId } = quote
        yield* allQuotes.update({ siteId, externalDeliveryId }, blankErrand(quote))
      }
      return old.length
    }),
    forget: Routine.fn(function* (deliveryId) {
      const row = yield* rows.get({ deliveryId })
      if (row === null) return
      const { siteId, externalDeliveryId, vehicleId } = row
      yield* rows.delete({ deliveryId })
      yield* allQuotes.delete({ siteId, externalDeliveryId })
      // Where a vehicle is now stays known.
      const last = yield* fixes.first({ vehicleId }, LATEST_FIX)
      if (last !== null) yield* fixes.delete({ vehicleId, deliveryId, recordedAtMs: not(last.recordedAtMs) })
    }),
  }
}

/** Looks at every row. */
export function plainDeliveryReads(tables: Tables["Type"]): DeliveryReads {
  const rows = tables.of(deliveries)
  const allQuotes = tables.of(quotes)
  const allSites = tables.of(sites)
  const endOf = ({ completedAtMs, cancelledAtMs }: DeliveryRow): number => completedAtMs ?? cancelledAtMs ?? 0
  return {
    // Rows in memory are read at no cost.
    prefetchRunsOf: () => Routine.void,
    progress: Routine.fn(function* ({ organizationId, environment }) {
      const owner = { organizationId, environment }
      const own = yield* allSites.list(owner, { order: "any" })
      const quote = yield* allQuotes.first({ siteId: oneOf(...own.map(({ siteId }) => siteId)) })
      const completed = yield* rows.first({ ...owner, status: "COMPLETED" })
      return { hasQuote: quote !== null, hasCompleted: completed !== null }
    }),
    completions: ({ cuts, ...of }) =>
      Routine.map(
        rows.list(
          { ...of, status: "COMPLETED", completedAtMs: [atLeast(cuts[0] ?? 0), below(cuts.at(-1) ?? 0)] },
          { order: "any" },
        ),
        (all) => cuts.slice(1).map((endMs, at) => completionsOf(all, { startMs: cuts[at] ?? endMs, endMs })),
      ),
    ended: ({ beforeMs, limit }) =>
      Routine.map(
        rows.list(
          either(
            { completedAtMs: atMost(beforeMs), keptFromMs: null },
            { completedAtMs: null, cancelledAtMs: atMost(beforeMs), keptFromMs: null },
            { keptFromMs: atMost(beforeMs) },
          ),
          { order: "any" },
        ),
        (all) =>
          all
            .filter(holdsPerson)
            .toSorted((one, other) => endOf(one) - endOf(other))
            .slice(0, limit),
      ),
    expired: ({ beforeMs, limit }) =>
      Routine.map(
        allQuotes.list(
          either({ expiresAtMs: atMost(beforeMs), keptFromMs: null }, { keptFromMs: atMost(beforeMs) }),
          { order: ["expiresAtMs"] },
        ),
        (all) => all.filter(holdsPerson).slice(0, limit),
      ),
  }
}

function completionsOf(
  all: readonly DeliveryRow[],
  { startMs, endMs }: { readonly startMs: EpochMs; readonly endMs: EpochMs },
): Completions {
  const found = all.filter(({ completedAtMs: at }) => at !== null && at >= startMs && at < endMs)
  return {
    completed: found.length,
    kept: found.filter(({ completedAtMs, deliveryEtaMs }) => (completedAtMs ?? 0) <= deliveryEtaMs).length,
    feeCents: found.reduce((sum, { feeCents }) => sum + feeCents, 0),
  }
}

function holdsPerson({ customer }: Pick<QuoteRow, "customer">): boolean {
  return customer.phone !== BLANK_PHONE
}
