/** Data that a page reads, and commands that it sends. */

import { useCallback, useEffect, useRef, useState } from "preact/hooks"
import { asFault } from "./faults.ts"
import type { ApiFault } from "./faults.ts"

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
      tellConnection(null)
    } catch (cause) {
      const fault = asFault(cause)
      if (turn === latest.current) setState((known) => ({ ...known, fault }))
      // A refusal is shown where it belongs; no answer concerns the whole page.
      if (fault.status === 0 || fault.status >= 500) tellConnection(fault)
    }
  }, keys)
  useEffect(() => {
    // Rows of another filter or thing are not shown under this one.
    setState({ data: null, fault: null })
    void reload()
  }, [reload])
  return { ...state, reload }
}

type ConnectionListener = (fault: ApiFault | null) => void
const connectionListeners = new Set<ConnectionListener>()

function tellConnection(fault: ApiFault | null): void {
  for (const listener of connectionListeners) listener(fault)
}

/** Since when reads have failed; null while the service answers. */
export function useConnection(): { readonly sinceMs: number; readonly fault: ApiFault } | null {
  const [state, setState] = useState<{ readonly sinceMs: number; readonly fault: ApiFault } | null>(null)
  useEffect(() => {
    const listener: ConnectionListener = (fault) =>
      setState((known) => (fault === null ? null : { sinceMs: known?.sinceMs ?? Date.now(), fault }))
    connectionListeners.add(listener)
    return () => void connectionListeners.delete(listener)
  }, [])
  return state
}

/** Reads again at an interval while the page is visible, and not while an answer is outstanding. */
export function useRefresh(reload: () => Promise<void>, ms: number | null): void {
  const latest = useRef(reload)
  latest.current = reload
  useEffect(() => {
    if (ms === null) return
    let isReading = false
    const tick = async (): Promise<void> => {
      if (isReading || document.visibilityState !== "visible") return
      isReading = true
      await latest.current()
      isReading = false
    }
    const timer = window.setInterval(() => void tick(), ms)
    return () => window.clearInterval(timer)
  }, [ms])
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
  const isSending = useRef(false)
  const send = async (input: Input): Promise<void> => {
    // A second press before the page has drawn the first one sends nothing.
    if (isSending.current) return
    isSending.current = true
    setBusy(true)
    setFault(null)
    try {
      await run(input)
    } catch (cause) {
      setFault(asFault(cause))
    }
    isSending.current = false
    setBusy(false)
  }
  return { isBusy, fault, send: (input) => void send(input), forget: () => setFault(null) }
}
