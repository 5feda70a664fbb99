/** The main numbers of a fleet model as sliders, by group. */

import type { JSX } from "preact"
import { FLEET_GROUPS, placeOf, writtenNumber } from "../../../model/replay/number-text.ts"
import type { FleetNumber } from "../../../model/replay/number-text.ts"

interface NumberSlidersProps {
  readonly numbers: readonly FleetNumber[]
  /** Values that differ from the text, by the place of the number. */
  readonly changed: ReadonlyMap<string, number>
  readonly onMove: (number: FleetNumber, value: number) => void
}

export function NumberSliders({ numbers, changed, onMove }: NumberSlidersProps): JSX.Element {
  return (
    <>
      {FLEET_GROUPS.map((group) => {
        const own = numbers.filter((number) => number.group === group)
        return own.length === 0 ? null : (
          <fieldset key={group} class="number-group">
            <legend>{group}</legend>
            {own.map((number) => (
              <Slider key={placeOf(number)} number={number} changed={changed} onMove={onMove} />
            ))}
          </fieldset>
        )
      })}
    </>
  )
}

function Slider({
  number,
  changed,
  onMove,
}: {
  readonly number: FleetNumber
  readonly changed: ReadonlyMap<string, number>
  readonly onMove: NumberSlidersProps["onMove"]
}): JSX.Element {
  const value = changed.get(placeOf(number)) ?? number.value
  const shown = number.setBy ?? writtenNumber(value, number)
  const isChanged = changed.has(placeOf(number))
  // A label around both would name the output, which comes first.
  const id = `number-${placeOf(number)}`
  return (
    <div class={isChanged ? "slider is-changed" : "slider"}>
      <label class="slider-name" for={id}>
        {number.label}
      </label>
      <output class="number" for={id}>
        {shown}
        {isChanged && <span class="quiet"> was {writtenNumber(number.value, number)}</span>}
      </output>
      <input
        id={id}
        type="range"
        min={number.min}
        max={number.max}
        step={number.step}
        value={value}
        disabled={number.setBy !== null}
        aria-valuetext={shown}
        onInput={({ currentTarget }) => onMove(number, currentTarget.valueAsNumber)}
      />
    </div>
  )
}
