/** `/internal/v1/charges`: the costs of completed deliveries in production, as pages and as one CSV file. */

import { Effect, Schema } from "effect"
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify"
import type { Operator, Partner } from "../../../model/caller.ts"
import { ExportChargesRequest, ListChargesRequest } from "../../../model/requests/operations-requests.ts"
import { Charges } from "../charges.ts"
import type { Run } from "../../../http/bridge.ts"
import { decodeQuery } from "../../../http/endpoint.ts"
import type { Offer, Query } from "../../../http/endpoint.ts"
import { operatorOf } from "../../../http/gate.ts"
import type { Part } from "../../../http/document-part.ts"
import { csvPart, sendCsv } from "../../../http/docs/csv-file.ts"
import { operatorEndpoint } from "../../../http/operator-endpoint.ts"
import { listParameters, pageSchema } from "../../../http/pages.ts"
import { recordsOf } from "../../../http/records/records.ts"

const { fields } = ListChargesRequest

const filters = {
  site_id: "Of this site alone.",
  from: "Completed at or after this instant.",
  until: "Completed before this instant.",
}

/** Parameters of a list of charges. */
export const chargeFilters = listParameters(fields, filters)

/** Those of a file or a sum, which are no page. */
export const chargeSpan = chargeFilters.filter(({ name }) => name in filters)

const ChargeRecord = Schema.Struct({
  delivery_id: Schema.String,
  external_delivery_id: Schema.String,
  organization_id: Schema.String,
  site_id: Schema.String,
  fee_cents: Schema.Number.annotations({ jsonSchema: { type: "integer", minimum: 0 } }),
  currency: Schema.String,
  completed_at: Schema.String.annotations({ jsonSchema: { type: "string", format: "date-time" } }),
}).annotations({ identifier: "Charge", description: "The fee of one completed delivery." })

export const ChargePage = pageSchema("charges", ChargeRecord)

/** The charges that a caller may read, as a page. */
export const chargePage = Effect.fnUntraced(function* (caller: Operator | Partner, query: Query) {
  const request = yield* decodeQuery(ListChargesRequest, query, chargeFilters)
  const { charges: found, nextCursor } = yield* (yield* Charges).list(caller, request)
  return { charges: found.map(chargeRecord), next_cursor: nextCursor }
})

const chargeRecord = recordsOf(ChargeRecord)

/** The same of a whole span, as CSV. */
export const chargesCsv = Effect.fnUntraced(function* (caller: Operator | Partner, query: Query) {
  const asked = yield* decodeQuery(ExportChargesRequest, query, chargeSpan)
  return yield* (yield* Charges).csv(caller, asked)
})

const listCharges = operatorEndpoint({
  method: "GET",
  path: "/internal/v1/charges",
  operationId: "listCharges",
  summary: "Fees of completed production deliveries, newest first; the sandbox has none",
  parameters: chargeFilters,
  answers: { 200: ChargePage },
  *handle({ caller, query }) {
    return yield* chargePage(caller, query)
  },
})

export const charges = [listCharges]

const CSV_PATH = "/internal/v1/charges.csv"

/** A CSV file, so not an endpoint like the others. */
export function addChargesFile(
  app: FastifyInstance,
  run: Run<Charges>,
  admitting: (request: FastifyRequest, reply: FastifyReply) => Promise<void>,
): void {
  app.get<{ Querystring: Query }>(CSV_PATH, { onRequest: admitting }, async (request, reply) => {
    const file = await run(chargesCsv(operatorOf(request), request.query))
    return sendCharges(reply, file)
  })
}

export function sendCharges(reply: FastifyReply, text: string): FastifyReply {
  return sendCsv(reply, { name: "charges", text })
}

/** For a document. `errors`: beside those of every such file. */
export function chargesPart(
  path: string,
  { summary, errors }: Pick<Offer, "errors" | "summary">,
): Readonly<Record<string, Part>> {
  return csvPart(path, { operationId: "exportCharges", summary, parameters: chargeSpan, errors })
}

export const chargesFile = chargesPart(CSV_PATH, {
  summary: "The same of a whole span as CSV (RFC 4180), oldest first",
  errors: ["INVALID_OPERATOR_TOKEN"],
})
