/**
 * The first page of the report, for a reader who never saw a fleet model: the question, the answer, each promise with its margin
 * as a sentence and a bar, a picture, and what the answer rests on. It is the first screen, and one sheet on paper.
 */

import { html } from "../../../pages/html/markup.ts"
import type { Html } from "../../../pages/html/markup.ts"
import { counted } from "../../scenario/language/counted.ts"
import { showDuration } from "../../scenario/language/shown-duration.ts"
import { showChange, showFigure, unitOf } from "../language/metrics.ts"
import { adviceOf } from "../results/advice.ts"
import { answerOf, spareReasons } from "../results/answer.ts"
import { waitsByDayAndHour } from "../results/by-day-hour.ts"
import { shownMeasure } from "../results/by-hour.ts"
import type { FleetResult } from "../results/fleet-result.ts"
import { mostUsed } from "../results/full-first.ts"
import { briefPhrase, capital, casePhrase } from "../results/phrases.ts"
import { promiseWords } from "../results/promise-words.ts"
import { gapOf, recommendedOf, standingOfPromise, standingOfResult } from "../results/recommend.ts"
import { brokenByText, figureText, marginOf, meanSeries } from "../results/summary.ts"
import type { CaseResult, KeptPromise } from "../results/summary.ts"
import { pill, standingPill } from "./answer-part.ts"
import { classOf, promiseChart } from "./case-charts.ts"
import { useChart } from "./day-charts.ts"
import { heatMap } from "./heat-map.ts"
import { hoursText } from "./input-summary.ts"
import { leftOutWords } from "./limitations.ts"

/** More sites than these are counted. */
const SITES_NAMED = 5

/** Letters of an answer from which on it is smaller, so that the first screen has the rest. */
const LONG = 140

export function firstPage(result: FleetResult, hasReplay: boolean): Html {
  const { model } = result
  const { headline, reasons } = answerOf(result)
  const { shown } = recommendedOf(result)
  const names = model.sites.map(({ as }) => as)
  const sites = names.length > SITES_NAMED ? counted(names.length, "site") : names.join(", ")
  // The margins say these with a bar.
  const said = new Set(shown === null ? [] : spareReasons(shown, model.promises))
  const others = reasons.filter((line) => !said.has(line))
  return html`<section id="answer" class="answer">
    <p class="about">${statusPill(result)} ${model.fleet}, ${sites}, ${hoursText(model)}</p>
    <p class="question">${model.because}</p>
    <h1${headline.length > LONG ? html` class="long"` : html``}>${headline}</h1>
    <div class="first${hasReplay ? "" : " still"}">
      <div class="margins-part">
        ${shown === null ? html`` : marginsPart(shown)} ${restsPart(result)}
      </div>
      ${hasReplay ? replayPart(shown) : html``}
      <div class="paper-picture">${stillPicture(result, shown)}</div>
    </div>
    ${
      others.length === 0
        ? html``
        : html`<ul class="reasons">
            ${others.map((line) => html`<li>${line}</li>`)}
          </ul>`
    }
    ${adviceOf(result).map((line) => html`<p class="advice">${pill("wait", "Advice")} ${line}</p>`)}
  </section>`
}

/** The verdict as one word, for the title. */
export function statusWord(result: FleetResult): string {
  return result.model.promises.length === 0 ? "Answered" : capital(standingOfResult(result))
}

function statusPill(result: FleetResult): Html {
  const { model, cases } = result
  if (model.promises.length === 0) return pill("ok", "Answered")
  const subject = model.promises.length === 1 ? "Promise" : "Promises"
  const word = cases.length > 1 ? "can be kept" : "kept"
  switch (standingOfResult(result)) {
    case "kept":
      return pill("ok", `${subject} ${word}`)
    case "kept, not sure":
      return pill("wait", `${subject} ${word}, not sure`)
    case "broken, not sure":
      return pill("wait", `${subject} broken, not sure`)
    case "broken":
      return pill("bad", `${subject} broken`)
  }
}

/* Margins. */

/** More promises than these are counted: the tables below have all of them. */
const MARGINS_SHOWN = 4

function marginsPart({ promises, settings }: CaseResult): Html {
  if (promises.length === 0) return html``
  const worstFirst = promises.toSorted((a, b) => compareGaps(gapOf(b), gapOf(a)))
  const rest = worstFirst.slice(MARGINS_SHOWN)
  const with_ = settings.length === 0 ? "" : `, with ${briefPhrase(settings)}`
  return html`<h2>${promises.length === 1 ? "The promise" : "The promises"}${with_}</h2>
    <ul class="margin-list">
      ${worstFirst
        .slice(0, MARGINS_SHOWN)
        .map(
          (kept) =>
            html`<li>
              <b>${capital(promiseWords(kept.promise))}</b> ${standingPill(standingOfPromise(kept))}
              ${marginPicture(kept)}<span class="found quiet">${marginSentence(kept)}</span>
            </li>`,
        )}
    </ul>
    ${rest.length > 0 ? html`<p class="quiet">${restText(rest)}, <a href="#cases">below</a>.</p>` : html``}`
}

/** Of promises that nothing was measured of, none is worse than the other. */
function compareGaps(one: number, other: number): number {
  return one === other ? 0 : one - other
}

/** `2 more promises with more to spare`, `3 more promises, 1 of them broken`. */
function restText(rest: readonly KeptPromise[]): string {
  const count = counted(rest.length, "more promise")
  const unmeasured = rest.filter((kept) => marginOf(kept) === null).length
  const broken = rest.filter((kept) => marginOf(kept) !== null && !kept.isKept).length
  const parts = [
    ...(broken === 0 ? [] : [`${broken} of them broken`]),
    ...(unmeasured === 0 ? [] : [`${unmeasured} of them not measured`]),
  ]
  return parts.length === 0 ? `${count} with more to spare` : `${count}, ${parts.join(" and ")}`
}

/** `4m 5s (3m 28s to 5m 45s): 3m 55s to spare.` */
function marginSentence(kept: KeptPromise): string {
  const { promise, estimate, isKept } = kept
  const margin = marginOf(kept)
  if (margin === null) return "Nothing was measured, so nothing says that it is kept."
  const found = figureText(promise.metric, estimate)
  if (!isKept) return `${found}: beyond the limit by ${brokenByText(kept)}.`
  return `${found}: ${showChange(margin, unitOf(promise.metric))} to spare.`
}

/** Percent of the width that the limit, or the figure beyond it, takes. */
const LIMIT_AT = 70

/** What is allowed as a light bar, the figure as a dark one over it, its interval as a line. */
function marginPicture(kept: KeptPromise): Html {
  const { promise, estimate } = kept
  const { value, low, high } = estimate
  if (value === null) return html``
  const unit = unitOf(promise.metric)
  const most = Math.max(promise.limit, value, high ?? 0)
  const full = Math.max(promise.limit * (100 / LIMIT_AT), most * 1.05) || 1
  const at = (one: number): number => Math.round((1000 * Math.max(0, one)) / full) / 10
  const [from, width] = promise.sign.startsWith("<")
    ? [0, at(promise.limit)]
    : [at(promise.limit), 100 - at(promise.limit)]
  const says = `${showFigure(value, unit)} of a limit of ${showFigure(promise.limit, unit)}`
  return html`<svg
    class="bullet ${classOf(standingOfPromise(kept))}"
    width="100%"
    height="20"
    role="img"
    aria-label="${says}"
  >
    <rect class="keeps" x="${from}%" y="0" width="${width}%" height="20" />
    <rect class="found" x="0" y="5" width="${at(value)}%" height="10" />
    ${
      low === null && high === null
        ? html``
        : html`<line class="range" x1="${at(low ?? value)}%" x2="${at(high ?? full)}%" y1="10" y2="10" />`
    }
    <line class="limit" x1="${at(promise.limit)}%" x2="${at(promise.limit)}%" y1="0" y2="20" />
  </svg>`
}

/* What it rests on. */

function restsPart({ model, cases, search }: FleetResult): Html {
  const all = cases.flatMap(({ replications }) => replications)
  const seeds = all.map(({ seed }) => seed)
  const [first, last] = [Math.min(...seeds), Math.max(...seeds)]
  const range = first === last ? `seed ${first}` : `seeds ${first} to ${last}`
  const of = cases.length === 1 ? "" : ` of ${counted(cases.length, "case")}`
  const tried = search === null ? "" : `, after ${counted(search.steps.length, "case")} tried on others`
  const days = `${counted(all.length, "replication")}${of} over ${showDuration(model.horizon)}, ${range}${tried}`
  return html`<h2>What it rests on</h2>
    <p class="rests">
      ${days}. Brackets are 95&nbsp;% intervals: how much chance moves a figure. Inputs are those of
      <code>${model.file}</code>; where they are guesses, so are the figures. Left out are
      ${leftOutWords(model)}. <a href="#limits">All that is left out</a>
    </p>`
}

/* The picture. */

/** The script plays the day in it, and opens the whole page at an address with an instant. */
function replayPart(shown: CaseResult | null): Html {
  const settings = shown?.settings ?? []
  const of = settings.length === 0 ? "" : `, with ${briefPhrase(settings)}`
  return html`<div id="replay" class="replay-part">
    <div id="replay-show"></div>
    <p class="quiet">
      The day of seed ${shown?.replications[0]?.seed ?? 1}${of}, computed in your browser. Press a robot, a
      vehicle or an order to see what it does and why.
    </p>
    <noscript><p>The replay needs JavaScript; everything else is readable without.</p></noscript>
  </div>`
}

/** On paper, and without a replay: the map of days, the tightest promise in every case, or the resource that is used most. */
function stillPicture({ model, cases }: FleetResult, shown: CaseResult | null): Html {
  if (shown === null) return html``
  const measure = shownMeasure(model)
  const days = waitsByDayAndHour(measure, { model, one: shown })
  if (days.length > 0)
    return html`<h2>Days by hours: the stronger the colour, the longer</h2>
      ${heatMap(days, measure)}`
  const [tightest] = shown.promises.toSorted((a, b) => gapOf(b) - gapOf(a))
  if (tightest !== undefined)
    return html`<h2>${capital(promiseWords(tightest.promise))}: each dot is one replication</h2>
      ${promiseChart(tightest.promise, cases)}`
  const most = mostUsed(model, shown)
  const series = meanSeries(shown.replications)
  const [utilisation, queue] = ["utilisation", "queue"].map((figure) =>
    series.get(`${most?.resource ?? ""}.${figure}`),
  )
  if (most === null || utilisation === undefined || queue === undefined) return html``
  const with_ = shown.settings.length === 0 ? "" : `, with ${casePhrase(shown.settings)}`
  return html`<h2>Use of ${most.resource} over the day, and the queue for them${with_}</h2>
    ${useChart({ resource: most.resource, utilisation, queue }, model)}`
}
