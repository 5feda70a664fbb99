/** The main numbers of a fleet model as sliders, by group. */

import type { JSX } from "preact"
import { FLEET_GROUPS, placeOf, writtenNumber } from "../../../model/replay/number-text.ts"
import type { FleetNumber } from "../../../model/replay/number-text.ts"

interface NumberSlidersProps {
  readonly numbers: readonly FleetNumber[]
  /** Values that differ from the text, by the place of the number. */
  readonly changed: ReadonlyMap<string, number>
  readonly onMove: (number: FleetNumber, value: number) => void
  /** What is shown is the first case of a sweep, and not all of its cases. */
  readonly isFirstCase?: boolean
}

export function NumberSliders({ numbers, ...given }: NumberSlidersProps): JSX.Element {
  return (
    <>
      {FLEET_GROUPS.map((group) => {
        const own = numbers.filter((number) => number.group === group)
        return own.length === 0 ? null : (
          <fieldset key={group} class="number-group">
            <legend>{group}</legend>
            {own.map((number) => (
              <Slider key={placeOf(number)} number={number} {...given} />
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
  isFirstCase = false,
}: Omit<NumberSlidersProps, "numbers"> & { readonly number: FleetNumber }): JSX.Element {
  const { setBy } = number
  const firstCase = isFirstCase ? number.firstCase : null
  const value = changed.get(placeOf(number)) ?? firstCase ?? number.value
  // Of a case that is shown, the number is said, and below it why it cannot be moved.
  const shown = setBy === null || firstCase !== null ? writtenNumber(value, number) : setBy
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
        disabled={setBy !== null}
        aria-valuetext={shown}
        aria-describedby={firstCase === null ? undefined : `${id}-why`}
        onInput={({ currentTarget }) => onMove(number, currentTarget.valueAsNumber)}
      />
      {firstCase !== null && (
        <p id={`${id}-why`} class="slider-why">
          Not to be moved: {setBy}. This run is the first case.
        </p>
      )}
    </div>
  )
}
