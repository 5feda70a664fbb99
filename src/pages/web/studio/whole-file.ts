/** The open file as a whole: opened, saved, made, under another name, and deleted. */

import { areaInAddress, writeAddress } from "./area.ts"
import { StudioFault } from "./client.ts"
import { takeDiskChanges } from "./disk-changes.ts"
import { run } from "./runs.ts"
import { faced } from "./studio-state.ts"
import type { StudioStore } from "./studio-state.ts"

export async function openFile(store: StudioStore, path: string): Promise<void> {
  const opened = openedFile(store, path)
  const reading = opened.then(
    () => true,
    () => false,
  )
  store.reading = reading
  await opened.finally(() => {
    if (store.reading === reading) store.reading = null
  })
}

async function openedFile(store: StudioStore, path: string): Promise<void> {
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

export async function save(store: StudioStore, version: string | null): Promise<void> {
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

export async function create(store: StudioStore, path: string, text: string): Promise<string | null> {
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

/** A change of the folder that the page makes itself: what it finds on disk waits for the answer. */
function written<Answer>(store: { writing: Promise<unknown> }, writing: Promise<Answer>): Promise<Answer> {
  store.writing = writing.catch(() => null)
  return writing
}

/** Gives the open file, which is saved, another path; the refusal's message, or null. */
export async function renamedFile(store: StudioStore, to: string): Promise<string | null> {
  const { client, get, set, drafts, lastByPath, inMemoryByPath } = store
  const { file, results } = get()
  if (file === null) return null
  const { path: from, version } = file
  return refusalOf(async () => {
    const moved = await written(store, client.move({ path: from, to, version }))
    const { text, problems } = moved
    for (const byPath of [drafts, lastByPath, inMemoryByPath]) byPath.delete(from)
    const kept = [...results].filter(([path]) => path !== from)
    set({ file: moved, text, start: { text }, problems, last: null, results: new Map(kept) })
    writeAddress("file", to)
    set({ listing: await client.list() })
  })
}

/** Deletes the open file; the refusal's message, or null. */
export async function removedFile(store: StudioStore, runAgain: () => Promise<void>): Promise<string | null> {
  const { client, get, set, drafts } = store
  const { file } = get()
  if (file === null) return null
  const { path, version } = file
  return refusalOf(async () => {
    await written(store, client.remove({ path, version }))
    drafts.delete(path)
    set({ file: null, text: "", problems: [], last: null, conflict: null, unsaved: new Set(drafts.keys()) })
    await takeDiskChanges(store, runAgain)
  })
}

async function refusalOf(act: () => Promise<void>): Promise<string | null> {
  try {
    await act()
    return null
  } catch (cause) {
    if (cause instanceof StudioFault) return cause.message
    throw cause
  }
}
