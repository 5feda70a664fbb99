/** What happened to the runner's tasks between two reads, in words. */

import type { BotStatus } from "../../../model/bot.ts"
import type { PhoneCall, PhoneTask } from "../../../model/requests/runner-app.ts"
import type { WaitingMove } from "./store.ts"
import { botName, callWords } from "./words.ts"

export interface News {
  readonly id: string
  /** Null: it is about no task. */
  readonly reservation_id: string | null
  readonly text: string
  readonly tone: "bad" | "ok"
  readonly rings: boolean
}

const HERE: readonly (BotStatus | undefined)[] = ["ARRIVED", "READY_FOR_HANDOFF"]
const GONE: readonly (BotStatus | undefined)[] = ["DEPARTED", "ABORTED"]

/** Of the runner's own tasks alone. */
export function newsOf(before: readonly PhoneTask[], after: readonly PhoneTask[]): readonly News[] {
  return after.flatMap((task) => {
    const known = before.find(({ reservation_id }) => reservation_id === task.reservation_id)
    if (known === undefined || task.holder !== "you") return []
    const text = textOf(known, task)
    return text === null
      ? []
      : [{ ...text, id: `${task.reservation_id} ${Date.now()}`, reservation_id: task.reservation_id }]
  })
}

/** What became of calls that rang here. */
export function newsOfCalls(
  before: readonly PhoneCall[],
  after: readonly PhoneCall[],
  runnerId: string,
): readonly News[] {
  return before.flatMap((known): readonly News[] => {
    const call = after.find(({ call_id }) => call_id === known.call_id)
    if (known.state !== "ringing" || call === undefined || call.state === "ringing") return []
    const { call_id: id, reservation_id } = call
    const same = { id, reservation_id, rings: false }
    if (call.state !== "answered")
      return [{ ...same, text: `${callWords(call)}: the call is over.`, tone: "bad" }]
    const who = call.runner_id === runnerId ? "You come." : `${call.runner_name ?? "Another runner"} comes.`
    return [{ ...same, text: `${callWords(call)}: ${who}`, tone: "ok" }]
  })
}

/** The answer to a measurement: whether the order fits. A move that only moves the task on needs no words. */
export function newsOfMove({ move, key, stall }: WaitingMove, task: PhoneTask): News | null {
  if (move !== "payload") return null
  const isRejected = task.handoff?.status === "FAILED"
  const back = isRejected ? ` Take the order back to ${task.retailer_name ?? "the store"}.` : ""
  return {
    id: key,
    reservation_id: task.reservation_id,
    text: isRejected ? `${stall}: the order does not fit.${back}` : `${stall}: the order fits. Go on.`,
    tone: isRejected ? "bad" : "ok",
    rings: false,
  }
}

function textOf(known: PhoneTask, task: PhoneTask): Omit<News, "id" | "reservation_id"> | null {
  const stall = task.stall_label || "its stall"
  const now = task.bot?.status
  const isLoaded = task.handoff?.status === "LOADED"
  const back =
    task.is_order_returning === true ? ` Take the order back to ${task.retailer_name ?? "the store"}.` : ""
  if (GONE.includes(now) && !GONE.includes(known.bot?.status) && !isLoaded) {
    return { text: `${botName(task)} left stall ${stall}.${back}`, tone: "bad", rings: true }
  }
  if (task.status === "canceled" && known.status !== "canceled") {
    return { text: `${stall}: the reservation was canceled.${back}`, tone: "bad", rings: true }
  }
  if (HERE.includes(now) && !HERE.includes(known.bot?.status)) {
    return { text: `${botName(task)} is at stall ${stall}.`, tone: "ok", rings: true }
  }
  if (now === "READY_FOR_HANDOFF" && known.bot?.status === "ARRIVED") {
    return { text: `${botName(task)} at ${stall} may be loaded.`, tone: "ok", rings: true }
  }
  return null
}
