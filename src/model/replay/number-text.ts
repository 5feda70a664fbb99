/** The main numbers of a fleet model, and its text with others: each is written where it stands, so comments and everything else stay. */

export const FLEET_GROUPS = ["Demand", "People", "Vehicles and stalls", "Durations", "Chances"] as const
export type FleetGroup = (typeof FLEET_GROUPS)[number]

/** A number of the model, where it stands in the text. */
export interface FleetNumber {
  readonly group: FleetGroup
  /** In words, from the outermost part in. */
  readonly label: string
  readonly value: number
  /** As written behind the number: `m`, `%` or nothing. */
  readonly unit: string
  readonly min: number
  readonly max: number
  readonly step: number
  readonly line: number
  readonly column: number
  readonly length: number
  /**
   * The part of the model that sets this number, in words: `the sweep tries 1 and 2`. The number in the file then has no
   * effect on what the command finds. Null: the number in the file counts.
   */
  readonly setBy: string | null
  /** What the first case of a sweep sets it to, as it is written. Null where no sweep sets it. */
  readonly firstCase: string | null
  /** Settings of a case that would set it: `runners`, `runners at south`. */
  readonly settings: readonly string[]
}

/** What a run sets a number to, as it is written: by the settings of its case, or without them by the first case. Null: the number in the file counts. */
export function setInRun(
  { settings: names, firstCase }: Pick<FleetNumber, "firstCase" | "settings">,
  settings: readonly (readonly [setting: string, value: number | string])[] | undefined,
): string | null {
  if (settings === undefined) return firstCase
  const found = settings.find(([setting]) => names.includes(setting))
  return found === undefined ? null : String(found[1])
}

/** The key of a number among the changed values. */
export function placeOf({ line, column }: FleetNumber): string {
  return `${line}:${column}`
}

/** The number as the file writes it, such as `8m`. */
export function writtenNumber(value: number, { unit }: Pick<FleetNumber, "unit">): string {
  return `${Number(value.toFixed(3))}${unit}`
}

export function textWith(
  text: string,
  numbers: readonly FleetNumber[],
  changed: ReadonlyMap<string, number>,
): string {
  const lines = text.split("\n")
  // From the end of each line, so that the places before it stay.
  for (const number of numbers.toSorted((a, b) => b.line - a.line || b.column - a.column)) {
    const value = changed.get(placeOf(number))
    const line = lines[number.line - 1]
    if (value === undefined || line === undefined) continue
    const [from, until] = [number.column - 1, number.column - 1 + number.length]
    lines[number.line - 1] = `${line.slice(0, from)}${writtenNumber(value, number)}${line.slice(until)}`
  }
  return lines.join("\n")
}
