/**
 * A delivery's stay at the store for analytics: from the vehicle's arrival to the load, or to an earlier cancellation.
 * Source: direct delivery contract, analytics.
 */

import { idOf } from "../../model/address.ts"
import type { TurnResult } from "../../kernel/turn.ts"
import { beginStay, endStay } from "../analytics/stays.ts"
import { announcedBy } from "./record.ts"
import { DeliveryRows, isForRetailer } from "./rows.ts"
import { Routine } from "../../services/routine.ts"

/** A turn may pass through several statuses; each is announced, so a stay may begin and end at one instant. */
export function observeDeliveryStay(result: TurnResult) {
  const told = announcedBy(result)
  const begins = told.includes("ARRIVED_AT_STORE")
  const ends = told.includes("LOADED") || told.includes("CANCELLED")
  return begins || ends ? noteStay(result, { begins, ends }) : Routine.void
}

const noteStay = Routine.fn(function* (
  { group: { address }, instantMs }: TurnResult,
  { begins, ends }: { readonly begins: boolean; readonly ends: boolean },
) {
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
