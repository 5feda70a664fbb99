/** One row as a line of words, for the log, its filter, and the chain of causes. */

import { partOf } from "../model/address.ts"
import { durationText } from "./durations.ts"
import { eventName } from "./event-name.ts"
import { NONE, WAYS, at } from "./run-index.ts"
import type { IndexedMark, RunIndex } from "./run-index.ts"
import { statesText } from "./state-value.ts"

/** `bot.report → bot underway.arrived, reservation open.arrived`, or the mark's own text. */
export function rowText(index: RunIndex, row: number, mark: IndexedMark | undefined): string {
  if (mark !== undefined) return `${mark.level}: ${mark.text}`
  const to = index.actors[at(index.to, row)]
  const event = eventName(index.words[at(index.event, row)] ?? "", to?.machine ?? null)
  const refused = at(index.refused, row)
  const head = `${WAYS[at(index.by, row)] ?? ""} ${event}${resultText(index, row)}`
  if (refused !== NONE) return `${head}: refused ${index.words[refused] ?? ""}`
  const states: string[] = []
  for (let step = at(index.firstStep, row); step < at(index.firstStep, row + 1); step += 1) {
    const { address } = index.actors[at(index.stepActor, step)] ?? { address: "" }
    const state = statesText(index.values[at(index.stepValue, step)] ?? "null")
    states.push(`${partOf(address)} ${state}`)
  }
  return `${head} → ${[...new Set(states)].join(", ")}`
}

/** ` status_503 after 50ms (webhook, attempt 2)`; empty for a row that is not a result. */
function resultText(index: RunIndex, row: number): string {
  const call = index.calls[at(index.answered, row)]
  if (call === undefined) return ""
  const answer = call.answer === null ? "" : ` ${call.answer}`
  const took = durationText(at(index.t, row) - at(index.t, call.from))
  return `${answer} after ${took} (${call.call}, attempt ${call.attempt})`
}

/** `runner-task …jqSE`: the part's name and the end of its group's id, for narrow columns. */
export function actorLabel(address: string): string {
  const id = address.split("/")[1] ?? ""
  return `${partOf(address)} ${id.length > 6 ? `…${id.slice(-4)}` : id}`
}

/** Shortens long ids in the middle: `reservation/res_h68…OBrs/bot`. */
export function shortAddress(address: string): string {
  return address
    .split("/")
    .map((part) => (part.length > 16 ? `${part.slice(0, 8)}…${part.slice(-4)}` : part))
    .join("/")
}
