/** A map of days by hours: the stronger the colour of a cell, the longer the waits that began then. */

import { html } from "../../../pages/html/markup.ts"
import type { Html } from "../../../pages/html/markup.ts"
import { showFigure } from "../language/metrics.ts"
import { partLabel } from "../language/time-parts.ts"
import type { DayOfHours, HourCell } from "../results/by-day-hour.ts"
import type { ShownMeasure } from "../results/by-hour.ts"
import { measureWords } from "../results/promise-words.ts"
import { forBothWidths, picture, roundPx } from "./axis.ts"
import type { Frame } from "./axis.ts"

/** px of a row. */
const ROW = { wide: 28, narrow: 24 } as const

/** The lightest cell, so that every hour of the run is seen. */
const LEAST_SHADE = 0.08

export function heatMap(days: readonly DayOfHours[], shown: ShownMeasure): Html {
  return forBothWidths((frame) => cells(days, shown, frame), 1040)
}

function cells(
  days: readonly DayOfHours[],
  { high, measure, limit }: ShownMeasure,
  { width, isNarrow }: Frame,
): Html {
  const [left, top] = isNarrow ? [52, 8] : [140, 8]
  const row = isNarrow ? ROW.narrow : ROW.wide
  const hours = days[0]?.hours.map(({ hour }) => hour) ?? []
  const each = (width - left) / Math.max(1, hours.length)
  const most = Math.max(1, ...days.flatMap((day) => day.hours.map(({ upper }) => upper.value ?? 0)))
  const bottom = top + days.length * row
  // The digits of a label need so many columns.
  const every = [1, 2, 3, 4, 6, 12].find((one) => one * each >= 44) ?? 12
  const limitMs = limit?.of === high ? limit.ms : null
  const says = `${measureWords(measure)}, ${high} by day and hour: ${days.map(dayText).join("; ")}`
  return picture({ width, height: bottom + 24, says }, [
    ...days.flatMap(({ day, hours: ofDay }, at) => {
      const y = top + at * row
      return [
        html`<text class="tick" x="${left - 8}" y="${y + row / 2 + 4}" text-anchor="end"
          >${isNarrow ? shortLabel(partLabel(day)) : partLabel(day)}</text
        >`,
        ...ofDay.map((cell, column) => {
          const x = roundPx(left + column * each)
          const size = { width: roundPx(each - 2), height: row - 2 }
          return cellOf(cell, { x, y, ...size, shade: (cell.upper.value ?? 0) / most, limitMs })
        }),
      ]
    }),
    ...hours.flatMap((hour, column) =>
      column % every === 0
        ? [html`<text class="tick" x="${roundPx(left + column * each)}" y="${bottom + 16}">${hour}</text>`]
        : [],
    ),
  ])
}

interface CellBox {
  readonly x: number
  readonly y: number
  readonly width: number
  readonly height: number
  /** 1 is the longest of all. */
  readonly shade: number
  readonly limitMs: number | null
}

function cellOf({ isInRun, waits, upper }: HourCell, { x, y, width, height, shade, limitMs }: CellBox): Html {
  if (!isInRun) return html``
  if (upper.value === null)
    return html`<rect class="few" x="${x}" y="${y}" width="${width}" height="${height}" />`
  const opacity = Math.round((LEAST_SHADE + (1 - LEAST_SHADE) * shade) * 100) / 100
  const isOver = limitMs !== null && upper.value > limitMs
  return html`<rect class="heat" x="${x}" y="${y}" width="${width}" height="${height}" opacity="${opacity}"
      ><title>${showFigure(upper.value, "ms")}, ${waits} orders</title></rect
    >${
      isOver
        ? html`<rect
            class="over"
            x="${x + 1}"
            y="${y + 1}"
            width="${roundPx(width - 2)}"
            height="${height - 2}"
          />`
        : html``
    }`
}

/** `Friday 6 March` as `Fri 6`. */
function shortLabel(label: string): string {
  const [weekday = "", date = ""] = label.split(" ")
  return `${weekday.slice(0, 3)} ${date}`
}

function dayText({ day, hours }: DayOfHours): string {
  const known = hours.flatMap(({ hour, upper }) =>
    upper.value === null ? [] : [`${hour} ${showFigure(upper.value, "ms")}`],
  )
  return `${partLabel(day)}: ${known.length === 0 ? "too few" : known.join(", ")}`
}
