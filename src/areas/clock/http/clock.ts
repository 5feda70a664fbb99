/** `/sandbox/v1/clock`: reads and moves the organization's clock. */

import { Effect, Schema } from "effect"
import { AdvanceClockRequest } from "../../../model/values/clock.ts"
import { decodeBody } from "../../../http/endpoint.ts"
import type { SandboxEndpoint } from "../../../http/endpoint.ts"
import { SandboxClock } from "../sandbox-clock.ts"
import { Clock, Move, clockRecord, moveRecord } from "./schemas.ts"

type ClockEndpoint = SandboxEndpoint<SandboxClock>

const OneClock = Schema.Struct({ clock: Clock })
const OneMove = Schema.Struct({ move: Move })

const EVERY = { permissions: ["sandbox:manage"], budget: "requests", parameters: [] } as const

/** A request that answers with the clock. */
function ofClock(
  act: "freeze" | "read" | "resume",
  offer: Pick<ClockEndpoint, "errors" | "method" | "operationId" | "path" | "summary">,
): ClockEndpoint {
  return {
    ...EVERY,
    ...offer,
    body: null,
    answers: { 200: OneClock },
    handle: ({ caller }) =>
      Effect.gen(function* () {
        return { status: 200, data: { clock: clockRecord(yield* (yield* SandboxClock)[act](caller)) } }
      }),
  }
}

const read = ofClock("read", {
  method: "GET",
  path: "/sandbox/v1/clock",
  operationId: "readClock",
  summary: "The organization's clock and its next timer",
  errors: [],
})

const freeze = ofClock("freeze", {
  method: "POST",
  path: "/sandbox/v1/clock/freeze",
  operationId: "freezeClock",
  summary: "Stop the clock; no timer fires until it is advanced or resumed",
  errors: ["CLOCK_IS_MOVING"],
})

const resume = ofClock("resume", {
  method: "POST",
  path: "/sandbox/v1/clock/resume",
  operationId: "resumeClock",
  summary: "Let a frozen clock run on from the instant at which it stands",
  errors: ["CLOCK_IS_MOVING"],
})

const advance: ClockEndpoint = {
  ...EVERY,
  method: "POST",
  path: "/sandbox/v1/clock/advance",
  operationId: "advanceClock",
  summary:
    "Move the clock forwards, by a duration or to an instant; what becomes due happens in order, each at its own instant",
  body: AdvanceClockRequest,
  answers: { 200: OneMove, 202: OneMove },
  errors: ["VALIDATION_ERROR", "INVALID_STATE", "CLOCK_IS_MOVING"],
  handle: ({ caller, body }) =>
    Effect.gen(function* () {
      const request = yield* decodeBody(AdvanceClockRequest, body)
      const view = yield* (yield* SandboxClock).advance(caller, request)
      return { status: view.after === null ? 202 : 200, data: { move: moveRecord(view) } }
    }),
}

const move: ClockEndpoint = {
  ...EVERY,
  method: "GET",
  path: "/sandbox/v1/clock/moves/{id}",
  operationId: "readClockMove",
  summary: "A move of the clock, and what happened in it; kept for 30 days",
  body: null,
  answers: { 200: OneMove },
  errors: ["NOT_FOUND"],
  handle: ({ caller, id }) =>
    Effect.gen(function* () {
      return { status: 200, data: { move: moveRecord(yield* (yield* SandboxClock).move(caller, id)) } }
    }),
}

export const clock = [read, advance, freeze, resume, move]
