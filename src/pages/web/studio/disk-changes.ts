/** The folder as it is on disk: what other programs write, add and remove shows on the page without a reload. */

import { useEffect } from "preact/hooks"
import { toast } from "../design/feedback.tsx"
import type { Client } from "./client.ts"
import { StudioFault } from "./client.ts"
import type { FileRead } from "./contract.ts"
import type { StudioState, StudioStore } from "./studio-state.ts"

/** Calls back after each change in the folder, and when the window gets the focus after the stream has ended. */
export function useDiskChanges(client: Client, onChange: () => void): void {
  useEffect(() => {
    const leaving = new AbortController()
    let isFollowing = false
    const follow = async (): Promise<void> => {
      if (isFollowing) return
      isFollowing = true
      try {
        await client.changes(({ is }) => {
          if (is === "changed") onChange()
        }, leaving.signal)
      } catch {
        // The studio has ended, or the page was left: what is done next says so.
      } finally {
        isFollowing = false
      }
    }
    const again = (): void => {
      if (isFollowing) return
      onChange()
      void follow()
    }
    void follow()
    window.addEventListener("focus", again)
    return () => {
      leaving.abort()
      window.removeEventListener("focus", again)
    }
  }, [client])
}

/** Reads the list and the open file again. A text that is not saved stays, and the page asks which of the two to keep. */
export async function takeDiskChanges(store: StudioStore, runAgain: () => Promise<void>): Promise<void> {
  const { client, get, set } = store
  await store.writing
  const opened = get().file
  const listing = await client.list()
  const paths = new Set(listing.files.map(({ path }) => path))
  set({ listing, results: new Map([...get().results].filter(([path]) => paths.has(path))) })
  if (opened === null) return
  const current = await readOrNull(client, opened.path)
  await store.writing
  const { file, last } = get()
  // Another file was opened, or this one was saved, in the meantime.
  if (file === null || file.path !== opened.path || file.version !== opened.version) return
  if (current === null) return takeDeletion(store, file)
  if (current.version === file.version) return
  if (!isKept(get(), current)) {
    store.drafts.delete(file.path)
    const { text, problems } = current
    set({ undoable: [] })
    set({
      file: current,
      text,
      start: { text },
      problems,
      conflict: null,
      unsaved: new Set(store.drafts.keys()),
    })
    if (last !== null && !current.isTypeScript) await runAgain()
    return
  }
  const message = `${file.path} changed on disk, and what you changed here is not saved`
  set({ conflict: { message, current } })
}

/** Whether the editor has a text of its own, which is not on disk. */
function isKept({ file, text }: Pick<StudioState, "file" | "text">, current: FileRead): boolean {
  return text !== file?.text && text !== current.text
}

function takeDeletion({ get, set }: StudioStore, file: FileRead): void {
  if (get().text === file.text) {
    set({ file: null, text: "", problems: [], last: null, conflict: null })
    toast(`${file.path} was deleted on disk.`)
    return
  }
  const message = `${file.path} was deleted on disk, and what you changed here is not saved`
  set({ conflict: { message, current: null } })
}

async function readOrNull(client: Client, path: string): Promise<FileRead | null> {
  try {
    return await client.read(path)
  } catch (cause) {
    if (cause instanceof StudioFault && cause.status === 404) return null
    throw cause
  }
}
