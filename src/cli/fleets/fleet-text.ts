/** The result of a fleet run as the command prints it: the answer and one table, or with `--full` all that was found. */

import { METRICS, showChange, showFigure, unitOf } from "../../simulation/fleet/language/metrics.ts"
import {
  ROWS_APART,
  limitText,
  partTables,
  restOf,
  restText,
} from "../../simulation/fleet/results/by-part.ts"
import type { PartTable } from "../../simulation/fleet/results/by-part.ts"
import { adviceOf } from "../../simulation/fleet/results/advice.ts"
import { answerOf } from "../../simulation/fleet/results/answer.ts"
import { comparisonsOf, isClear, rankText } from "../../simulation/fleet/results/compare.ts"
import type { Comparison, Difference } from "../../simulation/fleet/results/compare.ts"
import { caseLabel, casePhrase } from "../../simulation/fleet/results/phrases.ts"
import { figureWords, promiseWords } from "../../simulation/fleet/results/promise-words.ts"
import { peaksOf, useName } from "../../simulation/fleet/results/full-first.ts"
import { halfWidthOf } from "../../simulation/fleet/results/statistics.ts"
import {
  recommendedOf,
  standingOfPromise,
  standingOfResult,
} from "../../simulation/fleet/results/recommend.ts"
import type { Standing } from "../../simulation/fleet/results/recommend.ts"
import { estimateText, intervalText, marginOf, meanCounts } from "../../simulation/fleet/results/summary.ts"
import type { FleetResult } from "../../simulation/fleet/results/fleet-result.ts"
import type { CaseResult } from "../../simulation/fleet/results/summary.ts"
import { counted } from "../../simulation/scenario/language/counted.ts"
import { showDuration } from "../../simulation/scenario/language/shown-duration.ts"
import { partLabel } from "../../simulation/fleet/language/time-parts.ts"
import { styled } from "../kit/terminal.ts"
import { withoutEnd } from "../../model/values/text-ends.ts"

export function resultText(result: FleetResult, { isFull }: { readonly isFull: boolean }): string {
  const { headline, reasons } = answerOf(result)
  const isUnsure = standingOfResult(result).endsWith("not sure")
  const [color, mark] = result.verdict === "passed" ? (["green", "✓"] as const) : (["red", "✗"] as const)
  const sign = styled(isUnsure ? "yellow" : color, mark)
  const tables = partLines(result, { isFull })
  const lines = [
    `${sign} ${styled("bold", headline)}`,
    ...reasons.map((line) => `  ${line}`),
    `  ${styled("dim", runText(result))}`,
    "",
    ...(result.model.promises.length === 0 ? useTable(result, isFull) : promiseTable(result)),
    ...tables,
    ...intervalNote(tables.length > 0),
    ...(isFull ? [...comparisonLines(result), ...effectLines(result)] : []),
    ...adviceOf(result).map((line) => `! ${line}`),
    ...result.cases.flatMap(({ wide, settings }) =>
      wide.map(
        ({ metric }) =>
          `! ${caseLabel(settings)}: the interval of the ${figureWords(metric)} is still wider than requested`,
      ),
    ),
    ...(isFull ? result.cases.flatMap((one) => fullLines(one)) : []),
  ]
  const text = lines.join("\n")
  const bare = withoutEnd(text, "\n")
  return text.length - bare.length < 2 ? text : `${bare}\n`
}

/** `A lunch rush: 4h of demand, the first 30m left out; 3 cases, 30 replications`. */
function runText({ model, cases, search }: FleetResult): string {
  const warmUp = model.warm_up === 0 ? "" : `, the first ${showDuration(model.warm_up)} left out`
  const replications = cases.reduce((sum, one) => sum + one.replications.length, 0)
  const searched = search === null ? "" : `; ${counted(search.steps.length, "case")} tried before`
  const what = `${counted(cases.length, "case")}, ${counted(replications, "replication")}`
  return `${model.fleet}: ${showDuration(model.horizon)} of demand${warmUp}; ${what}${searched}`
}

/* The table. */

type Row = readonly string[]

/** One row for each promise of each case; the recommended case is marked. */
function promiseTable(result: FleetResult): readonly string[] {
  const { model, cases } = result
  const { best } = recommendedOf(result)
  const hasCosts = model.costs !== null
  const head = ["", "case", "promise", "found", "95 % interval", "of", "margin", "verdict"]
  const rows = cases.flatMap((one) =>
    one.promises.map((kept, at): Row => {
      const { promise, estimate } = kept
      const unit = unitOf(promise.metric)
      const cost = at === 0 ? showFigure(one.estimates.of("cost.total").value, "money") : ""
      return [
        one === best && at === 0 ? ">" : "",
        at === 0 ? caseLabel(one.settings) : "",
        promiseWords(promise),
        showFigure(estimate.value, unit),
        intervalText(estimate, unit) ?? "–",
        estimate.waits === null ? counted(estimate.n, "replication") : String(estimate.waits),
        marginText(marginOf(kept), (value) => showChange(value, unit)),
        standingText(standingOfPromise(kept)),
        ...(hasCosts ? [cost] : []),
      ]
    }),
  )
  return [...aligned([[...head, ...(hasCosts ? ["cost"] : [])], ...rows]), ""]
}

/** Without promises: what is used most, and when, in the order in which it is full. */
function useTable({ model, cases }: FleetResult, isFull: boolean): readonly string[] {
  const isSweep = cases.length > 1
  const head = ["", ...(isSweep ? ["case"] : []), "resource", "used at most", "at", "full at", "demand then"]
  const peaks = cases.map((one) => ({ one, all: peaksOf(model, one) }))
  const rest = isFull ? 0 : Math.max(0, ...peaks.map(({ all }) => all.length - USES_SHOWN))
  const rows = peaks.flatMap(({ one, all }) =>
    all
      .slice(0, isFull ? all.length : USES_SHOWN)
      .map(({ most, full }, at): Row => [
        "",
        ...(isSweep ? [at === 0 ? caseLabel(one.settings) : ""] : []),
        useName(most),
        showFigure(most.share, "share"),
        most.at,
        full?.at ?? "–",
        full === null || full.timesDemand === null ? "" : `${Math.round(full.timesDemand * 10) / 10} times`,
      ]),
  )
  const more = rest === 0 ? [] : [`  … ${rest} more that are used less; --full prints them`]
  return [...aligned([head, ...rows]), ...more, ""]
}

/** Resources of sites that are printed without `--full`. */
const USES_SHOWN = 12

/* Days, sites and demands. */

/** Rows of each table that are printed without `--full`. */
const PARTS_SHOWN = 5

/** Of the recommended case, or with `--full` of each case. */
function partLines(result: FleetResult, { isFull }: { readonly isFull: boolean }): readonly string[] {
  const { model, cases } = result
  const { shown } = recommendedOf(result)
  const of = isFull ? cases : shown === null ? [] : [shown]
  return of.flatMap((one) => {
    const inCase = cases.length === 1 ? "" : `, ${caseLabel(one.settings)}`
    return partTables(model, one).flatMap((table) => [
      styled("dim", `by ${table.kind}${inCase}; wait: from the planned instant until the order is on board`),
      ...partTable(table, isFull),
      "",
    ])
  })
}

/** The same as in the report: an interval of a table with many rows is no promise for all of them. */
function intervalNote(hasParts: boolean): readonly string[] {
  return hasParts ? [styled("dim", ROWS_APART), ""] : []
}

function partTable({ kind, rows }: PartTable, isFull: boolean): readonly string[] {
  const shown = isFull ? rows : rows.slice(0, PARTS_SHOWN)
  const rest = rows.slice(shown.length)
  const hasUse = kind !== "demand"
  const head = ["", kind, "wait mean", "p50", "p95", "95 % interval", "of", "lost", "late"]
  const share = (value: number | null): string => showFigure(value, "share")
  const lines = aligned([
    [...head, ...(hasUse ? ["used most"] : []), "limits"],
    ...shown.map(({ part, wait, lost, late, most, promises }): Row => [
      "",
      partLabel(part),
      showFigure(wait.mean.value, "ms"),
      showFigure(wait.p50.value, "ms"),
      showFigure(wait.p95.value, "ms"),
      intervalText(wait.p95, "ms") ?? "–",
      String(wait.mean.waits ?? 0),
      share(lost),
      share(late),
      ...(hasUse ? [most === null ? "–" : `${most.resource} ${share(most.share)}`] : []),
      limitCell(promises),
    ]),
  ])
  return rest.length === 0 ? lines : [...lines, `  … ${restText(restOf(rest), kind)}; --full prints them`]
}

function limitCell(promises: Parameters<typeof limitText>[0]): string {
  const { standing, says } = limitText(promises)
  const color = standing === "kept" ? "green" : standing === "broken" ? "red" : "yellow"
  return standing === null ? says : styled(color, says)
}

function marginText(margin: number | null, show: (value: number) => string): string {
  if (margin === null) return "–"
  return `${margin < 0 ? "-" : "+"}${show(Math.abs(margin))}`
}

function standingText(standing: Standing): string {
  const color = standing === "kept" ? "green" : standing === "broken" ? "red" : "yellow"
  return styled(color, standing)
}

/** Columns as wide as their longest cell; the first row is the head. */
function aligned([head = [], ...rows]: readonly Row[]): readonly string[] {
  const widths = head.map((_, at) => Math.max(...[head, ...rows].map((row) => lengthOf(row[at] ?? ""))))
  const line = (row: Row): string =>
    row
      .map((cell, at) => cell + " ".repeat((widths[at] ?? 0) - lengthOf(cell)))
      .join("  ")
      .trimEnd()
  return [styled("dim", line(head)), ...rows.map((row) => line(row))]
}

/** Without the codes of colours. */
function lengthOf(cell: string): number {
  // oxlint-disable-next-line no-control-regex
  return cell.replaceAll(/\u001b\[\d+m/g, "").length
}

/* Comparisons. */

function comparisonLines({ model, cases }: FleetResult): readonly string[] {
  const lines = comparisonsOf(model, cases).flatMap((comparison) => [
    ...bestLine(comparison),
    ...(comparison.ranked.length > 2 ? [`  best first: ${rankText(comparison)}`] : []),
    ...comparison.pairs.map((pair) => `  ${differenceText(comparison.metric, pair)}`),
  ])
  return lines.length === 0 ? [] : [...lines, ""]
}

function bestLine({ metric, ranked, confidence }: Comparison): readonly string[] {
  const [best] = ranked
  if (best === undefined || confidence === null) return []
  if (confidence < 0.5) return [`${figureWords(metric)}: no case is clearly the best`]
  const sure = `${confidenceText(confidence)} confidence at least`
  return [`${figureWords(metric)}: best with ${casePhrase(best.settings)}, with ${sure}`]
}

/** Rounded down, because it is a lower bound. */
function confidenceText(confidence: number): string {
  const percent = Math.floor(confidence * 1000) / 10
  return `${Math.min(99.9, percent)} %`
}

/** `runners 3 to runners 4: -12m 29s ± 2m 7s`. */
function differenceText(metric: string, pair: Difference): string {
  const unit = unitOf(metric)
  const half = halfWidthOf(pair)
  const doubt = isClear(pair) ? "" : ", which may be chance"
  const name = `${caseLabel(pair.from.settings)} to ${caseLabel(pair.to.settings)}`
  return `${name}: ${showChange(pair.value, unit)}${half === null ? "" : ` ± ${showChange(half, unit)}`}${doubt}`
}

/* Sensitivity. */

const EFFECTS_SHOWN = 5

function effectLines({ effects, model }: FleetResult): readonly string[] {
  const moved = effects.filter(({ down, up }) => (down?.value ?? 0) !== 0 || (up?.value ?? 0) !== 0)
  const metrics = [...new Set(moved.map(({ metric }) => metric))]
  const lines = metrics.flatMap((metric) => {
    const unit = unitOf(metric)
    const show = (change: Difference | null): string =>
      change === null ? "–" : `${change.value > 0 ? "+" : ""}${showChange(change.value, unit)}`
    const rows = effects
      .filter((effect) => effect.metric === metric)
      .slice(0, EFFECTS_SHOWN)
      .map(({ input, less, more, down, up }): Row => ["", input, less, show(down), more, show(up)])
    return [
      `what moves the ${figureWords(metric)} most, one input at a time by ${showFigure(model.sensitivity, "share")}:`,
      ...aligned([["", "input", "less", "then", "more", "then"], ...rows]),
    ]
  })
  return lines.length === 0 ? [] : [...lines, ""]
}

/* Every figure. */

function fullLines(one: CaseResult): readonly string[] {
  const { settings, replications } = one
  const seeds = replications.map(({ seed }) => seed)
  const made = `${counted(replications.length, "replication")}, seeds ${seeds[0]}..${seeds.at(-1)}`
  return [`${styled("bold", caseLabel(settings))}: ${made}`, ...figureLines(one), ...countLines(one), ""]
}

function figureLines({ estimates, replications }: CaseResult): readonly string[] {
  const known = estimates.known()
  const width = Math.max(0, ...known.map(([key]) => figureWords(key).length))
  return known.map(([key, estimate]) => {
    const says = estimateText(key, estimate, replications.length)
    const meaning = `${METRICS.get(key)?.says ?? ""} (${key})`
    return `  ${figureWords(key).padEnd(width)}  ${says.padEnd(46)} ${styled("dim", meaning)}`
  })
}

/** A count of one product is left out if there is also a count of that name for the orders of all products. */
function countLines({ replications }: CaseResult): readonly string[] {
  const counts = meanCounts(replications)
  const isShown = (name: string): boolean =>
    !/^(deliveries|errands|reservations)\./.test(name) || !counts.has(name.replace(/^[a-z]+/, "orders"))
  const shown = [...counts].filter(([name]) => isShown(name))
  return [
    "  counted, on average a replication:",
    ...shown.map(([name, count]) => `    ${name}: ${Number.isInteger(count) ? count : count.toFixed(1)}`),
  ]
}
