/**
 * The report of a fit: one self-contained HTML file with a picture of each fitted duration, what was observed under the fitted
 * density, and how well they agree. It has no script.
 */

import { writtenPage } from "../../../pages/html/page-frame.ts"
import { asTable, html, raw, table } from "../../../pages/html/markup.ts"
import type { Html } from "../../../pages/html/markup.ts"
import { READING_STYLE } from "../../../pages/html/styles.ts"
import { MARK } from "../../../pages/html/tokens.ts"
import { counted } from "../../scenario/language/counted.ts"
import { shareBelow } from "../fit/families.ts"
import type { DurationFit } from "../fit/duration-fit.ts"
import type { FittedModel } from "../fit/fit-model.ts"
import type { ObservedSpan } from "../fit/rates.ts"
import type { Histogram } from "../fit/histogram.ts"
import { dayText, durationsOf, fitText, spreadWords } from "../fit/written-model.ts"
import type { Naming } from "../fit/written-model.ts"
import { showFigure } from "../language/metrics.ts"
import { axisOf, forBothWidths, picture, roundPx, valueColumns, valueLines } from "./axis.ts"
import type { Frame } from "./axis.ts"
import { pill } from "./answer-part.ts"
import { REPORT_STYLE } from "./style.ts"

const STYLE = `.fits { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(100%, 480px), 1fr)); gap: var(--s6); }
.fits h3 { margin: 0 0 var(--s1); overflow-wrap: anywhere; }
svg .density { fill: none; stroke: var(--series-2); stroke-width: 2; }
.swatch.density { background: var(--series-2); }`

/** Below this probability the data speak against a fit. */
const DOUBTFUL = 0.05
/** Points of a density's curve. */
const CURVE_POINTS = 120

/** What a page of a fit shows, whatever it was fitted from. */
export interface ShownFit {
  readonly durations: readonly (readonly [name: string, fit: DurationFit])[]
  readonly span: ObservedSpan
  /** `483 orders`. */
  readonly orders: string
  readonly unknown: readonly string[]
}

export function fitReportHtml(fitted: FittedModel, naming: Pick<Naming, "source">): string {
  const { span, unknown, visits, deliveryCount } = fitted
  const orders = `${counted(visits, "reservation")} and ${counted(deliveryCount, "delivery", "deliveries")}`
  return fitPageHtml({ durations: durationsOf(fitted), span, orders, unknown }, naming)
}

export function fitPageHtml(shown: ShownFit, { source }: Pick<Naming, "source">): string {
  const { durations, orders, unknown } = shown
  const { fromMs, toMs, timeZone } = shown.span
  const unfitted = durations.filter(([, { spread }]) => spread.is === "drawn")
  const headline = headlineOf(durations.length, unfitted.length)
  const body = html`<header>
      <div class="report-bar"><span class="badge">REPORT</span> one file, needs no network</div>
      <div class="top"><span class="name">${raw(MARK)} Fit of a fleet model</span></div>
    </header>
    <main>
      <section id="answer" class="answer">
        <p class="about">${source}, ${dayText(fromMs, timeZone)} to ${dayText(toMs, timeZone)}</p>
        <h1>${headline}</h1>
        <p class="quiet">
          From ${orders}. KS is the largest distance between the shares of the fit and of the data (Kolmogorov
          and Smirnov); p is the probability of one as large. It is too large, because the same values made
          the fit: a small p speaks against the fit, a large one proves nothing.
        </p>
      </section>
      <section id="durations">
        <h2>Durations</h2>
        ${table(
          "Durations",
          ["What", "Distribution", "Values", "Mean", "KS", "p"],
          durations.map(([name, fit]) => [
            name,
            spreadWords(fit.spread),
            fit.n,
            showFigure(Math.round(fit.meanMs), "ms"),
            fit.distance === null ? "" : fit.distance.toFixed(3),
            fit.probability === null ? "" : fit.probability.toFixed(3),
          ]),
        )}
        <p class="legend">
          <span class="swatch p50"></span> observed <span class="swatch density"></span> expected by the fit
        </p>
        <div class="fits">${durations.map(([name, fit]) => durationPart(name, fit))}</div>
      </section>
      <section id="limits">
        <h2>Not known from the data</h2>
        <ul>
          ${unknown.map((line) => html`<li>${line}</li>`)}
        </ul>
      </section>
    </main>`
  return writtenPage({
    title: `Fit: ${source}`,
    style: [READING_STYLE, REPORT_STYLE, STYLE].join("\n"),
    body,
    isFile: true,
  }).html
}

function headlineOf(durations: number, unfitted: number): string {
  if (durations === 0) return "No duration was observed."
  return unfitted === 0
    ? `Each of ${counted(durations, "duration")} follows a distribution.`
    : `${durations - unfitted} of ${counted(durations, "duration")} follow a distribution; the others draw from what was observed.`
}

function durationPart(name: string, fit: DurationFit): Html {
  const { histogram } = fit
  return html`<div>
    <h3>${name}</h3>
    <p>${goodness(fit)} ${spreadWords(fit.spread)}</p>
    <p class="quiet">${fitText(fit)}</p>
    ${histogram === null ? html`` : drawn(name, fit, histogram)}
  </div>`
}

function goodness({ spread, n, bounds, distance, probability }: DurationFit): Html {
  if (spread.is === "constant") return pill("ok", "Always the same")
  if (spread.is === "drawn") {
    return distance === null ? pill("wait", `Too few values: ${n}`) : pill("bad", "No family fits")
  }
  if (bounds !== null && distance === null) return pill("wait", `From ${bounds.are} bounds too`)
  if (probability === null || probability >= DOUBTFUL) return pill("ok", "Nothing speaks against it")
  return pill("wait", "The data speak against it")
}

function drawn(name: string, fit: DurationFit, histogram: Histogram): Html {
  const { fromMs, widthMs, counts } = histogram
  const expected = counts.map((_, bin) =>
    expectedIn(fit, fromMs + bin * widthMs, fromMs + (bin + 1) * widthMs),
  )
  const hasCurve = expected.every((one) => one !== null)
  return html`${forBothWidths((frame) => columns(name, { fit, histogram }, frame), 480)}
  ${asTable(
    `${name}: observed${hasCurve ? " and expected" : ""}`,
    ["From", "Observed", ...(hasCurve ? ["Expected"] : [])],
    counts.map((count, bin) => [
      showFigure(Math.round(fromMs + bin * widthMs), "ms"),
      count,
      ...(hasCurve ? [(expected[bin] ?? 0).toFixed(1)] : []),
    ]),
  )}`
}

/** How many of the values the fit expects between two durations; null where it has no density, or more than the exact values made it. */
function expectedIn({ spread, n, bounds }: DurationFit, fromMs: number, toMs: number): number | null {
  if (spread.is === "drawn" || spread.is === "constant" || bounds !== null) return null
  return n * (shareBelow(spread, toMs) - shareBelow(spread, fromMs))
}

function columns(
  name: string,
  { fit, histogram }: { readonly fit: DurationFit; readonly histogram: Histogram },
  { width, isNarrow }: Frame,
): Html {
  const { fromMs, widthMs, counts } = histogram
  const [left, right, top, bottom] = [40, 30, 12, 180]
  const most = Math.max(...counts)
  const toMs = fromMs + widthMs * counts.length
  const x = axisOf({
    unit: "ms",
    values: [Math.min(fromMs, fromMs >= 0 ? 0 : fromMs), toMs],
    px: [left, width - right],
    ticks: isNarrow ? 4 : 6,
  })
  // A density may grow without bound at 0: the picture ends a little above the columns.
  const y = axisOf({ unit: "count", values: [0, most * 1.2], px: [bottom, top], ticks: 4 })
  const step = (toMs - fromMs) / CURVE_POINTS
  const curve = Array.from({ length: CURVE_POINTS }, (_, at) => {
    const ms = fromMs + at * step
    const expected = expectedIn(fit, ms, ms + step)
    if (expected === null) return []
    return [`${x.px(ms + step / 2)},${Math.max(top, y.px((expected * widthMs) / step))}`]
  }).flat()
  const says = `${name}: ${counts.map((count, bin) => `${showFigure(Math.round(fromMs + bin * widthMs), "ms")} ${count}`).join(", ")}`
  return picture({ width, height: bottom + 24, says }, [
    ...valueLines(y, { from: left, to: width - right }),
    ...valueColumns(x, { from: top, to: bottom }),
    ...counts.map((count, bin) => {
      const [from, to] = [x.px(fromMs + bin * widthMs), x.px(fromMs + (bin + 1) * widthMs)]
      return html`<rect
        class="p50"
        x="${roundPx(from + 0.5)}"
        y="${y.px(count)}"
        width="${roundPx(Math.max(0.5, to - from - 1))}"
        height="${roundPx(bottom - y.px(count))}"
      />`
    }),
    curve.length === 0 ? html`` : html`<polyline class="density" points="${curve.join(" ")}" />`,
  ])
}
