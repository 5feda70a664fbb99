/** Which requests, texts and mails belong to an entry: those that it sent, and the one whose answer it is. */

import { at } from "../../inspection/run-index.ts"
import type { CallSpan, RunIndex } from "../../inspection/run-index.ts"
import type { FileRun, RunMessage } from "./contract.ts"

/** The calls of machines by the kind of their message. */
const KINDS: Readonly<Record<string, string>> = {
  open_compartment: "compartment",
  open_link: "open link",
  webhook: "webhook",
}

/** The row that sent a message, and the row of its answer; equal for one without an answer. */
export interface SentRows {
  readonly sent: number
  readonly answered: number
}

/** By cause. A text that no entry wrote, as the answer to one of a customer, is not in it. */
export function sentRowsOf(
  { messages }: FileRun,
  index: RunIndex,
  rows: readonly number[],
): ReadonlyMap<RunMessage, SentRows> {
  const found = new Map<RunMessage, SentRows>()
  for (const [place, call] of index.calls.entries()) {
    const request = requestOf(messages, index, call)
    const answered = index.answered[call.to] === place ? call.to : call.from
    if (request !== null) found.set(request, { sent: call.from, answered })
  }
  for (const message of messages) {
    // Texts and mails are no calls of a machine.
    const row = message.entry === null ? undefined : rows[message.entry]
    if (row !== undefined) found.set(message, { sent: row, answered: row })
  }
  return found
}

function requestOf(messages: readonly RunMessage[], index: RunIndex, call: CallSpan): RunMessage | null {
  const [from, to] = [at(index.t, call.from), index.t[call.to] ?? Infinity]
  const sent = messages.filter(
    ({ request, kind, t }) => request !== null && kind === KINDS[call.call] && t >= from && t <= to,
  )
  const address = index.actors[call.actor]?.address ?? ""
  const own = sent.find(
    ({ request }) => request !== null && request.id !== "" && address.includes(request.id),
  )
  if (own !== undefined) return own
  // Without the group's id in it, requests of one instant come in the order of their calls.
  const together = index.calls.filter((other) => other.call === call.call && at(index.t, other.from) === from)
  return sent[together.indexOf(call)] ?? null
}
