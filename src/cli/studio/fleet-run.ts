/** The run of a fleet model for the studio's page: on threads, as a stream of progress that ends with the answer. */

import { capital, caseLabel } from "../../simulation/fleet/results/phrases.ts"
import { availableParallelism } from "node:os"
import { unitOf, RESOURCES, showChange, showFigure } from "../../simulation/fleet/language/metrics.ts"
import type { FleetModel } from "../../simulation/fleet/language/model.ts"
import { runFleet } from "../fleets/parallel/run-fleet.ts"
import { startThreads } from "../fleets/parallel/threads.ts"
import { answerOf } from "../../simulation/fleet/results/answer.ts"
import { figureWords, promiseWords } from "../../simulation/fleet/results/promise-words.ts"
import { shownMeasure, waitsByHour } from "../../simulation/fleet/results/by-hour.ts"
import type { FleetResult } from "../../simulation/fleet/results/fleet-result.ts"
import {
  recommendedOf,
  standingOfPromise,
  standingOfResult,
} from "../../simulation/fleet/results/recommend.ts"
import { figureText, marginOf, meanSeries } from "../../simulation/fleet/results/summary.ts"
import type { CaseResult } from "../../simulation/fleet/results/summary.ts"
import { STRETCH_MS } from "../../simulation/fleet/world/tally.ts"
import { SiteClock } from "../../simulation/scenario/language/site-clock.ts"
import type {
  FleetAnswer,
  FleetCurve,
  FleetMargin,
  FleetProgress,
} from "../../pages/web/studio/fleets/fleet-contract.ts"
import { jsonLines } from "./told-lines.ts"

/** One processor stays free for the server and the page. */
const WORKERS = Math.max(1, availableParallelism() - 1)

/** `keepReport` keeps the whole report of the result and returns its path. The threads end with the stream. */
export async function* fleetRun(
  model: FleetModel,
  keepReport: (result: FleetResult) => string,
  signal: AbortSignal,
): AsyncGenerator<string> {
  const threads = startThreads(WORKERS)
  const work = async (say: (line: FleetProgress) => void): Promise<void> => {
    let done = 0
    const onDone = (_: unknown, wanted: number): void => {
      done += 1
      say({ is: "progress", done, wanted })
    }
    const result = await runFleet(model, { seeds: null, replicate: threads.replicate, onDone })
    say({ is: "answer", answer: answerFor(result, keepReport(result)) })
  }
  try {
    yield* jsonLines(work, signal)
  } finally {
    await threads.close()
  }
}

function answerFor(result: FleetResult, report: string): FleetAnswer {
  const { model, cases } = result
  const { shown } = recommendedOf(result)
  return {
    standing: model.promises.length === 0 ? null : standingOfResult(result),
    ...answerOf(result),
    margins: cases.flatMap((one) => marginsOf(one, cases.length)),
    curves: shown === null ? [] : [waitsCurve(model, shown), ...useCurves(model, shown)],
    replications: cases.reduce((sum, { replications }) => sum + replications.length, 0),
    report,
  }
}

function marginsOf({ settings, promises }: CaseResult, cases: number): readonly FleetMargin[] {
  return promises.map((kept) => {
    const { promise, estimate } = kept
    const margin = marginOf(kept)
    const unit = unitOf(promise.metric)
    return {
      promise: promiseWords(promise),
      ofCase: cases === 1 ? "" : caseLabel(settings),
      standing: standingOfPromise(kept),
      found: figureText(promise.metric, estimate),
      margin:
        margin === null
          ? "–"
          : `${showChange(Math.abs(margin), unit)} ${margin >= 0 ? "to spare" : "too far"}`,
    }
  })
}

function waitsCurve(model: FleetModel, one: CaseResult): FleetCurve {
  const shown = shownMeasure(model)
  const { measure, high, limit } = shown
  // The curve is of one percentile, so a limit of another statistic has no place in it.
  const limitMs = limit?.of === high ? limit.ms : null
  return {
    title: `${capital(figureWords(`${measure}_${high}`))}, by the hour in which it began`,
    limit: limitMs,
    limitText: limitMs === null ? null : showFigure(limitMs, "ms"),
    points: waitsByHour(shown, { model, one }).map(({ hour, upper }) => ({
      at: hour,
      value: upper.value,
      text: upper.value === null ? "too few" : showFigure(upper.value, "ms"),
    })),
  }
}

/** On average over the replications, by quarter of an hour. */
function useCurves(model: FleetModel, { replications }: CaseResult): readonly FleetCurve[] {
  const series = meanSeries(replications)
  const clock = new SiteClock(model.clock)
  return RESOURCES.flatMap((resource) => {
    const used = series.get(`${resource}.utilisation`)
    if (used === undefined) return []
    const points = used.map((value, at) => ({
      at: clock.show(clock.startMs + model.warm_up + at * STRETCH_MS),
      value,
      text: showFigure(value, "share"),
    }))
    return [{ title: `${resource}, part in use`, limit: null, limitText: null, points }]
  })
}
