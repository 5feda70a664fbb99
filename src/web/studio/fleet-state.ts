/** The state of an open fleet model: its numbers as they are moved, its run, and the answer before for comparison. */

import { useEffect, useMemo } from "preact/hooks"
import { toast } from "../design/feedback.tsx"
import { pathInAddress, writeAddress } from "./area.ts"
import type { Client } from "./client.ts"
import { StudioFault } from "./client.ts"
import type { FleetAnswer, FleetNumber, FleetRead, ListedFleet } from "./fleet-contract.ts"
import { placeOf, textWith } from "./fleet-text.ts"
import { useStore } from "./store.ts"
import type { Store } from "./store.ts"

export interface FleetState {
  readonly fleets: readonly ListedFleet[]
  /** Null until one is chosen. */
  readonly open: FleetRead | null
  /** Values that differ from the file, by the place of the number. */
  readonly changed: ReadonlyMap<string, number>
  readonly running: { readonly done: number; readonly wanted: number } | null
  readonly answer: FleetAnswer | null
  readonly before: FleetAnswer | null
  readonly fault: string | null
}

export interface FleetActions {
  readonly open: (path: string) => Promise<void>
  readonly move: (number: FleetNumber, value: number) => void
  readonly reset: () => void
  readonly run: () => Promise<void>
  readonly stop: () => void
  /** Writes the changed numbers into the file. */
  readonly save: () => Promise<void>
}

const NOTHING: FleetState = {
  fleets: [],
  open: null,
  changed: new Map(),
  running: null,
  answer: null,
  before: null,
  fault: null,
}

export function useFleet(client: Client): readonly [FleetState, FleetActions] {
  const [state, store] = useStore(NOTHING)
  const actions = useMemo(() => actionsOf({ ...store, client, stopping: null }), [client, store])
  useEffect(() => void actions.begin(), [actions])
  return [state, actions]
}

interface FleetStore extends Store<FleetState> {
  readonly client: Client
  stopping: AbortController | null
}

function actionsOf(store: FleetStore): FleetActions & { readonly begin: () => Promise<void> } {
  const { client, get, set } = store
  const open = async (path: string): Promise<void> => {
    store.stopping?.abort()
    const read = await client.readFleet(path)
    set({ ...NOTHING, fleets: get().fleets, open: read })
    writeAddress("fleet", path)
  }
  return {
    begin: () =>
      faced(store, async () => {
        set({ fleets: await client.fleets() })
        const wanted = get().fleets.find(({ path }) => path === pathInAddress("fleet"))
        if (wanted !== undefined) await open(wanted.path)
      }),
    open: (path) => faced(store, () => open(path)),
    move: (number, value) => {
      const changed = new Map(get().changed)
      if (value === number.value) changed.delete(placeOf(number))
      else changed.set(placeOf(number), value)
      set({ changed })
    },
    reset: () => set({ changed: new Map() }),
    run: () => faced(store, () => run(store)),
    stop: () => store.stopping?.abort(),
    save: () => faced(store, () => save(store)),
  }
}

async function faced({ set }: FleetStore, act: () => Promise<void>): Promise<void> {
  try {
    set({ fault: null })
    await act()
  } catch (cause) {
    if (!(cause instanceof StudioFault)) throw cause
    set({ fault: cause.message, running: null })
  }
}

async function run(store: FleetStore): Promise<void> {
  const { client, get, set } = store
  const { open, changed, answer: before, running } = get()
  if (open === null || running !== null) return
  const stopping = new AbortController()
  store.stopping = stopping
  set({ running: { done: 0, wanted: 0 } })
  try {
    const asked = { path: open.path, text: textWith(open.text, open.numbers, changed) }
    await client.runFleet(
      asked,
      (line) => {
        // Another model was opened meanwhile.
        if (get().open?.path !== open.path) return
        if (line.is === "progress") set({ running: line })
        if (line.is === "answer") set({ answer: line.answer, before })
        if (line.is === "fault") set({ fault: line.message })
      },
      stopping.signal,
    )
  } catch (cause) {
    if (!stopping.signal.aborted) throw cause
    toast("Stopped.")
  } finally {
    if (store.stopping === stopping) set({ running: null })
  }
}

async function save({ client, get, set }: FleetStore): Promise<void> {
  const { open, changed } = get()
  if (open === null) return
  const text = textWith(open.text, open.numbers, changed)
  await client.save({ path: open.path, text, version: open.version })
  const read = await client.readFleet(open.path)
  set({ open: read, changed: new Map() })
  toast(`Wrote ${open.path}.`)
}
