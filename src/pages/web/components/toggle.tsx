/** A toggle button, and a row of buttons of which one is selected. */

import type { JSX } from "preact"

interface ToggleProps {
  readonly isOn: boolean
  readonly onToggle: () => void
  readonly children: string
}

export function Toggle({ isOn, onToggle, children }: ToggleProps): JSX.Element {
  return (
    <button type="button" aria-pressed={isOn} onClick={onToggle}>
      {children}
    </button>
  )
}

interface ChoiceProps<Value extends string> {
  readonly label: string
  readonly value: Value
  readonly options: readonly (readonly [value: Value, name: string])[]
  readonly onChoose: (value: Value) => void
}

export function Choice<Value extends string>(props: ChoiceProps<Value>): JSX.Element {
  const { label, value, options, onChoose } = props
  return (
    <span role="group" aria-label={label} class="choice">
      {options.map(([one, name]) => (
        <Toggle key={one} isOn={one === value} onToggle={() => onChoose(one)}>
          {name}
        </Toggle>
      ))}
    </span>
  )
}
