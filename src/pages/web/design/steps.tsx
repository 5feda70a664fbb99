/** Steps in order: across a page with a time under each, and one below the other with what to do. */

import type { ComponentChildren, JSX } from "preact"
import { Icon } from "./icon.tsx"

export type StepState = "done" | "failed" | "now" | "next"

export interface Step {
  readonly name: string
  readonly state: StepState
  /** A time, or nothing yet. */
  readonly note?: string
}

const STATE_WORDS: Readonly<Record<StepState, string>> = {
  done: "done",
  failed: "failed",
  now: "now",
  next: "to come",
}

/** On a phone only the last done, the present and the next step are shown, and the number of those behind. */
export function Stepper({
  label,
  steps,
}: {
  readonly label: string
  readonly steps: readonly Step[]
}): JSX.Element {
  return (
    <ol class="steps" aria-label={label}>
      {steps.map(({ name, state, note }) => (
        <li key={name} class={state} aria-current={state === "now" ? "step" : undefined}>
          <span class="dot" aria-hidden="true">
            {state === "done" ? <Icon name="check" /> : state === "failed" ? <Icon name="cross" /> : null}
          </span>
          <span class="name">
            {name}
            <span class="visually-hidden">, {STATE_WORDS[state]}</span>
          </span>
          {note === undefined ? null : <span class="number">{note}</span>}
        </li>
      ))}
    </ol>
  )
}

export interface PathStep {
  readonly name: string
  readonly state: "current" | "done" | "next"
  /** When it was done and by whom. */
  readonly when?: string
  readonly children?: ComponentChildren
}

/** Numbered steps, one below the other. */
export function Path({ steps }: { readonly steps: readonly PathStep[] }): JSX.Element {
  return (
    <ol class="path">
      {steps.map(({ name, state, when, children }, at) => (
        <li key={name} class={state} aria-current={state === "current" ? "step" : undefined}>
          <span class="ball" aria-hidden="true">
            {state === "done" ? <Icon name="check" /> : at + 1}
          </span>
          <div class="what">
            <h2>
              {name}
              <span class="visually-hidden">{state === "done" ? ", done" : ""}</span>
            </h2>
            {children}
          </div>
          {when === undefined ? null : <span class="when">{when}</span>}
        </li>
      ))}
    </ol>
  )
}
