/** What the address says beyond the site: the thing that is open in the drawer. Back closes it. */

import { useCallback, useEffect, useState } from "preact/hooks"

const OPENABLE = ["delivery", "reservation", "vehicle"] as const

export interface Opened {
  readonly kind: (typeof OPENABLE)[number]
  readonly id: string
}

function openedIn(search: string): Opened | null {
  const asked = new URLSearchParams(search)
  for (const kind of OPENABLE) {
    const id = asked.get(kind)
    if (id !== null && id !== "") return { kind, id }
  }
  return null
}

function searchOf({ kind, id }: Opened): string {
  return `?${new URLSearchParams({ [kind]: id }).toString()}`
}

/** The open thing, and what opens another or closes it. */
export function useOpened(): readonly [Opened | null, (next: Opened | null) => void] {
  const [opened, setOpened] = useState(() => openedIn(window.location.search))
  useEffect(() => {
    const follow = (): void => setOpened(openedIn(window.location.search))
    window.addEventListener("popstate", follow)
    return () => window.removeEventListener("popstate", follow)
  }, [])
  const go = useCallback((next: Opened | null): void => {
    const { pathname } = window.location
    const url = next === null ? pathname : `${pathname}${searchOf(next)}`
    if (url === `${pathname}${window.location.search}`) return
    // From one thing to another, back still leads to the board.
    const isChange = next !== null && openedIn(window.location.search) !== null
    if (isChange) window.history.replaceState(null, "", url)
    else window.history.pushState(null, "", url)
    setOpened(next)
  }, [])
  return [opened, go]
}
