/** Checks values that a sweep sets by their paths: each path leads to a value that may change, and the model takes every combination of them. */

import type { Advice, Problem, Report, Span } from "../../../scenario/language/problems.ts"
import { reporter } from "../../../scenario/language/source.ts"
import type { Written, WrittenEntry, WrittenMap } from "../../../scenario/language/source.ts"
import { RESOURCES } from "../metrics.ts"
import type { WrittenFleet } from "../model.ts"
import { sweptEntry } from "../paths/swept-values.ts"
import { spanAt } from "../written-part.ts"
import { isValuePath, stepsTo, withValue } from "../paths/value-paths.ts"
import type { Steps } from "../paths/value-paths.ts"

interface Checking {
  readonly root: WrittenMap
  readonly report: Report
  /** Reports what is wrong with a model. */
  readonly check: (root: WrittenMap, report: Report) => void
}

interface SweptPath {
  readonly path: string
  readonly steps: Steps
  readonly entry: WrittenEntry
  readonly values: readonly Written[]
}

export function checkSweptPaths(written: WrittenFleet, { root, report, check }: Checking): void {
  const checked: SweptPath[] = []
  let areRight = true
  for (const path of written.sweep.keys()) {
    const entry = sweptEntry(root, path)
    if (!isValuePath(path) || entry?.value.type !== "list") continue
    const tell = (message: string, advice: Advice): void => {
      areRight = false
      report(entry.keySpan, message, advice)
    }
    const steps = stepsTo(root, path)
    if (!("length" in steps)) {
      tell(steps.message, steps.advice)
      continue
    }
    const other = checked.find((one) => isPartOf(one.steps, steps) || isPartOf(steps, one.steps))
    const also = other?.path ?? otherSetting(steps, written)
    if (isFixed(steps, written))
      tell(`${path} cannot be swept`, { help: "names, places and files are the same in every case" })
    else if (also !== null) tell(`${path} is also set by ${also}`, { help: "leave one of them out" })
    checked.push({ path, steps, entry, values: entry.value.items })
  }
  if (areRight && checked.length > 0) checkValues(checked, { root, report, check })
}

/** A value that no other value makes right is reported at its place, and what only some values make wrong together at the sweep. */
function checkValues(paths: readonly SweptPath[], { root, report, check }: Checking): void {
  const problemsOf = (one: Combination): readonly Problem[] => {
    const problems: Problem[] = []
    const changed = one.reduce<Written>(
      (before, { steps, entry, value }) => withValue(before, steps, { value, pathSpan: entry.keySpan }),
      root,
    )
    check(changed as WrittenMap, reporter(problems))
    return problems
  }
  const cases = combinationsOf(paths).map((one) => ({ one, problems: problemsOf(one) }))
  const wrong = new Set<Written>()
  for (const { path, steps, entry, values } of paths)
    for (const value of values) {
      if (cases.some(({ one, problems }) => problems.length === 0 && one.some((set) => set.value === value)))
        continue
      const problems = problemsOf([{ path, steps, entry, value }])
      if (problems.length > 0) wrong.add(value)
      for (const problem of problems) reportThere(problem, { path, entry, value, report })
    }
  const told = new Set<string>()
  for (const { one, problems } of cases) {
    if (one.some(({ value }) => wrong.has(value))) continue
    const values = one.map(({ path, value }) => `${path} ${value.type === "scalar" ? value.text : ""}`)
    for (const { message, place, expected, suggestion, help } of problems) {
      const name = `${place.line}:${place.column} ${message}`
      if (told.has(name)) continue
      told.add(name)
      report(spanAt(root, ["sweep"]), `${message}, with ${values.join(" and ")}`, {
        ...(expected === undefined ? {} : { expected }),
        ...(suggestion === undefined ? {} : { suggestion }),
        ...(help === undefined ? {} : { help }),
      })
    }
  }
}

/** A value of each path. */
type Combination = readonly (Pick<SweptPath, "entry" | "path" | "steps"> & { readonly value: Written })[]

function combinationsOf(paths: readonly SweptPath[]): readonly Combination[] {
  return paths.reduce<readonly Combination[]>(
    (before, { path, steps, entry, values }) =>
      before.flatMap((one) => values.map((value) => [...one, { path, steps, entry, value }])),
    [[]],
  )
}

interface Placed {
  readonly path: string
  readonly entry: WrittenEntry
  readonly value: Written
  readonly report: Report
}

/** A problem at the value or at a key of the path stays there; one elsewhere comes from the value. */
function reportThere(problem: Problem, { path, entry, value, report }: Placed): void {
  const { place, message, expected, suggestion, help } = problem
  const isAt = ({ place: at }: Span): boolean => at.line === place.line && at.column === place.column
  const advice = {
    ...(expected === undefined ? {} : { expected }),
    ...(help === undefined ? {} : { help }),
  }
  if (isAt(entry.keySpan)) {
    const key = /^unknown key "(.*)"$/.exec(message)?.[1]
    const meant = key === undefined || suggestion === undefined ? suggestion : path.replace(key, suggestion)
    report(entry.keySpan, message, { ...advice, ...(meant === undefined ? {} : { suggestion: meant }) })
  } else if (isAt(value.span))
    report(value.span, message, { ...advice, ...(suggestion === undefined ? {} : { suggestion }) })
  else report(value.span, `${message}, in line ${place.line} with this value`, advice)
}

/** Whether steps lead to something in what other steps lead to. */
function isPartOf(steps: Steps, whole: Steps): boolean {
  return whole.every((step, at) => steps[at] === step)
}

/** The setting of a sweep that sets the value too: a count, or a policy. Null without any. */
function otherSetting([part, name, ...more]: Steps, { sites, sweep }: WrittenFleet): string | null {
  if (part === "policy") return sweep.has(String(name)) ? String(name) : null
  const last = more.at(-1)
  const resource = part === "sites" ? RESOURCES.find((one) => more.includes(one)) : undefined
  if (resource === undefined || (last !== resource && last !== "count")) return null
  const names = [resource, `${resource} at ${sites[Number(name)]?.as}`]
  return names.find((one) => sweep.has(one)) ?? null
}

/** Names, places and files, which the whole model is read for. */
const FIXED: ReadonlySet<number | string> = new Set([
  "area",
  "as",
  "product",
  "profile",
  "site",
  "store",
  "streets",
])

function isFixed(steps: Steps, { demand, doors, sites, travel }: WrittenFleet): boolean {
  const isInTable = demand.some(
    ({ replay, site }) =>
      typeof replay === "object" && (replay?.door ?? null) !== null && sites[Number(steps[1])]?.as === site,
  )
  const isOnMap = isInTable || doors !== null || (typeof travel === "object" && travel.streets !== null)
  return (
    steps.some((step) => FIXED.has(step)) ||
    (steps.includes("at") && steps[0] !== "changes") ||
    (steps.includes("replay") && steps.at(-1) !== "scale") ||
    (steps.includes("reach_km") && isOnMap)
  )
}
