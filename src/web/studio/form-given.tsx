/** What is there before the first step: receivers, vehicles, the site and more, each with its values. */

import type { JSX } from "preact"
import { useId, useState } from "preact/hooks"
import { Button } from "../design/button.tsx"
import { SelectField } from "../design/field.tsx"
import type { FileForm, FormGiven } from "./form-contract.ts"
import { PartFields } from "./form-value.tsx"
import type { Change } from "./form-value.tsx"

interface GivenProps {
  readonly form: FileForm
  readonly onChange: Change
}

export function Given({ form: { given, giveable }, onChange }: GivenProps): JSX.Element {
  const id = useId()
  return (
    <section class="form-given" aria-labelledby={id}>
      <h3 id={id}>What is there before</h3>
      {given.length === 0 && (
        <p class="quiet small">Only what every scenario has: a site, a runner, one partner.</p>
      )}
      {given.map((part) => (
        <Thing key={part.path.join(" ")} part={part} onChange={onChange} />
      ))}
      {giveable.length > 0 && <NewThing giveable={giveable} onChange={onChange} />}
    </section>
  )
}

function Thing({ part, onChange }: { readonly part: FormGiven; readonly onChange: Change }): JSX.Element {
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
          onPress={() => void onChange({ is: "remove", path }, ".form-given .new-thing select")}
        />
      </div>
      <PartFields part={part} title={id} within={`[data-given="${name}"]`} onChange={onChange} />
    </div>
  )
}

interface NewThingProps extends Pick<FileForm, "giveable"> {
  readonly onChange: Change
}

function NewThing({ giveable, onChange }: NewThingProps): JSX.Element {
  const [asked, setAsked] = useState("")
  const chosen = giveable.find(({ key }) => key === asked) ?? giveable[0]
  const key = chosen?.key ?? ""
  return (
    <div class="row new-thing">
      <SelectField
        label="Something else that is there"
        value={key}
        options={giveable.map((one) => [one.key, one.label] as const)}
        onChange={setAsked}
      />
      <Button isSmall icon="plus" onPress={() => void onChange({ is: "give", key }, ".new-thing select")}>
        Add it
      </Button>
    </div>
  )
}
