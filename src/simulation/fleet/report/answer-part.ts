/** The part of the report that answers: promises with their margins, cases in pairs, the search, costs, sensitivity. */

import { asTable, html, table } from "../../../pages/html/markup.ts"
import type { Html } from "../../../pages/html/markup.ts"
import { counted } from "../../scenario/language/counted.ts"
import { COSTS, metricOf, showFigure, unitOf } from "../language/metrics.ts"
import type { CostPart } from "../language/metrics.ts"
import { capital, caseLabel, casePhrase, stepLines } from "../results/phrases.ts"
import { comparisonsOf, isClear, rankText } from "../results/compare.ts"
import type { Comparison, Difference } from "../results/compare.ts"
import { eachSiteRows } from "../results/each-site.ts"
import type { FleetResult } from "../results/fleet-result.ts"
import { recommendedOf, standingOfPromise } from "../results/recommend.ts"
import type { Standing } from "../results/recommend.ts"
import type { SearchResult } from "../results/questions.ts"
import { figureWords, promiseWords } from "../results/promise-words.ts"
import { searchWords, titleOfSearch } from "../results/sought-words.ts"
import { estimateText, figureText, intervalText, marginOf } from "../results/summary.ts"
import type { CaseResult, KeptPromise } from "../results/summary.ts"
import { signed } from "./axis.ts"
import { classOf, promiseChart } from "./case-charts.ts"
import { differenceText, effectsChart, pairsChart } from "./difference-charts.ts"

const ICONS = {
  ok: '<path d="M3.5 8.5l3 3 6-7"/>',
  wait: '<path d="M6 6.2a2 2 0 1 1 2.8 1.9c-.6.3-.8.7-.8 1.4M8 11.8v.4"/>',
  bad: '<path d="M4.5 4.5l7 7m0-7l-7 7"/>',
} as const

/** Word and icon: a colour alone says nothing. */
export function pill(kind: "bad" | "ok" | "wait", word: string): Html {
  return html`<span class="pill ${kind}"
    ><svg viewBox="0 0 16 16" width="14" height="14" aria-hidden="true">${{ html: ICONS[kind] }}</svg
    >${word}</span
  >`
}

const WORDS: Readonly<Record<Standing, string>> = {
  kept: "Kept",
  "kept, not sure": "Kept, not sure",
  "broken, not sure": "Broken, not sure",
  broken: "Broken",
}

export function standingPill(standing: Standing): Html {
  return pill(classOf(standing), WORDS[standing])
}

/* Promises. */

export function promisesPart(result: FleetResult): Html {
  const { model, cases } = result
  if (model.promises.length === 0) return html``
  return html`<div id="promises" class="pair">
    <div>
      ${model.promises.map(
        (promise) =>
          html`<h3>${capital(promiseWords(promise))}</h3>
            <p class="quiet">
              The figure: ${metricOf(promise.metric)?.says ?? ""}. The mark is the estimate with its 95 %
              interval, each dot one replication.
            </p>
            ${promiseChart(promise, cases)}
            ${asTable(
              `${capital(figureWords(promise.metric))} by case`,
              ["Case", "Estimate and 95 % interval", "Replications' own, least", "Most"],
              cases.map(({ settings, estimates, replications }) => {
                const estimate = estimates.of(promise.metric)
                const unit = unitOf(promise.metric)
                return [
                  caseLabel(settings),
                  estimateText(promise.metric, estimate, replications.length),
                  showFigure(estimate.least, unit),
                  showFigure(estimate.most, unit),
                ]
              }),
            )}`,
      )}
      <p class="legend">
        ${standingPill("kept")} the interval is on the right side ${pill("wait", "Not sure")} it holds the
        limit ${standingPill("broken")} it is on the wrong side
      </p>
    </div>
    <div>${marginsTable(result)} ${pairsPart(result)}</div>
  </div>`
}

function marginsTable(result: FleetResult): Html {
  const { cases, model } = result
  const { best } = recommendedOf(result)
  const [only] = model.promises
  const isOne = model.promises.length === 1
  const most = longestMargin(cases.flatMap(({ promises }) => promises.map((one) => Math.abs(shareOf(one)))))
  const isAnyCut = cases.some(({ promises }) => promises.some((one) => Math.abs(shareOf(one)) > most))
  const rows = cases.flatMap((one) =>
    one.promises.map((kept, at) =>
      marginRow(one, {
        kept,
        isFirst: at === 0,
        rows: one.promises.length,
        isOne,
        most,
        isBest: one === best,
      }),
    ),
  )
  const head = isOne
    ? ["Found", `Margin to ${showFigure(only?.limit ?? null, unitOf(only?.metric ?? ""))}`]
    : ["Found", "Margin"]
  return html`<h3>Promises, with their margins</h3>
    <div class="scroll whole" tabindex="0" role="region" aria-label="Promises, with their margins">
      <table class="margins">
        <thead>
          <tr>
            ${["Case", ...(isOne ? [] : ["Promise"]), ...head].map((name) => html`<th scope="col">${name}</th>`)}
            <th scope="col" class="bar"><span class="visually-hidden">Margin as a bar</span></th>
            <th scope="col">Verdict</th>
          </tr>
        </thead>
        <tbody>
          ${rows}
        </tbody>
      </table>
    </div>
    ${isAnyCut ? html`<p class="quiet wide">A bar with a gap is longer than it is drawn.</p>` : html``}`
}

/** The margin as a share of the limit. */
function shareOf(one: KeptPromise): number {
  return (marginOf(one) ?? 0) / (one.promise.limit === 0 ? 1 : one.promise.limit)
}

/** Bars longer than this multiple of the median margin are cut, so that one extreme case does not hide the others. */
const CUT_AT = 10

/** The margin whose bar has the full length. */
function longestMargin(margins: readonly number[]): number {
  const known = margins.filter((margin) => margin > 0).toSorted((a, b) => a - b)
  const middle = known[Math.floor((known.length - 1) / 2)] ?? 0
  return Math.max(Number.MIN_VALUE, Math.min(known.at(-1) ?? 0, CUT_AT * middle))
}

interface MarginRow {
  readonly kept: KeptPromise
  /** The first row of a case has its name, for all of its rows. */
  readonly isFirst: boolean
  readonly rows: number
  readonly isOne: boolean
  readonly most: number
  readonly isBest: boolean
}

function marginRow({ settings }: CaseResult, { kept, isFirst, rows, isOne, most, isBest }: MarginRow): Html {
  const { promise, estimate } = kept
  const unit = unitOf(promise.metric)
  const margin = marginOf(kept)
  const kind = classOf(standingOfPromise(kept))
  const best = isBest ? html`<span class="visually-hidden"> (recommended)</span>` : html``
  const name = isFirst ? html`<th scope="row" rowspan="${rows}">${caseLabel(settings)}${best}</th>` : html``
  return html`<tr${isBest ? html` class="best"` : html``}>
    ${name}
    ${isOne ? html`` : html`<td class="promise">${capital(promiseWords(promise))}</td>`}
    <td>${showFigure(estimate.value, unit)}</td>
    <td class="${kind} number">${margin === null ? "–" : signed(margin, unit)}</td>
    <td class="bar">${margin === null ? html`` : marginBar(shareOf(kept) / most, kind)}</td>
    <td>${standingPill(standingOfPromise(kept))}</td>
  </tr>`
}

/** A bar to the right for a margin, to the left for what is missing. */
function marginBar(share: number, kind: string): Html {
  const isCut = Math.abs(share) > 1
  const length = Math.round(Math.min(1, Math.abs(share)) * 320) / 10
  const from = share < 0 ? 32 - length : 32
  const gapAt = share < 0 ? 6 : 54
  return html`<svg class="margin ${kind}" viewBox="0 0 64 12" width="64" height="12" aria-hidden="true">
    <rect x="${from}" y="2" width="${length}" height="8" />
    ${isCut ? html`<path class="cut" d="M${gapAt} 11l4 -10" />` : html``}
    <line x1="32" x2="32" y1="0" y2="12" />
  </svg>`
}

/* Pairs. */

function pairsPart({ model, cases }: FleetResult): Html {
  // Costs have a table of their own.
  const all = comparisonsOf(model, cases).filter(({ metric }) => metric !== "cost.total")
  return html`${all.map((one) => comparisonPart(one, cases))}`
}

function comparisonPart(comparison: Comparison, cases: readonly CaseResult[]): Html {
  const { metric, pairs, ranked, confidence, isLowerBetter } = comparison
  const next = pairs.filter(({ from, to }) => cases.indexOf(to) === cases.indexOf(from) + 1)
  const [best] = ranked
  if (best === undefined || confidence === null || next.length === 0) return html``
  const percent = Math.min(99.9, Math.floor(confidence * 1000) / 10)
  const verdict =
    confidence < 0.5
      ? "No case is clearly the best by it."
      : `Best with ${casePhrase(best.settings)}, with ${percent} % confidence at least.`
  const rank = ranked.length > 2 ? ` Best first: ${rankText(comparison)}.` : ""
  const seeds = next[0]?.parts.length ?? 0
  return html`<h3>What the next case changes in the ${figureWords(metric)}</h3>
    <p class="quiet">
      The same ${counted(seeds, "day")} in both cases: differences seed by seed. ${verdict}${rank} All
      ${pairs.length} pairs hold together with 95 % (Bonferroni), with those of the other figures.
    </p>
    ${pairsChart(metric, { pairs: next.map((pair) => ({ lines: stepLines(pair.from.settings, pair.to.settings), pair })), isLowerBetter })}
    ${asTable(
      `Every pair of cases by the ${figureWords(metric)}`,
      ["From", "To", "Difference", "Interval", "Clear of 0"],
      pairs.map((pair) => [
        caseLabel(pair.from.settings),
        caseLabel(pair.to.settings),
        differenceText(metric, pair),
        intervalText(pair, unitOf(metric)) ?? "–",
        isClear(pair) ? "yes" : "no",
      ]),
    )}`
}

/* Search. */

export function searchPart({ search, model }: FleetResult): Html {
  if (search === null) return html``
  if (search.bySite.length > 0) return eachSitePart(search)
  const { find, steps } = search
  const promises = model.promises.filter(({ metric }) => find.keeps.includes(metric))
  const rows = steps.map(({ settings, replications, isKept, promises: found }) => [
    caseLabel(settings),
    ...promises.map(({ metric }) => {
      const estimate = found.find(({ promise }) => promise.metric === metric)?.estimate
      return estimate === undefined ? "–" : figureText(metric, estimate)
    }),
    replications,
    isKept ? "kept" : "broken",
  ])
  return html`<div id="search">
    <h3>How it was searched</h3>
    <p>
      ${titleOfSearch(find)} with ${promises.map((one) => `“${promiseWords(one)}”`).join(" and ")}:
      ${searchWords(find)}
    </p>
    ${asTable("Cases that were tried", ["Case", ...promises.map(({ metric }) => capital(figureWords(metric))), "Replications", "Verdict"], rows)}
  </div>`
}

function eachSitePart(search: SearchResult): Html {
  const { find, steps } = search
  const rows = steps.map(({ settings, replications, brokenAt }) => [
    caseLabel(settings),
    brokenAt.length === 0 ? "at none" : brokenAt.join(", "),
    replications,
  ])
  return html`<div id="search">
    <h3>What each site needs</h3>
    ${table(`${titleOfSearch(find)}, on seeds that the search has not seen`, ["Site", "Least", "What shows it"], eachSiteRows(search))}
    <h3>How it was searched</h3>
    <p>
      ${titleOfSearch(find)}, each site by itself, because what one site has changes nothing at another. Each
      case moves the counts of all sites: at each site the count was doubled until its promises held, and then
      halved, on the same seeds. The answer, and one less at every site, were then made again on other seeds;
      the figures above are of those. More of a count is taken never to hurt.
    </p>
    ${asTable("Cases that were tried", ["Case", "A promise breaks at", "Replications"], rows)}
  </div>`
}

/* Costs. */

export function costsPart(result: FleetResult): Html {
  const { model, cases } = result
  if (model.costs === null) return html``
  const { currency } = model.costs
  const parts = (Object.keys(COSTS) as CostPart[]).filter((part) =>
    cases.some(({ estimates }) => (estimates.of(`cost.${part}`).value ?? 0) !== 0),
  )
  const rows = cases.map(({ settings, estimates }) => [
    caseLabel(settings),
    ...parts.map((part) => showFigure(estimates.of(`cost.${part}`).value, "money")),
    showFigure(estimates.of("cost.per_order").value, "money"),
    intervalText(estimates.of("cost.total"), "money") ?? "–",
  ])
  return html`<p class="quiet">
      ${currency === "" ? "" : `In ${currency}. `}Means over the replications.
      ${parts.map((part) => `${capital(part)}: ${COSTS[part]}.`).join(" ")}
    </p>
    ${table("Costs by case", ["Case", ...parts.map((part) => capital(part)), "Per order", "95 % interval of the total"], rows)}`
}

/* Sensitivity. */

export function effectsPart(result: FleetResult): Html {
  const { effects, model } = result
  const { shown } = recommendedOf(result)
  if (effects.length === 0 || shown === null) return html``
  const moved = effects.filter(({ down, up }) => (down?.value ?? 0) !== 0 || (up?.value ?? 0) !== 0)
  const metrics = [...new Set(moved.map(({ metric }) => metric))]
  return html`${metrics.map((metric) => {
    const of = effects.filter((effect) => effect.metric === metric)
    const text = (change: Difference | null): string =>
      change === null ? "–" : differenceText(metric, change)
    return html`<h3>What moves the ${figureWords(metric)} most</h3>
      <p class="quiet">
        One input at a time, ${showFigure(model.sensitivity, "share")} less and more, with
        ${casePhrase(shown.settings)}, on the same seeds. Counts change by one at least. Lines are intervals
        that hold together with 95 %.
      </p>
      <p class="legend"><span class="swatch less"></span> less <span class="swatch more"></span> more</p>
      ${effectsChart(metric, of)}
      ${asTable(
        `What moves the ${figureWords(metric)}`,
        ["Input", "Less", "then", "More", "then"],
        of.map(({ input, less, more, down, up }) => [input, less, text(down), more, text(up)]),
      )}`
  })}`
}
