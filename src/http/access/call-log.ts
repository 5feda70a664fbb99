/**
 * The request log of each organization: its last calls with keys, in each environment. An edge passes each call after
 * its answer; batches write them, so no request waits for the log or fails because of it. Under pressure calls are left
 * out and counted. Source: choice G23.
 */

import { Clock, Effect, Exit, Layer } from "effect"
import type { Cause } from "effect"
import { newUuid } from "../../model/ids.ts"
import {
  CALLS_AT_ONCE_MAX,
  CALLS_BETWEEN_CUTS,
  CALLS_WAITING_MAX,
  CALLS_WRITTEN_MS,
  LOGGED_CALLS_MAX,
} from "../../model/values/limits.ts"
import type { EpochMs } from "../../model/values/time.ts"
import { sealedCursors } from "../../engine/services/cursors.ts"
import { DigestKey } from "../../engine/services/digest-key.ts"
import { ActorHost } from "../../engine/services/host.ts"
import { Routine } from "../../engine/services/routine.ts"
import { service } from "../../engine/services/service.ts"
import { CallRows } from "./call-rows.ts"
import type { CallScope, LoggedCall, NewCall } from "./call-rows.ts"

/** A call as an edge passes it. `sent` and `answered` are masked JSON. */
export type AnsweredCall = Omit<NewCall, "atMs" | "callId">

/** An answered request. `of`: whose log it belongs to; null for a caller without a key, whose requests no organization logs. */
export interface AnsweredRequest extends Omit<AnsweredCall, keyof LogOwner> {
  readonly of: LogOwner | null
}

export type LogOwner = Pick<AnsweredCall, "keyId" | "lastFour" | "organizationId">

/** The request as a line of its organization's log; null where it belongs to none. */
export function loggedCallOf({ of, ...told }: AnsweredRequest): AnsweredCall | null {
  return of === null ? null : { ...told, ...of }
}

export interface CallFilter {
  readonly method: string | null
  /** Part of the path. */
  readonly path: string | null
  /** A status such as 422, or a class such as 4. */
  readonly status: number | null
  /** The id of a key, or the last four characters of its value. */
  readonly key: string | null
  /** Part of the path, the request's id or the error code. */
  readonly text: string | null
  readonly fromMs: EpochMs | null
  readonly toMs: EpochMs | null
  /** Only calls with a higher number; 0 for all. */
  readonly behind: number
}

/** Calls of a filter without its status, by class of status. */
export type CallCounts = Readonly<Record<"2" | "3" | "4" | "5", number>>

export class CallLog extends service<CallLog>()(
  "CallLog",
  Effect.gen(function* () {
    const { key } = yield* DigestKey
    const waiting = new WaitingCalls(yield* (yield* ActorHost).nonce)
    return {
      /** Writes nothing and never fails. */
      note: (call: AnsweredCall) => Routine.map(Clock.currentTimeMillis, (nowMs) => waiting.add(call, nowMs)),
      write: write(waiting),
      last,
      list,
      /** Cursors of the numbers of its calls. */
      cursorsOf: (scope: CallScope) => sealedCursors({ key, list: "request log", owner: nameOf(scope) }),
      read,
    }
  }),
) {}

/** Writes batches while the service runs, and a last one at its end. Reports the calls that were left out. */
export function layerCallLogWriter(onLeftOut: (count: number) => void): Layer.Layer<never, never, CallLog> {
  return Layer.scopedDiscard(
    Effect.gen(function* () {
      const log = yield* CallLog
      const attempt = Routine.flatMap(log.write, (count) => {
        if (count === 0) return Routine.void
        onLeftOut(count)
        return Effect.logWarning(`${count} calls were left out of the request log`)
      })
      yield* Effect.addFinalizer(() => attempt)
      const writing = Effect.forever(Routine.zipRight(Effect.sleep(CALLS_WRITTEN_MS), attempt))
      yield* Effect.forkScoped(Effect.interruptible(writing))
    }),
  )
}

/** Calls that wait to be written, up to a bound. */
class WaitingCalls {
  readonly #nonce: string
  #calls: NewCall[] = []
  #number = 0
  #leftOut = 0
  /** Calls of each scope that were written since its log was cut. */
  readonly #uncut = new Map<string, number>()

  constructor(nonce: string) {
    this.#nonce = nonce
  }

  add(call: AnsweredCall, nowMs: EpochMs): void {
    if (this.#calls.length >= CALLS_WAITING_MAX) {
      this.#leftOut += 1
      return
    }
    this.#number += 1
    const callId = newUuid(`${this.#nonce}\n${this.#number}`, "logged call")
    this.#calls.push({ ...call, callId, atMs: nowMs - call.ms })
  }

  take(): { readonly calls: readonly NewCall[]; readonly leftOut: number } {
    const taken = { calls: this.#calls, leftOut: this.#leftOut }
    this.#calls = []
    this.#leftOut = 0
    return taken
  }

  /** Scopes of the batch whose log must be cut. A scope is cut at its first batch too. */
  toCut(batch: readonly NewCall[]): readonly CallScope[] {
    const scopes = new Map(batch.map((call) => [nameOf(call), call]))
    return [...scopes].flatMap(([name, { organizationId, environment }]) => {
      const more = batch.filter((call) => nameOf(call) === name).length
      const count = (this.#uncut.get(name) ?? CALLS_BETWEEN_CUTS) + more
      const isDue = count >= CALLS_BETWEEN_CUTS
      this.#uncut.set(name, isDue ? 0 : count)
      return isDue ? [{ organizationId, environment }] : []
    })
  }
}

function nameOf({ organizationId, environment }: CallScope): string {
  return `${environment}/${organizationId}`
}

/** Writes what waits, and never fails; returns how many calls were left out since the last time. */
const write = Effect.fnUntraced(function* (waiting: WaitingCalls) {
  const rows = yield* CallRows
  const host = yield* ActorHost
  const { calls, leftOut } = waiting.take()
  let lost = leftOut
  let failure: Cause.Cause<unknown> | null = null
  for (let at = 0; at < calls.length; at += CALLS_AT_ONCE_MAX) {
    const batch = calls.slice(at, at + CALLS_AT_ONCE_MAX)
    const scopes = waiting.toCut(batch)
    const writing = host.run({
      name: "write the request log",
      // Numbers then grow in the order of commits on all nodes, so a reader that continues after a number misses no call.
      locks: { key: "request log" },
      body: Routine.fn(function* () {
        yield* rows.append(batch)
        for (const scope of scopes) yield* rows.cut(scope, LOGGED_CALLS_MAX)
      }),
    })
    // A batch that fails is not kept: it would fail again, and the calls behind it would wait with it.
    const exit = yield* Effect.exit(writing)
    if (Exit.isFailure(exit)) {
      lost += batch.length
      failure ??= exit.cause
    }
  }
  if (failure !== null) yield* Effect.logWarning("calls were not written to the request log", failure)
  return lost
})

/** The number of the newest call; 0 without one. */
const last = Routine.fn(function* (scope: CallScope) {
  const [newest] = yield* (yield* CallRows).newest(scope, 1)
  return newest?.number ?? 0
})

/** All that the log keeps of these, newest first. Reads no call up to `behind`. */
const list = Routine.fn(function* (scope: CallScope, filter: CallFilter) {
  const rows = yield* CallRows
  const kept = yield* rows.newest(scope, LOGGED_CALLS_MAX, filter.behind)
  const fitting = kept.filter((call) => fits(call, filter))
  return {
    newest: kept[0]?.number ?? filter.behind,
    calls: fitting.filter(({ status }) => hasStatus(status, filter.status)),
    counts: {
      "2": countOf(fitting, 2),
      "3": countOf(fitting, 3),
      "4": countOf(fitting, 4),
      "5": countOf(fitting, 5),
    },
  }
})

function fits(call: LoggedCall, { method, path, key, text, fromMs, toMs }: CallFilter): boolean {
  const texts = [call.path, call.requestId, call.code ?? ""]
  return (
    (method === null || call.method === method) &&
    (path === null || call.path.includes(path) || call.route.includes(path)) &&
    (key === null || call.keyId === key || call.lastFour === key) &&
    (text === null || texts.some((one) => one.toLowerCase().includes(text.toLowerCase()))) &&
    (fromMs === null || call.atMs >= fromMs) &&
    (toMs === null || call.atMs < toMs)
  )
}

/** A number below 10 is a class of statuses. */
function hasStatus(status: number, wanted: number | null): boolean {
  return wanted === null || status === wanted || Math.floor(status / 100) === wanted
}

function countOf(calls: readonly LoggedCall[], statusClass: number): number {
  return calls.filter(({ status }) => hasStatus(status, statusClass)).length
}

/** The newest call with this request id, with its bodies; null without one. */
const read = Routine.fn(function* (scope: CallScope, requestId: string) {
  const rows = yield* CallRows
  const call = yield* rows.byRequest(scope, requestId)
  if (call === null) return null
  const { sent = null, answered = null, isCut = false } = (yield* rows.bodies(call.callId)) ?? {}
  return { ...call, sent, answered, isCut }
})
