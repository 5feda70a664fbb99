/** A picture in a box that scrolls: buttons, the keys + − 0 and Ctrl with the wheel change its size, a mouse drags it. */

import type { JSX, TargetedKeyboardEvent, TargetedPointerEvent, TargetedWheelEvent } from "preact"
import { useLayoutEffect, useRef, useState } from "preact/hooks"
import { Icon } from "../../design/icon.tsx"

const STEP = 1.25
const FACTOR_MIN = STEP ** -6
const FACTOR_MAX = STEP ** 6
const WHEEL_FACTOR = 0.01
/** A shorter way of the pointer is a press. Unit: px. */
const DRAG_PX_MIN = 4

interface Box {
  readonly current: HTMLElement | null
}

/** A place of the box, and what of the picture is there at its usual size. Unit: px. */
interface Anchor {
  readonly x: number
  readonly y: number
  readonly pictureX: number
  readonly pictureY: number
}

export interface Zoom {
  /** Multiple of the picture's usual size. */
  readonly factor: number
  readonly change: (by: number, at?: { readonly clientX: number; readonly clientY: number }) => void
  readonly reset: () => void
  /** For the box. */
  readonly handlers: ReturnType<typeof handlersOf> & ReturnType<typeof useDragging>
}

/** What stands at the pointer, or in the middle, stays there. */
export function useZoom(box: Box): Zoom {
  const [factor, setFactor] = useState(1)
  const now = useRef(1)
  const anchor = useRef<Anchor | null>(null)
  const dragging = useDragging(box)
  const change: Zoom["change"] = (by, at) => {
    const { current } = box
    const next = Math.min(FACTOR_MAX, Math.max(FACTOR_MIN, now.current * by))
    if (current === null || next === now.current) return
    const { left, top } = current.getBoundingClientRect()
    const x = at === undefined ? current.clientWidth / 2 : at.clientX - left
    const y = at === undefined ? current.clientHeight / 2 : at.clientY - top
    anchor.current ??= {
      x,
      y,
      pictureX: (current.scrollLeft + x) / now.current,
      pictureY: (current.scrollTop + y) / now.current,
    }
    now.current = next
    setFactor(next)
  }
  useLayoutEffect(() => {
    if (box.current === null || anchor.current === null) return
    const { x, y, pictureX, pictureY } = anchor.current
    box.current.scrollTo(pictureX * factor - x, pictureY * factor - y)
    anchor.current = null
  }, [factor])
  const reset = (): void => change(1 / now.current)
  return { factor, change, reset, handlers: { ...dragging, ...handlersOf({ change, reset }) } }
}

function handlersOf({ change, reset }: Pick<Zoom, "change" | "reset">) {
  return {
    onWheel: (event: TargetedWheelEvent<HTMLElement>): void => {
      // A trackpad's pinch arrives as a wheel with Ctrl.
      if (!event.ctrlKey && !event.metaKey) return
      event.preventDefault()
      change(Math.exp(-event.deltaY * WHEEL_FACTOR), event)
    },
    onKeyDown: (event: TargetedKeyboardEvent<HTMLElement>): void => {
      if (event.ctrlKey || event.metaKey || event.altKey) return
      if (event.key === "+" || event.key === "=") change(STEP)
      else if (event.key === "-") change(1 / STEP)
      else if (event.key === "0") reset()
      else return
      // The page has these keys, too.
      event.preventDefault()
    },
  }
}

/** Fingers scroll the box by themselves. */
function useDragging(box: Box) {
  const from = useRef<{ readonly x: number; readonly y: number } | null>(null)
  const isDragging = useRef(false)
  return {
    onPointerDown: (event: TargetedPointerEvent<HTMLElement>): void => {
      isDragging.current = false
      if (event.pointerType === "mouse" && event.button === 0)
        from.current = { x: event.clientX, y: event.clientY }
    },
    onPointerMove: (event: TargetedPointerEvent<HTMLElement>): void => {
      if (from.current === null || box.current === null) return
      const [x, y] = [event.clientX - from.current.x, event.clientY - from.current.y]
      if (!isDragging.current && Math.hypot(x, y) < DRAG_PX_MIN) return
      if (!isDragging.current) box.current.setPointerCapture(event.pointerId)
      isDragging.current = true
      box.current.scrollBy(-x, -y)
      from.current = { x: event.clientX, y: event.clientY }
    },
    onPointerUp: (): void => {
      from.current = null
    },
    onPointerCancel: (): void => {
      from.current = null
    },
    onClickCapture: (event: Event): void => {
      if (isDragging.current) event.stopPropagation()
      isDragging.current = false
    },
  }
}

export function ZoomTools({ zoom, title }: { readonly zoom: Zoom; readonly title: string }): JSX.Element {
  const percent = `${Math.round(zoom.factor * 100)} %`
  return (
    <div class="zoom-tools" role="group" aria-label={`Size, ${title}`}>
      <button type="button" aria-label="Smaller" title="Smaller (−)" onClick={() => zoom.change(1 / STEP)}>
        <Icon name="minus" />
      </button>
      <button
        type="button"
        aria-label={`${percent}, back to the usual size`}
        title="Usual size (0)"
        onClick={zoom.reset}
      >
        {percent}
      </button>
      <button type="button" aria-label="Larger" title="Larger (+)" onClick={() => zoom.change(STEP)}>
        <Icon name="plus" />
      </button>
    </div>
  )
}
