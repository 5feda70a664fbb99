/** A model with promises: a fitted one as a model file would have them, and any model with further ones. */

import type { FittedModel } from "../fit/fit-model.ts"
import { modelText } from "../fit/written-model.ts"
import type { Naming } from "../fit/written-model.ts"
import { parseSource, reporter } from "../../scenario/language/source.ts"
import type { Problem } from "../../scenario/language/problems.ts"
import { checkMeasured } from "../language/checks/check-questions.ts"
import { promises } from "../language/promises.ts"
import type { FleetPromise } from "../language/promises.ts"
import { spanAt } from "../language/written-part.ts"
import { readFleet } from "../language/read.ts"
import type { FleetReading } from "../language/read.ts"

/** Promises are written into the text of the model, so that they are read and checked as any others. */
export function promisedText(fitted: FittedModel, naming: Naming, wanted: readonly string[]): string {
  const bounds = wanted.map((text) => `  ${promiseLine(text)}`)
  const lines = bounds.length === 0 ? "" : `promises:\n${bounds.join("\n")}\n`
  return modelText(fitted, naming) + lines
}

/** `reservations.wait_p95 at north < 8m` as a line of a model file. */
export function promiseLine(promise: string): string {
  const text = promise.trim()
  const [metricAlone = "", ...bound] = text.split(/\s+/)
  const [before, sign, limit] = boundIn(text, bound.at(-1) ?? metricAlone) ?? []
  if (before === undefined) {
    const metric = metricAlone
    return `${metric}: ${JSON.stringify(bound.join(" "))}`
  }
  // The name of a site may have signs that YAML reads.
  const metric = before.includes(" ") ? JSON.stringify(before) : before
  return `${metric}: ${JSON.stringify(`${sign} ${limit}`)}`
}

/** What stands before a sign, the sign and the limit. `last`: the last word, which is the limit or ends with it. */
function boundIn(text: string, last: string): readonly [string, string, string] | null {
  const head = text.slice(0, text.length - last.length).trimEnd()
  const apart = /(?:<=|>=|<|>)$/.exec(head)
  if (apart !== null) return [head.slice(0, apart.index).trimEnd(), apart[0], last]
  const [, name = "", sign = "", limit = ""] = /^(.*?)(<=|>=|<|>)(.+)$/s.exec(last) ?? []
  if (sign === "") return null
  return [`${text.slice(0, text.length - last.length)}${name}`.trimEnd(), sign, limit]
}

/** The model with these promises beside its own, each read and checked as in a model file; `file` names them in problems. */
export function withPromises(
  { model, ...read }: FleetReading,
  added: readonly string[],
  file: string,
): FleetReading {
  if (model === null) return { model, ...read }
  const problems: Problem[] = []
  const report = reporter(problems)
  const wanted = added.flatMap((text) => {
    const root = parseSource({ file, text: promiseLine(text) }, report)
    const found = root === null ? undefined : promises.read(root, report)
    if (root !== null && found !== undefined)
      checkMeasured(found, model, { report, spanOf: (metric) => spanAt(root, [metric]) })
    return found ?? []
  })
  if (problems.length > 0) return { ...read, model: null, problems }
  const isNew = (one: FleetPromise, at: number): boolean =>
    ![...model.promises, ...wanted.slice(0, at)].some(
      ({ metric, sign, limit }) => metric === one.metric && sign === one.sign && limit === one.limit,
    )
  return { ...read, model: { ...model, promises: [...model.promises, ...wanted.filter(isNew)] } }
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
