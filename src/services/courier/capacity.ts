/** Capacity: the fleet as facts for a decision. Counted at the instant, so that a hold that ran out needs no lock. */

import { Effect } from "effect"
import type { Place } from "../../model/place.ts"
import { candidatesFor } from "../direct-delivery/fleet.ts"
import { Transaction } from "../host.ts"
import { DeliveryRows } from "../direct-delivery/rows.ts"
import type { Capacity } from "../direct-delivery/assignment.ts"
import { CourierSettings } from "./settings.ts"

/**
 * None where nobody knows the store. `without` is the errand that asks: its own hold takes nothing from it, nor do the `released` ones that it lets go.
 */
export const capacityFor = Effect.fnUntraced(function* (
  store: Place | null,
  without: string | null,
  released = 0,
) {
  if (store === null) return { candidates: [], holds: 0 } satisfies Capacity
  const { fleetId } = yield* CourierSettings
  const rows = yield* DeliveryRows
  const { nowMs } = yield* Transaction
  // Holds before runs: an errand that is booked in between counts twice rather than not at all.
  const holds = yield* rows.holds(fleetId, { atMs: nowMs, without })
  const candidates = yield* candidatesFor(fleetId, store)
  return { candidates, holds: holds - released } satisfies Capacity
})
