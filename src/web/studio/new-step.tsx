/** A new step of a form: its verb, its word, and what it is about, of the names that are known at its place. */

import type { JSX } from "preact"
import { useEffect, useId, useRef, useState } from "preact/hooks"
import { Button } from "../design/button.tsx"
import { SelectField, TextField } from "../design/field.tsx"
import type { Words } from "./contract.ts"
import type { AddStep, FileForm, StepNeed, StepWord } from "./form-contract.ts"
import { largeFirst } from "./verdict.ts"

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
  const [verb, setVerb] = useState("do")
  const [chosenWords, setWords] = useState<Readonly<Record<string, string>>>({})
  const [names, setNames] = useState<Readonly<Record<string, string>>>({})
  const [values, setValues] = useState<Readonly<Record<string, string>>>({ wait: "5m" })
  const id = useId()
  const panel = useRef<HTMLElement>(null)
  const isOpened = onCancel !== undefined
  useEffect(() => {
    if (isOpened) panel.current?.querySelector("select")?.focus()
  }, [isOpened])
  const choices = wordsOf(verb, words, form)
  const word = choices.find((one) => one.word === chosenWords[verb]) ?? choices[0]
  const { needs, missing } = needsOf(verb, { word, words, form, at })
  const chosen = Object.fromEntries(
    needs.map(({ key, options }) => [
      key,
      options.includes(names[key] ?? "") || options.length === 0 ? (names[key] ?? "") : (options[0] ?? ""),
    ]),
  )
  const value = values[verb] ?? (verb === "refuse" ? "INVALID_STATE" : "")
  const setValue = (to: string): void => setValues({ ...values, [verb]: to })
  const where =
    onCancel === undefined ? "Another step, at the end" : `A step before line ${form.steps[at]?.line}`
  return (
    <section class="new-step" ref={panel} aria-labelledby={id}>
      <h3 id={id}>{where}</h3>
      <div class="form-values">
        <div class="form-wide">
          <SelectField
            label="What it does"
            value={verb}
            options={words.newSteps.verbs.map(({ key, label }) => [key, `${key}: ${label}`] as const)}
            onChange={setVerb}
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
              onChange={(to) => setWords({ ...chosenWords, [verb]: to })}
            />
          </div>
        )}
        {needs.map(({ key, label, options }) =>
          options.length > 0 ? (
            <SelectField
              key={key}
              label={label}
              value={chosen[key] ?? ""}
              options={options.map((one) => [one, one] as const)}
              onChange={(to) => setNames({ ...names, [key]: to })}
            />
          ) : (
            <TextField
              key={key}
              label={label}
              value={chosen[key] ?? ""}
              onChange={(to) => setNames({ ...names, [key]: to })}
            />
          ),
        )}
        {verb === "wait" && <TextField label="How long, or until when" value={value} onChange={setValue} />}
        {verb === "refuse" && (
          <SelectField
            label="Refused with"
            value={value}
            options={words.codes.map(({ label }) => [label, label] as const)}
            onChange={setValue}
          />
        )}
      </div>
      {missing !== null && (
        <p class="small" role="status">
          {largeFirst(missing)}
        </p>
      )}
      <div class="row">
        <Button
          isSmall
          icon="plus"
          isDisabled={missing !== null}
          onPress={() => onAdd({ is: "add", at, verb, word: word?.word ?? "", names: chosen, value })}
        >
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
        : `${word.word} needs a ${without.kind}, and there is none yet at this place. First add ${words.newSteps.makers[without.kind]}.`,
  }
}
