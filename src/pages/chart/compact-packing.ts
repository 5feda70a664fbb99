/** Puts labels and lines of one gutter into as few lines as fit. */

import type { Span } from "./compact-rows.ts"

/** The least distance between two parts. Unit: px. */
export const BARE = 6

interface Packed<Entry> {
  readonly count: number
  readonly lineOf: ReadonlyMap<Entry, number>
}

interface Packable {
  readonly net: string
  readonly span: Span
  readonly left?: number
  readonly width?: number
  readonly isNearest?: boolean
}

/** In as few lines as fit, short ones first. In one net only the labels keep apart. */
export function packed<Entry extends Packable>(entries: readonly Entry[]): Packed<Entry> {
  const lengthOf = ({ span }: Entry): number => span.right - span.left
  const longest = new Map<string, number>()
  for (const entry of entries) longest.set(entry.net, Math.max(longest.get(entry.net) ?? 0, lengthOf(entry)))
  const ordered = entries.toSorted(
    (a, b) =>
      Number(b.isNearest ?? false) - Number(a.isNearest ?? false) ||
      (longest.get(a.net) ?? 0) - (longest.get(b.net) ?? 0) ||
      byCode(a.net, b.net) ||
      lengthOf(a) - lengthOf(b),
  )
  const lines: Entry[][] = []
  const lineOf = new Map<Entry, number>()
  for (const entry of ordered) {
    const found = lines.findIndex((line) => line.every((other) => areApart(entry, other)))
    const line = found === -1 ? lines.push([]) - 1 : found
    lines[line]?.push(entry)
    lineOf.set(entry, line)
  }
  return { count: lines.length, lineOf }
}

function areApart(a: Packable, b: Packable): boolean {
  const [one, other] = a.net === b.net ? [labelSpan(a), labelSpan(b)] : [a.span, b.span]
  return one.left > other.right + BARE || one.right < other.left - BARE
}

function labelSpan({ span, left = span.left, width = 0 }: Packable): Span {
  return { left, right: left + width }
}

/** By code units, so that a picture is the same on every machine whatever its language. */
function byCode(a: string, b: string): number {
  if (a === b) return 0
  return a < b ? -1 : 1
}
