/** The state of an open fleet model: its numbers as they are moved, its run, and the answer before for comparison. */

import { useEffect, useMemo } from "preact/hooks"
import { toast } from "../../design/feedback.tsx"
import { pathInAddress, writeAddress } from "../area.ts"
import type { Client } from "../client.ts"
import { StudioFault } from "../client.ts"
import { placeOf, textWith } from "../../../../model/replay/number-text.ts"
import type { FleetNumber } from "../../../../model/replay/number-text.ts"
import type { FleetAnswer, FleetRead, ListedFleet } from "./fleet-contract.ts"
import { useStore } from "../store.ts"
import type { Store } from "../store.ts"

export interface FleetState {
  /** Null until they are read. */
  readonly fleets: readonly ListedFleet[] | null
  /** Null until one is chosen. */
  readonly open: FleetRead | null
  /** Values that differ from the file, by the place of the number. */
  readonly changed: ReadonlyMap<string, number>
  /** The paths of models whose moved numbers are not in their files. */
  readonly unsaved: ReadonlySet<string>
  /** The file changed on disk since it was read; null when it did not. */
  readonly conflict: string | null
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
  /** After a conflict: reads the file anew and keeps the moved numbers, or writes this text over it. */
  readonly loadAgain: () => Promise<void>
  readonly saveOver: () => Promise<void>
  /** Writes a new model, opens it and runs it; the refusal's message, or null. */
  readonly create: (path: string, text: string) => Promise<string | null>
  /** Reads the list again. */
  readonly listAgain: () => Promise<void>
}

/** Before a model was chosen. */
export const NO_FLEET: FleetState = {
  fleets: null,
  open: null,
  changed: new Map(),
  unsaved: new Set(),
  conflict: null,
  running: null,
  answer: null,
  before: null,
  fault: null,
}

export function useFleet(client: Client): readonly [FleetState, FleetActions] {
  const [state, store] = useStore(NO_FLEET)
  const actions = useMemo(
    () => fleetActionsOf({ ...store, client, opening: null, stopping: null, kept: new Map() }),
    [client, store],
  )
  useEffect(() => void actions.begin(), [actions])
  return [state, actions]
}

interface FleetStore extends Store<FleetState> {
  readonly client: Client
  /** The model that was chosen last. */
  opening: string | null
  stopping: AbortController | null
  /** The moved numbers of models that are not open, or have a mistake, by path. */
  readonly kept: Map<string, readonly MovedNumber[]>
}

interface MovedNumber {
  readonly number: FleetNumber
  readonly value: number
}

/** The moved numbers of the open model. */
function movedOf({ open, changed }: FleetState): readonly MovedNumber[] {
  return (open?.numbers ?? []).flatMap((number) => {
    const value = changed.get(placeOf(number))
    return value === undefined ? [] : [{ number, value }]
  })
}

/** The same number in a text that may be another one: it is found again by its name. */
function sameIn({ numbers }: FleetRead, { group, label, unit }: FleetNumber): FleetNumber | null {
  return numbers.find((one) => one.group === group && one.label === label && one.unit === unit) ?? null
}

/** The moved numbers by their places in a text, without those whose value it has; and whether it has each of them. */
function placedIn(
  read: FleetRead,
  moved: readonly MovedNumber[],
): { readonly changed: ReadonlyMap<string, number>; readonly isOneLost: boolean } {
  const changed = new Map<string, number>()
  let isOneLost = false
  for (const { number, value } of moved) {
    const now = sameIn(read, number)
    if (now === null) isOneLost = true
    else if (now.value !== value) changed.set(placeOf(now), value)
  }
  return { changed, isOneLost }
}

/** Opens what was read, with the moved numbers that its text still has. A text with a mistake has no numbers: they are kept. */
function show({ get, set, kept }: FleetStore, read: FleetRead, moved: readonly MovedNumber[]): void {
  const { changed, isOneLost } = placedIn(read, moved)
  if (read.problems.length > 0 && moved.length > 0) kept.set(read.path, moved)
  else if (isOneLost) toast("The file has changed: not every moved number is in it any more.")
  set({ ...NO_FLEET, fleets: get().fleets, open: read, changed })
  noteUnsaved({ get, set, kept })
}

function noteUnsaved({ get, set, kept }: Pick<FleetStore, "get" | "kept" | "set">): void {
  const { open, changed } = get()
  const unsaved = new Set(kept.keys())
  if (open !== null && changed.size > 0) unsaved.add(open.path)
  set({ unsaved })
}

export function fleetActionsOf(store: FleetStore): FleetActions & { readonly begin: () => Promise<void> } {
  const { client, get, set } = store
  const open = async (path: string): Promise<void> => {
    store.stopping?.abort()
    store.opening = path
    const read = await client.readFleet(path)
    // Another model was chosen while this one was read.
    if (store.opening !== path) return
    const { open: before, changed } = get()
    if (before !== null && changed.size > 0) store.kept.set(before.path, movedOf(get()))
    const moved = store.kept.get(path) ?? []
    store.kept.delete(path)
    show(store, read, moved)
    writeAddress("fleet", path)
  }
  return {
    begin: () =>
      faced(store, async () => {
        set({ fleets: await client.fleets() })
        const wanted = get().fleets?.find(({ path }) => path === pathInAddress("fleet"))
        if (wanted !== undefined) await open(wanted.path)
      }),
    open: (path) => faced(store, () => open(path)),
    create: async (path, text) => {
      try {
        await client.save({ path, text, version: null })
      } catch (cause) {
        if (cause instanceof StudioFault) return cause.message
        throw cause
      }
      void faced(store, async () => {
        set({ fleets: await client.fleets() })
        await open(path)
        await run(store)
      })
      return null
    },
    listAgain: async () => {
      const fleets = await client.fleets().catch(() => null)
      if (fleets !== null) set({ fleets })
    },
    move: (number, value) => {
      const changed = new Map(get().changed)
      if (value === number.value) changed.delete(placeOf(number))
      else changed.set(placeOf(number), value)
      set({ changed })
      noteUnsaved(store)
    },
    reset: () => {
      set({ changed: new Map() })
      noteUnsaved(store)
    },
    run: () => faced(store, () => run(store)),
    stop: () => store.stopping?.abort(),
    save: () => faced(store, () => save(store, get().open?.version ?? "")),
    loadAgain: () =>
      faced(store, async () => {
        const { open: before } = get()
        if (before !== null) await open(before.path)
      }),
    saveOver: () =>
      faced(store, async () => {
        const { open: before } = get()
        if (before !== null) await save(store, (await client.readFleet(before.path)).version)
      }),
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

async function save(store: FleetStore, version: string): Promise<void> {
  const { client, get, set } = store
  const { open, changed } = get()
  if (open === null) return
  const text = textWith(open.text, open.numbers, changed)
  try {
    await client.save({ path: open.path, text, version })
  } catch (cause) {
    if (!(cause instanceof StudioFault) || cause.status !== 409) throw cause
    if (get().open?.path === open.path) set({ conflict: cause.message })
    return
  }
  const read = await client.readFleet(open.path)
  if (get().open?.path === open.path) {
    // Numbers that were moved during the save are not in the file.
    set({ open: read, changed: placedIn(read, movedOf(get())).changed, conflict: null })
    noteUnsaved(store)
  }
  toast(`Wrote ${open.path}.`)
}
