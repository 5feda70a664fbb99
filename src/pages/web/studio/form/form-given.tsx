/** What is there before the first step: receivers, vehicles, the site and more, each with its values. */

import type { JSX } from "preact"
import { useId, useState } from "preact/hooks"
import { Button } from "../../design/button.tsx"
import { SelectField } from "../../design/field.tsx"
import type { FileForm, FormChoice, FormGiven } from "./form-contract.ts"
import { PartFields } from "./form-value.tsx"
import type { Change } from "./form-value.tsx"

interface GivenProps {
  readonly form: FileForm
  readonly onChange: Change
}

export function Given({ form: { given, giveable }, onChange }: GivenProps): JSX.Element {
  return (
    <Things
      name="given"
      title="What is there before"
      empty="Only what every scenario has: a site, a runner, one partner."
      adds="Something else that is there"
      action="Add it"
      things={given}
      choices={giveable}
      onChange={onChange}
    />
  )
}

/** Behind the steps: rows of the matrix, and promises. */
export function Rest({ form: { rest, addable }, onChange }: GivenProps): JSX.Element {
  return (
    <Things
      name="rest"
      title="The whole run"
      empty="No matrix of values, and no promise about the figures of the run."
      adds="Something else about the whole run"
      action="Add it to the run"
      things={rest}
      choices={addable}
      onChange={onChange}
    />
  )
}

interface ThingsProps {
  /** Part of its class. */
  readonly name: string
  readonly title: string
  /** What is said when there is none. */
  readonly empty: string
  /** The label of what can be added. */
  readonly adds: string
  /** The button that adds it. */
  readonly action: string
  readonly things: readonly FormGiven[]
  readonly choices: readonly FormChoice[]
  readonly onChange: Change
}

function Things({ name, title, empty, adds, action, things, choices, onChange }: ThingsProps): JSX.Element {
  const id = useId()
  const focus = `.form-${name} .new-thing select`
  return (
    <section class={`form-given form-${name}`} aria-labelledby={id}>
      <h3 id={id}>{title}</h3>
      {things.length === 0 && <p class="quiet small">{empty}</p>}
      {things.map((part) => (
        <Thing key={part.path.join(" ")} part={part} focus={focus} onChange={onChange} />
      ))}
      {choices.length > 0 && (
        <NewThing choices={choices} label={adds} action={action} focus={focus} onChange={onChange} />
      )}
    </section>
  )
}

interface ThingProps {
  readonly part: FormGiven
  /** The selector of what has the focus when the thing is gone. */
  readonly focus: string
  readonly onChange: Change
}

function Thing({ part, focus, onChange }: ThingProps): JSX.Element {
  const { title, line, path } = part
  const id = useId()
  const name = path.join(" ")
  return (
    <div class="form-step" data-given={name}>
      <div class="row apart">
        <h4 id={id}>
          {title} <span class="quiet small">line {line}</span>
        </h4>
        <Button
          isSmall
          look="quiet"
          icon="cross"
          label={`Remove: ${title}`}
          onPress={() => void onChange({ is: "remove", path }, focus)}
        />
      </div>
      <PartFields part={part} title={id} within={`[data-given="${name}"]`} onChange={onChange} />
    </div>
  )
}

interface NewThingProps {
  readonly choices: readonly FormChoice[]
  readonly label: string
  readonly action: string
  readonly focus: string
  readonly onChange: Change
}

function NewThing({ choices, label, action, focus, onChange }: NewThingProps): JSX.Element {
  const [asked, setAsked] = useState("")
  const chosen = choices.find(({ key }) => key === asked) ?? choices[0]
  const key = chosen?.key ?? ""
  return (
    <div class="row new-thing">
      <SelectField
        label={label}
        value={key}
        options={choices.map((one) => [one.key, one.label] as const)}
        onChange={setAsked}
      />
      <Button isSmall icon="plus" onPress={() => void onChange({ is: "give", key }, focus)}>
        {action}
      </Button>
    </div>
  )
}
