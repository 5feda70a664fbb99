/** Message rows over their declared tables. */

import { Effect, Layer } from "effect"
import { atMost, descending, either, oneOf } from "../../services/tables/conditions.ts"
import { purgeOf } from "../../services/tables/purge.ts"
import { SealedTables } from "../../services/tables/tables.ts"
import type { TableAccessOf } from "../../services/tables/tables.ts"
import { Routine } from "../../services/routine.ts"
import { MessageRows, inboundMessages, messages } from "./rows.ts"
import type { Attempt, Message } from "./rows.ts"

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
      newest: ({ channel, among, limit }) =>
        rows.list(
          among === undefined
            ? { channel }
            : either(...among.map((environment) => ({ channel, environment }))),
          { order: [descending("number")], limit },
        ),
      about: (subjectId) => rows.list({ subjectId }, { order: ["number"] }),
      expire: (order, expiring) => expire(rows, order, expiring),
      purge: purgeOf(messages, rows),
      purgeInbound: purgeOf(inboundMessages, inbound),
      noteInbound: (inboundId, atMs) => inbound.insertIfAbsent({ inboundId, receivedAtMs: atMs }),
    }
  }),
)

type Rows = TableAccessOf<typeof messages>

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
