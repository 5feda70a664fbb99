/** `curbline fleet fit --table`: a fleet model from a log of orders, whose columns `--bind` or a model's `replay` names. */

import { basename } from "node:path"
import { fitTable } from "../../simulation/fleet/fit/table-fit.ts"
import {
  UNKNOWN,
  tableDurations,
  tableLines,
  tableModelText,
} from "../../simulation/fleet/fit/written-table.ts"
import type { TableNaming } from "../../simulation/fleet/fit/written-table.ts"
import type { FleetDemand } from "../../simulation/fleet/language/model.ts"
import type { OrderLog } from "../../simulation/fleet/language/order-log.ts"
import { readFleet } from "../../simulation/fleet/language/read.ts"
import type { AskedLog } from "../../simulation/fleet/language/read-logs.ts"
import { fitPageHtml } from "../../simulation/fleet/report/fit-report.ts"
import { bindOrders } from "../../simulation/fleet/tables/bind-orders.ts"
import { boundModelText } from "../../simulation/fleet/tables/bound-model.ts"
import type { Table } from "../../simulation/fleet/tables/table.ts"
import { formatProblem } from "../../simulation/scenario/language/problems.ts"
import { counted } from "../../simulation/scenario/language/counted.ts"
import { readText } from "../kit/text-files.ts"
import { UsageError } from "../kit/usage-error.ts"
import { tableAt } from "./fleet-inspect-table.ts"

export interface FitTableFlags {
  readonly table: string
  readonly bind?: readonly string[]
  readonly model?: string
  readonly product?: FleetDemand["product"]
  readonly timezone?: string
}

/** What was fitted: the model, the page of its pictures, and lines for people. */
export interface Fitted {
  readonly text: string
  readonly report: () => string
  readonly lines: readonly string[]
}

/** Throws a UsageError for bindings that do not fit the table. */
export async function fittedFromTable(flags: FitTableFlags): Promise<Fitted> {
  const { table: file, bind, model } = flags
  if ((bind === undefined) === (model === undefined))
    throw new UsageError(
      `--table needs the meaning of its columns: --bind time=COLUMN and others, or --model with a demand that replays it; "npx curbline fleet inspect-table ${file}" shows the columns`,
    )
  const table = await tableAt(file)
  const { asked, log } = boundBy(table, modelOf(table, flags))
  const { site, clock, demand } = asked
  const hasPlace = model !== undefined || asked.table.door !== null
  const naming: TableNaming = {
    source: basename(file),
    product: demand.product,
    timeZone: clock.timeZone,
    place: hasPlace ? site.at : null,
    reachKm: hasPlace ? site.reach_km : null,
    notes: log.notes,
  }
  const fitted = fitTable(log)
  const shown = {
    durations: tableDurations(fitted),
    span: fitted.span,
    orders: counted(fitted.orders, "order"),
    unknown: [...fitted.odd, ...UNKNOWN],
  }
  return {
    text: tableModelText(fitted, naming),
    report: () => fitPageHtml(shown, naming),
    lines: tableLines(fitted, naming),
  }
}

interface BoundModel {
  readonly file: string
  readonly text: string
}

function modelOf(
  table: Table,
  { model, bind = [], product = "delivery", timezone = "UTC" }: FitTableFlags,
): BoundModel {
  if (model !== undefined) return { file: model, text: readText(model) }
  const text = boundModelText(table, { bind: bind.map(pairOf), product, timeZone: timezone })
  return { file: "--bind", text }
}

function pairOf(text: string): readonly [key: string, value: string] {
  const at = text.indexOf("=")
  if (at < 1)
    throw new UsageError(`--bind takes such as time=created_at or preparation.to=ready_at, not "${text}"`)
  return [text.slice(0, at), text.slice(at + 1)]
}

/** The orders of every day of the table, as the first demand binds them that replays a table: of this name if there is one. */
function boundBy(
  table: Table,
  { file, text }: BoundModel,
): { readonly asked: AskedLog; readonly log: OrderLog } {
  const found: { asked: AskedLog; log: OrderLog }[] = []
  const { problems } = readFleet({
    file,
    text,
    beside: () => null,
    logs: (asked) => {
      // Addresses are of another file, and a fit needs no doors.
      const door = asked.table.door?.address === null ? asked.table.door : null
      const whole = { ...asked.table, door, repeat: "weekly" as const, resample: null, first_day: null }
      const log = bindOrders(table, { ...asked, table: whole }, null)
      if (!("message" in log)) found.push({ asked, log })
      return log
    },
  })
  const one = found.find(({ asked }) => basename(asked.table.file) === table.file) ?? found[0]
  if (one !== undefined) return one
  const [problem] = problems
  if (problem === undefined) throw new UsageError(`no demand of ${file} replays a table`)
  throw new UsageError(
    file === "--bind" ? `--bind: ${sentenceOf(problem)}` : formatProblem(problem, { color: false }),
  )
}

function sentenceOf({ message, expected, suggestion }: Parameters<typeof formatProblem>[0]): string {
  if (suggestion !== undefined) return `${message}, did you mean ${JSON.stringify(suggestion)}?`
  return expected === undefined ? message : `${message}; expected: ${expected}`
}
