/** The commands, answers and results of one reservation in a journal, as steps of the scenario language. */

import type { ReplayedTurn } from "../replay.ts"
import type { EpochMs } from "../../model/values/time.ts"
import type { JsonObject } from "../../model/values/json.ts"

/** A value as a scenario file has it; instants become times of the site's clock when the file is written. */
export type WrittenValue =
  { readonly instantMs: EpochMs } | boolean | number | string | readonly WrittenValue[] | null

export interface WrittenCommand {
  readonly do: string
  readonly with: { readonly [field: string]: WrittenValue }
}

type Event = { readonly type: string } & JsonObject

type Translate = (event: Event, instantMs: EpochMs) => WrittenCommand

const plain =
  (command: string): Translate =>
  () => ({ do: command, with: {} })

const reports =
  (status: string): Translate =>
  ({ occurredAtMs, etaMs }, instantMs) => ({
    do: "bot.report",
    with: {
      status,
      ...(etaMs === undefined ? {} : { eta: instantOrNull(etaMs) }),
      ...(occurredAtMs === undefined || occurredAtMs === instantMs
        ? {}
        : { occurred_at: instantOrNull(occurredAtMs) }),
    },
  })

/** By event of a command; its actor follows from it. */
const COMMAND_BY_EVENT: { readonly [event: string]: Translate | undefined } = {
  "bot.inbound": reports("INBOUND"),
  "bot.arrived": reports("ARRIVED"),
  "bot.ready": reports("READY_FOR_HANDOFF"),
  "bot.secured": reports("SECURED"),
  "bot.departed": reports("DEPARTED"),
  "bot.aborted": reports("ABORTED"),
  "runner.assigned": plain("runner.assign"),
  "runner.at_store": plain("runner.at_store"),
  "runner.at_unit": plain("runner.at_unit"),
  "order.not_ready": ({ readyEstimateAtMs }) => ({
    do: "runner.hold",
    with: typeof readyEstimateAtMs === "number" ? { ready_at: { instantMs: readyEstimateAtMs } } : {},
  }),
  "order.ready": plain("runner.ready"),
  "order.given_up": plain("runner.give_up"),
  "order.in_hand": plain("runner.order_in_hand"),
  "payload.measured": ({ measure }) => {
    const { weightKg, dimensionsCm } = measure as { weightKg: number | null; dimensionsCm: Box | null }
    return {
      do: "runner.measure",
      with: {
        ...(weightKg === null ? {} : { weight_kg: weightKg }),
        ...(dimensionsCm === null ? {} : { dimensions_cm: sidesOf(dimensionsCm) }),
      },
    }
  },
  "load.recorded": ({ photoId }) => ({ do: "runner.load", with: { photo: photoId !== null } }),
  "open_link.retried": plain("runner.retry_open_link"),
  "exception.raised": ({ code }) => ({ do: "exception.raise", with: { code: textOf(code) } }),
  "exception.cleared": ({ code }) => ({ do: "exception.clear", with: { code: textOf(code) } }),
  "window.moved": ({ startsAtMs, endsAtMs }) => ({
    do: "reservation.move_window",
    with: { window: [{ instantMs: Number(startsAtMs) }, { instantMs: Number(endsAtMs) }] },
  }),
  "cancel.requested": ({ by }) => ({ do: CANCEL_BY[textOf(by)] ?? "reservation.cancel", with: {} }),
}

const CANCEL_BY: { readonly [by: string]: string | undefined } = {
  runner: "reservation.cancel_by_runner",
  ops: "reservation.cancel_by_operations",
}

/** A word or a number of an event. */
export function textOf(value: unknown): string {
  return typeof value === "string" || typeof value === "number"
    ? String(value)
    : JSON.stringify(value ?? null)
}

export interface Box {
  readonly length: number
  readonly width: number
  readonly height: number
}

export function sidesOf({ length, width, height }: Box): readonly number[] {
  return [length, width, height]
}

function instantOrNull(ms: unknown): WrittenValue {
  return typeof ms === "number" ? { instantMs: ms } : null
}

/** The command that sends the event; null when the language has none. A step of the sandbox walk is `sandbox.advance`. */
export function commandOf({ input }: ReplayedTurn): WrittenCommand | null {
  const { event } = input
  if (event === undefined) return null
  if (event["isWalked"] === true) return { do: "sandbox.advance", with: {} }
  return COMMAND_BY_EVENT[event.type]?.(event, input.instantMs) ?? null
}

/** True when a step of the sandbox walk is among them: the reservation was in the sandbox. */
export function isWalked(turns: readonly ReplayedTurn[]): boolean {
  return turns.some(({ input }) => input.event?.["isWalked"] === true)
}

/** One call of the open link. */
export interface LinkCall {
  readonly atMs: EpochMs
  /** As a scenario writes it; null when no result came: the call was lost. */
  readonly answer: number | "refused" | "timeout" | null
  /** The node that made it was lost, and another one made it again. */
  readonly isMadeAgain: boolean
  /** From the call to its result. */
  readonly tookMs: number
  readonly reason: string
}

/** The calls of the open link, in their order. */
export function linkCallsOf(turns: readonly ReplayedTurn[]): readonly LinkCall[] {
  const open = new Map<string, EpochMs>()
  const calls: LinkCall[] = []
  for (const { input, result } of turns) {
    const { event } = input
    const attempt = event?.["attempt"]
    const key = `${input.to} ${textOf(attempt)}`
    const atMs = open.get(key)
    if (isLoss(input.event) && atMs !== undefined) {
      open.delete(key)
      calls.push({ atMs, answer: null, isMadeAgain: true, tookMs: 0, reason: "the node was lost" })
    } else if (input.by === "result" && event !== undefined && atMs !== undefined) {
      open.delete(key)
      const reason = textOf(event.type === "call.succeeded" ? event["status"] : event["reason"])
      calls.push({
        atMs,
        answer: answerOf(reason),
        isMadeAgain: false,
        tookMs: input.instantMs - atMs,
        reason,
      })
    }
    for (const call of result.calls) open.set(`${call.actor} ${call.attempt}`, result.instantMs)
  }
  for (const atMs of open.values()) {
    calls.push({ atMs, answer: null, isMadeAgain: false, tookMs: 0, reason: "no result" })
  }
  return calls.toSorted((a, b) => a.atMs - b.atMs)
}

/** True for the result that says that the calling node was lost. */
export function isLoss(event: { readonly type: string } | undefined): boolean {
  return event?.type === "call.lost"
}

function answerOf(reason: string): LinkCall["answer"] {
  const status = /^(?:status_)?(\d{3})$/.exec(reason)?.[1]
  if (status !== undefined) return Number(status)
  return reason === "timeout" ? "timeout" : "refused"
}
