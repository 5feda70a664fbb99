/**
 * Calls to the runners of a site: every paired phone rings until one answers (src/DECISIONS.md §271). Who answers and
 * when it rings no more is in the machine `runner-call`; what people read is a row.
 */

import type { Environment, Operator } from "../../model/caller.ts"
import { Refused } from "../../model/values/errors.ts"
import { newUuid } from "../../model/ids.ts"
import {
  RUNNER_CALLS_RINGING_MAX,
  RUNNER_CALLS_SHOWN_MAX,
  RUNNER_CALLS_SHOWN_MS,
  RUNNER_CALL_RINGS_MS,
} from "../../model/values/limits.ts"
import type { CallRunnersRequest } from "../../model/requests/operations-requests.ts"
import type { RunnerCallState } from "../../model/requests/runner-calls.ts"
import type { EpochMs } from "../../model/values/time.ts"
import type { Turn } from "../../../machines/contracts.ts"
import { ask, rootOf, start } from "../../engine/services/actors.ts"
import { ActorHost, Transaction, batch } from "../../engine/services/host.ts"
import { realNowMs } from "../../engine/services/organization-clock.ts"
import { refusedFor } from "../../engine/services/refusals.ts"
import { Routine } from "../../engine/services/routine.ts"
import { service } from "../../engine/services/service.ts"
import { MeasuredSites } from "../analytics/sites.ts"
import { ReservationRows } from "../reservations/rows.ts"
import { RunnerPhoneRows } from "./rows.ts"
import type { RunnerCallRow } from "./rows.ts"
import { requireSite, runnerNames } from "./runner-phones.ts"
import type { PairedPhone } from "./runner-phones.ts"

export interface RunnerCall extends RunnerCallRow {
  /** Of the task that it is about. */
  readonly orderNumber: string | null
  readonly stallLabel: string | null
  readonly state: RunnerCallState
  readonly answeredBy: { readonly runnerId: string; readonly runnerName: string | null } | null
  /** When it was answered, missed or withdrawn. */
  readonly endedAtMs: EpochMs | null
}

export interface NewRunnerCall extends CallRunnersRequest {
  readonly callerName: string
}

export class RunnerCalls extends service<RunnerCalls>()("RunnerCalls", () => ({
  call: make,
  list,
  /** It rings no more. A repeat changes nothing. */
  withdraw: ({ environment }: Operator, callId: string) => withdraw(environment, callId),
  /** The same calls, for a phone of the site. */
  ofPhone: ({ environment, siteId }: PairedPhone) => view(environment, siteId),
  answer,
})) {}

function callGroup(callId: string): string {
  return `runner-call/${callId}`
}

/** Rings every phone that is paired with the site; refused when there is none. */
const make = Routine.fn(function* (
  { environment }: Operator,
  siteId: string,
  { reservation_id: about = null, message = null, callerName }: NewRunnerCall,
) {
  yield* requireSite(environment, siteId)
  if (about !== null) yield* requireTask({ environment, siteId, reservationId: about })
  const host = yield* ActorHost
  const rows = yield* RunnerPhoneRows
  const nonce = yield* host.nonce
  const callId = newUuid(nonce, "call to runners")
  return yield* host.run({
    name: "call the runners of a site",
    // Two calls at once must not both be the last that may ring.
    locks: { key: `runner-calls/${environment}/${siteId}` },
    body: Routine.fn(function* () {
      const nowMs = yield* realNowMs
      const phones = yield* rows.phones({ environment, siteId, endsAfterMs: nowMs })
      if (phones.length === 0)
        return yield* new Refused({ code: "INVALID_STATE", detail: "no phone is paired with the site" })
      const known = yield* recentCalls({ environment, siteId, nowMs })
      if (known.filter(({ state }) => state === "ringing").length >= RUNNER_CALLS_RINGING_MAX)
        return yield* new Refused({
          code: "INVALID_STATE",
          detail: `${RUNNER_CALLS_RINGING_MAX} calls ring at the site already`,
        })
      const text = message?.trim() ?? ""
      const call: RunnerCallRow = {
        callId,
        environment,
        siteId,
        reservationId: about,
        message: text === "" ? null : text,
        callerName,
        calledAtMs: nowMs,
        endsAtMs: nowMs + RUNNER_CALL_RINGS_MS,
      }
      yield* rows.insertCall(call)
      const input = { siteId, reservationId: about, ringMs: RUNNER_CALL_RINGS_MS }
      yield* start("runner-call@1", {
        to: callGroup(callId),
        input,
        environment,
        // Phones have real time, also where an organization's clock was moved.
        organizationId: null,
        nonce,
      })
      return yield* recordOf(call, yield* runnerNames(call, nowMs))
    }),
  })
})

/** Calls of the last quarter of an hour, newest first. */
const list = Routine.fn(function* ({ environment }: Operator, siteId: string) {
  yield* requireSite(environment, siteId)
  return yield* view(environment, siteId)
})

const view = Routine.fn(function* (environment: Environment, siteId: string) {
  const host = yield* ActorHost
  const nowMs = yield* realNowMs
  return yield* host.view([], recentCalls({ environment, siteId, nowMs }))
})

interface Recent {
  readonly environment: Environment
  readonly siteId: string
  readonly nowMs: EpochMs
}

/** In an open transaction or view. */
export const recentCalls = Routine.fn(function* ({ environment, siteId, nowMs }: Recent) {
  const rows = yield* RunnerPhoneRows
  const afterMs = nowMs - RUNNER_CALL_RINGS_MS - RUNNER_CALLS_SHOWN_MS
  const found = yield* rows.calls({ environment, siteId, afterMs, limit: RUNNER_CALLS_SHOWN_MAX })
  if (found.length === 0) return []
  const names = yield* runnerNames({ environment, siteId }, nowMs)
  const calls = yield* batch(found.map((call) => recordOf(call, names)))
  return calls.filter(({ endedAtMs }) => endedAtMs === null || endedAtMs > nowMs - RUNNER_CALLS_SHOWN_MS)
})

const recordOf = Routine.fn(function* (call: RunnerCallRow, names: ReadonlyMap<string, string>) {
  const { group } = yield* Transaction
  const { callId, reservationId } = call
  const [found, reservation] = yield* batch([
    group(callGroup(callId)),
    reservationId === null ? Routine.succeed(null) : (yield* ReservationRows).byId(reservationId),
  ])
  if (found === null) return yield* Routine.dieMessage(`the call ${callId} has no group`)
  const { state, context } = rootOf("runner-call", found)
  const { answeredBy, endedAtMs } = context
  return {
    ...call,
    orderNumber: reservation?.orderNumber ?? null,
    stallLabel: reservation?.stallLabel ?? null,
    state,
    answeredBy:
      answeredBy === null ? null : { runnerId: answeredBy, runnerName: names.get(answeredBy) ?? null },
    endedAtMs,
  } satisfies RunnerCall
})

const withdraw = Routine.fn(function* (environment: Environment, callId: string) {
  const call = yield* requireCall(callId, (found) => found.environment === environment)
  return yield* take(call, { type: "operator.withdrew" })
})

/** The first runner who answers has it. */
const answer = Routine.fn(function* (phone: PairedPhone, callId: string) {
  const { environment, siteId, runnerId } = phone
  const call = yield* requireCall(
    callId,
    (found) => found.environment === environment && found.siteId === siteId,
  )
  return yield* take(call, { type: "runner.answered", runnerId })
})

/** One command, one transaction. A refusal is committed too, then fails with its code. */
const take = Routine.fn(function* (call: RunnerCallRow, event: Turn<"runner-call">["event"]) {
  const host = yield* ActorHost
  const to = callGroup(call.callId)
  const nowMs = yield* realNowMs
  const outcome = yield* host.run({
    name: "change a call to runners",
    locks: { groups: [to] },
    body: Routine.fn(function* () {
      const answered = yield* ask("runner-call", { to, event, nonce: yield* host.nonce })
      if (answered.type === "refused") return answered
      return { type: "done", call: yield* recordOf(call, yield* runnerNames(call, nowMs)) } as const
    }),
  })
  if (outcome.type === "done") return outcome.call
  return yield* refusedFor(outcome)
})

const requireCall = Routine.fn(function* (callId: string, isTheirs: (call: RunnerCallRow) => boolean) {
  const call = yield* (yield* RunnerPhoneRows).call(callId)
  return call !== null && isTheirs(call)
    ? call
    : yield* new Refused({ code: "NOT_FOUND", detail: "call to runners" })
})

interface About {
  readonly environment: Environment
  readonly siteId: string
  readonly reservationId: string
}

const requireTask = Routine.fn(function* ({ environment, siteId, reservationId }: About) {
  const row = yield* (yield* ReservationRows).byId(reservationId)
  const isHere =
    row !== null &&
    row.environment === environment &&
    (yield* (yield* MeasuredSites).siteOfZone(environment, row.zoneId)) === siteId
  if (!isHere) {
    const problem = { field: "reservation_id", message: "must be a reservation of the site" }
    return yield* new Refused({ code: "VALIDATION_ERROR", problems: [problem] })
  }
})
