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

export function messagesAt(shown: FileRun, index: RunIndex, row: number): readonly RunMessage[] {
  const answered = index.calls[at(index.answered, row)]
  const calls = index.calls.filter((call) => call.from === row || call === answered)
  const requests = calls.flatMap((call) => requestOf(shown.messages, index, call) ?? [])
  const isDelivery = (index.groups[at(index.group, row)] ?? "").startsWith("webhook")
  const t = at(index.t, row)
  // Texts and mails are no calls of a machine: their command writes them, at its own instant.
  const texts = shown.messages.filter(({ request, t: sent }) => request === null && sent === t)
  return isDelivery ? requests : [...requests, ...texts]
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
