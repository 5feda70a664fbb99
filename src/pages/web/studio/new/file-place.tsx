/** Where a new file goes: its folder, its path, and the row that writes it. */

import type { JSX } from "preact"
import { Button } from "../../design/button.tsx"
import { SelectField } from "../../design/field.tsx"

interface FolderFieldProps {
  /** Empty for the opened folder itself. */
  readonly folders: readonly string[]
  readonly value: string
  readonly onChange: (folder: string) => void
}

/** Nothing where there is no choice. */
export function FolderField({ folders, value, onChange }: FolderFieldProps): JSX.Element | null {
  if (folders.length <= 1) return null
  return (
    <SelectField
      label="Folder"
      value={value}
      options={folders.map((name) => [name, name === "" ? "this folder" : name] as const)}
      onChange={onChange}
    />
  )
}

interface WriteRowProps {
  readonly path: string
  readonly isBusy: boolean
  readonly isDisabled?: boolean
  readonly onBack: () => void
  readonly onClose: () => void
}

export function WriteRow({ path, isBusy, isDisabled = false, onBack, onClose }: WriteRowProps): JSX.Element {
  return (
    <div class="row apart">
      <span class="quiet mono small">{path}</span>
      <span class="row">
        <Button onPress={onClose}>Cancel</Button>
        <Button onPress={onBack}>Back</Button>
        <Button type="submit" look="primary" isBusy={isBusy} isDisabled={isDisabled}>
          Write and run
        </Button>
      </span>
    </div>
  )
}

/** `The bot is late!` as `the-bot-is-late.yaml`. */
export function pathOf(folder: string, title: string): string {
  const words = title
    .normalize("NFKD")
    .replaceAll(/\p{M}/gu, "")
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, "-")
    .replaceAll(/^-|-$/g, "")
    .slice(0, 80)
  const name = `${words === "" ? "new" : words}.yaml`
  return folder === "" ? name : `${folder}/${name}`
}
