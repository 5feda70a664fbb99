/** Planted bugs of direct delivery, for planted-bugs.test.ts: programs that break one invariant each. */

import { assign } from "xstate"
import { delivery } from "../../../machines/delivery.ts"
import { webhookDelivery } from "../../../machines/webhook-delivery.ts"
import type { Decided, DecisionFunction, Facts } from "../../../machines/contracts.ts"
import { decisions } from "../../../src/apps/composition/areas.ts"
import type { Program } from "../../../src/engine/kernel/program.ts"
import { bestVehicle } from "../../../src/areas/dispatch/assignment.ts"
import type { Candidate, Pool } from "../../../src/model/vehicle-pool.ts"
import { scenario } from "../../../src/simulation/scenario/builder.ts"
import { liveProgram } from "./live-scenarios.ts"
import { planted, rewritten } from "./planted-bugs.ts"
import type { PlantedBug } from "./planted-bugs.ts"

const groceries = scenario("Groceries", {
  because: "It shows a planted bug.",
  clock: "2026-03-02T11:30 America/Chicago",
  given: {
    delivery_site: { supervisors: true },
    vehicles: [{ as: "van" }, { as: "cart", north_m: 4000 }],
    pickup_webhooks: [{ as: "shop", events: "all" }],
  },
})
  .do("delivery.quote", { as: "groceries" })
  .do("delivery.create", { for: "groceries" })
/** Three quotes of one vehicle, all of them before the first create. */
const alone = scenario("Three quotes", {
  because: "It shows a planted bug.",
  clock: "2026-03-02T11:30 America/Chicago",
  given: { vehicles: [{ as: "van" }] },
})
  .do("delivery.quote", { as: "first" })
  .do("delivery.quote", { as: "second" })
  .do("delivery.quote", { as: "third" })
/** The near vehicle is about to end its run when the second order comes. */
const shortRun = scenario("A short run", {
  because: "It shows a planted bug.",
  clock: "2026-03-02T11:30 America/Chicago",
  given: {
    vehicles: [
      { as: "near", north_m: 200 },
      { as: "far", north_m: 12000 },
    ],
  },
})
  .do("delivery.quote", { as: "first", with: { ready_by: "11:31", north_m: 800 } })
  .do("delivery.create", { for: "first" })
  .at("11:38")
  .do("vehicle.report", { for: "near", with: { north_m: 0, load: "loaded" } })
  .at("11:40")
  .do("vehicle.report", { for: "near", with: { north_m: 400 } })
  .do("delivery.quote", { as: "second" })
  .do("delivery.create", { for: "second" })
/** Two orders of a site whose vehicles take near doors on one trip. */
const nearDoors = scenario("Near doors", {
  because: "It shows a planted bug.",
  clock: "2026-03-02T11:30 America/Chicago",
  given: { delivery_site: { dispatch_policy: "batching" }, vehicles: [{ as: "van" }, { as: "cart" }] },
})
  .do("delivery.quote", { as: "first", with: { ready_by: "11:40" } })
  .do("delivery.create", { for: "first" })
  .do("delivery.quote", { as: "second", with: { ready_by: "11:41", north_m: 2200 } })
  .do("delivery.create", { for: "second" })
const loaded = groceries.at("+1m").do("delivery.supervise", { for: "groceries", with: { status: "LOADED" } })
const cancelled = groceries.at("+1m").do("delivery.cancel", { for: "groceries" })

export const DELIVERY_BUGS: readonly PlantedBug[] = [
  {
    says: "a vehicle that comes back to the store takes the delivery back",
    breaks: "a delivery's status never goes back",
    shownBy: loaded.do("delivery.supervise", { for: "groceries", with: { status: "ARRIVED_AT_STORE" } }),
    options: {
      program: rewritten(
        "delivery@1",
        delivery,
        ["states", "open", "states", "loaded", "on", "store.reached"],
        "scheduled",
      ),
    },
  },
  {
    says: "a cancelled delivery can be advanced",
    breaks: "a delivery's status never goes back",
    shownBy: cancelled.at("+1m").do("delivery.supervise", { for: "groceries", with: { status: "LOADED" } }),
    options: {
      program: rewritten("delivery@1", delivery, ["states", "cancelled", "on", "order.loaded"], "completed"),
    },
  },
  {
    says: "a skipped status is not told",
    breaks: "every status of a delivery is published exactly once, in order",
    shownBy: loaded,
    options: {
      program: rewritten(
        "delivery@1",
        delivery,
        ["states", "open", "states", "arrived_at_store", "entry"],
        [],
      ),
    },
  },
  {
    says: "the vehicle with the most runs is taken",
    breaks: "no run waits behind others while an online vehicle has a free place",
    shownBy: groceries
      .do("delivery.quote", { as: "second" })
      .do("delivery.create", { for: "second" })
      .do("delivery.quote", { as: "third" })
      .do("delivery.create", { for: "third" }),
    options: { program: choosing(() => THE_VAN) },
  },
  {
    says: "a live quote is honoured beyond the places",
    breaks: "a quote becomes a delivery only on an online vehicle with a free place",
    shownBy: alone
      .do("delivery.create", { for: "first" })
      .do("delivery.create", { for: "second" })
      .do("delivery.create", { for: "third" }),
    options: {
      program: {
        ...liveProgram,
        decisions: { ...liveProgram.decisions, "promote@3": promoteBeyondPlaces },
      },
    },
  },
  {
    says: "the farthest of the listed vehicles is taken",
    breaks: "a run goes to the vehicle that a look at the whole fleet would choose",
    shownBy: groceries,
    options: { program: choosing(({ candidates }) => candidates.at(-1)?.vehicleId ?? "") },
  },
  {
    says: "the nearest vehicle is taken, which is at the store last",
    breaks: "a run goes to the vehicle that a look at the whole fleet would choose",
    shownBy: groceries.do("delivery.quote", { as: "second" }).do("delivery.create", { for: "second" }),
    options: { program: choosing(({ candidates }) => leastOf(candidates, ({ metres }) => metres)) },
  },
  {
    says: "an idle vehicle is taken before a busy one that is at the store first",
    breaks: "a run goes to the vehicle that a look at the whole fleet would choose",
    shownBy: shortRun,
    options: { program: choosing(({ candidates }) => leastOf(candidates, ({ runs }) => runs)) },
  },
  {
    says: "a vehicle that could take a near door on its trip is passed over",
    breaks: "a run goes to the vehicle that a look at the whole fleet would choose",
    shownBy: nearDoors,
    options: { program: choosing(({ candidates }) => leastOf(candidates, ({ freeAtMs = 0 }) => freeAtMs)) },
  },
  {
    says: "the vehicle gets no event when its run is over",
    breaks: "every open delivery is a run of exactly one vehicle, and no ended delivery is",
    shownBy: cancelled,
    options: {
      program: planted(
        "delivery@1",
        delivery.provide({ actions: { "tell the vehicle that the run is over": assign({}) } }),
      ),
    },
  },
  {
    says: "a pickup event has a sixth attempt",
    breaks: "no pickup event is attempted more than five times",
    shownBy: groceries.inject("webhook.answers", { for: "shop", with: { answers: [500] } }),
    options: {
      program: planted(
        "webhook-delivery@2",
        webhookDelivery.provide({
          guards: {
            "attempts are used up": ({ context }) => context.attempt > context.attemptsMax,
            "it fails the last attempt": ({ context, event }) =>
              event.attempt === context.attempt && context.attempt > context.attemptsMax,
          },
        }),
      ),
    },
  },
]

/** Takes another vehicle than the decision did. */
function choosing(choose: (facts: Pool) => string): Program {
  const promote: DecisionFunction<"promote@3"> = (facts, asked, atMs) => {
    const decided = decisions["promote@3"](facts, asked, atMs)
    return "refusal" in decided ? decided : { vehicleId: choose(facts) }
  }
  return { ...liveProgram, decisions: { ...liveProgram.decisions, "promote@3": promote } }
}

function leastOf(vehicles: readonly Candidate[], measure: (one: Candidate) => number): string {
  const sorted = vehicles.toSorted((one, other) => measure(one) - measure(other))
  return sorted[0]?.vehicleId ?? ""
}

/** The nearer vehicle, which is full after two runs; the list of candidates does not name it then. */
const THE_VAN = "veh_van"

function promoteBeyondPlaces({ quote, ...pool }: Facts<"promote@3">): Decided<"promote@3"> {
  const vehicle = quote === null ? null : bestVehicle(pool)
  return vehicle === null ? { refusal: "QUOTE_UNAVAILABLE" } : { vehicleId: vehicle.vehicleId }
}
