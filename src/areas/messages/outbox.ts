/** Writes messages, inside the transaction of the command that causes them. */

import type { Environment } from "../../model/caller.ts"
import { newUuid } from "../../model/ids.ts"
import { SMS_LENGTH_MAX } from "../../model/values/limits.ts"
import type { Purpose } from "../../model/message.ts"
import { Transaction } from "../../engine/services/host.ts"
import { keptFromMs, realNowMs } from "../../engine/services/organization-clock.ts"
import { Routine } from "../../engine/services/routine.ts"
import { MessageRows } from "./rows.ts"
import type { Message } from "./rows.ts"

export interface OutgoingMail {
  readonly purpose: Purpose
  readonly organizationId: string | null
  readonly to: string
  readonly subject: string
  readonly text: string
}

export interface OutgoingSms {
  readonly purpose: Purpose
  readonly environment: Environment
  /** Null for an answer to a sender whose organization is unknown. */
  readonly organizationId: string | null
  /** E.164. */
  readonly to: string
  readonly text: string
  /** The delivery that it is about. */
  readonly subjectId?: string
}

/** `nonce` is the command's; one command writes one mail to one address. */
export const writeMail = Routine.fn(function* (mail: OutgoingMail, nonce: string) {
  const { subject, to } = mail
  // Schemas exclude such characters from addresses, and no subject contains data of a caller.
  if (hasControlCharacter(subject) || hasControlCharacter(to)) {
    return yield* Routine.die(
      new Error(`a mail's subject or address holds a control character (${mail.purpose})`),
    )
  }
  yield* write(
    { ...mail, channel: "mail", environment: null, status: "pending", reason: null, subjectId: null },
    nonce,
  )
})

/** The sandbox sends no SMS: they are recorded as suppressed. Source: direct delivery contract, sandbox. */
export const writeSms = Routine.fn(function* (sms: OutgoingSms, nonce: string) {
  const isSandbox = sms.environment === "sandbox"
  const text = [...sms.text].slice(0, SMS_LENGTH_MAX).join("")
  const status = isSandbox ? "suppressed" : "pending"
  const reason = isSandbox ? "sandbox" : null
  const subjectId = sms.subjectId ?? null
  yield* write({ ...sms, text, channel: "sms", subject: null, status, reason, subjectId }, nonce)
})

type Written = Omit<Message, "number" | "messageId" | "attempts" | "createdAtMs" | "dueAtMs" | "endedAtMs">

const write = Routine.fn(function* (written: Written, nonce: string) {
  const rows = yield* MessageRows
  // What is sent is sent in real time; a suppressed text is only a record of its organization.
  const nowMs = written.status === "pending" ? yield* realNowMs : (yield* Transaction).nowMs
  yield* rows.insert({
    ...written,
    messageId: newUuid(nonce, `${written.channel} ${written.purpose} ${written.to}`),
    attempts: 0,
    dueAtMs: nowMs,
    createdAtMs: nowMs,
    endedAtMs: written.status === "pending" ? null : nowMs,
    keptFromMs: written.status === "pending" ? null : yield* keptFromMs,
  })
})

function hasControlCharacter(text: string): boolean {
  // oxlint-disable-next-line no-control-regex -- they are what is looked for
  return /[\u0000-\u001f\u007f-\u009f\u2028\u2029]/.test(text)
}
