/**
 * The strip: the whole run as a density of entries over time, with its failed marks, its folds and the playhead. Over it lies
 * a slider, so that it is dragged, clicked and reached by the keyboard like any other.
 */

import type { JSX } from "preact"
import { useMemo } from "preact/hooks"
import { clockText, durationText } from "../../inspection/durations.ts"
import { placeOf, stretchesOf, timeAt } from "../../inspection/quiet-time.ts"
import type { Stretch } from "../../inspection/quiet-time.ts"
import type { RunIndex } from "../../inspection/run-index.ts"
import { at, rowCount } from "../../inspection/run-index.ts"
import { isFailure } from "./navigation.ts"
import type { Scene } from "./scene.ts"
import { SECOND_MS } from "../../model/time.ts"

/** Steps of the slider and of the drawing. */
const STEPS = 10_000
const BARS = 240
const HEIGHT = 40
const LABELS = 6

/** Keys of the slider, in parts of the run; each goes one entry at least, because so long a stretch may hold none. */
const LEAPS: Readonly<Record<string, number>> = {
  PageUp: 0.1,
  PageDown: -0.1,
  ArrowUp: 1 / STEPS,
  ArrowDown: -1 / STEPS,
}

export function Strip({ run, view, s, t, go }: Scene): JSX.Element {
  const { index } = run
  const stretches = useMemo(
    () => stretchesOf(index.t, { isFolding: view.isFolding }),
    [index, view.isFolding],
  )
  const bars = useMemo(() => barsOf(index, stretches), [index, stretches])
  const failures = useMemo(() => failuresOf(index, stretches), [index, stretches])
  const playhead = placeOf(stretches, t)
  const jump = (value: number): void => {
    go({ row: run.positions.rowAtTime(timeAt(stretches, value / STEPS)), isPlaying: false })
  }
  const onKeyDown = (event: KeyboardEvent): void => {
    const leap = LEAPS[event.key]
    if (leap === undefined) return
    event.preventDefault()
    const place = Math.min(1, Math.max(0, playhead + leap))
    const found = run.positions.rowAtTime(timeAt(stretches, place))
    const row = leap > 0 ? Math.max(found, view.row + 1) : Math.min(found, view.row - 1)
    go({ row: Math.max(0, Math.min(rowCount(index) - 1, row)), isPlaying: false })
  }
  return (
    <section id="strip" aria-label="Timeline" data-s={s}>
      <div class="strip-labels mono" aria-hidden="true">
        {labelsOf(stretches).map((label, number) => (
          <span key={number}>{label}</span>
        ))}
      </div>
      <div class="strip-body">
        <svg viewBox={`0 0 ${STEPS} ${HEIGHT}`} preserveAspectRatio="none" aria-hidden="true">
          {stretches
            .filter(({ isFolded }) => isFolded)
            .map((fold) => (
              <rect
                key={fold.fromT}
                class="fold"
                x={fold.from * STEPS}
                y="0"
                width={(fold.to - fold.from) * STEPS}
                height={HEIGHT}
              >
                <title>{durationText(fold.toT - fold.fromT)} of quiet time</title>
              </rect>
            ))}
          <path class="density" d={bars} />
          {failures.map((x) => (
            <path key={x} class="failure" d={`M${x} 0L${x + 40} 12H${x - 40}Z`} />
          ))}
          <rect class="playhead" x={playhead * STEPS - 8} y="0" width="16" height={HEIGHT} />
        </svg>
        <input
          type="range"
          aria-label="Playhead"
          aria-valuetext={`entry ${view.row + 1} of ${rowCount(index)}, ${clockText(t)}`}
          min="0"
          max={STEPS}
          value={Math.round(playhead * STEPS)}
          onKeyDown={onKeyDown}
          onInput={(event) => jump(Number(event.currentTarget.value))}
        />
      </div>
    </section>
  )
}

/** One path for all bars: each as high as its part of the busiest, by the square root, so that single entries are seen. */
function barsOf(index: RunIndex, stretches: readonly Stretch[]): string {
  const counts = new Int32Array(BARS)
  let stretch = 0
  for (const t of index.t) {
    while (stretch < stretches.length - 1 && t > (stretches[stretch]?.toT ?? 0)) stretch += 1
    const found = stretches[stretch]
    const bar = Math.min(BARS - 1, Math.floor(placeOf(found === undefined ? [] : [found], t) * BARS))
    counts[bar] = (counts[bar] ?? 0) + 1
  }
  const most = Math.sqrt(Math.max(1, ...counts))
  const width = STEPS / BARS
  return [...counts]
    .map((count, bar) => {
      const height = (Math.sqrt(count) / most) * (HEIGHT - 8)
      return count === 0 ? "" : `M${bar * width} ${HEIGHT}v${-height}h${width * 0.8}v${height}z`
    })
    .join("")
}

/** Where the failed marks lie, each place once. */
function failuresOf(index: RunIndex, stretches: readonly Stretch[]): readonly number[] {
  const failed = index.marks.filter(({ level }) => isFailure(level))
  return [...new Set(failed.map(({ row }) => Math.round(placeOf(stretches, at(index.t, row)) * STEPS)))]
}

/** Milliseconds are told where two labels would else be the same second. */
function labelsOf(stretches: readonly Stretch[]): readonly string[] {
  const times = Array.from({ length: LABELS }, (_, label) => timeAt(stretches, label / (LABELS - 1)))
  return times.map((ms, label) => {
    const isNear = [times[label - 1], times[label + 1]].some(
      (other) => other !== undefined && Math.abs(other - ms) < SECOND_MS,
    )
    return clockText(ms).slice(0, isNear ? undefined : 8)
  })
}
