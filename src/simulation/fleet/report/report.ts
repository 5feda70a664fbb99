/**
 * The report of a fleet run: one self-contained HTML file. First the answer in a sentence, then its promises, cases in
 * pairs and costs, the day of the recommended case, the inputs, what is left out, and how to repeat it. The same run
 * gives the same bytes: the report does not contain the time at which it was made.
 */

import { caseLabel } from "../results/phrases.ts"
import { jsonElement, writtenPage } from "../../../pages/html/page-frame.ts"
import { html, raw, table } from "../../../pages/html/markup.ts"
import type { Html } from "../../../pages/html/markup.ts"
import { READING_STYLE } from "../../../pages/html/styles.ts"
import { MARK } from "../../../pages/html/tokens.ts"
import { showDuration } from "../../scenario/language/shown-duration.ts"
import { counted } from "../../scenario/language/counted.ts"
import type { FleetModel } from "../language/model.ts"
import { adviceOf } from "../results/advice.ts"
import { answerOf } from "../results/answer.ts"
import type { CaseResult } from "../results/summary.ts"
import { figuresCsv } from "../results/outputs.ts"
import type { FleetResult } from "../results/fleet-result.ts"
import { recommendedOf, standingOfResult } from "../results/recommend.ts"
import { costsPart, effectsPart, pill, promisesPart, searchPart } from "./answer-part.ts"
import { dayPart, everybodyPart } from "./day-part.ts"
import { figuresPart } from "./figures-part.ts"
import { partsPart, partsTitle } from "./parts-part.ts"
import { hourTicks } from "./hour-ticks.ts"
import { hoursText, inputRows } from "./input-summary.ts"
import { cannotTell, HOW_COUNTED } from "./limitations.ts"
import { lookOf, meaningOf } from "./states.ts"
import { REPORT_STYLE } from "./style.ts"
import { recordedDayOf } from "./recorded-day.ts"
import type { RecordedDay } from "./recorded-day.ts"

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
  const { model, cases } = result
  const { shown } = recommendedOf(result)
  const day = recordedDayOf(model, shown)
  const body = html`${navigation(result, day, replay !== null)}
    <main>
      ${headPart(result)} ${replay === null ? html`` : replayPart(shown)} ${promisesPart(result)}
      ${provenancePart(result)} ${shown === null ? html`` : partsPart(model, shown)} ${costsPart(result)}
      ${effectsPart(result)} ${searchPart(result)} ${shown === null ? html`` : dayPart(model, shown)}
      ${shown === null ? html`` : everybodyPart(shown, day)} ${inputsPart(result)} ${figuresPart(cases)}
      <section id="limits">
        <h2>What the model leaves out</h2>
        <ul>
          ${cannotTell(model).map((line) => html`<li>${line}</li>`)}
        </ul>
        <h2>How it was counted</h2>
        <ul>
          ${HOW_COUNTED.map((line) => html`<li>${line}</li>`)}
        </ul>
      </section>
      ${repeatPart(result, command)}
    </main>`
  const { html: text } = writtenPage({
    title: `${statusWord(result)}: ${model.fleet}`,
    style: [READING_STYLE, REPORT_STYLE].join("\n"),
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

function navigation(result: FleetResult, day: RecordedDay, hasReplay: boolean): Html {
  const { model, effects } = result
  const { shown } = recommendedOf(result)
  const parts = partsTitle(model, shown)
  const links = [
    ["#answer", "Answer"],
    ...(hasReplay ? [["#replay", "Replay"]] : []),
    ...(parts === null ? [] : [["#parts", parts]]),
    ...(model.costs === null ? [] : [["#costs", "Costs"]]),
    ...(effects.length === 0 ? [] : [["#inputs-that-matter", "Sensitivity"]]),
    ["#waits", "Waits"],
    ["#use", "Use"],
    ...(day.people.length === 0 ? [] : [["#everybody-part", "Day"]]),
    ["#inputs", "Inputs"],
    ["#limits", "Limits"],
    ["#repeat", "Repeat it"],
  ]
  return html`<header>
    <div class="report-bar"><span class="badge">REPORT</span> one file, needs no network</div>
    <div class="top">
      <span class="name">${raw(MARK)} Fleet report</span>
      <nav aria-label="Parts of the report">
        ${links.map(([to = "", name = ""]) => html`<a href="${to}">${name}</a>`)}
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

/** More sites than these are counted at the head of the report. */
const SITES_NAMED = 5

function headPart(result: FleetResult): Html {
  const { model, cases, search } = result
  const { headline, reasons } = answerOf(result)
  const advice = adviceOf(result)
  const replications = cases.reduce((sum, one) => sum + one.replications.length, 0)
  const tried = search === null ? "" : `; ${counted(search.steps.length, "case")} tried before`
  const names = model.sites.map(({ as }) => as)
  const sites = names.length > SITES_NAMED ? counted(names.length, "site") : names.join(", ")
  return html`<section id="answer" class="answer">
    <p class="about">${statusPill(result)} ${model.fleet}, ${sites}, ${hoursText(model)}</p>
    <h1>${headline}</h1>
    ${reasons.map((line) => html`<p class="reason">${line}</p>`)}
    <p class="quiet">
      Asked: ${model.because} Answered by ${counted(cases.length, "case")},
      ${counted(replications, "replication")} of ${showDuration(model.horizon)}${tried}.
    </p>
    ${advice.map((line) => html`<p class="advice">${pill("wait", "Advice")} ${line}</p>`)}
  </section>`
}

/** The script plays the day in it, and opens the whole page at an address with an instant. */
function replayPart(shown: CaseResult | null): Html {
  const settings = shown?.settings ?? []
  const of = settings.length === 0 ? "" : `, with ${caseLabel(settings)}`
  return html`<section id="replay" class="replay-part">
    <h2>The day as it moves${of}</h2>
    <p class="quiet">
      Seed ${shown?.replications[0]?.seed ?? 1}, computed in your browser by the machines of the run. Press a
      robot, a vehicle or an order to see what it does and why; <a href="#t=0:00:00">open the replay</a> to
      play, search and change it.
    </p>
    <div id="replay-show"></div>
    <noscript><p>The replay needs JavaScript; everything else is readable without.</p></noscript>
  </section>`
}

/** What the answer rests on, in one line. */
function provenancePart({ cases, model }: FleetResult): Html {
  const all = cases.flatMap(({ replications }) => replications)
  const seeds = all.map(({ seed }) => seed)
  const turns = all.reduce((sum, one) => sum + one.turns, 0)
  const [first, last] = [Math.min(...seeds), Math.max(...seeds)]
  const range = first === last ? `seed ${first}` : `seeds ${first} to ${last}`
  return html`<p class="provenance">
    <span>${counted(all.length, "replication")}, ${range}, ${turns.toLocaleString("en-US")} turns</span>
    <code>${model.file}</code>
    <span>
      The inputs are the model's: read <a href="#limits">what it leaves out</a> before you decide.
    </span>
  </p>`
}

/** `Kept`, `Broken, not sure`. */
function statusWord(result: FleetResult): string {
  if (result.model.promises.length === 0) return "Answered"
  const standing = standingOfResult(result)
  return `${standing.charAt(0).toUpperCase()}${standing.slice(1)}`
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

function inputsPart(result: FleetResult): Html {
  const { model } = result
  const { shown } = recommendedOf(result)
  const of = shown === null || shown.settings.length === 0 ? "" : `, with ${caseLabel(shown.settings)}`
  return html`<section id="inputs">
    <h2>Inputs${of}</h2>
    ${table("Inputs", ["What", "Value"], inputRows(model, shown?.settings ?? []))} ${writtenModel(model)}
  </section>`
}

function writtenModel({ file, text }: FleetModel): Html {
  return html`<details>
    <summary>The model as written, ${file}</summary>
    <pre tabindex="0">${text}</pre>
  </details>`
}

function repeatPart({ cases }: FleetResult, command: string): Html {
  const turns = cases.flatMap(({ replications }) => replications).reduce((sum, one) => sum + one.turns, 0)
  return html`<section id="repeat">
    <h2>How to repeat it</h2>
    <pre tabindex="0" id="command">${command}</pre>
    <p class="quiet">
      The same model on the same commit gives the same bytes, on any number of threads and machines.
      ${turns.toLocaleString("en-US")} turns of the service were made.
    </p>
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
    </details>
  </section>`
}
