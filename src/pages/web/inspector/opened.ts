/** The open run and the state of its view. The views change it, and so does a change of the address. */

import { useEffect, useRef, useState } from "preact/hooks"
import type { StateUpdater } from "preact/hooks"
import { followAddress } from "../own-address.ts"
import type { OpenRun } from "./sources/record-source.ts"
import { addressOf } from "./view.ts"
import type { Address, View } from "./view.ts"

export interface Opened {
  readonly run: OpenRun
  readonly view: View
}

export interface UsedOpened {
  /** Null until the first run is open. */
  readonly opened: Opened | null
  readonly setOpened: (next: StateUpdater<Opened | null>) => void
  readonly go: (change: Partial<View>) => void
}

export function useOpened(onAddress: (address: Address) => void): UsedOpened {
  const [opened, setOpened] = useState<Opened | null>(null)
  const latest = useRef(onAddress)
  latest.current = onAddress
  useEffect(() => followAddress((fragment) => latest.current(addressOf(fragment))), [])
  const go = (change: Partial<View>): void =>
    setOpened((last) => (last === null ? null : { ...last, view: { ...last.view, ...change } }))
  return { opened, setOpened, go }
}
