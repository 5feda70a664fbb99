/** The part of a report about one run: its verdict, what failed, its course by actors and in words, and what was sent. */

import { placeIn } from "../../simulation/scenario/language/language.ts"
import { pill } from "../../simulation/fleet/report/answer-part.ts"
import { html, raw, table } from "../../pages/html/markup.ts"
import type { Html } from "../../pages/html/markup.ts"
import { counted } from "../../simulation/scenario/language/counted.ts"
import type { Failure } from "../../simulation/scenario/run-context.ts"
import type { ScenarioRun } from "../../simulation/scenario/run.ts"
import type { OutgoingMessage } from "../../simulation/scenario/outgoing-messages.ts"
import { showDuration } from "../../simulation/scenario/language/shown-duration.ts"
import { courseOf, stretchesOf } from "./course.ts"
import type { Course, Lane, StepNotRun, StepTaken, Stretch } from "./course.ts"
import { excerptOf } from "./excerpt.ts"
import type { ExcerptLine } from "./excerpt.ts"
import type { RecordPlace } from "./inside-records.ts"
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
  /** The record's line of each failure; empty for a run without a record. */
  readonly failureLines: readonly number[]
  readonly hasBodies: boolean
  /** Checks that were left out, in words; empty for a run in memory. */
  readonly unchecked: readonly string[]
}

/** The id of a run's part, and its fragment. */
export function runFragment(number: number): string {
  return `run-${number}`
}

/** The part, but for its links into the record: the result makes them. It keeps texts alone, because a run is large. */
export function runSection(parts: SectionParts): (record: RecordPlace) => Html {
  const { run, again } = parts
  const head = headPart(parts)
  const failures = run.failures.map((failure, at) => failurePart(failure, { at, parts }))
  const course = html`${uncheckedPart(parts)} ${coursePart(parts)} ${sentPart(parts)}`
  const [id, isPassed] = [runFragment(parts.number), run.verdict === "passed"]
  const summary = html`Course of “${parts.title}”, seed ${run.seed}`
  return (record) => {
    const inside = html`${failures.length === 0 ? "" : html`<h3>What failed</h3>`}
    ${failures.map((failure) => failure(record))} ${course} ${recordPart(record, again)}`
    return html`<section id="${id}" class="run">
      ${head}
      ${
        isPassed
          ? html`<details>
              <summary>${summary}</summary>
              ${inside}
            </details>`
          : inside
      }
    </section>`
  }
}

function headPart({ run, title }: SectionParts): Html {
  const figures = `${showDuration(run.virtualMs)} of virtual time, ${counted(run.events, "event")}, seed ${run.seed}`
  return html`<p class="about">
      ${run.verdict === "passed" ? pill("ok", "Passed") : pill("bad", "Failed")}
      <span class="quiet">${run.scenario.file}</span>
    </p>
    <h2>${title}</h2>
    <p>${run.scenario.because}</p>
    <p class="quiet">${figures}</p>`
}

/** The way into the record, and the command that repeats the run. */
function recordPart(record: RecordPlace, again: string): Html {
  const leftOut = html`<p class="quiet">
    The record of this run did not fit into this file. <code>${again} --inspect</code> makes it again and
    opens it.
  </p>`
  return html`${record === "left out" ? leftOut : ""}
    <p class="again">
      ${typeof record === "number" ? html`<a href="${momentFragment(record, null)}">Open in the inspector</a>` : ""}
      <span class="quiet">Run it again:</span>
      <code>${again}</code>
    </p>`
}

/** The inspector inside of the report at a line of a record, or at the run's end. */
function momentFragment(run: number, line: number | null): string {
  return `#run=${run}${line === null ? "" : `&at=${line}`}`
}

function failurePart(
  failure: Failure,
  { at, parts }: { readonly at: number; readonly parts: SectionParts },
): (record: RecordPlace) => Html {
  const { message, expected, actual, why, place } = failure
  const line = parts.failureLines[at] ?? null
  const excerpt =
    place === null ? html`` : excerptPart(parts.source, placeIn(parts.run.scenario.file, place) ?? place)
  return (record) =>
    html`<div class="failure">
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
                ${why.map((cause) => html`<li>${cause}</li>`)}
              </ul>`
        }
        ${typeof record === "number" ? html`<a href="${momentFragment(record, line)}">This moment in the inspector</a>` : ""}
      </div>
      ${excerpt}
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
  const stretches = stretchesOf(course)
  const failed = stretches.findIndex(({ steps }) => steps.some(({ outcome }) => outcome === "failed"))
  const tables = stretches.map((stretch, at) =>
    stretches.length === 1
      ? lanesTable(parts, course, stretch)
      : html`<details${at === Math.max(0, failed) ? raw(" open") : ""}>
          <summary>${stretchWords(parts, course, stretch)}</summary>
          ${lanesTable(parts, course, stretch)} ${unchangedPart(stretch)}
        </details>`,
  )
  return html`<h3>Actors over time</h3>
    ${tables} ${leftPart(course)}
    <h3>Steps</h3>
    <ol class="steps">
      ${course.steps.map((step) => stepItem(step, parts))} ${course.notRun.map((step) => notRunItem(step))}
    </ol>`
}

function unchangedPart({ unchanged }: Stretch): Html {
  if (unchanged.length === 0) return html``
  const names = unchanged.map(({ name, states }) => `${name} ${states}`)
  return html`<p class="quiet">Unchanged meanwhile: ${names.join("; ")}.</p>`
}

/** What is not in the tables, and where it is. */
function leftPart({ left: { lanes, moments } }: Course): Html {
  const left = [
    ...(lanes === 0 ? [] : [counted(lanes, "actor")]),
    ...(moments === 0 ? [] : [counted(moments, "later moment")]),
  ]
  if (left.length === 0) return html``
  return html`<p class="quiet">
    Not shown here: ${left.join(" and ")}. The steps below are complete, and the run's record has all of it.
  </p>`
}

/** `11:30 to 12:06: moments 1 to 60 of 140, 14 steps, 1 failed`. */
function stretchWords({ shown: { clock } }: SectionParts, { moments }: Course, stretch: Stretch): string {
  const { from, to, steps } = stretch
  const shown = moments.slice(from, to).map((instant) => clock.show(instant))
  const failed = steps.filter(({ outcome }) => outcome === "failed").length
  const words = [
    `moments ${from + 1} to ${to} of ${moments.length}`,
    counted(steps.length, "step"),
    ...(failed === 0 ? [] : [`${failed} failed`]),
  ]
  return `${shown[0] ?? ""} to ${shown.at(-1) ?? ""}: ${words.join(", ")}`
}

function lanesTable(parts: SectionParts, course: Course, { from, to, lanes, steps }: Stretch): Html {
  const { clock } = parts.shown
  const moments = course.moments.slice(from, to)
  const stepsAt = moments.map((_, at) => steps.filter(({ column }) => column === from + at))
  const part = moments.length === course.moments.length ? "" : `, moments ${from + 1} to ${to}`
  return html`<div
    class="scroll"
    tabindex="0"
    role="region"
    aria-label="Actors over time: ${parts.title}, seed ${parts.run.seed}${part}"
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
          ${course.sent.slice(from, to).map((own) => html`<td class="sent">${sentWords(own)}</td>`)}
        </tr>
        ${lanes.map((lane) => laneRow(lane, from, to))}
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
function laneRow({ name, kind, stays }: Lane, from: number, to: number): Html {
  const begun = stays.findLastIndex(({ column }) => column <= from)
  const visible = stays.filter(({ column }, at) => column < to && at >= begun)
  const first = Math.max(from, visible[0]?.column ?? to)
  const before =
    first === from
      ? ""
      : html`<td colspan="${first - from}"><span class="visually-hidden">not there yet</span></td>`
  const cells = visible.map(({ column, states, isEnd }, at) => {
    const until = visible[at + 1]?.column ?? to
    const sort = isEnd ? "stay end" : "stay"
    return html`<td colspan="${until - Math.max(from, column)}">
      <span class="${sort} ${kind}">${states}</span>
    </td>`
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

function notRunItem({ says, line }: StepNotRun): Html {
  return html`<li>
    <span class="quiet">– not run</span>
    <span>${says} <span class="quiet">line ${line}</span></span>
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
