/**
 * A delivery's stay at the store for analytics: from the vehicle's arrival to the load, or to an earlier cancellation.
 * Source: direct delivery contract, analytics.
 */

import { idOf } from "../../model/address.ts"
import type { TurnResult } from "../../kernel/turn.ts"
import { beginStay, endStay } from "../analytics/stays.ts"
import { deliveryStatus } from "./record.ts"
import { DeliveryRows, isForRetailer } from "./rows.ts"
import { Routine } from "../../services/routine.ts"

/** A turn may pass through several statuses; each is announced, so a stay may begin and end at one instant. */
export const observeDeliveryStay = Routine.fn(function* ({
  outcome,
  group,
  emissions,
  instantMs,
}: TurnResult) {
  if (outcome.type === "refused") return
  const { address } = group
  const told = emissions.map(({ actors }) => deliveryStatus(actors, address))
  const begins = told.includes("ARRIVED_AT_STORE")
  const ends = told.includes("LOADED") || told.includes("CANCELLED")
  if (!begins && !ends) return
  const rows = yield* DeliveryRows
  const row = yield* rows.byId(idOf(address))
  if (row === null || !isForRetailer(row)) return
  const { environment, siteId } = row
  if (begins) {
    yield* beginStay({
      group: address,
      environment,
      at: { siteId },
      stallId: null,
      source: "delivery",
      atMs: instantMs,
    })
  }
  if (ends) yield* endStay({ group: address, environment }, instantMs)
})
