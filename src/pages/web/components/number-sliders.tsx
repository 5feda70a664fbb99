/** The main numbers of a fleet model as sliders, by group. */

import type { JSX } from "preact"
import type { ReplayRequest } from "../../../model/replay/messages.ts"
import { FLEET_GROUPS, placeOf, setInRun, writtenNumber } from "../../../model/replay/number-text.ts"
import type { FleetNumber } from "../../../model/replay/number-text.ts"

interface NumberSlidersProps {
  readonly numbers: readonly FleetNumber[]
  /** Values that differ from the text, by the place of the number. */
  readonly changed: ReadonlyMap<string, number>
  readonly onMove: (number: FleetNumber, value: number) => void
  /** What is shown is one run, with the settings of its case; left out: the model as a whole. */
  readonly run?: Pick<ReplayRequest, "settings">
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

/** Of one run: why a number cannot be moved, or what the command does with it. */
function whyOf(setBy: string, inRun: string | null): string {
  return inRun === null
    ? `In the command's answer ${setBy}; this run has the file's.`
    : `Cannot be moved: ${setBy}; this run has ${inRun}.`
}

function Slider({
  number,
  changed,
  onMove,
  run,
}: Omit<NumberSlidersProps, "numbers"> & { readonly number: FleetNumber }): JSX.Element {
  const { setBy } = number
  const inRun = run === undefined ? null : setInRun(number, run.settings)
  const value = changed.get(placeOf(number)) ?? number.value
  const why = run === undefined || setBy === null ? null : whyOf(setBy, inRun)
  const shown = inRun ?? (run === undefined ? setBy : null) ?? writtenNumber(value, number)
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
        value={inRun === null ? value : Number.parseFloat(inRun)}
        disabled={(run === undefined ? setBy : inRun) !== null}
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
