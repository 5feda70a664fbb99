/** `/portal/api/sandbox/clock`: the organization's clock in the sandbox, for its members. */

import { Effect, Schema } from "effect"
import { AdvanceClockRequest } from "../../../model/values/clock.ts"
import { SandboxClock } from "../../../areas/clock/sandbox-clock.ts"
import { Clock, Move, clockRecord, moveRecord } from "../../../areas/clock/http/schemas.ts"
import { decodeBody } from "../../../http/endpoint.ts"
import { partnerOf } from "../caller.ts"
import type { MemberEndpoint } from "./endpoint.ts"

const PATH = "/portal/api/sandbox/clock"

const OneClock = Schema.Struct({ clock: Clock })
const OneMove = Schema.Struct({ move: Move })

const read: MemberEndpoint<SandboxClock> = {
  method: "GET",
  path: PATH,
  operationId: "readClock",
  summary: "The organization's clock in the sandbox, and its next timer",
  asks: "member",
  parameters: [],
  body: null,
  answers: { 200: OneClock },
  errors: [],
  handle: ({ caller }) =>
    Effect.gen(function* () {
      const partner = yield* partnerOf(caller, "sandbox")
      return { status: 200, data: { clock: clockRecord(yield* (yield* SandboxClock).read(partner)) } }
    }),
}

const advance: MemberEndpoint<SandboxClock> = {
  method: "POST",
  path: `${PATH}/advance`,
  operationId: "advanceClock",
  summary: "Move the clock forwards: by a duration, to an instant, or to the next timer",
  asks: "member",
  parameters: [],
  body: AdvanceClockRequest,
  answers: { 200: OneMove, 202: OneMove },
  errors: ["VALIDATION_ERROR", "INVALID_STATE", "CLOCK_IS_MOVING"],
  handle: ({ caller, body }) =>
    Effect.gen(function* () {
      const request = yield* decodeBody(AdvanceClockRequest, body)
      const partner = yield* partnerOf(caller, "sandbox")
      const view = yield* (yield* SandboxClock).advance(partner, request)
      return { status: view.after === null ? 202 : 200, data: { move: moveRecord(view) } }
    }),
}

const freeze: MemberEndpoint<SandboxClock> = {
  method: "POST",
  path: `${PATH}/freeze`,
  operationId: "freezeClock",
  summary: "Stop the clock; no timer fires until it is advanced or resumed",
  asks: "member",
  parameters: [],
  body: null,
  answers: { 200: OneClock },
  errors: ["CLOCK_IS_MOVING"],
  handle: ({ caller }) =>
    Effect.gen(function* () {
      const partner = yield* partnerOf(caller, "sandbox")
      return { status: 200, data: { clock: clockRecord(yield* (yield* SandboxClock).freeze(partner)) } }
    }),
}

const resume: MemberEndpoint<SandboxClock> = {
  method: "POST",
  path: `${PATH}/resume`,
  operationId: "resumeClock",
  summary: "Let a frozen clock run on from the instant at which it stands",
  asks: "member",
  parameters: [],
  body: null,
  answers: { 200: OneClock },
  errors: ["CLOCK_IS_MOVING"],
  handle: ({ caller }) =>
    Effect.gen(function* () {
      const partner = yield* partnerOf(caller, "sandbox")
      return { status: 200, data: { clock: clockRecord(yield* (yield* SandboxClock).resume(partner)) } }
    }),
}

const move: MemberEndpoint<SandboxClock> = {
  method: "GET",
  path: `${PATH}/moves/{id}`,
  operationId: "readClockMove",
  summary: "A move of the clock, and what happened in it",
  asks: "member",
  parameters: [],
  body: null,
  answers: { 200: OneMove },
  errors: ["NOT_FOUND"],
  handle: ({ caller, id }) =>
    Effect.gen(function* () {
      const partner = yield* partnerOf(caller, "sandbox")
      return { status: 200, data: { move: moveRecord(yield* (yield* SandboxClock).move(partner, id)) } }
    }),
}

export const sandboxClock = [read, advance, freeze, resume, move]
