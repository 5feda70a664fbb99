/** The part of a report about one run: its verdict, what failed, its course by actors and in words, and what was sent. */

import { placeIn } from "../../simulation/scenario/language.ts"
import { pill } from "../../fleet/report/answer-part.ts"
import { html, raw, table } from "../../html/markup.ts"
import type { Html } from "../../html/markup.ts"
import { counted } from "../../simulation/scenario/counted.ts"
import type { Failure } from "../../simulation/scenario/run-context.ts"
import type { ScenarioRun } from "../../simulation/scenario/run.ts"
import type { OutgoingMessage } from "../../simulation/scenario/outgoing-messages.ts"
import { showDuration } from "../../simulation/scenario/shown-duration.ts"
import { courseOf } from "./course.ts"
import type { Course, Lane, StepTaken } from "./course.ts"
import { excerptOf } from "./excerpt.ts"
import type { ExcerptLine } from "./excerpt.ts"
import type { ShownRun } from "./shown-run.ts"

export interface SectionParts {
  readonly run: ScenarioRun
  readonly shown: ShownRun
  /** 1-based, as in the record. */
  readonly number: number
  readonly title: string
  /** The text of the scenario's file; empty when it cannot be read. */
  readonly source: string
  /** The command that runs it again. */
  readonly again: string
  /** The inspector's page at a line of the record, or at the run's start; null for a run without a record. */
  readonly inspectorAt: ((line: number | null) => string) | null
  /** The record's line of each failure. */
  readonly failureLines: readonly number[]
  readonly hasBodies: boolean
  /** Checks that were left out, in words; empty for a run in memory. */
  readonly unchecked: readonly string[]
}

export function runSection(parts: SectionParts): Html {
  const { run, number, title, again, inspectorAt } = parts
  const isPassed = run.verdict === "passed"
  const inside = html`${failuresPart(parts)} ${uncheckedPart(parts)} ${coursePart(parts)} ${sentPart(parts)}
    <p class="again">
      ${inspectorAt === null ? "" : html`<a href="${inspectorAt(null)}">Open in the inspector</a>`}
      <span class="quiet">Run it again:</span>
      <code>${again}</code>
    </p>`
  const figures = `${showDuration(run.virtualMs)} of virtual time, ${counted(run.events, "event")}, seed ${run.seed}`
  return html`<section id="run-${number}" class="run">
    <p class="about">
      ${isPassed ? pill("ok", "Passed") : pill("bad", "Failed")}
      <span class="quiet">${run.scenario.file}</span>
    </p>
    <h2>${title}</h2>
    <p>${run.scenario.because}</p>
    <p class="quiet">${figures}</p>
    ${
      isPassed
        ? html`<details>
            <summary>Course of “${title}”, seed ${run.seed}</summary>
            ${inside}
          </details>`
        : inside
    }
  </section>`
}

function failuresPart(parts: SectionParts): Html {
  const { failures } = parts.run
  if (failures.length === 0) return html``
  return html`<h3>What failed</h3>
    ${failures.map((failure, at) => failurePart(failure, { at, parts }))}`
}

function failurePart(
  failure: Failure,
  { at, parts }: { readonly at: number; readonly parts: SectionParts },
): Html {
  const { message, expected, actual, why, place } = failure
  return html`<div class="failure">
    <div>
      <p class="what"><span class="bad">✗</span> ${message}</p>
      <dl>
        <dt>Expected</dt>
        <dd>${expected}</dd>
        <dt>Found</dt>
        <dd>${actual}</dd>
      </dl>
      ${
        why.length === 0
          ? ""
          : html`<ul class="why">
              ${why.map((line) => html`<li>${line}</li>`)}
            </ul>`
      }
      ${
        parts.inspectorAt === null
          ? ""
          : html`<a href="${parts.inspectorAt(parts.failureLines[at] ?? null)}"
              >This moment in the inspector</a
            >`
      }
    </div>
    ${place === null ? "" : excerptPart(parts.source, placeIn(parts.run.scenario.file, place) ?? place)}
  </div>`
}

function excerptPart(source: string, { file, line }: { readonly file: string; readonly line: number }): Html {
  const lines = excerptOf(source, line)
  if (lines.length === 0) return html`<p class="quiet">${file}:${line}</p>`
  // Blanks count inside of `pre`, so its lines are joined without any.
  const text = raw(lines.map((one) => excerptLine(one).html).join(""))
  const label = `Lines around line ${line} of ${file}`
  return html`<figure>
    <figcaption>${file}:${line}</figcaption>
    <pre tabindex="0" role="region" aria-label="${label}">${text}</pre>
  </figure>`
}

function excerptLine({ number, text, isIt }: ExcerptLine): Html {
  const place = String(number).padStart(4)
  if (!isIt) return html`<span>${`${place}   ${text}`}</span>`
  const it = raw('<span class="visually-hidden">This line failed: </span>')
  return html`<mark>${it}${`${place} ▸ ${text}`}</mark>`
}

function uncheckedPart({ unchecked }: SectionParts): Html {
  if (unchecked.length === 0) return html``
  return html`<h3>Not checked against a service</h3>
    <ul class="why">
      ${unchecked.map((line) => html`<li>${line}</li>`)}
    </ul>`
}

/* The course. */

const SIGNS = { done: "•", failed: "✗", held: "✓" } as const

const OUTCOME_WORDS = { done: "done", failed: "failed", held: "held" } as const

function coursePart(parts: SectionParts): Html {
  const course = courseOf(parts.run, parts.shown)
  if (course.moments.length === 0) return html``
  const { lanes, moments } = course.left
  const left = [
    ...(lanes === 0 ? [] : [counted(lanes, "actor")]),
    ...(moments === 0 ? [] : [counted(moments, "later moment")]),
  ]
  return html`<h3>Actors over time</h3>
    ${lanesTable(parts, course)}
    ${left.length === 0 ? "" : html`<p class="quiet">Not shown here${parts.inspectorAt === null ? "" : ", but in the inspector"}: ${left.join(" and ")}.</p>`}
    <h3>Steps</h3>
    <ol class="steps">
      ${course.steps.map((step) => stepItem(step, parts))}
    </ol>`
}

function lanesTable(parts: SectionParts, { moments, lanes, steps, sent }: Course): Html {
  const { clock } = parts.shown
  const stepsAt = moments.map((_, column) => steps.filter((step) => step.column === column))
  return html`<div
    class="scroll"
    tabindex="0"
    role="region"
    aria-label="Actors over time: ${parts.title}, seed ${parts.run.seed}"
  >
    <table class="lanes">
      <thead>
        <tr>
          <th scope="col">Actor</th>
          ${moments.map((instant) => html`<th scope="col">${clock.show(instant)}</th>`)}
        </tr>
      </thead>
      <tbody>
        <tr>
          <th scope="row">Steps</th>
          ${stepsAt.map((own) => html`<td>${own.map((step) => stepLink(step, parts.number))}</td>`)}
        </tr>
        <tr>
          <th scope="row">Sent</th>
          ${sent.map((own) => html`<td class="sent">${sentWords(own)}</td>`)}
        </tr>
        ${lanes.map((lane) => laneRow(lane, moments.length))}
      </tbody>
    </table>
  </div>`
}

function stepLink({ number, outcome, says }: StepTaken, run: number): Html {
  const name = `Step ${number}, ${OUTCOME_WORDS[outcome]}: ${says}`
  return html`<a class="step ${outcome}" href="#run-${run}-step-${number}" aria-label="${name}"
    >${SIGNS[outcome]} ${number}</a
  >`
}

/** `2 webhooks, 1 text`, with a sign for what was not accepted. */
function sentWords(messages: readonly OutgoingMessage[]): string {
  return [...Map.groupBy(messages, ({ kind }) => kind)]
    .map(([kind, own]) => {
      const refused = own.some(({ isAccepted }) => !isAccepted) ? "✗ " : ""
      return `${refused}${counted(own.length, kind)}`
    })
    .join(", ")
}

/** One cell a stay; the actor does not exist yet before the first. */
function laneRow({ name, kind, stays }: Lane, columns: number): Html {
  const visible = stays.filter(({ column }) => column < columns)
  const first = visible[0]?.column ?? columns
  const before =
    first === 0 ? "" : html`<td colspan="${first}"><span class="visually-hidden">not there yet</span></td>`
  const cells = visible.map(({ column, states, isEnd }, at) => {
    const until = visible[at + 1]?.column ?? columns
    const sort = isEnd ? "stay end" : "stay"
    return html`<td colspan="${until - column}"><span class="${sort} ${kind}">${states}</span></td>`
  })
  return html`<tr>
    <th scope="row">${name}</th>
    ${before}${cells}
  </tr>`
}

function stepItem(
  { number, outcome, says, atMs, line }: StepTaken,
  { number: run, shown }: SectionParts,
): Html {
  const sign = outcome === "failed" ? "bad" : outcome === "held" ? "good" : "quiet"
  const place = line === null ? "" : html` <span class="quiet">line ${line}</span>`
  return html`<li id="run-${run}-step-${number}">
    <time>${shown.clock.show(atMs)}</time>
    <span class="${sign}">${SIGNS[outcome]} ${OUTCOME_WORDS[outcome]}</span>
    <span>${says}${place}</span>
  </li>`
}

/* What was sent. */

function sentPart({ shown, hasBodies, title, run }: SectionParts): Html {
  const { messages } = shown
  if (messages.length === 0)
    return html`<h3>What was sent</h3>
      <p class="quiet">Nothing.</p>`
  const rows = messages.map((message) => sentRow(message, { shown, hasBodies }))
  return html`<h3>What was sent</h3>
    <div class="sendings">
      ${table(`What was sent in “${title}”, seed ${run.seed}`, ["When", "How", "To", "What", "Answer"], rows)}
    </div>`
}

function sentRow(
  { atMs, kind, to, what, answer, isAccepted, body }: OutgoingMessage,
  { shown, hasBodies }: Pick<SectionParts, "hasBodies" | "shown">,
): readonly (Html | string)[] {
  const content = hasBodies
    ? html`<details>
        <summary>${what}</summary>
        <pre tabindex="0">${formatted(body)}</pre>
      </details>`
    : what
  const verdict = isAccepted ? html`${answer ?? ""}` : html`<span class="bad">✗ ${answer ?? ""}</span>`
  return [shown.clock.show(atMs), kind, to, content, verdict]
}

/** JSON with indents; other texts as they are. */
function formatted(body: string): string {
  try {
    return JSON.stringify(JSON.parse(body), null, 2)
  } catch {
    return body
  }
}
