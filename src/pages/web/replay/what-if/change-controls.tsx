/** What may be changed from the instant of the playhead on: each control says what holds today, and changes the second day at once. */

import type { JSX } from "preact"
import { useState } from "preact/hooks"
import { CHANGE_GROUPS, heldAt } from "../../../../model/replay/change-text.ts"
import type { ChangeOffer } from "../../../../model/replay/change-text.ts"
import { Button } from "../../design/button.tsx"
import type { MadeChange } from "../address.ts"
import { countChanged, valueAt, valueChanged, withChange } from "./made-changes.ts"

interface ChangeControlsProps {
  readonly offers: readonly ChangeOffer[]
  readonly changes: readonly MadeChange[]
  /** The instant of the change, from the start of the run. */
  readonly atMs: number
  /** The same as the page shows it. */
  readonly at: string
  /** A vehicle by its name. */
  readonly vehicleWords: (name: string) => string
  /** Null without one; a vehicle that is picked is the one that breaks down. */
  readonly picked: string | null
  readonly onChange: (changes: readonly MadeChange[]) => void
}

export function ChangeControls({ offers, at, ...given }: ChangeControlsProps): JSX.Element {
  return (
    <section class="from-now" aria-label={`From ${at} on`}>
      <h3>From {at} on</h3>
      {CHANGE_GROUPS.map((group) => {
        const own = offers.filter((offer) => offer.group === group)
        return own.length === 0 ? null : (
          <fieldset key={group} class="number-group">
            <legend>{group}</legend>
            {own.map((offer) => (
              <Control key={offer.name} offer={offer} {...given} />
            ))}
          </fieldset>
        )
      })}
    </section>
  )
}

type ControlProps = Omit<ChangeControlsProps, "at" | "offers"> & { readonly offer: ChangeOffer }

function Control(props: ControlProps): JSX.Element {
  const { offer, changes, atMs } = props
  const { form, label, today } = offer
  if (form.is === "breakdown") return <Breakdown {...props} vehicles={form.vehicles} />
  const value = valueAt(offer, changes, atMs)
  const held = heldAt(today, atMs)
  const isChanged = value !== held?.value
  const id = `from-${offer.name}`
  const says = `today ${shown(form, held?.value ?? "")}${held === null || held.says === "" ? "" : `, ${held.says}`}`
  return (
    <div class={isChanged ? "slider is-changed" : "slider"}>
      {form.is === "count" ? (
        <Stepper {...props} value={Number(value)} least={form.least} most={form.most} />
      ) : (
        <>
          <label class="slider-name" for={id}>
            {label}
          </label>
          <output class="number">{form.is === "word" ? "" : shown(form, value)}</output>
          {form.is === "word" ? (
            <Choice {...props} {...{ id, value }} words={form.words} />
          ) : (
            <Range {...props} {...{ id, value }} />
          )}
        </>
      )}
      <p class="slider-why">{says}</p>
    </div>
  )
}

interface ChoiceProps extends ControlProps {
  readonly id: string
  readonly value: string
  readonly words: readonly string[]
}

function Choice({ offer, changes, atMs, id, value, words, onChange }: ChoiceProps): JSX.Element {
  return (
    <select
      id={id}
      value={value}
      onChange={({ currentTarget }) => onChange(valueChanged(changes, { offer, atMs }, currentTarget.value))}
    >
      {words.map((word) => (
        <option key={word} value={word}>
          {plain(word)}
        </option>
      ))}
    </select>
  )
}

function plain(word: string): string {
  return word.replaceAll("_", " ")
}

function shown({ is }: ChangeOffer["form"], value: string): string {
  return is === "factor" ? `× ${value}` : plain(value)
}

interface StepperProps extends ControlProps {
  readonly value: number
  readonly least: number
  readonly most: number
}

function Stepper({ offer, changes, atMs, value, least, most, onChange }: StepperProps): JSX.Element {
  const key = { atMs, name: offer.name }
  return (
    <>
      <span class="slider-name">{offer.label}</span>
      <div class="stepper" role="group" aria-label={offer.label}>
        <Button
          isSmall
          label={`−1 ${offer.label}`}
          isAtEnd={value <= least}
          onPress={() => onChange(countChanged(changes, key, -1))}
        >
          −1
        </Button>
        <output class="number">{value}</output>
        <Button
          isSmall
          label={`+1 ${offer.label}`}
          isAtEnd={value >= most}
          onPress={() => onChange(countChanged(changes, key, 1))}
        >
          +1
        </Button>
      </div>
    </>
  )
}

/** A factor goes at least so far on its slider. */
const FACTOR_MAX = 3

function Range(props: ControlProps & { readonly id: string; readonly value: string }): JSX.Element {
  const { offer, changes, atMs, id, value, onChange } = props
  const isShare = offer.form.is === "share"
  const unit = isShare ? "%" : ""
  const number = Number.parseFloat(value)
  return (
    <input
      id={id}
      type="range"
      min={0}
      max={isShare ? 100 : Math.max(FACTOR_MAX, Math.ceil(number * 2))}
      step={isShare ? 1 : 0.1}
      value={number}
      aria-valuetext={shown(offer.form, value)}
      onInput={({ currentTarget: { valueAsNumber: to } }) =>
        onChange(valueChanged(changes, { offer, atMs }, `${Number(to.toFixed(1))}${unit}`))
      }
    />
  )
}

const REPAIRS = ["10m", "20m", "40m", "90m"]

function Breakdown({
  vehicles,
  changes,
  atMs,
  picked,
  vehicleWords,
  onChange,
}: ControlProps & { readonly vehicles: readonly string[] }): JSX.Element {
  const [chosen, setChosen] = useState<string | null>(null)
  const [repair, setRepair] = useState("20m")
  const isVehicle = picked !== null && vehicles.includes(picked)
  const vehicle = chosen ?? (isVehicle ? picked : (vehicles[0] ?? ""))
  return (
    <div class="slider breakdown">
      <span class="slider-name">A vehicle breaks down</span>
      <div class="row">
        <select
          aria-label="Vehicle that breaks down"
          value={vehicle}
          onChange={({ currentTarget }) => setChosen(currentTarget.value)}
        >
          {vehicles.map((one) => (
            <option key={one} value={one}>
              {vehicleWords(one)}
            </option>
          ))}
        </select>
        <select
          aria-label="Time of its repair"
          value={repair}
          onChange={({ currentTarget }) => setRepair(currentTarget.value)}
        >
          {REPAIRS.map((one) => (
            <option key={one} value={one}>
              {one}
            </option>
          ))}
        </select>
        <Button
          isSmall
          onPress={() => onChange(withChange(changes, { atMs, name: `breakdown of ${vehicle}` }, repair))}
        >
          Break down
        </Button>
      </div>
    </div>
  )
}
