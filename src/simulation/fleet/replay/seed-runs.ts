/** Runs of one model on several seeds, without their courses: each tells its figures alone. Two models on one seed meet the same orders. */

import type { DayFigures } from "../../../model/replay/seed-difference.ts"
import type { EpochMs } from "../../../model/values/time.ts"
import type { FleetModel } from "../language/model.ts"
import { withCosts } from "../results/costs.ts"
import { orderFigures } from "../results/measured.ts"
import { resourceFigures } from "../results/resource-figures.ts"
import { spreadOf } from "../results/spread-figures.ts"
import { FleetWorld } from "../world/fleet-world.ts"
import { slices, startFleet } from "../world/replication.ts"

interface SeedOrder {
  readonly model: FleetModel
  readonly seeds: readonly number[]
  /** Virtual time between two looks at whether the host wants its turn. */
  readonly sliceMs: number
  readonly tell: (seed: number, figures: DayFigures) => void
}

/** Yields the instant at the end of each slice, until each seed has sent its figures. Throws EngineFault. */
export function* seedRuns({ model, seeds, sliceMs, tell }: SeedOrder): Generator<EpochMs, void> {
  // The page shows the beginning of the day too, and the run does not depend on what is measured.
  const whole = { ...model, warm_up: 0 }
  for (const seed of seeds) {
    const world = new FleetWorld(whole, { seed })
    startFleet(world)
    yield* slices(world, sliceMs)
    tell(seed, dayFigures(world))
  }
}

function dayFigures({ tally, model: { costs } }: FleetWorld): DayFigures {
  // Without the durations and series of a whole result: the page's script would carry them too.
  const measured = {
    figures: Object.fromEntries([
      ...orderFigures(Object.fromEntries(tally.counts)),
      ...resourceFigures(tally.levels, tally.untilMs - tally.fromMs),
    ]),
    durations: { wait: spreadOf(tally.durations.get("wait") ?? []) },
  }
  const { figures } = withCosts(measured, costs)
  const of = (name: string): number => figures[name] ?? 0
  return {
    asked: of("orders.asked"),
    completed: of("orders.completed"),
    late: of("orders.late"),
    lost: of("orders.declined") + of("orders.canceled"),
    cost: costs === null ? null : { total: of("cost.total"), currency: costs.currency },
  }
}
