/** What can be done with the open file as a whole: a copy, another name, and its end. */

import type { ComponentChildren, JSX } from "preact"
import { useState } from "preact/hooks"
import { Button } from "../design/button.tsx"
import { TextField } from "../design/field.tsx"
import { Dialog, Menu } from "../design/overlay.tsx"
import type { Client } from "./client.ts"
import type { FileRead } from "./contract.ts"
import { pathOf } from "./new/file-place.tsx"
import type { StudioActions } from "./studio-state.ts"
import { largeFirst } from "./verdict.ts"

interface FileDialogProps {
  readonly client: Client
  readonly actions: StudioActions
  readonly file: FileRead
  /** The text in the editor. */
  readonly text: string
  readonly title: string
  /** Writes, opens and runs a new file; the refusal's message, or null. */
  readonly onCreate: (path: string, text: string) => Promise<string | null>
}

export type FileQuestion = "copy" | "delete" | "rename"

export function FileMenu({ onAsk }: { readonly onAsk: (question: FileQuestion) => void }): JSX.Element {
  return (
    <Menu
      label="This file"
      icon="ellipsis"
      isSmall
      items={[
        { name: "Make a copy", onChoose: () => onAsk("copy") },
        { name: "Rename the file", onChoose: () => onAsk("rename") },
        { name: "Delete the file", onChoose: () => onAsk("delete") },
      ]}
    />
  )
}

/** What the menu asks, until it is answered or closed. */
export function FileDialog(
  props: FileDialogProps & { readonly question: FileQuestion; readonly onClose: () => void },
): JSX.Element {
  const { question, file, text } = props
  const isSaved = text === file.text
  switch (question) {
    case "copy":
      return <CopyDialog {...props} />
    case "rename":
      return <RenameDialog {...props} isSaved={isSaved} />
    case "delete":
      return <DeleteDialog {...props} isSaved={isSaved} />
  }
}

interface AskingProps extends FileDialogProps {
  readonly onClose: () => void
}

function CopyDialog({ client, file, text, title, onClose, onCreate }: AskingProps): JSX.Element {
  const [wanted, setWanted] = useState(`${title}, copy`)
  const path = pathOf(folderOf(file.path), wanted)
  const copy = async (): Promise<string | null> => {
    const refusal = await onCreate(path, await withTitle(client, { path: file.path, text }, wanted))
    if (refusal === null) onClose()
    return refusal
  }
  return (
    <Asking title="Make a copy" does="Copy and run" file={path} act={copy} onClose={onClose}>
      <TextField
        label="What happens, in a sentence"
        hint="The title of the copy; its file is named after it."
        value={wanted}
        isFirst
        onChange={setWanted}
      />
    </Asking>
  )
}

/** The text with another title; a text that cannot be read keeps its own. */
async function withTitle(
  client: Client,
  { path, text }: { readonly path: string; readonly text: string },
  title: string,
): Promise<string> {
  const { form } = await client.form({ path, text })
  const written = form?.head[0]
  if (written === undefined) return text
  const { line, column, length, kind } = written
  return (await client.form({ path, text, edit: { is: "set", line, column, length, kind, value: title } }))
    .text
}

function RenameDialog({
  actions,
  file: { path },
  isSaved,
  onClose,
}: AskingProps & { readonly isSaved: boolean }): JSX.Element {
  const [name, setName] = useState(path.split("/").at(-1) ?? path)
  const folder = folderOf(path)
  const ending = /\.ya?ml$/.exec(path)?.[0] ?? ".yaml"
  const named = /\.ya?ml$/.test(name.trim()) ? name.trim() : `${name.trim()}${ending}`
  const to = `${folder === "" ? "" : `${folder}/`}${named}`
  const rename = async (): Promise<string | null> => {
    const refusal = to === path ? null : await actions.rename(to)
    if (refusal === null) onClose()
    return refusal
  }
  return (
    <Asking
      title="Rename the file"
      does="Rename"
      file={to}
      not={isSaved ? null : "Save the file first: what is on disk gets the other name."}
      act={rename}
      onClose={onClose}
    >
      <TextField
        label="Name of the file"
        hint="The title in the file stays as it is."
        value={name}
        isFirst
        onChange={setName}
      />
    </Asking>
  )
}

function DeleteDialog({
  actions,
  file: { path },
  title,
  isSaved,
  onClose,
}: AskingProps & { readonly isSaved: boolean }): JSX.Element {
  const remove = async (): Promise<string | null> => {
    const refusal = await actions.remove()
    if (refusal === null) onClose()
    return refusal
  }
  return (
    <Asking
      title="Delete the file"
      does="Delete the file"
      isDanger
      file={path}
      act={remove}
      onClose={onClose}
    >
      <p>
        “{title}” is deleted from the folder. The studio keeps no copy
        {isSaved ? "" : ", and what you changed here is lost, too"}.
      </p>
    </Asking>
  )
}

interface AskingFormProps {
  readonly title: string
  /** On the button. */
  readonly does: string
  readonly isDanger?: boolean
  /** The path that is written or deleted. */
  readonly file: string
  /** Why it cannot be done now. */
  readonly not?: string | null
  /** The refusal's message, or null. */
  readonly act: () => Promise<string | null>
  readonly onClose: () => void
  readonly children: ComponentChildren
}

function Asking(props: AskingFormProps): JSX.Element {
  const { title, does, isDanger = false, file, not = null, act, onClose, children } = props
  const [refused, setRefused] = useState<string | null>(null)
  const [isBusy, setBusy] = useState(false)
  const submit = async (): Promise<void> => {
    if (isBusy || not !== null) return
    setBusy(true)
    try {
      setRefused(await act())
    } finally {
      setBusy(false)
    }
  }
  return (
    <Dialog title={title} onClose={onClose}>
      <form
        class="file-question"
        onSubmit={(event) => {
          event.preventDefault()
          void submit()
        }}
      >
        {children}
        {(refused ?? not) !== null && (
          <p class="bad" role="alert">
            {refused === null ? not : `${largeFirst(refused)}.`}
          </p>
        )}
        <div class="row apart actions">
          <span class="quiet mono small">{file}</span>
          <span class="row">
            <Button onPress={onClose}>Cancel</Button>
            <Button
              type="submit"
              look={isDanger ? "danger" : "primary"}
              isBusy={isBusy}
              isDisabled={not !== null}
            >
              {does}
            </Button>
          </span>
        </div>
      </form>
    </Dialog>
  )
}

function folderOf(path: string): string {
  return path.split("/").slice(0, -1).join("/")
}
