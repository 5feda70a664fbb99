/** The text in the editor: typed, put there, changed through the form, taken back, and its problems. */

import { toast } from "../design/feedback.tsx"
import { StudioFault } from "./client.ts"
import type { FileCheck } from "./contract.ts"
import type { FileForm } from "./form/form-contract.ts"
import { changeFor } from "./form/form-changes.ts"
import type { FormChange } from "./form/form-changes.ts"
import type { StudioStore } from "./studio-state.ts"
import { largeFirst } from "./verdict.ts"

/** Changes of the form that can be taken back. */
const UNDO_MAX = 200

export function noteText({ get, set, drafts }: StudioStore, text: string): void {
  const { file } = get()
  if (file === null) return
  if (text === file.text) drafts.delete(file.path)
  else drafts.set(file.path, { text, file })
  set({ text, unsaved: new Set(drafts.keys()) })
}

export function putText(store: StudioStore, text: string): void {
  noteText(store, text)
  store.set({ start: { text } })
}

export async function readForm(store: StudioStore, path: string, text: string): Promise<FileForm | null> {
  const { client, read, shapes } = store
  if (read?.path === path && read.text === text) return read.form
  const { form } = await client.form({ path, text })
  if (form !== null) shapes.read(form)
  store.read = { path, text, form }
  return form
}

/** When a change cannot be made, a message says so, and the text stays as it is. */
export async function makeChange(store: StudioStore, change: FormChange): Promise<string | null> {
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

export async function undo(store: StudioStore): Promise<void> {
  await store.editing
  const { undoable } = store.get()
  const before = undoable.at(-1)
  if (before === undefined) return
  store.set({ undoable: undoable.slice(0, -1) })
  putText(store, before)
  await checkText(store, before)
}

/** The problems of a text that is still in the editor when the answer comes; null when they cannot be had. */
export async function checkText({ client, get, set }: StudioStore, text: string): Promise<FileCheck | null> {
  const { file } = get()
  if (file === null) return null
  const found = await client.check(file.path, text).catch(() => null)
  const now = get()
  if (found !== null && now.file?.path === file.path && now.text === text) set({ problems: found.problems })
  return found
}
