/** The part of the report about single days, sites and demands: one table of each, those that are worst by the promises first. */

import { html } from "../../../pages/html/markup.ts"
import type { Html } from "../../../pages/html/markup.ts"
import { counted } from "../../scenario/language/counted.ts"
import { showFigure } from "../language/metrics.ts"
import type { FleetModel } from "../language/model.ts"
import { partLabel } from "../language/time-parts.ts"
import { ROWS_APART, limitText, partTables, restOf, restText } from "../results/by-part.ts"
import type { PartRow, PartTable } from "../results/by-part.ts"
import { intervalText } from "../results/summary.ts"
import type { CaseResult } from "../results/summary.ts"
import { pill } from "./answer-part.ts"

/** A page stays readable with this many; the others are counted in a last row. */
const ROWS_MAX = 20

/** Empty for a model whose sites and demands say nothing more than the whole. */
export function partsPart(model: FleetModel, one: CaseResult): Html {
  const tables = partTables(model, one)
  if (tables.length === 0) return html``
  const hasLimits = tables.some(({ rows }) => rows.some(({ promises }) => promises.length > 0))
  return html`${tables.map((table, at) => tablePart(table, { hasLimits, note: at === 0 ? noteOf(table, hasLimits) : "" }))}`
}

function noteOf({ kind }: PartTable, hasLimits: boolean): string {
  const days =
    kind === "day" ? "; a wait counts on the day on which it began, an order on that of its request" : ""
  const limits = hasLimits
    ? " Promises of the whole model about waits and shares are held against each row, unless the model promises something else of it."
    : ""
  return `Waits from the planned instant until the order is on board${days}. Lost: declined, canceled or failed.${limits} ${ROWS_APART}`
}

const PART_TITLES = {
  day: "Days",
  weekday: "Weekdays",
  hour: "Hours",
  site: "Sites",
  demand: "Demands",
} as const

/** What the report calls this part: the first of its tables. */
export function partsTitle(model: FleetModel, one: CaseResult | null): string | null {
  const kind = one === null ? undefined : partTables(model, one)[0]?.kind
  return kind === undefined ? null : PART_TITLES[kind]
}

interface TableOptions {
  readonly hasLimits: boolean
  readonly note: string
}

function tablePart({ kind, rows }: PartTable, { hasLimits, note }: TableOptions): Html {
  const shown = rows.slice(0, ROWS_MAX)
  const rest = rows.slice(ROWS_MAX)
  const title = PART_TITLES[kind]
  const order = hasLimits ? ", nearest to breaking a promise first" : ", longest waits first"
  const head = ["Lost", "Late"]
  return html`<h3>${title}${order}</h3>
    ${note === "" ? html`` : html`<p class="quiet">${note}</p>`}
    <div class="scroll whole" tabindex="0" role="region" aria-label="${title}">
      <table class="parts">
        <thead>
          <tr>
            <th scope="col">${title.slice(0, -1)}</th>
            <th scope="col">Wait</th>
            ${head.map((name) => html`<th scope="col" class="wide-cell">${name}</th>`)}
            ${hasLimits ? html`<th scope="col">Promises there</th>` : html``}
          </tr>
        </thead>
        <tbody>
          ${shown.map((row) => partRow(row, hasLimits))}
        </tbody>
      </table>
    </div>
    ${rest.length === 0 ? html`` : html`<p class="quiet">${restText(restOf(rest), kind)}. The result as JSON has every one of them.</p>`}`
}

function partRow({ part, wait, lost, late, most, promises }: PartRow, hasLimits: boolean): Html {
  const [lostText, lateText] = [lost, late].map((value) => showFigure(value, "share"))
  const interval = intervalText(wait.p95, "ms")
  const isBroken = limitText(promises).standing === "broken"
  const second = (text: string): Html => html`<span class="second">${text}</span>`
  return html`<tr${isBroken ? html` class="broken"` : html``}>
    <th scope="row">
      ${partLabel(part)} ${second(counted(wait.mean.waits ?? 0, "order"))}
      ${most === null ? html`` : second(`${most.resource} ${showFigure(most.share, "share")} busy`)}
      <span class="second narrow">${lostText ?? ""} lost, ${lateText ?? ""} late</span>
    </th>
    <td class="times">
      ${wait.p95.value === null ? html`too few for p95` : html`p95 <b>${shownMs(wait.p95.value)}</b>`}
      ${interval === null ? html`` : second(interval)}
      ${second(`mean ${shownMs(wait.mean.value)}, median ${shownMs(wait.p50.value)}`)}
    </td>
    <td class="wide-cell">${lostText ?? ""}</td>
    <td class="wide-cell">${lateText ?? ""}</td>
    ${hasLimits ? html`<td class="says">${standingCell(promises)}</td>` : html``}
  </tr>`
}

/** A duration without a line break in it. */
function shownMs(ms: number | null): string {
  return showFigure(ms, "ms").replaceAll(" ", "\u00a0")
}

const PILLS = { broken: ["bad", "Broken"], "not sure": ["wait", "Not sure"], kept: ["ok", "Kept"] } as const

function standingCell(promises: PartRow["promises"]): Html {
  const { standing, says } = limitText(promises)
  if (standing === null) return html`–`
  const [kind, word] = PILLS[standing]
  const rest = standing === "kept" ? "" : says.replace(/^[a-z ]+: /, "")
  return html`${pill(kind, word)} ${rest}`
}
