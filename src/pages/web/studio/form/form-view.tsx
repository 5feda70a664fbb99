/** The open file as a form: its title, and each step as a sentence with its values. A change is made in the text itself. */

import type { JSX } from "preact"
import { useEffect, useId, useLayoutEffect, useRef, useState } from "preact/hooks"
import { Button } from "../../design/button.tsx"
import { Empty, Skeleton } from "../../design/feedback.tsx"
import type { FileProblem, StepOutcome } from "../contract.ts"
import type { FileForm, FormEdit, FormStep } from "./form-contract.ts"
import { Given, Rest } from "./form-given.tsx"
import { PartFields, Value } from "./form-value.tsx"
import type { Change } from "./form-value.tsx"
import { NewStep } from "./new-step.tsx"
import type { StudioActions, StudioState } from "../studio-state.ts"
import { adviceText } from "../editor/line-marks.ts"
import { largeFirst } from "../verdict.ts"

interface FormViewProps {
  readonly state: StudioState
  readonly actions: StudioActions
  /** Of the last run, when it was of this text. */
  readonly outcomes: readonly StepOutcome[]
}

interface ShownForm {
  readonly text: string
  /** Null when the text is no map with a list of steps. */
  readonly form: FileForm | null
}

export function FormView({ state, actions, outcomes }: FormViewProps): JSX.Element {
  const { file, text } = state
  const [shown, setShown] = useState<ShownForm | null>(null)
  /** The server did not answer, which the page says. */
  const [isAway, setAway] = useState(false)
  const element = useRef<HTMLDivElement>(null)
  /** What has the focus when the form of this text is there. */
  const focus = useRef<{ readonly text: string; readonly selectors: readonly string[] } | null>(null)
  const path = file?.path ?? ""
  useEffect(() => {
    let isCurrent = true
    const show = async (): Promise<void> => {
      const form = await actions.readForm(path, text)
      if (!isCurrent) return
      if (form !== undefined) setShown({ text, form })
      setAway(form === undefined)
    }
    void show()
    return () => {
      isCurrent = false
    }
  }, [actions, path, text])
  useLayoutEffect(() => {
    if (focus.current === null || focus.current.text !== shown?.text) return
    const { selectors } = focus.current
    const found = selectors.map((one) => element.current?.querySelector<HTMLElement>(one) ?? null)
    found.find((one) => one !== null)?.focus()
    focus.current = null
  }, [shown])
  if (shown === null) return <div class="file-form">{!isAway && <Skeleton lines={8} />}</div>
  const { form } = shown
  if (form === null)
    return (
      <div class="file-form">
        <Empty title="Not as a form">
          The text is not a map with a list of steps. Correct it as YAML first.
        </Empty>
      </div>
    )
  const change = async (edit: FormEdit, ...selectors: readonly string[]): Promise<void> => {
    const left = await actions.edit({ path, edit, seen: form })
    if (left !== null && selectors.length > 0) focus.current = { text: left, selectors }
  }
  return (
    <div class="file-form" ref={element}>
      <section class="fields" aria-label="The scenario">
        {form.head.map((value) => (
          <Value key={value.label} value={value} onChange={change} />
        ))}
        <h3 id="form-more" class="visually-hidden">
          More about the scenario
        </h3>
        <div data-head="more">
          <PartFields part={form.more} title="form-more" within='[data-head="more"]' onChange={change} />
        </div>
      </section>
      <Given form={form} onChange={change} />
      <Steps form={form} state={state} outcomes={outcomes} onChange={change} />
      <Rest form={form} onChange={change} />
      {form.others.length > 0 && (
        <p class="quiet small">Only as YAML, and kept as it is: {form.others.join(", ")}.</p>
      )}
    </div>
  )
}

interface StepsProps extends Pick<FormViewProps, "outcomes" | "state"> {
  readonly form: FileForm
  readonly onChange: Change
}

function Steps({ form, state: { words, problems }, outcomes, onChange }: StepsProps): JSX.Element {
  /** The step before which another one is being written. */
  const [before, setBefore] = useState<number | null>(null)
  const list = useRef<HTMLOListElement>(null)
  const { steps } = form
  return (
    <>
      <ol ref={list}>
        {steps.map((step, at) => (
          <li key={at}>
            {words !== null && before === at && (
              <NewStep
                words={words}
                form={form}
                at={at}
                onAdd={(added) => {
                  setBefore(null)
                  void onChange(added, tool(at, "insert"))
                }}
                onCancel={() => {
                  setBefore(null)
                  list.current?.querySelector<HTMLElement>(tool(at, "insert"))?.focus()
                }}
              />
            )}
            <Step
              step={step}
              at={at}
              count={steps.length}
              outcome={outcomes.find(({ line }) => line === step.line)?.outcome ?? null}
              problems={problemsOf(problems, step.line, steps[at + 1]?.line)}
              onChange={onChange}
              onInsert={() => setBefore(at)}
            />
          </li>
        ))}
      </ol>
      {words !== null && (
        <NewStep
          words={words}
          form={form}
          at={steps.length}
          onAdd={(added) => void onChange(added, tool(steps.length, "insert"))}
        />
      )}
    </>
  )
}

/** The selector of a button of a step. */
function tool(at: number, name: string): string {
  return `[data-step="${at}"] [data-tool="${name}"] button`
}

function problemsOf(
  problems: readonly FileProblem[],
  from: number,
  before: number | undefined,
): readonly FileProblem[] {
  return problems.filter(({ line }) => line >= from && line < (before ?? Infinity))
}

interface StepProps {
  readonly step: FormStep
  readonly at: number
  readonly count: number
  readonly outcome: StepOutcome["outcome"] | null
  readonly problems: readonly FileProblem[]
  readonly onChange: Change
  readonly onInsert: () => void
}

const OUTCOMES = {
  done: ["✓", "done", "good"],
  held: ["✓", "held", "good"],
  failed: ["✕", "failed", "bad"],
  left: ["–", "not run", "quiet"],
} as const

function Step(props: StepProps): JSX.Element {
  const { step, at, outcome, problems, onChange } = props
  const { line, words } = step
  const [sign, says, tone] = outcome === null ? (["", "", "quiet"] as const) : OUTCOMES[outcome]
  const title = useId()
  return (
    <div class={problems.length > 0 ? "form-step is-bad" : "form-step"} data-step={at}>
      <div class="row apart">
        <h3 id={title}>
          {sign !== "" && (
            <span class={tone} title={says}>
              {sign} <span class="visually-hidden">{says}: </span>
            </span>
          )}
          {largeFirst(words)} <span class="quiet small">line {line}</span>
        </h3>
        <StepTools {...props} />
      </div>
      <PartFields part={step} title={title} within={`[data-step="${at}"]`} onChange={onChange} />
      {problems.map((problem) => (
        <p key={problem.message} class="bad small" role="alert">
          {largeFirst(problem.message)}. {adviceText(problem)}
        </p>
      ))}
    </div>
  )
}

/** Insert, move and remove; the focus stays with the step. */
function StepTools({ step: { words }, at, count, onChange, onInsert }: StepProps): JSX.Element {
  const move = (to: number): void => {
    const same = `${tool(to, to < at ? "up" : "down")}:enabled`
    void onChange({ is: "move", at, to }, same, tool(to, "insert"))
  }
  const remove = (): void =>
    void onChange({ is: "remove", path: ["steps", at] }, tool(Math.min(at, count - 2), "remove"))
  return (
    <span class="row step-tools">
      <span data-tool="insert">
        <Button
          isSmall
          look="quiet"
          icon="plus"
          label={`Insert a step before: ${words}`}
          onPress={onInsert}
        />
      </span>
      <span data-tool="up">
        <Button
          isSmall
          look="quiet"
          icon="arrow-up"
          label={`Move up: ${words}`}
          isDisabled={at === 0}
          onPress={() => move(at - 1)}
        />
      </span>
      <span data-tool="down">
        <Button
          isSmall
          look="quiet"
          icon="arrow-down"
          label={`Move down: ${words}`}
          isDisabled={at === count - 1}
          onPress={() => move(at + 1)}
        />
      </span>
      {count > 1 && (
        <span data-tool="remove">
          <Button isSmall look="quiet" icon="cross" label={`Remove: ${words}`} onPress={remove} />
        </span>
      )}
    </span>
  )
}
