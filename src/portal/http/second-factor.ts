/** `/portal/api/second-factor` and the second step of a sign-in. */

import { Effect, Schema } from "effect"
import {
  CompleteSignInRequest,
  EnrolSecondFactorRequest,
  SecondFactorCodeRequest,
} from "../../model/portal.ts"
import { isoMs } from "../../model/time.ts"
import { decodeBody } from "../../http/endpoint.ts"
import { DateTime } from "../../http/date-time.ts"
import { SecondFactors } from "../second-factor.ts"
import type { MemberEndpoint, OpenEndpoint } from "./endpoint.ts"
import { Begun, Nothing, begun } from "./session.ts"

const RecoveryCodes = Schema.Array(Schema.String).annotations({
  description: "Each works once, instead of a code of the application. They are not shown again.",
})

const read: MemberEndpoint<SecondFactors> = {
  method: "GET",
  path: "/portal/api/second-factor",
  operationId: "readSecondFactor",
  summary: "Whether one's own second factor is on",
  asks: "member",
  parameters: [],
  body: null,
  answers: {
    200: Schema.Struct({
      is_on: Schema.Boolean,
      since: Schema.NullOr(DateTime),
      recovery_codes_left: Schema.Int,
    }),
  },
  errors: [],
  handle: ({ caller }) =>
    Effect.gen(function* () {
      const { sinceMs, recoveryCodesLeft } = yield* (yield* SecondFactors).state(caller)
      const data = { is_on: sinceMs !== null, since: isoMs(sinceMs), recovery_codes_left: recoveryCodesLeft }
      return { status: 200, data }
    }),
}

const enrol: MemberEndpoint<SecondFactors> = {
  method: "POST",
  path: "/portal/api/second-factor/totp",
  operationId: "enrolSecondFactor",
  summary: "Get a secret for an authenticator application; it is on once `confirm` was sent a code of it",
  asks: "member",
  parameters: [],
  body: EnrolSecondFactorRequest,
  answers: { 201: Schema.Struct({ secret: Schema.String, uri: Schema.String }) },
  errors: ["VALIDATION_ERROR", "INVALID_CREDENTIALS", "INVALID_STATE"],
  handle: ({ caller, body }) =>
    Effect.gen(function* () {
      const { current_password: password } = yield* decodeBody(EnrolSecondFactorRequest, body)
      const { secret, uri } = yield* (yield* SecondFactors).enrol(caller, password)
      return { status: 201, data: { secret, uri } }
    }),
}

const confirm: MemberEndpoint<SecondFactors> = {
  method: "POST",
  path: "/portal/api/second-factor/totp/confirm",
  operationId: "confirmSecondFactor",
  summary: "Switch the second factor on by its first code; ends every other session",
  asks: "member",
  parameters: [],
  body: SecondFactorCodeRequest,
  answers: { 200: Schema.Struct({ recovery_codes: RecoveryCodes }) },
  errors: ["VALIDATION_ERROR", "INVALID_CODE", "INVALID_STATE"],
  handle: ({ caller, body }) =>
    Effect.gen(function* () {
      const { code } = yield* decodeBody(SecondFactorCodeRequest, body)
      const recovery_codes = yield* (yield* SecondFactors).confirm(caller, code)
      return { status: 200, data: { recovery_codes } }
    }),
}

const renew: MemberEndpoint<SecondFactors> = {
  method: "POST",
  path: "/portal/api/second-factor/recovery-codes",
  operationId: "renewRecoveryCodes",
  summary: "Replace the recovery codes, with a code of the application or one of them",
  asks: "member",
  parameters: [],
  body: SecondFactorCodeRequest,
  answers: { 201: Schema.Struct({ recovery_codes: RecoveryCodes }) },
  errors: ["VALIDATION_ERROR", "INVALID_CODE"],
  handle: ({ caller, body }) =>
    Effect.gen(function* () {
      const { code } = yield* decodeBody(SecondFactorCodeRequest, body)
      const recovery_codes = yield* (yield* SecondFactors).renewCodes(caller, code)
      return { status: 201, data: { recovery_codes } }
    }),
}

const remove: MemberEndpoint<SecondFactors> = {
  method: "POST",
  path: "/portal/api/second-factor/remove",
  operationId: "removeSecondFactor",
  summary: "Switch the second factor off, with a code of the application or a recovery code",
  asks: "member",
  parameters: [],
  body: SecondFactorCodeRequest,
  answers: { 200: Nothing },
  errors: ["VALIDATION_ERROR", "INVALID_CODE"],
  handle: ({ caller, body }) =>
    Effect.gen(function* () {
      const { code } = yield* decodeBody(SecondFactorCodeRequest, body)
      yield* (yield* SecondFactors).remove(caller, code)
      return { status: 200, data: {} }
    }),
}

const complete: OpenEndpoint<SecondFactors> = {
  method: "POST",
  path: "/portal/api/session/second-factor",
  operationId: "completeSignIn",
  summary: "The second step of a sign-in: its challenge, and a code of the application or a recovery code",
  asks: "anyone",
  parameters: [],
  body: CompleteSignInRequest,
  answers: { 200: Begun },
  errors: ["VALIDATION_ERROR", "INVALID_CODE"],
  handle: ({ body, visitor }) =>
    Effect.gen(function* () {
      const { challenge, code } = yield* decodeBody(CompleteSignInRequest, body)
      return begun(yield* (yield* SecondFactors).complete({ challenge, code }, visitor))
    }),
}

export const secondFactor = [read, enrol, confirm, renew, remove, complete]
