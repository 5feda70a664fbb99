/** A new scenario or fleet model from a template: a form in plain words, and beside it what it will write, as sentences. */

import type { JSX } from "preact"
import { useEffect, useState } from "preact/hooks"
import { Button } from "../../design/button.tsx"
import { Banner, Skeleton } from "../../design/feedback.tsx"
import { TextField } from "../../design/field.tsx"
import { Dialog } from "../../design/overlay.tsx"
import { StudioFault } from "../client.ts"
import type { Client } from "../client.ts"
import { FolderField, WriteRow, pathOf } from "./file-place.tsx"
import { KeptRecord } from "./kept-record.tsx"
import type { Draft, Template, TemplateArea, TemplateField } from "../contract.ts"

interface NewFileProps {
  readonly client: Client
  readonly area: TemplateArea
  /** Folders of the list; empty for the opened folder itself. */
  readonly folders: readonly string[]
  readonly onClose: () => void
  /** Writes the file; gives the message of a refusal, or null. */
  readonly onCreate: (path: string, text: string) => Promise<string | null>
}

const WORDS: Readonly<
  Record<TemplateArea, { readonly title: string; readonly lead: string; readonly what: string }>
> = {
  scenarios: {
    title: "New scenario",
    lead: "Choose what happens. The next step asks for times and numbers.",
    what: "What the scenario will say",
  },
  fleets: {
    title: "New fleet model",
    lead: "Choose the question. The next step asks for hours and counts, and every other number can be changed in the file.",
    what: "What the model will say",
  },
}

export function NewFile({ client, area, folders, onClose, onCreate }: NewFileProps): JSX.Element {
  const [templates, setTemplates] = useState<readonly Template[] | null>(null)
  const [chosen, setChosen] = useState<Template | null>(null)
  const [fault, setFault] = useState<string | null>(null)
  const [record, setRecord] = useState<File | null>(null)
  useEffect(() => {
    client.templates(area).then(setTemplates, (cause: unknown) => {
      if (!(cause instanceof StudioFault)) throw cause
      setFault(cause.message)
    })
  }, [area, client])
  if (record !== null)
    return (
      <Dialog title={`A case of ${record.name}`} onClose={onClose}>
        <KeptRecord
          {...{ client, folders, onClose, onCreate }}
          file={record}
          onBack={() => setRecord(null)}
        />
      </Dialog>
    )
  return (
    <Dialog title={chosen === null ? WORDS[area].title : chosen.title} onClose={onClose}>
      {chosen === null ? (
        <>
          <p class="lead">{WORDS[area].lead}</p>
          {templates === null && fault === null && <Skeleton lines={6} />}
          {fault !== null && <Banner tone="bad">{fault}</Banner>}
          <ul class="templates">
            {(templates ?? []).map((template) => (
              <li key={template.id}>
                <button type="button" onClick={() => setChosen(template)}>
                  <strong>{template.title}</strong>
                  <span class="quiet">{template.about}</span>
                </button>
              </li>
            ))}
          </ul>
          {area === "scenarios" && templates !== null && <RecordChoice onRecord={setRecord} />}
          <div class="row">
            <Button onPress={onClose}>Cancel</Button>
          </div>
        </>
      ) : (
        <TemplateForm
          key={chosen.id}
          client={client}
          area={area}
          template={chosen}
          folders={folders}
          onBack={() => setChosen(null)}
          onClose={onClose}
          onCreate={onCreate}
        />
      )}
    </Dialog>
  )
}

function RecordChoice({ onRecord }: { readonly onRecord: (file: File) => void }): JSX.Element {
  return (
    <label class="table-choice">
      <span>
        From what happened: <span class="link">choose a record</span> of a run or of a site
      </span>
      <input
        class="visually-hidden"
        type="file"
        accept=".ndjson"
        onChange={({ currentTarget }) => {
          const [file] = currentTarget.files ?? []
          if (file !== undefined) onRecord(file)
        }}
      />
    </label>
  )
}

/** More fields are in two columns. */
const COLUMN_FIELDS_MAX = 5

interface FormProps extends NewFileProps {
  readonly template: Template
  readonly onBack: () => void
}

function TemplateForm(props: FormProps): JSX.Element {
  const { client, area, template, folders, onBack, onClose, onCreate } = props
  const [values, setValues] = useState(() =>
    Object.fromEntries(template.fields.map(({ name, usual }) => [name, usual])),
  )
  const [folder, setFolder] = useState(folders[0] ?? "")
  const [draft, setDraft] = useState<Draft | null>(null)
  const [refused, setRefused] = useState<string | null>(null)
  const [isBusy, setBusy] = useState(false)
  useEffect(() => {
    let isCurrent = true
    void client.draft(area, { id: template.id, values }).then((found) => isCurrent && setDraft(found))
    return () => {
      isCurrent = false
    }
  }, [area, client, template, values])
  const path = pathOf(folder, values["title"] ?? "")
  const create = async (): Promise<void> => {
    if (draft?.is !== "text" || isBusy) return
    setBusy(true)
    setRefused(await onCreate(path, draft.text))
    setBusy(false)
  }
  return (
    <form
      class="template-form"
      onSubmit={(event) => {
        event.preventDefault()
        void create()
      }}
    >
      <div class="template-parts">
        <div class={template.fields.length > COLUMN_FIELDS_MAX ? "fields many" : "fields"}>
          <ValueFields template={template} values={values} draft={draft} onChange={setValues} />
          <FolderField folders={folders} value={folder} onChange={setFolder} />
        </div>
        <section class="will-write" aria-label={WORDS[area].what} tabIndex={0}>
          {draft?.is === "text" && draft.sentences.map((line, place) => <p key={place}>{line}</p>)}
        </section>
      </div>
      {refused !== null && (
        <p class="bad" role="alert">
          {refused}.
        </p>
      )}
      <WriteRow {...{ path, isBusy, onBack, onClose }} isDisabled={draft?.is !== "text"} />
    </form>
  )
}

interface ValueFieldsProps {
  readonly template: Template
  readonly values: Readonly<Record<string, string>>
  readonly draft: Draft | null
  readonly onChange: (values: Record<string, string>) => void
}

function ValueFields({ template, values, draft, onChange }: ValueFieldsProps): JSX.Element {
  return (
    <>
      {template.fields.map((field, place) => (
        <ValueField
          key={field.name}
          field={field}
          isFirst={place === 0}
          value={values[field.name] ?? ""}
          error={draft?.is === "problem" && draft.field === field.name ? sentence(draft.message) : null}
          onChange={(value) => onChange({ ...values, [field.name]: value })}
        />
      ))}
    </>
  )
}

function sentence(message: string): string {
  return `${message.charAt(0).toUpperCase()}${message.slice(1)}.`
}

function ValueField({
  field,
  value,
  error,
  isFirst,
  onChange,
}: {
  readonly field: TemplateField
  readonly value: string
  readonly error: string | null
  readonly isFirst: boolean
  readonly onChange: (value: string) => void
}): JSX.Element {
  const { label, hint, kind, unit } = field
  return (
    <TextField
      label={unit === undefined ? label : `${label} (${unit})`}
      {...(hint === null ? {} : { hint })}
      type={kind === "time" ? "time" : "text"}
      value={value}
      error={error}
      isFirst={isFirst}
      onChange={onChange}
    />
  )
}
