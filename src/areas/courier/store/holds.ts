/** Counts the errands that keep a place of a fleet, in dispatch's statement. While a payment is in flight, a hold does not run out. */

import { Layer } from "effect"
import { HoldsInSql } from "../../dispatch/holds.ts"

export const layerHoldsInSql: Layer.Layer<HoldsInSql> = Layer.succeed(
  HoldsInSql,
  ({ fleetId, atMs, without }) =>
    `(select count(*) from courier_orders
          where fleet_id = ${fleetId} and delivery_id is distinct from ${without} and (phase in ('authorizing', 'capturing') or (phase = 'held' and hold_ends_at_ms > ${atMs}::bigint)))`,
)
