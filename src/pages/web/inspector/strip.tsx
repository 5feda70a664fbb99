/**
 * The strip: entries over time in a lane for each kind of actor, failures as red crosses, and the playhead. A slider lies over it, so that it
 * can be dragged, clicked and used by keyboard.
 */

import type { JSX } from "preact"
import { useMemo, useRef, useState } from "preact/hooks"
import { hasFailed } from "../../inspection/attempts.ts"
import { durationText } from "../../inspection/durations.ts"
import { labelOfGroup } from "../../inspection/group-names.ts"
import { machineKind, kindWords } from "../../inspection/kinds.ts"
import {
  SHOWN_MS_MIN,
  enlargedAround,
  labelsOf,
  placeOf,
  stretchesOf,
  timeAt,
} from "../../inspection/quiet-time.ts"
import type { Enlarged, Stretch } from "../../inspection/quiet-time.ts"
import { at, rowCount } from "../../inspection/run-index.ts"
import { preciseTimeOfDay, timeOfDay } from "../../inspection/shown-value.ts"
import { logScale, rankScale, rowNear } from "../../inspection/time-scale.ts"
import type { TimeScale } from "../../inspection/time-scale.ts"
import { KindSquare, hueClass } from "./kind-square.tsx"
import { isFailure } from "./navigation.ts"
import { Playback } from "./playback.tsx"
import type { OpenRun } from "./sources/record-source.ts"
import type { Scene } from "./scene.ts"
import { ZOOM_MAX, zoomedIn, zoomedOut } from "./view.ts"

/** Steps of the slider and of the drawing. */
const STEPS = 10_000
/** Entries closer than this share a mark. */
const BARS = 600
/** Half the width of a letter of a label, with a bit of room; and of the playhead's label, which has twelve letters. */
const HALF_LETTER = 0.33
const HALF_CLOCK = "4.2em"
/** px */
const LANE = 16
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

export function Strip(scene: Scene): JSX.Element {
  const { run, view, s, t, go } = scene
  const { index } = run
  const { head } = run.packed
  const label = labelOfGroup(index, at(index.group, view.row))
  // A logarithmic scale is made around the playhead. While it is dragged the scale stays.
  const [held, setHeld] = useState<number | null>(null)
  const stretches = useShown({ run, view, t })
  const centre = held ?? t
  const scale = useMemo(
    () => scaleOf(run, { scale: view.scale, stretches, centre }),
    [index, view.scale, view.scale === "log" ? centre : null, view.scale === "linear" ? stretches : null],
  )
  const lanes = useMemo(() => lanesOf(run), [index])
  const playhead = scale.placeOf(view.row)
  const jump = (value: number): void => go({ row: rowNear(index, scale, value / STEPS), isPlaying: false })
  const onKeyDown = (event: KeyboardEvent): void => {
    const leap = LEAPS[event.key]
    if (leap === undefined) return
    event.preventDefault()
    const found = rowNear(index, scale, Math.min(1, Math.max(0, playhead + leap)))
    const row = leap > 0 ? Math.max(found, view.row + 1) : Math.min(found, view.row - 1)
    go({ row: Math.max(0, Math.min(rowCount(index) - 1, row)), isPlaying: false })
  }
  return (
    <section id="strip" aria-label="Timeline" data-s={s}>
      <Playback {...scene} />
      <ul class="strip-lanes">
        {lanes.map(({ kind, actor }) => (
          <li key={kind}>
            <KindSquare actor={actor} /> {kindWords(kind)}
          </li>
        ))}
      </ul>
      <Labels
        scale={scale}
        playhead={playhead}
        clock={view.scale === "linear" ? null : preciseTimeOfDay(head.clock0Ms + t, head.zone)}
      />
      {view.scale === "linear" && (
        <ZoomControl shown={timeAt(stretches, 1) - timeAt(stretches, 0)} zoom={view.zoom} go={go} />
      )}
      <div class="strip-body" style={{ height: `${heightOf(lanes)}px` }}>
        <Drawing
          lanes={lanes}
          scale={scale}
          playhead={playhead}
          folds={view.scale === "linear" ? stretches.filter(({ isFolded }) => isFolded) : []}
        />
        <input
          type="range"
          aria-label="Playhead"
          aria-valuetext={[
            `entry ${s} of ${index.s.at(-1) ?? 0}`,
            timeOfDay(head.clock0Ms + t, head.zone),
            ...(label === null ? [] : [label]),
          ].join(", ")}
          min="0"
          max={STEPS}
          value={Math.round(playhead * STEPS)}
          onKeyDown={onKeyDown}
          onPointerDown={() => setHeld(t)}
          onPointerUp={() => setHeld(null)}
          onPointerCancel={() => setHeld(null)}
          onInput={(event) => jump(Number(event.currentTarget.value))}
        />
      </div>
    </section>
  )
}

interface LabelsProps extends Pick<DrawingProps, "playhead" | "scale"> {
  /** The local time that the playhead shows; null when it shows none. */
  readonly clock: string | null
}

function Labels({ scale, playhead, clock }: LabelsProps): JSX.Element {
  return (
    <div class="strip-labels mono" aria-hidden="true">
      {scale.labels.map(({ place, text }) => (
        <span key={place} style={{ left: within(place, `${(text.length * HALF_LETTER).toFixed(2)}em`) }}>
          {text}
        </span>
      ))}
      {clock !== null && <b style={{ left: within(playhead, HALF_CLOCK) }}>{clock}</b>}
    </div>
  )
}

/** The middle of a label at this place, so that the whole label is inside the strip. */
function within(place: number, half: string): string {
  return `clamp(${half}, ${place * 100}%, calc(100% - ${half}))`
}

interface ScaleParts {
  readonly scale: Scene["view"]["scale"]
  readonly stretches: readonly Stretch[]
  /** Unit: ms since `clock0`. */
  readonly centre: number
}

function scaleOf({ index, packed }: OpenRun, { scale, stretches, centre }: ScaleParts): TimeScale {
  if (scale === "log") return logScale(index, centre)
  const { clock0Ms, zone } = packed.head
  if (scale === "rank") return rankScale(index, (row) => timeOfDay(clock0Ms + at(index.t, row), zone))
  const nameOf = (ms: number): string => preciseTimeOfDay(clock0Ms + ms, zone)
  const texts = labelsOf(stretches, LABELS, nameOf)
  const labels = texts.map((text, label) => ({ place: label / (LABELS - 1), text }))
  const first = Math.floor(stretches[0]?.fromT ?? 0)
  const last = Math.ceil(stretches.at(-1)?.toT ?? 0)
  const placeAt = (t: number): number => {
    // Outside of a zoomed part there is nothing to draw.
    if (t < first) return -1
    return t > last ? 2 : placeOf(stretches, t)
  }
  return { placeOf: (row) => placeAt(at(index.t, row)), labels }
}

interface Lane {
  readonly kind: string
  readonly actor: OpenRun["index"]["actors"][number] | undefined
  readonly entries: readonly number[]
  readonly failures: readonly number[]
}

/** In order of first appearance. Failed marks of the scenario have a lane of their own. Cost: one pass over the rows. */
function lanesOf({ index, markByRow }: OpenRun): readonly Lane[] {
  const lanes = new Map<
    string,
    { -readonly [Key in keyof Lane]: Lane[Key] extends readonly number[] ? number[] : Lane[Key] }
  >()
  const laneOf = (kind: string, actor: Lane["actor"]) => {
    const known = lanes.get(kind) ?? { kind, actor, entries: [], failures: [] }
    lanes.set(kind, known)
    return known
  }
  for (let row = 0; row < rowCount(index); row += 1) {
    const mark = markByRow.get(row)
    const actor = index.actors[at(index.to, row)]
    if (mark !== undefined && isFailure(mark.level)) laneOf("scenario", undefined).failures.push(row)
    if (mark !== undefined || actor === undefined) continue
    const lane = laneOf(machineKind(actor), actor)
    if (hasFailed(index, row)) lane.failures.push(row)
    else lane.entries.push(row)
  }
  return [...lanes.values()]
}

interface Marks {
  /** One path; the style sets its width in px. */
  readonly entries: string
  /** From 0 to 1. */
  readonly failures: readonly number[]
}

function marksOf({ entries, failures }: Lane, scale: TimeScale): Marks {
  const unit = STEPS / BARS
  const lines = barsOf(entries, scale).map((bar) => `M${bar * unit} 3V${LANE - 3}`)
  return { entries: lines.join(""), failures: barsOf(failures, scale).map((bar) => bar / BARS) }
}

/** The shown bars that have at least one of the rows. */
function barsOf(rows: readonly number[], { placeOf: place }: TimeScale): readonly number[] {
  const bars = new Set<number>()
  for (const row of rows) {
    const at01 = place(row)
    if (at01 >= 0 && at01 <= 1) bars.add(Math.min(BARS - 1, Math.floor(at01 * BARS)))
  }
  return [...bars]
}

interface DrawingProps {
  readonly lanes: readonly Lane[]
  readonly scale: TimeScale
  /** From 0 to 1. */
  readonly playhead: number
  readonly folds: readonly Stretch[]
}

function Drawing({ lanes, scale, playhead, folds }: DrawingProps): JSX.Element {
  const marks = useMemo(() => lanes.map((lane) => marksOf(lane, scale)), [lanes, scale])
  return (
    <>
      <Lines {...{ lanes, scale, playhead, folds, marks }} />
      <Crosses lanes={lanes} marks={marks} />
    </>
  )
}

interface MarkedProps {
  readonly lanes: readonly Lane[]
  readonly marks: readonly Marks[]
}

/** One text for each lane, each of its signs at a place of its own: lines would be stretched with the strip. */
function Crosses({ lanes, marks }: MarkedProps): JSX.Element {
  return (
    <svg class="crosses" aria-hidden="true">
      {marks.map(
        ({ failures }, lane) =>
          failures.length > 0 && (
            <text
              key={lanes[lane]?.kind}
              class="failures"
              data-lane={lanes[lane]?.kind}
              x={failures.map((place) => `${place * 100}%`).join(" ")}
              y={(lane + 1) * LANE - 3}
            >
              {"✕".repeat(failures.length)}
            </text>
          ),
      )}
    </svg>
  )
}

function Lines({ lanes, scale, playhead, folds, marks }: DrawingProps & MarkedProps): JSX.Element {
  const height = heightOf(lanes)
  return (
    <svg viewBox={`0 0 ${STEPS} ${height}`} preserveAspectRatio="none" aria-hidden="true">
      {folds.map(({ fromT, toT, from, to }) => (
        <rect key={fromT} class="fold" x={from * STEPS} y="0" width={(to - from) * STEPS} height={height}>
          <title>{durationText(toT - fromT)} of quiet time</title>
        </rect>
      ))}
      {scale.labels.map(({ place }) => (
        <path key={place} class="grid" d={`M${place * STEPS} 0V${height}`} />
      ))}
      {lanes.map(({ kind }, lane) => (
        <path key={kind} class="lane" d={`M0 ${(lane + 0.5) * LANE}H${STEPS}`} />
      ))}
      {marks.map(({ entries }, lane) => (
        <g
          key={lanes[lane]?.kind}
          class={hueClass(lanes[lane]?.actor)}
          transform={`translate(0 ${lane * LANE})`}
        >
          <path class="entries" d={entries} />
        </g>
      ))}
      <path class="playhead" d={`M${playhead * STEPS} 0V${height}`} />
    </svg>
  )
}

function heightOf(lanes: readonly Lane[]): number {
  return Math.max(1, lanes.length) * LANE
}

/** The shown part of a linear strip: the whole run with its folds, or the zoomed part, to scale. */
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
