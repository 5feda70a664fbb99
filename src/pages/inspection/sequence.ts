/** The messages of a range of rows, between lanes of actors or of kinds. */

import { answerWords, hasFailed } from "./attempts.ts"
import { eventName } from "./event-name.ts"
import { NONE, WAYS, at, rowCount } from "./run-index.ts"
import type { RunIndex } from "./run-index.ts"
import { partOf } from "../../model/address.ts"

export interface Arrow {
  readonly row: number
  readonly from: string
  readonly to: string
  readonly label: string
  readonly kind: "message" | "command" | "timer" | "call" | "result" | "failure" | "event" | "refused"
}

export interface Sequence {
  /** In order of first participation, the outside first. */
  readonly lanes: readonly string[]
  readonly arrows: readonly Arrow[]
}

const OUTSIDE = "outside"

export interface Stretch {
  readonly from: number
  /** Past the last row. */
  readonly to: number
  readonly lanesBy: "kind" | "actor"
}

/** Cost: the rows of the range; publications and calls are found by their steps. */
export function sequenceOf(index: RunIndex, { from, to, lanesBy }: Stretch): Sequence {
  const laneOf = (actor: number): string => {
    const address = index.actors[actor]?.address
    if (address === undefined) return OUTSIDE
    return lanesBy === "actor" ? address : partOf(address)
  }
  const arrows: Arrow[] = []
  const last = Math.min(to, rowCount(index))
  for (let row = Math.max(0, from); row < last; row += 1) {
    arrows.push(...refusalIn(index, row, laneOf))
    for (let step = at(index.firstStep, row); step < at(index.firstStep, row + 1); step += 1)
      arrows.push(takenIn(index, { row, step, laneOf }))
    arrows.push(...publicationsIn(index, row, laneOf))
  }
  const lanes = new Set(arrows.flatMap((arrow) => [arrow.from, arrow.to]))
  lanes.delete(OUTSIDE)
  return { lanes: [OUTSIDE, ...lanes], arrows }
}

type LaneOf = (actor: number) => string

function refusalIn(index: RunIndex, row: number, laneOf: LaneOf): readonly Arrow[] {
  const code = at(index.refused, row)
  if (code === NONE) return []
  const label = `${nameIn(index, at(index.event, row), at(index.to, row))}: ${index.words[code] ?? ""}`
  return [{ row, from: OUTSIDE, to: laneOf(at(index.to, row)), label, kind: "refused" }]
}

function takenIn(
  index: RunIndex,
  { row, step, laneOf }: { readonly row: number; readonly step: number; readonly laneOf: LaneOf },
): Arrow {
  const actor = at(index.stepActor, step)
  const sender = at(index.stepFrom, step)
  const lane = laneOf(actor)
  const label = nameIn(index, at(index.stepEvent, step), actor)
  if (sender !== NONE) return { row, from: laneOf(sender), to: lane, label, kind: "message" }
  const way = WAYS[at(index.by, row)]
  if (way === "timer") return { row, from: lane, to: lane, label, kind: "timer" }
  if (way !== "result") return { row, from: OUTSIDE, to: lane, label, kind: "command" }
  return {
    row,
    from: OUTSIDE,
    to: lane,
    label: answerLabel(index, row) ?? label,
    kind: resultKind(index, row),
  }
}

/** `open link: 500`, for the result of a call. */
function answerLabel(index: RunIndex, row: number): string | null {
  const call = index.calls[at(index.answered, row)]
  return call === undefined ? null : `${call.call.replaceAll("_", " ")}: ${answerWords(call.answer)}`
}

function resultKind(index: RunIndex, row: number): "failure" | "result" {
  return hasFailed(index, row) ? "failure" : "result"
}

function nameIn(index: RunIndex, word: number, actor: number): string {
  return eventName(index.words[word] ?? "", index.actors[actor]?.machine ?? null)
}

/** Published events and requested calls. Both lists are in row order. */
function publicationsIn(index: RunIndex, row: number, laneOf: LaneOf): readonly Arrow[] {
  const events = between(index.published, row, ([its]) => its).map(([, step, word]): Arrow => {
    const from = laneOf(at(index.stepActor, step))
    return { row, from, to: OUTSIDE, label: index.words[word] ?? "", kind: "event" }
  })
  const calls = between(index.calls, row, (call) => call.from).map(({ actor, call, attempt }): Arrow => {
    return {
      row,
      from: laneOf(actor),
      to: OUTSIDE,
      label: `${call.replaceAll("_", " ")}, attempt ${attempt}`,
      kind: "call",
    }
  })
  return [...events, ...calls]
}

function between<Item>(items: readonly Item[], row: number, rowOf: (item: Item) => number): readonly Item[] {
  let low = 0
  let high = items.length
  while (low < high) {
    const middle = (low + high) >>> 1
    const item = items[middle]
    if (item !== undefined && rowOf(item) < row) low = middle + 1
    else high = middle
  }
  const found: Item[] = []
  for (let item = items[low]; item !== undefined && rowOf(item) === row; item = items[low]) {
    found.push(item)
    low += 1
  }
  return found
}
