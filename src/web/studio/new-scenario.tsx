/** A new scenario from a template: a form in plain words, and beside it what it will write, as sentences. */

import type { JSX } from "preact"
import { useEffect, useState } from "preact/hooks"
import { Button } from "../design/button.tsx"
import { Skeleton } from "../design/feedback.tsx"
import { SelectField, TextField } from "../design/field.tsx"
import { Dialog } from "../design/overlay.tsx"
import type { Client } from "./client.ts"
import type { Draft, Template, TemplateField } from "./contract.ts"

interface NewScenarioProps {
  readonly client: Client
  /** Folders of the list; empty for the opened folder itself. */
  readonly folders: readonly string[]
  readonly onClose: () => void
  /** Writes the file; gives the message of a refusal, or null. */
  readonly onCreate: (path: string, text: string) => Promise<string | null>
}

export function NewScenario({ client, folders, onClose, onCreate }: NewScenarioProps): JSX.Element {
  const [templates, setTemplates] = useState<readonly Template[] | null>(null)
  const [chosen, setChosen] = useState<Template | null>(null)
  useEffect(() => void client.templates().then(setTemplates), [client])
  return (
    <Dialog title={chosen === null ? "New scenario" : chosen.title} onClose={onClose}>
      {chosen === null ? (
        <>
          <p class="lead">Choose what happens. The next step asks for times and numbers.</p>
          {templates === null && <Skeleton lines={6} />}
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
          <div class="row">
            <Button onPress={onClose}>Cancel</Button>
          </div>
        </>
      ) : (
        <TemplateForm
          key={chosen.id}
          client={client}
          template={chosen}
          folders={folders}
          onBack={() => setChosen(null)}
          onCreate={onCreate}
        />
      )}
    </Dialog>
  )
}

interface FormProps extends Pick<NewScenarioProps, "client" | "folders" | "onCreate"> {
  readonly template: Template
  readonly onBack: () => void
}

function TemplateForm({ client, template, folders, onBack, onCreate }: FormProps): JSX.Element {
  const [values, setValues] = useState(() =>
    Object.fromEntries(template.fields.map(({ name, usual }) => [name, usual])),
  )
  const [folder, setFolder] = useState(folders[0] ?? "")
  const [draft, setDraft] = useState<Draft | null>(null)
  const [refused, setRefused] = useState<string | null>(null)
  const [isBusy, setBusy] = useState(false)
  useEffect(() => {
    let isCurrent = true
    void client.draft({ id: template.id, values }).then((found) => isCurrent && setDraft(found))
    return () => {
      isCurrent = false
    }
  }, [client, template, values])
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
        <div class="fields">
          <ValueFields template={template} values={values} draft={draft} onChange={setValues} />
          {folders.length > 1 && (
            <SelectField
              label="Folder"
              value={folder}
              options={folders.map((name) => [name, name === "" ? "this folder" : name] as const)}
              onChange={setFolder}
            />
          )}
        </div>
        <section class="will-write" aria-label="What the scenario will say" tabIndex={0}>
          {draft?.is === "text" && draft.sentences.map((line, place) => <p key={place}>{line}</p>)}
        </section>
      </div>
      {refused !== null && (
        <p class="bad" role="alert">
          {refused}.
        </p>
      )}
      <div class="row apart">
        <span class="quiet mono small">{path}</span>
        <span class="row">
          <Button onPress={onBack}>Back</Button>
          <Button type="submit" look="primary" isBusy={isBusy} isDisabled={draft?.is !== "text"}>
            Write and run
          </Button>
        </span>
      </div>
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

/** `The bot is late!` as `the-bot-is-late.yaml`. */
export function pathOf(folder: string, title: string): string {
  const words = title
    .normalize("NFKD")
    .replaceAll(/\p{M}/gu, "")
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, "-")
    .replaceAll(/^-+|-+$/g, "")
    .slice(0, 80)
  const name = `${words === "" ? "new-scenario" : words}.yaml`
  return folder === "" ? name : `${folder}/${name}`
}
