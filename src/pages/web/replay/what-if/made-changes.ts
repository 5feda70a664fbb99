/** Numbers and changes of the second day: how they are made, taken back, and read from an address for a model that may not know them. */

import { changeWords, heldAt } from "../../../../model/replay/change-text.ts"
import type { ChangeOffer, TimedChange } from "../../../../model/replay/change-text.ts"
import { placeOf, writtenNumber } from "../../../../model/replay/number-text.ts"
import type { FleetNumber } from "../../../../model/replay/number-text.ts"
import { DAY_MS, MINUTE_MS } from "../../../../model/values/time.ts"
import type { MadeChange, WrittenDays, readDays } from "../address.ts"
import type { Scene } from "../seen/scene.ts"

/** What differs from the model. */
export interface Differences {
  /** By the place of the number. */
  readonly numbers: ReadonlyMap<string, number>
  /** Earliest first. */
  readonly changes: readonly MadeChange[]
}

export const NO_DIFFERENCE: Differences = { numbers: new Map(), changes: [] }

/** The labels of the numbers; one that comes again has a number. */
function labelsOf(numbers: readonly FleetNumber[]): readonly string[] {
  const counts = new Map<string, number>()
  return numbers.map(({ label }) => {
    const count = (counts.get(label) ?? 0) + 1
    counts.set(label, count)
    return count === 1 ? label : `${label} (${count})`
  })
}

export function writtenDifferences(
  { numbers: changed, changes }: Differences,
  numbers: readonly FleetNumber[],
): Omit<WrittenDays, "mode"> {
  const labels = labelsOf(numbers)
  const moved = numbers.flatMap((number, at) => {
    const value = changed.get(placeOf(number))
    return value === undefined ? [] : [{ name: labels[at] ?? "", value: writtenNumber(value, number) }]
  })
  return { numbers: moved, changes }
}

/** What an address changes in a model. What the model does not know is in `unknown`, in words, and the rest holds. */
export function differencesOf(
  written: ReturnType<typeof readDays>,
  model: { readonly numbers: readonly FleetNumber[]; readonly offers: readonly ChangeOffer[] },
): { readonly differences: Differences; readonly unknown: readonly string[] } {
  const unknown = [...written.unread]
  const labels = labelsOf(model.numbers)
  const moved = written.numbers.flatMap(({ name, value }) => {
    const number = model.numbers[labels.indexOf(name)]
    const read = number === undefined ? null : numberIn(value, number)
    if (number !== undefined && read !== null) return [[placeOf(number), read] as const]
    unknown.push(`${name}: ${value}`)
    return []
  })
  const changes = written.changes.filter((change) => {
    const isKnown = model.offers.some((offer) => fits(change, offer))
    if (!isKnown) unknown.push(changeWords(change))
    return isKnown
  })
  return { differences: { numbers: new Map(moved), changes: inOrder(changes) }, unknown }
}

function numberIn(text: string, { unit, min, max }: FleetNumber): number | null {
  const digits = unit !== "" && text.endsWith(unit) ? text.slice(0, -unit.length) : text
  const value = /^\d+(\.\d+)?$/.test(digits) ? Number(digits) : Number.NaN
  return value >= min && value <= max ? value : null
}

/** Whether a change is one of an offer. */
function fits({ name, value }: MadeChange, { name: offered, form }: ChangeOffer): boolean {
  if (form.is === "breakdown")
    return (
      name.startsWith("breakdown of ") && form.vehicles.includes(name.slice(13)) && /^\d+[msh]$/.test(value)
    )
  if (name !== offered) return false
  switch (form.is) {
    case "count":
      return /^[+-]\d+$/.test(value) && Number(value) !== 0 && Math.abs(Number(value)) <= form.most
    case "factor":
      return /^\d+(\.\d+)?$/.test(value) && Number(value) <= form.most
    case "share":
      return /^\d+(\.\d+)?%$/.test(value) && Number.parseFloat(value) <= 100
    case "word":
      return form.words.includes(value)
  }
}

function inOrder(changes: readonly MadeChange[]): readonly MadeChange[] {
  return changes.toSorted((one, other) => one.atMs - other.atMs)
}

type Key = Pick<MadeChange, "atMs" | "name">

const isSame = (one: Key, other: Key): boolean => one.atMs === other.atMs && one.name === other.name

/** With a change in place of the one of the same setting at the same instant; null takes that away. */
export function withChange(
  changes: readonly MadeChange[],
  key: Key,
  value: string | null,
): readonly MadeChange[] {
  const others = changes.filter((one) => !isSame(one, key))
  return value === null ? others : inOrder([...others, { atMs: key.atMs, name: key.name, value }])
}

/** What holds at an instant with the changes that are made; of a count the sum. Empty for a breakdown. */
export function valueAt(
  { form, name, today }: ChangeOffer,
  changes: readonly MadeChange[],
  atMs: number,
): string {
  const held = heldAt(today, atMs)?.value ?? ""
  const own = changes.filter((one) => one.name === name && one.atMs <= atMs)
  if (form.is !== "count") return own.at(-1)?.value ?? held
  return String(own.reduce((sum, { value }) => sum + Number(value), Number(held)))
}

/** The changes with one more of a count from an instant on, or one fewer. */
export function countChanged(changes: readonly MadeChange[], key: Key, by: 1 | -1): readonly MadeChange[] {
  const sum = Number(changes.find((one) => isSame(one, key))?.value ?? 0) + by
  return withChange(changes, key, sum === 0 ? null : `${sum > 0 ? "+" : ""}${sum}`)
}

/** The changes with another value from an instant on; without one at that instant when the value holds anyway. */
export function valueChanged(
  changes: readonly MadeChange[],
  { offer, atMs }: { readonly offer: ChangeOffer; readonly atMs: number },
  value: string,
): readonly MadeChange[] {
  const key = { atMs, name: offer.name }
  const without = withChange(changes, key, null)
  return valueAt(offer, without, atMs) === value ? without : withChange(changes, key, value)
}

/** The whole minute of the clock at an instant of a run, or the next one: nothing before the instant is changed. */
export function nextMinute({ startMs }: Scene["head"], ms: number): number {
  return Math.ceil((startMs + ms) / MINUTE_MS) * MINUTE_MS - startMs
}

/** As the model writes them; in a run of several days with their dates. */
export function timedChangesOf(
  changes: readonly MadeChange[],
  { head, clock }: Pick<Scene, "clock" | "head">,
): readonly TimedChange[] {
  const at = head.horizonMs > DAY_MS ? clock.local : clock.minute
  return changes.map(({ atMs, name, value }) => ({ at: at(atMs), name, value }))
}
