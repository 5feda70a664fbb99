/** Data that a page reads, and commands that it sends. */

import { useCallback, useEffect, useRef, useState } from "preact/hooks"
import { asFault } from "./api.ts"
import type { ApiFault } from "./api.ts"

export interface Resource<Data> {
  /** Null until the first answer. */
  readonly data: Data | null
  /** Of the last read; the data of an earlier one stays. */
  readonly fault: ApiFault | null
  readonly reload: () => Promise<void>
}

/** Reads when the page opens, when a key changes, and on `reload`. An answer that is overtaken is dropped. */
export function useResource<Data>(read: () => Promise<Data>, keys: readonly unknown[] = []): Resource<Data> {
  const [state, setState] = useState<{ readonly data: Data | null; readonly fault: ApiFault | null }>({
    data: null,
    fault: null,
  })
  const latest = useRef(0)
  const reload = useCallback(async (): Promise<void> => {
    const turn = (latest.current += 1)
    try {
      const data = await read()
      if (turn === latest.current) setState({ data, fault: null })
    } catch (cause) {
      if (turn === latest.current) setState((known) => ({ ...known, fault: asFault(cause) }))
    }
  }, keys)
  useEffect(() => void reload(), [reload])
  return { ...state, reload }
}

/** Reads again at an interval while the page is visible. */
export function useRefresh(reload: () => Promise<void>, ms: number | null): void {
  useEffect(() => {
    if (ms === null) return
    const timer = window.setInterval(() => {
      if (document.visibilityState === "visible") void reload()
    }, ms)
    return () => window.clearInterval(timer)
  }, [reload, ms])
}

export interface Command<Input = void> {
  readonly isBusy: boolean
  readonly fault: ApiFault | null
  readonly send: (input: Input) => void
  readonly forget: () => void
}

/** A command that a press sends: one at a time. */
export function useCommand<Input = void>(run: (input: Input) => Promise<void>): Command<Input> {
  const [isBusy, setBusy] = useState(false)
  const [fault, setFault] = useState<ApiFault | null>(null)
  const send = async (input: Input): Promise<void> => {
    setBusy(true)
    setFault(null)
    try {
      await run(input)
    } catch (cause) {
      setFault(asFault(cause))
    }
    setBusy(false)
  }
  return { isBusy, fault, send: (input) => void send(input), forget: () => setFault(null) }
}
