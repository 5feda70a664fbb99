/** Figures by site, by demand, by day and by weekday: a row for each, those that are worst by the promises of the model first. */

import { RESOURCES, figureNamed, showChange, showFigure, unitOf } from "../language/metrics.ts"
import type { PartName, Resource } from "../language/metrics.ts"
import type { FleetModel } from "../language/model.ts"
import { limitsOf } from "../language/part-limits.ts"
import { shownParts } from "../language/parts.ts"
import type { Part } from "../language/parts.ts"
import { partLabel, shownTimeParts } from "../language/time-parts.ts"
import type { TimePart } from "../language/time-parts.ts"
import type { Estimates } from "./estimates.ts"
import { figureWords } from "./promise-words.ts"
import { gapOf } from "./recommend.ts"
import type { Estimate } from "./statistics.ts"
import { keptPromise, marginOf } from "./summary.ts"
import type { CaseResult, KeptPromise } from "./summary.ts"

export interface PartRow {
  readonly part: PartName
  readonly estimates: Estimates
  /** From the planned instant until the order is on board. */
  readonly wait: { readonly mean: Estimate; readonly p50: Estimate; readonly p95: Estimate }
  /** The share of requested orders that were declined, canceled or failed; null without a request. */
  readonly lost: number | null
  readonly late: number | null
  /** The resource that is busy for the greatest share of its time; null for a demand. */
  readonly most: { readonly resource: Resource; readonly share: number } | null
  /** The limits of the model that hold here, the one that is broken most first. Metrics are without the name of the part. */
  readonly promises: readonly KeptPromise[]
}

export interface PartTable {
  readonly kind: PartName["kind"]
  readonly rows: readonly PartRow[]
}

/** What the intervals of these tables say. */
export const ROWS_APART =
  "The 95 % interval is that of p95, and each is for its row alone: of twenty rows about one misses."

/** Of days if there are several, of sites too, and of demands if they say more than the sites. */
export function partTables(model: FleetModel, one: CaseResult): readonly PartTable[] {
  const parts = [...shownTimeParts(model), ...shownParts(model)]
  return (["day", "weekday", "site", "demand"] as const).flatMap((kind) => {
    const rows = parts
      .filter((part) => part.kind === kind)
      .flatMap((part) => {
        const estimates = one.estimates.part(part)
        return estimates === null ? [] : [rowOf(part, estimates, model)]
      })
    return rows.length === 0 ? [] : [{ kind, rows: worstFirst(rows) }]
  })
}

function rowOf(part: Part | TimePart, estimates: Estimates, model: FleetModel): PartRow {
  const completed = estimates.of("orders.completed_share").value
  const { kind, name } = part
  return {
    part: { kind, name },
    estimates,
    wait: {
      mean: estimates.of("wait_mean"),
      p50: estimates.of("wait_p50"),
      p95: estimates.of("wait_p95"),
    },
    lost: completed === null ? null : 1 - completed,
    late: estimates.of("orders.late_share").value,
    most: kind === "demand" ? null : mostBusy(estimates),
    promises: limitsOf(part, model)
      .map(({ promise }) => keptPromise(promise, estimates.of(promise.metric)))
      .filter(({ estimate }) => estimate.value !== null)
      .toSorted((a, b) => gapOf(b) - gapOf(a)),
  }
}

function mostBusy(estimates: Estimates): PartRow["most"] {
  const used = RESOURCES.flatMap((resource) => {
    const share = estimates.of(`${resource}.utilisation`).value
    return share === null ? [] : [{ resource, share }]
  })
  return used.toSorted((a, b) => b.share - a.share)[0] ?? null
}

/** Those without an order come last; by the promises, and then by the waits. */
function worstFirst(rows: readonly PartRow[]): readonly PartRow[] {
  const worst = ({ promises }: PartRow): number =>
    promises[0] === undefined ? Number.NEGATIVE_INFINITY : gapOf(promises[0])
  const waits = ({ wait }: PartRow): number => wait.p95.value ?? wait.mean.value ?? -1
  return rows.toSorted((one, other) => {
    const [mine, theirs] = [worst(one), worst(other)]
    return (mine === theirs ? 0 : theirs - mine) || waits(other) - waits(one)
  })
}

/** The rows of a long table that are not shown. */
export interface RestOfParts {
  readonly parts: number
  /** Orders that came on board, in all replications. */
  readonly waits: number
  readonly p95: readonly [least: number, most: number] | null
  readonly broken: number
  readonly notSure: number
}

export function restOf(rows: readonly PartRow[]): RestOfParts {
  const p95s = rows.flatMap(({ wait }) => wait.p95.value ?? [])
  const worst = rows.map(({ promises }) => standingIn(promises))
  return {
    parts: rows.length,
    waits: rows.reduce((sum, { wait }) => sum + (wait.mean.waits ?? 0), 0),
    p95: p95s.length === 0 ? null : [Math.min(...p95s), Math.max(...p95s)],
    broken: worst.filter((one) => one === "broken").length,
    notSure: worst.filter((one) => one === "not sure").length,
  }
}

/** How the limits are kept in one part; null where none of them is about it. */
export function standingIn(promises: readonly KeptPromise[]): "broken" | "kept" | "not sure" | null {
  if (promises.length === 0) return null
  if (promises.some(({ isKept, isCertain }) => !isKept && isCertain)) return "broken"
  return promises.every(({ isCertain }) => isCertain) ? "kept" : "not sure"
}

/** `1,204 orders; p95 of their waits from 1m 2s to 7m; no limit is broken, and of 2 it is not sure`. */
export function restText(
  { parts, waits, p95, broken, notSure }: RestOfParts,
  kind: PartName["kind"],
): string {
  const range =
    p95 === null ? [] : [`p95 of their waits from ${showFigure(p95[0], "ms")} to ${showFigure(p95[1], "ms")}`]
  const limits = [
    ...(broken === 0 ? [] : [`${broken} ${broken === 1 ? "breaks" : "break"} a limit`]),
    ...(notSure === 0 ? [] : [`${notSure} not surely within the limits`]),
  ]
  const what = `${parts} more ${parts === 1 ? kind : `${kind}s`}`
  const orders = `${waits.toLocaleString("en-US")} orders on board`
  return [`${what}: ${orders}`, ...range, ...(limits.length === 0 ? [] : [limits.join(", ")])].join("; ")
}

/** `broken: wait of 95 of 100 reservations by 2m 3s`; a dash where no limit is about the part. */
export function limitText(promises: readonly KeptPromise[]): {
  readonly standing: ReturnType<typeof standingIn>
  readonly says: string
} {
  const standing = standingIn(promises)
  if (standing === null) return { standing, says: "–" }
  if (standing === "kept") return { standing, says: "kept" }
  const named = promises.filter(({ isKept, isCertain }) =>
    standing === "broken" ? !isKept && isCertain : !isCertain,
  )
  const [worst] = named
  const more = named.length > 1 ? `, and ${named.length - 1} more` : ""
  if (worst === undefined) return { standing, says: standing }
  const { metric } = worst.promise
  const by = showChange(Math.abs(marginOf(worst) ?? 0), unitOf(metric))
  const says =
    standing === "broken"
      ? `broken: ${figureWords(metric)} by ${by}`
      : `not sure: ${figureWords(metric)}, ${by} ${worst.isKept ? "to spare" : "missing"}`
  return { standing, says: `${says}${more}` }
}

const NAMED = 3

const WITHIN = { site: "At", demand: "In", day: "On", weekday: "On", hour: "In" } as const

/**
 * What the promises of the whole model mean for its parts: a site, or a day, may wait too long although all together do not.
 */
export function partReasons(model: FleetModel, one: CaseResult): readonly string[] {
  const tables = partTables(model, one)
  const ofWhat = tables.find(({ kind }) => kind === "site" || kind === "demand")
  const ofTime = tables.find(({ kind }) => kind === "day")
  return [ofTime, ofWhat].flatMap((table) => (table === undefined ? [] : tableReasons(table, one)))
}

function tableReasons({ kind, rows }: PartTable, one: CaseResult): readonly string[] {
  return one.promises.flatMap(({ promise: { metric }, isKept }) => {
    if (figureNamed(metric).part !== null) return []
    const found = rows.flatMap(({ part, promises }) => {
      const kept = promises.find(({ promise }) => promise.metric === metric)
      return kept === undefined ? [] : [{ name: partLabel(part), kept }]
    })
    const [only] = found
    if (only === undefined) return []
    // Where one part has all of the orders, its figure is that of the whole.
    const isWhole = only.kept.estimate.value === one.estimates.of(metric).value
    if (found.length === 1 && isWhole) return []
    const worst = found.toSorted((a, b) => gapOf(b.kept) - gapOf(a.kept))
    return [partReason(metric, { kind, found: worst, rows: rows.length, isKept })]
  })
}

interface FoundInParts {
  readonly kind: PartName["kind"]
  /** The worst one first. */
  readonly found: readonly { readonly name: string; readonly kept: KeptPromise }[]
  /** Parts of this kind, also those to which the limit does not apply. */
  readonly rows: number
  /** Whether all parts together keep it. */
  readonly isKept: boolean
}

function partReason(metric: string, { kind, found, rows, isKept }: FoundInParts): string {
  const figure = `the ${figureWords(metric)}`
  const broken = found.filter(({ kept }) => !kept.isKept && kept.isCertain)
  const unsure = found.filter(({ kept }) => !kept.isCertain)
  const namesOf = (some: typeof found): string => {
    const names = some
      .slice(0, NAMED)
      .map(({ name, kept }) => `${name} (${showFigure(kept.estimate.value, unitOf(metric))})`)
    const more = some.length > NAMED ? [`${some.length - NAMED} more`] : []
    return [...names, ...more].join(", ").replace(/, ([^,]*)$/, " and $1")
  }
  const all = `${rows} ${kind}s`
  const within = WITHIN[kind]
  if (broken.length > 0)
    return `${within} ${broken.length} of ${all} ${figure} breaks its limit: ${namesOf(broken)}.`
  if (unsure.length > 0)
    return `${within} ${unsure.length} of ${all} ${figure} is not surely within its limit: ${namesOf(unsure)}.`
  const [worst] = found
  const too = isKept ? " too" : ""
  if (found.length === 1 && worst !== undefined)
    return `By itself ${namesOf([worst])} keeps the limit of ${figure}${too}.`
  const which = found.length === rows ? "" : " to which it applies"
  return `Each of the ${found.length} ${kind}s${which} keeps the limit of ${figure}${too}; nearest to the limit is ${namesOf(found.slice(0, 1))}.`
}
