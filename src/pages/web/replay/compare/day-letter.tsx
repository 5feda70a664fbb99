/** The letter of a day, A or B, and by how much a count of B differs from A's. */

import type { JSX } from "preact"
import { countDifference } from "./comparison.ts"

export function DayLetter({ letter }: { readonly letter: string }): JSX.Element {
  return <span class={letter === "A" ? "day-letter" : "day-letter changed"}>{letter}</span>
}

interface CountDifferenceProps {
  readonly value: number
  /** In A. */
  readonly before: number
  /** Less is better. */
  readonly isFault?: boolean
}

export function CountDifference({ value, before, isFault = false }: CountDifferenceProps): JSX.Element {
  const tone = !isFault || value === before ? "quiet" : value < before ? "good" : "bad"
  return (
    <span class={`count-difference ${tone}`}>
      {countDifference(value, before)}
      <span class="visually-hidden"> compared with this day</span>
    </span>
  )
}
