/** What machines say about groups in a list, in words: which events their actors wait for, and names of timers. */

import { registeredCharts } from "../chart/registered-machine.ts"
import type { ChartDocument } from "../chart/chart-document.ts"
import { awaitedBy, eventWords } from "../inspection/awaited.ts"
import { eventName } from "../inspection/event-name.ts"
export { hueOf } from "../inspection/kinds.ts"
import { activePaths } from "../inspection/state-value.ts"
import type { Address } from "../../model/address.ts"
import { partOf } from "../../model/address.ts"
import type { JsonObject } from "../../model/values/json.ts"

interface Actor {
  readonly address: Address
  /** `id@version`. */
  readonly machine: string
  readonly value: JsonObject | string
}

let charts: ReadonlyMap<string, ChartDocument> | null = null

function chartsById(): ReadonlyMap<string, ChartDocument> {
  charts ??= new Map(registeredCharts().map((chart) => [chart.id, chart]))
  return charts
}

/**
 * The events from outside of the group that lead an actor on: `bot: ready or aborted`. Null for an actor that waits for none, and for
 * one of a machine that the program no longer has.
 */
export function waitsFor({ address, machine, value }: Actor): string | null {
  const chart = chartsById().get(machine)
  if (chart === undefined) return null
  const { next } = awaitedBy(chart, activePaths(JSON.stringify(value)))
  if (next.length === 0) return null
  const part = partOf(address)
  return `${part.replaceAll("-", " ")}: ${eventWords(part, next)}`
}

/** `window and grace` for a timer's event, other types as they are. */
export function dueName(type: string, machine: string | null): string {
  return eventName(type, machine).replace(/^after /, "")
}
