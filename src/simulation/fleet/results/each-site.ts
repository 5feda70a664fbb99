/** What a search of each site found, in sentences. */

import { listed } from "../../../model/values/listed.ts"
import { countName, countNamed } from "../language/counts.ts"
import type { FleetCase } from "../language/cases.ts"
import { figureNamed, unitOf, showFigure } from "../language/metrics.ts"
import type { Resource } from "../language/metrics.ts"
import type { FleetModel } from "../language/model.ts"
import type { Find } from "../language/questions.ts"
import { casePhrase, sentence, verb } from "./phrases.ts"
import type { FoundAtSite, SearchResult, WhyNot } from "./questions.ts"
import { figureWords } from "./promise-words.ts"
import { gapOf } from "./recommend.ts"
import { brokenByText, figureText } from "./summary.ts"
import type { KeptPromise } from "./summary.ts"

/** Sites that have a sentence of their own; the report has a table of all. */
const SITES_SHOWN_MAX = 8

interface EachSiteAnswer {
  readonly headline: string
  readonly reasons: readonly string[]
}

export function eachSiteAnswer(model: FleetModel, { find, bySite, outcome }: SearchResult): EachSiteAnswer {
  const resource = resourceOf(find)
  const found = bySite.filter(({ why }) => why === null)
  const missing = bySite.filter(({ why }) => why !== null)
  const counts = casePhrase(settingsOf(resource, found))
  const what = find.keeps.length === 1 ? "the promise" : "every promise"
  const keeps = `${verb(settingsOf(resource, found), "keep")} ${what}`
  const shown = [...missing, ...found].slice(0, SITES_SHOWN_MAX)
  const more = bySite.length - shown.length
  const reasons = [
    ...shown.map((one) => siteReason(resource, one)),
    ...(more > 0 ? [`${more} more sites are in the report and in the JSON.`] : []),
  ]
  if (missing.length > 0) {
    const names =
      missing.length > SITES_SHOWN_MAX ? `${missing.length} sites` : listed(missing.map(({ site }) => site))
    const others = found.length === 0 ? "" : `; ${counts} ${verb(settingsOf(resource, found), "do")}`
    return {
      headline: sentence(`no number of ${resource} was found that keeps ${what} at ${names}${others}`),
      reasons: [...reasons, `The search is at ${find.place}.`],
    }
  }
  if (outcome.is === "not met")
    return { headline: togetherText(model, { find, counts, nearest: outcome.nearest }), reasons }
  return { headline: sentence(`${counts} ${keeps}${bySite.length === 1 ? "" : " at each site"}`), reasons }
}

/** Each site keeps what is promised of it, which is less than what all together must keep. */
function togetherText(
  model: FleetModel,
  {
    find,
    counts,
    nearest,
  }: {
    readonly find: SearchResult["find"]
    readonly counts: string
    readonly nearest: { readonly promises: readonly KeptPromise[] }
  },
): string {
  const broken = nearest.promises.filter(
    ({ promise: { metric }, isKept }) =>
      !isKept && find.keeps.includes(metric) && figureNamed(metric).part === null,
  )
  const texts = broken.map(
    (kept) => `the limit of the ${figureWords(kept.promise.metric)} by ${brokenByText(kept)}`,
  )
  return sentence(
    `with ${counts} each site keeps what is promised of it, and all of the ${model.sites.length} together break ${listed(texts)}`,
  )
}

function settingsOf(resource: Resource, all: readonly FoundAtSite[]): FleetCase {
  return all.map(({ site, count }) => [countName(resource, site), count] as const)
}

const WHY: Readonly<Record<WhyNot, (counts: string, settings: FleetCase) => string>> = {
  "no help": (counts, settings) => `${counts} ${verb(settings, "help")} no more than half as many`,
  "at most": (counts, settings) =>
    `${counts} ${verb(settings, "be") === "be" ? "are" : "is"} the most that the search may try`,
  "not sure": (counts) =>
    `${counts} may be enough, and more replications than a search makes would have to say so`,
}

/** `3 runners at north: the wait of 95 of 100 reservations is 6m 10s (5m 50s to 6m 40s), its limit 8m; 2 break it by 3m 4s (2m to 5m).` */
function siteReason(resource: Resource, one: FoundAtSite): string {
  const settings = settingsOf(resource, [one])
  const counts = casePhrase(settings)
  const figure = worstWords(one)
  if (one.why !== null) return sentence(`${WHY[one.why](counts, settings)}: ${figure}`)
  return sentence([`${counts}: ${figure}`, ...belowWords(one)].join("; "))
}

/** The promise that is broken most, or nearest to its limit. */
function worstWords({ promises }: FoundAtSite): string {
  const [worst] = promises.toSorted((a, b) => gapOf(b) - gapOf(a))
  return worst === undefined ? "" : foundWords(worst)
}

function foundWords(kept: KeptPromise): string {
  const { promise, estimate } = kept
  return `the ${figureThere(kept)} is ${figureText(promise.metric, estimate)}, its limit ${showFigure(promise.limit, unitOf(promise.metric))}`
}

/** What one less does there; empty where the count is one. */
function belowWords({ count, below, promises }: FoundAtSite): readonly string[] {
  if (below === null) return []
  const [worst] = below
    .filter(({ isKept, isCertain }) => !isKept && isCertain)
    .toSorted((a, b) => gapOf(b) - gapOf(a))
  const less = String(count - 1)
  if (worst !== undefined) {
    const [shown] = promises.toSorted((a, b) => gapOf(b) - gapOf(a))
    const what =
      shown?.promise.metric === worst.promise.metric ? "it" : `the limit of the ${figureThere(worst)}`
    return [`${less} ${count === 2 ? "breaks" : "break"} ${what} by ${brokenByText(worst)}`]
  }
  const unsure = below.find(({ isCertain }) => !isCertain)
  const figure =
    unsure === undefined
      ? ""
      : `: the ${figureThere(unsure)} is ${figureText(unsure.promise.metric, unsure.estimate)}`
  return [`${less} may be enough${figure}`]
}

/** At the site that the sentence is about. */
function figureThere({ promise }: KeptPromise): string {
  const { base, part } = figureNamed(promise.metric)
  return figureWords(part?.kind === "demand" ? promise.metric : base)
}

/** One row for each site: what it needs, and what shows it. */
export function eachSiteRows({ find, bySite }: SearchResult): readonly (readonly string[])[] {
  const resource = resourceOf(find)
  return bySite.map((one) => {
    const settings = settingsOf(resource, [one])
    const figure = worstWords(one)
    return one.why === null
      ? [one.site, String(one.count), [figure, ...belowWords(one)].join("; ")]
      : [one.site, "none found", `${WHY[one.why](casePhrase(settings), settings)}: ${figure}`]
  })
}

function resourceOf(find: Find): Resource {
  return (find.is === "least" ? countNamed(find.least[0] ?? "")?.resource : null) ?? "runners"
}
