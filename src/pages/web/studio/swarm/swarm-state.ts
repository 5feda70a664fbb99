/** The state of the swarm in the page: what is asked, the figures of its run, and what it found. */

import { useEffect, useMemo, useRef } from "preact/hooks"
import { SEEDS_PER_RUN_MAX, SEED_MAX, SWARM_MINUTES_MAX } from "../../../../model/values/limits.ts"
import { toast } from "../../design/feedback.tsx"
import type { Client } from "../client.ts"
import { StudioFault } from "../client.ts"
import type { SwarmBroken, SwarmFigures, SwarmFinding, SwarmRequest } from "./swarm-contract.ts"
import { useStore } from "../store.ts"
import type { Store } from "../store.ts"

/** A broken sentence, and what became of its scenario file. */
export interface FoundBroken extends SwarmBroken {
  /** The path for the file, as it is in the field. */
  readonly path: string
  /** True while the seed is made small, which takes a while. */
  readonly isMaking: boolean
  /** The seed made small; null until then. */
  readonly finding: SwarmFinding | null
  /** The path of the file that was written; null until then. */
  readonly written: string | null
  readonly fault: string | null
}

/** The fields as they are written. */
export interface SwarmForm {
  readonly unit: SwarmRequest["unit"]
  readonly count: string
  readonly from: string
  readonly workers: string
}

export interface SwarmState {
  /** Null until the server has said it. */
  readonly workersMax: number | null
  readonly form: SwarmForm
  /** Of the run that is shown; null before the first one. */
  readonly figures: SwarmFigures | null
  /** What that run was asked. */
  readonly ran: SwarmRequest | null
  readonly standing: "ended" | "none" | "running" | "stopped"
  readonly broken: readonly FoundBroken[]
  readonly fault: string | null
}

export interface SwarmActions {
  readonly ask: (change: Partial<SwarmForm>) => void
  /** Nothing while a field is wrong. */
  readonly start: () => Promise<void>
  readonly stop: () => void
  readonly name: (sentence: string, path: string) => void
  /** Makes the seed small, once, and writes its scenario file as a new one. */
  readonly write: (sentence: string) => Promise<void>
  readonly stopMaking: (sentence: string) => void
}

const NOTHING: SwarmState = {
  workersMax: null,
  form: { unit: "minutes", count: "5", from: "1", workers: "1" },
  figures: null,
  ran: null,
  standing: "none",
  broken: [],
  fault: null,
}

/** `onWritten` is called with the path of each new file. */
export function useSwarm(client: Client, onWritten: () => void): readonly [SwarmState, SwarmActions] {
  const [state, store] = useStore(NOTHING)
  const written = useRef(onWritten)
  written.current = onWritten
  const actions = useMemo(
    () =>
      actionsOf({
        ...store,
        client,
        onWritten: () => written.current(),
        stopping: null,
        making: new Map(),
      }),
    [client, store],
  )
  useEffect(() => void actions.begin(), [actions])
  return [state, actions]
}

interface SwarmStore extends Store<SwarmState> {
  readonly client: Client
  readonly onWritten: () => void
  stopping: AbortController | null
  /** By sentence. */
  readonly making: Map<string, AbortController>
}

function actionsOf(store: SwarmStore): SwarmActions & { readonly begin: () => Promise<void> } {
  const { client, get, set } = store
  return {
    begin: async () => {
      try {
        const { workersMax } = await client.swarmRoom()
        set({ workersMax, form: { ...get().form, workers: String(workersMax) } })
      } catch (cause) {
        if (!(cause instanceof StudioFault)) throw cause
        set({ fault: cause.message })
      }
    },
    ask: (change) => set({ form: { ...get().form, ...change } }),
    start: () => run(store),
    stop: () => store.stopping?.abort(),
    name: (sentence, path) => note(store, sentence, { path }),
    write: (sentence) => write(store, sentence),
    stopMaking: (sentence) => store.making.get(sentence)?.abort(),
  }
}

/** What is wrong with the number of a field; null when nothing is. */
export function problemOf(
  name: "count" | "from" | "workers",
  { form, workersMax }: SwarmState,
): string | null {
  const [min, max] = name === "from" ? [0, SEED_MAX] : [1, maxOf(name, form, workersMax)]
  const text = form[name]
  const fits = /^\d{1,10}$/.test(text) && Number(text) >= min && Number(text) <= max
  return fits ? null : `A whole number from ${min} to ${max}.`
}

function maxOf(name: "count" | "workers", { unit }: SwarmForm, workersMax: number | null): number {
  if (name === "workers") return workersMax ?? 1
  return unit === "seeds" ? SEEDS_PER_RUN_MAX : SWARM_MINUTES_MAX
}

/** Null while a field is wrong. */
function askedIn(state: SwarmState): SwarmRequest | null {
  const { unit, count, from, workers } = state.form
  if ((["count", "from", "workers"] as const).some((name) => problemOf(name, state) !== null)) return null
  return { unit, count: Number(count), from: Number(from), workers: Number(workers) }
}

async function run(store: SwarmStore): Promise<void> {
  const { client, get, set } = store
  const asked = askedIn(get())
  if (get().standing === "running" || asked === null) return
  const stopping = new AbortController()
  store.stopping = stopping
  for (const making of store.making.values()) making.abort()
  set({ standing: "running", figures: null, ran: asked, broken: [], fault: null })
  try {
    await client.swarm(
      asked,
      (line) => {
        if (line.is === "figures") set({ figures: line.figures })
        if (line.is === "broken") set({ broken: [...get().broken, foundOf(line.broken)] })
        if (line.is === "fault") set({ fault: line.message })
        if (line.is === "end") set({ figures: line.figures, standing: "ended" })
      },
      stopping.signal,
    )
  } catch (cause) {
    if (stopping.signal.aborted) toast("Stopped.")
    else if (cause instanceof StudioFault) set({ fault: cause.message })
    else throw cause
  } finally {
    if (get().standing === "running") set({ standing: "stopped" })
  }
}

function foundOf(broken: SwarmBroken): FoundBroken {
  const path = `swarm-seed-${broken.seed}.yaml`
  return { ...broken, path, isMaking: false, finding: null, written: null, fault: null }
}

function note({ get, set }: SwarmStore, sentence: string, change: Partial<FoundBroken>): void {
  set({ broken: get().broken.map((one) => (one.sentence === sentence ? { ...one, ...change } : one)) })
}

async function write(store: SwarmStore, sentence: string): Promise<void> {
  const { client, get, making, onWritten } = store
  const found = get().broken.find((one) => one.sentence === sentence)
  if (found === undefined || found.isMaking) return
  const stopping = new AbortController()
  making.set(sentence, stopping)
  note(store, sentence, { isMaking: true, fault: null })
  try {
    const finding = found.finding ?? (await client.swarmFinding(found.seed, stopping.signal))
    note(store, sentence, { finding })
    if (finding.text === null) return
    await client.save({ path: found.path, text: finding.text, version: null })
    note(store, sentence, { written: found.path })
    onWritten()
  } catch (cause) {
    if (stopping.signal.aborted) return
    if (!(cause instanceof StudioFault)) throw cause
    note(store, sentence, { fault: cause.message })
  } finally {
    note(store, sentence, { isMaking: false })
  }
}
