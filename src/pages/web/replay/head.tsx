/** The head of the page: this moment in a sentence with its cause, and four counters with the line of the whole run. */

import type { JSX } from "preact"
import { useMemo } from "preact/hooks"
import { CountDifference, DayLetter } from "./compare/day-letter.tsx"
import { countsAt, freeKind, sentenceAt, titled } from "./seen/moment.ts"
import { GRID_MS } from "./seen/scene.ts"
import type { Scene } from "./seen/scene.ts"

interface HeadProps {
  readonly scene: Scene
  /** The day that is shown: `A` or `B`; null without a changed day. */
  readonly letter: string | null
  /** The day with which counters are compared. */
  readonly against: Scene | null
  readonly ms: number
  /** For the sentence, which changes once a second at most. */
  readonly slowMs: number
  readonly isPlaying: boolean
  /** Grows a few times a second while the run is computed. */
  readonly drawnVersion: number
}

export function Head(props: HeadProps): JSX.Element {
  const { scene, letter, against, ms, slowMs, isPlaying, drawnVersion } = props
  const isEmpty = scene.untilMs === 0
  const { title, cause } = useMemo(
    () => (isEmpty ? openingWords(scene) : sentenceAt(scene, slowMs)),
    [scene, slowMs, drawnVersion],
  )
  return (
    <section class="replay-head" aria-label="This moment">
      <div class="sentence">
        {/* A screen reader hears it when the playhead stands, not while it plays. */}
        <div aria-live={isPlaying ? "off" : "polite"} aria-atomic="true">
          <h2>
            {letter !== null && <DayLetter letter={letter} />}
            {title}
          </h2>
          <p>{cause}</p>
        </div>
      </div>
      <Counters {...{ scene, against, ms, drawnVersion, isEmpty }} />
    </section>
  )
}

function openingWords(scene: Scene): { readonly title: string; readonly cause: string } {
  const { sites } = scene.head
  const names = sites.map(({ name }) => titled(name)).join(", ")
  const stalls = sites.reduce((sum, site) => sum + site.stalls.length, 0)
  return {
    title: scene.head.title,
    cause: `${sites.length === 1 ? "One site" : `${sites.length} sites`}: ${names}; ${stalls} stalls.`,
  }
}

interface CountersProps extends Pick<HeadProps, "against" | "drawnVersion" | "ms" | "scene"> {
  readonly isEmpty: boolean
}

function Counters({ scene, against, ms, drawnVersion, isEmpty }: CountersProps): JSX.Element {
  const counts = countsAt(scene, ms)
  const before = against === null ? null : countsAt(against, ms)
  const totals = useMemo(() => scene.totals(), [scene, drawnVersion])
  const of = freeKind(scene)
  const freeLine = useMemo(
    () => (of === null ? [] : scene.line((at) => scene.freeAt(of, at)?.free ?? 0)),
    [scene, drawnVersion, of],
  )
  const line = { ms, endMs: scene.endMs, isEmpty }
  return (
    <dl class="counters">
      <Counter
        name="Open orders"
        value={counts.open}
        before={before?.open}
        token="k-delivery"
        values={totals.open}
        {...line}
      />
      <Counter
        name="Late"
        value={counts.late}
        before={before?.late}
        token={counts.late > 0 ? "bad" : "ink-3"}
        values={totals.late}
        isBad={counts.late > 0}
        isFault
        {...line}
      />
      <Counter
        name="On board"
        value={counts.onBoard}
        before={before?.onBoard}
        token="k-vehicle"
        values={totals.onBoard}
        {...line}
      />
      {counts.free !== null && (
        <Counter
          name={counts.free.of === "runners" ? "Runners free" : "Vehicles free"}
          value={counts.free.free}
          before={before?.free?.free}
          of={counts.free.duty}
          token="k-runner"
          values={freeLine}
          {...line}
        />
      )}
    </dl>
  )
}

interface CounterProps {
  readonly name: string
  readonly value: number
  /** On the day that it is compared with. */
  readonly before: number | undefined
  readonly of?: number
  readonly token: string
  readonly isBad?: boolean
  /** Less is better. */
  readonly isFault?: boolean
  readonly values: ArrayLike<number>
  readonly ms: number
  readonly endMs: number
  readonly isEmpty: boolean
}

function Counter({
  name,
  value,
  before,
  of,
  token,
  isBad = false,
  isFault = false,
  values,
  ms,
  endMs,
  isEmpty,
}: CounterProps): JSX.Element {
  return (
    <div class={isBad ? "counter bad" : "counter"}>
      <dt>{name}</dt>
      <dd>
        <span class="value number">{isEmpty ? "–" : value}</span>
        {of !== undefined && !isEmpty && <span class="of"> of {of}</span>}
        {before !== undefined && <CountDifference value={value} before={before} isFault={isFault} />}
      </dd>
      {isEmpty ? (
        <span class="spark waiting" aria-hidden="true" />
      ) : (
        <Spark {...{ values, token, ms, endMs }} />
      )}
    </div>
  )
}

const SPARK = { width: 92, height: 26, steps: 92 }

/** Grey for the whole run, in colour up to now. */
function Spark({
  values,
  token,
  ms,
  endMs,
}: Pick<CounterProps, "endMs" | "ms" | "token" | "values">): JSX.Element {
  const most = Math.max(
    1,
    Array.from(values).reduce((one, other) => Math.max(one, other), 0),
  )
  const stepMs = endMs / SPARK.steps
  const y = (atMs: number): number => {
    const value = values[Math.min(values.length - 1, Math.floor(atMs / GRID_MS))] ?? 0
    return SPARK.height - 2 - (value / most) * (SPARK.height - 6)
  }
  const knownMs = Math.max(0, (values.length - 1) * GRID_MS)
  const path = (untilMs: number): string =>
    Array.from({ length: Math.floor(untilMs / stepMs) + 1 }, (_, step) => {
      const to = y(step * stepMs).toFixed(1)
      return step === 0 ? `M0 ${to}` : `H${((step / SPARK.steps) * SPARK.width).toFixed(1)}V${to}`
    }).join("")
  const nowMs = Math.min(ms, knownMs)
  return (
    <svg class="spark" viewBox={`0 0 ${SPARK.width} ${SPARK.height}`} aria-hidden="true">
      <path class="whole" d={path(Math.min(endMs, knownMs))} />
      <path d={path(nowMs)} style={{ stroke: `var(--${token})` }} />
      <circle
        r="2.6"
        cx={((Math.floor(nowMs / stepMs) / SPARK.steps) * SPARK.width).toFixed(1)}
        cy={y(nowMs).toFixed(1)}
        style={{ fill: `var(--${token})` }}
      />
    </svg>
  )
}
