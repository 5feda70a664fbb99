/** Fields of forms: a label above, a hint below, and an error in place of the hint. */

import type { ComponentChildren, JSX, RefObject } from "preact"
import { useEffect, useId, useRef, useState } from "preact/hooks"
import { Icon } from "./icon.tsx"

interface FieldProps {
  readonly label: string
  readonly hint?: ComponentChildren
  /** What is wrong with the value, and what to do; null when nothing is. */
  readonly error?: string | null
  /** At the end of the label's line. */
  readonly action?: ComponentChildren
}

interface Described {
  readonly id: string
  readonly "aria-describedby": string | undefined
  readonly "aria-invalid": "true" | undefined
}

function Field({
  label,
  hint,
  error = null,
  action,
  children,
}: FieldProps & { readonly children: (described: Described) => JSX.Element }): JSX.Element {
  const id = useId()
  const note = `${id}-note`
  const hasNote = error !== null || hint !== undefined
  return (
    <div class="field">
      <span class="labels">
        <label class="label" for={id}>
          {label}
        </label>
        {action}
      </span>
      {children({
        id,
        "aria-describedby": hasNote ? note : undefined,
        "aria-invalid": error === null ? undefined : "true",
      })}
      {error !== null ? (
        <span id={note} class="error" role="alert">
          <Icon name="circle-alert" /> {error}
        </span>
      ) : hint === undefined ? null : (
        <span id={note} class="hint">
          {hint}
        </span>
      )}
    </div>
  )
}

interface TextFieldProps extends FieldProps {
  readonly value: string
  readonly onChange: (value: string) => void
  readonly type?:
    "date" | "datetime-local" | "email" | "number" | "password" | "tel" | "text" | "time" | "url"
  readonly autocomplete?: string
  readonly isRequired?: boolean
  readonly isFirst?: boolean
  readonly placeholder?: string
  readonly lengthMax?: number
  /** The id of a `datalist` with what may be chosen. */
  readonly list?: string
}

/** Browsers heed `autofocus` when a page loads and when a dialog opens; a form that replaces another needs this. */
function useFirst(isFirst: boolean): RefObject<HTMLInputElement | null> {
  const input = useRef<HTMLInputElement>(null)
  useEffect(() => {
    if (isFirst) input.current?.focus()
  }, [isFirst])
  return input
}

export function TextField(props: TextFieldProps): JSX.Element {
  const input = useFirst(props.isFirst ?? false)
  const { value, onChange, type = "text", autocomplete = "off", isRequired = false, isFirst = false } = props
  return (
    <Field {...props}>
      {(described) => (
        <input
          {...described}
          {...typed(type)}
          ref={input}
          value={value}
          autocomplete={autocomplete}
          required={isRequired}
          autofocus={isFirst}
          placeholder={props.placeholder}
          maxLength={props.lengthMax}
          list={props.list}
          spellcheck={false}
          onInput={(event) => onChange(event.currentTarget.value)}
        />
      )}
    </Field>
  )
}

/** Of a phone number, with an example of its form. */
export function PhoneField(props: Omit<TextFieldProps, "placeholder" | "type">): JSX.Element {
  return <TextField {...props} type="tel" placeholder="+1 512 555 0142" />
}

/** Preact has a type of attributes for each type of input; these have the same ones. */
function typed(type: TextFieldProps["type"]): { readonly type: "text" } {
  return { type } as { readonly type: "text" }
}

interface PasswordFieldProps extends Omit<TextFieldProps, "action" | "type"> {
  /** Shown below the field, for example how strong it is. */
  readonly below?: ComponentChildren
}

export function PasswordField({ below, ...props }: PasswordFieldProps): JSX.Element {
  const [isShown, setShown] = useState(false)
  return (
    <div class="column">
      <TextField
        {...props}
        type={isShown ? "text" : "password"}
        action={
          <button type="button" aria-pressed={isShown} onClick={() => setShown(!isShown)}>
            {isShown ? "Hide" : "Show"}
            <span class="visually-hidden"> the password</span>
          </button>
        }
      />
      {below}
    </div>
  )
}

interface AreaFieldProps extends FieldProps {
  readonly value: string
  readonly onChange: (value: string) => void
  readonly isCode?: boolean
  readonly rows?: number
}

export function AreaField(props: AreaFieldProps): JSX.Element {
  return (
    <Field {...props}>
      {(described) => (
        <textarea
          {...described}
          class={props.isCode === true ? "mono" : ""}
          rows={props.rows ?? 4}
          spellcheck={props.isCode !== true}
          value={props.value}
          onInput={(event) => props.onChange(event.currentTarget.value)}
        />
      )}
    </Field>
  )
}

interface SelectFieldProps<Value extends string> extends FieldProps {
  readonly value: Value
  readonly options: readonly (readonly [value: Value, name: string])[]
  readonly onChange: (value: Value) => void
}

export function SelectField<Value extends string>(props: SelectFieldProps<Value>): JSX.Element {
  return (
    <Field {...props}>
      {(described) => (
        <select
          {...described}
          value={props.value}
          onChange={({ currentTarget }) => {
            const chosen = props.options.find(([one]) => one === currentTarget.value)
            if (chosen !== undefined) props.onChange(chosen[0])
          }}
        >
          {props.options.map(([one, name]) => (
            <option key={one} value={one}>
              {name}
            </option>
          ))}
        </select>
      )}
    </Field>
  )
}

interface CheckListProps<Value extends string> {
  readonly label: string
  readonly options: readonly {
    readonly value: Value
    readonly name: string
    readonly about?: ComponentChildren
  }[]
  readonly chosen: readonly Value[]
  readonly onChange: (chosen: readonly Value[]) => void
  readonly error?: string | null
}

export function CheckList<Value extends string>(props: CheckListProps<Value>): JSX.Element {
  const { label, options, chosen, onChange, error = null } = props
  return (
    <fieldset class="choices">
      <legend>{label}</legend>
      {options.map(({ value, name, about }) => (
        <label key={value}>
          <input
            type="checkbox"
            checked={chosen.includes(value)}
            onChange={({ currentTarget }) =>
              onChange(currentTarget.checked ? [...chosen, value] : chosen.filter((one) => one !== value))
            }
          />
          <span>
            {name}
            {about === undefined ? null : <span class="faint"> {about}</span>}
          </span>
        </label>
      ))}
      {error === null ? null : (
        <span class="field">
          <span class="error" role="alert">
            <Icon name="circle-alert" /> {error}
          </span>
        </span>
      )}
    </fieldset>
  )
}

interface CodeFieldProps {
  readonly label: string
  readonly value: string
  readonly onChange: (value: string) => void
  /** Called once all six digits are there. */
  readonly onComplete: (code: string) => void
  readonly error?: string | null
  /** True when it takes the focus. */
  readonly isFirst?: boolean
}

const DIGITS = 6

/** One input over six drawn cells: pasting works, and so does a phone that offers the code of a message. */
export function CodeField({
  label,
  value,
  onChange,
  onComplete,
  error = null,
  isFirst = false,
}: CodeFieldProps): JSX.Element {
  const input = useFirst(isFirst)
  const [hasFocus, setFocus] = useState(false)
  const put = (text: string): void => {
    const digits = text.replaceAll(/\D/g, "").slice(0, DIGITS)
    if (input.current !== null) input.current.value = digits
    onChange(digits)
    if (digits.length === DIGITS && digits !== value) onComplete(digits)
  }
  return (
    <Field label={label} error={error}>
      {(described) => (
        <div class={error === null ? "code-field" : "code-field wrong"}>
          <div class="cells" aria-hidden="true">
            {Array.from({ length: DIGITS }, (_, at) => (
              <span
                key={at}
                class={hasFocus && at === Math.min(value.length, DIGITS - 1) ? "cell next" : "cell"}
              >
                {value[at] ?? ""}
              </span>
            ))}
          </div>
          <input
            {...described}
            ref={input}
            type="text"
            inputMode="numeric"
            autocomplete="one-time-code"
            maxLength={DIGITS}
            value={value}
            onFocus={() => setFocus(true)}
            onBlur={() => setFocus(false)}
            onInput={(event) => put(event.currentTarget.value)}
            onPaste={(event) => {
              event.preventDefault()
              put(event.clipboardData?.getData("text") ?? "")
            }}
          />
        </div>
      )}
    </Field>
  )
}
