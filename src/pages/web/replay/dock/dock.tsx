/** The time line of the whole run: what broke, who waited, what was in use, and everybody's day, under one playhead. */

import type { JSX, TargetedMouseEvent, TargetedPointerEvent } from "preact"
import { useEffect, useMemo, useRef, useState } from "preact/hooks"
import { orderName, shortName } from "../seen/actor-words.ts"
import type { Actions } from "../actions.ts"
import type { Playing } from "../playback.ts"
import type { Player } from "../player.ts"
import { ONE_OF, freeKind } from "../seen/moment.ts"
import { mixed } from "../seen/palette.ts"
import type { Palette } from "../seen/palette.ts"
import { GRID_MS } from "../seen/scene.ts"
import type { Scene } from "../seen/scene.ts"
import { LEGEND, PHASE_LOOKS, wordsOf } from "../seen/state-words.ts"
import { sized, usePalette, useSize } from "../use-size.ts"
import { DAYS } from "../compare/comparison.ts"
import type { Comparison } from "../compare/comparison.ts"
import { drawLane, drawRibbon, drawSteps, mostLate } from "./drawing.ts"
import type { LineToken } from "./drawing.ts"
import { laneGroups, needsFilter } from "./lane-rows.ts"
import type { LaneGroup } from "./lane-rows.ts"
import { msOfX, ticksOf, xOf } from "./time-axis.ts"
import type { Axis } from "./time-axis.ts"

interface DockProps {
  readonly scene: Scene
  readonly player: Player
  readonly playing: Playing
  readonly actions: Actions
  readonly picked: number | null
  readonly isComputing: boolean
  /** Null while one day is shown: both have a ribbon then. */
  readonly comparison: Comparison | null
  /** Grows a few times a second while the run is computed. */
  readonly drawnVersion: number
  /** What is expected after now: never drawn like what happened. */
  readonly expected?: readonly Expected[]
}

/** An instant after now at which something is likely to break. */
export interface Expected {
  /** Since the start of the day. */
  readonly ms: number
  readonly words: string
}

const RIBBON = { height: 20, gap: 4 }
const WAITS = { below: 2, height: 32 }
const USE = { below: 40, height: 27 }
/** Below the ribbons. */
const CHARTS_PX = 70

export function Dock(props: DockProps): JSX.Element {
  const { scene, player, actions, picked, comparison, drawnVersion } = props
  const plot = useRef<HTMLDivElement>(null)
  const charts = useRef<HTMLCanvasElement>(null)
  const size = useSize(plot)
  const palette = usePalette()
  const endMs = Math.max(scene.endMs, comparison?.untilMs ?? 0)
  const axis: Axis = useMemo(() => ({ width: size.width, endMs }), [size.width, endMs])
  const ribbons = useMemo(() => ribbonsOf(scene, comparison), [scene, comparison])
  const chartsPx = topOf(ribbons.length) + CHARTS_PX
  const [filter, setFilter] = useState("")
  const groups = useMemo(() => laneGroups(scene, filter), [scene, drawnVersion, filter])
  const waits = useMemo(() => waitLines(scene, comparison), [scene, comparison, drawnVersion])
  const use = useMemo(() => useLine(scene), [scene, drawnVersion])
  useEffect(() => {
    const context = sized(charts.current, { width: size.width, height: chartsPx })
    if (context !== null) drawCharts(context, { ribbons, waits, use, axis, palette })
  }, [axis, palette, waits, use, ribbons, drawnVersion])
  // The same elements as long as nothing of them changes: the playhead moves over them.
  const still = useMemo(
    () => (
      <>
        <ChartLabels {...{ ribbons, waits, use }} />
        <Ticks scene={scene} axis={axis} />
        <div ref={plot} class="charts">
          <canvas ref={charts} role="img" aria-label={chartWords(ribbons, waits, use)} />
          <ScrubArea {...{ scene, player, axis }} />
        </div>
        <Lanes {...{ scene, groups, axis, palette, picked, drawnVersion }} onPick={actions.pick} />
      </>
    ),
    [scene, player, actions, ribbons, waits, use, axis, groups, palette, picked, drawnVersion],
  )
  return (
    <section class="time-line" aria-label="Time line" style={{ "--charts": `${chartsPx}px` }}>
      {still}
      <Playhead {...props} axis={axis} />
      <div class="legend">
        <Legend {...{ scene, palette }} />
        {needsFilter(groups) && (
          <input
            type="search"
            placeholder="Filter by name"
            aria-label="Show lanes of people and vehicles whose name contains"
            value={filter}
            onInput={({ currentTarget }) => setFilter(currentTarget.value)}
          />
        )}
      </div>
    </section>
  )
}

interface Charts {
  readonly ribbons: readonly Ribbon[]
  readonly waits: Waits
  readonly use: ReturnType<typeof useLine>
}

/** px below the first ribbons. */
function topOf(ribbons: number): number {
  return ribbons * (RIBBON.height + RIBBON.gap)
}

function drawCharts(
  context: CanvasRenderingContext2D,
  { ribbons, waits, use, axis, palette }: Charts & { readonly axis: Axis; readonly palette: Palette },
): void {
  const top = topOf(ribbons.length)
  const drawing = { axis, palette, stepMs: GRID_MS }
  context.clearRect(0, 0, axis.width, top + CHARTS_PX)
  const most = Math.max(...ribbons.map(({ scene }) => mostLate(scene)))
  for (const [row, { scene }] of ribbons.entries())
    drawRibbon(context, scene, { ...drawing, most, top: topOf(row), height: RIBBON.height })
  const { height } = WAITS
  for (const [at, { line, token }] of waits.lines.entries()) {
    const box = { top: top + WAITS.below, height, most: waits.most, token, isOver: at > 0 }
    drawSteps(context, line, { ...drawing, ...box })
  }
  const ofUse = { top: top + USE.below, height: USE.height, most: use.duty, token: use.token, isOver: false }
  drawSteps(context, use.line, { ...drawing, ...ofUse })
}

function ChartLabels({ ribbons, waits, use }: Charts): JSX.Element {
  const top = topOf(ribbons.length)
  return (
    <div class="labels" aria-hidden="true">
      {ribbons.map(({ name }, row) => (
        <p key={name} style={{ top: `${topOf(row)}px` }}>
          <strong>{name}</strong>
        </p>
      ))}
      <p style={{ top: `${top + WAITS.below}px` }}>
        <strong>{waits.title}</strong>
        <br />
        {waits.said}
      </p>
      <p style={{ top: `${top + USE.below - 2}px` }}>
        <strong>{use.title}</strong>
        <br />
        {use.said}
      </p>
    </div>
  )
}

interface Line {
  readonly title: string
  readonly said: string
  readonly line: readonly number[]
}

interface Ribbon {
  readonly name: string
  readonly scene: Scene
}

/** A above B; of one day its own. */
function ribbonsOf(scene: Scene, comparison: Comparison | null): readonly Ribbon[] {
  if (comparison === null) return [{ name: "What broke", scene }]
  return (["written", "changed"] as const).map((day) => ({
    name: `${DAYS[day].letter} ${DAYS[day].name.toLowerCase()}`,
    scene: comparison.scenes[day],
  }))
}

interface Waits {
  readonly title: string
  readonly said: string
  readonly most: number
  /** With both days A and then B, which is drawn over it. */
  readonly lines: readonly { readonly token: LineToken; readonly line: readonly number[] }[]
}

/** Of what is waited for most, in all days that are shown together. */
function waitLines(scene: Scene, comparison: Comparison | null): Waits {
  const days =
    comparison === null
      ? [{ scene, name: "", token: "wait" as const }]
      : [
          { scene: comparison.scenes.written, name: `${DAYS.written.letter} `, token: "ink" as const },
          { scene: comparison.scenes.changed, name: `${DAYS.changed.letter} `, token: "accent" as const },
        ]
  const waits = (["runners", "vehicles", "stalls", "cooks"] as const).map((resource) => {
    const lines = days.map((day) => {
      const line = day.scene.line((ms) => day.scene.levelAt({ resource, what: "queue" }, ms) ?? 0)
      return { ...day, line, most: line.reduce((one, other) => Math.max(one, other), 0) }
    })
    return { resource, lines, sum: lines.flatMap(({ line }) => line).reduce((sum, one) => sum + one, 0) }
  })
  const [longest] = waits.toSorted((one, other) => other.sum - one.sum)
  if (longest === undefined) return { title: "Waits", said: "none", lines: [], most: 0 }
  const { resource, lines } = longest
  const most = Math.max(...lines.map((one) => one.most))
  const counts = lines.map(({ name, most: ofDay }) => `${name}${ofDay}`).join(", ")
  return {
    title: `Wait for ${ONE_OF[resource]}`,
    said: most === 0 ? "no order waits" : `most: ${counts} ${counts === "1" ? "order" : "orders"}`,
    lines,
    most,
  }
}

function useLine(scene: Scene): Line & { readonly duty: number; readonly token: "k-runner" | "k-vehicle" } {
  const has = scene.of("vehicle").length > 0
  const resource = has ? "vehicles" : (freeKind(scene) ?? "runners")
  const line = scene.line((ms) => scene.levelAt({ resource, what: "busy" }, ms) ?? 0)
  const duty = scene
    .line((ms) => scene.levelAt({ resource, what: "duty" }, ms) ?? 0)
    .reduce((one, other) => Math.max(one, other), 0)
  const most = line.reduce((one, other) => Math.max(one, other), 0)
  return {
    title: has ? "Vehicles in use" : "Runners at work",
    // A journal has no shifts.
    said: duty === 0 ? `most: ${most}` : `of ${duty}`,
    line,
    duty: Math.max(1, duty === 0 ? most : duty),
    token: has ? "k-vehicle" : "k-runner",
  }
}

function chartWords(ribbons: readonly Ribbon[], waits: Waits, use: Line): string {
  const broke = ribbons.map(
    ({ name, scene: { breaks } }) =>
      `${name}: ${breaks.length === 0 ? "nothing" : breaks.length === 1 ? "1 break" : `${breaks.length} breaks`}`,
  )
  return `Time line. ${broke.join(". ")}. ${waits.title}, ${waits.said}. ${use.title}, ${use.said}.`
}

function Ticks({ scene, axis }: { readonly scene: Scene; readonly axis: Axis }): JSX.Element {
  const ticks = ticksOf(axis, scene.head.startMs, scene.clock)
  return (
    <div class="ticks" aria-hidden="true">
      {ticks.map(({ ms, text }) => (
        <span key={ms} style={{ left: `${xOf(axis, ms)}px` }} class={edgeOf(axis, ms)}>
          {text}
        </span>
      ))}
    </div>
  )
}

function edgeOf(axis: Axis, ms: number): string {
  const x = xOf(axis, ms)
  return x < 18 ? "first" : x > axis.width - 18 ? "last" : ""
}

/** Press or drag to move the playhead. */
function ScrubArea({
  scene,
  player,
  axis,
}: Pick<DockProps, "player" | "scene"> & { readonly axis: Axis }): JSX.Element {
  const slider = useRef<HTMLDivElement>(null)
  const isDown = useRef(false)
  useEffect(
    () =>
      player.listen(({ ms, isPlaying }) => {
        // A screen reader says each change of a value: while it plays there would be no end of it.
        if (isPlaying || slider.current === null) return
        slider.current.setAttribute("aria-valuenow", String(Math.round(ms / 1000)))
        slider.current.setAttribute("aria-valuetext", scene.clock.second(ms))
      }),
    [player, scene],
  )
  const move = (event: TargetedPointerEvent<HTMLDivElement>): void => {
    player.jump(msOfX(axis, event.clientX - event.currentTarget.getBoundingClientRect().left))
  }
  return (
    <div
      ref={slider}
      class="scrub"
      role="slider"
      tabIndex={0}
      aria-label="Instant"
      aria-valuemin={0}
      aria-valuemax={Math.round(axis.endMs / 1000)}
      aria-valuenow={0}
      onPointerDown={(event) => {
        isDown.current = true
        event.currentTarget.setPointerCapture(event.pointerId)
        move(event)
      }}
      onPointerMove={(event) => {
        if (isDown.current) move(event)
      }}
      onPointerUp={() => (isDown.current = false)}
      onPointerCancel={() => (isDown.current = false)}
    />
  )
}

/** px of a row and of its gap, for many rows; few rows are higher. */
const LANES = { runner: { height: 9, gap: 2 }, vehicle: { height: 4, gap: 1.5 } } as const
const GROUP_GAP_PX = 7
const LANES_PX = 138
const LARGER_MAX = 2.4

/** A lower row has no room for a name. */
const NAMED_PX = 8

interface LanesProps {
  readonly scene: Scene
  readonly groups: readonly LaneGroup[]
  readonly axis: Axis
  readonly palette: Palette
  readonly picked: number | null
  readonly drawnVersion: number
  readonly onPick: (actor: number | null) => void
}

interface LaneRow {
  readonly actor: number
  readonly kind: "runner" | "vehicle"
  readonly top: number
  readonly height: number
}

function rowsOf(groups: readonly LaneGroup[]): {
  readonly rows: readonly LaneRow[]
  readonly height: number
} {
  const plain = groups.reduce(
    (sum, { kind, actors }) => sum + actors.length * (LANES[kind].height + LANES[kind].gap),
    0,
  )
  const larger = Math.min(
    LARGER_MAX,
    Math.max(1, (LANES_PX - GROUP_GAP_PX * groups.length) / Math.max(1, plain)),
  )
  const rows: LaneRow[] = []
  let top = 0
  for (const { kind, actors } of groups) {
    const height = LANES[kind].height * larger
    for (const actor of actors) {
      rows.push({ actor, kind, top, height })
      top += height + LANES[kind].gap
    }
    top += GROUP_GAP_PX
  }
  return { rows, height: Math.max(1, Math.ceil(top)) }
}

function Lanes({ scene, groups, axis, palette, picked, drawnVersion, onPick }: LanesProps): JSX.Element {
  const canvas = useRef<HTMLCanvasElement>(null)
  const [hovered, setHovered] = useState<{
    readonly row: LaneRow
    readonly x: number
    readonly ms: number
  } | null>(null)
  const { rows, height } = useMemo(() => rowsOf(groups), [groups])
  useEffect(() => {
    const context = sized(canvas.current, { width: axis.width, height })
    if (context === null) return
    context.clearRect(0, 0, axis.width, height)
    for (const row of rows) drawLane(context, scene, { ...row, axis, palette })
    const own = rows.find(({ actor }) => actor === picked)
    if (own === undefined) return
    context.strokeStyle = palette.accent
    context.lineWidth = 1.5
    context.strokeRect(0.75, own.top - 0.75, axis.width - 1.5, own.height + 1.5)
  }, [rows, axis, palette, picked, drawnVersion])
  const rowAt = (y: number): LaneRow | null =>
    rows.find(({ top, height: own }) => y >= top - 1 && y <= top + own + 1.5) ?? null
  const at = (event: TargetedMouseEvent<HTMLCanvasElement>): { readonly x: number; readonly y: number } => {
    const { left, top } = event.currentTarget.getBoundingClientRect()
    return { x: event.clientX - left, y: event.clientY - top }
  }
  return (
    <div class="lanes" tabIndex={0} role="group" aria-label="Everybody's day">
      <LaneNames {...{ scene, groups, rows, picked }} />
      <div class="lane-plot" style={{ height: `${height}px` }}>
        <canvas
          ref={canvas}
          role="img"
          aria-label={`Lanes of ${rows.length} runners and vehicles; the table of positions and "Find" pick one`}
          onMouseMove={(event) => {
            const { x, y } = at(event)
            const row = rowAt(y)
            setHovered(row === null ? null : { row, x, ms: msOfX(axis, x) })
          }}
          onMouseLeave={() => setHovered(null)}
          onClick={(event) => {
            const row = rowAt(at(event).y)
            if (row !== null) onPick(row.actor)
          }}
        />
        {hovered !== null && <LaneTip scene={scene} {...hovered} width={axis.width} />}
      </div>
    </div>
  )
}

function LaneNames({
  scene,
  groups,
  rows,
  picked,
}: Pick<LanesProps, "groups" | "picked" | "scene"> & { readonly rows: readonly LaneRow[] }): JSX.Element {
  return (
    <div class="lane-labels" aria-hidden="true">
      {groups.map(({ kind, actors, all }) => {
        const first = rows.find((row) => row.actor === actors[0])
        return first === undefined ? null : (
          <p key={kind} style={{ top: `${first.top - 4}px` }}>
            <strong>{kind === "runner" ? "Runners" : "Vehicles"}</strong>
            <br />
            {actors.length === all ? all : `${actors.length} of ${all.toLocaleString("en-US")}`}
          </p>
        )
      })}
      {rows
        .filter(({ height: own }) => own >= NAMED_PX)
        .map(({ actor, top, height: own }) => (
          <span
            key={actor}
            class={actor === picked ? "name picked" : "name"}
            style={{ top: `${top + own / 2 - 8}px` }}
          >
            {shortName(scene.actors[actor]?.name ?? "")}
          </span>
        ))}
    </div>
  )
}

/** Who, what, about which order, from and to. */
function LaneTip({
  scene,
  row,
  x,
  ms,
  width,
}: {
  readonly scene: Scene
  readonly row: LaneRow
  readonly x: number
  readonly ms: number
  readonly width: number
}): JSX.Element | null {
  const stretch = scene.stretchesOf(row.actor).find(({ fromMs, untilMs }) => fromMs <= ms && ms < untilMs)
  if (stretch === undefined) return null
  const seen = scene.order(stretch.order)
  const { does } = wordsOf(row.kind, stretch.state)
  const side = x > width / 2 ? { right: `${width - x + 10}px` } : { left: `${x + 10}px` }
  return (
    <p class="lane-tip" style={{ ...side, top: `${row.top + row.height + 4}px` }}>
      <strong>{shortName(scene.actors[row.actor]?.name ?? "")}</strong>{" "}
      {does.replace("ORDER", seen === null ? "an order" : orderName(seen.order.number))}
      <br />
      <span class="mono">
        {scene.clock.second(stretch.fromMs)} to {scene.clock.second(stretch.untilMs)}
      </span>
    </p>
  )
}

/** One line over everything, with the time in its flag. It also shows what is not computed yet, and what is repeated. */
function Playhead({
  scene,
  player,
  playing,
  isComputing,
  comparison,
  axis,
  expected = [],
}: DockProps & { readonly axis: Axis }): JSX.Element {
  const line = useRef<HTMLDivElement>(null)
  const flag = useRef<HTMLSpanElement>(null)
  useEffect(
    () =>
      player.listen(({ ms }) => {
        if (line.current === null || flag.current === null) return
        const x = xOf(axis, ms)
        line.current.style.transform = `translateX(${x}px)`
        const half = 34
        const shift = Math.max(half - x - FLAG_ROOM_PX, 0) - Math.max(x + half - axis.width - 14, 0)
        flag.current.style.transform = `translateX(calc(-50% + ${shift}px))`
        flag.current.textContent = scene.clock.second(ms)
      }),
    [player, axis, scene],
  )
  const computed = xOf(axis, scene.untilMs)
  const { repeat } = playing
  return (
    <div class="over" aria-hidden="true">
      {scene.untilMs < axis.endMs && comparison === null && (
        <div class="hatched" style={{ left: `${computed}px` }}>
          {isComputing && <span>computed to {scene.clock.minute(scene.untilMs)}</span>}
          {scene.head.isRecord === true && <span>still to come</span>}
        </div>
      )}
      {expected
        .filter(({ ms }) => ms > scene.untilMs && ms <= axis.endMs)
        .map(({ ms, words }) => (
          <div key={words} class="expected" style={{ left: `${xOf(axis, ms)}px` }} title={words} />
        ))}
      {repeat !== null && (
        <div
          class="repeated"
          style={{
            left: `${xOf(axis, repeat.fromMs)}px`,
            width: `${xOf(axis, (repeat.untilMs ?? repeat.fromMs) - repeat.fromMs)}px`,
          }}
        />
      )}
      <div ref={line} class="playhead">
        <span ref={flag} class="flag mono" />
      </div>
    </div>
  )
}

const FLAG_ROOM_PX = 20

/** Only what this run can show. */
function Legend({ scene, palette }: Pick<LanesProps, "palette" | "scene">): JSX.Element {
  const kinds = (["runner", "vehicle"] as const).filter((kind) => scene.of(kind).length > 0)
  const there = new Set(
    kinds.flatMap((kind) => scene.course.states.map((state) => wordsOf(kind, state).phase)),
  )
  return (
    <ul>
      {LEGEND.filter((phase) => there.has(phase)).map((phase) => {
        const { token, share } = PHASE_LOOKS[phase]
        return (
          <li key={phase}>
            <span
              class="swatch"
              style={{ background: mixed(palette[token as keyof Palette], palette.sunken, share) }}
            />
            {phase}
          </li>
        )
      })}
      <li>
        <span class="swatch" style={{ background: palette.bad }} />
        late
      </li>
    </ul>
  )
}
