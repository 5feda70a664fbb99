/** What a reading of streets used and left out, in sentences. */

import { listed } from "../../../model/values/listed.ts"
import type { Place } from "../../../model/place.ts"
import { counted } from "../../scenario/language/counted.ts"

export interface StreetNotes {
  /** Name of the profile. */
  readonly profile: string
  readonly lines: number
  /** Streets by class of `highway`; those of files that are made by hand have none and are not here. */
  readonly used: Readonly<Record<string, number>>
  /** Lines that are not used, by reason. */
  readonly leftOut: Readonly<Record<string, number>>
  /** Streets whose direction changes with the time. */
  readonly changing: number
  /** Streets with a `oneway` that is none, and the first of them. */
  readonly unknown: { readonly streets: number; readonly first: string } | null
  /** Barriers that close a street. */
  readonly barriers: number
  /** Turn restrictions. */
  readonly turns: { readonly used: number; readonly leftOut: number }
}

/** Streets that lead nowhere from the sites, or not back. */
export interface UnconnectedStreets {
  readonly parts: number
  /** Of the length of all streets. */
  readonly share: number
  readonly metres: number
  /** Their corners. */
  readonly lines: readonly (readonly Place[])[]
}

const NAMED_MAX = 6

/** Sentences about lines that are not driven as the file may mean it. */
export function streetNoteTexts(
  file: string,
  { profile, lines, used, leftOut, changing, unknown, barriers, turns }: StreetNotes,
  { parts, share }: Pick<UnconnectedStreets, "parts" | "share">,
): readonly string[] {
  const [left, usedCount] = [sumOf(leftOut), sumOf(used)]
  const says: string[] = []
  if (usedCount > 0)
    says.push(
      `${usedCount} of ${counted(lines, "line")} are streets of the profile ${profile}: ${namedOf(used, "of other kinds")}.`,
    )
  if (left > 0)
    says.push(
      `${left} of ${counted(lines, "line")} ${left === 1 ? "is no street" : "are no streets"} for vehicles and ${left === 1 ? "is" : "are"} left out: ${namedOf(leftOut, "for other reasons")}.`,
    )
  if (changing > 0)
    says.push(
      `${counted(changing, "street")} with oneway=reversible or oneway=alternating ${changing === 1 ? "is" : "are"} driven in both directions.`,
    )
  if (unknown !== null)
    says.push(
      `${counted(unknown.streets, "street")} with a oneway that is not known ${unknown.streets === 1 ? "is" : "are"} driven in both directions: ${unknown.first}.`,
    )
  if (barriers > 0)
    says.push(`${counted(barriers, "barrier")} ${barriers === 1 ? "closes" : "close"} a street.`)
  if (turns.used + turns.leftOut > 0)
    says.push(
      `${turns.used} of ${counted(turns.used + turns.leftOut, "turn restriction")} ${turns.used === 1 ? "holds" : "hold"}${turns.leftOut === 0 ? "" : "; the others are conditional, of other vehicles, or of streets that are not there"}.`,
    )
  if (parts > 0)
    says.push(
      `${counted(parts, "part")} of the streets, ${percentOf(share)} of their length, ${parts === 1 ? "is" : "are"} not connected to the sites in both directions and ${parts === 1 ? "is" : "are"} not used.`,
    )
  return says.map((one) => `${file}: ${one}`)
}

function percentOf(share: number): string {
  return share < 0.001 ? "less than 0.1 %" : `${(share * 100).toFixed(1)} %`
}

function sumOf(counts: Readonly<Record<string, number>>): number {
  return Object.values(counts).reduce((sum, count) => sum + count, 0)
}

/** The most frequent ones by name. */
function namedOf(counts: Readonly<Record<string, number>>, others: string): string {
  const sorted = Object.entries(counts).toSorted(
    ([one, many], [other, more]) => more - many || (one < other ? -1 : 1),
  )
  const named = sorted.slice(0, NAMED_MAX).map(([name, count]) => `${count} ${name}`)
  const rest = sorted.slice(NAMED_MAX).reduce((sum, [, count]) => sum + count, 0)
  return listed([...named, ...(rest === 0 ? [] : [`${rest} ${others}`])])
}
