/** The courier connector's tables; the migrations make them, this file lets queries name them. See `schema.ts`. */

import { bigint, boolean, integer, json, pgTable, text } from "drizzle-orm/pg-core"
import type { CourierTool, PaymentStatus, PaymentFailure } from "../model/courier.ts"
import type { Place } from "../model/place.ts"
import type { CourierDetails, CourierPhase } from "../services/courier/rows.ts"
import type { OpeningHours, Store } from "../services/courier/store-directory.ts"

const ms = () => bigint({ mode: "number" })

export const courierOrders = pgTable("courier_orders", {
  deliveryId: text().primaryKey(),
  userId: text().notNull(),
  fleetId: text().notNull(),
  details: json().$type<CourierDetails>().notNull(),
  phase: text().$type<CourierPhase>().notNull(),
  paymentStatus: text().$type<PaymentStatus>().notNull(),
  holdEndsAtMs: ms(),
  createdAtMs: ms().notNull(),
  updatedAtMs: ms().notNull(),
  endedAtMs: ms(),
  blanked: boolean().notNull().default(false),
})

/** The credential is sealed. */
export const courierPayments = pgTable("courier_payments", {
  deliveryId: text().primaryKey(),
  credentialNo: integer().notNull(),
  sealedCredential: text(),
  authorizationId: text(),
  failure: text().$type<PaymentFailure>(),
})

/** The answer is sealed: it may hold a checkout link. */
export const courierClaims = pgTable("courier_claims", {
  userId: text().notNull(),
  key: text().notNull(),
  tool: text().$type<CourierTool>().notNull(),
  digest: text().notNull(),
  deliveryId: text(),
  sealedAnswer: text(),
  isDone: boolean().notNull(),
  leaseEndsAtMs: ms().notNull(),
  atMs: ms().notNull(),
})

/** `plainName` is the name as `plainName()` writes it, so that a look-up is one index search. */
export const stores = pgTable("stores", {
  storeId: text().primaryKey(),
  name: text().notNull(),
  plainName: text().notNull(),
  street: text().notNull(),
  zip: text().notNull(),
  place: json().$type<Place>().notNull(),
  categories: json().$type<readonly string[]>().notNull(),
  phone: text(),
  hours: json().$type<readonly OpeningHours[]>(),
  leadTimeMs: ms().notNull(),
  kitchenStarts: text().$type<Store["kitchenStarts"]>().notNull(),
  stallHint: text(),
})
