/** A long list of rows of one height, of which only those in sight are there. One row is chosen and kept in sight. */

import type { ComponentChildren, JSX } from "preact"
import { useLayoutEffect, useRef, useState } from "preact/hooks"

interface VirtualListProps {
  readonly id: string
  readonly label: string
  readonly count: number
  /** The chosen item, or the one to keep in sight; -1 for none. */
  readonly chosen: number
  readonly onChoose: (item: number) => void
  readonly rowOf: (item: number) => ComponentChildren
  readonly classOf: (item: number) => string
}

/** px; the style gives rows the same. */
const ROW = 24
const BEYOND = 8

export function VirtualList(props: VirtualListProps): JSX.Element {
  const { id, label, count, chosen, onChoose, rowOf, classOf } = props
  const box = useRef<HTMLDivElement>(null)
  const [top, setTop] = useState(0)
  const [height, setHeight] = useState(400)
  useLayoutEffect(() => {
    const element = box.current
    if (element === null) return
    const observer = new ResizeObserver(() => setHeight(element.clientHeight))
    observer.observe(element)
    return () => observer.disconnect()
  }, [])
  useLayoutEffect(() => {
    const element = box.current
    if (element === null || chosen < 0) return
    const place = chosen * ROW
    const isInSight = place >= element.scrollTop && place + ROW <= element.scrollTop + element.clientHeight
    if (!isInSight) element.scrollTop = place - element.clientHeight / 2
    setTop(element.scrollTop)
  }, [chosen, count, height])
  const from = Math.max(0, Math.floor(top / ROW) - BEYOND)
  const to = Math.min(count, Math.ceil((top + height) / ROW) + BEYOND)
  const items = Array.from({ length: Math.max(0, to - from) }, (_, offset) => from + offset)
  const onKeyDown = (event: KeyboardEvent): void => {
    const step = { ArrowDown: 1, ArrowUp: -1, PageDown: 10, PageUp: -10 }[event.key]
    if (step === undefined || count === 0) return
    event.preventDefault()
    onChoose(Math.min(count - 1, Math.max(0, chosen + step)))
  }
  const active = chosen >= from && chosen < to ? { "aria-activedescendant": `${id}-${chosen}` } : {}
  return (
    <div
      class="virtual-list"
      ref={box}
      role="listbox"
      aria-label={label}
      tabIndex={0}
      onScroll={(event) => setTop(event.currentTarget.scrollTop)}
      onKeyDown={onKeyDown}
      {...active}
    >
      <div role="presentation" class="virtual-rows" style={{ height: `${count * ROW}px` }}>
        {items.map((item, slot) => (
          // By its place on the screen: a jump then changes texts, and makes no rows anew.
          <div
            key={slot}
            id={`${id}-${item}`}
            role="option"
            aria-selected={item === chosen}
            aria-setsize={count}
            aria-posinset={item + 1}
            class={`virtual-row ${classOf(item)}`}
            style={{ top: `${item * ROW}px` }}
            onClick={() => onChoose(item)}
          >
            {rowOf(item)}
          </div>
        ))}
      </div>
    </div>
  )
}
