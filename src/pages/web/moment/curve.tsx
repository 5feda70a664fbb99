/** How likely the outcome was after each entry: steps with their band, the half, the moment, the best decision, and what acted when. */

import type { JSX } from "preact"
import { useRef, useState } from "preact/hooks"
import { hueOf, kindWords } from "../../inspection/kinds.ts"
import { Table } from "../design/table.tsx"
import { runClock } from "../replay/seen/times.ts"
import { useSize } from "../replay/use-size.ts"
import { curveShape, entryAt, timeTicks } from "./curve-shape.ts"
import type { CurveShape, Plot, Scale } from "./curve-shape.ts"
import { changeText, interval, percent } from "./figures.ts"
import type { Entry, ShownDecision } from "./figures.ts"

const HEIGHT = 264
const LANE = 13
/** Narrower ones have shorter labels. */
const NARROW = 640
/** px between numbers of jumps. */
const APART = 30
const CHARACTER = 7
/** Of the label of the fact on the axis. */
const FACT_WIDTH = 90

interface CurveProps {
  readonly entries: readonly Entry[]
  readonly factMs: number
  readonly timeZone: string
  readonly best: ShownDecision | null
  readonly chosen: number
  readonly onChoose: (entry: number) => void
}

export function Curve(props: CurveProps): JSX.Element {
  const [scale, setScale] = useState<Scale>("time")
  const [isTable, setTable] = useState(false)
  const { entries } = props
  const most = Math.max(0, ...entries.map(({ odds }) => odds.futures))
  return (
    <section class="curve" aria-labelledby="curve-title">
      <header>
        <h2 id="curve-title">How likely it was, entry by entry</h2>
        <p class="quiet small">Share of up to {most} futures from each entry, with its 95 % band</p>
        <span class="grow" />
        <span role="group" aria-label="Scale" class="joined">
          {(["rank", "time"] as const).map((one) => (
            <button
              key={one}
              type="button"
              aria-pressed={!isTable && scale === one}
              onClick={() => {
                setScale(one)
                setTable(false)
              }}
            >
              {one === "rank" ? "Rank" : "Time"}
            </button>
          ))}
          <button type="button" aria-pressed={isTable} onClick={() => setTable(true)}>
            Table
          </button>
        </span>
      </header>
      {isTable ? <AsTable entries={entries} /> : <Drawn {...props} scale={scale} />}
    </section>
  )
}

function AsTable({ entries }: { readonly entries: readonly Entry[] }): JSX.Element {
  return (
    <Table
      label="How likely it was after each entry"
      rows={entries}
      keyOf={({ number }) => String(number)}
      columns={[
        { name: "Entry", cell: ({ number }) => number, isNamed: true },
        { name: "Time", cell: ({ time }) => time },
        { name: "What", cell: ({ what }) => what },
        { name: "Likely", cell: ({ odds }) => percent(odds.value), isEnd: true, isNamed: true },
        { name: "95 %", cell: ({ odds }) => interval(odds), isEnd: true, isNamed: true },
        { name: "Futures", cell: ({ odds }) => odds.futures, isEnd: true, isNamed: true },
        {
          name: "Change",
          cell: ({ change }) => (change === null ? "" : changeText(change)),
          isEnd: true,
          isNamed: true,
        },
      ]}
    />
  )
}

type DrawnProps = CurveProps & { readonly scale: Scale }

function Drawn(props: DrawnProps): JSX.Element {
  const { entries, factMs, chosen, onChoose, scale } = props
  const box = useRef<HTMLDivElement>(null)
  const { width } = useSize(box)
  const lanes = [...new Set(entries.map(({ machine }) => machine))]
  const isNarrow = width < NARROW
  const plot: Plot = { left: isNarrow ? 38 : 120, right: width - 8, top: 40, bottom: HEIGHT - 30 }
  const shape = curveShape({ entries, factMs, scale, plot })
  const entry = entries[chosen]
  const move = (to: number): void => onChoose(Math.min(entries.length - 1, Math.max(0, to)))
  const onKey = (event: KeyboardEvent): void => {
    const to = MOVES[event.key]?.(chosen, entries.length)
    if (to === undefined) return
    event.preventDefault()
    move(to)
  }
  return (
    <div
      class="plot"
      ref={box}
      tabIndex={0}
      role="slider"
      aria-label="Entry"
      aria-valuemin={1}
      aria-valuemax={entries.length}
      aria-valuenow={chosen + 1}
      aria-valuetext={entry === undefined ? "" : `${entry.time}, ${percent(entry.odds.value)}, ${entry.what}`}
      onKeyDown={onKey}
      onClick={({ offsetX }) => move(entryAt(shape.xs, offsetX))}
    >
      {width > 0 && (
        <svg width={width} height={HEIGHT + lanes.length * LANE} aria-hidden="true">
          <Grid {...props} {...{ plot, shape, isNarrow }} />
          <path class="band" d={shape.band} />
          <Best {...props} {...{ plot, shape, isNarrow }} />
          <path class="line" d={shape.line} />
          <Jumps {...{ entries, shape }} />
          <Moment {...{ entries, shape, plot, isNarrow }} />
          <Lanes {...{ entries, lanes, shape, plot, isNarrow }} />
          {entry !== undefined && (
            <Playhead {...{ entry, plot }} x={shape.xs[chosen] ?? plot.left} lanes={lanes.length} />
          )}
        </svg>
      )}
    </div>
  )
}

const MOVES: Readonly<Record<string, (chosen: number, count: number) => number>> = {
  ArrowLeft: (chosen) => chosen - 1,
  ArrowDown: (chosen) => chosen - 1,
  ArrowRight: (chosen) => chosen + 1,
  ArrowUp: (chosen) => chosen + 1,
  Home: () => 0,
  End: (_, count) => count - 1,
}

interface PartProps {
  readonly entries: readonly Entry[]
  readonly shape: CurveShape
  readonly plot: Plot
  readonly isNarrow: boolean
}

function Grid({
  entries,
  factMs,
  timeZone,
  scale,
  plot,
  shape,
  isNarrow,
}: DrawnProps & PartProps): JSX.Element {
  const { left, right, top, bottom } = plot
  const first = entries[0]
  const moment = entries.findIndex(({ isMoment }) => isMoment)
  const momentX = moment === -1 ? shape.factX : (shape.xs[moment] ?? shape.factX)
  const { minute, second } = runClock(0, timeZone)
  const [fromMs, span] = [first?.ms ?? factMs, factMs - (first?.ms ?? factMs)]
  const x = (ms: number): number => left + ((ms - fromMs) / Math.max(1, span)) * (shape.factX - left)
  const ticks = timeTicks(fromMs, factMs, Math.max(2, (right - left) / 90)).filter(
    (ms) => right - FACT_WIDTH - x(ms) > APART,
  )
  return (
    <>
      <rect class="after" x={momentX} y={top} width={right - momentX} height={bottom - top} />
      {[0, 0.25, 0.5, 0.75, 1].map((share) => (
        <g key={share}>
          <path class={share === 0.5 ? "half" : "grid"} d={`M ${left} ${shape.y(share)} H ${right}`} />
          <text class="axis end" x={left - 6} y={shape.y(share) + 4}>
            {isNarrow ? Math.round(share * 100) : percent(share)}
          </text>
        </g>
      ))}
      {scale === "time" ? (
        ticks.map((ms) => (
          <text key={ms} class="axis middle" x={x(ms)} y={bottom + 18}>
            {minute(ms)}
          </text>
        ))
      ) : (
        <text class="axis" x={left} y={bottom + 18}>
          each entry as wide as the next
        </text>
      )}
      <path class="fact" d={`M ${shape.factX} ${top} V ${bottom}`} />
      <text class="axis end" x={right} y={bottom + 18}>
        a fact at {second(factMs)}
      </text>
    </>
  )
}

function Best({ best, entries, shape, plot, isNarrow }: DrawnProps & PartProps): JSX.Element | null {
  if (best === null || !best.shown.helps) return null
  const from = entries.findIndex(({ number }) => number >= best.shown.entry)
  const x = from === -1 ? shape.factX : (shape.xs[from] ?? shape.factX)
  const y = shape.y(best.shown.odds.value)
  const said = isNarrow
    ? percent(best.shown.odds.value)
    : `${best.words}, ${best.when}: ${percent(best.shown.odds.value)}`
  // Before the line where it is too short for the words.
  const isShort = plot.right - x < said.length * CHARACTER
  return (
    <>
      <path class="best" d={`M ${x} ${y} H ${plot.right}`} />
      <text class="best-text end" x={isShort ? x - 8 : plot.right} y={isShort ? y + 4 : y - 6}>
        {said}
      </text>
    </>
  )
}

/** Numbers of smaller jumps; one that would lie on another is left to the log. */
function Jumps({ entries, shape }: Pick<PartProps, "entries" | "shape">): JSX.Element {
  const moment = entries.findIndex(({ isMoment }) => isMoment)
  const shown = [shape.xs[moment] ?? -APART]
  return (
    <>
      {entries.map(({ change, isMoment, number, odds }, index) => {
        const x = shape.xs[index] ?? 0
        if (change === null || isMoment || shown.some((other) => Math.abs(other - x) < APART)) return null
        shown.push(x)
        return (
          <text key={number} class="jump middle" x={x} y={shape.y(odds.high) - 5}>
            {changeText(change)}
          </text>
        )
      })}
    </>
  )
}

/** The jump itself in thick red, and its words beside it. */
function Moment({ entries, shape, plot, isNarrow }: PartProps): JSX.Element | null {
  const at = entries.findIndex(({ isMoment }) => isMoment)
  const [before, entry] = [entries[at - 1], entries[at]]
  const x = shape.xs[at]
  if (before === undefined || entry === undefined || x === undefined) return null
  const cause = entry.cause ?? entry.what
  const [low, high] = [shape.y(before.odds.value), shape.y(entry.odds.value)]
  const isLeft = x - plot.left > (plot.right - plot.left) / 2
  const wordsX = isLeft ? x - 12 : x + 12
  const fits = Math.floor((isLeft ? x - plot.left : plot.right - x) / CHARACTER) - 4
  const words = cause.length <= fits ? cause : `${cause.slice(0, Math.max(0, fits - 1))}…`
  const y = Math.min(Math.max(high + 20, plot.top + 20), plot.bottom - 50)
  return (
    <g class={isLeft ? "the-moment end" : "the-moment"}>
      <path class="jump-line" d={`M ${x} ${low} V ${high}`} />
      <circle class="from" cx={x} cy={low} r="4" />
      <circle class="to" cx={x} cy={high} r="4" />
      <text class="points" x={wordsX} y={y}>
        {changeText(Math.round((entry.odds.value - before.odds.value) * 100))} points
      </text>
      {!isNarrow && (
        <text class="what" x={wordsX} y={y + 18}>
          {words}
        </text>
      )}
      <text class="axis" x={wordsX} y={y + (isNarrow ? 16 : 34)}>
        entry {entry.number}, {entry.time}
      </text>
    </g>
  )
}

function Lanes({
  entries,
  lanes,
  shape,
  plot,
  isNarrow,
}: PartProps & { readonly lanes: readonly string[] }): JSX.Element {
  return (
    <>
      {lanes.map((machine, lane) => {
        const y = HEIGHT + lane * LANE
        return (
          <g key={machine} class={`lane hue-${hueOf(machine)}`}>
            {!isNarrow && (
              <>
                <rect x="0" y={y - 4} width="8" height="8" rx="2" />
                <text class="axis" x="14" y={y + 4}>
                  {kindWords(machine)}
                </text>
              </>
            )}
            <path class="grid" d={`M ${plot.left} ${y} H ${plot.right}`} />
            {entries.map((entry, at) =>
              entry.machine === machine ? (
                <rect key={entry.number} x={(shape.xs[at] ?? 0) - 1.5} y={y - 5} width="3" height="10" />
              ) : null,
            )}
          </g>
        )
      })}
    </>
  )
}

function Playhead({
  entry,
  plot,
  x,
  lanes,
}: {
  readonly entry: Entry
  readonly plot: Plot
  readonly x: number
  readonly lanes: number
}): JSX.Element {
  const half = (entry.time.length * CHARACTER + 10) / 2
  const middle = Math.min(plot.right - half, Math.max(plot.left - 30 + half, x))
  return (
    <g class="playhead">
      <path d={`M ${x} 16 V ${HEIGHT + Math.max(0, lanes - 1) * LANE + 6}`} />
      <rect x={middle - half} y="0" width={half * 2} height="18" rx="3" />
      <text x={middle} y="13">
        {entry.time}
      </text>
    </g>
  )
}
