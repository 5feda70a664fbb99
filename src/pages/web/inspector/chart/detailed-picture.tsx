/** The picture of a machine with every transition in full, as ELK laid it out; it is larger than its panel and scrolls. */

import type { JSX } from "preact"
import { useLayoutEffect, useMemo, useRef } from "preact/hooks"
import { durationText } from "../../../inspection/durations.ts"
import type { ActorMoment } from "../actor-moment.ts"
import { ZoomTools, useZoom } from "./use-zoom.tsx"

const SVG = "http://www.w3.org/2000/svg"
/** Below this fraction of its own size text is not readable. */
const READABLE = 0.75

interface DetailedPictureProps {
  readonly svg: string
  /** Title of its panel. */
  readonly title: string
  readonly moment: ActorMoment
  /** Takes the ids of the state or of the transition that was pressed; the outline has the same for keyboards. */
  readonly onPress: (ids: readonly string[]) => void
}

export function DetailedPicture({ svg, title, moment, onPress }: DetailedPictureProps): JSX.Element {
  const box = useRef<HTMLDivElement>(null)
  const zoom = useZoom(box)
  const centered = useRef("")
  // Rendered once for each picture: only the marks on it change, because drawing it again would be slow.
  const html = useMemo(() => ({ __html: svg }), [svg])
  useLayoutEffect(() => {
    const drawing = box.current?.querySelector("svg")
    if (drawing === null || drawing === undefined) return
    const { width, height } = drawing.viewBox.baseVal
    const scale = zoom.factor * usualScale(box.current, { width, height })
    drawing.setAttribute("width", String(width * scale))
    drawing.setAttribute("height", String(height * scale))
  }, [svg, zoom.factor])
  useLayoutEffect(() => {
    if (box.current === null) return
    markMoment(box.current, moment)
    const leaf = box.current.querySelector<SVGGElement>(".is-leaf")
    // Reading its position forces a layout, so it is read only when the active state has changed.
    const where = leaf?.dataset["node"] ?? ""
    if (where !== centered.current) center(box.current, leaf)
    centered.current = where
  }, [svg, moment])
  return (
    <div class="zoomed">
      <div
        class="picture scroll"
        role="region"
        aria-label={`${title}, chart`}
        tabIndex={0}
        ref={box}
        {...zoom.handlers}
        onClick={(event) => onPress(idsUnder(event.target))}
        dangerouslySetInnerHTML={html}
      />
      <ZoomTools zoom={zoom} title={title} />
    </div>
  )
}

function idsUnder(target: EventTarget | null): readonly string[] {
  const part = target instanceof Element ? target.closest<SVGElement>("[data-edge], [data-node]") : null
  const { edge, node } = part?.dataset ?? {}
  return edge === undefined ? (node === undefined ? [] : [node]) : [edge]
}

interface Size {
  readonly width: number
  readonly height: number
}

/** It fits the picture as long as its text is readable. */
function usualScale(box: HTMLElement | null, { width, height }: Size): number {
  if (box === null || box.clientWidth === 0) return 1
  return Math.max(READABLE, Math.min(1, box.clientWidth / width, box.clientHeight / height))
}

/** Scrolls only the box until the part is in its middle. */
function center(box: HTMLElement, part: Element | null): void {
  if (part === null) return
  const [outer, inner] = [box.getBoundingClientRect(), part.getBoundingClientRect()]
  box.scrollLeft += inner.left + inner.width / 2 - outer.left - outer.width / 2
  box.scrollTop += inner.top + inner.height / 2 - outer.top - outer.height / 2
}

function markMoment(box: HTMLElement, moment: ActorMoment): void {
  for (const mark of box.querySelectorAll(".mark")) mark.remove()
  markStates(box, moment)
  const { edges } = moment.fired
  for (const edge of box.querySelectorAll<SVGGElement>("[data-edge]"))
    edge.classList.toggle("is-fired", edges.includes(edge.dataset["edge"] ?? ""))
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
