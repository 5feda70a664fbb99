/** The lines of this program's machines, from `machine-lines.json`, which `npm run generate` writes. */

import type { ChartDocument } from "./chart-document.ts"
import written from "./machine-lines.json" with { type: "json" }
import { registeredCharts } from "./registered-machine.ts"
import type { SourceLines } from "./source-lines.ts"

const LINES: Readonly<Record<string, SourceLines | undefined>> = written

/** Null for the chart of another version of the program, because its lines were others. */
export function sourceLinesOf(chart: ChartDocument): SourceLines | null {
  const own = registeredCharts().find(({ id }) => id === chart.id)
  const isOwn = own !== undefined && JSON.stringify(own) === JSON.stringify(chart)
  return isOwn ? (LINES[chart.id] ?? null) : null
}
