/** The entries that were looked at, with how likely the outcome was after each. */

import type { JSX } from "preact"
import { useEffect, useRef } from "preact/hooks"
import { hueOf, kindWords } from "../../inspection/kinds.ts"
import { changeText } from "./figures.ts"
import type { Entry } from "./figures.ts"

interface LogProps {
  readonly entries: readonly Entry[]
  readonly chosen: number
  readonly onChoose: (entry: number) => void
}

export function Log({ entries, chosen, onChoose }: LogProps): JSX.Element {
  const list = useRef<HTMLOListElement>(null)
  useEffect(() => {
    const [box, row] = [list.current, list.current?.children[chosen]]
    if (box === null || !(row instanceof HTMLElement)) return
    // Scrolls the list alone, never the page.
    const [from, to] = [row.offsetTop, row.offsetTop + row.offsetHeight]
    if (from < box.scrollTop) box.scrollTop = from
    else if (to > box.scrollTop + box.clientHeight) box.scrollTop = to - box.clientHeight
  }, [chosen])
  return (
    <section class="log" aria-labelledby="log-title">
      <header>
        <h2 id="log-title">Log</h2>
        <p class="quiet small">odds after each entry, %</p>
      </header>
      <ol ref={list}>
        {entries.map((entry, at) => (
          <li key={entry.number} class={classOf(entry)}>
            <button
              type="button"
              aria-current={at === chosen ? "true" : undefined}
              onClick={() => onChoose(at)}
            >
              <span class="mono number">{entry.number}</span>
              <span class={`kind-square hue-${hueOf(entry.machine)}`} aria-hidden="true" />
              <span class="what">
                <strong>{entry.what}</strong>
                <span class="quiet small">
                  <span class="mono">{entry.time}</span> {kindWords(entry.machine)}
                </span>
              </span>
              <span class="change">{entry.change === null ? "" : changeText(entry.change)}</span>
              <span class="bar" aria-hidden="true">
                <span style={{ width: `${entry.odds.value * 100}%` }} />
              </span>
              <span class="odds">{Math.round(entry.odds.value * 100)}</span>
            </button>
          </li>
        ))}
      </ol>
    </section>
  )
}

function classOf({ isMoment, isLater }: Entry): string | undefined {
  if (isMoment) return "is-moment"
  return isLater ? "is-later" : undefined
}
