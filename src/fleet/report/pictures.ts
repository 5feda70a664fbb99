/** Pictures that need no script: a histogram, and a metric over the values of a sweep with its intervals. */

import { html } from "../../html/markup.ts"
import type { Html } from "../../html/markup.ts"
import type { Estimate } from "../results/statistics.ts"

const [WIDTH, HEIGHT, LEFT, BOTTOM] = [720, 240, 64, 36]

interface Bar {
  readonly name: string
  readonly count: number
}

/** Bars side by side; `says` is the text for readers who do not see them. */
export function bars(found: readonly Bar[], says: string): Html {
  const most = Math.max(1, ...found.map(({ count }) => count))
  const step = (WIDTH - LEFT) / Math.max(1, found.length)
  const every = Math.ceil(found.length / 12)
  return html`<svg viewBox="0 0 ${WIDTH} ${HEIGHT}" role="img" aria-label="${says}">
    <text x="0" y="14">${most}</text>
    <text x="0" y="${HEIGHT - BOTTOM}">0</text>
    ${found.map(({ name, count }, at) => {
      const height = round(((HEIGHT - BOTTOM - 12) * count) / most)
      const x = round(LEFT + at * step)
      const label = at % every === 0 ? html`<text x="${x}" y="${HEIGHT - 14}">${name}</text>` : html``
      return html`<rect
          x="${x}"
          y="${round(HEIGHT - BOTTOM - height)}"
          width="${round(Math.max(1, step - 2))}"
          height="${height}"
          fill="var(--series-1)"
        />${label}`
    })}
  </svg>`
}

export interface SweepPoint {
  readonly name: string
  readonly estimate: Estimate
}

/** Means with their intervals, joined in the order of the sweep. */
export function curve(points: readonly SweepPoint[], says: string, shown: (value: number) => string): Html {
  const known = points.filter(({ estimate }) => estimate.value !== null)
  const tops = known.map(({ estimate }) => estimate.high ?? estimate.value ?? 0)
  const most = Math.max(Number.MIN_VALUE, ...tops)
  const y = (value: number): number =>
    round(HEIGHT - BOTTOM - ((HEIGHT - BOTTOM - 16) * Math.max(0, value)) / most)
  const x = (at: number): number =>
    round(LEFT + ((WIDTH - LEFT - 40) * (at + 0.5)) / Math.max(1, known.length))
  const path = known
    .map(({ estimate }, at) => `${at === 0 ? "M" : "L"}${x(at)} ${y(estimate.value ?? 0)}`)
    .join(" ")
  return html`<svg viewBox="0 0 ${WIDTH} ${HEIGHT}" role="img" aria-label="${says}">
    <text x="0" y="14">${shown(most)}</text>
    <text x="0" y="${HEIGHT - BOTTOM}">${shown(0)}</text>
    <line x1="${LEFT}" x2="${WIDTH}" y1="${HEIGHT - BOTTOM}" y2="${HEIGHT - BOTTOM}" stroke="var(--line)" />
    <path d="${path}" fill="none" stroke="var(--series-1)" stroke-width="2" />
    ${known.map(({ name, estimate }, at) => {
      const { value, low, high } = estimate
      const mean = value ?? 0
      return html`<line
          x1="${x(at)}"
          x2="${x(at)}"
          y1="${y(low ?? mean)}"
          y2="${y(high ?? most)}"
          stroke="var(--ink)"
          stroke-width="2"
        />
        <circle cx="${x(at)}" cy="${y(mean)}" r="5" fill="var(--series-1)" /><text
          x="${x(at)}"
          y="${HEIGHT - 14}"
          text-anchor="middle"
          >${name}</text
        >`
    })}
  </svg>`
}

/** Rounds to a tenth of a pixel: further digits cannot be seen. */
function round(pixels: number): number {
  return Math.round(pixels * 10) / 10
}
