/** Message rows in memory. */

import { Effect, Layer } from "effect"
import { MessageRows } from "../services/messages/rows.ts"
import type { Attempt, Message } from "../services/messages/rows.ts"
import type { MemoryStore, MemoryTable } from "./memory-store.ts"

export function layerMemoryMessageRows(store: MemoryStore): Layer.Layer<MessageRows> {
  const messages = store.table<Message>("messages")
  const inbound = store.table<number>("inbound-messages")
  const change = ({ messageId, attempt }: Attempt, more: Partial<Message>): void => {
    const message = messages.get(messageId)
    if (message === null || message.attempts !== attempt || message.status !== "pending") return
    messages.put(messageId, { ...message, ...more })
  }
  return Layer.succeed(MessageRows, {
    insert: (message) => Effect.sync(() => messages.put(message.messageId, message)),
    take: ({ channel, nowMs, leaseMs, limit }) =>
      Effect.sync(() => {
        const due = messages
          .all()
          .filter((one) => one.channel === channel && one.status === "pending" && one.dueAtMs <= nowMs)
          .toSorted((a, b) => a.dueAtMs - b.dueAtMs)
          .slice(0, limit)
          .map((one) => ({ ...one, attempts: one.attempts + 1, dueAtMs: nowMs + leaseMs }))
        for (const one of due) messages.put(one.messageId, one)
        const taken = new Set(due.map((one) => one.messageId))
        return messages.all().filter((one) => taken.has(one.messageId))
      }),
    end: ({ status, reason, atMs, ...attempt }) =>
      Effect.sync(() =>
        change(attempt, {
          status,
          reason,
          endedAtMs: atMs,
          ...(status === "suppressed" ? {} : { text: "" }),
        }),
      ),
    postpone: ({ dueAtMs, reason, ...attempt }) => Effect.sync(() => change(attempt, { dueAtMs, reason })),
    message: (id) => Effect.sync(() => messages.get(id)),
    newest: ({ channel, among, limit }) =>
      Effect.sync(() =>
        messages
          .all()
          .filter((one) => one.channel === channel && (among?.includes(one.environment) ?? true))
          .toReversed()
          .slice(0, limit),
      ),
    ...housekeepingOver(messages, inbound),
    noteInbound: (inboundId, atMs) =>
      Effect.sync(() => {
        if (inbound.get(inboundId) !== null) return false
        inbound.put(inboundId, atMs)
        return true
      }),
  })
}

function housekeepingOver(
  messages: MemoryTable<Message>,
  inbound: MemoryTable<number>,
): Pick<MessageRows["Type"], "expire" | "purge" | "purgeInbound"> {
  return {
    expire: ({ beforeMs, limit }, { purpose, atMs }) =>
      Effect.sync(() => {
        const old = messages
          .all()
          .filter((one) => one.status === "pending" && one.purpose === purpose && one.createdAtMs <= beforeMs)
          .slice(0, limit)
        for (const one of old)
          messages.put(one.messageId, { ...one, status: "expired", endedAtMs: atMs, text: "" })
        return old.length
      }),
    purge: ({ beforeMs, limit }) =>
      Effect.sync(() => {
        const old = messages
          .all()
          .filter((one) => one.status !== "pending" && one.createdAtMs <= beforeMs)
          .slice(0, limit)
        for (const one of old) messages.delete(one.messageId)
        return old.length
      }),
    purgeInbound: ({ beforeMs, limit }) =>
      Effect.sync(() => {
        const old = [...inbound.keys()].filter((id) => (inbound.get(id) ?? 0) <= beforeMs).slice(0, limit)
        for (const id of old) inbound.delete(id)
        return old.length
      }),
  }
}
