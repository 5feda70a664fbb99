/**
 * The corpus: few seeds that together reach all that more seeds have reached, and the names of what they reach. It is a file of the
 * repository, so that a change that makes something unreachable is noticed by name.
 */

import { Schema } from "effect"
import type { Program } from "../../engine/kernel/program.ts"
import { Coverage } from "./coverage.ts"
import type { SeedResult } from "./explore.ts"
import { reachOf } from "./reach.ts"

const Names = Schema.Array(Schema.String)

const CorpusFile = Schema.Struct({
  /** In ascending order. */
  seeds: Schema.Array(Schema.Int),
  reaches: Schema.Struct({ states: Names, transitions: Names, decisions: Names, faults: Names }),
})

export type Corpus = typeof CorpusFile.Type

export const NO_CORPUS: Corpus = {
  seeds: [],
  reaches: { states: [], transitions: [], decisions: [], faults: [] },
}

/** Throws for a text that is no corpus. */
export function readCorpus(text: string): Corpus {
  return Schema.decodeUnknownSync(Schema.parseJson(CorpusFile))(text)
}

/** The same corpus gives the same bytes. */
export function corpusText(corpus: Corpus): string {
  return `${JSON.stringify(corpus, null, 2)}\n`
}

/** What a corpus is said to reach and its seeds do not, with the part of the file that says it. */
export function lostFrom(known: Corpus, now: Corpus): readonly string[] {
  return (Object.keys(known.reaches) as (keyof Corpus["reaches"])[]).flatMap((kind) => {
    const reached = new Set(now.reaches[kind])
    return known.reaches[kind].filter((name) => !reached.has(name)).map((name) => `${kind}: ${name}`)
  })
}

/** Finds the corpus of the seeds that are added. Cost: what each seed reached is kept only for seeds that reach something first. */
export class CorpusSearch {
  readonly #machines: Program["machines"]
  readonly #first: Reached[] = []
  readonly #seen = new Set<string>()
  readonly #coverage = new Coverage()

  constructor(machines: Program["machines"]) {
    this.#machines = machines
  }

  add({ seed, covered }: Pick<SeedResult, "covered" | "seed">): void {
    this.#coverage.join(covered)
    const names = namesIn(covered)
    if (!names.some((name) => !this.#seen.has(name))) return
    for (const name of names) this.#seen.add(name)
    this.#first.push({ seed, covered, names })
  }

  corpus(): Corpus {
    const { states, transitions } = reachOf(this.#coverage, this.#machines)
    const namesOf = (kind: "decision" | "fault"): readonly string[] =>
      [...(this.#coverage.counts.get(kind)?.keys() ?? [])].toSorted()
    return {
      seeds: withoutCovered(this.#first).toSorted((one, other) => one - other),
      reaches: {
        states: states.reached.toSorted(),
        transitions: transitions.reached.toSorted(),
        decisions: namesOf("decision"),
        faults: namesOf("fault"),
      },
    }
  }
}

interface Reached {
  readonly seed: number
  readonly covered: SeedResult["covered"]
  readonly names: readonly string[]
}

/** Transitions, decisions and faults, and each decision with each fault of its seed. Answers of commands depend on few rules and are left out. */
function namesIn(covered: SeedResult["covered"]): readonly string[] {
  const of = new Map(covered.map(([kind, names]) => [kind, names.map(([name]) => name)]))
  const [transitions = [], decisions = [], faults = []] = [
    of.get("transition"),
    of.get("decision"),
    of.get("fault"),
  ]
  return [
    ...transitions.map((name) => `transition ${name}`),
    ...decisions.map((name) => `decision ${name}`),
    ...faults.map((name) => `fault ${name}`),
    ...decisions.flatMap((decision) => faults.map((fault) => `${decision} with ${fault}`)),
  ]
}

/**
 * A small set of seeds that reaches everything: the seed that adds most, the smaller one of two, until nothing is left; then those are
 * dropped of which others reach all. The smallest set would take too long to find.
 */
function withoutCovered(all: readonly Reached[]): readonly number[] {
  const left = new Set(all.flatMap(({ names }) => names))
  const chosen: Reached[] = []
  let rest = all.toSorted((one, other) => one.seed - other.seed)
  while (left.size > 0) {
    const [best] = rest
      .map((one) => ({ one, adds: one.names.filter((name) => left.has(name)).length }))
      .toSorted((one, other) => other.adds - one.adds)
    if (best === undefined || best.adds === 0) break
    chosen.push(best.one)
    for (const name of best.one.names) left.delete(name)
    rest = rest.filter((one) => one !== best.one)
  }
  const times = new Map<string, number>()
  for (const { names } of chosen) for (const name of names) times.set(name, (times.get(name) ?? 0) + 1)
  return chosen.flatMap(({ seed, names }) => {
    if (names.some((name) => times.get(name) === 1)) return [seed]
    for (const name of names) times.set(name, (times.get(name) ?? 0) - 1)
    return []
  })
}
