/** Runs: of the open file, of it with one seed after the other, and of all files. */

import { toast } from "../design/feedback.tsx"
import type { Charts, FileRead, RunRequest, RunsOn, ServiceStep } from "./contract.ts"
import { fileResultOf } from "./file-result.ts"
import { openedRunOf } from "./opened-run.ts"
import { serviceAnswer } from "./service-answer.ts"
import type { LastRun, StudioState, StudioStore } from "./studio-state.ts"
import { triedSeeds } from "./tried-seeds.ts"
import type { TriedSeeds } from "./tried-seeds.ts"

/**
 * Runs the open file as it is in the editor; with a seed always in memory. A file that is saved, or opened for its course, during a
 * run in memory runs when that run has ended; a run against a service is not begun again by itself.
 */
export async function run(store: StudioStore, seed: number | null = null): Promise<void> {
  const { get, set } = store
  const { file, text, runsOn, isRunning } = get()
  if (file === null) return
  if (isRunning) {
    if (runsOn === "memory" && seed === null) store.askedAgain = file.path
    return
  }
  set({ isRunning: true, fault: null })
  store.askedAgain = null
  const stopping = new AbortController()
  store.stopping = stopping
  try {
    const asked = { ...askedOf(file, text), ...(seed === null ? {} : { seed }) }
    const where = seed === null ? runsOn : "memory"
    const last = await runOf(store, { asked, text, where, signal: stopping.signal })
    if (get().file?.path === file.path) set({ last })
  } catch (cause) {
    if (!isStop(cause)) throw cause
    toast("Stopped.")
  } finally {
    set({ isRunning: false, step: null })
  }
  const now = get()
  if (stopping.signal.aborted || now.file === null || store.askedAgain !== now.file.path) return
  const isSavedAnew = now.file.text === now.text && now.text !== text
  if (now.file.path !== file.path || isSavedAnew) await run(store)
}

interface RunAsked {
  readonly asked: RunRequest
  readonly text: string
  readonly where: RunsOn
  readonly signal: AbortSignal
}

/** Makes a run and keeps it. */
async function runOf(store: StudioStore, { asked, text, where, signal }: RunAsked): Promise<LastRun> {
  const { client, get, set, lastByPath, inMemoryByPath } = store
  const { path } = asked
  const isOnService = where === "service"
  const onStep = (step: ServiceStep): void => set({ step })
  const [answer, charts] = await Promise.all([
    isOnService ? serviceAnswer({ client, asked, signal, onStep }) : client.run(asked, signal),
    chartsOf(store),
  ])
  const runs = answer.runs.map((one) => openedRunOf(one, charts))
  const { problems, inspector } = answer
  const earlier = isOnService ? undefined : inMemoryByPath.get(path)
  const { runs: before = [], text: textBefore = "" } = earlier ?? {}
  const last: LastRun = { path, text, runs, problems, inspector, before, textBefore }
  lastByPath.set(path, last)
  // A text that could not be read has no entries to compare the next run with.
  if (!isOnService && runs.length > 0) inMemoryByPath.set(path, { runs, text })
  set({ results: new Map(get().results).set(path, fileResultOf(path, answer)) })
  return last
}

/** Read with the first run; the next run reads again what could not be read. */
function chartsOf(store: StudioStore): Promise<Charts> {
  store.charts ??= store.client.charts().catch((cause: unknown) => {
    store.charts = null
    throw cause
  })
  return store.charts
}

/** A TypeScript scenario runs as it is on disk. */
function askedOf({ path, isTypeScript }: FileRead, text: string): RunRequest {
  return { path, ...(isTypeScript ? {} : { text }) }
}

export async function trySeeds(store: StudioStore): Promise<void> {
  const { client, get, set } = store
  const { file, text, seeds } = get()
  if (file === null || seeds?.isRunning === true) return
  store.stoppingSeeds = new AbortController()
  try {
    const show = (tried: TriedSeeds): void => set({ seeds: tried })
    await triedSeeds({ client, asked: askedOf(file, text), text, signal: store.stoppingSeeds.signal, show })
  } catch (cause) {
    if (!isStop(cause)) throw cause
  }
}

export async function runAll(store: StudioStore): Promise<void> {
  const { client, get, set } = store
  const { runsOn, runningAll } = get()
  if (runningAll !== null) return
  const stopping = new AbortController()
  store.stoppingAll = stopping
  set({ runningAll: { done: 0, files: 0 }, fault: null })
  try {
    await client.runAll(
      runsOn,
      (progress) => {
        if (progress.is === "start") set({ runningAll: { done: 0, files: progress.files } })
        if (progress.is === "file") {
          const { done = 0, files = 0 } = get().runningAll ?? {}
          const results = new Map(get().results).set(progress.result.path, progress.result)
          set({ results, runningAll: { done: done + 1, files } })
        }
        if (progress.is === "start" && progress.leftOut.length > 0)
          toast(`Programs run on their own button alone: ${progress.leftOut.length} left out.`)
        if (progress.is === "end" && progress.stopped !== undefined)
          set({ fault: `No other file was run: ${progress.stopped}.` })
      },
      stopping.signal,
    )
  } catch (cause) {
    if (!isStop(cause)) throw cause
    toast("Stopped.")
  } finally {
    set({ runningAll: null })
  }
  if (isCourseMissing(get())) await run(store)
}

function isStop(cause: unknown): boolean {
  return cause instanceof DOMException && cause.name === "AbortError"
}

/** "Run all" has a verdict of the open file alone: its course needs a run, which takes milliseconds in memory. */
export function isCourseMissing({ file, last, results, runsOn, runningAll }: StudioState): boolean {
  if (file === null || file.isTypeScript || last !== null) return false
  return runsOn === "memory" && runningAll === null && results.has(file.path)
}
