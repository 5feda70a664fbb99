/** Every figure of every case, for readers who look one up. */

import { capital, caseLabel } from "../results/phrases.ts"
import { html, table } from "../../../pages/html/markup.ts"
import type { Html } from "../../../pages/html/markup.ts"
import { METRICS, showFigure } from "../language/metrics.ts"
import { statesOf } from "../results/outputs.ts"
import { figureWords } from "../results/promise-words.ts"
import { estimateText, meanCounts } from "../results/summary.ts"
import type { CaseResult } from "../results/summary.ts"

export function figuresPart(cases: readonly CaseResult[]): Html {
  return html`<section id="figures">${cases.map((one) => caseFigures(one))}</section>`
}

function caseFigures({ settings, estimates, replications }: CaseResult): Html {
  const name = caseLabel(settings)
  const rows = estimates.known().map(([metric, estimate]) => {
    const { unit = "count", says = "" } = METRICS.get(metric) ?? {}
    const { least, most } = estimate
    const text = estimateText(metric, estimate, replications.length)
    return [capital(figureWords(metric)), text, showFigure(least, unit), showFigure(most, unit), says, metric]
  })
  const states = Object.entries(statesOf(replications)).map(
    ([state, { n, mean_ms: mean, half_width_ms: half }]) => [
      state,
      `${showFigure(mean, "ms")}${half === null ? "" : ` ± ${showFigure(half, "ms")}`}`,
      n,
    ],
  )
  const counts = [...meanCounts(replications)].map(([what, count]) => [what, showFigure(count, "count")])
  return html`<details>
      <summary>Figures: ${name}</summary>
      ${table(`Figures, ${name}`, ["Figure", "Estimate and 95 % interval", "Least", "Most", "Meaning", "Key"], rows)}
    </details>
    <details>
      <summary>Time in each state of the machines: ${name}</summary>
      ${table(`Time in each state of the machines, ${name}`, ["State", "Mean and 95 % interval", "Stays"], states)}
    </details>
    <details>
      <summary>Declines, cancellations, exceptions and other counts: ${name}</summary>
      ${table(`Counts, on average a replication, ${name}`, ["What", "Count"], counts)}
    </details>`
}
