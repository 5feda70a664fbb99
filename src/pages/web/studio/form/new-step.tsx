/** A new step of a form: its verb, its word, and what it is about, of the names that are known at its place. */

import type { JSX } from "preact"
import { useEffect, useId, useRef, useState } from "preact/hooks"
import { Button } from "../../design/button.tsx"
import { SelectField, TextField } from "../../design/field.tsx"
import type { Words } from "../contract.ts"
import type { AddStep, FileForm, StepNeed, StepWord } from "./form-contract.ts"
import { largeFirst } from "../verdict.ts"

interface NewStepProps {
  readonly words: Words
  readonly form: FileForm
  /** Before which step; the number of steps for the end. */
  readonly at: number
  readonly onAdd: (step: AddStep) => void
  /** Absent for the one at the end, which stays. */
  readonly onCancel?: () => void
}

export function NewStep({ words, form, at, onAdd, onCancel }: NewStepProps): JSX.Element {
  const [draft, setDraft] = useState<Draft>({ verb: "do", words: {}, names: {}, values: {} })
  const id = useId()
  const panel = useRef<HTMLElement>(null)
  const isOpened = onCancel !== undefined
  useEffect(() => {
    if (isOpened) panel.current?.querySelector("select")?.focus()
  }, [isOpened])
  const { verb } = draft
  const choices = wordsOf(verb, words, form)
  const word = choices.find((one) => one.word === draft.words[verb]) ?? choices[0]
  const { needs, missing } = needsOf(verb, { word, words, form, at })
  const names = Object.fromEntries(needs.map((need) => [need.key, chosenName(need, draft)]))
  const value = draft.values[verb] ?? START_VALUES[verb] ?? ""
  const add = (): void => onAdd({ is: "add", at, verb, word: word?.word ?? "", names, value })
  return (
    <section class="new-step" ref={panel} aria-labelledby={id}>
      <h3 id={id}>{isOpened ? `A step before line ${form.steps[at]?.line}` : "Another step, at the end"}</h3>
      <div class="form-values">
        <WordFields words={words} choices={choices} word={word} draft={draft} onChange={setDraft} />
        {needs.map((need) => (
          <NeedField
            key={need.key}
            need={need}
            name={names[need.key] ?? ""}
            onChange={(to) => setDraft({ ...draft, names: { ...draft.names, [need.key]: to } })}
          />
        ))}
        <VerbField
          verb={verb}
          words={words}
          value={value}
          onChange={(to) => setDraft({ ...draft, values: { ...draft.values, [verb]: to } })}
        />
      </div>
      {missing !== null && (
        <p class="small" role="status">
          {largeFirst(missing)}
        </p>
      )}
      <div class="row">
        <Button isSmall icon="plus" isDisabled={missing !== null} onPress={add}>
          Add
        </Button>
        {onCancel !== undefined && (
          <Button isSmall look="quiet" onPress={onCancel}>
            Cancel
          </Button>
        )}
      </div>
    </section>
  )
}

/** What was chosen so far; words and values by verb, so that they stay when the verb changes. */
interface Draft {
  readonly verb: string
  readonly words: Readonly<Record<string, string>>
  readonly names: Readonly<Record<string, string>>
  readonly values: Readonly<Record<string, string>>
}

const START_VALUES: Readonly<Record<string, string>> = { wait: "5m", refuse: "INVALID_STATE" }

/** A name that was chosen for another word stays if it fits. */
function chosenName({ key, options }: Need, { names }: Draft): string {
  const name = names[key] ?? ""
  return options.length === 0 || options.includes(name) ? name : (options[0] ?? "")
}

interface WordFieldsProps {
  readonly words: Words
  readonly choices: readonly StepWord[]
  readonly word: StepWord | undefined
  readonly draft: Draft
  readonly onChange: (draft: Draft) => void
}

function WordFields({ words, choices, word, draft, onChange }: WordFieldsProps): JSX.Element {
  return (
    <>
      <div class="form-wide">
        <SelectField
          label="What it does"
          value={draft.verb}
          options={words.newSteps.verbs.map(({ key, label }) => [key, `${key}: ${label}`] as const)}
          onChange={(verb) => onChange({ ...draft, verb })}
        />
      </div>
      {word !== undefined && (
        <div class="form-wide">
          <SelectField
            label="Which"
            value={word.word}
            options={choices.map(
              (one) => [one.word, one.says === "" ? one.word : `${one.word}: ${one.says}`] as const,
            )}
            onChange={(to) => onChange({ ...draft, words: { ...draft.words, [draft.verb]: to } })}
          />
        </div>
      )}
    </>
  )
}

interface NeedFieldProps {
  readonly need: Need
  readonly name: string
  readonly onChange: (name: string) => void
}

function NeedField({ need: { label, options }, name, onChange }: NeedFieldProps): JSX.Element {
  if (options.length === 0) return <TextField label={label} value={name} onChange={onChange} />
  const choices = options.map((one) => [one, one] as const)
  return <SelectField label={label} value={name} options={choices} onChange={onChange} />
}

interface VerbFieldProps {
  readonly verb: string
  readonly words: Words
  readonly value: string
  readonly onChange: (value: string) => void
}

/** What a verb takes beside its word. */
function VerbField({ verb, words, value, onChange }: VerbFieldProps): JSX.Element | null {
  if (verb === "wait") return <TextField label="How long, or until when" value={value} onChange={onChange} />
  if (verb !== "refuse") return null
  const codes = words.codes.map(({ label }) => [label, label] as const)
  return <SelectField label="Refused with" value={value} options={codes} onChange={onChange} />
}

function wordsOf(verb: string, words: Words, form: FileForm): readonly StepWord[] {
  if (verb === "use")
    return form.fragments.map(({ name }) => ({ word: name, says: "", verbs: [verb], needs: [] }))
  return words.newSteps.words.filter(({ verbs }) => verbs.includes(verb))
}

interface Need {
  readonly key: string
  readonly label: string
  /** Empty for a value that is typed. */
  readonly options: readonly string[]
}

interface Around {
  readonly word: StepWord | undefined
  readonly words: Words
  readonly form: FileForm
  readonly at: number
}

/** What the step needs, and what has to be made first, if anything. */
function needsOf(
  verb: string,
  { word, words, form, at }: Around,
): { readonly needs: readonly Need[]; readonly missing: string | null } {
  if (verb === "wait") return { needs: [], missing: null }
  if (word === undefined)
    return {
      needs: [],
      missing: "the file uses no fragments. Name their file in the YAML first: uses: [fragments/runner.yaml]",
    }
  if (verb === "use") {
    const { parameters = [] } = form.fragments.find(({ name }) => name === word.word) ?? {}
    return { needs: parameters.map((key) => ({ key, label: key, options: [] })), missing: null }
  }
  const known = ({ kind }: StepNeed): readonly string[] =>
    form.names.filter((one) => one.kind === kind && one.from <= at).map(({ name }) => name)
  const without = word.needs.find((need) => known(need).length === 0)
  return {
    needs: word.needs
      .filter((need) => known(need).length > 0)
      .map((need) => ({
        key: need.key,
        label: `${need.key === "for" ? "about" : need.key.replaceAll("_", " ")} (${need.kind})`,
        options: known(need),
      })),
    missing:
      without === undefined
        ? null
        : `this step needs ${withArticle(without.kind)}, and there is none yet at this place. First add ${words.newSteps.makers[without.kind]}.`,
  }
}

function withArticle(kind: string): string {
  return `${/^[aeiou]/.test(kind) ? "an" : "a"} ${kind}`
}
