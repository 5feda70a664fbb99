/** The open file as a whole: another name, and deletion. */

import { writeAddress } from "./area.ts"
import { StudioFault } from "./client.ts"
import { takeDiskChanges } from "./disk-changes.ts"
import type { DiskStore } from "./disk-changes.ts"

interface FileStore extends DiskStore {
  writing: Promise<unknown>
  readonly lastByPath: Map<string, object>
  readonly inMemoryByPath: Map<string, object>
}

/** A change of the folder that the page makes itself: what it finds on disk waits for the answer. */
export function written<Answer>(
  store: { writing: Promise<unknown> },
  writing: Promise<Answer>,
): Promise<Answer> {
  store.writing = writing.catch(() => null)
  return writing
}

/** Gives the open file, which is saved, another path; the refusal's message, or null. */
export async function renamedFile(store: FileStore, to: string): Promise<string | null> {
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
export async function removedFile(store: FileStore, runAgain: () => Promise<void>): Promise<string | null> {
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
