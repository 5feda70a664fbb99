/**
 * `POST /rs/v1/reservations/{id}/advance`: the sandbox takes the next step of a visit, or raises an exception.
 * Production has no such route, so the gate answers 404 before it checks the key.
 */

import { Effect, Schema } from "effect"
import { AdvanceRequest } from "../../../model/requests/requests.ts"
import { SandboxWalk, WALK_STEPS } from "../sandbox-walk.ts"
import { decodeOptionalBody } from "../../../http/endpoint.ts"
import type { Endpoint } from "../../../http/endpoint.ts"
import { Reservation } from "./schemas.ts"

const takeStep: Endpoint<SandboxWalk> = {
  method: "POST",
  path: "/rs/v1/reservations/{id}/advance",
  operationId: "advanceReservation",
  summary: "Take the next step, or raise an exception; a retry takes the step after",
  permissions: ["reservations:write"],
  budget: "requests",
  parameters: [],
  body: AdvanceRequest,
  isBodyOptional: true,
  answers: {
    200: Schema.Struct({
      reservation: Reservation,
      step: Schema.NullOr(Schema.Literal(...WALK_STEPS)),
    }),
  },
  errors: ["VALIDATION_ERROR", "NOT_FOUND", "INVALID_STATE"],
  handle: ({ caller, id, body }) =>
    Effect.gen(function* () {
      const request = yield* decodeOptionalBody(AdvanceRequest, body)
      const walk = yield* SandboxWalk
      const { reservation, step } = yield* walk.advance(caller, id, request)
      return { status: 200, data: { reservation, step } }
    }),
}

export const advance = [takeStep]
