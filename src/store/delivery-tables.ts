/** Direct delivery's tables for queries; the migrations create them. See `schema.ts`. */

import {
  bigint,
  bigserial,
  boolean,
  doublePrecision,
  integer,
  json,
  pgTable,
  text,
} from "drizzle-orm/pg-core"
import type { Environment } from "../model/caller.ts"
import type { DeliveryStatus, UnavailableReason } from "../model/delivery.ts"
import type { Place } from "../model/place.ts"
import type { LoadReport } from "../model/vehicle.ts"
import type {
  Customer,
  DeliveryAddress,
  DeliveryRow,
  OrderItem,
  Terms,
} from "../services/direct-delivery/rows.ts"

const ms = () => bigint({ mode: "number" })

/** The columns that a quote and its delivery share. */
const errand = () => ({
  readyByMs: ms().notNull(),
  customer: json().$type<Customer>().notNull(),
  address: json().$type<DeliveryAddress>().notNull(),
  place: json().$type<Place>().notNull(),
  items: json().$type<readonly OrderItem[]>().notNull(),
  pickupInstructions: text(),
})

export const quotes = pgTable("quotes", {
  siteId: text().notNull(),
  externalDeliveryId: text().notNull(),
  terms: json().$type<Terms>(),
  unavailableReason: text().$type<UnavailableReason>(),
  expiresAtMs: ms().notNull(),
  createdAtMs: ms().notNull(),
  ...errand(),
})

export const deliveries = pgTable("deliveries", {
  deliveryId: text().primaryKey(),
  siteId: text().notNull(),
  organizationId: text().notNull(),
  environment: text().$type<Environment>().notNull(),
  fleetId: text().notNull(),
  externalDeliveryId: text().notNull(),
  comparison: text().notNull(),
  pickupEtaMs: ms().notNull(),
  deliveryEtaMs: ms().notNull(),
  feeCents: integer().notNull(),
  currency: text().notNull(),
  ...errand(),
  storePlace: json().$type<Place>(),
  cancellationReason: text(),
  toldFix: json().$type<NonNullable<DeliveryRow["toldFix"]>>(),
  createdAtMs: ms().notNull(),
  number: bigserial({ mode: "number" }).notNull(),
  status: text().$type<DeliveryStatus>().notNull(),
  vehicleId: text().notNull(),
  completedAtMs: ms(),
  cancelledAtMs: ms(),
  updatedAtMs: ms().notNull(),
})

export const vehicles = pgTable("vehicles", {
  vehicleId: text().primaryKey(),
  fleetId: text().notNull(),
  environment: text().$type<Environment>().notNull(),
  label: text().notNull(),
  isSynthetic: boolean().notNull(),
  isOnline: boolean().notNull(),
})

export const vehicleFixes = pgTable("vehicle_fixes", {
  id: bigserial({ mode: "number" }).primaryKey(),
  vehicleId: text().notNull(),
  deliveryId: text(),
  latitude: doublePrecision().notNull(),
  longitude: doublePrecision().notNull(),
  recordedAtMs: ms().notNull(),
  receivedAtMs: ms().notNull(),
  speedMps: doublePrecision(),
  load: text().$type<LoadReport>(),
  sequence: ms(),
})
