/**
 * Messages around the playhead: a lane for each kind of actor, or for each actor. The log has the same information as
 * text.
 */

import type { JSX, RefObject } from "preact"
import { useLayoutEffect, useMemo, useRef, useState } from "preact/hooks"
import { durationText } from "../../inspection/durations.ts"
import { nameOfActor } from "../../inspection/group-names.ts"
import { actorLabel } from "../../inspection/row-text.ts"
import { at } from "../../inspection/run-index.ts"
import type { IndexedActor, RunIndex } from "../../inspection/run-index.ts"
import { sequenceOf } from "../../inspection/sequence.ts"
import type { Arrow } from "../../inspection/sequence.ts"
import { partOf } from "../../../model/address.ts"
import { Panel } from "../components/panel.tsx"
import { Choice } from "../components/toggle.tsx"
import { hueClass } from "./kind-square.tsx"
import { actorOfRow } from "./navigation.ts"
import type { Scene } from "./scene.ts"

/** Rows before and after the playhead's. */
const BEFORE = 14
const AFTER = 8
/** px. Lanes share the panel between these widths, and have room for their names; more of them scroll. */
const LANE_MIN = 92
const LANE_MAX = 124
const LINE = 26
const NAME_LINE = 14
/** px of a letter of a name, and between two names. */
const LETTER = 7.3
const NAME_GAP = 10
/** Longer names are broken at a hyphen or a blank. */
const NAME_COLUMNS = 12
const HEAD = 8
/** Before the labels of some kinds of arrows. */
const SIGNS: Readonly<Record<string, string>> = { timer: "timer ", failure: "✕ " }
/** A wait that is drawn as a gap. Unit: ms. */
const QUIET_MS = 60_000

export function Sequence({ run, view, s, go }: Scene): JSX.Element {
  const { index } = run
  const { lanes, arrows } = useMemo(
    () => sequenceOf(index, { from: view.row - BEFORE, to: view.row + AFTER, lanesBy: view.lanesBy }),
    [index, view.row, view.lanesBy],
  )
  const places = useMemo(() => placesOf(index.t, arrows), [index, arrows])
  const box = useRef<HTMLDivElement>(null)
  const names = lanes.map((name) => nameLines(index, name))
  const lane = useLaneWidth(box, names)
  const width = lanes.length * lane
  const height = (places.at(-1)?.y ?? 0) + LINE + HEAD
  const playhead = places.findLast(({ arrow }) => arrow.row <= view.row)?.y
  useLayoutEffect(() => {
    if (box.current !== null) box.current.scrollTop = (playhead ?? 0) - box.current.clientHeight / 2
  }, [playhead, view.row])
  const tools = (
    <>
      <span class="quiet">{rangeText(index, arrows)}</span>
      <span class="grow" />
      <Choice
        label="Lanes"
        value={view.lanesBy}
        options={[
          ["kind", "by kind"],
          ["actor", "by actor"],
        ]}
        onChoose={(lanesBy) => go({ lanesBy })}
      />
    </>
  )
  return (
    <Panel id="sequence" title="Sequence" s={s} tools={tools}>
      <div class="scroll" role="region" aria-label="Sequence diagram" tabIndex={0} ref={box}>
        <LaneNames index={index} lanes={lanes} names={names} lane={lane} />
        <svg
          class="sequence"
          width={width}
          height={height}
          role="img"
          aria-label={`${arrows.length} messages between ${lanes.length} lanes; the log says them in words`}
        >
          {lanes.map((name, number) => (
            <path key={name} class="lane" d={`M${number * lane + lane / 2} 0V${height}`} />
          ))}
          {playhead !== undefined && <path class="playhead" d={`M0 ${playhead + 5}H${width}`} />}
          {places.map(({ arrow, y, wait }, number) => (
            <g
              key={number}
              class={`arrow ${arrow.kind} ${arrow.row > view.row ? "is-later" : ""} ${arrow.row === view.row ? "is-now" : ""}`}
              data-row={arrow.row}
              onClick={() => go({ row: arrow.row, actor: actorOfRow(run, arrow.row), isPlaying: false })}
            >
              {wait > 0 && (
                <text class="wait" x="4" y={y - LINE + 8}>
                  ··· {durationText(wait)} of quiet time ···
                </text>
              )}
              <ArrowShape arrow={arrow} y={y} lanes={lanes} lane={lane} width={width} />
            </g>
          ))}
        </svg>
      </div>
      <p class="visually-hidden">The playhead is at entry {at(index.s, view.row)}.</p>
    </Panel>
  )
}

/** px of one lane: the panel is looked at after each drawing, so it follows the window with the next move. */
function useLaneWidth(box: RefObject<HTMLDivElement | null>, names: readonly (readonly string[])[]): number {
  const [room, setRoom] = useState(0)
  useLayoutEffect(() => {
    if (box.current !== null) setRoom(box.current.clientWidth)
  })
  const longest = Math.max(0, ...names.flat().map(({ length }) => length))
  const least = Math.max(LANE_MIN, Math.ceil(longest * LETTER) + NAME_GAP)
  return Math.max(least, Math.min(LANE_MAX, Math.floor(room / Math.max(1, names.length))))
}

/** One line, or two that are about as long. */
function nameLines(index: RunIndex, lane: string): readonly string[] {
  const name = lane.includes("/") ? actorLabel(lane, nameOfActor(index, lane)) : lane
  const breaks = [...name.matchAll(name.includes(" ") ? / /g : /-/g)].map((found) => found.index + 1)
  const [middle] = breaks.toSorted(
    (one, other) => Math.abs(one - name.length / 2) - Math.abs(other - name.length / 2),
  )
  if (name.length <= NAME_COLUMNS || middle === undefined) return [name]
  return [name.slice(0, middle).trimEnd(), name.slice(middle)]
}

/** `entries 11 to 21`, as their numbers in the record. */
function rangeText(index: RunIndex, arrows: readonly Arrow[]): string {
  const [first, last] = [arrows[0], arrows.at(-1)]
  if (first === undefined || last === undefined) return ""
  return `entries ${at(index.s, first.row)} to ${at(index.s, last.row)}`
}

interface LaneNamesProps {
  readonly index: RunIndex
  readonly lanes: readonly string[]
  /** The lines of each lane's name. */
  readonly names: readonly (readonly string[])[]
  /** px */
  readonly lane: number
}

/** They stay visible while the messages are scrolled, in the hue of their kind. */
function LaneNames({ index, lanes, names, lane }: LaneNamesProps): JSX.Element {
  const actorOf = (name: string): IndexedActor | undefined =>
    index.actors.find(({ address }) => address === name || partOf(address) === name)
  return (
    <svg
      class="sequence lane-names"
      width={lanes.length * lane}
      height={NAME_LINE * Math.max(1, ...names.map(({ length }) => length)) + HEAD}
      aria-hidden="true"
    >
      {lanes.map((name, number) => {
        const actor = actorOf(name)
        return (
          <text
            key={name}
            class={`lane-name ${actor === undefined ? "" : hueClass(actor)}`}
            text-anchor="middle"
          >
            <title>{name}</title>
            {names[number]?.map((line, row) => (
              <tspan key={line} x={number * lane + lane / 2} y={NAME_LINE * (row + 1)}>
                {line}
              </tspan>
            ))}
          </text>
        )
      })}
    </svg>
  )
}

interface PlacedArrow {
  readonly arrow: Arrow
  readonly y: number
  /** Quiet time before it. Unit: ms. */
  readonly wait: number
}

function placesOf(t: readonly number[], arrows: readonly Arrow[]): readonly PlacedArrow[] {
  let y = HEAD
  let last: number | null = null
  return arrows.map((arrow) => {
    const now = at(t, arrow.row)
    const wait = last !== null && now - last >= QUIET_MS ? now - last : 0
    last = now
    y += wait > 0 ? 2 * LINE : LINE
    return { arrow, y, wait }
  })
}

interface ArrowShapeProps {
  readonly arrow: Arrow
  readonly y: number
  readonly lanes: readonly string[]
  /** px */
  readonly lane: number
  /** Of the diagram. Unit: px. */
  readonly width: number
}

/**
 * Calls are dashed and refusals crossed out; an arrow to its own lane is a loop, whose label stands at the side that has room
 * for it.
 */
function ArrowShape({ arrow, y, lanes, lane, width }: ArrowShapeProps): JSX.Element {
  const [from, to] = [arrow.from, arrow.to].map((name) => lanes.indexOf(name) * lane + lane / 2) as [
    number,
    number,
  ]
  const isLoop = from === to
  const tip = isLoop ? -1 : Math.sign(to - from)
  const line = isLoop ? `M${from} ${y - 6}h26v12h-26` : `M${from} ${y}H${to}`
  const end = isLoop ? y + 6 : y
  const words = `${SIGNS[arrow.kind] ?? ""}${arrow.label}`
  const room = words.length * LETTER
  const isRight = from + 30 + room <= width || from - 4 < room
  const middle = isLoop ? (isRight ? from + 30 : from - 4) : (from + to) / 2
  const anchor = isLoop ? (isRight ? "start" : "end") : "middle"
  return (
    <>
      <path class="line" d={line} />
      <path class="tip" d={`M${to} ${end}l${-8 * tip} -4v8z`} />
      {arrow.kind === "refused" && <path class="cross" d={`M${to - tip * 14 - 4} ${y - 4}l8 8m0 -8l-8 8`} />}
      <text x={middle} y={isLoop ? y + 4 : y - 4} text-anchor={anchor}>
        {words}
      </text>
    </>
  )
}
