/** `/internal/v1`: sites from which deliveries start, of the host's environment. */

import { Effect, Schema } from "effect"
import { DeliverySiteChange, DeliverySiteView } from "../../model/delivery-site.ts"
import { DeliverySiteAdmin } from "../../services/direct-delivery/site-admin.ts"
import { decodeBody } from "../endpoint.ts"
import type { OperatorEndpoint } from "./endpoint.ts"
import { PAGING, pageOf, pageSchema } from "./pages.ts"

const list: OperatorEndpoint<DeliverySiteAdmin> = {
  method: "GET",
  path: "/internal/v1/delivery-sites",
  operationId: "listDeliverySites",
  summary: "Every site from which deliveries start, by id",
  parameters: PAGING,
  body: null,
  answers: { 200: pageSchema("delivery_sites", DeliverySiteView) },
  errors: ["VALIDATION_ERROR"],
  handle: ({ caller, query }) =>
    Effect.gen(function* () {
      const sites = yield* DeliverySiteAdmin
      const data = yield* pageOf(query, yield* sites.list(caller.environment), {
        noun: "delivery_sites",
        nameOf: ({ site_id }) => site_id,
        written: (one) => one,
      })
      return { status: 200, data }
    }),
}

const change: OperatorEndpoint<DeliverySiteAdmin> = {
  method: "PATCH",
  path: "/internal/v1/delivery-sites/{id}",
  operationId: "changeDeliverySite",
  summary: "Change a site's area, price, time zone or threshold, close or open it; what is not sent stays",
  parameters: [],
  body: DeliverySiteChange,
  answers: { 200: Schema.Struct({ delivery_site: DeliverySiteView }) },
  errors: ["VALIDATION_ERROR", "NOT_FOUND"],
  handle: ({ caller, id, body }) =>
    Effect.gen(function* () {
      const wanted = yield* decodeBody(DeliverySiteChange, body)
      const sites = yield* DeliverySiteAdmin
      return { status: 200, data: { delivery_site: yield* sites.change(caller.environment, id, wanted) } }
    }),
}

export const deliverySites = [list, change]
