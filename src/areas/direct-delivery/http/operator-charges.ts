/** `/internal/v1/charges`: the costs of completed deliveries in production, as pages and as one CSV file. */

import { Effect, Schema } from "effect"
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify"
import { ExportChargesRequest, ListChargesRequest } from "../../../model/requests/operations-requests.ts"
import { decodeRequest } from "../../../model/values/schema.ts"
import { isoMs } from "../../../model/values/time.ts"
import { Charges } from "../charges.ts"
import type { Charge } from "../charges.ts"
import type { Run } from "../../../http/bridge.ts"
import { filtersIn } from "../../../http/endpoint.ts"
import type { Offer, Parameter, Query } from "../../../http/endpoint.ts"
import { operatorOf } from "../../../http/gate.ts"
import type { Part } from "../../../http/document-part.ts"
import { NOT_STORED } from "../../../http/errors.ts"
import { failures, tagOf } from "../../../http/openapi.ts"
import type { OperatorEndpoint } from "../../../http/operator-endpoint.ts"
import { listParameters, pageSchema } from "../../../http/pages.ts"

const { fields } = ListChargesRequest

export const chargeSpan: readonly Parameter[] = [
  { in: "query", name: "site_id", description: "Of this site alone.", schema: fields.site_id.from },
  { in: "query", name: "from", description: "Completed at or after this instant.", schema: fields.from.from },
  { in: "query", name: "until", description: "Completed before this instant.", schema: fields.until.from },
]

export const chargePaging = listParameters(fields)

export const ChargeRecord = Schema.Struct({
  delivery_id: Schema.String,
  external_delivery_id: Schema.String,
  organization_id: Schema.String,
  site_id: Schema.String,
  fee_cents: Schema.Number.annotations({ jsonSchema: { type: "integer", minimum: 0 } }),
  currency: Schema.String,
  completed_at: Schema.String.annotations({ jsonSchema: { type: "string", format: "date-time" } }),
}).annotations({ identifier: "Charge", description: "The fee of one completed delivery." })

const listCharges: OperatorEndpoint<Charges> = {
  method: "GET",
  path: "/internal/v1/charges",
  operationId: "listCharges",
  summary: "Fees of completed production deliveries, newest first; the sandbox has none",
  parameters: [...chargeSpan, ...chargePaging],
  body: null,
  answers: { 200: pageSchema("charges", ChargeRecord) },
  errors: ["VALIDATION_ERROR"],
  handle: ({ caller, query }) =>
    Effect.gen(function* () {
      const request = yield* decodeRequest(
        ListChargesRequest,
        yield* filtersIn(query, [...chargeSpan, ...chargePaging]),
      )
      const charges = yield* Charges
      const page = yield* charges.list(caller, request)
      return {
        status: 200,
        data: {
          charges: page.charges.map(chargeRecord),
          next_cursor: page.nextCursor,
        },
      }
    }),
}

export function chargeRecord(charge: Charge) {
  return {
    delivery_id: charge.deliveryId,
    external_delivery_id: charge.externalDeliveryId,
    organization_id: charge.organizationId,
    site_id: charge.siteId,
    fee_cents: charge.feeCents,
    currency: charge.currency,
    completed_at: isoMs(charge.completedAtMs),
  }
}

export const charges = [listCharges]

const CSV_PATH = "/internal/v1/charges.csv"

/** A CSV file, so not an endpoint like the others. */
export function addChargesFile(
  app: FastifyInstance,
  run: Run<Charges>,
  admitting: (request: FastifyRequest, reply: FastifyReply) => Promise<void>,
): void {
  app.get<{ Querystring: Query }>(CSV_PATH, { onRequest: admitting }, async (request, reply) => {
    const file = await run(
      Effect.gen(function* () {
        const asked = yield* decodeRequest(ExportChargesRequest, yield* filtersIn(request.query, chargeSpan))
        return yield* (yield* Charges).csv(operatorOf(request), asked)
      }),
    )
    return sendCharges(reply, file)
  })
}

/** A file to download. A record of money is in no cache. */
export function sendCharges(reply: FastifyReply, file: string): FastifyReply {
  return reply
    .headers({
      ...NOT_STORED,
      "Content-Disposition": 'attachment; filename="charges.csv"',
      "X-Content-Type-Options": "nosniff",
    })
    .type("text/csv; charset=utf-8")
    .send(file)
}

/** For a document. `errors`: beside those of every such file. */
export function chargesPart(
  path: string,
  { summary, errors }: Pick<Offer, "errors" | "summary">,
): Readonly<Record<string, Part>> {
  return {
    [path]: {
      get: {
        operationId: "exportCharges",
        tags: [tagOf(path)],
        summary,
        parameters: chargeSpan.map(({ name, description }) => ({
          in: "query",
          name,
          description,
          schema: { type: "string" },
        })),
        responses: {
          200: { description: "Done.", content: { "text/csv": {} } },
          ...failures([...errors, "INTERNAL_ERROR", "UNAVAILABLE", "VALIDATION_ERROR"], ["X-Request-Id"]),
        },
      },
    },
  }
}

export const chargesFile = chargesPart(CSV_PATH, {
  summary: "The same of a whole span as CSV (RFC 4180), oldest first",
  errors: ["INVALID_OPERATOR_TOKEN"],
})
