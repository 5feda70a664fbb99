/**
 * Sending: takes due messages from the outbox and passes them to the channel's sender, at least once. Any number of
 * nodes may do so over one database; messages of a stopped node are due again after their lease.
 */

import { Clock, Effect, Fiber, Layer } from "effect"
import type { Scope } from "effect"
import {
  MESSAGES_PER_LOOK_MAX,
  MESSAGE_ATTEMPTS_MAX,
  MESSAGE_BACKOFF_MS,
  MESSAGE_LEASE_MS,
  MESSAGE_LOOK_MS,
} from "../../model/values/limits.ts"
import { MESSAGE_AGE_MS_MAX } from "../../model/message.ts"
import type { Channel } from "../../model/message.ts"
import { ActorHost } from "../../engine/services/host.ts"
import { repeatedFailures } from "../../engine/services/repeated-failures.ts"
import { MessageRows } from "./rows.ts"
import type { Ending, Message } from "./rows.ts"
import { Senders } from "./senders.ts"
import type { SendResult, Sender } from "./senders.ts"

type Needs = ActorHost | MessageRows | Senders

/** Takes and sends due messages once; returns how many were taken. */
export const sendWhatIsDue: Effect.Effect<number, never, Needs> = Effect.gen(function* () {
  const senders = yield* Senders
  const counts = yield* Effect.forEach(["mail", "sms"] as const, (channel) => {
    const sender = senders[channel]
    return sender === null ? Effect.succeed(0) : sendChannel(channel, sender)
  })
  return counts.reduce((sum, count) => sum + count, 0)
})

/** Runs until its scope closes. A database outage is logged, and the next round tries again. */
export const layerSending: Layer.Layer<never, never, Needs> = Layer.scopedDiscard(
  Effect.suspend(() =>
    Effect.acquireRelease(Effect.forkDaemon(Effect.interruptible(sending)), Fiber.interrupt),
  ),
) satisfies Layer.Layer<never, never, Exclude<Needs, Scope.Scope>>

const sending: Effect.Effect<never, never, Needs> = Effect.suspend(() => {
  const inRounds = repeatedFailures("sending messages")
  return Effect.forever(
    Effect.flatMap(inRounds(sendWhatIsDue, 0), (count) =>
      count === 0 ? Effect.sleep(MESSAGE_LOOK_MS) : Effect.void,
    ),
  )
})

const sendChannel = Effect.fnUntraced(function* (channel: Channel, send: Sender) {
  const host = yield* ActorHost
  const rows = yield* MessageRows
  const nowMs = yield* Clock.currentTimeMillis
  const taken = yield* host.run({
    name: "take messages to send",
    locks: {},
    body: () => rows.take({ channel, nowMs, leaseMs: MESSAGE_LEASE_MS, limit: MESSAGES_PER_LOOK_MAX }),
  })
  yield* Effect.forEach(taken, (message) => sendOne(message, send), {
    concurrency: MESSAGES_PER_LOOK_MAX,
    discard: true,
  })
  return taken.length
})

const sendOne = Effect.fnUntraced(function* (message: Message, send: Sender) {
  const ageMs = (yield* Clock.currentTimeMillis) - message.createdAtMs
  const isOld = ageMs >= MESSAGE_AGE_MS_MAX[message.purpose]
  // A sender's error may contain an address, so only the fact that it failed is kept.
  const broken = (): Effect.Effect<SendResult> =>
    Effect.succeed({ type: "unavailable", reason: "sender_broke" })
  const result = isOld ? OUT_OF_DATE : yield* Effect.catchAllDefect(send(message), broken)
  const host = yield* ActorHost
  const rows = yield* MessageRows
  const { messageId, attempts: attempt } = message
  const atMs = yield* Clock.currentTimeMillis
  const pauseMs = MESSAGE_BACKOFF_MS[attempt - 1]
  if (result.type === "unavailable" && attempt < MESSAGE_ATTEMPTS_MAX && pauseMs !== undefined) {
    const dueAtMs = atMs + pauseMs
    return yield* host.run({
      name: "postpone a message",
      locks: {},
      body: () => rows.postpone({ messageId, attempt, dueAtMs, reason: result.reason }),
    })
  }
  yield* host.run({
    name: "end a message",
    locks: {},
    body: () => rows.end({ messageId, attempt, atMs, ...endOf(result) }),
  })
  if (result.type === "refused" || result.type === "unavailable") {
    yield* Effect.logWarning(`a message could not be sent: ${result.reason}`).pipe(
      Effect.annotateLogs({ message: messageId, channel: message.channel, purpose: message.purpose }),
    )
  }
})

/** The message waited while there was no sender: its code or link has expired. */
const OUT_OF_DATE = { type: "expired" } as const

function endOf(result: SendResult | typeof OUT_OF_DATE): Pick<Ending, "status" | "reason"> {
  switch (result.type) {
    case "expired":
      return { status: "expired", reason: null }
    case "sent":
      return { status: "sent", reason: null }
    case "suppressed":
      return { status: "suppressed", reason: result.reason }
    case "refused":
    case "unavailable":
      return { status: "failed", reason: result.reason }
  }
}
