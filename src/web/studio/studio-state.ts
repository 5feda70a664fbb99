/** The state of the page: the list, the open file with its text, the last runs, and what the buttons do. */

import { useEffect, useMemo } from "preact/hooks"
import { toast } from "../design/feedback.tsx"
import type { Client } from "./client.ts"
import { StudioFault } from "./client.ts"
import type {
  Charts,
  FileCheck,
  FileProblem,
  FileRead,
  FileResult,
  FormAnswer,
  Listing,
  RunRequest,
  RunsOn,
  ServiceStep,
  Words,
} from "./contract.ts"
import { areaInAddress, pathInAddress, writeAddress } from "./area.ts"
import { takeDiskChanges } from "./disk-changes.ts"
import { removedFile, renamedFile, written } from "./whole-file.ts"
import { fileResultOf } from "./file-result.ts"
import type { FileForm } from "./form-contract.ts"
import { FormShapes, changeFor } from "./form-changes.ts"
import type { FormChange } from "./form-changes.ts"
import { openedRunOf } from "./opened-run.ts"
import type { OpenedRun } from "./opened-run.ts"
import { serviceAnswer } from "./service-answer.ts"
import { triedSeeds } from "./tried-seeds.ts"
import type { TriedSeeds } from "./tried-seeds.ts"
import { largeFirst } from "./verdict.ts"
import { useStore } from "./store.ts"
import type { Store } from "./store.ts"

/** A run of the open file, and the one before it. */
export interface LastRun {
  readonly path: string
  /** The text that ran. */
  readonly text: string
  readonly runs: readonly OpenedRun[]
  readonly problems: readonly FileProblem[]
  readonly inspector: string | null
  /** Empty for a run against a service, which has no entries to compare. */
  readonly before: readonly OpenedRun[]
  /** The text of that run. */
  readonly textBefore: string
}

export interface RunningAll {
  readonly done: number
  readonly files: number
}

export interface StudioState {
  readonly listing: Listing | null
  readonly words: Words | null
  readonly results: ReadonlyMap<string, FileResult>
  readonly file: FileRead | null
  /** The text in the editor. */
  readonly text: string
  /** A text that was put into the editor from outside: a new object each time. */
  readonly start: { readonly text: string }
  readonly problems: readonly FileProblem[]
  readonly last: LastRun | null
  /** Where the next run is made. */
  readonly runsOn: RunsOn
  readonly isRunning: boolean
  /** What a run against the service does now. */
  readonly step: ServiceStep | null
  readonly runningAll: RunningAll | null
  readonly seeds: TriedSeeds | null
  readonly unsaved: ReadonlySet<string>
  /** The texts before the last changes of the form, newest last; typing in the editor begins anew. */
  readonly undoable: readonly string[]
  /** A save that was refused because the file changed on disk. */
  readonly conflict: { readonly message: string; readonly current: FileRead | null } | null
  readonly fault: string | null
}

/** Changes of the form that can be taken back. */
const UNDO_MAX = 200

const NOTHING: StudioState = {
  listing: null,
  words: null,
  results: new Map(),
  file: null,
  text: "",
  start: { text: "" },
  problems: [],
  last: null,
  runsOn: "memory",
  isRunning: false,
  step: null,
  runningAll: null,
  seeds: null,
  unsaved: new Set(),
  undoable: [],
  conflict: null,
  fault: null,
}

export interface StudioActions {
  readonly open: (path: string) => Promise<void>
  readonly type: (text: string) => void
  readonly check: (text: string) => Promise<FileCheck | null>
  /** Puts a whole text into the editor, such as one with a mistake mended. */
  readonly replaceText: (text: string) => void
  /** A text as a form: null when it cannot be shown as one, undefined when the server did not answer, which the page then says. */
  readonly readForm: (path: string, text: string) => Promise<FileForm | null | undefined>
  /** Makes a change of the form, after the changes before it: the text that it leaves, or null when it was not made. */
  readonly edit: (change: FormChange) => Promise<string | null>
  /** Takes back the last change of the form. */
  readonly undo: () => Promise<void>
  readonly saveAndRun: () => Promise<void>
  /** Writes over the file as it is on disk, or writes it again when it was deleted. */
  readonly saveOver: () => Promise<void>
  readonly loadAgain: () => Promise<void>
  readonly runOn: (where: RunsOn) => void
  readonly runAll: () => Promise<void>
  readonly stop: () => void
  /** Runs the open file, as it is in the editor, with one seed after the other. */
  readonly trySeeds: () => Promise<void>
  readonly stopSeeds: () => void
  /** Runs the open file, as it is in the editor, with this seed. */
  readonly runWithSeed: (seed: number) => Promise<void>
  /** Writes a new file, opens it and runs it; the refusal's message, or null. */
  readonly create: (path: string, text: string) => Promise<string | null>
  /** Reads the list again. */
  readonly refresh: () => Promise<void>
  /** Takes over what other programs have done in the folder. */
  readonly takeDiskChanges: () => Promise<void>
  /** Gives the open file, which is saved, another path; the refusal's message, or null. */
  readonly rename: (to: string) => Promise<string | null>
  /** Deletes the open file; the refusal's message, or null. */
  readonly remove: () => Promise<string | null>
}

export function useStudio(client: Client): readonly [StudioState, StudioActions] {
  const [state, store] = useStore(NOTHING)
  const actions = useMemo(() => {
    const kept: StudioStore = {
      ...store,
      client,
      drafts: new Map(),
      lastByPath: new Map(),
      inMemoryByPath: new Map(),
      opening: null,
      writing: Promise.resolve(null),
      askedAgain: null,
      editing: Promise.resolve(null),
      read: null,
      shapes: new FormShapes(),
      stopping: null,
      stoppingSeeds: null,
      charts: null,
    }
    return actionsOf(kept)
  }, [client, store])
  useEffect(() => void actions.begin(), [actions])
  useEffect(() => {
    const asks = (event: BeforeUnloadEvent): void => {
      if (store.get().unsaved.size > 0) event.preventDefault()
    }
    window.addEventListener("beforeunload", asks)
    return () => window.removeEventListener("beforeunload", asks)
  }, [store])
  return [state, actions]
}

interface StudioStore extends Store<StudioState> {
  readonly client: Client
  /** Texts that are not saved, by path, with the file that they began from. */
  readonly drafts: Map<string, { readonly text: string; readonly file: FileRead }>
  readonly lastByPath: Map<string, LastRun>
  /** The last runs in memory, with which the next ones are compared. */
  readonly inMemoryByPath: Map<string, { readonly runs: readonly OpenedRun[]; readonly text: string }>
  /** The last save, which may not have its answer yet. */
  writing: Promise<unknown>
  /** The file that was chosen last. */
  opening: string | null
  /** The file that is to run when the present run has ended. */
  askedAgain: string | null
  /** The last change of the form, which may not be made yet. */
  editing: Promise<string | null>
  /** The text whose form was read last, or that a change has left. */
  read: (FormAnswer & { readonly path: string }) | null
  readonly shapes: FormShapes
  stopping: AbortController | null
  stoppingSeeds: AbortController | null
  charts: Promise<Charts> | null
}

function actionsOf(store: StudioStore): StudioActions & { readonly begin: () => Promise<void> } {
  const { get, set, drafts, client } = store
  const open = (path: string): Promise<void> =>
    faced(store, async () => {
      await openFile(store, path)
      if (isCourseMissing(get())) await run(store)
    })
  return {
    begin: () =>
      faced(store, async () => {
        const listing = await client.list()
        set({ listing })
        const wanted = pathInAddress("file")
        const first = listing.files.find(({ path }) => path === wanted) ?? listing.files[0]
        if (first !== undefined) await openFile(store, first.path)
        set({ words: await client.words() })
      }),
    open,
    type: (text) => {
      if (text !== get().text) set({ undoable: [] })
      noteText(store, text)
    },
    check: (text) => checkText(store, text),
    replaceText: (text) => putText(store, text),
    readForm: async (path, text) => {
      let form: FileForm | null | undefined
      await faced(store, async () => {
        form = await readForm(store, path, text)
      })
      return form
    },
    edit: (change) => {
      store.editing = store.editing.then(() => makeChange(store, change))
      return store.editing
    },
    undo: () => undo(store),
    saveAndRun: async () => {
      const path = get().file?.path
      await store.editing
      const { file, text } = get()
      if (file === null || file.path !== path) return
      if (file.isTypeScript || text === file.text) await faced(store, () => run(store))
      else await faced(store, () => save(store, file.version))
    },
    saveOver: () => {
      const { conflict, file } = get()
      const version = conflict === null ? file?.version : conflict.current?.version
      return faced(store, () => save(store, version ?? null))
    },
    loadAgain: async () => {
      const { file } = get()
      if (file === null) return
      drafts.delete(file.path)
      set({ unsaved: new Set(drafts.keys()) })
      await open(file.path)
    },
    runOn: (where) => set({ runsOn: where }),
    runAll: () => faced(store, () => runAll(store)),
    stop: () => store.stopping?.abort(),
    trySeeds: () => faced(store, () => trySeeds(store)),
    stopSeeds: () => store.stoppingSeeds?.abort(),
    runWithSeed: (seed) => (get().isRunning ? Promise.resolve() : faced(store, () => run(store, seed))),
    ...folderActions(store),
  }
}

function folderActions(
  store: StudioStore,
): Pick<StudioActions, "create" | "refresh" | "remove" | "rename" | "takeDiskChanges"> {
  // A run against a service is begun by a person.
  const runAgain = (): Promise<void> => (store.get().runsOn === "memory" ? run(store) : Promise.resolve())
  return {
    create: (path, text) => create(store, path, text),
    refresh: () => faced(store, async () => store.set({ listing: await store.client.list() })),
    takeDiskChanges: () => faced(store, () => takeDiskChanges(store, runAgain)),
    rename: (to) => renamedFile(store, to),
    remove: () => removedFile(store, runAgain),
  }
}

/** "Run all" has a verdict of the open file alone: its course needs a run, which takes milliseconds in memory. */
function isCourseMissing({ file, last, results, runsOn, runningAll }: StudioState): boolean {
  if (file === null || file.isTypeScript || last !== null) return false
  return runsOn === "memory" && runningAll === null && results.has(file.path)
}

/** Shows a refusal of the server; another fault is one of the page. */
async function faced({ set }: StudioStore, act: () => Promise<void>): Promise<void> {
  try {
    await act()
  } catch (cause) {
    if (!(cause instanceof StudioFault)) throw cause
    set({ fault: cause.message })
  }
}

async function openFile(store: StudioStore, path: string): Promise<void> {
  const { client, set, drafts, lastByPath } = store
  store.opening = path
  // Changes of the file before are made in that file.
  await store.editing
  const draft = drafts.get(path)
  const file = draft?.file ?? (await client.read(path))
  // Another file was chosen while this one was read.
  if (store.opening !== path) return
  const text = draft?.text ?? file.text
  const last = lastByPath.get(path) ?? null
  const shown = { file, text, start: { text }, problems: file.problems, last, undoable: [] }
  set({ ...shown, conflict: null, fault: null })
  if (areaInAddress() === "Scenarios") writeAddress("file", path)
}

function noteText({ get, set, drafts }: StudioStore, text: string): void {
  const { file } = get()
  if (file === null) return
  if (text === file.text) drafts.delete(file.path)
  else drafts.set(file.path, { text, file })
  set({ text, unsaved: new Set(drafts.keys()) })
}

function putText(store: StudioStore, text: string): void {
  noteText(store, text)
  store.set({ start: { text } })
}

async function readForm(store: StudioStore, path: string, text: string): Promise<FileForm | null> {
  const { client, read, shapes } = store
  if (read?.path === path && read.text === text) return read.form
  const { form } = await client.form({ path, text })
  if (form !== null) shapes.read(form)
  store.read = { path, text, form }
  return form
}

/** When a change cannot be made, a message says so, and the text stays as it is. */
async function makeChange(store: StudioStore, change: FormChange): Promise<string | null> {
  const { client, get, shapes } = store
  const { file, text } = get()
  const { path } = change
  try {
    const before = file?.path === path ? await readForm(store, path, text) : null
    const isFitting = before !== null && shapes.isSame(change.seen, before)
    const edit = isFitting ? changeFor(before, change) : null
    const answer = edit === null ? null : await client.form({ path, text, edit })
    const now = get()
    if (before === null || edit === null || answer === null || now.file?.path !== path || now.text !== text) {
      toast("The file has changed meanwhile. Make this change again.")
      return null
    }
    if (answer.form !== null) shapes.left(answer.form, { edit, before })
    store.read = { path, ...answer }
    if (answer.text !== text) store.set({ undoable: [...now.undoable, text].slice(-UNDO_MAX) })
    putText(store, answer.text)
    void checkText(store, answer.text)
    return answer.text
  } catch (cause) {
    if (!(cause instanceof StudioFault)) throw cause
    toast(`${largeFirst(cause.message)}.`)
    return null
  }
}

async function undo(store: StudioStore): Promise<void> {
  await store.editing
  const { undoable } = store.get()
  const before = undoable.at(-1)
  if (before === undefined) return
  store.set({ undoable: undoable.slice(0, -1) })
  putText(store, before)
  await checkText(store, before)
}

/** The problems of a text that is still in the editor when the answer comes; null when they cannot be had. */
async function checkText({ client, get, set }: StudioStore, text: string): Promise<FileCheck | null> {
  const { file } = get()
  if (file === null) return null
  const found = await client.check(file.path, text).catch(() => null)
  const now = get()
  if (found !== null && now.file?.path === file.path && now.text === text) set({ problems: found.problems })
  return found
}

async function save(store: StudioStore, version: string | null): Promise<void> {
  const { client, get, set, drafts } = store
  const { file, text } = get()
  if (file === null) return
  const { path } = file
  const isOpen = (): boolean => get().file?.path === path
  try {
    const answer = await written(store, client.save({ path, text, version }))
    const saved = { ...file, text, version: answer.version }
    const draft = drafts.get(path)
    if (draft?.text === text) drafts.delete(path)
    else if (draft !== undefined) drafts.set(path, { ...draft, file: saved })
    set({ unsaved: new Set(drafts.keys()), ...(isOpen() ? { file: saved, conflict: null } : {}) })
  } catch (cause) {
    if (!(cause instanceof StudioFault) || cause.status !== 409) throw cause
    if (isOpen()) set({ conflict: { message: cause.message, current: cause.current } })
    return
  }
  if (isOpen()) await run(store)
  set({ listing: await client.list() })
}

async function create(store: StudioStore, path: string, text: string): Promise<string | null> {
  const { client, set } = store
  try {
    await client.save({ path, text, version: null })
  } catch (cause) {
    if (cause instanceof StudioFault) return cause.message
    throw cause
  }
  await faced(store, async () => {
    await openFile(store, path)
    await run(store)
    set({ listing: await client.list() })
  })
  return null
}

/**
 * Runs the open file as it is in the editor; with a seed always in memory. A file that is saved, or opened for its course, during a
 * run in memory runs when that run has ended; a run against a service is not begun again by itself.
 */
async function run(store: StudioStore, seed: number | null = null): Promise<void> {
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
  store.charts ??= client.charts()
  const isOnService = where === "service"
  const onStep = (step: ServiceStep): void => set({ step })
  const [answer, charts] = await Promise.all([
    isOnService ? serviceAnswer({ client, asked, signal, onStep }) : client.run(asked, signal),
    store.charts,
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

/** A TypeScript scenario runs as it is on disk. */
function askedOf({ path, isTypeScript }: FileRead, text: string): RunRequest {
  return { path, ...(isTypeScript ? {} : { text }) }
}

async function trySeeds(store: StudioStore): Promise<void> {
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

async function runAll(store: StudioStore): Promise<void> {
  const { client, get, set } = store
  const { runsOn, runningAll } = get()
  if (runningAll !== null) return
  store.stopping = new AbortController()
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
      store.stopping.signal,
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
