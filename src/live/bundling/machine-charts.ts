/** Charts that go with a journal, so that a page draws the machines that ran. */

import { registeredCharts } from "../../pages/chart/registered-machine.ts"
import type { RecordContext } from "../../simulation/run-record.ts"

/** Chart documents by the machines' ids. */
export function chartsOf(machines: readonly string[]): RecordContext["charts"] {
  const charts = registeredCharts().filter(({ id }) => machines.includes(id))
  return Object.fromEntries(charts.map((chart) => [chart.id, chart]))
}
