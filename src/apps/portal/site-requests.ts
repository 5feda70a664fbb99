/**
 * Requests of organizations to change a site of production, which operations make by hand: their rows, and the list of operations.
 */

import { Effect } from "effect"
import type { Operator } from "../../model/caller.ts"
import { Refused } from "../../model/values/errors.ts"
import { KEEP_SITE_REQUESTS_MS } from "../../model/values/limits.ts"
import type { EpochMs } from "../../model/values/time.ts"
import { ActorHost, Transaction } from "../../engine/services/host.ts"
import { choice, epochMs, serial, text } from "../../engine/services/tables/columns.ts"
import { descending, notNull } from "../../engine/services/tables/conditions.ts"
import { purgeOf } from "../../engine/services/tables/purge.ts"
import { table } from "../../engine/services/tables/table.ts"
import type { RowOf } from "../../engine/services/tables/table.ts"
import { Tables } from "../../engine/services/tables/tables.ts"
import { Routine } from "../../engine/services/routine.ts"
import { repository, service } from "../../engine/services/service.ts"
import { notFound } from "../../engine/services/refusals.ts"
import { requireProduction } from "./reviews.ts"

export const siteRequests = table("site_requests", {
  one: "a request to change a site",
  many: "requests to change sites",
  columns: {
    requestId: text(),
    number: serial().hidden(),
    organizationId: text(),
    siteId: text(),
    /** The account that made the request. */
    requestedBy: text(),
    text: text(),
    status: choice<"closed" | "open">(),
    requestedAtMs: epochMs(),
    closedAtMs: epochMs().nullable(),
    /** What operations say about it. */
    answer: text().nullable(),
  },
  key: ["requestId"],
  retention: { from: "closedAtMs", keepMs: KEEP_SITE_REQUESTS_MS, where: { closedAtMs: notNull } },
  indexes: [
    { name: "site_requests_site", by: ["siteId", "number"] },
    { name: "site_requests_open", by: ["number"], where: { status: "open" } },
  ],
})

export type SiteRequest = RowOf<typeof siteRequests>

export class SiteRequestRows extends repository<SiteRequestRows>()(
  "SiteRequestRows",
  Effect.map(Tables, (tables) => {
    const rows = tables.of(siteRequests)
    return {
      insert: rows.insert,
      close: (
        requestId: string,
        { atMs, answer }: { readonly atMs: EpochMs; readonly answer: string | null },
      ) => rows.update({ requestId }, { status: "closed", closedAtMs: atMs, answer }),
      byId: (requestId: string) => rows.get({ requestId }),
      /** Of one site, newest first. */
      ofSite: (siteId: string) => rows.list({ siteId }, { order: [descending("number")] }),
      /** Of all organizations, oldest first. */
      open: rows.list({ status: "open" }, { order: ["number"] }),
      /** Deletes closed requests. */
      purge: purgeOf(siteRequests, rows),
    }
  }),
) {}

/** The list of operations of production. */
export class SiteRequests extends service<SiteRequests>()("SiteRequests", () => ({
  open: (caller: Operator) => Routine.zipRight(requireProduction(caller), open),
  close: (caller: Operator, requestId: string, answer: string | null) =>
    Routine.zipRight(requireProduction(caller), close(requestId, answer)),
})) {}

/** Open requests, oldest first. */
const open = Routine.flatMap(SiteRequestRows, (rows) => rows.open)

const close = Routine.fn(function* (requestId: string, answer: string | null) {
  const rows = yield* SiteRequestRows
  const host = yield* ActorHost
  return yield* host.run({
    name: "close a request to change a site",
    locks: { key: `site-requests/${requestId}` },
    body: Routine.fn(function* () {
      const { nowMs } = yield* Transaction
      const request = yield* rows.byId(requestId)
      if (request === null) return yield* notFound("request", requestId)
      if (request.status === "closed")
        return yield* new Refused({ code: "INVALID_STATE", detail: "the request is closed" })
      yield* rows.close(requestId, { atMs: nowMs, answer })
      return { ...request, status: "closed", closedAtMs: nowMs, answer } satisfies SiteRequest
    }),
  })
})
