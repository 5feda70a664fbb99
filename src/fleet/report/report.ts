/**
 * The report of a fleet run: one self-contained HTML file. First the verdict, then reasons, pictures with their tables,
 * limitations, and the command that makes it again. The same run gives the same bytes: the report does not contain the
 * time at which it was made.
 */

import { jsonElement, writtenPage } from "../../html/page-frame.ts"
import { asTable, html, table } from "../../html/markup.ts"
import type { Html } from "../../html/markup.ts"
import { READING_STYLE } from "../../html/styles.ts"
import { wallClockAt } from "../../model/local-time.ts"
import { SiteClock, showDuration } from "../../simulation/scenario/site-clock.ts"
import { counted } from "../../simulation/scenario/counted.ts"
import { caseName } from "../language/cases.ts"
import { METRICS, RESOURCES, showFigure } from "../language/metrics.ts"
import { statesOf } from "../results/outputs.ts"
import { estimateText, meanCounts, meanSeries, promiseText, waitsByMinute } from "../results/summary.ts"
import type { FleetResult } from "../results/fleet-result.ts"
import type { CaseResult } from "../results/summary.ts"
import { STRETCH_MS } from "../world/tally.ts"
import { CANNOT_TELL, HOW_COUNTED } from "./limitations.ts"
import { bars, curve } from "./pictures.ts"
import { REPORT_STYLE } from "./style.ts"
import { tracedOf } from "./traced.ts"

export interface ReportAssets {
  /** uPlot's script and style, and the page's own script. */
  readonly uplotScript: string
  readonly uplotStyle: string
  readonly pageScript: string
}

export interface ReportOptions {
  readonly assets: ReportAssets
  /** The command that makes the same report again. */
  readonly command: string
}

export function reportHtml(result: FleetResult, { assets, command }: ReportOptions): string {
  const { model, cases, verdict } = result
  const charts = cases.flatMap((one) => chartsOf(one))
  const body = html`<main>
    ${header(result)} ${promisesPart(result)} ${sweepPart(result)}
    ${cases.map((one, at) => casePart(result, one, at))} ${peoplePart(result)}
    <h2>How it was counted</h2>
    <ul>
      ${HOW_COUNTED.map((line) => html`<li>${line}</li>`)}
    </ul>
    <h2>What this cannot tell you</h2>
    <ul>
      ${CANNOT_TELL.map((line) => html`<li>${line}</li>`)}
    </ul>
    <h2>Make it again</h2>
    <pre tabindex="0">${command}</pre>
    <details>
      <summary>The model as written, ${model.file}</summary>
      <pre tabindex="0">${model.text}</pre>
    </details>
  </main>`
  const data = {
    ...tracedOf(result),
    stretchMs: STRETCH_MS,
    seriesFromMs: startOf(result) + model.warm_up,
    offsetMs: offsetOf(result),
    charts,
  }
  const { html: text } = writtenPage({
    title: `${verdict === "passed" ? "Kept" : "Broken"}: ${model.fleet}`,
    style: [assets.uplotStyle, READING_STYLE, REPORT_STYLE].join("\n"),
    body: html`${body} ${jsonElement("data", data)}`,
    scripts: [{ text: assets.uplotScript }, { text: assets.pageScript }],
    isFile: true,
  })
  return text
}

function startOf({ model }: FleetResult): number {
  return new SiteClock(model.clock).startMs
}

/** The offset from UTC to the site's local time, as of the start of the run. */
function offsetOf(result: FleetResult): number {
  const startMs = startOf(result)
  return wallClockAt(startMs, result.model.clock.timeZone) - startMs
}

function header({ model, cases, verdict }: FleetResult): Html {
  const all = cases.flatMap(({ replications }) => replications)
  const turns = all.reduce((sum, one) => sum + one.turns, 0)
  const says =
    model.promises.length === 0
      ? "No promise was made."
      : verdict === "passed"
        ? cases.length === 1
          ? "Every promise is kept."
          : "At least one case keeps every promise."
        : cases.length === 1
          ? "A promise is broken."
          : "No case keeps every promise."
  return html`<header class="verdict ${verdict}">
    <h1>${verdict === "passed" ? "✓" : "✗"} ${model.fleet}</h1>
    <p><strong>${says}</strong> ${model.because}</p>
    <p class="quiet">
      ${showDuration(model.horizon)} of demand from ${model.clock.local} ${model.clock.timeZone}, the first
      ${showDuration(model.warm_up)} left out; ${counted(cases.length, "case")},
      ${counted(all.length, "replication")}, ${turns.toLocaleString("en-US")} turns of the service.
    </p>
  </header>`
}

function promisesPart({ cases, model }: FleetResult): Html {
  if (model.promises.length === 0) return html``
  const rows = cases.flatMap(({ settings, promises, replications }) =>
    promises.map(({ promise, estimate, isKept, isCertain }) => [
      caseName(settings),
      promiseText(promise),
      estimateText(promise.metric, estimate, replications.length),
      isKept ? html`<span class="good">✓ kept</span>` : html`<span class="bad">✗ broken</span>`,
      isCertain ? "clear of the limit" : "the interval holds the limit",
    ]),
  )
  return html`<h2>Promises</h2>
    ${table("Promises and the estimates that they are judged by", ["Case", "Promise", "Estimate and 95 % interval", "Verdict", "How sure"], rows)}`
}

/** The promised metrics, and those that readers usually check next. */
const CURVES = ["wait_p95", "runners.utilisation", "stalls.utilisation", "vehicles.utilisation"]

function sweepPart({ cases, model }: FleetResult): Html {
  if (cases.length < 2) return html``
  const names = [...new Set([...model.promises.map(({ metric }) => metric), ...CURVES])].filter((name) =>
    cases.some(({ estimates }) => estimates.of(name).value !== null),
  )
  return html`<h2>Sweep</h2>
    ${names.map((name) => {
      const unit = METRICS.get(name)?.unit ?? "count"
      const points = cases.map(({ settings, estimates, replications }) => ({
        name: caseName(settings),
        estimate: estimates.of(name),
        replications: replications.length,
      }))
      const caption = `${name} by case`
      const rows = points.map((point) => [point.name, estimateText(name, point.estimate, point.replications)])
      return html`<h3>${name}</h3>
        <p class="quiet">${METRICS.get(name)?.says ?? ""}</p>
        ${curve(points, `${caption}; the table below has the numbers`, (value) => showFigure(value, unit))}
        ${asTable(caption, ["Case", "Estimate and 95 % interval"], rows)}`
    })}`
}

interface Chart {
  readonly kind: "count" | "share"
  readonly title: string
  readonly series: readonly { readonly name: string; readonly values: readonly number[] }[]
}

/** Utilisation and queue lengths over the day, for every resource that is used. */
function chartsOf({ replications }: CaseResult): readonly Chart[] {
  const all = meanSeries(replications)
  const series = (what: string): Chart["series"] =>
    RESOURCES.flatMap((resource) => {
      const values = all.get(`${resource}.${what}`)
      return values === undefined
        ? []
        : [{ name: resource, values: values.map((value) => Math.round(value * 1e4) / 1e4) }]
    })
  return [
    { kind: "share", title: "Utilisation", series: series("utilisation") },
    { kind: "count", title: "Waiting", series: series("queue") },
  ]
}

function casePart(result: FleetResult, one: CaseResult, at: number): Html {
  const { settings, replications } = one
  const clock = new SiteClock(result.model.clock)
  const fromMs = startOf(result) + result.model.warm_up
  const timeOf = (stretch: number): string => clock.show(fromMs + stretch * STRETCH_MS)
  // Tables of several cases are distinguished by their names.
  const of = result.cases.length === 1 ? "" : `, ${caseName(settings)}`
  return html`<h2>${result.cases.length === 1 ? "Waits, use and queues" : `Case: ${caseName(settings)}`}</h2>
    ${histogramPart(one, of)}
    ${chartsOf(one).map(({ title, kind, series }, chart) =>
      series.length === 0
        ? html``
        : html`<h3>${title}</h3>
            <p class="quiet">Means over the replications, by quarter of an hour.</p>
            <div
              data-series="${at * 2 + chart}"
              role="img"
              aria-label="${title} over time${of}; the table below has the numbers"
            ></div>
            ${asTable(
              `${title} over time${of}`,
              ["From", ...series.map(({ name }) => name)],
              (series[0]?.values ?? []).map((_, stretch) => [
                timeOf(stretch),
                ...series.map(({ values }) => showFigure(values[stretch] ?? null, kind)),
              ]),
            )}`,
    )}
    ${breaksPart(one, timeOf)} ${figuresPart(one, of)}
    <p class="quiet">
      Seeds and hashes: ${replications.map(({ seed, hash }) => `${seed} ${hash.slice(0, 12)}`).join(", ")}.
    </p>`
}

function histogramPart({ replications }: CaseResult, of: string): Html {
  const counts = waitsByMinute(replications)
  const n = counts.reduce((sum, count) => sum + count, 0)
  if (n === 0) return html``
  const last = counts.findLastIndex((count) => count > 0)
  const found = counts
    .slice(0, last + 1)
    .map((count, at) => ({ name: at === counts.length - 1 ? `${at}m and more` : `${at}m`, count }))
  const caption = `Waits of ${n} orders, by the minute${of}`
  const rows = found.map(({ name, count }) => [name, count])
  return html`<h3>Waits</h3>
    <p class="quiet">From the planned instant until the order is on board, all replications together.</p>
    ${bars(found, `${caption}; the table below has the numbers`)}${asTable(caption, ["From", "Orders"], rows)}`
}

/** A resource at this utilisation for a quarter of an hour has no slack: waiting begins here. */
const FULL = 0.95

function breaksPart({ replications }: CaseResult, timeOf: (stretch: number) => string): Html {
  const all = meanSeries(replications)
  const found = RESOURCES.flatMap((resource) => {
    const at = all.get(`${resource}.utilisation`)?.findIndex((value) => value >= FULL) ?? -1
    return at === -1 ? [] : [{ resource, at }]
  }).toSorted((a, b) => a.at - b.at)
  const says = found.map(({ resource, at }) => `${resource} at ${timeOf(at)}`).join(", then ")
  return html`<h3>What is full first</h3>
    <p>
      ${found.length === 0 ? "No resource is used to 95 % on average in any quarter of an hour." : `Used to 95 % and more, on average: ${says}.`}
    </p>`
}

function figuresPart({ estimates, replications }: CaseResult, of: string): Html {
  const rows = estimates.known().map(([name, estimate]) => {
    const { unit = "count", says = "" } = METRICS.get(name) ?? {}
    const { least, most } = estimate
    const text = estimateText(name, estimate, replications.length)
    return [name, text, showFigure(least, unit), showFigure(most, unit), says]
  })
  const states = Object.entries(statesOf(replications)).map(
    ([name, { n, mean_ms: mean, half_width_ms: half }]) => [
      name,
      `${showFigure(mean, "ms")}${half === null ? "" : ` ± ${showFigure(half, "ms")}`}`,
      n,
    ],
  )
  const counts = [...meanCounts(replications)].map(([name, count]) => [name, showFigure(count, "count")])
  return html`<details>
      <summary>Every figure</summary>
      ${table(`Every figure${of}`, ["Figure", "Estimate and 95 % interval", "Least", "Most", "Meaning"], rows)}
    </details>
    <details>
      <summary>Time in each state of the machines</summary>
      ${table(`Time in each state of the machines${of}`, ["State", "Estimate and 95 % interval", "Stays"], states)}
    </details>
    <details>
      <summary>Declines, cancellations, exceptions and other counts</summary>
      ${table(`Counts, on average a replication${of}`, ["What", "Count"], counts)}
    </details>`
}

function peoplePart(result: FleetResult): Html {
  const { people, vehicles, sites, isCut } = tracedOf(result)
  if (people.length === 0) return html``
  const seed = result.cases[0]?.replications[0]?.seed ?? 0
  const rows = people.flatMap(({ who, states }) => {
    const times = new Map<string, number>()
    for (const { state, fromMs, untilMs } of states)
      times.set(state, (times.get(state) ?? 0) + untilMs - fromMs)
    return [...times].map(([state, ms]) => [who, state, showFigure(ms, "ms")])
  })
  const map =
    vehicles.length === 0
      ? html``
      : html`<h3>Vehicles on the map</h3>
          <p class="quiet">
            Squares are sites (${sites.map(({ name }) => name).join(", ")}), triangles vehicles: filled while
            they have a run, the colour tells to the customer from to the store.
          </p>
          <div class="controls">
            <button type="button" id="play">Play</button
            ><label>Time <input type="range" id="playhead" min="0" max="1000" value="250" /></label
            ><output id="clock" for="playhead"></output>
          </div>
          <canvas
            id="map"
            role="img"
            aria-label="Where the vehicles are at that time; the table below has the positions"
          ></canvas>
          <details>
            <summary>Positions at that time, as a table</summary>
            <div class="scroll" tabindex="0" role="region" aria-label="Positions at that time">
              <table>
                <caption>
                  Positions at that time
                </caption>
                <thead>
                  <tr>
                    <th scope="col">Vehicle</th>
                    <th scope="col">State</th>
                    <th scope="col">Latitude</th>
                    <th scope="col">Longitude</th>
                  </tr>
                </thead>
                <tbody id="positions"></tbody>
              </table>
            </div>
          </details>`
  return html`<h2>Runners and vehicles</h2>
    <p class="quiet">
      Of one replication, seed ${seed}.
      ${isCut ? "Only the beginning of it was kept, and not everybody." : ""} A thick bar is work, a thin one
      is being idle, off duty or on the way back.
    </p>
    <canvas
      id="gantt"
      role="img"
      aria-label="What every runner and vehicle did over time; the table below has the totals"
    ></canvas>
    ${asTable("Time of everybody in every state", ["Who", "State", "Time"], rows)} ${map}`
}
