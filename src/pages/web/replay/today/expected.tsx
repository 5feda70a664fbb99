/** The forecast of the board, for the hours after now: in words, and as instants of the time line. */

import type { JSX } from "preact"
import { useMemo } from "preact/hooks"
import { Icon } from "../../design/icon.tsx"
import { useForecast } from "../../ops/board/forecast.ts"
import { forecastLines } from "../../ops/board/forecast-words.ts"
import type { ForecastRecord } from "../../ops/board/records.ts"
import type { Expected } from "../dock/dock.tsx"
import type { Scene } from "../seen/scene.ts"

export interface ForecastToday {
  readonly words: string
  readonly isBad: boolean
  /** What is more likely than not to break, and when. */
  readonly expected: readonly Expected[]
}

export function useExpected(siteId: string, scene: Scene): ForecastToday {
  const forecast = useForecast(siteId)
  const { startMs, timeZone } = scene.head
  return useMemo(() => expectedIn(forecast, { startMs, timeZone }), [forecast, startMs, timeZone])
}

const LIKELY = 0.5

export function expectedIn(
  forecast: ForecastRecord | null,
  { startMs, timeZone }: { readonly startMs: number; readonly timeZone: string },
): ForecastToday {
  const figures = forecast?.figures ?? null
  if (forecast === null || figures === null)
    return { words: `No forecast: ${reasonOf(forecast)}.`, isBad: false, expected: [] }
  const lines = forecastLines(forecast, figures, timeZone)
  return {
    words: lines.map(({ headline, counts }) => `${headline}. ${counts}`).join(" "),
    isBad: lines.some(({ isBad }) => isBad),
    expected: figures.promises.flatMap(({ metric, bound, breaks, at }) =>
      at === null || breaks.value < LIKELY
        ? []
        : [
            {
              ms: Date.parse(at) - startMs,
              words: `Forecast: ${metric} ${bound} breaks, ${Math.round(100 * breaks.value)} % likely`,
            },
          ],
    ),
  }
}

function reasonOf(forecast: ForecastRecord | null): string {
  switch (forecast?.state) {
    case "too_little_history":
      return "the site has too little history"
    case "unavailable":
      return "the last attempt failed"
    default:
      return "it is being made"
  }
}

export function ForecastLine({ words, isBad }: ForecastToday): JSX.Element {
  return (
    <p class={isBad ? "forecast bad" : "forecast"}>
      <Icon name="trending-up" /> <strong>After now</strong> {words}
    </p>
  )
}
