/** Keys of a command or a fault that stand beside `with` and belong inside of it, and the other way round. */

import type { Report } from "./problems.ts"
import type { WrittenEntry, WrittenMap } from "./source.ts"

export interface Places {
  /** The keys beside `with`. */
  readonly beside: readonly string[]
  /** The arguments, which stand inside of `with`. */
  readonly inside: readonly string[]
}

/** The map with each key where it belongs; those that were elsewhere are reported, once. */
export function inTheirPlaces(map: WrittenMap, { beside, inside }: Places, report: Report): WrittenMap {
  const written = map.entries.find(({ key }) => key === "with")
  const given = written?.value.type === "map" ? written.value.entries : []
  const tooFarOut = map.entries.filter(({ key }) => inside.includes(key) && !beside.includes(key))
  const tooFarIn = given.filter(({ key }) => beside.includes(key) && !inside.includes(key))
  const [first] = [...tooFarOut, ...tooFarIn]
  if (first === undefined) return map
  for (const entry of tooFarOut)
    report(entry.keySpan, `"${entry.key}" belongs inside of "with"`, {
      help: `write with: { ${shownEntry(entry)} }`,
    })
  for (const entry of tooFarIn)
    report(entry.keySpan, `"${entry.key}" belongs beside "with", not inside of it`, {
      help: `write ${shownEntry(entry)}, with: { … }`,
    })
  const others = map.entries.filter((entry) => entry !== written && !tooFarOut.includes(entry))
  const moved = tooFarIn.filter(({ key }) => others.every((entry) => entry.key !== key))
  const kept = [...others, ...moved]
  if (written !== undefined && written.value.type !== "map") return { ...map, entries: [...kept, written] }
  const entries = [...given.filter((entry) => !tooFarIn.includes(entry)), ...distinct(tooFarOut, given)]
  const span = written?.value.span ?? first.keySpan
  const keySpan = written?.keySpan ?? first.keySpan
  return { ...map, entries: [...kept, { key: "with", keySpan, value: { type: "map", entries, span } }] }
}

function distinct(entries: readonly WrittenEntry[], given: readonly WrittenEntry[]): readonly WrittenEntry[] {
  return entries.filter(({ key }) => given.every((entry) => entry.key !== key))
}

function shownEntry({ key, value }: WrittenEntry): string {
  return `${key}: ${value.type === "scalar" && value.text !== "" ? value.text : "…"}`
}
