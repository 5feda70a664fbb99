/** `/portal/api/charges`: what the organization's completed deliveries of production cost, as pages and as one CSV file. */

import { Effect, Schema } from "effect"
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify"
import { Charges } from "../../../areas/direct-delivery/charges.ts"
import {
  ChargePage,
  chargeFilters,
  chargePage,
  chargeSpan,
  chargesCsv,
  chargesPart,
  sendCharges,
} from "../../../areas/direct-delivery/http/operator-charges.ts"
import { partnerOf } from "../caller.ts"
import type { PortalCaller } from "../caller.ts"
import type { Run } from "../../../http/bridge.ts"
import { decodeQuery } from "../../../http/endpoint.ts"
import type { Parameter, Query } from "../../../http/endpoint.ts"
import { TimeZone } from "../../../model/catalog.ts"
import { SumChargesRequest } from "../../../model/requests/operations-requests.ts"
import { NOT_STORED } from "../../../http/errors.ts"
import { memberEndpoint } from "./endpoint.ts"

const list = memberEndpoint({
  method: "GET",
  path: "/portal/api/charges",
  operationId: "listCharges",
  summary: "Fees of the organization's completed production deliveries, newest first; the sandbox is free",
  parameters: chargeFilters,
  answers: { 200: ChargePage },
  *handle({ caller, query }) {
    return yield* chargePage(yield* partnerOf(caller, "production"), query)
  },
})

const sumParameters: readonly Parameter[] = [
  ...chargeSpan,
  { in: "query", name: "timezone", description: "Of the months; absent: UTC.", schema: TimeZone },
]

const ChargeSums = Schema.Struct({
  sums: Schema.Array(
    Schema.Struct({
      month: Schema.String.annotations({ description: "Such as `2026-11`." }),
      site_id: Schema.String,
      currency: Schema.String,
      count: Schema.Number.annotations({ jsonSchema: { type: "integer", minimum: 1 } }),
      fee_cents: Schema.Number.annotations({ jsonSchema: { type: "integer", minimum: 0 } }),
    }).annotations({ identifier: "ChargeSum" }),
  ),
})

const sums = memberEndpoint({
  method: "GET",
  path: "/portal/api/charges/sums",
  operationId: "sumCharges",
  summary: "The same fees, summed by month and site, the newest month first",
  parameters: sumParameters,
  answers: { 200: ChargeSums },
  *handle({ caller, query }) {
    const partner = yield* partnerOf(caller, "production")
    const request = yield* decodeQuery(SumChargesRequest, query, sumParameters)
    const found = yield* (yield* Charges).sums(partner, request)
    const written = found.map(({ month, siteId, currency, count, feeCents }) => ({
      month,
      site_id: siteId,
      currency,
      count,
      fee_cents: feeCents,
    }))
    return { sums: written }
  },
})

export const portalCharges = [list, sums]

const CSV_PATH = "/portal/api/charges.csv"

/** What a file of the portal needs. */
export interface FileOptions<R> {
  readonly run: Run<R>
  /** The caller of a request, who has been checked. */
  readonly callerOf: (request: FastifyRequest, reply: FastifyReply) => Promise<PortalCaller>
}

/** A CSV file, so not an endpoint like the others. */
export function addPortalChargesFile(app: FastifyInstance, { run, callerOf }: FileOptions<Charges>): void {
  app.get<{ Querystring: Query }>(CSV_PATH, async (request, reply) => {
    reply.headers(NOT_STORED)
    const caller = await callerOf(request, reply)
    const file = await run(
      Effect.flatMap(partnerOf(caller, "production"), (partner) => chargesCsv(partner, request.query)),
    )
    return sendCharges(reply, file)
  })
}

/** For the document. */
export const portalChargesFile = chargesPart(CSV_PATH, {
  summary: "The same of a whole span as CSV (RFC 4180), oldest first; no cell is a formula",
  errors: ["SIGN_IN_REQUIRED", "ORG_INACTIVE"],
})
