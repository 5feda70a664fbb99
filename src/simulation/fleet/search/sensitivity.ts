/**
 * Which input moves the promised figures most: one input at a time is changed by a share, up and down, on the same
 * seeds, and compared in pairs with the case that the model recommends.
 */

import { inCase } from "../language/cases.ts"
import { inputsOf } from "../language/inputs.ts"
import type { Change, Input } from "../language/inputs.ts"
import type { FleetModel } from "../language/model.ts"
import { differenceOf } from "../results/compare.ts"
import type { Difference } from "../results/compare.ts"
import type { Effect } from "../results/questions.ts"
import { recommendedOf } from "../results/recommend.ts"
import { MISS } from "../../../model/values/student.ts"
import { caseResult } from "../results/summary.ts"
import type { FleetResult } from "../results/fleet-result.ts"
import type { CaseResult } from "../results/summary.ts"
import type { Evaluator } from "./evaluate.ts"

/** Largest effect first, for each promised figure; empty when the model does not ask. */
export async function effectsOf(
  result: Pick<FleetResult, "cases" | "model" | "search">,
  evaluator: Evaluator,
): Promise<readonly Effect[]> {
  const { sensitivity } = result.model
  const base = recommendedOf(result).shown
  if (sensitivity === null || base === null) return []
  const model = inCase(result.model, base.settings)
  const inputs = inputsOf(model)
  const varied = await Promise.all(
    inputs.map(async (input) => ({
      input,
      down: await variedBy(-sensitivity, { input, model: result.model, base, evaluator }),
      up: await variedBy(sensitivity, { input, model: result.model, base, evaluator }),
    })),
  )
  // All intervals of all promised figures hold together.
  const miss = MISS / Math.max(1, 2 * inputs.length * result.model.promises.length)
  return result.model.promises.flatMap(({ metric }) => {
    const differenceTo = (to: Varied | null): Difference | null =>
      to === null ? null : differenceOf(metric, { from: base, to: to.result, miss })
    const effects = varied.map(({ input, down, up }) => ({
      input: input.name,
      metric,
      less: down?.change.says ?? "",
      more: up?.change.says ?? "",
      down: differenceTo(down),
      up: differenceTo(up),
    }))
    return effects
      .filter(({ down, up }) => down !== null || up !== null)
      .toSorted((one, other) => sizeOf(other) - sizeOf(one))
  })
}

interface Varied {
  readonly change: Change
  readonly result: CaseResult
}

async function variedBy(
  by: number,
  {
    input,
    model,
    base,
    evaluator,
  }: {
    readonly input: Input
    readonly model: FleetModel
    readonly base: CaseResult
    readonly evaluator: Evaluator
  },
): Promise<Varied | null> {
  const change = input.changed(by)
  if (change === null) return null
  const seeds = base.replications.map(({ seed }) => seed)
  const replications = await evaluator.replications(change.model, { seeds, hasCourse: false })
  return { change, result: caseResult(model, base.settings, replications) }
}

function sizeOf({ down, up }: Pick<Effect, "down" | "up">): number {
  return Math.max(Math.abs(down?.value ?? 0), Math.abs(up?.value ?? 0))
}
