/** What another choice of vehicles would change in the next hours, by the forecast of the site on the same chance. Shown before it is saved. */

import type { JSX } from "preact"
import { useRefresh, useResource } from "../../resource.ts"
import { api, dataOf } from "../api.ts"
import type { Schemas } from "../api.ts"
import type { Site } from "../sites.ts"

type Policy = Site["dispatch_policy"]
type ForecastRecord = Schemas["SiteForecast"]
type AtTheDoor = Schemas["ForecastAtTheDoor"]

/** ms between reads until the forecast is made */
const MAKING_MS = 5_000

interface PolicyForecastProps {
  readonly siteId: string
  readonly other: Policy
}

export function PolicyForecast({ siteId, other }: PolicyForecastProps): JSX.Element {
  const { data, fault, reload } = useResource(() => readFor(siteId, other), [siteId, other])
  const isMade = data !== null && !data.is_being_made && data.state !== "being_made"
  useRefresh(reload, isMade || fault !== null ? null : MAKING_MS)
  const words = data === null ? MAKING : differenceWords(data)
  return (
    <p role="status">{fault === null ? words : `There is no forecast for this choice: ${fault.message}`}</p>
  )
}

async function readFor(siteId: string, policy: Policy): Promise<ForecastRecord> {
  const params = { path: { id: siteId }, query: { dispatch_policy: policy } }
  const { forecast } = await dataOf(api.GET("/internal/v1/sites/{id}/forecast", { params }))
  return forecast
}

const MAKING = "The forecast of the next 2 hours is being made for this choice."

function differenceWords({ state, figures }: ForecastRecord): string {
  if (state === "too_little_history")
    return "There is no forecast for this choice: the site has too few reservations or deliveries to learn from."
  if (state === "unavailable") return "There is no forecast for this choice: the last attempt failed."
  if (figures === null) return MAKING
  const sentences = [
    doorWords("deliveries", figures.deliveries),
    doorWords("errands", figures.errands),
  ].filter((sentence) => sentence !== null)
  return sentences.length === 0
    ? "Deliveries are not part of the site's forecast, so it does not say what this choice changes."
    : `In the next 2 hours, by ${figures.runs} runs on the same chance: ${sentences.join(" ")}`
}

function doorWords(noun: string, door: AtTheDoor | null): string | null {
  const then = door?.with_policy ?? null
  if (door === null || then === null) return null
  return `With this choice ${countOf(then.late)} of ${countOf(then.all)} ${noun} come late; as it is, ${countOf(door.late)} of ${countOf(door.all)}.`
}

/** Averages of many runs. */
function countOf(value: number): string {
  return value.toFixed(1)
}
