/**
 * The chart that fits its panel: states in rows, folded states as one box. Active states are filled and have a tick; transitions that
 * were taken are in ink, the one that has just fired is red and thick.
 */

import type { JSX, SVGAttributes } from "preact"
import { useLayoutEffect, useMemo, useRef, useState } from "preact/hooks"
import type { ChartDocument, ChartEdge } from "../../../chart/chart-document.ts"
import { compactLayout, labelText } from "../../../chart/compact-layout.ts"
import type {
  CompactArrow,
  CompactBox,
  CompactFrame,
  CompactLabel,
  CompactLayout,
} from "../../../chart/compact-layout.ts"
import { HEADER, LINE, TEXT, widthOfText } from "../../../chart/compact-rows.ts"
import { foldedChart } from "../../../chart/folding.ts"
import type { FoldedNode } from "../../../chart/folding.ts"
import type { Point } from "../../../chart/box.ts"
import { durationText } from "../../../inspection/durations.ts"
import type { ActorMoment } from "../actor-moment.ts"
import { Label, Words, pathOf, tipOf } from "./chart-marks.tsx"
import { foldedIds } from "./folds.ts"
import type { Folding, FoldsByHand } from "./folds.ts"
import { ZoomTools, useZoom } from "./use-zoom.tsx"

/** px */
const WIDTH_MIN = 260
const WIDTH_FIRST = 520
const CORNER = 6
const PADDING = 8

interface FoldedPictureProps {
  readonly chart: ChartDocument
  readonly title: string
  readonly moment: ActorMoment
  readonly folding: Folding
  /** The class that sets the hue of the actor's kind. */
  readonly hue: string
  /** Takes the ids of the state or of the transitions that were pressed; the outline has the same for keyboards. */
  readonly onPress?: (ids: readonly string[]) => void
}

export function FoldedPicture(props: FoldedPictureProps): JSX.Element {
  const { chart, title, moment, folding, hue, onPress } = props
  const box = useRef<HTMLDivElement>(null)
  const width = useWidth(box)
  const zoom = useZoom(box)
  const [byHand, setByHand] = useState<FoldsByHand>(new Map())
  useLayoutEffect(() => setByHand(new Map()), [chart, folding])
  const folded = foldedIds(chart, { moment, folding, byHand })
  const key = [...folded].join("\n")
  const fired = moment.fired.edges.join("\n")
  const layout = useMemo(() => {
    const edges = chart.edges.filter(({ id, kind }) => kind !== "initial" && moment.fired.edges.includes(id))
    return compactLayout(foldedChart(chart, folded), { width, fired: edges })
  }, [chart, key, fired, width])
  const leaf = innermost(moment.active)
  useLayoutEffect(() => centerOn(box.current), [layout, leaf])
  const onFold = (id: string): void => {
    setByHand(new Map([...byHand, [id, !folded.has(id)]]))
    // The control that was pressed is drawn again elsewhere: the focus stays with its state.
    requestAnimationFrame(() => foldControl(box.current, id)?.focus())
  }
  return (
    <div class="zoomed">
      <div
        class={`picture compact scroll ${hue}`}
        role="region"
        aria-label={`${title}, chart`}
        tabIndex={0}
        ref={box}
        {...zoom.handlers}
        onClick={(event) => onPress?.(idsUnder(event.target))}
      >
        <Drawn {...{ chart, layout, moment, onFold }} scale={zoom.factor} />
      </div>
      <ZoomTools zoom={zoom} title={title} />
    </div>
  )
}

/** The width of the panel's inside, also when it changes. Unit: px. */
function useWidth(box: { readonly current: HTMLDivElement | null }): number {
  const [width, setWidth] = useState(WIDTH_FIRST)
  useLayoutEffect(() => {
    const { current } = box
    if (current === null) return
    const measure = (): void => setWidth(Math.max(WIDTH_MIN, current.clientWidth))
    measure()
    const observer = new ResizeObserver(measure)
    observer.observe(current)
    return () => observer.disconnect()
  }, [])
  return width
}

function innermost(active: readonly string[]): string {
  return active.filter((path) => !active.some((other) => other.startsWith(`${path}.`))).join(" ")
}

/** Scrolls only the panel. */
function centerOn(box: HTMLElement | null): void {
  const part = box?.querySelector(".is-leaf")
  if (box === null || part === null || part === undefined) return
  const [outer, inner] = [box.getBoundingClientRect(), part.getBoundingClientRect()]
  box.scrollTop += inner.top + inner.height / 2 - outer.top - outer.height / 2
}

function foldControl(box: HTMLElement | null, id: string): SVGElement | undefined {
  return [...(box?.querySelectorAll<SVGElement>("[data-fold]") ?? [])].find(
    ({ dataset }) => dataset["fold"] === id,
  )
}

function idsUnder(target: EventTarget | null): readonly string[] {
  const part =
    target instanceof Element ? target.closest<SVGElement>("[data-edge], [data-label-of], [data-node]") : null
  const { labelOf, edge = labelOf, node } = part?.dataset ?? {}
  return edge === undefined ? (node === undefined ? [] : [node]) : edge.split("\n")
}

interface DrawnProps {
  /** Multiple of the layout's size. */
  readonly scale: number
  readonly chart: ChartDocument
  readonly layout: CompactLayout
  readonly moment: ActorMoment
  readonly onFold: (id: string) => void
}

function Drawn({ chart, layout, moment, onFold, scale }: DrawnProps): JSX.Element {
  const { width, height, frames, boxes } = layout
  const arrows = layout.arrows.map((arrow) => ({ ...arrow, rank: rankOf(arrow.arrow.ids, moment) }))
  const isInFrame = ({ box }: CompactLabel): boolean =>
    frames.some((frame) => box.y > frame.box.y && box.y + box.height < frame.box.y + frame.box.height)
  const shared = { chart, moment, onFold }
  return (
    <svg
      class="chart"
      viewBox={`0 0 ${width} ${height}`}
      width={width * scale}
      height={height * scale}
      role="group"
      aria-label={chart.id}
    >
      {frames.map((frame) => (
        <FrameLine key={frame.of.node.id} frame={frame} moment={moment} />
      ))}
      {RANKS.map((name, rank) => (
        <g key={name}>
          {arrows
            .filter((arrow) => arrow.rank === rank)
            .map((arrow) => (
              <Arrow key={keyOf(arrow)} {...arrow} chart={chart} />
            ))}
        </g>
      ))}
      {boxes.map((box) => (
        <State key={box.of.node.id} place={box} {...shared} isInFrame={isInFrame} />
      ))}
      {frames.map((frame) => (
        <Header key={frame.of.node.id} frame={frame} {...shared} />
      ))}
      {arrows.map((arrow) => (
        <ArrowLabel key={keyOf(arrow)} {...arrow} isInFrame={isInFrame} />
      ))}
    </svg>
  )
}

const RANKS = ["", "is-taken", "is-taken is-fired"] as const

/** Arrows that were taken are drawn over the others, in groups: moved elements may keep their earlier style in Chromium. */
function rankOf(ids: readonly string[], { fired, taken }: ActorMoment): 0 | 1 | 2 {
  if (ids.some((id) => fired.edges.includes(id))) return 2
  return ids.some((id) => taken.has(id)) ? 1 : 0
}

function keyOf({ arrow }: CompactArrow): string {
  return `${arrow.ids.join("\n")}\n${arrow.target}`
}

type RankedArrow = CompactArrow & { readonly rank: 0 | 1 | 2 }

function ArrowLabel({
  arrow,
  label,
  rank,
  isInFrame,
}: RankedArrow & Pick<StateProps, "isInFrame">): JSX.Element | null {
  if (label === null) return null
  return (
    <g class={RANKS[rank]} data-label-of={arrow.ids.join("\n")}>
      <Label label={label} isInFrame={isInFrame(label)} title={arrow.labels.join(", ")} />
    </g>
  )
}

function Arrow({ arrow, points, rank, chart }: RankedArrow & Pick<DrawnProps, "chart">): JSX.Element {
  const [first] = points
  return (
    <g class={RANKS[rank]} data-edge={arrow.ids.join("\n")}>
      <title>{arrow.ids.map((id) => wordsOf(chart, id)).join("; ")}</title>
      <path class="path" d={pathOf(points)} />
      <path class="tip" d={tipOf(points)} />
      {arrow.isInitial && <circle class="start" cx={first?.x} cy={first?.y} r="4" />}
    </g>
  )
}

/** `open_link.failed, if access_failed is flagged` */
function wordsOf({ edges }: ChartDocument, id: string): string {
  const edge = edges.find((one) => one.id === id)
  if (edge === undefined) return id
  return edge.guard === null ? edge.label : `${edge.label}, if ${edge.guard}`
}

interface StateProps extends Omit<DrawnProps, "layout" | "scale"> {
  readonly place: CompactBox
  readonly isInFrame: (label: CompactLabel) => boolean
}

function State({ place, chart, moment, onFold, isInFrame }: StateProps): JSX.Element {
  const { of, box, name, loop } = place
  const { node, isFolded, states } = of
  const isActive = moment.active.includes(node.path)
  const total = moment.dwell.get(node.path)?.totalMs ?? 0
  const bottom = box.y + box.height - PADDING + 2
  const middle = box.x + box.width / 2
  const [first = ""] = name
  return (
    <g
      data-node={node.id}
      data-path={node.path}
      class={[isActive ? "is-active is-leaf" : "", isFolded ? "is-folded" : "", node.type].join(" ")}
      {...(isFolded ? foldProps(of, onFold) : {})}
    >
      {node.description !== null && <title>{node.description}</title>}
      <rect class="box" x={box.x} y={box.y} width={box.width} height={box.height} rx={CORNER} />
      {(node.type === "final" || isFolded) && (
        <rect
          class="inner"
          x={box.x + 3}
          y={box.y + 3}
          width={box.width - 6}
          height={box.height - 6}
          rx="4"
        />
      )}
      {name.map((line, row) => (
        <Words
          key={row}
          name="name"
          x={middle - widthOfText(line) / 2}
          y={box.y + PADDING + 6 + row * LINE}
          text={line}
          most={box.width - 4}
        />
      ))}
      {isActive && (
        <Words name="tick" x={middle - widthOfText(first) / 2 - 10} y={box.y + PADDING + 6} text="✓" />
      )}
      {isFolded && (
        <Words
          name="count"
          x={middle - widthOfText(countText(states)) / 2}
          y={bottom - LINE}
          text={countText(states)}
        />
      )}
      {(isActive || total > 0) && (
        <Words name="dwell" x={box.x + PADDING} y={bottom} text={durationText(total)} />
      )}
      {loop === null ? (
        <Stays of={of} right={box.x + box.width - PADDING} y={bottom} />
      ) : (
        <g class="is-taken is-fired" data-edge={of.stays.join("\n")}>
          <path class="path" d={pathOf(loop.points)} />
          <path class="tip" d={tipOf(loop.points)} />
          {loop.label !== null && (
            <Label label={loop.label} isInFrame={isInFrame(loop.label)} title={staysTitle(chart, of)} />
          )}
        </g>
      )}
    </g>
  )
}

/** A fold opens and closes by click, by Enter and by the space bar. */
function foldProps(
  { node, isFolded, states }: FoldedNode,
  onFold: (id: string) => void,
): SVGAttributes<SVGGElement> {
  const fold = (event: Event): void => {
    event.preventDefault()
    event.stopPropagation()
    onFold(node.id)
  }
  return {
    role: "button",
    // SVG knows the attribute in lower case alone.
    tabindex: 0,
    "aria-expanded": !isFolded,
    "aria-label": `${node.key}, ${countText(states)}`,
    "data-fold": node.id,
    onClick: fold,
    onKeyDown: (event: KeyboardEvent): void => {
      if (event.key === "Enter" || event.key === " ") fold(event)
    },
  } as SVGAttributes<SVGGElement>
}

function countText(states: number): string {
  return states === 1 ? "1 state" : `${states} states`
}

interface StaysProps {
  readonly of: FoldedNode
  readonly right: number
  readonly y: number
}

/** How many transitions stay in the state. */
function Stays({ of, right, y }: StaysProps): JSX.Element | null {
  const { stays } = of
  if (stays.length === 0) return null
  const text = `↺${stays.length}`
  return (
    <g data-edge={stays.join("\n")}>
      <Words name="stays" x={right - widthOfText(text)} y={y} text={text} />
    </g>
  )
}

function staysTitle(chart: ChartDocument, { stays }: FoldedNode): string {
  return stays.map((id) => wordsOf(chart, id)).join("; ")
}

function FrameLine({
  frame: { of, box },
  moment,
}: {
  readonly frame: CompactFrame
  readonly moment: ActorMoment
}): JSX.Element {
  const isActive = of.node.path !== "" && moment.active.includes(of.node.path)
  return (
    <g data-node={of.node.id} data-path={of.node.path} class={isActive ? "frame is-active" : "frame"}>
      {of.node.description !== null && <title>{of.node.description}</title>}
      <rect class="box" x={box.x} y={box.y} width={box.width} height={box.height} rx={CORNER} />
    </g>
  )
}

interface HeaderProps extends Omit<DrawnProps, "layout" | "scale"> {
  readonly frame: CompactFrame
}

/** The name of a frame, which folds it; the transitions that stay in it, and the time in it. */
function Header({ frame: { of, box }, chart, moment, onFold }: HeaderProps): JSX.Element {
  const { node, stays } = of
  const isActive = node.path !== "" && moment.active.includes(node.path)
  const fired = chart.edges.filter(({ id }) => stays.includes(id) && moment.fired.edges.includes(id))
  const name = `${node.parent === null ? "" : "▾ "}${node.key}${isActive ? " ✓" : ""}`
  const total = moment.dwell.get(node.path)?.totalMs ?? 0
  const dwell = isActive || total > 0 ? durationText(total) : ""
  const y = box.y + HEADER - 9
  const x = box.x + PADDING
  const after = x + widthOfText(name) + PADDING + 4
  return (
    <>
      <g
        {...(node.parent === null ? {} : foldProps(of, onFold))}
        class={isActive ? "header is-active-frame" : "header"}
      >
        <rect
          class="ground in-frame"
          x={x - 4}
          y={box.y + 3}
          width={widthOfText(name) + 8}
          height={HEADER - 6}
          rx="4"
        />
        <Words name="name" x={x} y={y} text={name} />
      </g>
      {stays.length > 0 && (
        <g class={fired.length > 0 ? "is-taken is-fired" : ""} data-edge={stays.join("\n")}>
          <Label
            label={staysLabel(fired, stays, { x: after, y: y - TEXT + 1 })}
            isInFrame
            title={staysTitle(chart, of)}
          />
        </g>
      )}
      {dwell !== "" && (
        <Words name="dwell" x={box.x + box.width - PADDING - widthOfText(dwell)} y={y} text={dwell} />
      )}
    </>
  )
}

function staysLabel(fired: readonly ChartEdge[], stays: readonly string[], { x, y }: Point): CompactLabel {
  const labels = [...new Set(fired.map(({ label }) => label))]
  const text = labels.length === 0 ? `↺${stays.length}` : `↺ ${labelText(labels)}`
  return { text, box: { x, y, width: widthOfText(text), height: LINE - 1 } }
}
