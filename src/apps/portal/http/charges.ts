/** `/portal/api/charges`: what the organization's completed deliveries of production cost, as pages and as one CSV file. */

import { Effect } from "effect"
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify"
import { ExportChargesRequest, ListChargesRequest } from "../../../model/requests/operations-requests.ts"
import { decodeRequest } from "../../../model/values/schema.ts"
import { Charges } from "../../../areas/direct-delivery/charges.ts"
import {
  ChargeRecord,
  chargePaging,
  chargeRecord,
  chargeSpan,
  chargesPart,
  sendCharges,
} from "../../../areas/direct-delivery/http/operator-charges.ts"
import { partnerOf } from "../caller.ts"
import type { PortalCaller } from "../caller.ts"
import type { Run } from "../../../http/bridge.ts"
import { filtersIn } from "../../../http/endpoint.ts"
import type { Query } from "../../../http/endpoint.ts"
import { NOT_STORED } from "../../../http/errors.ts"
import { pageSchema } from "../../../http/pages.ts"
import type { MemberEndpoint } from "./endpoint.ts"

const list: MemberEndpoint<Charges> = {
  method: "GET",
  path: "/portal/api/charges",
  operationId: "listCharges",
  summary: "Fees of the organization's completed production deliveries, newest first; the sandbox is free",
  asks: "member",
  parameters: [...chargeSpan, ...chargePaging],
  body: null,
  answers: { 200: pageSchema("charges", ChargeRecord) },
  errors: ["VALIDATION_ERROR"],
  handle: ({ caller, query }) =>
    Effect.gen(function* () {
      const sent = yield* filtersIn(query, [...chargeSpan, ...chargePaging])
      const request = yield* decodeRequest(ListChargesRequest, sent)
      const page = yield* (yield* Charges).list(yield* partnerOf(caller, "production"), request)
      return {
        status: 200,
        data: { charges: page.charges.map(chargeRecord), next_cursor: page.nextCursor },
      }
    }),
}

export const portalCharges = [list]

const CSV_PATH = "/portal/api/charges.csv"

interface FileOptions {
  readonly run: Run<Charges>
  /** The caller of a request, who has been checked. */
  readonly callerOf: (request: FastifyRequest, reply: FastifyReply) => Promise<PortalCaller>
}

/** A CSV file, so not an endpoint like the others. */
export function addPortalChargesFile(app: FastifyInstance, { run, callerOf }: FileOptions): void {
  app.get<{ Querystring: Query }>(CSV_PATH, async (request, reply) => {
    reply.headers(NOT_STORED)
    const caller = await callerOf(request, reply)
    const file = await run(
      Effect.gen(function* () {
        const asked = yield* decodeRequest(ExportChargesRequest, yield* filtersIn(request.query, chargeSpan))
        return yield* (yield* Charges).csv(yield* partnerOf(caller, "production"), asked)
      }),
    )
    return sendCharges(reply, file)
  })
}

/** For the document. */
export const portalChargesFile = chargesPart(CSV_PATH, {
  summary: "The same of a whole span as CSV (RFC 4180), oldest first; no cell is a formula",
  errors: ["SIGN_IN_REQUIRED", "ORG_INACTIVE"],
})
