/** The open file as a form: its title, and each step as a sentence with its values. A change is made in the text itself. */

import type { JSX } from "preact"
import { useEffect, useId, useState } from "preact/hooks"
import { Button } from "../design/button.tsx"
import { Empty, toast } from "../design/feedback.tsx"
import { SelectField, TextField } from "../design/field.tsx"
import { StudioFault } from "./client.ts"
import type { Client } from "./client.ts"
import type { FileForm, FileProblem, FormEdit, FormStep, FormValue, StepOutcome, Words } from "./contract.ts"
import type { StudioActions, StudioState } from "./studio-state.ts"
import { largeFirst } from "./verdict.ts"

interface FormViewProps {
  readonly client: Client
  readonly state: StudioState
  readonly actions: StudioActions
  /** Of the last run, when it was of this text. */
  readonly outcomes: readonly StepOutcome[]
}

export function FormView({ client, state, actions, outcomes }: FormViewProps): JSX.Element {
  const { file, text, words, problems } = state
  const [form, setForm] = useState<FileForm | null | undefined>(undefined)
  const path = file?.path ?? ""
  useEffect(() => {
    let isCurrent = true
    void client.form({ path, text }).then((answer) => isCurrent && setForm(answer.form))
    return () => {
      isCurrent = false
    }
  }, [client, path, text])
  const change = async (edit: FormEdit): Promise<void> => {
    try {
      const answer = await client.form({ path, text, edit })
      actions.replaceText(answer.text)
      await actions.check(answer.text)
    } catch (cause) {
      if (!(cause instanceof StudioFault)) throw cause
      toast(`${largeFirst(cause.message)}.`)
    }
  }
  if (form === undefined) return <div class="file-form" />
  if (form === null)
    return (
      <div class="file-form">
        <Empty title="Not as a form">
          The text is not a map with a list of steps. Correct it as YAML first.
        </Empty>
      </div>
    )
  return (
    <div class="file-form">
      <section class="fields" aria-label="The scenario">
        {form.head.map((value) => (
          <Value key={value.label} value={value} onChange={change} />
        ))}
      </section>
      <ol>
        {form.steps.map((step, at) => (
          <Step
            key={`${at} ${step.line}`}
            step={step}
            outcome={outcomes.find(({ line }) => line === step.line)?.outcome ?? null}
            problems={problemsOf(problems, step.line, form.steps[at + 1]?.line)}
            onChange={change}
            onRemove={form.steps.length > 1 ? () => void change({ is: "remove", line: step.line }) : null}
          />
        ))}
      </ol>
      {words !== null && <NewStep words={words} onAdd={(word) => void change({ is: "add", word })} />}
      {form.others.length > 0 && (
        <p class="quiet small">Only as YAML, and kept as it is: {form.others.join(", ")}.</p>
      )}
    </div>
  )
}

function problemsOf(
  problems: readonly FileProblem[],
  from: number,
  before: number | undefined,
): readonly FileProblem[] {
  return problems.filter(({ line }) => line >= from && line < (before ?? Infinity))
}

type Change = (edit: FormEdit) => Promise<void>

interface StepProps {
  readonly step: FormStep
  readonly outcome: StepOutcome["outcome"] | null
  readonly problems: readonly FileProblem[]
  readonly onChange: Change
  /** Null for the only step. */
  readonly onRemove: (() => void) | null
}

const OUTCOMES = {
  done: ["✓", "done", "good"],
  held: ["✓", "held", "good"],
  failed: ["✕", "failed", "bad"],
  left: ["–", "not run", "quiet"],
} as const

function Step({ step, outcome, problems, onChange, onRemove }: StepProps): JSX.Element {
  const { line, words, values, others } = step
  const [sign, says, tone] = outcome === null ? (["", "", "quiet"] as const) : OUTCOMES[outcome]
  const title = useId()
  return (
    <li class={problems.length > 0 ? "form-step is-bad" : "form-step"}>
      <div class="row apart">
        <h3 id={title}>
          {sign !== "" && (
            <span class={tone} title={says}>
              {sign} <span class="visually-hidden">{says}: </span>
            </span>
          )}
          {largeFirst(words)} <span class="quiet small">line {line}</span>
        </h3>
        {onRemove !== null && (
          <Button isSmall look="quiet" icon="cross" label={`Remove: ${words}`} onPress={onRemove} />
        )}
      </div>
      <div class="form-values" role="group" aria-labelledby={title}>
        {values.map((value) => (
          <Value key={`${value.line} ${value.column}`} value={value} onChange={onChange} />
        ))}
      </div>
      {others.length > 0 && <p class="quiet small">Only as YAML: {others.join(", ")}.</p>}
      {problems.map(({ message, suggestion, expected }) => (
        <p key={message} class="bad small" role="alert">
          {largeFirst(message)}. {suggestion !== null ? `Did you mean ${suggestion}?` : (expected ?? "")}
        </p>
      ))}
    </li>
  )
}

/** A text is taken when the field is left, or with Enter; a choice at once. */
function Value({ value, onChange }: { readonly value: FormValue; readonly onChange: Change }): JSX.Element {
  const { label, hint, text, options, line, column, length, isText } = value
  const [typed, setTyped] = useState(text)
  useEffect(() => setTyped(text), [text])
  const take = (to: string): void => {
    if (to === text || to.trim() === "") setTyped(text)
    else void onChange({ is: "set", line, column, length, isText, value: to })
  }
  if (options.length > 0) {
    const all = options.includes(text) ? options : [text, ...options]
    return (
      <SelectField
        label={label}
        value={text}
        options={all.map((one) => [one, one] as const)}
        onChange={take}
      />
    )
  }
  return (
    <div
      title={hint}
      onFocusOut={() => take(typed)}
      onKeyDown={({ key }) => {
        if (key === "Enter") take(typed)
      }}
    >
      <TextField label={label} value={typed} onChange={setTyped} />
    </div>
  )
}

function NewStep({
  words,
  onAdd,
}: {
  readonly words: Words
  readonly onAdd: (word: string) => void
}): JSX.Element {
  const [word, setWord] = useState(words.commands[0]?.label ?? "")
  const id = useId()
  const groups = {
    "What happens": words.commands,
    "What must hold": words.facts,
    "What goes wrong outside": words.faults,
  }
  return (
    <div class="row new-step">
      <label for={id} class="small strong">
        Another step
      </label>
      <select id={id} value={word} onChange={({ currentTarget }) => setWord(currentTarget.value)}>
        {Object.entries(groups).map(([name, own]) => (
          <optgroup key={name} label={name}>
            {own.map(({ label, detail }) => (
              <option key={label} value={label}>
                {label}: {detail}
              </option>
            ))}
          </optgroup>
        ))}
      </select>
      <Button isSmall icon="plus" onPress={() => onAdd(word)}>
        Add
      </Button>
    </div>
  )
}
