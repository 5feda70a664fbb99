/** What a run told to the world: requests to partners and fleets, texts and mails, each with its receiver in words. */

import { messages } from "../../areas/messages/rows.ts"
import { idOf, kindOf } from "../../model/address.ts"
import type { EpochMs } from "../../model/time.ts"
import { WEBHOOK_TIMEOUT_MS } from "../../model/limits.ts"
import { memoryRowsOf } from "../memory-tables.ts"
import { isAccepted, openedBy } from "../outside-world.ts"
import type { ReceivedRequest } from "../outside-world.ts"
import type { RunContext } from "./run-context.ts"
import { showDuration } from "./shown-duration.ts"

/** One request or message. */
export interface Telling {
  readonly atMs: EpochMs
  readonly kind: "compartment" | "mail" | "open link" | "text" | "webhook"
  /** A name of the scenario where there is one. Phone numbers keep their last four digits. */
  readonly to: string
  /** The event's type, or the subject. */
  readonly what: string
  /** The answer, in words; null for messages, which have none. */
  readonly answer: string | null
  readonly isAccepted: boolean
  readonly body: string
}

/** In order of time. */
export function tellingsOf(run: RunContext): readonly Telling[] {
  const requests = run.service.world.received.map((request) => requestTelling(run, request))
  const sent = memoryRowsOf(run.service.host.store, messages)
    .all()
    .map(({ channel, to, subject, text, purpose, createdAtMs }): Telling => ({
      atMs: createdAtMs,
      kind: channel === "sms" ? "text" : "mail",
      to: masked(to),
      what: subject ?? purpose,
      answer: null,
      isAccepted: true,
      body: masked(text),
    }))
  return [...requests, ...sent].toSorted((a, b) => a.atMs - b.atMs)
}

function requestTelling(run: RunContext, request: ReceivedRequest): Telling {
  const { url, atMs, headers, body } = request
  const opened = openedBy(request)
  const [receiver] = [...run.webhooks].find(([, { urls }]) => urls.includes(url)) ?? []
  const type = headers["X-Service-Event-Type"] ?? headers["X-Service-Event"]
  return {
    atMs,
    kind: opened ?? "webhook",
    to: receiver ?? url,
    what: type ?? (opened === "compartment" ? "open the compartment" : "open"),
    answer: answerWords(request),
    isAccepted: isAccepted(request),
    body: masked(body),
  }
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

/** The name that the scenario gave to a group, or its kind and the end of its id. */
export function nameOfGroup(run: RunContext, address: string): string {
  const [kind, id] = [kindOf(address), idOf(address)]
  const reservation = [...run.reservationIds].find(([, one]) => one === id)?.[0]
  const vehicle = /^veh_(.+)$/.exec(id)?.[1]
  return reservation ?? run.deliveryName(id) ?? vehicle ?? `${kind} …${id.slice(-4)}`
}
