/** The forecast of a site, read again while the page is visible. */

import { useRefresh, useResource } from "../../resource.ts"
import { readForecast } from "./calls.ts"
import type { ForecastRecord } from "./records.ts"

/** ms between reads while the service makes the first one */
const MAKING_MS = 5_000
/** ms between reads otherwise; the service makes one a minute */
const USUAL_MS = 30_000

/** Null before the first answer, and while reads fail from the start: the board says that it is cut off. */
export function useForecast(siteId: string): ForecastRecord | null {
  const { data, reload } = useResource(() => readForecast(siteId), [siteId])
  useRefresh(reload, data?.state === "being_made" ? MAKING_MS : USUAL_MS)
  return data
}
