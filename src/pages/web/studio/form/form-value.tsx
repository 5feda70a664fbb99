/** Values of a form: each is changed where it stands, an optional one can be removed, and fields that are not there can be added. */

import type { JSX } from "preact"
import { useEffect, useState } from "preact/hooks"
import { Button } from "../../design/button.tsx"
import { AreaField, SelectField, TextField } from "../../design/field.tsx"
import { Icon } from "../../design/icon.tsx"
import type { FormEdit, FormPart, FormValue } from "./form-contract.ts"

/** Makes a change; `focus` are selectors: the first of them that is there has the focus afterwards. */
export type Change = (edit: FormEdit, ...focus: readonly string[]) => Promise<void>

/** A longer sentence gets two lines. */
const LONG_TEXT = 48

interface ValueProps {
  readonly value: FormValue
  readonly onChange: Change
  /** The selector of the part of the page that has the value. */
  readonly within?: string
}

/** A text is taken when the field is left, with Enter, or when the file is saved; a choice at once. */
export function Value({ value, onChange, within = "" }: ValueProps): JSX.Element {
  const { label, hint, text, options, line, column, length, kind, path } = value
  const [typed, setTyped] = useState(text)
  useEffect(() => setTyped(text), [text])
  const isLong = kind === "text" && path === null && text.length > LONG_TEXT
  const take = (to: string): void => {
    if (to === text || to.trim() === "") setTyped(text)
    else void onChange({ is: "set", line, column, length, kind, value: to })
  }
  const action =
    path === null ? undefined : (
      <button
        type="button"
        class="field-remove"
        aria-label={`Remove the field ${label}`}
        title="Remove this field"
        onClick={() => void onChange({ is: "remove", path }, `${within} summary`)}
      >
        <Icon name="cross" />
      </button>
    )
  if (options.length > 0) {
    const all = options.includes(text) ? options : [text, ...options]
    const choices = all.map((one) => [one, one] as const)
    return (
      <div data-label={label} title={hint}>
        <SelectField label={label} action={action} value={text} options={choices} onChange={take} />
      </div>
    )
  }
  return (
    <div
      data-label={label}
      title={hint}
      onFocusOut={() => take(typed)}
      onKeyDown={(event) => {
        const { key, ctrlKey, metaKey, target } = event
        const isTaken = key === "Enter" || (key === "s" && (ctrlKey || metaKey))
        if (isTaken && target instanceof HTMLElement && target.matches("input, textarea")) take(typed)
        // The file has such a text in one line.
        if (key === "Enter" && target instanceof HTMLTextAreaElement) event.preventDefault()
      }}
    >
      {isLong ? (
        <AreaField
          label={label}
          value={typed}
          rows={2}
          onChange={(next) =>
            setTyped(next.replaceAll(/\s+/g, (blank) => (blank.includes("\n") ? " " : blank)))
          }
        />
      ) : (
        <TextField label={label} action={action} value={typed} onChange={setTyped} />
      )}
    </div>
  )
}

interface PartFieldsProps {
  readonly part: FormPart
  /** The id of the part's heading. */
  readonly title: string
  readonly within: string
  readonly onChange: Change
}

/** The values of a step or of a thing that is there before, and what can be added to it. */
export function PartFields({ part, title, within, onChange }: PartFieldsProps): JSX.Element {
  const { values, missing, others } = part
  return (
    <>
      {values.length > 0 && (
        <div class="form-values" role="group" aria-labelledby={title}>
          {values.map((value, index) => (
            <Value key={`${index} ${value.label}`} value={value} within={within} onChange={onChange} />
          ))}
        </div>
      )}
      {missing.length > 0 && (
        <details class="more-fields">
          <summary class="small">
            More fields<span class="visually-hidden">, {missing.length} to choose from</span>
          </summary>
          <div class="row">
            {missing.map(({ label, hint, path, value }) => (
              <span key={label} title={hint}>
                <Button
                  isSmall
                  icon="plus"
                  onPress={() =>
                    void onChange(
                      { is: "put", path, value },
                      `${within} [data-label^="${label}"] :is(input, select)`,
                    )
                  }
                >
                  {label}
                </Button>
              </span>
            ))}
          </div>
        </details>
      )}
      {others.length > 0 && <p class="quiet small">Only as YAML: {others.join(", ")}.</p>}
    </>
  )
}
