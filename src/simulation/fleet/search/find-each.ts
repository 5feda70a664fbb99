/**
 * The least count of each site by itself. Orders, people and things belong to one site, so what a site has changes nothing
 * at another one: each case moves the counts of all sites at once, and each site is judged by its own figures. A search of
 * thirty sites makes about as many cases as one of a single site, and no combination of counts is missed. Each site is
 * doubled, halved and confirmed as a search of one count is.
 */

import { FIND_CONFIRMATIONS_MAX, UNTIL_REPLICATIONS_MIN } from "../../../model/values/limits.ts"
import { sitesUsing } from "../language/checks/check-counts.ts"
import { countName, countNamed } from "../language/counts.ts"
import type { FleetCase } from "../language/cases.ts"
import type { Resource } from "../language/metrics.ts"
import type { FleetModel } from "../language/model.ts"
import { figureNamed } from "../language/metrics.ts"
import { siteLimits } from "../language/part-limits.ts"
import type { FleetPromise } from "../language/promises.ts"
import type { FindLeast } from "../language/questions.ts"
import type { FoundAtSite, SearchResult, SearchStep, WhyNot } from "../results/questions.ts"
import { keptPromise } from "../results/summary.ts"
import type { CaseResult, KeptPromise } from "../results/summary.ts"
import { Cases } from "./evaluate.ts"
import type { Evaluator } from "./evaluate.ts"
import { isEnough, surelyKept } from "./confirm.ts"
import { LEAST, MOVES_MAX, helps, mostOf, written } from "./find-least.ts"
import type { Found } from "./find-least.ts"

export function findAtEachSite(model: FleetModel, find: FindLeast, evaluator: Evaluator): Promise<Found> {
  return new EachSiteSearch(model, find, evaluator).run()
}

/** One site, with the count that the next case tries. */
class SearchedSite {
  readonly name: string
  readonly limits: readonly FleetPromise[]
  readonly #most: number
  count: number
  why: WhyNot | null = null
  isDone = false
  /** Counts that further seeds refused. */
  readonly refused = new Set<number>()
  #tooFew = LEAST - 1
  #enough: number | null = null
  #before: readonly KeptPromise[] | null = null

  constructor(options: {
    readonly name: string
    readonly limits: readonly FleetPromise[]
    readonly first: number
    readonly most: number
  }) {
    this.name = options.name
    this.limits = options.limits
    this.#most = options.most
    this.count = Math.min(options.most, options.first)
  }

  promisesIn({ estimates }: CaseResult): readonly KeptPromise[] {
    return this.limits.map((promise) => keptPromise(promise, estimates.of(promise.metric)))
  }

  /** Goes on from the case with its count: doubles the count until it is enough, and then halves the distance. */
  judge(promises: readonly KeptPromise[]): void {
    if (this.isDone) return
    if (promises.every(isEnough)) this.#enough = this.count
    else if (this.#enough === null) {
      this.#double(promises)
      return
    } else this.#tooFew = this.count
    const enough = this.#enough
    this.isDone = enough - this.#tooFew <= 1
    this.count = this.isDone ? enough : Math.floor((this.#tooFew + enough) / 2)
  }

  #double(promises: readonly KeptPromise[]): void {
    const next = Math.min(this.#most, this.count * 2)
    if (this.#before !== null && !helps({ promises: this.#before }, { promises })) this.why = "no help"
    else if (next === this.count) this.why = "at most"
    this.isDone = this.why !== null
    if (this.isDone) return
    this.#before = promises
    this.#tooFew = this.count
    this.count = next
  }

  /** Moves by one when further seeds say otherwise; false when it stays. */
  moves(isKept: boolean | null, isLessKept: boolean | null): boolean {
    if (this.why !== null) return false
    if (isKept !== true) {
      this.refused.add(this.count)
      if (this.count >= this.#most || this.refused.size > MOVES_MAX) this.why = "not sure"
      else this.count += 1
      return this.why === null
    }
    if (isLessKept !== true || this.less === this.count || this.refused.has(this.less)) return false
    this.count = this.less
    return true
  }

  get less(): number {
    return Math.max(LEAST, this.count - 1)
  }

  get more(): number {
    return Math.min(this.#most, this.count + 1)
  }
}

class EachSiteSearch {
  readonly #model: FleetModel
  readonly #find: FindLeast
  readonly #resource: Resource
  readonly #sites: readonly SearchedSite[]
  /** On the seeds of the search. */
  readonly #tried: Cases
  /** On the seeds after them. */
  readonly #confirmed: Cases
  readonly #steps: SearchStep[] = []
  /** Replications of each case on the further seeds at the first look. */
  readonly #first: number
  /** As many as any of these cases has had: what was found with many is never judged by fewer. */
  #wanted: number

  constructor(model: FleetModel, find: FindLeast, evaluator: Evaluator) {
    const { seed, replications } = model
    this.#model = model
    this.#find = find
    this.#resource = countNamed(find.least[0] ?? "")?.resource ?? "runners"
    this.#first = Math.max(replications, UNTIL_REPLICATIONS_MIN)
    this.#wanted = this.#first
    this.#tried = new Cases(model, { evaluator, firstSeed: seed, hasCourse: false })
    this.#confirmed = new Cases(model, { evaluator, firstSeed: seed + replications, hasCourse: true })
    this.#sites = sitesUsing(this.#resource, model).map((name) => {
      const knob = countName(this.#resource, name)
      const limits = siteLimits(name, model, find.keeps)
      return new SearchedSite({
        name,
        limits,
        first: written(model, knob),
        most: find.atMost ?? mostOf(knob),
      })
    })
  }

  async run(): Promise<Found> {
    while (this.#sites.some(({ isDone }) => !isDone)) await this.#try()
    return this.#confirm()
  }

  async #try(): Promise<void> {
    const settings = this.#settings(({ count }) => count)
    const { replications } = this.#model
    const found = await this.#tried.of(settings, replications)
    const bySite = this.#sites.map((site) => ({ site, promises: site.promisesIn(found) }))
    const brokenAt = bySite.filter(({ promises }) => !promises.every(isEnough)).map(({ site }) => site.name)
    const { promises } = found
    this.#steps.push({ settings, replications, isKept: brokenAt.length === 0, promises, brokenAt })
    for (const one of bySite) one.site.judge(one.promises)
  }

  /** One case with the counts and one with one less of each say of every site whether it has the least. */
  async #confirm(): Promise<Found> {
    for (;;) {
      const least = await this.#settled(({ count }) => count)
      const below = await this.#settled(({ less }) => less)
      const moved = this.#sites.filter((site) =>
        site.moves(surelyKept(site.promisesIn(least)), surelyKept(site.promisesIn(below))),
      )
      if (moved.length === 0) return this.#found(least, below)
    }
  }

  async #found(least: CaseResult, below: CaseResult): Promise<Found> {
    const above = await this.#confirmed.atLeast(
      this.#settings(({ more }) => more),
      least.replications.length,
    )
    const bySite = this.#sites.map((site): FoundAtSite => ({
      site: site.name,
      count: site.count,
      why: site.why,
      promises: site.promisesIn(least),
      below: site.less === site.count ? null : site.promisesIn(below),
    }))
    const isLess = this.#sites.some(({ less, count }) => less < count)
    const isMore = this.#sites.some(({ more, count }) => more > count)
    const why = this.#whyNot(least)
    const find = this.#find
    const outcome: SearchResult["outcome"] =
      why === null
        ? { is: "found", best: least, below: isLess ? [below] : [] }
        : { is: "not met", nearest: least, why }
    return {
      search: { find, steps: this.#steps, outcome, bySite },
      cases: why === null ? [...(isLess ? [below] : []), least, ...(isMore ? [above] : [])] : [least],
    }
  }

  /** A promise of the whole may break although each site keeps its own: where a site promises less of itself. */
  #whyNot({ promises }: CaseResult): "each site" | "together" | null {
    if (this.#sites.some(({ why }) => why !== null)) return "each site"
    const isBroken = promises.some(
      ({ promise: { metric }, isKept, isCertain }) =>
        this.#find.keeps.includes(metric) && figureNamed(metric).part === null && !isKept && isCertain,
    )
    return isBroken ? "together" : null
  }

  /** Makes replications until it is clear of every site at two looks in a row whether it keeps its promises, or as many as are allowed. */
  async #settled(countOf: (site: SearchedSite) => number): Promise<CaseResult> {
    const settings = this.#settings(countOf)
    const searched = this.#sites.filter(({ why }) => why === null)
    const settled = new Set<SearchedSite>()
    let before = new Map<SearchedSite, boolean | null>()
    for (let count = this.#first; ; count = Math.min(count * 2, FIND_CONFIRMATIONS_MAX)) {
      const result = await this.#confirmed.of(settings, count)
      const now = new Map(searched.map((site) => [site, surelyKept(site.promisesIn(result))]))
      for (const [site, one] of now) if (one !== null && one === before.get(site)) settled.add(site)
      const isOver = settled.size === searched.length || count >= FIND_CONFIRMATIONS_MAX
      if (isOver && count >= this.#wanted) return result
      before = now
      this.#wanted = Math.max(this.#wanted, count)
    }
  }

  #settings(countOf: (site: SearchedSite) => number): FleetCase {
    return this.#sites.map((site) => [countName(this.#resource, site.name), countOf(site)] as const)
  }
}
