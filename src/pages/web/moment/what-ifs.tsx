/** What would have kept it: each decision that was tried, with its odds, their interval, and what they were without it. */

import type { JSX } from "preact"
import { interval, percent } from "./figures.ts"
import type { ShownDecision } from "./figures.ts"

export function WhatIfs({ decisions }: { readonly decisions: readonly ShownDecision[] }): JSX.Element {
  return (
    <section class="what-ifs" aria-labelledby="what-ifs-title">
      <header>
        <h2 id="what-ifs-title">What would have kept it</h2>
        <p class="quiet small">odds of the same end</p>
      </header>
      {decisions.length === 0 ? (
        <p class="quiet">No decision was tried.</p>
      ) : (
        <>
          <ol>
            {decisions.map((one, at) => (
              <WhatIf key={one.id} one={one} number={at + 1} />
            ))}
          </ol>
          <p class="key quiet tiny">
            <span>
              <i class="was" /> as it was
            </span>
            <span>
              <i class="half" /> half
            </span>
            <span>
              <i class="tint" /> 95 % interval
            </span>
          </p>
        </>
      )}
    </section>
  )
}

function WhatIf({ one, number }: { readonly one: ShownDecision; readonly number: number }): JSX.Element {
  const { words, when, said, shown, tone } = one
  const { odds, as_it_was: was } = shown
  return (
    <li class={number === 1 && shown.helps ? `best ${tone}` : tone}>
      <span class="number quiet">{number}</span>
      <div>
        <p class="words">
          <strong>{words}</strong>
          <strong class="odds">{percent(odds.value)}</strong>
        </p>
        <p class="quiet small">
          {when}, {interval(odds)} instead of {percent(was.value)}
        </p>
        <div class="track" aria-hidden="true">
          <span class="tint" style={{ left: along(odds.low), width: along(odds.high - odds.low) }} />
          <span class="fill" style={{ width: along(odds.value) }} />
          <span class="half" />
          <span class="was" style={{ left: along(was.value) }} />
        </div>
        <p class="small">{said}</p>
      </div>
    </li>
  )
}

function along(share: number): string {
  return `${(share * 100).toFixed(1)}%`
}
