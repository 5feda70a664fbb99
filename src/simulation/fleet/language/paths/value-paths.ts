/**
 * Values of a model by their paths, such as `vehicle.speed_kmh` or `sites.north.stores.tacos.preparation.mean`: keys, and items of lists by
 * their name, or by their number from 1 where they have none. The word of a distribution and `by_hour` may be left out.
 */

import { adviceFor } from "../../../scenario/language/problems.ts"
import type { Advice, Span } from "../../../scenario/language/problems.ts"
import type { Written, WrittenEntry, WrittenMap } from "../../../scenario/language/source.ts"
import { demandNames } from "./demand-names.ts"
import type { NamedDemand } from "./demand-names.ts"
import { FORMS } from "../spread.ts"

/** Parts of a model whose values a sweep may set. */
export const SWEPT_PARTS = [
  "sites",
  "runner",
  "vehicle",
  "bot",
  "travel",
  "demand",
  "policy",
  "faults",
  "changes",
  "out",
] as const

export type ValuePath = `${(typeof SWEPT_PARTS)[number]}.${string}`

export function isValuePath(setting: string): setting is ValuePath {
  return SWEPT_PARTS.some((part) => setting.startsWith(`${part}.`))
}

const DEMAND_PATH = /^demand\..+\.(per_hour(\..+)?|population\.size|replay\.scale|batch(\.mean)?)$/

/** Whether more orders come when the value at the path is higher. */
export function isDemandPath(path: string): boolean {
  return DEMAND_PATH.test(path)
}

export type Steps = readonly (number | string)[]

/** Why a path names nothing. */
export interface NoPath {
  readonly message: string
  readonly advice: Advice
}

/** Keys that a path leaves out. */
const UNNAMED: ReadonlySet<string> = new Set([...FORMS, "by_hour", "geometric"])

/** From the root to a value. Keys that are not written are steps too, because they may have a default. */
export function stepsTo(root: WrittenMap, path: ValuePath): NoPath | Steps {
  const steps: (number | string)[] = []
  let part: Written = root
  let rest: string = path
  while (rest !== "") {
    const names = namesIn(part, steps)
    const asked = rest
    const name = names
      .filter((one) => asked === one || asked.startsWith(`${one}.`))
      .reduce<string | null>((longest, one) => (one.length > (longest?.length ?? 0) ? one : longest), null)
    const before = path.slice(0, Math.max(0, path.length - rest.length - 1))
    if (name !== null && part.type !== "scalar") {
      const at: number = names.indexOf(name)
      steps.push(part.type === "list" ? at : name)
      part = (part.type === "list" ? part.items[at] : part.entries[at]?.value) as Written
      rest = rest.slice(name.length + 1)
    } else if (part.type === "map") {
      const only: WrittenEntry | undefined = part.entries[0]
      if (part.entries.length !== 1 || only === undefined || !UNNAMED.has(only.key))
        return [...steps, ...rest.split(".")]
      steps.push(only.key)
      part = only.value
    } else if (part.type === "list") {
      const [said = ""] = rest.split(".")
      const advice = adviceFor(said, names)
      const message = `${before} has no ${JSON.stringify(said)}`
      const { suggestion } = advice
      const meant = suggestion === undefined ? {} : { suggestion: path.replace(said, suggestion) }
      return { message, advice: { ...advice, ...meant } }
    } else return { message: `${before} is one value, ${part.text}`, advice: {} }
  }
  return steps
}

/** Keys of a map, and what the items of a list are called. */
function namesIn(part: Written, steps: Steps): readonly string[] {
  if (part.type === "scalar") return []
  if (part.type === "map") return part.entries.map(({ key }) => key)
  if (steps.length === 1 && steps[0] === "demand") return demandNames(part.items.map(namedDemand))
  return part.items.map((item, at) => textOf(item, "as") ?? String(at + 1))
}

function textOf(part: Written, key: string): string | null {
  const value = part.type === "map" ? part.entries.find((entry) => entry.key === key)?.value : undefined
  return value?.type === "scalar" ? value.text : null
}

function namedDemand(item: Written): NamedDemand {
  const on = item.type === "map" ? item.entries.find(({ key }) => key === "on")?.value : undefined
  return {
    as: textOf(item, "as"),
    product: textOf(item, "product") ?? "",
    site: textOf(item, "site") ?? "",
    store: textOf(item, "store"),
    on: on?.type === "list" ? on.items.flatMap((day) => (day.type === "scalar" ? [day.text] : [])) : null,
  }
}

/** The same text with another value at the end of the steps; keys that are not written get the span of the path. */
export function withValue<W extends Written>(
  part: W | undefined,
  [step, ...rest]: Steps,
  put: { readonly value: Written; readonly pathSpan: Span },
): Written {
  if (step === undefined) return put.value
  if (part?.type === "list")
    return { ...part, items: part.items.map((item, at) => (at === step ? withValue(item, rest, put) : item)) }
  const key = String(step)
  const { entries, span } = part?.type === "map" ? part : { entries: [], span: put.pathSpan }
  const written = entries.find((entry) => entry.key === key)
  if (written === undefined) {
    const added = { key, keySpan: put.pathSpan, value: withValue(undefined, rest, put) }
    return { type: "map", span, entries: [...entries, added] }
  }
  const changed = { ...written, value: withValue(written.value, rest, put) }
  return { type: "map", span, entries: entries.map((entry) => (entry === written ? changed : entry)) }
}
