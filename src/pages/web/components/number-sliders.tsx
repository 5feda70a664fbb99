/** The main numbers of a fleet model as sliders, by group. */

import type { JSX } from "preact"
import { FLEET_GROUPS, placeOf, writtenNumber } from "../../../model/replay/number-text.ts"
import type { FleetNumber } from "../../../model/replay/number-text.ts"

interface NumberSlidersProps {
  readonly numbers: readonly FleetNumber[]
  /** Values that differ from the text, by the place of the number. */
  readonly changed: ReadonlyMap<string, number>
  readonly onMove: (number: FleetNumber, value: number) => void
  /** What is shown is one run: the first case of a sweep, and the file's own number where a search looks for another. */
  readonly isOneRun?: boolean
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

/** Of one run: why a number cannot be moved, or what the command does with it; null when there is nothing to say. */
function whyOf({ setBy, firstCase }: FleetNumber): string | null {
  if (setBy === null) return null
  return firstCase === null
    ? `In the command's answer ${setBy}; this run has the file's.`
    : `Cannot be moved: ${setBy}, and this run is the first case.`
}

function Slider({
  number,
  changed,
  onMove,
  isOneRun = false,
}: Omit<NumberSlidersProps, "numbers"> & { readonly number: FleetNumber }): JSX.Element {
  const { setBy } = number
  const firstCase = isOneRun ? number.firstCase : null
  const value = changed.get(placeOf(number)) ?? number.value
  const why = isOneRun ? whyOf(number) : null
  const shown = firstCase ?? (isOneRun ? null : setBy) ?? writtenNumber(value, number)
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
        value={firstCase === null ? value : Number.parseFloat(firstCase)}
        disabled={(isOneRun ? firstCase : setBy) !== null}
        aria-valuetext={shown}
        aria-describedby={why === null ? undefined : `${id}-why`}
        onInput={({ currentTarget }) => onMove(number, currentTarget.valueAsNumber)}
      />
      {why !== null && (
        <p id={`${id}-why`} class="slider-why">
          {why}
        </p>
      )}
    </div>
  )
}
