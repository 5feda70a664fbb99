/** Which scenarios of the paths `curbline run` runs, and on which seeds. */

import { existsSync } from "node:fs"
import { counted } from "../../simulation/scenario/language/counted.ts"
import type { Scenario } from "../../simulation/scenario/language/language.ts"
import { nearest } from "../../simulation/scenario/language/problems.ts"
import { lastFailed } from "./last-run.ts"
import type { RunName } from "./last-run.ts"
import { titleOf } from "./report.ts"
import { UsageError } from "../kit/usage-error.ts"

export interface ChoiceFlags {
  readonly tag?: readonly string[]
  readonly grep?: string
  readonly failed?: boolean
  readonly shard?: string
}

/** One run to make. */
export interface ChosenRun {
  readonly scenario: Scenario
  readonly seed: number
}

/** The runs that every flag lets pass, in the order of the files. */
export function chosenRuns(
  scenarios: readonly Scenario[],
  seeds: readonly number[] | null,
  { tag, grep, failed, shard }: ChoiceFlags,
): readonly ChosenRun[] {
  const part = shard === undefined ? { number: 1, of: 1 } : shardOf(shard)
  const chosen = matching(taggedOf(scenarios, tag ?? []), grep)
  const runs = chosen.flatMap((scenario) =>
    (seeds ?? [scenario.seed]).map((seed): ChosenRun => ({ scenario, seed })),
  )
  const last = failed === true ? lastFailed().filter((one) => isThere(one, scenarios)) : null
  const wanted = last === null ? runs : failedOf(chosen, runs, { last, hasSeeds: seeds !== null })
  return wanted.filter((_, at) => at % part.of === part.number - 1)
}

/** The scenarios with at least one of the tags; all if no tags are given. A tag that no scenario has is an error. */
function taggedOf(scenarios: readonly Scenario[], wanted: readonly string[]): readonly Scenario[] {
  const known = [...new Set(scenarios.flatMap(({ tags }) => tags))].toSorted()
  for (const tag of wanted) {
    if (known.includes(tag)) continue
    const meant = nearest(tag, known)
    const suggestion = meant === undefined ? "" : `, did you mean "${meant}"?`
    const there = known.length === 0 ? "they have no tags" : `their tags are ${known.join(", ")}`
    throw new UsageError(`--tag: no scenario here has the tag "${tag}"${suggestion || ";"} ${there}`)
  }
  return wanted.length === 0
    ? scenarios
    : scenarios.filter(({ tags }) => tags.some((tag) => wanted.includes(tag)))
}

/** The scenarios with the text in their title or the name of their file, in any case. */
function matching(scenarios: readonly Scenario[], text: string | undefined): readonly Scenario[] {
  if (text === undefined) return scenarios
  const asked = text.toLowerCase()
  const found = scenarios.filter((scenario) =>
    [titleOf({ scenario }), scenario.file].some((name) => name.toLowerCase().includes(asked)),
  )
  if (found.length > 0) return found
  const meant = nearest(
    text,
    scenarios.map((scenario) => titleOf({ scenario })),
  )
  const suggestion = meant === undefined ? "" : `, did you mean "${meant}"?`
  throw new UsageError(
    `--grep: none of ${counted(scenarios.length, "scenario")} has "${text}" in its title or file name${suggestion}`,
  )
}

/** The runs that failed and have not passed since; the failed scenarios on other seeds if seeds are given. */
function failedOf(
  scenarios: readonly Scenario[],
  runs: readonly ChosenRun[],
  { last, hasSeeds }: { readonly last: readonly RunName[]; readonly hasSeeds: boolean },
): readonly ChosenRun[] {
  const seedsOf = (scenario: Scenario): readonly number[] =>
    last
      .filter((one) => one.file === scenario.file && one.title === titleOf({ scenario }))
      .map(({ seed }) => seed)
  return hasSeeds
    ? runs.filter(({ scenario }) => seedsOf(scenario).length > 0)
    : scenarios.flatMap((scenario) => seedsOf(scenario).map((seed): ChosenRun => ({ scenario, seed })))
}

/** False for a scenario whose file or title is gone. A file that was not read now may still have it. */
function isThere({ file, title }: RunName, scenarios: readonly Scenario[]): boolean {
  const inFile = scenarios.filter((scenario) => scenario.file === file)
  return inFile.length === 0 ? existsSync(file) : inFile.some((scenario) => titleOf({ scenario }) === title)
}

function shardOf(text: string): { readonly number: number; readonly of: number } {
  const [, number = "", of = ""] = /^(\d{1,4})\/(\d{1,4})$/.exec(text) ?? []
  const shard = { number: Number(number), of: Number(of) }
  if (shard.number >= 1 && shard.number <= shard.of) return shard
  throw new UsageError(`--shard takes a part such as 1/3, from 1/N to N/N, not "${text}"`)
}
