/** What random scenarios around a store have in common: a Monday morning, and its vehicles. */

import { PERMISSIONS } from "../../../src/model/caller.ts"
import type { Place, Scenario } from "../../../src/simulation/scenario/language/language.ts"

export const PLACE: Place = { file: "random.yaml", line: 1, column: 1 }
export const VEHICLES = ["van", "cart"]

type Varied = Pick<Scenario, "environment" | "pickupWebhooks" | "seed" | "steps" | "title"> & {
  readonly store: NonNullable<Scenario["delivery"]>["fields"]
}

export function randomScenarioAt({ store, ...varied }: Varied): Scenario {
  return {
    variant: null,
    course: null,
    because: "A random run broke an invariant.",
    tags: [],
    clock: { local: "2026-03-02T11:30", timeZone: "America/Chicago" },
    permissions: PERMISSIONS,
    site: { builtIn: "domain-north", stalls: 0, activeStalls: 0, hasRunner: true },
    webhooks: [],
    delivery: { fields: store, vehicles: VEHICLES.map((as) => ({ as, fields: {}, place: PLACE })) },
    policy: {},
    always: [],
    promises: [],
    file: "random.yaml",
    ...varied,
  }
}
