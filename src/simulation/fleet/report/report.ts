/**
 * The report of a fleet run: one self-contained HTML file. First a page that answers by itself; then parts that are folded, each
 * behind a sentence of what it comes to. The same run gives the same bytes: the report does not contain the time at which it was made.
 */

import { jsonElement, writtenPage } from "../../../pages/html/page-frame.ts"
import { html, raw, table } from "../../../pages/html/markup.ts"
import type { Html } from "../../../pages/html/markup.ts"
import { READING_STYLE } from "../../../pages/html/styles.ts"
import { MARK } from "../../../pages/html/tokens.ts"
import { counted } from "../../scenario/language/counted.ts"
import type { FleetModel } from "../language/model.ts"
import { sensitivityReasons } from "../results/changes.ts"
import type { FleetResult } from "../results/fleet-result.ts"
import { figuresCsv } from "../results/outputs.ts"
import { briefPhrase, caseLabel } from "../results/phrases.ts"
import { recommendedOf } from "../results/recommend.ts"
import type { CaseResult } from "../results/summary.ts"
import { costsPart, effectsPart, promisesPart, searchPart } from "./answer-part.ts"
import { usePart, waitsPart } from "./day-part.ts"
import { figuresPart } from "./figures-part.ts"
import { FIRST_PAGE_STYLE } from "./first-page-style.ts"
import { firstPage, statusWord } from "./first-page.ts"
import { hourTicks } from "./hour-ticks.ts"
import { hoursText, inputRows } from "./input-summary.ts"
import { casesLead, costsLead, inputsLead, partsLead, useLead, waitsLead } from "./leads.ts"
import { cannotTell, HOW_COUNTED } from "./limitations.ts"
import { partsPart, partsTitle } from "./parts-part.ts"
import { recordedDayOf } from "./recorded-day.ts"
import type { RecordedDay } from "./recorded-day.ts"
import { lookOf, meaningOf } from "./states.ts"
import { REPORT_STYLE } from "./style.ts"

export interface ReportOptions {
  /** The page's own script. */
  readonly pageScript: string
  /** The command that makes the same report again. */
  readonly command: string
  /** The replay of the shown day, which the script opens; null leaves it out. */
  readonly replay: InsideReplay | null
}

/** Elements with the page "Fleet replay" and its run, and what the report's script puts into the page of it. */
export interface InsideReplay {
  readonly elements: Html
  readonly later: { readonly script: string; readonly style: string }
}

export function reportHtml(result: FleetResult, { pageScript, command, replay }: ReportOptions): string {
  const { model } = result
  const { shown } = recommendedOf(result)
  const day = recordedDayOf(model, shown)
  const parts = partsOf(result, day, command)
  const body = html`${navigation(result, parts)}
    <main>
      ${firstPage(result, replay !== null)}
      ${parts.map(
        ({ id, title, lead, content }) =>
          html`<details class="part" id="${id}">
            <summary>
              <h2>${title}</h2>
              <span class="lead">${lead}</span>
            </summary>
            ${content}
          </details>`,
      )}
    </main>`
  const { html: text } = writtenPage({
    title: `${statusWord(result)}: ${model.fleet}`,
    style: [READING_STYLE, REPORT_STYLE, FIRST_PAGE_STYLE].join("\n"),
    body: html`${body} ${jsonElement("data", pageData(model, day))} ${replay?.elements ?? ""}`,
    scripts: [{ text: pageScript }],
    ...(replay === null ? {} : { later: replay.later, hasWorker: true }),
    isFile: true,
  })
  return text
}

/**
 * The day for the page's script. States are `[number of its name, instant]`; instants are milliseconds since the start.
 */
function pageData(model: FleetModel, { fromMs, untilMs, people, states }: RecordedDay) {
  const numbers = new Map(states.map((state, number) => [state, number]))
  return {
    fromMs,
    untilMs,
    states,
    timeZone: model.clock.timeZone,
    ticks: {
      few: hourTicks(model, { fromMs, untilMs, wanted: 4 }),
      many: hourTicks(model, { fromMs, untilMs, wanted: 12 }),
    },
    looks: states.map((state) => lookOf(state)),
    /** Of runners. */
    meanings: states.map((state) => meaningOf({ isVehicle: false }, state)),
    people: people.map(({ who, isVehicle, states: theirs }) => ({
      who,
      isVehicle,
      states: theirs.map((one) => [numbers.get(one.state) ?? 0, one.fromMs - fromMs]),
    })),
  }
}

/** A part that is folded until the reader opens it: its first sentence says what it comes to. */
interface FoldedPart {
  readonly id: string
  readonly title: string
  readonly lead: string
  readonly content: Html
}

/** Of those that the run has something for. */
function partsOf(result: FleetResult, day: RecordedDay, command: string): readonly FoldedPart[] {
  const { model, cases } = result
  const { shown } = recommendedOf(result)
  const promises = {
    id: "cases",
    title: cases.length > 1 ? "Every case and every promise" : "Every promise",
    lead: casesLead(result),
    content: html`${promisesPart(result)} ${searchPart(result)}`,
  }
  const of = shown === null || shown.settings.length === 0 ? "" : `, with ${briefPhrase(shown.settings)}`
  return [
    ...(model.promises.length === 0 ? [] : [promises]),
    ...(shown === null ? [] : shownParts(result, shown, { day, of })),
    {
      id: "inputs",
      title: `Inputs${of}`,
      lead: inputsLead(model, hoursText(model)),
      content: inputsPart(result),
    },
    limitsPart(model),
    {
      id: "repeat",
      title: "Every figure, and how to repeat it",
      lead: "The same model on the same commit gives the same bytes, on any number of threads and machines.",
      content: html`${repeatPart(result, command)} ${figuresPart(cases)}`,
    },
  ]
}

/** What is about the case that the answer is about; `of` is its name behind a title. */
function shownParts(
  result: FleetResult,
  shown: CaseResult,
  { day, of }: { readonly day: RecordedDay; readonly of: string },
): readonly FoldedPart[] {
  const { model, effects } = result
  const apart = partsTitle(model, shown)
  const [sensitivity = ""] = sensitivityReasons(result)
  const parts = {
    id: "parts",
    title: `${apart ?? ""}${of}`,
    lead: partsLead(model, shown),
    content: partsPart(model, shown),
  }
  const costs = { id: "costs", title: "Costs", lead: costsLead(model, shown), content: costsPart(result) }
  return [
    ...(apart === null ? [] : [parts]),
    {
      id: "waits",
      title: `Waits by the hour${of}`,
      lead: waitsLead(model, shown),
      content: waitsPart(model, shown),
    },
    {
      id: "use",
      title: `Use, queues and what everybody did${of}`,
      lead: useLead(model, shown),
      content: usePart(model, shown, day),
    },
    ...(model.costs === null ? [] : [costs]),
    ...(effects.length === 0
      ? []
      : [
          {
            id: "inputs-that-matter",
            title: "Sensitivity",
            lead: sensitivity,
            content: effectsPart(result),
          },
        ]),
  ]
}

function limitsPart(model: FleetModel): FoldedPart {
  const leftOut = cannotTell(model)
  return {
    id: "limits",
    title: "What the model leaves out, and how it was counted",
    lead: `${counted(leftOut.length, "simplification")}; ${counted(HOW_COUNTED.length, "rule")} of counting.`,
    content: html`<ul>
        ${leftOut.map((line) => html`<li>${line}</li>`)}
      </ul>
      <h3>How it was counted</h3>
      <ul>
        ${HOW_COUNTED.map((line) => html`<li>${line}</li>`)}
      </ul>`,
  }
}

function navigation(result: FleetResult, parts: readonly FoldedPart[]): Html {
  return html`<header>
    <div class="top">
      <span class="name">${raw(MARK)} Fleet report</span>
      <nav aria-label="Parts of the report">
        ${parts.map(({ id }) => html`<a href="#${id}">${id === "parts" ? (partsTitle(result.model, recommendedOf(result).shown) ?? "") : (SHORT[id] ?? "")}</a>`)}
      </nav>
      <p class="files">
        <a download="figures.csv" href="data:text/csv;charset=utf-8,${encodeURIComponent(figuresCsv(result))}"
          >Figures as CSV</a
        >
        <button type="button" id="copy-command" hidden>Copy the command</button>
      </p>
    </div>
  </header>`
}

/** Names of the parts in the bar. */
const SHORT: Readonly<Record<string, string>> = {
  cases: "Promises",
  waits: "Waits",
  use: "Use",
  costs: "Costs",
  "inputs-that-matter": "Sensitivity",
  inputs: "Inputs",
  limits: "Limits",
  repeat: "Repeat it",
}

function inputsPart(result: FleetResult): Html {
  const { model } = result
  const { shown } = recommendedOf(result)
  return html`${table("Inputs", ["What", "Value"], inputRows(model, shown?.settings ?? []))}
  ${writtenModel(model)}`
}

function writtenModel({ file, text }: FleetModel): Html {
  return html`<details>
    <summary>The model as written, ${file}</summary>
    <pre tabindex="0">${text}</pre>
  </details>`
}

function repeatPart({ cases }: FleetResult, command: string): Html {
  const turns = cases.flatMap(({ replications }) => replications).reduce((sum, one) => sum + one.turns, 0)
  return html`<pre tabindex="0" id="command">${command}</pre>
    <p class="quiet">${turns.toLocaleString("en-US")} turns of the service were made.</p>
    <details>
      <summary>Seeds and digests</summary>
      ${table(
        "Seeds and digests",
        ["Case", "Seed and digest"],
        cases.map(({ settings, replications }) => [
          caseLabel(settings),
          // A seed stays on the line of its digest.
          replications.map(({ seed, digest }) => `${seed}\u00A0${digest}`).join(", "),
        ]),
      )}
    </details>`
}
