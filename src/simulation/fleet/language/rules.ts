/** Rules of a model that may be tuned, and what goes wrong. */

import { DEFAULT_DISPATCH_POLICY, DISPATCH_POLICIES } from "../../../model/vehicle-pool.ts"
import { MINUTE_MS } from "../../../model/values/time.ts"
import { duration, oneOf, optional, share } from "../../scenario/language/shapes.ts"

/** How the next task of an idle runner is chosen. */
export const DISPATCH = ["earliest_staging", "first_booked", "shortest_walk"] as const

export const POLICY = {
  dispatch: optional("which task an idle runner takes", oneOf(DISPATCH), "earliest_staging" as const),
  vehicle_dispatch: optional(
    "which vehicle takes a run: the one that can be at the store first, as a site of the service does unless it says another, the nearest with a free place, the one with the fewest runs, or one that can take two near orders on a trip",
    oneOf(DISPATCH_POLICIES),
    DEFAULT_DISPATCH_POLICY,
  ),
  staging_lead: optional(
    "how long before the arrival a runner should stand ready",
    duration(),
    5 * MINUTE_MS,
  ),
  send_ahead: optional("how long before its staging time a task is given out", duration(), 0),
  window_grace: optional("how long after its window a reservation is kept", duration(), 15 * MINUTE_MS),
  bot_wait: optional("how long a runner waits at the stall", duration(), 10 * MINUTE_MS),
}

export const FAULTS = {
  open_link_fails: optional("open links that fail for good", share, 0),
  payload_too_heavy: optional("orders over the bot's limit", share, 0),
}
