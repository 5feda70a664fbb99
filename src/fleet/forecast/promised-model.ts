/** A fitted model with promises, as a model file would have them. */

import type { FittedModel } from "../fit/fit-model.ts"
import { modelText } from "../fit/written-model.ts"
import type { Naming } from "../fit/written-model.ts"
import { readFleet } from "../language/read.ts"
import type { FleetReading } from "../language/read.ts"

/** Promises are written into the text of the model, so that they are read and checked as any others. */
export function promisedText(fitted: FittedModel, naming: Naming, promises: readonly string[]): string {
  const bounds = promises.map((text) => {
    const [metric = "", ...bound] = text.trim().split(/\s+/)
    return `  ${metric}: ${JSON.stringify(bound.join(" "))}`
  })
  const lines = bounds.length === 0 ? "" : `promises:\n${bounds.join("\n")}\n`
  return modelText(fitted, naming) + lines
}

/** `file` names the source in problems. */
export function readPromised(text: string, file: string): FleetReading {
  return readFleet({ file, text, beside: () => null })
}

/** Hours of the day in which the model has no new orders, because the journal shows none of them. */
export function unobservedHours(fitted: FittedModel): readonly number[] {
  const { zones, deliveries, errands } = fitted
  const demands = [...zones.flatMap(({ stores }) => stores), ...deliveries, ...(errands?.stores ?? [])]
  const hours = new Set(demands.flatMap(({ arrivals }) => arrivals.unobserved))
  return [...hours].toSorted((a, b) => a - b)
}
