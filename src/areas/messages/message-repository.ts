/** Message rows over their declared tables. */

import { Effect, Layer } from "effect"
import {
  above,
  among,
  atLeast,
  atMost,
  below,
  descending,
  either,
  ifGiven,
  oneOf,
} from "../../engine/services/tables/conditions.ts"
import { purgeOf } from "../../engine/services/tables/purge.ts"
import { SealedTables } from "../../engine/services/tables/tables.ts"
import type { TableAccessOf } from "../../engine/services/tables/tables.ts"
import { Routine } from "../../engine/services/routine.ts"
import { MessageRows, inboundMessages, messages } from "./rows.ts"
import type { Attempt, Message, MessageQuery } from "./rows.ts"

export const layerMessageRows: Layer.Layer<MessageRows, never, SealedTables> = Layer.effect(
  MessageRows,
  Effect.map(SealedTables, (tables): MessageRows["Type"] => {
    const rows = tables.of(messages)
    const inbound = tables.of(inboundMessages)
    const latest = ({ messageId, attempt }: Attempt) =>
      ({ messageId, attempts: attempt, status: "pending" }) as const
    return {
      insert: rows.insert,
      take: (request) => take(rows, request),
      end: ({ status, reason, atMs, ...attempt }) =>
        rows.update(latest(attempt), {
          status,
          reason,
          endedAtMs: atMs,
          ...(status === "suppressed" ? {} : { text: "" }),
        }),
      postpone: ({ dueAtMs, reason, ...attempt }) => rows.update(latest(attempt), { dueAtMs, reason }),
      message: (messageId) => rows.get({ messageId }),
      newest: (query) => newest(rows, query),
      hasten: (messageId, dueAtMs) =>
        rows.update({ messageId, status: "pending", dueAtMs: above(dueAtMs) }, { dueAtMs }),
      about: (subjectId) => rows.list({ subjectId }, { order: ["number"] }),
      expire: (order, expiring) => expire(rows, order, expiring),
      purge: purgeOf(messages, rows),
      purgeInbound: purgeOf(inboundMessages, inbound),
      noteInbound: (inboundId, atMs) => inbound.insertIfAbsent({ inboundId, receivedAtMs: atMs }),
    }
  }),
)

type Rows = TableAccessOf<typeof messages>

/** Conditions are joined by "and" alone, so each choice of environment and search is one of several. */
function newest(
  rows: Rows,
  { channel, among: environments, statuses, text, fromMs, untilMs, beforeNumber, limit }: MessageQuery,
): Routine<readonly Message[]> {
  const all = {
    channel,
    status: statuses === undefined ? undefined : among(...statuses),
    createdAtMs: [ifGiven(fromMs ?? null, atLeast), ifGiven(untilMs ?? null, below)],
    number: ifGiven(beforeNumber ?? null, below),
  }
  const searches = text === undefined ? [{}] : [{ to: text }, { messageId: text }, { subjectId: text }]
  const scopes = environments === undefined ? [{}] : environments.map((environment) => ({ environment }))
  const ways = scopes.flatMap((scope) => searches.map((search) => ({ ...all, ...scope, ...search })))
  return rows.list(either(...ways), { order: [descending("number")], limit })
}

const take = Routine.fn(function* (
  rows: Rows,
  { channel, nowMs, leaseMs, limit }: Parameters<MessageRows["Type"]["take"]>[0],
) {
  const due = yield* rows.list(
    { channel, status: "pending", dueAtMs: atMost(nowMs) },
    { order: ["dueAtMs", "number"], limit, lock: "skip locked" },
  )
  if (due.length === 0) return []
  const messageIds = due.map(({ messageId }) => messageId)
  yield* rows.update({ messageId: oneOf(...messageIds) }, { attempts: { plus: 1 }, dueAtMs: nowMs + leaseMs })
  return yield* rows.list({ messageId: oneOf(...messageIds) }, { order: ["number"] })
})

const expire = Routine.fn(function* (
  rows: Rows,
  { beforeMs, limit }: Parameters<MessageRows["Type"]["expire"]>[0],
  { purpose, atMs }: Parameters<MessageRows["Type"]["expire"]>[1],
) {
  const isOld = { status: "pending", purpose, createdAtMs: atMost(beforeMs) } as const
  const old = yield* rows.list(isOld, { order: ["createdAtMs"], limit, lock: "skip locked" })
  if (old.length === 0) return 0
  const messageId = oneOf(...old.map((message: Message) => message.messageId))
  yield* rows.update({ messageId }, { status: "expired", endedAtMs: atMs, text: "" })
  return old.length
})
