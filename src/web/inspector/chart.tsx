/**
 * The machine of the selected actor, as a picture or as an outline. Active states have a fill, a bold border and a
 * tick; the arrow that has just fired is thick; a small figure shows the actor's total time in a state.
 */

import type { JSX } from "preact"
import { useEffect, useLayoutEffect, useMemo, useRef, useState } from "preact/hooks"
import type { ChartDocument, ChartEdge } from "../../chart/chart-document.ts"
import { mergedIds } from "../../chart/overview.ts"
import { durationText } from "../../inspection/durations.ts"
import type { ChartPicture } from "../../inspection/packed.ts"
import { NONE } from "../../inspection/run-index.ts"
import { actorLabel } from "../../inspection/row-text.ts"
import { placesOf } from "../../inspection/source-places.ts"
import { Panel } from "../components/panel.tsx"
import { Choice } from "../components/toggle.tsx"
import { actorMomentOf } from "./actor-moment.ts"
import type { ActorMoment } from "./actor-moment.ts"
import { Outline } from "./outline.tsx"
import type { Scene } from "./scene.ts"
import { Sources } from "./source.tsx"

const SVG = "http://www.w3.org/2000/svg"
/** `readable` fits the picture as long as its text is readable; numbers are multiples of its own size. */
const ZOOMS = ["readable", "whole", 1, 1.5] as const
type Zoom = (typeof ZOOMS)[number]
/** Below this fraction of its own size text is not readable. */
const READABLE = 0.75

/** The machine of the selected actor, and beside it that of a pinned actor. */
export function Machines(scene: Scene): JSX.Element {
  const { beside } = scene.view
  return (
    <div id="machines">
      <Chart {...scene} id="chart" title="Machine" of={scene.view.actor} />
      {beside !== NONE && <Chart {...scene} id="beside" title="Beside it" of={beside} />}
    </div>
  )
}

interface ChartProps extends Scene {
  readonly id: "beside" | "chart"
  readonly title: string
  /** The actor of the machine. */
  readonly of: number
}

function Chart({ run, view, s, now, go, id, title, of }: ChartProps): JSX.Element {
  const actor = run.index.actors[of]
  const picture = run.chartOf(actor?.machine ?? null)
  const moment = useMemo(
    () => actorMomentOf(run, { actor: of, row: view.row, now }, picture?.chart ?? null),
    [run, of, view.row, now, picture],
  )
  const [zoom, setZoom] = useState<Zoom>("readable")
  const isOutline = view.shows === "outline" || picture?.picture === null
  const svg = view.shows === "details" ? (picture?.picture ?? null) : (picture?.overview ?? null)
  const next = ZOOMS[(ZOOMS.indexOf(zoom) + 1) % ZOOMS.length] ?? "readable"
  const tools = (
    <>
      <span class="mono" title={actor?.address}>
        {actor === undefined ? "" : actorLabel(actor.address)}
      </span>
      <span class="grow" />
      {!isOutline && (
        <button type="button" aria-label={`Size: ${sizeText(zoom)}`} onClick={() => setZoom(next)}>
          {sizeText(zoom)}
        </button>
      )}
      {id === "beside" ? (
        <button type="button" onClick={() => go({ beside: NONE })}>
          Close
        </button>
      ) : (
        <button type="button" disabled={of === NONE} onClick={() => go({ beside: of })}>
          Keep beside
        </button>
      )}
      {id === "chart" && (
        <Choice
          label="Show as"
          value={isOutline ? "outline" : view.shows}
          options={[
            ["chart", "Chart"],
            ["details", "Details"],
            ["outline", "Outline"],
          ]}
          onChoose={(shows) => go({ shows })}
        />
      )}
    </>
  )
  return (
    <Panel id={id} title={title} s={s} tools={tools}>
      {picture === null && <p class="banner">{missingText(of, actor?.machine ?? null)}</p>}
      {picture?.isFromProgram === true && (
        <p class="banner">The record holds no chart of {picture.chart.id}; this one came with the page.</p>
      )}
      {picture !== null && picture.problem !== null && <p class="banner">{picture.problem}</p>}
      {view.shows === "details" && !moment.fired.isCertain && (
        <p class="banner">
          One of the {moment.fired.edges.length} marked transitions; the record does not tell which.
        </p>
      )}
      {picture !== null && (
        <Drawing
          key={`${of} ${isOutline}`}
          {...{ picture, moment, title, zoom }}
          row={view.row}
          svg={isOutline ? null : svg}
        />
      )}
    </Panel>
  )
}

interface DrawingProps extends Pick<PictureProps, "moment" | "title" | "zoom"> {
  readonly picture: ChartPicture
  readonly row: number
  /** Null for the outline. */
  readonly svg: string | null
}

/** The chart, and where its source is: of what was pressed in it, otherwise of what has just happened. */
function Drawing({ picture, row, svg, moment, title, zoom }: DrawingProps): JSX.Element {
  const [pressed, setPressed] = useState<readonly string[]>([])
  useEffect(() => setPressed([]), [row])
  const places = placesOf(picture, pressed.length > 0 ? pressed : idsAt(picture.chart, moment))
  return (
    <>
      <p class="written" aria-label={`${title}, source`}>
        {picture.lines === null && picture.problem === null && (
          <span class="quiet">This is another version of the machine, so its lines are not known here.</span>
        )}
        <Sources places={places} />
      </p>
      {svg === null ? (
        <Outline chart={picture.chart} lines={picture.lines} title={title} moment={moment} />
      ) : (
        <Picture
          svg={svg}
          chart={picture.chart}
          title={title}
          moment={moment}
          zoom={zoom}
          onPress={setPressed}
        />
      )}
    </>
  )
}

/** The transitions that have just fired; without any, the innermost active states, or the machine. */
function idsAt({ nodes }: ChartDocument, { active, fired }: ActorMoment): readonly string[] {
  if (fired.edges.length > 0) return fired.edges
  const leaves = active.filter((path) => !active.some((other) => other.startsWith(`${path}.`)))
  const found = nodes.filter(({ path }) => leaves.includes(path))
  return (found.length > 0 ? found : nodes.slice(0, 1)).map(({ id }) => id)
}

function sizeText(zoom: Zoom): string {
  return typeof zoom === "string" ? zoom : `${zoom * 100} %`
}

function missingText(actor: number, machine: string | null): string {
  if (actor === NONE) return "Choose an actor to see its machine."
  return machine === null
    ? "The record does not say which machine this actor runs."
    : `Neither the record nor this page has a chart of ${machine}.`
}

interface PictureProps {
  readonly svg: string
  readonly chart: ChartDocument | null
  /** Title of its panel. */
  readonly title: string
  readonly moment: ActorMoment
  readonly zoom: Zoom
  /** Takes the ids of the state or of the transitions that were pressed; the outline has the same for keyboards. */
  readonly onPress?: (ids: readonly string[]) => void
}

export function Picture({ svg, chart, title, moment, zoom, onPress }: PictureProps): JSX.Element {
  const box = useRef<HTMLDivElement>(null)
  const centered = useRef("")
  // Rendered once for each picture: only the marks on it change, because drawing it again would be slow.
  const html = useMemo(() => ({ __html: svg }), [svg])
  useLayoutEffect(() => {
    const drawing = box.current?.querySelector("svg")
    if (drawing === null || drawing === undefined) return
    const { width, height } = drawing.viewBox.baseVal
    const scale = scaleOf(zoom, fitOf(box.current, { width, height }))
    drawing.setAttribute("width", String(width * scale))
    drawing.setAttribute("height", String(height * scale))
  }, [svg, zoom])
  useLayoutEffect(() => {
    if (box.current === null) return
    markMoment(box.current, moment, chart)
    const leaf = box.current.querySelector<SVGGElement>(".is-leaf")
    // Reading its position forces a layout, so it is read only when the active state or the zoom has changed.
    const where = `${zoom} ${leaf?.dataset["node"] ?? ""}`
    if (where !== centered.current) center(box.current, leaf)
    centered.current = where
  }, [svg, moment, zoom])
  return (
    <div
      class="picture scroll"
      role="region"
      aria-label={`${title}, chart`}
      tabIndex={0}
      ref={box}
      onClick={(event) => onPress?.(idsUnder(event.target))}
      dangerouslySetInnerHTML={html}
    />
  )
}

function idsUnder(target: EventTarget | null): readonly string[] {
  const part = target instanceof Element ? target.closest<SVGElement>("[data-edge], [data-node]") : null
  const { edge, node } = part?.dataset ?? {}
  return edge === undefined ? (node === undefined ? [] : [node]) : mergedIds(edge)
}

interface Size {
  readonly width: number
  readonly height: number
}

/** The scale at which a picture fits into its box. */
function fitOf(box: HTMLElement | null, { width, height }: Size): number {
  if (box === null || box.clientWidth === 0) return 1
  return Math.min(1, box.clientWidth / width, box.clientHeight / height)
}

function scaleOf(zoom: Zoom, fit: number): number {
  if (zoom === "whole") return fit
  return zoom === "readable" ? Math.max(READABLE, fit) : zoom
}

/** Scrolls only the box until the part is in its middle. */
function center(box: HTMLElement, part: Element | null): void {
  if (part === null) return
  const [outer, inner] = [box.getBoundingClientRect(), part.getBoundingClientRect()]
  box.scrollLeft += inner.left + inner.width / 2 - outer.left - outer.width / 2
  box.scrollTop += inner.top + inner.height / 2 - outer.top - outer.height / 2
}

function markMoment(box: HTMLElement, moment: ActorMoment, chart: ChartDocument | null): void {
  for (const mark of box.querySelectorAll(".mark")) mark.remove()
  markStates(box, moment)
  const { edges } = moment.fired
  const drawn = new Set<string>()
  for (const edge of box.querySelectorAll<SVGGElement>("[data-edge]")) {
    const ids = mergedIds(edge.dataset["edge"] ?? "")
    for (const id of ids) drawn.add(id)
    edge.classList.toggle(
      "is-fired",
      ids.some((id) => edges.includes(id)),
    )
  }
  // An overview has no arrow for a transition that stays in its state.
  for (const id of edges.filter((edge) => !drawn.has(edge))) {
    const edge = chart?.edges.find((one) => one.id === id)
    if (edge !== undefined && edge.kind !== "initial") markStaying(box, edge)
  }
}

/** The event under the state that it did not leave. */
function markStaying(box: HTMLElement, { source, label }: ChartEdge): void {
  const node = [...box.querySelectorAll<SVGGElement>("[data-node]")].find(
    ({ dataset }) => dataset["node"] === source,
  )
  const frame = node?.querySelector<SVGRectElement>("rect.box") ?? null
  if (node === undefined || frame === null || node.querySelector(".stays") !== null) return
  const [x, y, height] = ["x", "y", "height"].map((name) => Number(frame.getAttribute(name)))
  node.append(textMark("stays", `↺ ${label}`, { x: (x ?? 0) + 4, y: (y ?? 0) + (height ?? 0) + 13 }))
}

function markStates(box: HTMLElement, { active, dwell }: ActorMoment): void {
  for (const node of box.querySelectorAll<SVGGElement>("[data-node]")) {
    const path = node.dataset["path"] ?? ""
    const isActive = path !== "" && active.includes(path)
    node.classList.toggle("is-active", isActive)
    node.classList.toggle("is-leaf", isActive && !active.some((other) => other.startsWith(`${path}.`)))
    const frame = node.querySelector<SVGRectElement>("rect.box")
    if (frame === null || path === "") continue
    const [x, y, width] = ["x", "y", "width"].map((name) => Number(frame.getAttribute(name)))
    if (isActive) node.append(textMark("tick", "✓", { x: (x ?? 0) + 3, y: (y ?? 0) + 18 }))
    const total = dwell.get(path)?.totalMs ?? 0
    if (isActive || total > 0)
      node.append(textMark("dwell", durationText(total), { x: (x ?? 0) + (width ?? 0) - 4, y: (y ?? 0) - 3 }))
  }
}

function textMark(
  name: string,
  words: string,
  { x, y }: { readonly x: number; readonly y: number },
): SVGTextElement {
  const text = document.createElementNS(SVG, "text")
  text.setAttribute("class", `mark ${name}`)
  text.setAttribute("x", String(x))
  text.setAttribute("y", String(y))
  text.textContent = words
  return text
}
