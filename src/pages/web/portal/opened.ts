/** What is open in the drawer of a list: the address carries it, and back closes it. */

import { useCallback, useEffect, useState } from "preact/hooks"

export interface Addresses {
  /** Of the address as it is; null when nothing is open. */
  readonly idNow: () => string | null
  /** Null: nothing is open. */
  readonly addressOf: (id: string | null) => string
}

/** The open thing, and what opens another or closes it. `addresses` is the same at each call. */
export function useOpened({
  idNow,
  addressOf,
}: Addresses): readonly [string | null, (id: string | null) => void] {
  const [opened, setOpened] = useState(idNow)
  useEffect(() => {
    const follow = (): void => setOpened(idNow())
    window.addEventListener("popstate", follow)
    return () => window.removeEventListener("popstate", follow)
  }, [idNow])
  const open = useCallback(
    (id: string | null): void => {
      // From one thing to another, back still leads to the list.
      if (id !== null && idNow() !== null) window.history.replaceState(null, "", addressOf(id))
      else window.history.pushState(null, "", addressOf(id))
      setOpened(id)
    },
    [idNow, addressOf],
  )
  return [opened, open]
}
