/** The part of the report about one case over the day: waits, use, queues, what everybody did, and the map. */

import { asTable, html } from "../../../pages/html/markup.ts"
import type { Html } from "../../../pages/html/markup.ts"
import { SiteClock } from "../../scenario/language/site-clock.ts"
import { MEASURES, RESOURCES, showFigure } from "../language/metrics.ts"
import type { FleetModel } from "../language/model.ts"
import { partLabel } from "../language/time-parts.ts"
import { capital } from "../results/phrases.ts"
import { measureWords } from "../results/promise-words.ts"
import { waitsByDayAndHour } from "../results/by-day-hour.ts"
import { shownMeasure, waitsByHour } from "../results/by-hour.ts"
import { fullFirst, mostUsed, thenPhrase, useName } from "../results/full-first.ts"
import { shownTime } from "../results/shown-time.ts"
import { figureText, meanSeries, waitsByMinute } from "../results/summary.ts"
import type { CaseResult } from "../results/summary.ts"
import { STRETCH_MS } from "../world/tally.ts"
import { heatMap } from "./heat-map.ts"
import { hoursChart, lengthsChart, useChart } from "./day-charts.ts"
import { lookOf, meaningOf } from "./states.ts"
import type { RecordedDay } from "./recorded-day.ts"

export function waitsPart(model: FleetModel, one: CaseResult): Html {
  return html`<div class="pair">
      <div>${hoursPart(model, one)}</div>
      <div>${lengthsPart(model, one)}</div>
    </div>
    ${daysPart(model, one)}`
}

/** Use and queues, and what everybody did on one day. */
export function usePart(model: FleetModel, one: CaseResult, day: RecordedDay): Html {
  return html`${fullPart(model, one)} ${overTimePart(model, one)} ${everybodyPart(one, day)}`
}

function hoursPart(model: FleetModel, one: CaseResult): Html {
  const shown = shownMeasure(model)
  const { measure, high } = shown
  const hours = waitsByHour(shown, { model, one })
  if (hours.length === 0) return html`<p>No order was measured.</p>`
  const caption = `${capital(measureWords(measure))} by the hour in which it began`
  return html`<p class="quiet">${caption}, all replications together: ${MEASURES[measure]}.</p>
    <p class="legend"><span class="swatch p50"></span> median <span class="swatch p95"></span> ${high}</p>
    ${hoursChart(hours, shown)}
    ${asTable(
      caption,
      ["Hour", "Orders", "Median", high],
      hours.map(({ hour, waits, median, upper }) => [
        hour,
        waits,
        median.value === null ? "too few" : figureText("wait_p50", median),
        upper.value === null ? "too few" : figureText("wait_p95", upper),
      ]),
    )}`
}

/** Of a run of several days. */
function daysPart(model: FleetModel, one: CaseResult): Html {
  const shown = shownMeasure(model)
  const { measure, high, limit } = shown
  const days = waitsByDayAndHour(shown, { model, one })
  if (days.length === 0) return html``
  const caption = `${capital(measureWords(measure))} by day and hour, ${high}`
  const frame = limit?.of === high ? ` A frame: over the limit of ${showFigure(limit.ms, "ms")}.` : ""
  return html`<h3>Days by hours</h3>
    <p class="quiet">
      ${caption}, all replications together: the stronger the colour, the longer. A dashed cell has too few
      for ${high}.${frame}
    </p>
    ${heatMap(days, shown)}
    ${asTable(
      caption,
      ["Day", "Hour", "Orders", high],
      days.flatMap(({ day, hours }) =>
        hours.flatMap(({ hour, isInRun, waits, upper }) =>
          isInRun
            ? [
                [
                  partLabel(day),
                  hour,
                  waits,
                  upper.value === null ? "too few" : figureText("wait_p95", upper),
                ],
              ]
            : [],
        ),
      ),
    )}`
}

function lengthsPart(model: FleetModel, { replications }: CaseResult): Html {
  const shown = shownMeasure(model)
  const { measure } = shown
  const counts = waitsByMinute(measure, replications)
  const n = counts.reduce((sum, count) => sum + count, 0)
  if (n === 0) return html``
  const kept = counts.slice(0, counts.findLastIndex((count) => count > 0) + 1)
  const rows = kept.map((count, at) => [at === counts.length - 1 ? `${at}m and more` : `${at}m`, count])
  return html`<h3>How long it was for ${n.toLocaleString("en-US")} orders</h3>
    ${lengthsChart(kept, shown)}
    ${asTable(`${capital(measureWords(measure))} by the minute`, ["From", "Orders"], rows)}`
}

/** Resources of sites that are named when many are full. */
const FULL_SHOWN_MAX = 12

function fullPart(model: FleetModel, one: CaseResult): Html {
  const found = fullFirst(model, one)
  const most = mostUsed(model, one)
  const says =
    found.length > 0
      ? `Full first, on average used to 95 % and more: ${found.slice(0, FULL_SHOWN_MAX).map(thenPhrase).join(", then ")}${found.length > FULL_SHOWN_MAX ? `, and ${found.length - FULL_SHOWN_MAX} more` : ""}.`
      : most === null
        ? "No resource is used."
        : `No resource is used to 95 % on average in any quarter of an hour; the most used are ${useName(most)}, ${showFigure(most.share, "share")} at ${most.at}.`
  return html`<p>${says}</p>`
}

function overTimePart(model: FleetModel, { replications }: CaseResult): Html {
  const series = meanSeries(replications)
  const used = RESOURCES.flatMap((resource) => {
    const utilisation = series.get(`${resource}.utilisation`)
    const queue = series.get(`${resource}.queue`)
    return utilisation === undefined || queue === undefined ? [] : [{ resource, utilisation, queue }]
  })
  const { startMs } = new SiteClock(model.clock)
  const timeOf = (stretch: number): string => shownTime(model, startMs + model.warm_up + stretch * STRETCH_MS)
  const rows = (used[0]?.utilisation ?? []).map((_, at) => [
    timeOf(at),
    ...used.flatMap(({ utilisation, queue }) => [
      showFigure(utilisation[at] ?? null, "share"),
      (queue[at] ?? 0).toFixed(2),
    ]),
  ])
  return html`<p class="quiet">
      By quarter of an hour, on average over the replications; the dashed line is 95 %.
    </p>
    <p class="legend">
      <span class="swatch use"></span> in use <span class="swatch queue"></span> waiting for it
    </p>
    <div class="multiples">
      ${used.map(
        (over) =>
          html`<div>
            <h3>${over.resource}</h3>
            ${useChart(over, model)}
          </div>`,
      )}
    </div>
    ${asTable(
      "Use and queues over time",
      ["From", ...used.flatMap(({ resource }) => [`${resource}, used`, "waiting"])],
      rows,
    )}`
}

/* People. */

function everybodyPart(one: CaseResult, { people, states }: RecordedDay): Html {
  if (people.length === 0) return html``
  const seed = one.replications[0]?.seed ?? 0
  const rows = people.flatMap((person) => {
    const { who, states: theirs } = person
    const times = new Map<string, number>()
    for (const { state, fromMs, untilMs } of theirs)
      times.set(state, (times.get(state) ?? 0) + untilMs - fromMs)
    return [...times].map(([state, ms]) => [who, state, showFigure(ms, "ms"), meaningOf(person, state) ?? ""])
  })
  return html`<h3>What everybody did</h3>
    <p class="quiet">On the day of seed ${seed}. Point at a bar to read it; the table has the totals.</p>
    <p class="legend">
      ${states.map((state) => {
        const { color, pattern } = lookOf(state)
        return html`<span class="look"><span class="swatch ${color} ${pattern}"></span> ${state}</span>`
      })}
    </p>
    <p class="said" id="everybody-said"></p>
    <div class="rows">
      <div>
        <canvas
          id="everybody"
          role="img"
          aria-label="What every runner and vehicle did over time; the table below has the totals"
        ></canvas>
      </div>
    </div>
    ${asTable("Time of everybody in every state", ["Who", "State", "Time", "Why"], rows)}`
}
