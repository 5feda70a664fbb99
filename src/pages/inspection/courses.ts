/**
 * Two courses of one run side by side: what both have, what differs first, and how both end. Entries are aligned within each
 * group by what happened, not by their numbers: the alignment of Needleman and Wunsch (1970), in which gaps cost nothing.
 */

import { groupOf, kindOf } from "../../model/address.ts"
import type { Address, GroupAddress } from "../../model/address.ts"
import { actorLabel, rowText } from "./row-text.ts"
import type { ReadRun } from "./run-reader.ts"
import { NONE, at, rowCount } from "./run-index.ts"
import type { CallSpan, RunIndex } from "./run-index.ts"
import { statesText } from "./state-value.ts"

/** One line of the comparison. */
export interface Pair {
  /** `moved`: the same at another time. `changed`: the same input with another outcome. Or only in one course. */
  readonly is: "changed" | "first" | "moved" | "same" | "second"
  /** The address that the entry was for, as the first course names it. */
  readonly to: Address
  readonly first: Side | null
  readonly second: Side | null
}

export interface Side {
  readonly s: number
  /** Unit: ms since `clock0`. */
  readonly t: number
  readonly text: string
}

/** How an actor ends in each course; null if it is not there. */
export interface Ending {
  readonly actor: Address
  readonly first: string | null
  readonly second: string | null
}

export interface Courses {
  /** By time. */
  readonly pairs: readonly Pair[]
  /** Index in `pairs`; null when the courses are the same. */
  readonly difference: number | null
  /** Actors that took a step in one of the courses, those that end differently first. */
  readonly endings: readonly Ending[]
}

/** A course: its run, and the last line that both have in common, by the run's own numbers. */
export interface Course {
  readonly run: Pick<ReadRun, "index">
  readonly after: number
  /** The name that the first course has for a group of this one. */
  readonly nameOf?: (group: GroupAddress) => GroupAddress
}

/**
 * The first run's names for the groups of another run of the same scenario with other ids: a group that begins at the same moment is the same
 * one; of those that are left, the second reservation of the one is the second of the other. A group that both know by the same id keeps it;
 * one without a counterpart keeps its own name.
 */
export function groupsByOrder(first: RunIndex, second: RunIndex): (group: GroupAddress) => GroupAddress {
  const known = new Set(first.groups)
  const names = new Map<GroupAddress, GroupAddress>()
  const own = new Set(second.groups)
  const pairUp = (keyIn: (index: RunIndex) => (group: GroupAddress) => string): void => {
    const taken = new Set(names.values())
    const [keyInFirst, keyInSecond] = [keyIn(first), keyIn(second)]
    const unmatched = Map.groupBy(
      first.groups.filter((group) => !own.has(group) && !taken.has(group)),
      keyInFirst,
    )
    for (const group of second.groups) {
      if (known.has(group) || names.has(group)) continue
      const counterpart = unmatched.get(keyInSecond(group))?.shift()
      if (counterpart !== undefined) names.set(group, counterpart)
    }
  }
  pairUp((index) => {
    const begins = beginsIn(index)
    return (group) => `${kindOf(group)} ${begins.get(group)}`
  })
  pairUp(() => kindOf)
  return (group) => names.get(group) ?? group
}

/** When each group has its first entry. Unit: ms since `clock0`. */
function beginsIn(index: RunIndex): ReadonlyMap<GroupAddress, number> {
  const begins = new Map<GroupAddress, number>()
  for (let row = 0; row < rowCount(index); row += 1) {
    const group = index.groups[at(index.group, row)]
    if (group !== undefined && !begins.has(group)) begins.set(group, at(index.t, row))
  }
  return begins
}

/** Groups with more entries in one course than this are aligned in order, because the alignment is quadratic. */
const ALIGNED_MAX = 2_000

/** Cost: the product of both lengths for each group. */
export function coursesOf(first: Course, second: Course): Courses {
  const rowsByGroup = new Map<GroupAddress, { readonly first: number[]; readonly second: number[] }>()
  const note = (which: "first" | "second", course: Course): void => {
    for (const row of rowsAfter(course)) {
      const group = nameIn(course, groupIn(course.run.index, row))
      const rows = rowsByGroup.get(group) ?? { first: [], second: [] }
      rowsByGroup.set(group, rows)
      rows[which].push(row)
    }
  }
  note("first", first)
  note("second", second)
  const pairs = [...rowsByGroup].flatMap(([group, rows]) => pairsOf({ group, rows, first, second }))
  const sorted = pairs.toSorted((a, b) => timeOf(a) - timeOf(b) || orderOf(a) - orderOf(b))
  const difference = sorted.findIndex(({ is }) => is !== "same")
  return {
    pairs: sorted,
    difference: difference === -1 ? null : difference,
    endings: endingsOf(first, second),
  }
}

function rowsAfter({ run: { index }, after }: Course): readonly number[] {
  return Array.from({ length: rowCount(index) }, (_, row) => row).filter(
    (row) => at(index.s, row) > after && at(index.group, row) !== NONE,
  )
}

function groupIn(index: RunIndex, row: number): GroupAddress {
  return index.groups[at(index.group, row)] ?? ""
}

function nameIn({ nameOf }: Course, address: Address): Address {
  const group = groupOf(address)
  return (nameOf?.(group) ?? group) + address.slice(group.length)
}

interface Aligning {
  readonly group: GroupAddress
  readonly rows: { readonly first: readonly number[]; readonly second: readonly number[] }
  readonly first: Course
  readonly second: Course
}

/** An entry with what it is compared by. */
interface Compared {
  readonly side: Side
  readonly to: Address
  /** The input: its way and event; for an answer, the call and its attempt. */
  readonly input: string
}

function pairsOf({ group, rows, first, second }: Aligning): readonly Pair[] {
  const comparedOf = (course: Course, row: number): Compared => {
    const { index } = course.run
    const actor = index.actors[at(index.to, row)]
    const call = index.calls[at(index.answered, row)]
    return {
      side: { s: at(index.s, row), t: at(index.t, row), text: rowText(index, row, undefined) },
      to: actor === undefined ? group : nameIn(course, actor.address),
      input:
        call === undefined ? `${at(index.by, row)} ${index.words[at(index.event, row)]}` : callText(call),
    }
  }
  const ones = rows.first.map((row) => comparedOf(first, row))
  const others = rows.second.map((row) => comparedOf(second, row))
  return alignedOf(ones, others).map(([one, other]) => ({
    is: one === null ? "second" : other === null ? "first" : likenessOf(one, other),
    to: one?.to ?? other?.to ?? group,
    first: one?.side ?? null,
    second: other?.side ?? null,
  }))
}

function callText({ call, attempt }: CallSpan): string {
  return `${call} ${attempt}`
}

function likenessOf(one: Compared, other: Compared): "changed" | "moved" | "same" {
  if (one.side.text !== other.side.text) return "changed"
  return one.side.t === other.side.t ? "same" : "moved"
}

const WEIGHTS = { same: 4, moved: 2, changed: 2 } as const

/** How much two entries belong together; 0: not at all. */
function weightOf(one: Compared, other: Compared): number {
  return one.to === other.to && one.input === other.input ? WEIGHTS[likenessOf(one, other)] : 0
}

type Aligned = readonly [one: Compared | null, other: Compared | null]

/** The alignment with the largest sum of weights; an entry without a counterpart stands on its own. */
function alignedOf(ones: readonly Compared[], others: readonly Compared[]): readonly Aligned[] {
  const width = others.length + 1
  const isBounded = ones.length <= ALIGNED_MAX && others.length <= ALIGNED_MAX
  // sums[i * width + j]: the largest sum for the rests from i and j.
  const sums = new Uint32Array(isBounded ? (ones.length + 1) * width : 0)
  for (let i = isBounded ? ones.length - 1 : -1; i >= 0; i -= 1) {
    for (let j = others.length - 1; j >= 0; j -= 1) {
      const weight = weightOf(ones[i] as Compared, others[j] as Compared)
      const both = weight === 0 ? 0 : weight + at2(sums, (i + 1) * width + j + 1)
      sums[i * width + j] = Math.max(both, at2(sums, (i + 1) * width + j), at2(sums, i * width + j + 1))
    }
  }
  const found: Aligned[] = []
  let i = 0
  let j = 0
  while (i < ones.length || j < others.length) {
    const [one = null, other = null] = [ones[i], others[j]]
    const weight = one === null || other === null ? 0 : weightOf(one, other)
    const [down, right] = [at2(sums, (i + 1) * width + j), at2(sums, i * width + j + 1)]
    const both = weight + at2(sums, (i + 1) * width + j + 1)
    if (weight > 0 && both >= down && both >= right) {
      found.push([one, other])
      i += 1
      j += 1
    } else if (other === null || (one !== null && down >= right)) {
      found.push([one, null])
      i += 1
    } else {
      found.push([null, other])
      j += 1
    }
  }
  return found
}

function at2(lengths: Uint32Array, place: number): number {
  return lengths[place] ?? 0
}

function timeOf({ first, second }: Pair): number {
  return Math.min(first?.t ?? Infinity, second?.t ?? Infinity)
}

function orderOf({ first, second }: Pair): number {
  return Math.min(first?.s ?? Infinity, second?.s ?? Infinity)
}

function endingsOf(first: Course, second: Course): readonly Ending[] {
  const touched = new Set<Address>()
  const lastOf = (course: Course): ReadonlyMap<Address, string> => {
    const { index } = course.run
    const states = new Map<Address, string>()
    for (const [step, actor] of index.stepActor.entries()) {
      const address = nameIn(course, index.actors[actor]?.address ?? "")
      states.set(address, statesText(index.values[at(index.stepValue, step)] ?? "null"))
      if (at(index.s, at(index.stepRow, step)) > course.after) touched.add(address)
    }
    return states
  }
  const [ones, others] = [lastOf(first), lastOf(second)]
  const endings = [...touched].map((actor) => ({
    actor,
    first: ones.get(actor) ?? null,
    second: others.get(actor) ?? null,
  }))
  const isSame = (one: Ending): boolean => one.first === one.second
  return [...endings.filter((one) => !isSame(one)), ...endings.filter(isSame)]
}

/** `open-link …jqSE`: an actor in a narrow column; a delivery of a webhook is one of many. */
export function courseLabel(actor: Address): string {
  return kindOf(actor) === "webhook-delivery" ? `webhook …${actor.slice(-4)}` : actorLabel(actor)
}
