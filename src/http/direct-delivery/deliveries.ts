/** `/dd/v1/deliveries`: quote, create, list, read, cancel; on the sandbox, advance. */

import { Effect, Schema } from "effect"
import {
  CancelDeliveryRequest,
  CreateDeliveryRequest,
  ListDeliveriesRequest,
  QuoteRequest,
} from "../../model/delivery-requests.ts"
import type { ErrorCode } from "../../model/errors.ts"
import type { Permission } from "../../model/caller.ts"
import { decodeRequest } from "../../model/schema.ts"
import { DirectDelivery } from "../../services/direct-delivery/direct-delivery.ts"
import { decodeBody, filtersIn } from "../endpoint.ts"
import type { Ask, Endpoint, Parameter } from "../endpoint.ts"
import { Delivery, Pagination, Quote } from "./schemas.ts"

/** The header that names the site of a call. */
const SITE_HEADER = "x-retailer-id"

const site: Parameter = {
  in: "header",
  name: SITE_HEADER,
  description: "The site's UUID.",
  schema: Schema.String,
  isRequired: true,
}

const SITE_ERRORS: readonly ErrorCode[] = ["VALIDATION_ERROR", "RETAILER_NOT_FOUND", "RETAILER_INACTIVE"]

/** The site is judged before the body is looked at. */
const entered = Effect.fnUntraced(function* ({ caller, header }: Ask, permission: Permission) {
  const service = yield* DirectDelivery
  const siteId = header(SITE_HEADER)
  yield* service.enter(caller, siteId, permission)
  return { service, siteId }
})

const quote: Endpoint<DirectDelivery> = {
  method: "POST",
  path: "/dd/v1/deliveries/quote",
  operationId: "quoteDelivery",
  summary: "Whether, when and for how much; what cannot be delivered is an answer too",
  permissions: ["deliveries:write"],
  budget: "requests",
  parameters: [site],
  body: QuoteRequest,
  answers: { 200: Quote },
  errors: [
    ...SITE_ERRORS,
    "INVALID_READY_BY",
    "DELIVERY_ALREADY_EXISTS",
    "GEOCODE_FAILED",
    "GEOCODING_UNAVAILABLE",
    "RETAILER_NOT_CONFIGURED",
  ],
  handle: (ask) =>
    Effect.gen(function* () {
      const { service, siteId } = yield* entered(ask, "deliveries:write")
      const request = yield* decodeBody(QuoteRequest, ask.body)
      return { status: 200, data: yield* service.quote(ask.caller, siteId, request) }
    }),
}

const create: Endpoint<DirectDelivery> = {
  method: "POST",
  path: "/dd/v1/deliveries",
  operationId: "createDelivery",
  summary: "Make a live quote a delivery; the same body again answers 200 with it",
  permissions: ["deliveries:write"],
  budget: "requests",
  parameters: [site],
  body: CreateDeliveryRequest,
  answers: { 201: Delivery, 200: Delivery },
  errors: [
    ...SITE_ERRORS,
    "QUOTE_NOT_FOUND",
    "QUOTE_EXPIRED",
    "QUOTE_UNAVAILABLE",
    "DELIVERY_ALREADY_EXISTS",
  ],
  handle: (ask) =>
    Effect.gen(function* () {
      const { service, siteId } = yield* entered(ask, "deliveries:write")
      const request = yield* decodeBody(CreateDeliveryRequest, ask.body)
      const { delivery, isReplay } = yield* service.create(ask.caller, siteId, request)
      return { status: isReplay ? 200 : 201, data: delivery }
    }),
}

const { fields } = ListDeliveriesRequest

const filters: readonly Parameter[] = [
  {
    in: "query",
    name: "status",
    description: "One of these; may be repeated.",
    schema: fields.status.from,
    isRepeatable: true,
  },
  {
    in: "query",
    name: "created_after",
    description: "Created after this instant.",
    schema: fields.created_after.from,
  },
  {
    in: "query",
    name: "created_before",
    description: "Created before this instant.",
    schema: fields.created_before.from,
  },
  { in: "query", name: "limit", description: "Rows of a page; 50 if absent.", schema: fields.limit.from },
  { in: "query", name: "cursor", description: "The last page's `next_cursor`.", schema: fields.cursor.from },
]

const list: Endpoint<DirectDelivery> = {
  method: "GET",
  path: "/dd/v1/deliveries",
  operationId: "listDeliveries",
  summary: "The site's deliveries, newest first; `pagination` beside `data` leads to the next page",
  permissions: ["deliveries:read"],
  budget: "requests",
  parameters: [site, ...filters],
  body: null,
  answers: { 200: Schema.Array(Delivery) },
  beside: { pagination: Pagination },
  errors: SITE_ERRORS,
  handle: (ask) =>
    Effect.gen(function* () {
      const { service, siteId } = yield* entered(ask, "deliveries:read")
      const request = yield* decodeRequest(ListDeliveriesRequest, yield* filtersIn(ask.query, filters))
      const { deliveries, next_cursor } = yield* service.list(ask.caller, siteId, request)
      return {
        status: 200,
        data: deliveries,
        beside: { pagination: { next_cursor, has_more: next_cursor !== null } },
      }
    }),
}

const read: Endpoint<DirectDelivery> = {
  method: "GET",
  path: "/dd/v1/deliveries/{id}",
  operationId: "readDelivery",
  summary: "One delivery by its external id",
  permissions: ["deliveries:read"],
  budget: "requests",
  parameters: [site],
  body: null,
  answers: { 200: Delivery },
  errors: [...SITE_ERRORS, "DELIVERY_NOT_FOUND"],
  handle: (ask) =>
    Effect.gen(function* () {
      const { service, siteId } = yield* entered(ask, "deliveries:read")
      return { status: 200, data: yield* service.read(ask.caller, siteId, ask.id) }
    }),
}

const cancel: Endpoint<DirectDelivery> = {
  method: "PATCH",
  path: "/dd/v1/deliveries/{id}",
  operationId: "cancelDelivery",
  summary: "Cancel at any status before the end; a repeat answers 200 and changes nothing",
  permissions: ["deliveries:write"],
  budget: "requests",
  parameters: [site],
  body: CancelDeliveryRequest,
  answers: { 200: Delivery },
  errors: [...SITE_ERRORS, "DELIVERY_NOT_FOUND", "INVALID_STATE"],
  handle: (ask) =>
    Effect.gen(function* () {
      const { service, siteId } = yield* entered(ask, "deliveries:write")
      const request = yield* decodeBody(CancelDeliveryRequest, ask.body)
      return { status: 200, data: yield* service.cancel(ask.caller, siteId, ask.id, request) }
    }),
}

const takeStep: Endpoint<DirectDelivery> = {
  method: "POST",
  path: "/dd/v1/deliveries/{id}/advance",
  operationId: "advanceDelivery",
  summary: "Take the next status; a retry takes the one after",
  permissions: ["deliveries:write"],
  budget: "requests",
  parameters: [site],
  body: null,
  answers: { 200: Delivery },
  errors: [...SITE_ERRORS, "DELIVERY_NOT_FOUND", "INVALID_STATE"],
  handle: (ask) =>
    Effect.gen(function* () {
      const { service, siteId } = yield* entered(ask, "deliveries:write")
      return { status: 200, data: yield* service.advance(ask.caller, siteId, ask.id) }
    }),
}

export const deliveries = [quote, create, list, read, cancel]

/** On production there is no such route, so that nothing is asked of a key there. */
export const advance = [takeStep]
