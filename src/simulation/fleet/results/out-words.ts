/** What is out in words, and what that does to the promises of a model. */

import { listed } from "../../../model/values/listed.ts"
import { counted } from "../../scenario/language/counted.ts"
import { SiteClock } from "../../scenario/language/site-clock.ts"
import { inCase } from "../language/cases.ts"
import { isMeasuredIn } from "../language/checks/check-questions.ts"
import { changeTimeText } from "../language/changes.ts"
import { figureNamed, showFigure, unitOf } from "../language/metrics.ts"
import type { FleetModel } from "../language/model.ts"
import { outSpans } from "../language/out.ts"
import type { FleetOut, OutEffect } from "../language/out.ts"
import { isOfEachPart } from "../language/part-limits.ts"
import { streetWords } from "../travel/street-choice.ts"
import { STRETCH_MS } from "../world/tally.ts"
import { sentence } from "./phrases.ts"
import { figureWords } from "./promise-words.ts"
import { gapOf } from "./recommend.ts"
import { estimatesWithin, keptPromise, stretchesOf } from "./summary.ts"
import type { CaseResult } from "./summary.ts"

/** `2 vehicles at north and the kitchen of tacos`. */
export function outWords({ effects }: Pick<FleetOut, "effects">): string {
  return listed([...effects.values()].map(effectWords))
}

function effectWords(effect: OutEffect): string {
  switch (effect.is) {
    case "service":
      return "the service"
    case "street":
      return streetWords(effect.street)
    case "kitchen":
      return `the kitchen of ${effect.store}`
    case "count": {
      const what = counted(effect.count, effect.resource.slice(0, -1))
      const each = effect.resource === "cooks" ? `${what} of each kitchen` : what
      return effect.site === null ? each : `${each} at ${effect.site}`
    }
  }
}

/**
 * Of each entry at times, the promise that fails first then: `With 2 vehicles out from 12:00 to 14:00 the wait of 90 of 100 deliveries fails
 * first: 21m, 9m at other times.`
 */
export function outReasons(written: FleetModel, one: CaseResult): readonly string[] {
  const model = inCase(written, one.settings)
  const withoutWay = one.replications.reduce(
    (sum, { counts }) => sum + (counts["vehicles.without_a_way"] ?? 0) / one.replications.length,
    0,
  )
  return [
    ...model.out.flatMap((out) => outReason(out, model, one) ?? []),
    ...(withoutWay === 0
      ? []
      : [
          `${counted(Math.max(1, Math.round(withoutWay)), "drive")} of a run waited, because each street that leads there was out.`,
        ]),
  ]
}

function outReason({ when, effects }: FleetOut, model: FleetModel, one: CaseResult): string | null {
  if (when.is === "chance") return null
  const isOut = outStretches(when, model)
  const stretches = stretchesOf(model)
  const promises = model.promises.filter(
    (promise) =>
      figureNamed(promise.metric).part === null &&
      isOfEachPart(promise) &&
      isMeasuredIn({ kind: "day", name: "" }, promise.metric, model),
  )
  const during = estimatesWithin(model, one.replications, (stretch) => isOut.has(stretch))
  const [worst] = promises
    .map((promise) => keptPromise(promise, during.of(promise.metric)))
    .filter(({ estimate }) => estimate.value !== null)
    .toSorted((a, b) => gapOf(b) - gapOf(a))
  if (worst === undefined) return null
  const { metric } = worst.promise
  const rest = estimatesWithin(
    model,
    one.replications,
    (stretch) => stretch < stretches && !isOut.has(stretch),
  )
  const show = (value: number | null): string => showFigure(value, unitOf(metric))
  const figures = `${show(worst.estimate.value)}, ${show(rest.of(metric).value)} at other times`
  const times = `from ${changeTimeText(when.from)} to ${changeTimeText(when.to)}`
  const does = worst.isCertain ? "fails" : "may fail"
  const first = promises.length > 1 ? " first" : ""
  const says = worst.isKept
    ? `${promises.length > 1 ? "every promise is kept; nearest to its limit is" : "the promise is kept:"} the ${figureWords(metric)}, ${figures}`
    : `the ${figureWords(metric)} ${does}${first}: ${figures}`
  return sentence(`with ${outWords({ effects })} out ${times} ${says}`)
}

/** The measured quarters of an hour that begin while it is out. */
function outStretches(
  when: Extract<FleetOut["when"], { readonly is: "times" }>,
  model: FleetModel,
): ReadonlySet<number> {
  const { startMs } = new SiteClock(model.clock)
  const spans = outSpans(when, { startMs, horizonMs: model.horizon, timeZone: model.clock.timeZone })
  const fromMs = startMs + model.warm_up
  const all = Array.from({ length: stretchesOf(model) }, (_, stretch) => stretch)
  return new Set(
    all.filter((stretch) => {
      const atMs = fromMs + stretch * STRETCH_MS
      return spans.some((span) => atMs >= span.fromMs && atMs < span.untilMs)
    }),
  )
}
