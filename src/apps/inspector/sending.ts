/**
 * Sends an event to an actor by hand, only in the sandbox. It is a command's turn like any other: it may be refused,
 * and has all its consequences. Every attempt leaves an audit entry, whatever its result.
 */

import { Cause, Effect } from "effect"
import { groupOf } from "../../model/address.ts"
import type { Address } from "../../model/address.ts"
import { Refused } from "../../model/values/errors.ts"
import { inputsOf } from "../../model/event-fields.ts"
import type { JsonObject } from "../../model/values/json.ts"
import { decodeRequest } from "../../model/values/schema.ts"
import { ActorHost, Transaction } from "../../engine/services/host.ts"
import { Routine } from "../../engine/services/routine.ts"
import { service } from "../../engine/services/service.ts"
import { OperatorAudit } from "./audit.ts"
import type { AuditEntry } from "./audit.ts"
import type { SignedIn } from "../operators/operator-sessions.ts"
import { InspectedGroups } from "./rows.ts"
import { reasonAgainst, sendableTo } from "./sendable.ts"

export interface EventToSend {
  readonly to: Address
  readonly type: string
  /** As they were typed. */
  readonly fields: Readonly<Record<string, unknown>>
}

export type SentEvent = Pick<AuditEntry, "code" | "outcome" | "revision">

export class EventSending extends service<EventSending>()("EventSending", () => ({
  send,
})) {}

const send = Effect.fnUntraced(function* (operator: SignedIn, wanted: EventToSend) {
  const { environment, operatorId: operatorTokenId } = operator
  if (environment !== "sandbox")
    return yield* new Refused({ code: "PERMISSION_DENIED", detail: "events are sent in the sandbox alone" })
  const event = yield* checkedEvent(operator, wanted)
  const host = yield* ActorHost
  const audit = yield* OperatorAudit
  const nonce = yield* host.nonce
  const { to, type } = wanted
  const group = groupOf(to)
  const entry = { environment, operatorTokenId, actor: to, eventType: type }
  const sending = host.run({
    name: "send an event",
    locks: { groups: [group] },
    body: Routine.fn(function* () {
      const { nowMs: atMs, turn, group: groupNow } = yield* Transaction
      const answer = yield* turn({ to, event, nonce })
      const revision = (yield* groupNow(group))?.revision ?? null
      const code = answer.type === "refused" ? answer.code : null
      const sent: SentEvent = { outcome: code === null ? "taken" : "refused", code, revision }
      yield* audit.insert({ ...entry, ...sent, atMs })
      return sent
    }),
  })
  return yield* Effect.catchAllDefect(sending, (defect) =>
    // The sender only learns that it failed; the turn has no effect, but the attempt is in the audit.
    Effect.gen(function* () {
      yield* Effect.logError(`sending ${type} by hand ended in a fault`, Cause.die(defect))
      const sent: SentEvent = { outcome: "failed", code: null, revision: null }
      const atMs = yield* Routine.nowMs
      yield* host.run({
        name: "record a sent event",
        locks: {},
        body: () => Routine.map(audit.insert({ ...entry, ...sent, atMs }), () => sent),
      })
      return sent
    }),
  )
})

/** The event in the machine's form, if it may be sent there. */
const checkedEvent = Routine.fn(function* ({ environment }: SignedIn, { to, type, fields }: EventToSend) {
  const rows = yield* InspectedGroups
  const group = yield* rows.group(environment, groupOf(to))
  const machine = group?.actors.find(({ address }) => address === to)?.machine
  if (machine === undefined) return yield* new Refused({ code: "NOT_FOUND" })
  const sendable = sendableTo(machine)
  const known = Object.hasOwn(sendable, type) ? sendable[type] : undefined
  if (known === undefined) {
    const why = reasonAgainst(machine, type) ?? `is no event of ${machine}`
    return yield* new Refused({ code: "VALIDATION_ERROR", problems: [{ field: "type", message: why }] })
  }
  const names = inputsOf(known).map(({ name }) => name)
  const extra = Object.keys(fields).find((name) => !names.includes(name))
  if (extra !== undefined) {
    const problem = { field: extra, message: `is no field of ${type}` }
    return yield* new Refused({ code: "VALIDATION_ERROR", problems: [problem] })
  }
  const decoded: JsonObject = yield* decodeRequest(known, fields)
  return { ...decoded, type }
})
