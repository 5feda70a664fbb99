/** The sentence that each folded part of the report begins with: what its figures come to. */

import { counted } from "../../scenario/language/counted.ts"
import { inCase } from "../language/cases.ts"
import { COSTS, showFigure, unitOf } from "../language/metrics.ts"
import type { CostPart } from "../language/metrics.ts"
import type { FleetModel } from "../language/model.ts"
import { totalOf } from "../language/shifts.ts"
import { partLabel } from "../language/time-parts.ts"
import { waitsByHour, shownMeasure } from "../results/by-hour.ts"
import { partTables } from "../results/by-part.ts"
import type { FleetResult } from "../results/fleet-result.ts"
import { busiestHours, useName } from "../results/full-first.ts"
import type { BusyHour } from "../results/full-first.ts"
import { capital, casePhrase } from "../results/phrases.ts"
import { figureWords } from "../results/promise-words.ts"
import type { CaseResult } from "../results/summary.ts"

/** Cases on the same seeds; of one case how far its replications are apart; how many cases a search tried. */
export function casesLead({ cases, search }: FleetResult): string {
  if (search !== null) {
    const tried = `${counted(search.steps.length, "case was", "cases were")} tried`
    return search.outcome.is === "found"
      ? `${tried}; the answer was then made again on other seeds.`
      : `${tried}.`
  }
  const [first] = cases
  if (cases.length > 1)
    return `${cases.length === 2 ? "Both" : `All ${cases.length}`} cases were made with the same seeds.`
  const [kept] = first?.promises ?? []
  const { least = null, most = null } = kept?.estimate ?? {}
  if (first === undefined || kept === undefined || least === null || most === null)
    return "Nothing was measured."
  const { metric } = kept.promise
  const what = `The ${figureWords(metric)} is`
  const [low, high] = [least, most].map((value) => showFigure(value, unitOf(metric)))
  const made = first.replications.length
  if (made === 1) return `${what} ${low} in the only replication.`
  return low === high
    ? `${what} ${low} in each of ${made} replications.`
    : `${what} between ${low} and ${high} in single replications.`
}

/** The worst day, site or demand. */
export function partsLead(model: FleetModel, one: CaseResult): string {
  const [table] = partTables(model, one)
  const [row] = table?.rows ?? []
  if (table === undefined || row === undefined) return ""
  const { part, wait, lost, late } = row
  const name = capital(partLabel(part))
  const who =
    table.rows.length === 1 ? name : `The worst of ${counted(table.rows.length, table.kind)} is ${name}`
  if (wait.p95.value === null) return `${who}: too few orders for a figure.`
  const [lostText, lateText] = [lost, late].map((share) => showFigure(share, "share"))
  return `${who}: 95 of 100 orders wait up to ${showFigure(wait.p95.value, "ms")}, ${lostText} are lost and ${lateText} late.`
}

/** The largest part of the costs of the shown case. */
export function costsLead({ costs }: FleetModel, { estimates, settings }: CaseResult): string {
  const currency = costs === null || costs.currency === "" ? "" : ` ${costs.currency}`
  const total = estimates.of("cost.total").value
  const [most] = (Object.keys(COSTS) as CostPart[])
    .filter((part) => part !== "total")
    .map((part) => ({ part, value: estimates.of(`cost.${part}`).value ?? 0 }))
    .toSorted((a, b) => b.value - a.value)
  if (total === null || total === 0 || most === undefined) return "Nothing cost anything."
  const name = most.part === "lost" ? "lost orders" : most.part
  const with_ = settings.length === 0 ? "" : `, with ${casePhrase(settings)}`
  return `The largest part is ${name}: ${showFigure(most.value, "money")} of ${showFigure(total, "money")}${currency}${with_}.`
}

/** The hour in which the shown waits are longest. */
export function waitsLead(model: FleetModel, one: CaseResult): string {
  const shown = shownMeasure(model)
  const all = waitsByHour(shown, { model, one })
  if (all.length === 0) return "No order was measured."
  const [longest] = all
    .filter(({ isAfterHorizon, upper }) => !isAfterHorizon && upper.value !== null)
    .toSorted((a, b) => (b.upper.value ?? 0) - (a.upper.value ?? 0))
  const what = `The ${figureWords(`${shown.measure}_${shown.high}`)}`
  if (longest === undefined) return `Every hour has too few orders for the ${what.slice(4)}.`
  const value = longest.upper.value ?? 0
  if (value === 0) return `${what} is 0s in every hour.`
  const next = `${String((Number(longest.hour.slice(0, 2)) + 1) % 24).padStart(2, "0")}:00`
  return `${what} is longest from ${longest.hour} to ${next}: ${showFigure(value, "ms")}.`
}

/** `Runners are busiest from 12:00 to 13:00: 87.0% of their time. Stalls …`: as many as have a sentence's worth to say. */
export function useLead(model: FleetModel, one: CaseResult): string {
  const busy = busiestHours(model, one).slice(0, BUSY_NAMED)
  return busy.length === 0
    ? "No one and nothing was used."
    : busy.map((hour, at) => busySentence(inCase(model, one.settings), hour, at === 0)).join(" ")
}

const BUSY_NAMED = 2

/** `Runners are busy 87.0% of the time from 12:00 to 13:00.`; of one `The runner is`. */
function busySentence(
  model: FleetModel,
  { resource, site, share, from, to }: BusyHour,
  isFirst: boolean,
): string {
  const isOne = countOf(model, { resource, site }) === 1
  const name = useName({ resource: resource, site })
  const who = isOne ? `the ${name.replace(resource, resource.slice(0, -1))} is` : `${name} are`
  const how = isFirst ? "of the time" : "at most,"
  return `${capital(who)} busy ${showFigure(share, "share")} ${how} from ${from} to ${to}.`
}

function countOf({ sites }: FleetModel, { resource, site }: Pick<BusyHour, "resource" | "site">): number {
  const counts = sites.flatMap(({ as, runners, vehicles, stalls, stores }) => {
    if (site !== null && as !== site) return []
    if (resource === "runners") return [totalOf(runners)]
    if (resource === "cooks") return stores.map(({ cooks }) => cooks ?? 0)
    return [resource === "vehicles" ? vehicles : stalls]
  })
  return counts.reduce((sum, count) => sum + count, 0)
}

/** `1 site with 2 demands, 09:30 to 17:00.` */
export function inputsLead({ sites, demand }: FleetModel, hours: string): string {
  return `${counted(sites.length, "site")}, ${counted(demand.length, "demand")}, ${hours}.`
}
