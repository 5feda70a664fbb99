/** The forecast on the board: sentences about pickups, deliveries and errands, what one more runner or vehicle would change, and how it was counted. */

import type { JSX } from "preact"
import { countdownOf } from "../../components/countdown.ts"
import { Icon } from "../../design/icon.tsx"
import type { IconName } from "../../design/icon.tsx"
import { ForecastChart } from "./forecast-chart.tsx"
import { useForecast } from "./forecast.ts"
import {
  ageOf,
  aheadWords,
  factsOf,
  failureWords,
  forecastLines,
  historyWords,
  promiseWords,
} from "./forecast-words.ts"
import type { ForecastLine } from "./forecast-words.ts"
import type { BoardRecord, ForecastFigures, ForecastRecord } from "./records.ts"
import { clockTime } from "./times.ts"
import { isCalm } from "./words.ts"

interface ForecastProps {
  readonly board: BoardRecord
  readonly nowMs: number
}

export function ForecastStrip({ board, nowMs }: ForecastProps): JSX.Element | null {
  const forecast = useForecast(board.site_id)
  if (forecast === null) return null
  const { figures } = forecast
  if (figures !== null) return <Figures forecast={forecast} figures={figures} nowMs={nowMs} board={board} />
  return (
    <section class="forecast quiet" aria-label="Forecast">
      <p class="forecast-line">
        <Icon name={forecast.state === "unavailable" ? "circle-alert" : "clock"} />
        <span>{quietWords(forecast, board)}</span>
      </p>
    </section>
  )
}

function quietWords(forecast: ForecastRecord, board: BoardRecord): string {
  const ahead = aheadWords(forecast)
  if (forecast.state === "too_little_history") return historyWords(forecast, Date.parse(board.at))
  if (forecast.state !== "unavailable") return `The forecast of ${ahead} is being made.`
  const again = `The service tries again at ${clockTime(forecast.ask_again_at, board.timezone)}.`
  return `No forecast of ${ahead}: ${failureWords(forecast.reason)}. ${again}`
}

interface FiguresProps {
  readonly forecast: ForecastRecord
  readonly figures: ForecastFigures
  readonly nowMs: number
  readonly board: BoardRecord
}

function Figures({ forecast, figures, nowMs, board }: FiguresProps): JSX.Element {
  const zone = board.timezone
  const age = ageOf(figures, nowMs)
  return (
    <section
      class={`forecast${age.isOld ? " old" : ""}${isCalm(board) ? "" : " beside-danger"}`}
      aria-label="Forecast"
    >
      <div class="forecast-said">
        {forecastLines(forecast, figures, zone).map((line) => (
          <Line key={line.about} line={line} />
        ))}
        <p class="forecast-text">
          {age.isOld ? <Icon name="clock" /> : null}
          {age.text}
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

function Line({ line }: { readonly line: ForecastLine }): JSX.Element {
  const { isBad, headline, counts, change } = line
  return (
    <div class={`forecast-part${isBad ? " breaks" : ""}`}>
      <p class="forecast-head">
        <Icon name={iconOf(line)} />
        <strong>{headline}</strong>
      </p>
      {counts === "" ? null : (
        <p class="forecast-text">
          {counts} {change === "" ? null : <strong>{change}</strong>}
        </p>
      )}
    </div>
  )
}

function iconOf({ isBad, about }: ForecastLine): IconName {
  if (!isBad) return "circle-check"
  return about === "pickups" ? "trending-up" : "triangle-alert"
}

interface CountedProps {
  readonly figures: ForecastFigures
  readonly zone: string | null
}

/** Also the figures of the chart, for those who do not see it. */
function Counted({ figures, zone }: CountedProps): JSX.Element {
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
      <Promises figures={figures} zone={zone} />
      {figures.waits.some(({ wait_ms: ms }) => ms !== null) ? <Waits figures={figures} zone={zone} /> : null}
      <p class="forecast-text">It does not know:</p>
      <ul class="forecast-unknown">
        {figures.not_known.map((sentence) => (
          <li key={sentence}>{sentence}</li>
        ))}
      </ul>
    </>
  )
}

function Promises({ figures, zone }: CountedProps): JSX.Element {
  return (
    <table class="table" aria-label="Promises and how likely each breaks">
      <thead>
        <tr>
          <th scope="col">Promise</th>
          <th scope="col">Likely to break</th>
          <th scope="col">With one more</th>
          <th scope="col">First at</th>
        </tr>
      </thead>
      <tbody>
        {promiseWords(figures, zone).map(({ metric, promise, breaks, withOneMore, at }) => (
          <tr key={metric}>
            <th scope="row">{promise}</th>
            <td>{breaks}</td>
            <td>{withOneMore}</td>
            <td>{at}</td>
          </tr>
        ))}
      </tbody>
    </table>
  )
}

function Waits({ figures, zone }: CountedProps): JSX.Element {
  const hasMore = figures.pickups_with_one_more !== null
  const shown = (ms: number | null): string => (ms === null ? "none" : countdownOf(ms).text)
  return (
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
  )
}

/** On a wall: what breaks, in big type; else that nothing does. */
export function KioskForecast({ board, nowMs }: ForecastProps): JSX.Element | null {
  const forecast = useForecast(board.site_id)
  if (forecast === null) return null
  const { figures } = forecast
  if (figures === null) return <p class="kiosk-forecast quiet">{quietWords(forecast, board)}</p>
  const age = ageOf(figures, nowMs)
  if (age.isOld) return <p class="kiosk-forecast quiet">The forecast is too old to rely on.</p>
  const lines = forecastLines(forecast, figures, board.timezone)
  const breaking = lines.filter(({ isBad }) => isBad)
  return (
    <div class="kiosk-forecasts">
      {(breaking.length === 0 ? lines : breaking).map((line) => (
        <p
          key={line.about}
          class={`kiosk-forecast${line.isBad ? " breaks" : isCalm(board) ? "" : " beside-danger"}`}
        >
          <Icon name={iconOf(line)} isLarge />
          <span>
            <strong>{line.headline}.</strong> {line.change}
          </span>
        </p>
      ))}
    </div>
  )
}
