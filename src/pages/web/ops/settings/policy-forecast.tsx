/** What another choice of vehicles would change in the next hours, by the forecast of the site on the same chance. Shown before it is saved. */

import type { JSX } from "preact"
import { Facts } from "../../design/table.tsx"
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
  return (
    <div role="status" class="stack">
      {fault === null ? (
        <Difference record={data} />
      ) : (
        <p>There is no forecast for this choice. {fault.message}</p>
      )}
    </div>
  )
}

async function readFor(siteId: string, policy: Policy): Promise<ForecastRecord> {
  const params = { path: { id: siteId }, query: { dispatch_policy: policy } }
  const { forecast } = await dataOf(api.GET("/internal/v1/sites/{id}/forecast", { params }))
  return forecast
}

function Difference({ record }: { readonly record: ForecastRecord | null }): JSX.Element {
  const figures = record?.figures ?? null
  if (record === null || figures === null) return <p>{reasonWords(record)}</p>
  const facts = [
    factOf("Late deliveries", figures.deliveries),
    factOf("Late errands", figures.errands),
  ].filter((fact) => fact !== null)
  if (facts.length === 0)
    return <p>Deliveries are not part of the site's forecast, so it does not say what this choice changes.</p>
  return (
    <>
      <p>What this choice changes in the next 2 hours, by {figures.runs} runs of the forecast:</p>
      <Facts facts={facts} />
    </>
  )
}

/** Why there are no figures. */
function reasonWords(record: ForecastRecord | null): string {
  switch (record?.state) {
    case "too_little_history":
      return "There is no forecast for this choice: the site has too few reservations or deliveries to learn from."
    case "unavailable":
      return "There is no forecast for this choice: the last attempt failed."
    default:
      return "The forecast of the next 2 hours is being made for this choice."
  }
}

function factOf(noun: string, door: AtTheDoor | null): readonly [string, string] | null {
  const then = door?.with_policy ?? null
  if (door === null || then === null) return null
  return [
    noun,
    `${countOf(then.late)} of ${countOf(then.all)}; as it is, ${countOf(door.late)} of ${countOf(door.all)}`,
  ]
}

/** Averages of many runs. */
function countOf(value: number): string {
  return value.toFixed(1)
}
