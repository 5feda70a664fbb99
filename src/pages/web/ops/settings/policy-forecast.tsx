/** What another choice of vehicles would change in the next hours, by the forecasts of the site. Shown before it is saved. */

import type { JSX } from "preact"
import { useRefresh, useResource } from "../../resource.ts"
import { api, dataOf } from "../api.ts"
import type { Schemas } from "../api.ts"
import type { Site } from "../sites.ts"

type Policy = Site["dispatch_policy"]
type ForecastRecord = Schemas["SiteForecast"]
type AtTheDoor = Schemas["ForecastAtTheDoor"]

/** ms between reads until both forecasts are made */
const MAKING_MS = 5_000

interface PolicyForecastProps {
  readonly siteId: string
  readonly policy: Policy
  readonly other: Policy
}

export function PolicyForecast({ siteId, policy, other }: PolicyForecastProps): JSX.Element {
  const { data, reload } = useResource(
    () => Promise.all([readFor(siteId, policy), readFor(siteId, other)]),
    [siteId, policy, other],
  )
  useRefresh(reload, MAKING_MS)
  return <p role="status">{data === null ? MAKING : differenceWords(data)}</p>
}

async function readFor(siteId: string, policy: Policy): Promise<ForecastRecord> {
  const params = { path: { id: siteId }, query: { dispatch_policy: policy } }
  const { forecast } = await dataOf(api.GET("/internal/v1/sites/{id}/forecast", { params }))
  return forecast
}

const MAKING = "The forecast of the next 2 hours is being made for this choice."

/** `now`: by the present policy; `then`: by the other one. */
function differenceWords([now, then]: readonly [ForecastRecord, ForecastRecord]): string {
  const states = [now.state, then.state]
  if (states.includes("too_little_history"))
    return "There is no forecast for this choice: the site has too few reservations or deliveries to learn from."
  if (states.includes("unavailable")) return "There is no forecast for this choice: the last attempt failed."
  if (now.figures === null || then.figures === null) return MAKING
  const sentences = [
    doorWords("deliveries", now.figures.deliveries, then.figures.deliveries),
    doorWords("errands", now.figures.errands, then.figures.errands),
  ].filter((sentence) => sentence !== null)
  return sentences.length === 0
    ? "Deliveries are not part of the site's forecast, so it does not say what this choice changes."
    : `In the next 2 hours, by the forecast: ${sentences.join(" ")}`
}

function doorWords(noun: string, now: AtTheDoor | null, then: AtTheDoor | null): string | null {
  if (now === null || then === null) return null
  return `With this choice ${countOf(then.late)} of ${countOf(then.all)} ${noun} come late; as it is, ${countOf(now.late)} of ${countOf(now.all)}.`
}

/** Averages of many runs. */
function countOf(value: number): string {
  return value.toFixed(1)
}
