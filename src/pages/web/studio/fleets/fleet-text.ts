/** A model's text with other numbers: each is written where it stands, so comments and everything else stay. */

import type { FleetNumber } from "./fleet-contract.ts"

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
