/** Dialogs, menus and drawers on native elements: the browser keeps the focus, Esc closes. */

import type { ComponentChildren, JSX } from "preact"
import { useId, useLayoutEffect, useRef } from "preact/hooks"
import { Button } from "./button.tsx"
import type { ButtonLook } from "./button.tsx"
import type { IconName } from "./icon.tsx"

interface DialogProps {
  readonly title: string
  readonly onClose: () => void
  /** True when Esc and the backdrop must not close it, because its content is shown once. */
  readonly isKept?: boolean
  readonly children: ComponentChildren
}

/** Open as long as it is rendered. */
export function Dialog({ title, onClose, isKept = false, children }: DialogProps): JSX.Element {
  const box = useRef<HTMLDialogElement>(null)
  const titleId = useId()
  const wasPressedOutside = useRef(false)
  const isOutside = ({ clientX: x, clientY: y }: MouseEvent): boolean => {
    const place = box.current?.getBoundingClientRect()
    return place !== undefined && (x < place.left || x > place.right || y < place.top || y > place.bottom)
  }
  // Before the next key is heard: a Tab that follows at once would otherwise move on in the page behind it.
  useLayoutEffect(() => {
    const element = box.current
    const opener = document.activeElement
    if (element?.open === false) element.showModal()
    return () => {
      element?.close()
      // A dialog that is removed before it closes gives no focus back.
      if (opener instanceof HTMLElement && document.activeElement === document.body) opener.focus()
    }
  }, [])
  return (
    <dialog
      ref={box}
      aria-labelledby={titleId}
      onCancel={(event) => {
        event.preventDefault()
        if (!isKept) onClose()
      }}
      onKeyDown={(event) => {
        // A second Esc would close a dialog in spite of its cancel event.
        if (event.key === "Escape" && isKept) event.preventDefault()
      }}
      onPointerDown={(event) => {
        wasPressedOutside.current = isOutside(event)
      }}
      onClick={(event) => {
        // Not when a selection of text ends outside.
        if (!isKept && wasPressedOutside.current && isOutside(event)) onClose()
      }}
    >
      <h2 id={titleId}>{title}</h2>
      {children}
    </dialog>
  )
}

export interface MenuItem {
  readonly name: string
  /** What happens then. */
  readonly about?: string
  readonly onChoose?: () => void
  readonly href?: string
}

interface MenuProps {
  /** The button's text; without one, `label` names it. */
  readonly name?: string
  readonly label?: string
  readonly icon?: IconName
  readonly look?: ButtonLook
  readonly isSmall?: boolean
  readonly title?: string
  readonly isDisabled?: boolean
  readonly items: readonly MenuItem[]
}

export function Menu(props: MenuProps): JSX.Element {
  const { name, label, icon, look, isSmall = false, isDisabled = false, title, items } = props
  const id = useId()
  const list = useRef<HTMLDivElement>(null)
  const holder = useRef<HTMLSpanElement>(null)
  const entries = (): readonly HTMLElement[] => [
    ...(list.current?.querySelectorAll<HTMLElement>('[role="menuitem"]') ?? []),
  ]
  const open = (): void => {
    const box = list.current
    const place = holder.current?.getBoundingClientRect()
    if (box === null || place === undefined) return
    box.showPopover()
    const left = Math.min(place.left, window.innerWidth - box.offsetWidth - 12)
    const isBelow = place.bottom + box.offsetHeight + 8 < window.innerHeight
    box.style.position = "fixed"
    box.style.left = `${Math.max(12, left)}px`
    box.style.top = `${isBelow ? place.bottom + 4 : Math.max(8, place.top - box.offsetHeight - 4)}px`
    entries()[0]?.focus()
  }
  const move = (event: KeyboardEvent): void => {
    if (event.key === "Tab") list.current?.hidePopover()
    const all = entries()
    const at = all.findIndex((one) => one === document.activeElement)
    const next = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: all.length - 1 }[event.key]
    if (next === undefined) return
    event.preventDefault()
    all[(next + all.length) % all.length]?.focus()
  }
  const choose = (item: MenuItem): void => {
    list.current?.hidePopover()
    item.onChoose?.()
  }
  return (
    <span class="menu" ref={holder}>
      <Button
        {...(look === undefined ? {} : { look })}
        {...(icon === undefined ? {} : { icon })}
        {...(label === undefined ? {} : { label })}
        isSmall={isSmall}
        isDisabled={isDisabled}
        opensMenu
        onPress={open}
      >
        {name}
      </Button>
      <div ref={list} id={id} popover="auto" role="menu" aria-label={label ?? name} onKeyDown={move}>
        {title === undefined ? null : (
          <p class="title" role="presentation">
            {title}
          </p>
        )}
        {items.map((item) => (
          <MenuEntry key={item.name} item={item} onChoose={() => choose(item)} />
        ))}
      </div>
    </span>
  )
}

function MenuEntry({
  item,
  onChoose,
}: {
  readonly item: MenuItem
  readonly onChoose: () => void
}): JSX.Element {
  const { name, about, href } = item
  const under = about === undefined ? null : <span class="under">{about}</span>
  return href === undefined ? (
    <button type="button" role="menuitem" tabIndex={-1} onClick={onChoose}>
      {name}
      {under}
    </button>
  ) : (
    <a role="menuitem" tabIndex={-1} href={href}>
      {name}
      {under}
    </a>
  )
}

interface DrawerProps {
  /** The verdict in words. */
  readonly title: string
  readonly onClose: () => void
  readonly children: ComponentChildren
}

/** Stands beside a list and is part of the page; Esc closes it. */
export function Drawer({ title, onClose, children }: DrawerProps): JSX.Element {
  const box = useRef<HTMLElement>(null)
  const titleId = useId()
  useLayoutEffect(() => {
    const before = document.activeElement
    box.current?.focus({ preventScroll: true })
    return () => {
      if (before instanceof HTMLElement) before.focus({ preventScroll: true })
    }
  }, [])
  // Before the page is painted: who sees it can use the keys.
  useLayoutEffect(() => {
    const close = (event: KeyboardEvent): void => {
      if (event.key === "Escape" && document.querySelector("dialog[open], [popover]:popover-open") === null)
        onClose()
    }
    document.addEventListener("keydown", close)
    return () => document.removeEventListener("keydown", close)
  }, [onClose])
  return (
    <aside ref={box} class="drawer" aria-labelledby={titleId} tabIndex={-1}>
      <header>
        <h2 id={titleId}>{title}</h2>
        <Button look="quiet" icon="cross" label="Close" isSmall onPress={onClose} />
      </header>
      {children}
    </aside>
  )
}
