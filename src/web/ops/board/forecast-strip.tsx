/** The forecast on the board: a sentence, what one more runner would change, and how it was counted. */

import type { JSX } from "preact"
import { countdownOf } from "../../components/countdown.ts"
import { Icon } from "../../design/icon.tsx"
import { ForecastChart } from "./forecast-chart.tsx"
import { useForecast } from "./forecast.ts"
import { aheadWords, factsOf, failureWords, forecastWords } from "./forecast-words.ts"
import type { BoardRecord, ForecastFigures, ForecastRecord } from "./records.ts"
import { clockTime, lengthOf } from "./times.ts"

interface ForecastProps {
  readonly board: BoardRecord
  readonly nowMs: number
}

/** Nothing for a site with too little history. */
export function ForecastStrip({ board, nowMs }: ForecastProps): JSX.Element | null {
  const forecast = useForecast(board.site_id)
  if (forecast === null || forecast.state === "too_little_history") return null
  const { figures } = forecast
  if (figures !== null)
    return <Figures forecast={forecast} figures={figures} nowMs={nowMs} zone={board.timezone} />
  return (
    <section class="forecast quiet" aria-label="Forecast">
      <p class="forecast-line">
        <Icon name={forecast.state === "unavailable" ? "circle-alert" : "clock"} />
        <span>{quietWords(forecast, board.timezone)}</span>
      </p>
    </section>
  )
}

function quietWords(forecast: ForecastRecord, zone: string | null): string {
  const ahead = aheadWords(forecast)
  if (forecast.state !== "unavailable") return `The forecast of ${ahead} is being made.`
  const again = `The service tries again at ${clockTime(forecast.ask_again_at, zone)}.`
  return `No forecast of ${ahead}: ${failureWords(forecast.reason)}. ${again}`
}

interface FiguresProps {
  readonly forecast: ForecastRecord
  readonly figures: ForecastFigures
  readonly nowMs: number
  readonly zone: string | null
}

function Figures({ forecast, figures, nowMs, zone }: FiguresProps): JSX.Element {
  const { isBad, headline, counts, change } = forecastWords(forecast, figures, zone)
  const age = lengthOf(nowMs - Date.parse(figures.made_at))
  return (
    <section class={`forecast${isBad ? " breaks" : ""}`} aria-label="Forecast">
      <div class="forecast-said">
        <p class="forecast-head">
          <Icon name={isBad ? "trending-up" : "circle-check"} />
          <strong>{headline}</strong>
        </p>
        <p class="forecast-text">
          {counts} {change === "" ? null : <strong>{change}</strong>}{" "}
          <span class="forecast-age">
            From {figures.runs} runs, {age} ago.
          </span>
        </p>
        <details>
          <summary>How it was counted</summary>
          <Counted figures={figures} zone={zone} />
        </details>
      </div>
      <ForecastChart figures={figures} zone={zone} />
    </section>
  )
}

/** Also the figures of the chart, for those who do not see it. */
function Counted({
  figures,
  zone,
}: {
  readonly figures: ForecastFigures
  readonly zone: string | null
}): JSX.Element {
  const hasMore = figures.pickups_with_one_more !== null
  const shown = (ms: number | null): string => (ms === null ? "none" : countdownOf(ms).text)
  return (
    <>
      <dl class="facts">
        {factsOf(figures, zone).map(([name, value]) => (
          <>
            <dt key={`${name} name`}>{name}</dt>
            <dd key={name}>{value}</dd>
          </>
        ))}
      </dl>
      <table class="table" aria-label="Waits by the quarter of an hour, in minutes and seconds">
        <thead>
          <tr>
            <th scope="col">From</th>
            <th scope="col">Half wait less than</th>
            <th scope="col">19 of 20 less than</th>
            {hasMore ? <th scope="col">19 of 20, one more runner</th> : null}
          </tr>
        </thead>
        <tbody>
          {figures.waits.map((quarter) => (
            <tr key={quarter.at}>
              <th scope="row">{clockTime(quarter.at, zone)}</th>
              <td>{shown(quarter.wait_ms)}</td>
              <td>{shown(quarter.wait_p95_ms)}</td>
              {hasMore ? <td>{shown(quarter.wait_p95_ms_with_one_more)}</td> : null}
            </tr>
          ))}
        </tbody>
      </table>
      <p class="forecast-text">It does not know:</p>
      <ul class="forecast-unknown">
        {figures.not_known.map((sentence) => (
          <li key={sentence}>{sentence}</li>
        ))}
      </ul>
    </>
  )
}

/** On a wall: one sentence in big type. */
export function KioskForecast({ board }: { readonly board: BoardRecord }): JSX.Element | null {
  const forecast = useForecast(board.site_id)
  if (forecast === null || forecast.state === "too_little_history") return null
  const { figures } = forecast
  if (figures === null) return <p class="kiosk-forecast quiet">{quietWords(forecast, board.timezone)}</p>
  const { isBad, headline, change } = forecastWords(forecast, figures, board.timezone)
  return (
    <p class={`kiosk-forecast${isBad ? " breaks" : ""}`}>
      <Icon name={isBad ? "trending-up" : "circle-check"} isLarge />
      <span>
        <strong>{headline}.</strong> {change}
      </span>
    </p>
  )
}
