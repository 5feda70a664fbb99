/** The form of a noun in a dialog: a new one, or a change of one. Its fields are the noun's. */

import type { JSX } from "preact"
import { useState } from "preact/hooks"
import type { FieldKind, Noun, NounField } from "../../../../model/nouns/noun.ts"
import { toast } from "../../design/feedback.tsx"
import { AreaField, SelectField, TextField } from "../../design/field.tsx"
import { useCommand } from "../../resource.ts"
import { send } from "../api.ts"
import { changedFields } from "../settings/changed-fields.ts"
import { FormDialog } from "../settings/form-dialog.tsx"
import type { NounRow } from "./noun-row.ts"
import { pathOf } from "./noun-row.ts"

interface NounFormProps {
  readonly noun: Noun
  /** Null: a new one. */
  readonly known: NounRow | null
  /** Fixed fields of a new one, such as the site of a zone. */
  readonly fixed?: Readonly<Record<string, string>>
  /** What the dialog of a new one is called; without it "New retailer". */
  readonly title?: string
  readonly onClose: () => void
  readonly onSaved: () => Promise<void>
}

type Draft = Readonly<Record<string, string>>

export function NounForm(props: NounFormProps): JSX.Element {
  const { noun, known, fixed = {}, title = `New ${noun.one}`, onClose, onSaved } = props
  const fields = Object.entries(noun.fields).filter(([, { isFixed = false }]) => !isFixed)
  const [draft, setDraft] = useState<Draft>(() => draftOf(fields, known))
  const command = useCommand(async () => {
    const body = bodyOf(fields, draft)
    const id = draft[noun.id] ?? ""
    if (known === null)
      await send("POST", pathOf(noun), { ...body, ...fixed, ...(id === "" ? {} : { [noun.id]: id }) })
    else await send("PATCH", pathOf(noun, String(known[noun.id])), changed(noun, body, known))
    toast(known === null ? "Added" : "Saved")
    await onSaved()
  })
  const control = (name: string) => ({
    value: draft[name] ?? "",
    onChange: (value: string) => setDraft({ ...draft, [name]: value }),
    error: command.fault?.fields[name] ?? null,
  })
  return (
    <FormDialog
      title={known === null ? title : `Change ${String(known["name"])}`}
      command={command}
      fields={[noun.id, ...Object.keys(noun.fields)]}
      action={`${known === null ? "Add" : "Save"} the ${noun.one}`}
      busy="Saving…"
      onClose={onClose}
    >
      {fields.map(([name, field], place) => (
        <>
          <FieldControl key={name} field={field} control={control(name)} isFirst={place === 0} />
          {place === 0 && known === null && <TextField label="Id" hint={noun.idHint} {...control(noun.id)} />}
        </>
      ))}
    </FormDialog>
  )
}

interface FieldControlProps {
  readonly field: NounField
  readonly control: {
    readonly value: string
    readonly onChange: (value: string) => void
    readonly error: string | null
  }
  readonly isFirst: boolean
}

/** Of a text field; any other kind is plain text. */
const TYPES: Partial<Readonly<Record<FieldKind, "number" | "tel" | "url">>> = {
  "https url": "url",
  phone: "tel",
  latitude: "number",
  longitude: "number",
}

function FieldControl({ field, control, isFirst }: FieldControlProps): JSX.Element {
  const { is, label, hint, options } = field
  const words = { label, ...(hint === undefined ? {} : { hint }) }
  if (is === "flag" && options !== undefined)
    return (
      <SelectField
        {...words}
        {...control}
        options={[
          ["yes", options.yes[1]],
          ["no", options.no[1]],
        ]}
      />
    )
  if (is === "paragraph") return <AreaField {...words} {...control} />
  return <TextField {...words} {...control} type={TYPES[is] ?? "text"} isFirst={isFirst} />
}

type Fields = readonly (readonly [name: string, field: NounField])[]

function draftOf(fields: Fields, known: NounRow | null): Draft {
  return Object.fromEntries(
    fields.map(([name, { is, otherwise }]) => {
      const value = known === null ? (otherwise ?? null) : known[name]
      if (is === "flag") return [name, value === false ? "no" : "yes"]
      return [name, value === null || value === undefined ? "" : String(value)]
    }),
  )
}

/** Two operators may change different fields. */
function changed({ together = [] }: Noun, body: NounRow, known: NounRow): Partial<NounRow> {
  const found = changedFields(body, known)
  if (!together.some((name) => name in found)) return found
  return { ...Object.fromEntries(together.map((name) => [name, body[name]])), ...found }
}

/** An empty field is null. */
function bodyOf(fields: Fields, draft: Draft): NounRow {
  return Object.fromEntries(
    fields.map(([name, { is, isNullable = false }]) => {
      const value = draft[name] ?? ""
      if (is === "flag") return [name, value === "yes"]
      if (value === "" && isNullable) return [name, null]
      return [name, TYPES[is] === "number" ? Number(value) : value]
    }),
  )
}
