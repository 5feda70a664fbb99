/** What the service sent in a run: requests to partners and fleets, texts and mails, each with its receiver. */

import { messages } from "../../areas/messages/rows.ts"
import type { Entry } from "../../engine/kernel/journal.ts"
import type { EpochMs } from "../../model/values/time.ts"
import { WEBHOOK_TIMEOUT_MS } from "../../model/values/limits.ts"
import { memoryRowsOf } from "../../engine/memory/memory-tables.ts"
import { isAccepted, openedBy } from "../outside-world.ts"
import type { ReceivedRequest } from "../outside-world.ts"
import type { RunContext } from "./run-context.ts"
import { showDuration } from "./language/shown-duration.ts"

/** A request, a text or a mail. */
export interface OutgoingMessage {
  readonly atMs: EpochMs
  readonly kind: "compartment" | "mail" | "open link" | "text" | "webhook"
  /** A name of the scenario where there is one. Phone numbers keep their last four digits. */
  readonly to: string
  /** The host and the id of a request, with the id's header; null for texts and mails. */
  readonly request: { readonly host: string; readonly header: string; readonly id: string } | null
  /** The event's type, or the subject. */
  readonly what: string
  /** The answer, in words; null for messages, which have none. */
  readonly answer: string | null
  readonly isAccepted: boolean
  readonly body: string
  /** The entry that wrote a text or a mail; null for a request, and for a message that a command without an entry wrote. */
  readonly writtenBy: Entry | null
}

/** In order of time. */
export function outgoingMessagesOf(run: RunContext): readonly OutgoingMessage[] {
  const requests = run.service.world.received.map((request) => requestMessage(run, request))
  const sent = memoryRowsOf(run.service.host.store, messages)
    .all()
    .map(({ messageId, channel, to, subject, text, purpose, createdAtMs }): OutgoingMessage => ({
      atMs: createdAtMs,
      kind: channel === "sms" ? "text" : "mail",
      to: masked(to),
      request: null,
      what: subject ?? purpose,
      answer: null,
      isAccepted: true,
      body: masked(text),
      writtenBy: run.service.writtenBy.get(messageId) ?? null,
    }))
  return [...requests, ...sent].toSorted((a, b) => a.atMs - b.atMs)
}

/** A request as what was sent to its receiver. */
export function requestMessage(run: Pick<RunContext, "webhooks">, request: ReceivedRequest): OutgoingMessage {
  const { url, atMs, headers, body } = request
  const opened = openedBy(request)
  const [receiver] = [...run.webhooks].find(([, { urls }]) => urls.includes(url)) ?? []
  const type = headers["X-Service-Event-Type"] ?? headers["X-Service-Event"]
  return {
    atMs,
    kind: opened ?? "webhook",
    to: receiver ?? url,
    request: requestOf(request),
    what: type ?? (opened === "compartment" ? "open the compartment" : "open"),
    answer: answerWords(request),
    isAccepted: isAccepted(request),
    body: masked(body),
    writtenBy: null,
  }
}

/** Calls that open something have an id for each attempt, webhooks one for each delivery. */
const ID_HEADERS = ["X-Service-Delivery-Id", "X-Service-Attempt-Id", "X-Service-Event-Id"]

function requestOf({ url, headers }: ReceivedRequest): OutgoingMessage["request"] {
  const { host } = new URL(url)
  const header = ID_HEADERS.find((name) => headers[name] !== undefined) ?? ""
  return { host, header, id: headers[header] ?? "" }
}

function answerWords({ answer, number }: ReceivedRequest): string {
  const attempt = `request ${number} to this URL`
  switch (answer.type) {
    case "refused":
      return `connection refused, ${attempt}`
    case "timeout":
      return `no answer, ${attempt}`
    case "status": {
      const late = answer.afterMs > WEBHOOK_TIMEOUT_MS ? ", too late" : ""
      return `${answer.status} after ${showDuration(answer.afterMs)}${late}, ${attempt}`
    }
  }
}

/** Phone numbers keep their last four digits. */
function masked(text: string): string {
  return text.replaceAll(/\+\d{3,11}(?=\d{4})/g, "+…")
}
