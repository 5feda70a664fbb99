/** One row as a line of words, for the log, its filter, and the chain of causes. */

import { partOf } from "../../model/address.ts"
import { answerWords } from "./attempts.ts"
import { durationText } from "./durations.ts"
import { eventName } from "./event-name.ts"
import { labelOfGroup } from "./group-names.ts"
import { NONE, WAYS, at, eventSentBy } from "./run-index.ts"
import type { IndexedMark, RunIndex } from "./run-index.ts"
import { markedPlace } from "./source-places.ts"
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

/** The line first, because a narrow log cuts the end: `line 20 of late.yaml`. */
function stepPlace({ src }: IndexedMark): readonly string[] {
  const place = markedPlace(src)
  if (place === null) return src === null ? [] : [src]
  return [`line ${place.line} of ${place.file.split("/").at(-1)}`]
}

/** A row in two lines: what happened, and to whom with which effect. */
export interface RowLines {
  readonly title: string
  readonly detail: string
}

/** `open link: 500` and `open-link-1 → trying.waiting · attempt 2 · 50ms`; `visit · …` where the record has several reservations. */
export function rowLines(index: RunIndex, row: number, mark: IndexedMark | undefined): RowLines {
  if (mark !== undefined)
    return { title: mark.text, detail: [mark.level, ...stepPlace(mark)].filter(Boolean).join(" · ") }
  const to = index.actors[at(index.to, row)]
  const refused = at(index.refused, row)
  const title = titleOf(index, row)
  const actor = partOf(to?.address ?? "")
  const label = labelOfGroup(index, at(index.group, row))
  const of = label === null ? [] : [label]
  if (refused !== NONE) {
    const code = index.words[refused] ?? ""
    return { title: `${title} is refused`, detail: [...of, actor, code].join(" · ") }
  }
  const call = index.calls[at(index.answered, row)]
  const took =
    call === undefined
      ? []
      : [`attempt ${call.attempt}`, durationText(at(index.t, row) - at(index.t, call.from))]
  const sent = eventSentBy(index, at(index.group, row))
  const about = sent === null || title.startsWith(sent) ? [] : [sent]
  return { title, detail: [...of, ...about, ...statesAfter(index, row), ...took].join(" · ") }
}

/**
 * `open link: 500`, `pause before the next attempt is over`, `bot.report`, `reservation begins`; for a webhook the type of its
 * event: `reservation.exception is sent`, `reservation.exception: 200`.
 */
function titleOf(index: RunIndex, row: number): string {
  const to = index.actors[at(index.to, row)]
  const type = index.words[at(index.event, row)] ?? ""
  const call = index.calls[at(index.answered, row)]
  const sent = eventSentBy(index, at(index.group, row))
  if (call !== undefined) return `${sent ?? call.call.replaceAll("_", " ")}: ${answerWords(call.answer)}`
  if (type === "@start")
    return sent === null ? `${partOf(to?.address ?? "").replaceAll("-", " ")} begins` : `${sent} is sent`
  const name = eventName(type, to?.machine ?? null)
  return name.startsWith("after ") ? `${name.slice("after ".length)} is over` : name
}

/** `bot → underway.arrived`: each actor that took a step, once, with its last state. */
function statesAfter(index: RunIndex, row: number): readonly string[] {
  const states = new Map<string, string>()
  for (let step = at(index.firstStep, row); step < at(index.firstStep, row + 1); step += 1) {
    const { address } = index.actors[at(index.stepActor, step)] ?? { address: "" }
    states.set(partOf(address), statesText(index.values[at(index.stepValue, step)] ?? "null"))
  }
  return [...states].map(([part, state]) => `${part} → ${state}`)
}

/** ` status_503 after 50ms (webhook, attempt 2)`; empty for a row that is not a result. */
function resultText(index: RunIndex, row: number): string {
  const call = index.calls[at(index.answered, row)]
  if (call === undefined) return ""
  const answer = call.answer === null ? "" : ` ${call.answer}`
  const took = durationText(at(index.t, row) - at(index.t, call.from))
  return `${answer} after ${took} (${call.call}, attempt ${call.attempt})`
}

/** `runner-task visit`, `runner-task …jqSE`: the part's name and the group's name or the end of its id, for narrow columns. */
export function actorLabel(address: string, name: string | null = null): string {
  if (name !== null) return `${partOf(address)} ${name}`
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
