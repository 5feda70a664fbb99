/**
 * A long list of rows of equal height, of which only the visible ones are rendered. One row is selected and kept
 * visible.
 */

import type { ComponentChildren, JSX } from "preact"
import { useLayoutEffect, useRef, useState } from "preact/hooks"

interface VirtualListProps {
  readonly id: string
  readonly label: string
  readonly count: number
  /** The selected item, or the one to keep visible; -1 for none. */
  readonly chosen: number
  readonly onChoose: (item: number) => void
  readonly rowOf: (item: number) => ComponentChildren
  readonly classOf: (item: number) => string
  /** Unit: px. */
  readonly rowHeight: number
  /** Stands under the selected row; it may have controls, so it is beside the list and not in it. */
  readonly below?: ComponentChildren
}

const BEYOND = 8

export function VirtualList(props: VirtualListProps): JSX.Element {
  const { id, label, count, chosen, onChoose, rowOf, classOf, rowHeight, below } = props
  const box = useRef<HTMLDivElement>(null)
  const [top, setTop] = useState(0)
  const height = useHeight(box, 400)
  const under = useRef<HTMLDivElement>(null)
  const measured = useHeight(under, 0, chosen)
  const hasBelow = below !== undefined && chosen >= 0
  const gap = hasBelow ? measured : 0
  const placeOf = (item: number): number => item * rowHeight + (item > chosen ? gap : 0)
  useLayoutEffect(() => {
    const element = box.current
    if (element === null || chosen < 0) return
    const place = chosen * rowHeight
    const isInSight =
      place >= element.scrollTop && place + rowHeight + gap <= element.scrollTop + element.clientHeight
    if (!isInSight) element.scrollTop = place - Math.max(0, element.clientHeight - gap) / 2
    setTop(element.scrollTop)
  }, [chosen, count, height, rowHeight, gap])
  const from = Math.max(0, Math.floor((top - gap) / rowHeight) - BEYOND)
  const to = Math.min(count, Math.ceil((top + height) / rowHeight) + BEYOND)
  const items = Array.from({ length: Math.max(0, to - from) }, (_, offset) => from + offset)
  const onKeyDown = (event: KeyboardEvent): void => {
    const step = { ArrowDown: 1, ArrowUp: -1, PageDown: 10, PageUp: -10 }[event.key]
    if (step === undefined || count === 0) return
    event.preventDefault()
    onChoose(Math.min(count - 1, Math.max(0, chosen + step)))
  }
  const active = chosen >= from && chosen < to ? { "aria-activedescendant": `${id}-${chosen}` } : {}
  return (
    <div class="virtual-list" ref={box} onScroll={(event) => setTop(event.currentTarget.scrollTop)}>
      <div
        class="virtual-rows"
        style={{ height: `${count * rowHeight + gap}px` }}
        role="listbox"
        aria-label={label}
        tabIndex={0}
        onKeyDown={onKeyDown}
        {...active}
      >
        {items.map((item, slot) => (
          // Keyed by the position on the screen: a jump then changes texts and creates no rows.
          <div
            key={slot}
            id={`${id}-${item}`}
            role="option"
            aria-selected={item === chosen}
            aria-setsize={count}
            aria-posinset={item + 1}
            class={`virtual-row ${classOf(item)}`}
            style={{ top: `${placeOf(item)}px`, height: `${rowHeight}px` }}
            onClick={() => onChoose(item)}
          >
            {rowOf(item)}
          </div>
        ))}
      </div>
      {hasBelow && (
        <div class="virtual-below" ref={under} style={{ top: `${(chosen + 1) * rowHeight}px` }}>
          {below}
        </div>
      )}
    </div>
  )
}

/** The height of an element, also when it changes; `on`: another element may be there. Unit: px. */
function useHeight(box: { readonly current: HTMLElement | null }, first: number, on?: unknown): number {
  const [height, setHeight] = useState(first)
  useLayoutEffect(() => {
    const element = box.current
    if (element === null) return
    const observer = new ResizeObserver(() => setHeight(element.offsetHeight))
    observer.observe(element)
    return () => observer.disconnect()
  }, [on])
  return height
}
