/** The state of one area of the page: what it draws, and for work that goes on, the latest. */

import { useMemo, useRef, useState } from "preact/hooks"

export interface Store<State> {
  /** Also in work that began before the last drawing. */
  readonly get: () => State
  readonly set: (change: Partial<State>) => void
}

/** The state as it is drawn, and its store, which stays the same. */
export function useStore<State extends object>(beginning: State): readonly [State, Store<State>] {
  const [state, setState] = useState(beginning)
  const latest = useRef(state)
  const store = useMemo<Store<State>>(
    () => ({
      get: () => latest.current,
      set: (change) => {
        latest.current = { ...latest.current, ...change }
        setState(latest.current)
      },
    }),
    [],
  )
  return [state, store]
}
