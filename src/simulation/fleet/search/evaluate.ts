/** Makes replications of one model or of its cases, for runs and for searches. */

import { caseName, inCase } from "../language/cases.ts"
import type { FleetCase } from "../language/cases.ts"
import type { FleetModel } from "../language/model.ts"
import { caseResult } from "../results/summary.ts"
import type { CaseResult } from "../results/summary.ts"
import type { Replication } from "../world/replication.ts"

/** One replication to make. */
export interface ReplicationTask {
  /** The case's model. */
  readonly model: FleetModel
  readonly seed: number
  readonly hasCourse: boolean
  /** True for a second run that is compared with the first, so a cached result must not be used. */
  readonly isRepeat?: boolean
}

/** Makes replications, as many at once as it can. */
export type Replicate = (task: ReplicationTask) => Promise<Replication>

export interface EvaluatorOptions {
  readonly replicate: Replicate
  /** Called when a replication is done, with the number of replications known so far to be needed. */
  readonly onDone?: (done: Replication, wanted: number) => void
}

/** Makes replications and counts them. The result does not depend on which thread makes which. */
export class Evaluator {
  readonly #options: EvaluatorOptions
  #wanted = 0

  constructor(options: EvaluatorOptions) {
    this.#options = options
  }

  /** In the order of the seeds; the first one is traced if asked. */
  replications(
    model: FleetModel,
    { seeds, hasCourse }: { readonly seeds: readonly number[]; readonly hasCourse: boolean },
  ): Promise<readonly Replication[]> {
    this.#wanted += seeds.length
    return Promise.all(
      seeds.map(async (seed, at) => {
        const made = await this.#options.replicate({ model, seed, hasCourse: hasCourse && at === 0 })
        this.#options.onDone?.(made, this.#wanted)
        return made
      }),
    )
  }
}

/** So many seeds in a row. */
export function seedsFrom(first: number, count: number): readonly number[] {
  return Array.from({ length: count }, (_, at) => first + at)
}

/** Cases of one model on the same seeds; each replication is made once. */
export class Cases {
  readonly #model: FleetModel
  readonly #evaluator: Evaluator
  readonly #firstSeed: number
  readonly #hasCourse: boolean
  readonly #made = new Map<string, Replication[]>()

  constructor(
    model: FleetModel,
    options: { readonly evaluator: Evaluator; readonly firstSeed: number; readonly hasCourse: boolean },
  ) {
    this.#model = model
    this.#evaluator = options.evaluator
    this.#firstSeed = options.firstSeed
    this.#hasCourse = options.hasCourse
  }

  /** Cases with any replication. */
  get count(): number {
    return this.#made.size
  }

  /** The case with all of its replications, so many at least. */
  atLeast(settings: FleetCase, count: number): Promise<CaseResult> {
    const made = this.#made.get(caseName(settings))?.length ?? 0
    return this.of(settings, Math.max(count, made))
  }

  /** The case with so many replications. */
  async of(settings: FleetCase, count: number): Promise<CaseResult> {
    const name = caseName(settings)
    const made = this.#made.get(name) ?? []
    this.#made.set(name, made)
    if (made.length < count) {
      const seeds = seedsFrom(this.#firstSeed + made.length, count - made.length)
      const hasCourse = this.#hasCourse && made.length === 0
      made.push(...(await this.#evaluator.replications(inCase(this.#model, settings), { seeds, hasCourse })))
    }
    return caseResult(this.#model, settings, made.slice(0, count))
  }
}
