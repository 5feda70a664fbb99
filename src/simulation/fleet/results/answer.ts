/** The answer to a model's question in sentences: what is first in the command's output and in the report. */

import type { FleetCase } from "../language/cases.ts"
import { countNamed } from "../language/counts.ts"
import { figureNamed, unitOf, showChange, showFigure } from "../language/metrics.ts"
import type { FleetModel } from "../language/model.ts"
import type { FleetPromise } from "../language/promises.ts"
import type { FindMost } from "../language/questions.ts"
import { FIND_DEMAND_MAX, FLEET_REPLICATIONS_MAX } from "../../../model/values/limits.ts"
import { listed } from "../../../model/values/listed.ts"
import { counted } from "../../scenario/language/counted.ts"
import { replicationsToSettle } from "./advice.ts"
import { partReasons } from "./by-part.ts"
import { nextReason, sensitivityReasons } from "./changes.ts"
import { differenceOf, isClear, pairMiss } from "./compare.ts"
import { fullFirst, mostUsed, thenPhrase, useName } from "./full-first.ts"
import type { Use } from "./full-first.ts"
import { besideLabel, briefPhrase, casePhrase, sentence, verb } from "./phrases.ts"
import { eachSiteAnswer } from "./each-site.ts"
import type { SearchResult, WhyNot } from "./questions.ts"
import { belowName, soughtWords, whyNotWords } from "./sought-words.ts"
import { asNear, cheaperOf, recommendedOf, standingOf } from "./recommend.ts"
import type { Cheaper } from "./recommend.ts"
import { figureWords, promiseWords } from "./promise-words.ts"
import { brokenByText, figureText, marginOf, nounOf } from "./summary.ts"
import type { FleetResult } from "./fleet-result.ts"
import { outReasons } from "./out-words.ts"
import { worstSentence } from "./worst.ts"
import type { CaseResult, KeptPromise } from "./summary.ts"

export interface Answer {
  /** One sentence. */
  readonly headline: string
  /** Sentences that give its reasons. */
  readonly reasons: readonly string[]
}

export function answerOf(result: FleetResult): Answer {
  const { headline, reasons } = mainAnswer(result)
  const { shown } = recommendedOf(result)
  const isEachSite = (result.search?.bySite.length ?? 0) > 0
  const ofParts = shown === null || isEachSite ? [] : partReasons(result.model, shown)
  const { worst } = result.model
  const ofOuts = shown === null ? [] : outReasons(result.model, shown)
  const first = worst === null || shown === null ? null : worstSentence(result.model, shown, worst)
  const answer = first === null ? { headline, reasons } : { headline: first, reasons: [headline, ...reasons] }
  return { ...answer, reasons: [...answer.reasons, ...ofOuts, ...ofParts, ...sensitivityReasons(result)] }
}

function mainAnswer(result: FleetResult): Answer {
  const { model, cases, search } = result
  if (search !== null) return searchAnswer(result, search)
  if (model.promises.length === 0) return fullAnswer(model, cases)
  return cases.length === 1 ? singleAnswer(result) : sweepAnswer(result)
}

/** The rest of a sentence whose subject is a case: `keep every promise`, `keeps the promise`. */
function keepsWhat(settings: FleetCase, promises: readonly FleetPromise[]): string {
  return `${verb(settings, "keep")} ${allOf(promises)}`
}

function allOf({ length }: readonly FleetPromise[]): string {
  return length === 1 ? "the promise" : "every promise"
}

/** A search may be about some of the promises: then the others are not in its answer. */
function searchedOf(promises: readonly FleetPromise[], model: FleetModel): string {
  const all = allOf(promises)
  return promises.length < model.promises.length ? `${all} of the search` : all
}

/* A search. */

function searchAnswer(result: FleetResult, search: SearchResult): Answer {
  const { model, cases } = result
  const { find, outcome, bySite } = search
  const promises = model.promises.filter(({ metric }) => find.keeps.includes(metric))
  if (bySite.length > 0) {
    const { headline, reasons } = eachSiteAnswer(model, search)
    const shown = outcome.is === "found" ? outcome.best : outcome.nearest
    const all = promises.filter(({ metric }) => figureNamed(metric).part === null)
    return { headline, reasons: [...reasons, ...spareReasons(shown, all), ...costReasons(model, shown, [])] }
  }
  if (outcome.is === "not met") {
    const { nearest, why } = outcome
    return {
      headline: sentence(`no ${soughtWords(find)} was found that keeps ${searchedOf(promises, model)}`),
      reasons: [
        sentence(whyNotWords(find, nearest.settings, why as WhyNot)),
        ...brokenReasons(nearest, promises),
        ...fullReasons(model, nearest),
        `The search is at ${find.place}.`,
      ],
    }
  }
  const { best: least, below } = outcome
  if (find.is === "most") return mostAnswer(result, { find, best: least, below, promises })
  const above = cases.slice(cases.indexOf(least) + 1)
  const others = below.map((one) => belowPhrase(one, { least, promises }))
  const head = `${casePhrase(least.settings)} ${verb(least.settings, "keep")} ${searchedOf(promises, model)}`
  const notSearched = model.promises.filter((promise) => !promises.includes(promise))
  return {
    headline: sentence([head, ...others].join("; ")),
    reasons: [
      ...spareReasons(least, promises),
      ...brokenReasons(least, notSearched),
      ...above.map((next) =>
        nextReason(model, { best: least, next, metric: promises[0]?.metric, miss: pairMiss(model, cases) }),
      ),
      ...costReasons(model, least, below),
    ],
  }
}

/** `Up to 1.34 times the demand every promise holds; 1.4 times breaks the limit of the wait of 95 of 100 reservations by 40s (8s to 1m 9s).` */
function mostAnswer(
  { model }: FleetResult,
  {
    find,
    best,
    below,
    promises,
  }: {
    readonly find: FindMost
    readonly best: CaseResult
    readonly below: readonly CaseResult[]
    readonly promises: readonly FleetPromise[]
  },
): Answer {
  const [beyond] = below
  const most = find.atMost ?? FIND_DEMAND_MAX
  const noMore =
    best.settings[0]?.[1] === most
      ? `More was not tried: at_most is ${most}.`
      : "No larger factor that surely breaks a promise was found."
  const head = `up to ${casePhrase(best.settings)} ${searchedOf(promises, model)} holds`
  const then = below.map((one) => belowPhrase(one, { least: best, promises }))
  return {
    headline: sentence([head, ...then].join("; ")),
    reasons: [
      ...(beyond === undefined ? [noMore] : fullReasons(model, beyond)),
      ...spareReasons(best, promises),
      ...costReasons(model, best, below),
    ],
  }
}

/** `5 break it by 2m 6s (1m 12s to 4m 3s)`; of several promises, the one that is broken is named. */
function belowPhrase(
  one: CaseResult,
  { least, promises }: { readonly least: CaseResult; readonly promises: readonly FleetPromise[] },
): string {
  // With two counts only the one that differs is named.
  const differing = one.settings.filter(([, value], at) => value !== least.settings[at]?.[1])
  const name = least.settings.length === 1 ? belowName(differing, least.settings) : casePhrase(differing)
  const worst = one.promises
    .filter(({ promise, isKept }) => !isKept && promises.includes(promise))
    .toSorted((a, b) => Number(b.isCertain) - Number(a.isCertain))[0]
  const losing = lossWords(one, { least, promises })
  if (worst === undefined && losing !== null) return `${name} ${verb(differing, "lose")} ${losing}`
  if (worst === undefined || !worst.isCertain) {
    const unsure =
      worst ?? one.promises.find(({ isCertain, promise }) => !isCertain && promises.includes(promise))
    const found =
      unsure === undefined ? "" : `: the ${figureWords(unsure.promise.metric)} is ${estimateOnly(unsure)}`
    return `${name} may be enough${found}`
  }
  const what = promises.length === 1 ? "it" : `the limit of the ${figureWords(worst.promise.metric)}`
  return `${name} ${verb(differing, "break")} ${what} by ${brokenByText(worst)}`
}

/** `12.1% of the orders, and not 1.2%`: of a case that keeps the promises and is refused all the same. */
function lossWords(
  one: CaseResult,
  { least, promises }: { readonly least: CaseResult; readonly promises: readonly FleetPromise[] },
): string | null {
  const [lost, before] = [one, least].map(({ estimates }) => estimates.of("orders.completed_share").value)
  const isSure = one.promises.every(
    ({ promise, isKept, isCertain }) => !promises.includes(promise) || (isKept && isCertain),
  )
  if (!isSure || lost === null || lost === undefined || before === null || before === undefined) return null
  return `${showFigure(1 - lost, "share")} of the orders, and not ${showFigure(1 - before, "share")}`
}

function estimateOnly({ promise, estimate }: KeptPromise): string {
  return figureText(promise.metric, estimate)
}

/* A sweep. */

function sweepAnswer(result: FleetResult): Answer {
  const { model, cases } = result
  const { best, shown } = recommendedOf(result)
  if (best === null) {
    const nearest =
      shown === null
        ? ""
        : `; ${casePhrase(shown.settings)} ${verb(shown.settings, "come")} nearest${asNearText(shown, cases)}`
    return {
      headline: sentence(`no case keeps ${allOf(model.promises)}${nearest}`),
      reasons: shown === null ? [] : [...brokenReasons(shown, model.promises), ...fullReasons(model, shown)],
    }
  }
  const isOneSetting = cases.every(({ settings }) => settings.length === 1)
  const others = isOneSetting ? otherCases(result, best) : []
  const cheaper = cheaperOf(model, best, cases)
  return {
    headline: sentence([bestPhrase(result, { best, isOneSetting, cheaper }), ...others].join("; ")),
    reasons: [
      ...spareReasons(best, model.promises),
      ...oneMoreReasons(result, best),
      ...costReasons(model, best, []),
      ...(cheaper === null ? [] : [cheaperReason(model, cheaper, isOneSetting)]),
    ],
  }
}

interface BestCase {
  readonly best: CaseResult
  readonly isOneSetting: boolean
  readonly cheaper: Cheaper | null
}

/** `2 stalls and 4 cooks surely keep every promise, at the least cost of those; 2 stalls and 3 cooks may keep them too`. */
function bestPhrase({ model }: FleetResult, { best, isOneSetting, cheaper }: BestCase): string {
  const who = casePhrase(best.settings)
  const keep = keepsWhat(best.settings, model.promises)
  if (cheaper !== null && !isOneSetting) {
    const them = model.promises.length === 1 ? "it" : "them"
    const less = moneyText(model, cheaper.saves)
    return `${who} surely ${keep}, at the least cost of those; ${casePhrase(cheaper.one.settings)} may keep ${them} too, for ${less} less`
  }
  const cost = model.costs === null || isOneSetting ? "" : " at the least cost"
  const unsure = best.promises.filter(({ isCertain }) => !isCertain)
  if (unsure.length === 0) return `${who} ${keep}${cost}`
  return unsure.every(({ estimate }) => hasInterval(estimate))
    ? `${who} ${keep} on average${cost}, though an interval holds its limit`
    : `${who} ${keep}${cost}, but one replication has no interval`
}

/** How many replications would say whether the cheaper case keeps the promises too. */
function cheaperReason(model: FleetModel, { one, saves }: Cheaper, isOneSetting: boolean): string {
  const who = casePhrase(one.settings)
  const less = isOneSetting ? `${who} ${verb(one.settings, "cost")} ${moneyText(model, saves)} less; ` : ""
  const whether = `whether ${who} ${keepsWhat(one.settings, model.promises)}`
  return sentence(`${less}${settlingPhrase(one)} ${whether}`)
}

/** `about 40 replications would say`; without a number where an interval has no upper bound yet. */
function settlingPhrase({ promises, replications: { length: made } }: CaseResult): string {
  const wanted = promises
    .filter(({ isCertain }) => !isCertain)
    .map((kept) => replicationsToSettle(kept, made))
    .filter((count) => count !== null)
  if (wanted.length === 0) return "more replications may say"
  const most = Math.max(...wanted)
  return most > FLEET_REPLICATIONS_MAX
    ? `it is so near to a limit that ${FLEET_REPLICATIONS_MAX} replications would not say`
    : `about ${most} replications would say`
}

/** What the next higher count of a sweep over one count changes, in whatever order the file has them. */
function oneMoreReasons({ model, cases }: FleetResult, best: CaseResult): readonly string[] {
  const [only, ...others] = best.settings
  if (only === undefined || others.length > 0 || countNamed(only[0]) === null) return []
  const countOf = ({ settings }: CaseResult): number => Number(settings[0]?.[1])
  const [next] = cases
    .filter((one) => countOf(one) > Number(only[1]))
    .toSorted((one, other) => countOf(one) - countOf(other))
  if (next === undefined) return []
  const miss = pairMiss(model, cases)
  return [nextReason(model, { best, next, metric: model.promises[0]?.metric, miss })]
}

/** Cases of one count by the count, others as the file has them. */
function inOrder(cases: readonly CaseResult[]): readonly CaseResult[] {
  const valueOf = ({ settings }: CaseResult): number => Number(settings[0]?.[1])
  if (cases.some((one) => Number.isNaN(valueOf(one)))) return cases
  return cases.toSorted((one, other) => valueOf(one) - valueOf(other))
}

/** `, 9 as near`: cases whose figures are as far from their limits; empty without any. */
function asNearText(shown: CaseResult, cases: readonly CaseResult[]): string {
  const others = asNear(shown, cases)
  if (others.length === 0) return ""
  const isOneSetting = cases.every(({ settings }) => settings.length === 1)
  return isOneSetting
    ? `, ${listed(others.map(({ settings }) => String(settings[0]?.[1])))} as near`
    : `, ${counted(others.length, "other case")} as near`
}

/** `4 may not, 3 do not`: cases that keep the promises less surely than the recommended one, in the order of the sweep backwards. */
function otherCases({ model, cases }: FleetResult, best: CaseResult): readonly string[] {
  const miss = pairMiss(model, cases)
  const phrases = inOrder(cases)
    .filter((one) => one !== best)
    .toReversed()
    .flatMap((one) => {
      const does = otherPhrase(one, { best, miss })
      const [setting, value] = one.settings[0] ?? []
      return does === null ? [] : [`${setting === "out" ? casePhrase(one.settings) : String(value)} ${does}`]
    })
  return phrases.length === 0 ? [] : [phrases.join(", ")]
}

/** The verdict of another case beside that of the recommended one; null when both surely keep the promises. */
function otherPhrase(
  one: CaseResult,
  { best, miss }: { readonly best: CaseResult; readonly miss: number },
): string | null {
  const [standing, bestStanding] = [standingOf(one.promises), standingOf(best.promises)]
  const isMany = verb(one.settings, "do") === "do"
  if (standing === "kept") return null
  if (standing === "broken") return isMany ? "do not" : "does not"
  if (standing === bestStanding) return isMany ? "do as well" : "does as well"
  if (isMoreOfACount(one, best) && !isClearlyWorse(one, { best, miss }))
    return `${isMany ? "are" : "is"} not clearly worse`
  return "may not"
}

function isMoreOfACount({ settings: [one] }: CaseResult, { settings: [best] }: CaseResult): boolean {
  return one !== undefined && countNamed(one[0]) !== null && Number(one[1]) > Number(best?.[1])
}

/** True when a promise that the case does not surely keep has a figure that is worse by more than chance. */
function isClearlyWorse(
  one: CaseResult,
  { best, miss }: { readonly best: CaseResult; readonly miss: number },
): boolean {
  return one.promises.some(({ promise: { metric, sign }, isKept, isCertain }) => {
    if (isKept && isCertain) return false
    const found = differenceOf(metric, { from: best, to: one, miss })
    if (found === null) return true
    return isClear(found) && found.value > 0 === sign.startsWith("<")
  })
}

/* One case. */

function singleAnswer({ model, cases }: FleetResult): Answer {
  const [one] = cases
  if (one === undefined) return { headline: "Nothing was run.", reasons: [] }
  const broken = one.promises.filter(({ isKept }) => !isKept)
  const [tightest] = one.promises.toSorted((a, b) => relativeMargin(a) - relativeMargin(b))
  if (broken.length === 0 && tightest !== undefined) {
    const head =
      one.promises.length === 1
        ? marginPhrase(tightest)
        : `every promise is kept${surelyText(one, tightest)}; the tightest: ${marginPhrase(tightest)}`
    return {
      headline: sentence(`${head}${doubtText(tightest, "but")}`),
      reasons: [
        ...spareReasons(one, model.promises).filter((_, at) => one.promises[at] !== tightest),
        ...costReasons(model, one, []),
      ],
    }
  }
  // A break that is sure comes before a larger one that may be chance.
  const [first] = broken.toSorted(
    (a, b) => Number(b.isCertain) - Number(a.isCertain) || relativeMargin(a) - relativeMargin(b),
  )
  return {
    headline: sentence(first === undefined ? "" : `${marginPhrase(first)}${doubtText(first, "though")}`),
    reasons: [
      ...brokenReasons(
        one,
        broken.filter((other) => other !== first).map(({ promise }) => promise),
      ),
      ...fullReasons(model, one),
      ...costReasons(model, one, []),
    ],
  }
}

/** `, not all surely`, where another promise than the tightest one is not sure. */
function surelyText({ promises }: CaseResult, tightest: KeptPromise): string {
  const isUnsure = promises.some((kept) => kept !== tightest && !kept.isCertain)
  return isUnsure && tightest.isCertain ? ", not all surely" : ""
}

/** Why it is not sure that a promise is kept or broken; empty when it is sure, and when there is no figure. */
function doubtText({ estimate, isCertain }: KeptPromise, word: "but" | "though"): string {
  if (isCertain || estimate.value === null) return ""
  return hasInterval(estimate)
    ? `, ${word} its interval holds the limit`
    : `, ${word} one replication has no interval`
}

function hasInterval({ low, high }: KeptPromise["estimate"]): boolean {
  return low !== null || high !== null
}

function relativeMargin(one: KeptPromise): number {
  const margin = marginOf(one)
  return margin === null
    ? Number.NEGATIVE_INFINITY
    : margin / (one.promise.limit === 0 ? 1 : one.promise.limit)
}

/** `the wait of 90 of 100 reservations is 4m 21s, 1m 39s under its limit of 6m`. */
function marginPhrase(one: KeptPromise): string {
  const { promise, estimate } = one
  const unit = unitOf(promise.metric)
  const figure = `the ${figureWords(promise.metric)}`
  const margin = marginOf(one)
  if (margin === null || estimate.value === null) {
    if ((estimate.waits ?? 0) === 0) {
      const what = estimate.waits === null ? "was not measured" : "has nothing to measure"
      return `${figure} ${what}, so nothing says that it keeps its limit of ${showFigure(promise.limit, unit)}`
    }
    const few = `only ${estimate.waits} ${nounOf(promise.metric, estimate.waits ?? 0)}, too few`
    return `${figure} has ${few} to keep its limit of ${showFigure(promise.limit, unit)}`
  }
  if (margin === 0) {
    const below = {
      "<": ", and is promised to be less",
      ">": ", and is promised to be more",
      "<=": "",
      ">=": "",
    }
    return `${figure} is exactly its limit of ${showFigure(promise.limit, unit)}${below[promise.sign]}`
  }
  const side = estimate.value < promise.limit ? "under" : "over"
  return `${figure} is ${showFigure(estimate.value, unit)}, ${showChange(Math.abs(margin), unit)} ${side} its limit of ${showFigure(promise.limit, unit)}`
}

/* What is full first. */

function fullAnswer(model: FleetModel, cases: readonly CaseResult[]): Answer {
  for (const one of cases) {
    const [first, ...rest] = fullFirst(model, one)
    if (first === undefined) continue
    const inCase = cases.length === 1 ? "" : `, with ${casePhrase(one.settings)}`
    return {
      headline: sentence(`what is full first: ${usePhrase(first, one.settings)}${inCase}`),
      reasons:
        rest.length === 0
          ? ["No other resource is used to 95 % in any quarter of an hour."]
          : [
              sentence(
                `then ${rest.slice(0, THEN_SHOWN_MAX).map(thenPhrase).join(", then ")}${moreFull(rest.length)}`,
              ),
            ],
    }
  }
  const last = cases.at(-1)
  const most = last === undefined ? null : mostUsed(model, last)
  const says =
    most === null
      ? "no resource is used"
      : `nothing is full: the most used are ${useName(most)}, ${showFigure(most.share, "share")} at ${most.at}`
  return { headline: sentence(says), reasons: [] }
}

/** Resources of sites that are full after the first one; the table has all of them. */
const THEN_SHOWN_MAX = 5

function moreFull(full: number): string {
  return full > THEN_SHOWN_MAX ? `, and ${full - THEN_SHOWN_MAX} more` : ""
}

/** `runners at north, at 13:45, at 2.1 times the demand there at the start`. */
function usePhrase(use: Use, settings: FleetCase): string {
  const { at, site, timesDemand } = use
  const what = `${useName(use)}, at ${at}`
  const swept = settings.find(([setting]) => setting === "demand")?.[1]
  if (swept !== undefined || timesDemand === null || timesDemand <= 1.05) return what
  const ofStart = site === null ? "of the start" : "there at the start"
  return `${what}, at ${Math.round(timesDemand * 10) / 10} times the demand ${ofStart}`
}

/* Reasons. */

/** Also the report's first page, which says the same beside a picture. */
export function spareReasons(one: CaseResult, promises: readonly FleetPromise[]): readonly string[] {
  const with_ = one.settings.length === 0 ? "" : ` with ${briefPhrase(one.settings)}`
  return one.promises
    .filter(({ promise }) => promises.includes(promise))
    .map((kept) => {
      const unit = unitOf(kept.promise.metric)
      const margin = marginOf(kept)
      const spare =
        margin === null
          ? ""
          : `, so ${showChange(Math.abs(margin), unit)} ${margin < 0 ? "are missing" : "are to spare"}`
      const { metric } = kept.promise
      return `Promised: ${promiseWords(kept.promise)}. Found${with_}: ${figureText(metric, kept.estimate)}${spare}.`
    })
}

function brokenReasons(one: CaseResult, promises: readonly FleetPromise[]): readonly string[] {
  return one.promises
    .filter((kept) => !kept.isKept && promises.includes(kept.promise))
    .map((kept) => {
      const with_ = one.settings.length === 0 ? "" : `with ${casePhrase(one.settings)} `
      return sentence(`${with_}${marginPhrase(kept)}`)
    })
}

function fullReasons(model: FleetModel, one: CaseResult): readonly string[] {
  const [first] = fullFirst(model, one)
  if (first !== undefined) return [sentence(`what is full first: ${usePhrase(first, one.settings)}`)]
  const most = mostUsed(model, one)
  return most === null
    ? []
    : [
        `Nothing is full: the most used are ${useName(most)}, ${showFigure(most.share, "share")} at ${most.at}.`,
      ]
}

function costReasons(
  { costs }: FleetModel,
  one: CaseResult,
  below: readonly CaseResult[],
): readonly string[] {
  const total = one.estimates.of("cost.total")
  if (costs === null || total.value === null) return []
  const money = (value: number): string => moneyText({ costs }, value)
  const perOrder = one.estimates.of("cost.per_order").value
  const each = perOrder === null ? "" : `, ${money(perOrder)} for each order that completes`
  const others = below.map(
    ({ settings, estimates }) =>
      `${besideLabel(settings, one.settings)}: ${money(estimates.of("cost.total").value ?? 0)}`,
  )
  return [
    `The measured time costs ${money(total.value)}${each}${others.length === 0 ? "" : ` (${others.join("; ")})`}.`,
  ]
}

function moneyText({ costs }: Pick<FleetModel, "costs">, value: number): string {
  const currency = costs?.currency ?? ""
  return `${showFigure(value, "money")}${currency === "" ? "" : ` ${currency}`}`
}
