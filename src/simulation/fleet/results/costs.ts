/** What the measured time of a replication cost, by the prices of the model. */

import { MINUTE_MS } from "../../../model/values/time.ts"
import type { CostPart } from "../language/metrics.ts"
import type { Costs } from "../language/questions.ts"
import type { Figures, Measured } from "./measured.ts"

/** The figures of a replication with those of costs; the same object without prices. */
export function withCosts<R extends Pick<Measured, "durations" | "figures">>(
  replication: R,
  costs: Costs | null,
): R {
  if (costs === null) return replication
  return { ...replication, figures: { ...replication.figures, ...costFigures(replication, costs) } }
}

function costFigures({ figures, durations }: Pick<Measured, "durations" | "figures">, costs: Costs): Figures {
  const of = (name: string): number => figures[name] ?? 0
  const { n = 0, mean = 0 } = durations["wait"] ?? {}
  const waitedMinutes = (n * (mean ?? 0)) / MINUTE_MS
  const lost = of("orders.declined") + of("orders.canceled") + of("errands.failed")
  const parts: { readonly [part in Exclude<CostPart, "total">]: number } = {
    staff: of("runners.hours") * costs.runner_hour + of("cooks.hours") * costs.cook_hour,
    vehicles: of("vehicles.hours") * costs.vehicle_hour,
    stalls: of("stalls.hours") * costs.stall_hour,
    lateness: of("orders.late") * costs.late_order + waitedMinutes * costs.waiting_minute,
    lost: lost * costs.lost_order,
  }
  const total = Object.values(parts).reduce((sum, part) => sum + part, 0)
  const completed = of("orders.completed")
  return {
    ...Object.fromEntries(Object.entries(parts).map(([part, cost]) => [`cost.${part}`, cost])),
    "cost.total": total,
    "cost.per_order": completed === 0 ? null : total / completed,
  }
}
