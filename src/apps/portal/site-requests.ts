/**
 * Requests of organizations to change a site of production, which operations make by hand: the ports of their rows, and the list of
 * operations.
 */

import { Context, Effect, Layer } from "effect"
import type { Operator } from "../../model/caller.ts"
import { Refused } from "../../model/values/errors.ts"
import { KEEP_SITE_REQUESTS_MS } from "../../model/values/limits.ts"
import type { EpochMs } from "../../model/values/time.ts"
import { ActorHost, Transaction } from "../../engine/services/host.ts"
import type { Purge } from "../../engine/services/retention/retention.ts"
import { choice, epochMs, serial, text } from "../../engine/services/tables/columns.ts"
import { notNull } from "../../engine/services/tables/conditions.ts"
import { table } from "../../engine/services/tables/table.ts"
import type { RowOf } from "../../engine/services/tables/table.ts"
import { provided } from "../../engine/services/provided.ts"
import { Routine } from "../../engine/services/routine.ts"
import { notFound } from "../../engine/services/refusals.ts"

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

export class SiteRequestRows extends Context.Tag("SiteRequestRows")<
  SiteRequestRows,
  {
    readonly insert: (request: SiteRequest) => Routine<void, never, Transaction>
    readonly close: (
      requestId: string,
      closing: { readonly atMs: EpochMs; readonly answer: string | null },
    ) => Routine<void, never, Transaction>
    readonly byId: (requestId: string) => Routine<SiteRequest | null>
    /** Of one site, newest first. */
    readonly ofSite: (siteId: string) => Routine<readonly SiteRequest[]>
    /** Of all organizations, oldest first. */
    readonly open: Routine<readonly SiteRequest[]>
    /** Deletes closed requests. */
    readonly purge: Purge
  }
>() {}

/** The list of operations of production. */
export class SiteRequests extends Context.Tag("SiteRequests")<
  SiteRequests,
  {
    /** Open requests, oldest first. */
    readonly open: (caller: Operator) => Routine<readonly SiteRequest[], Refused>
    readonly close: (
      caller: Operator,
      requestId: string,
      answer: string | null,
    ) => Routine<SiteRequest, Refused>
  }
>() {}

type Needs = ActorHost | SiteRequestRows

export const layerSiteRequests: Layer.Layer<SiteRequests, never, Needs> = Layer.effect(
  SiteRequests,
  Effect.map(Effect.context<Needs>(), (context): SiteRequests["Type"] => ({
    open: (caller) =>
      provided(
        Routine.zipRight(
          requireProduction(caller),
          Routine.flatMap(SiteRequestRows, (rows) => rows.open),
        ),
        context,
      ),
    close: (caller, requestId, answer) =>
      provided(Routine.zipRight(requireProduction(caller), close(requestId, answer)), context),
  })),
)

/** Requests are about sites of production; an operator of the sandbox does not see them. */
function requireProduction({ by, environment }: Operator): Routine<void, Refused> {
  return by === "ops" && environment === "production"
    ? Routine.void
    : Routine.fail(new Refused({ code: "PERMISSION_DENIED", detail: "needs operations of production" }))
}

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
