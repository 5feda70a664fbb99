/** Checks what a model asks: a search that can be made, prices for costs, and promises of figures that it measures. */

import { adviceFor } from "../../../scenario/language/problems.ts"
import type { Advice, Report, Span } from "../../../scenario/language/problems.ts"
import type { WrittenMap } from "../../../scenario/language/source.ts"
import type { WrittenFleet } from "../model.ts"
import { KNOB_MAX } from "../questions.ts"
import { GROUP_BY_PRODUCT, METRICS, figureNamed } from "../metrics.ts"
import type { PartName, Product, Resource } from "../metrics.ts"
import { partsOf } from "../parts.ts"
import type { Part } from "../parts.ts"
import { isTimePart } from "../time-parts.ts"
import type { TimePart } from "../time-parts.ts"
import { spanAt } from "../written-part.ts"

export function checkQuestions(written: WrittenFleet, root: WrittenMap, report: Report): void {
  for (const key of ["promises", "until"] as const) {
    checkMeasured(written[key], written, { report, spanOf: (metric) => spanAt(root, [key, metric]) })
  }
  if (written.sensitivity !== null && written.promises.length === 0) {
    report(spanAt(root, ["sensitivity"]), "there is no promised figure that an input could move", {
      help: 'add promises, such as promises: { wait_p95: "< 8m" }',
    })
  }
}

export type Measuring = Pick<WrittenFleet, "costs" | "demand" | "sites">

/** Reports figures that the model does not measure. */
export function checkMeasured(
  all: readonly { readonly metric: string }[],
  model: Measuring,
  { report, spanOf }: { readonly report: Report; readonly spanOf: (metric: string) => Span },
): void {
  for (const { metric } of all) {
    const reason = unmeasured(metric, model)
    if (reason !== null) report(spanOf(metric), reason.message, reason.advice)
  }
}

interface Unmeasured {
  readonly message: string
  readonly advice: Advice
}

/** Why a model has no such figure; null when it has. */
function unmeasured(metric: string, model: Measuring): Unmeasured | null {
  const { base, part } = figureNamed(metric)
  if (part === null) return unmeasuredBy(base, model)
  return isTimePart(part) ? unmeasuredAt(part, base, model) : unmeasuredIn(part, base, model)
}

/** Why the figure does not exist for a day or an hour; null when it does. Whether the run has that day is checked with its clock. */
function unmeasuredAt({ kind }: TimePart, base: string, model: Measuring): Unmeasured | null {
  const [group = ""] = base.split(".")
  if (group === "cost" || base.endsWith(".queue_max")) {
    const help = "durations, orders and the use of resources have figures by day"
    return { message: `a ${kind} has no ${base}`, advice: { help } }
  }
  return unmeasuredBy(base, model)
}

/** Why the figure does not exist for a site or a demand; null when it does. */
function unmeasuredIn(part: PartName, base: string, model: Measuring): Unmeasured | null {
  const parts = partsOf(model).filter(({ kind }) => kind === part.kind)
  const found = parts.find(({ name }) => name === part.name)
  if (found === undefined) {
    const names = parts.map(({ name }) => name)
    return {
      message: `there is no ${part.kind} ${JSON.stringify(part.name)}`,
      advice: adviceFor(part.name, names),
    }
  }
  return unmeasuredOf(found, base, model)
}

function unmeasuredOf(part: Part, base: string, model: Measuring): Unmeasured | null {
  const [group = ""] = base.split(".")
  if (part.kind === "demand" && (group === "cost" || isOfResource(base))) {
    const help = "resources and costs belong to a site: write at and the name of a site"
    return { message: `a demand has no ${base}`, advice: { help } }
  }
  const demand = part.demandNumbers.flatMap((at) => model.demand[at] ?? [])
  const sites = model.sites.filter((_, at) => part.kind === "demand" || at === part.siteNumber)
  return unmeasuredBy(base, { ...model, demand, sites })
}

/** True for what is measured over time, and not for each order. */
function isOfResource(base: string): boolean {
  const [group = ""] = base.split(".")
  return group in KNOB_MAX && METRICS.get(base)?.unit !== "ms"
}

/** True when a part has this figure. */
export function isMeasuredIn(part: Part | TimePart, base: string, model: Measuring): boolean {
  const why = isTimePart(part) ? unmeasuredAt(part, base, model) : unmeasuredOf(part, base, model)
  return why === null
}

function unmeasuredBy(metric: string, { demand, costs, sites }: Measuring): Unmeasured | null {
  const [group = ""] = metric.split(".")
  if (group === "cost" && costs === null) {
    return {
      message: `${metric} needs prices`,
      advice: { help: "add costs, such as costs: { runner_hour: 24, lost_order: 15 }" },
    }
  }
  const product = (Object.keys(GROUP_BY_PRODUCT) as Product[]).find((one) => GROUP_BY_PRODUCT[one] === group)
  if (product !== undefined && !demand.some((one) => one.product === product)) {
    return {
      message: `nothing is measured by ${metric}`,
      advice: { expected: `a demand with product: ${product}, or a figure of another product` },
    }
  }
  if (group in KNOB_MAX && !isUsed(group as Resource, { demand, sites })) {
    return { message: `nothing is measured by ${metric}`, advice: { help: `no order needs ${group}` } }
  }
  return null
}

/** True when some order needs the resource. */
export function isUsed(
  resource: Resource,
  { demand, sites }: Pick<WrittenFleet, "demand" | "sites">,
): boolean {
  const needs = (product: Product): boolean => demand.some((one) => one.product === product)
  switch (resource) {
    case "runners":
      return needs("reservation")
    case "stalls":
      return sites.some(({ stalls }) => stalls > 0)
    case "vehicles":
      return needs("delivery") || needs("courier")
    case "cooks":
      return demand.length > 0
  }
}
