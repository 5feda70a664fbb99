/** `/dd/v1/deliveries`: quote, create, list, read, cancel; on the sandbox, advance. */

import { Effect, Schema } from "effect"
import {
  CancelDeliveryRequest,
  CreateDeliveryRequest,
  ListDeliveriesRequest,
  QuoteRequest,
} from "../../../model/requests/delivery-requests.ts"
import { DirectDelivery } from "../direct-delivery.ts"
import { decodeBody, decodeQuery } from "../../../http/endpoint.ts"
import { ANY_OF, listParameters } from "../../../http/pages.ts"
import { Delivery, Pagination, Quote } from "./schemas.ts"
import type { OfServiceSite, OfSite } from "./site-header.ts"

const offered = { needsSite: true, budget: "requests" } as const

const quote: OfSite<DirectDelivery> = {
  ...offered,
  method: "POST",
  path: "/dd/v1/deliveries/quote",
  operationId: "quoteDelivery",
  summary: "Whether, when and for how much; what cannot be delivered is an answer too",
  permission: "deliveries:write",
  parameters: [],
  body: QuoteRequest,
  answers: { 200: Quote },
  errors: [
    "INVALID_READY_BY",
    "DELIVERY_ALREADY_EXISTS",
    "GEOCODE_FAILED",
    "GEOCODING_UNAVAILABLE",
    "RETAILER_NOT_CONFIGURED",
  ],
  handle: ({ caller, site, body }) =>
    Effect.gen(function* () {
      const service = yield* DirectDelivery
      const request = yield* decodeBody(QuoteRequest, body)
      return { status: 200, data: yield* service.quote(caller, site, request) }
    }),
}

const create: OfServiceSite<DirectDelivery> = {
  needsSite: "the service judges it",
  budget: "requests",
  method: "POST",
  path: "/dd/v1/deliveries",
  operationId: "createDelivery",
  summary: "Make a live quote a delivery; the same body again answers 200 with it",
  permission: "deliveries:write",
  parameters: [],
  body: CreateDeliveryRequest,
  answers: { 201: Delivery, 200: Delivery },
  errors: ["QUOTE_NOT_FOUND", "QUOTE_EXPIRED", "QUOTE_UNAVAILABLE", "DELIVERY_ALREADY_EXISTS", "NO_CAPACITY"],
  handle: ({ caller, site, body, arrival }) =>
    Effect.gen(function* () {
      const service = yield* DirectDelivery
      const request = yield* decodeBody(CreateDeliveryRequest, body).pipe(
        // A refused site is reported before a bad body.
        Effect.tapError(() => service.enter(caller, site, "deliveries:write")),
      )
      const { delivery, isReplay } = yield* service.create(caller, site, request, arrival)
      return { status: isReplay ? 200 : 201, data: delivery }
    }),
}

const filters = listParameters(ListDeliveriesRequest.fields, {
  status: ANY_OF,
  created_after: "Created after this instant.",
  created_before: "Created before this instant.",
})

const list: OfSite<DirectDelivery> = {
  ...offered,
  method: "GET",
  path: "/dd/v1/deliveries",
  operationId: "listDeliveries",
  summary: "The site's deliveries, newest first; `pagination` beside `data` leads to the next page",
  permission: "deliveries:read",
  parameters: filters,
  body: null,
  answers: { 200: Schema.Array(Delivery) },
  beside: { pagination: Pagination },
  errors: [],
  handle: ({ caller, site, query }) =>
    Effect.gen(function* () {
      const service = yield* DirectDelivery
      const request = yield* decodeQuery(ListDeliveriesRequest, query, filters)
      const { deliveries, next_cursor } = yield* service.list(caller, site, request)
      return {
        status: 200,
        data: deliveries,
        beside: { pagination: { next_cursor, has_more: next_cursor !== null } },
      }
    }),
}

const read: OfSite<DirectDelivery> = {
  ...offered,
  method: "GET",
  path: "/dd/v1/deliveries/{id}",
  operationId: "readDelivery",
  summary: "One delivery by its external id",
  permission: "deliveries:read",
  parameters: [],
  body: null,
  answers: { 200: Delivery },
  errors: ["DELIVERY_NOT_FOUND"],
  handle: ({ caller, site, id }) =>
    Effect.gen(function* () {
      const service = yield* DirectDelivery
      return { status: 200, data: yield* service.read(caller, site, id) }
    }),
}

const cancel: OfSite<DirectDelivery> = {
  ...offered,
  method: "PATCH",
  path: "/dd/v1/deliveries/{id}",
  operationId: "cancelDelivery",
  summary: "Cancel at any status before the end; a repeat answers 200 and changes nothing",
  permission: "deliveries:write",
  parameters: [],
  body: CancelDeliveryRequest,
  answers: { 200: Delivery },
  errors: ["DELIVERY_NOT_FOUND", "INVALID_STATE"],
  handle: ({ caller, site, id, body }) =>
    Effect.gen(function* () {
      const service = yield* DirectDelivery
      const request = yield* decodeBody(CancelDeliveryRequest, body)
      return { status: 200, data: yield* service.cancel(caller, site, id, request) }
    }),
}

const takeStep: OfSite<DirectDelivery> = {
  ...offered,
  method: "POST",
  path: "/dd/v1/deliveries/{id}/advance",
  operationId: "advanceDelivery",
  summary: "Take the next status; a retry takes the one after",
  permission: "deliveries:write",
  parameters: [],
  body: null,
  answers: { 200: Delivery },
  errors: ["DELIVERY_NOT_FOUND", "INVALID_STATE"],
  handle: ({ caller, site, id }) =>
    Effect.gen(function* () {
      const service = yield* DirectDelivery
      return { status: 200, data: yield* service.advance(caller, site, id) }
    }),
}

export const deliveries = [quote, create, list, read, cancel]

/** Production has no such route, so the gate answers 404 before it checks the key. */
export const advance = [takeStep]
