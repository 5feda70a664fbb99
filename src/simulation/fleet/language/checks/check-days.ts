/** Checks what a model asks of days, weekdays and hours: the measured time has them, and several where one is the worst. */

import type { LocalStart } from "../../../scenario/language/language.ts"
import { adviceFor } from "../../../scenario/language/problems.ts"
import type { Report } from "../../../scenario/language/problems.ts"
import type { WrittenMap } from "../../../scenario/language/source.ts"
import { figureNamed } from "../metrics.ts"
import type { WrittenFleet } from "../model.ts"
import { isTimePart, timePartsOf } from "../time-parts.ts"
import { spanAt } from "../written-part.ts"

export function checkDays(
  written: WrittenFleet,
  { root, report, clock }: { readonly root: WrittenMap; readonly report: Report; readonly clock: LocalStart },
): void {
  const { horizon, warm_up, worst } = written
  if (warm_up >= horizon) return
  const timed = { clock, horizon, warm_up }
  for (const key of ["promises", "until"] as const) {
    for (const { metric } of written[key]) {
      const { part } = figureNamed(metric)
      if (part === null || !isTimePart(part)) continue
      const names = timePartsOf(timed, part.kind).map(({ name }) => name)
      if (names.includes(part.name)) continue
      report(
        spanAt(root, [key, metric]),
        `the measured time has no ${part.kind} ${JSON.stringify(part.name)}`,
        adviceFor(part.name, names),
      )
    }
  }
  if (worst !== null && timePartsOf(timed, worst).length < 2)
    report(spanAt(root, ["worst"]), `the measured time has one ${worst}, so none is the worst`, {
      help: "make the horizon longer, or leave it out",
    })
}
