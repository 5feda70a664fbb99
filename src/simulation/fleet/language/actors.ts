/** How runners, vehicles and partners' bots of a model behave. */

import { BATCH_MAX, CREW_MAX } from "../../../model/values/limits.ts"
import { MINUTE_MS, SECOND_MS } from "../../../model/values/time.ts"
import {
  duration,
  number,
  oneOf,
  optional,
  record,
  required,
  share,
  whole,
  yesOrNo,
} from "../../scenario/language/shapes.ts"
import { always, hourly, signedSpread, spread } from "./spread.ts"
import type { Hourly, Spread } from "./spread.ts"

export const constant = (ms: number): Spread => ({ is: "constant", ms })
export const hourlyConstant = (ms: number): Hourly<Spread> => always(constant(ms))

export const RUNNER = {
  walk: optional("from the counter to a stall, and back", spread, constant(MINUTE_MS)),
  pick_up: optional("at the counter, once the order is ready", spread, constant(20 * SECOND_MS)),
  load: optional("into the bot", spread, constant(40 * SECOND_MS)),
}

export const VEHICLE = {
  speed_kmh: optional(
    "how fast it drives",
    hourly(number("a number of km/h", { min: 1, max: 120 })),
    always(25),
  ),
  detour: optional("the way over the crow's way", number("a factor", { min: 1, max: 3 }), 1.3),
  load: optional("at the store, once the order is ready", spread, constant(MINUTE_MS)),
  drop_off: optional("at the customer", spread, constant(2 * MINUTE_MS)),
  batching: optional(
    "two orders on one trip; a vehicle takes one at a time unless said",
    record("keys of batching", {
      within_km: required(
        "the two doors are at most so far from each other",
        number("kilometres", { min: 0, max: 50 }),
      ),
      capacity: optional(
        "how many items a vehicle takes on one trip; any two orders unless said",
        whole("a count of items", { min: 1, max: 2 * BATCH_MAX }),
        null,
      ),
      waits: optional("how long a loaded vehicle waits at the store for the second order", duration(), 0),
    }),
    null,
  ),
  returns: optional("whether it drives back to its site when it has nothing to do", yesOrNo, true),
  breakdown: optional(
    "breakdowns",
    record("keys of a breakdown", {
      every: required("driving time between two", spread),
      repair: required("how long a repair takes", spread),
      crew: optional(
        "repairs at the same time, of all vehicles; no limit unless said",
        whole("a count of repairs", { min: 1, max: CREW_MAX }),
        null,
      ),
    }),
    null,
  ),
  charging: optional(
    "charging between runs",
    record("keys of charging", {
      after_km: required("it charges after this way", number("kilometres", { min: 1, max: 1_000 })),
      takes: required("how long it takes", spread),
    }),
    null,
  ),
}

export const BOT = {
  punctuality: optional("arrival against the window's start", signedSpread, constant(0)),
  no_show: optional("bots that never come", share, 0),
  abort: optional("bots that give up after they arrived", share, 0),
  patience: optional(
    "a bot that is not loaded so long after it arrived gives up",
    spread,
    constant(45 * MINUTE_MS),
  ),
  patience_until: optional(
    "what ends its patience: the load, or a runner who has its order as the task",
    oneOf(["load", "runner"]),
    "load" as const,
  ),
  settle: optional("between arriving at the stall and being ready", spread, constant(10 * SECOND_MS)),
  leave: optional("between the load and leaving the stall", spread, constant(20 * SECOND_MS)),
  tells_eta: optional(
    "how long before it arrives it reports its estimate; never unless said",
    duration(),
    null,
  ),
}
