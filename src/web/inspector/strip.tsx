/**
 * The timeline: the density of entries over time, with failed marks, folds and the playhead; the whole run, or the part
 * around the playhead that the zoom shows. A slider lies over it, so that it can be dragged, clicked and used by
 * keyboard.
 */

import type { JSX } from "preact"
import { useMemo, useRef } from "preact/hooks"
import { clockText, durationText } from "../../inspection/durations.ts"
import {
  SHOWN_MS_MIN,
  enlargedAround,
  labelsOf,
  placeOf,
  stretchesOf,
  timeAt,
} from "../../inspection/quiet-time.ts"
import type { Enlarged, Stretch } from "../../inspection/quiet-time.ts"
import type { RunIndex } from "../../inspection/run-index.ts"
import { at, rowCount } from "../../inspection/run-index.ts"
import { isFailure } from "./navigation.ts"
import type { Scene } from "./scene.ts"
import { ZOOM_MAX, zoomedIn, zoomedOut } from "./view.ts"

/** Steps of the slider and of the drawing. */
const STEPS = 10_000
const BARS = 240
const HEIGHT = 40
const LABELS = 5

/**
 * Keys of the slider, as fractions of the shown time; each moves at least one entry, because there may be none in so
 * long a time.
 */
const LEAPS: Readonly<Record<string, number>> = {
  PageUp: 0.1,
  PageDown: -0.1,
  ArrowUp: 1 / STEPS,
  ArrowDown: -1 / STEPS,
}

export function Strip({ run, view, s, t, go }: Scene): JSX.Element {
  const { index } = run
  const stretches = useShown({ run, view, t })
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
        {labelsOf(stretches, LABELS).map((label, number) => (
          <span key={number}>{label}</span>
        ))}
      </div>
      <ZoomControl shown={timeAt(stretches, 1) - timeAt(stretches, 0)} zoom={view.zoom} go={go} />
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

/** The shown part: the whole run with its folds, or the zoomed part, to scale. */
function useShown({ run: { index }, view, t }: Pick<Scene, "run" | "t" | "view">): readonly Stretch[] {
  const last = useRef<Enlarged | null>(null)
  last.current =
    view.zoom === 1 ? null : enlargedAround(last.current, { t: index.t, now: t, zoom: view.zoom })
  const part = last.current
  return useMemo(() => {
    return part === null
      ? stretchesOf(index.t, { isFolding: view.isFolding })
      : [{ ...part, from: 0, to: 1, isFolded: false }]
  }, [index, view.isFolding, part])
}

interface ZoomControlProps extends Pick<Scene, "go"> {
  readonly zoom: number
  /** The shown time. Unit: ms. */
  readonly shown: number
}

function ZoomControl({ shown, zoom, go }: ZoomControlProps): JSX.Element {
  return (
    <div class="strip-zoom">
      <span id="span" role="status">
        {zoom === 1 ? "whole run" : `${durationText(Math.ceil(shown))} shown`}
      </span>
      <span class="choice">
        <button
          type="button"
          aria-label="Zoom out"
          title="Zoom out"
          disabled={zoom === 1}
          onClick={() => go({ zoom: zoomedOut(zoom) })}
        >
          −
        </button>
        <button
          type="button"
          aria-label="Zoom in"
          title="Zoom in"
          disabled={shown <= SHOWN_MS_MIN || zoom >= ZOOM_MAX}
          onClick={() => go({ zoom: zoomedIn(zoom) })}
        >
          +
        </button>
      </span>
    </div>
  )
}

/** One path for all bars: heights relative to the busiest, by the square root, so that single entries are visible. */
function barsOf(index: RunIndex, stretches: readonly Stretch[]): string {
  const counts = new Int32Array(BARS)
  let stretch = 0
  const isShown = showing(stretches)
  for (const t of index.t) {
    if (!isShown(t)) continue
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

/** The positions of failed marks, without duplicates. */
function failuresOf(index: RunIndex, stretches: readonly Stretch[]): readonly number[] {
  const isShown = showing(stretches)
  const failed = index.marks.filter(({ level, row }) => isFailure(level) && isShown(at(index.t, row)))
  return [...new Set(failed.map(({ row }) => Math.round(placeOf(stretches, at(index.t, row)) * STEPS)))]
}

/** True for a time within the intervals. With a zoom, their edges may be fractions of a millisecond. */
function showing(stretches: readonly Stretch[]): (t: number) => boolean {
  const first = Math.floor(stretches[0]?.fromT ?? 0)
  const last = Math.ceil(stretches.at(-1)?.toT ?? 0)
  return (t) => first <= t && t <= last
}
