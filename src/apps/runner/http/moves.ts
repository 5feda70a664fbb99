/** The command of each move of a phone, with what its body says. */

import { Effect } from "effect"
import { Reservations } from "../../../areas/reservations/reservations.ts"
import { RunnerTasks } from "../../../areas/reservations/runner-tasks.ts"
import { decodeBody, decodeOptionalBody } from "../../../http/endpoint.ts"
import type { SentBody } from "../../../http/endpoint.ts"
import type { Operator } from "../../../model/caller.ts"
import type { Refused } from "../../../model/values/errors.ts"
import { FlagRequest, HoldRequest } from "../../../model/requests/operations-requests.ts"
import { CancelRequest, MeasureRequest } from "../../../model/requests/requests.ts"
import { RUNNER_MOVES } from "../../../model/requests/runner-moves.ts"
import type { RunnerMove } from "../../../model/requests/runner-moves.ts"

export interface SentMove {
  readonly caller: Operator
  readonly reservationId: string
  /** Of the pairing, never of the body. */
  readonly runnerId: string
  readonly body: SentBody | null
}

type Command = (sent: SentMove) => Effect.Effect<unknown, Refused, Reservations | RunnerTasks>

export const COMMANDS: Readonly<Record<RunnerMove, Command>> = {
  runner: ({ caller, reservationId, runnerId }) =>
    Effect.flatMap(RunnerTasks, (tasks) => tasks.assign(caller, reservationId, runnerId)),
  "at-store": plain("atStore"),
  "order-in-hand": plain("orderInHand"),
  "at-unit": plain("atUnit"),
  ready: plain("ready"),
  "open-link": plain("retryOpenLink"),
  "give-up": plain("giveUp"),
  load: ({ caller, reservationId, body }) =>
    Effect.flatMap(RunnerTasks, (tasks) => {
      const photo = body === null || body.isJson || body.bytes.length === 0 ? null : body.bytes
      return tasks.load(caller, reservationId, photo)
    }),
  hold: ({ caller, reservationId, body }) =>
    Effect.gen(function* () {
      const { ready_estimate = null } = yield* decodeOptionalBody(HoldRequest, body)
      return yield* (yield* RunnerTasks).hold(caller, reservationId, ready_estimate)
    }),
  payload: ({ caller, reservationId, body }) =>
    Effect.gen(function* () {
      const measure = yield* decodeBody(MeasureRequest, body)
      return yield* (yield* RunnerTasks).measurePayload(caller, reservationId, measure)
    }),
  exceptions: ({ caller, reservationId, body }) =>
    Effect.gen(function* () {
      const { reason_code, message } = yield* decodeBody(FlagRequest, body)
      return yield* (yield* RunnerTasks).raise(caller, reservationId, reason_code, message)
    }),
  cancel: ({ caller, reservationId, body }) =>
    Effect.gen(function* () {
      const { reason } = yield* decodeOptionalBody(CancelRequest, body)
      return yield* (yield* Reservations).cancel(caller, reservationId, reason)
    }),
}

export function moveNamed(name: string): RunnerMove | null {
  return RUNNER_MOVES.find((move) => move === name) ?? null
}

type PlainMove = "atStore" | "atUnit" | "giveUp" | "orderInHand" | "ready" | "retryOpenLink"

/** A move without a body. */
function plain(name: PlainMove): Command {
  return ({ caller, reservationId }) =>
    Effect.flatMap(RunnerTasks, (tasks) => tasks[name](caller, reservationId))
}
