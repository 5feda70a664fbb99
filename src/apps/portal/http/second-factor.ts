/** `/portal/api/second-factor`, `/portal/api/passkeys` and the second step of a sign-in. */

import { Effect, Schema } from "effect"
import {
  AddFactorRequest,
  AddPasskeyRequest,
  CompleteSignInRequest,
  SecondFactorCodeRequest,
  SecondFactorProofRequest,
  SignInPasskeyRequest,
} from "../../../model/requests/portal.ts"
import { isoMs } from "../../../model/values/time.ts"
import { decodeBody } from "../../../http/endpoint.ts"
import { DateTime } from "../../../http/date-time.ts"
import { Passkeys } from "../people/passkeys.ts"
import { invalidField } from "../refusals.ts"
import type { Proof } from "../people/second-factor-proof.ts"
import type { Passkey as PasskeyRow } from "../people/second-factor-rows.ts"
import { SecondFactors } from "../people/second-factor.ts"
import type { MemberEndpoint, OpenEndpoint } from "./endpoint.ts"
import { Begun, Nothing, begun } from "./session.ts"

const RecoveryCodes = Schema.Array(Schema.String).annotations({
  description:
    "Each works once, instead of a code of the application. They are not shown again. None if the second factor was on.",
})

const State = Schema.Struct({
  is_on: Schema.Boolean,
  has_application: Schema.Boolean,
  since: Schema.NullOr(DateTime),
  recovery_codes_left: Schema.Int,
}).annotations({ identifier: "SecondFactorState" })

const read: MemberEndpoint<SecondFactors> = {
  method: "GET",
  path: "/portal/api/second-factor",
  operationId: "readSecondFactor",
  summary: "Whether one's own second factor is on",
  asks: "member",
  parameters: [],
  body: null,
  answers: { 200: State },
  errors: [],
  handle: ({ caller }) =>
    Effect.gen(function* () {
      const { sinceMs, hasApplication, recoveryCodesLeft } = yield* (yield* SecondFactors).state(caller)
      const data = {
        is_on: sinceMs !== null,
        has_application: hasApplication,
        since: isoMs(sinceMs),
        recovery_codes_left: recoveryCodesLeft,
      }
      return { status: 200, data }
    }),
}

const enrol: MemberEndpoint<SecondFactors> = {
  method: "POST",
  path: "/portal/api/second-factor/totp",
  operationId: "enrolSecondFactor",
  summary:
    "Get a secret for an authenticator application, by the password and, while the second factor is on, a code or a passkey",
  asks: "member",
  parameters: [],
  body: AddFactorRequest,
  answers: { 201: Schema.Struct({ secret: Schema.String, uri: Schema.String }) },
  errors: ["VALIDATION_ERROR", "INVALID_CREDENTIALS", "INVALID_CODE", "INVALID_STATE"],
  handle: ({ caller, body }) =>
    Effect.gen(function* () {
      const consent = yield* consentOf(yield* decodeBody(AddFactorRequest, body))
      const { secret, uri } = yield* (yield* SecondFactors).enrol(caller, consent)
      return { status: 201, data: { secret, uri } }
    }),
}

const confirm: MemberEndpoint<SecondFactors> = {
  method: "POST",
  path: "/portal/api/second-factor/totp/confirm",
  operationId: "confirmSecondFactor",
  summary:
    "Add the application by its first code; if the second factor was off, that switches it on and ends other sessions",
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
  summary: "Replace the recovery codes, with a code of the application, one of them, or a passkey",
  asks: "member",
  parameters: [],
  body: SecondFactorProofRequest,
  answers: { 201: Schema.Struct({ recovery_codes: RecoveryCodes }) },
  errors: ["VALIDATION_ERROR", "INVALID_CODE"],
  handle: ({ caller, body }) =>
    Effect.gen(function* () {
      const proof = yield* proofOf(yield* decodeBody(SecondFactorProofRequest, body))
      const recovery_codes = yield* (yield* SecondFactors).renewCodes(caller, proof)
      return { status: 201, data: { recovery_codes } }
    }),
}

const remove: MemberEndpoint<SecondFactors> = {
  method: "POST",
  path: "/portal/api/second-factor/remove",
  operationId: "removeSecondFactor",
  summary:
    "Switch the second factor off, with its passkeys, by a code of the application, a recovery code or a passkey",
  asks: "member",
  parameters: [],
  body: SecondFactorProofRequest,
  answers: { 200: Nothing },
  errors: ["VALIDATION_ERROR", "INVALID_CODE"],
  handle: ({ caller, body }) =>
    Effect.gen(function* () {
      const proof = yield* proofOf(yield* decodeBody(SecondFactorProofRequest, body))
      yield* (yield* SecondFactors).remove(caller, proof)
      return { status: 200, data: {} }
    }),
}

function consentOf({ current_password: password, ...sent }: typeof AddFactorRequest.Type) {
  const isWithout = sent.code === undefined && sent.passkey === undefined
  return Effect.map(isWithout ? Effect.succeed(null) : proofOf(sent), (proof) => ({ password, proof }))
}

/** Exactly one of the two. */
function proofOf({
  code,
  passkey,
}: typeof SecondFactorProofRequest.Type): Effect.Effect<Proof, ReturnType<typeof invalidField>> {
  if (code !== undefined && passkey === undefined) return Effect.succeed({ code })
  if (passkey !== undefined && code === undefined) return Effect.succeed({ passkey })
  return Effect.fail(invalidField("code", "send either code or passkey"))
}

const options = (name: string) =>
  Schema.Unknown.annotations({
    jsonSchema: {
      type: "object",
      additionalProperties: true,
      description: `\`${name}\` of Web Authentication Level 3. Good once, for 5 minutes.`,
    },
  })

const Passkey = Schema.Struct({
  passkey_id: Schema.String,
  name: Schema.String,
  is_synced: Schema.Boolean.annotations({ description: "True when its provider keeps a copy." }),
  created_at: DateTime,
  used_at: Schema.NullOr(DateTime),
}).annotations({ identifier: "Passkey" })

function passkeyRecord({ passkeyId, name, isSynced, createdAtMs, usedAtMs }: PasskeyRow): object {
  return {
    passkey_id: passkeyId,
    name,
    is_synced: isSynced,
    created_at: isoMs(createdAtMs),
    used_at: isoMs(usedAtMs),
  }
}

const listPasskeys: MemberEndpoint<Passkeys> = {
  method: "GET",
  path: "/portal/api/passkeys",
  operationId: "listPasskeys",
  summary: "One's own passkeys, oldest first",
  asks: "member",
  parameters: [],
  body: null,
  answers: {
    200: Schema.Struct({
      is_available: Schema.Boolean.annotations({
        description:
          "False when the portal's URL is an address without a name: browsers refuse passkeys there.",
      }),
      passkeys: Schema.Array(Passkey),
    }),
  },
  errors: [],
  handle: ({ caller }) =>
    Effect.gen(function* () {
      const { isAvailable, passkeys } = yield* (yield* Passkeys).list(caller)
      return { status: 200, data: { is_available: isAvailable, passkeys: passkeys.map(passkeyRecord) } }
    }),
}

const beginPasskey: MemberEndpoint<Passkeys> = {
  method: "POST",
  path: "/portal/api/passkeys/options",
  operationId: "beginPasskey",
  summary:
    "What a browser needs to make a passkey, by the password and, while the second factor is on, a code or a passkey",
  asks: "member",
  parameters: [],
  body: AddFactorRequest,
  answers: { 201: Schema.Struct({ options: options("PublicKeyCredentialCreationOptionsJSON") }) },
  errors: ["VALIDATION_ERROR", "INVALID_CREDENTIALS", "INVALID_CODE", "INVALID_STATE"],
  handle: ({ caller, body }) =>
    Effect.gen(function* () {
      const consent = yield* consentOf(yield* decodeBody(AddFactorRequest, body))
      return { status: 201, data: { options: yield* (yield* Passkeys).options(caller, consent) } }
    }),
}

const addPasskey: MemberEndpoint<Passkeys> = {
  method: "POST",
  path: "/portal/api/passkeys",
  operationId: "addPasskey",
  summary:
    "Add the passkey that the browser made; the first one switches the second factor on and ends other sessions",
  asks: "member",
  parameters: [],
  body: AddPasskeyRequest,
  answers: { 201: Schema.Struct({ passkey: Passkey, recovery_codes: RecoveryCodes }) },
  errors: ["VALIDATION_ERROR", "INVALID_CODE", "INVALID_STATE"],
  handle: ({ caller, body }) =>
    Effect.gen(function* () {
      const request = yield* decodeBody(AddPasskeyRequest, body)
      const { passkey, recoveryCodes } = yield* (yield* Passkeys).add(caller, request)
      return { status: 201, data: { passkey: passkeyRecord(passkey), recovery_codes: recoveryCodes } }
    }),
}

const removePasskey: MemberEndpoint<Passkeys> = {
  method: "POST",
  path: "/portal/api/passkeys/{id}/remove",
  operationId: "removePasskey",
  summary:
    "Remove a passkey, by a code or a passkey; the last one switches the second factor off if there is no application",
  asks: "member",
  parameters: [],
  body: SecondFactorProofRequest,
  answers: { 200: Nothing },
  errors: ["VALIDATION_ERROR", "NOT_FOUND", "INVALID_CODE"],
  handle: ({ caller, id, body }) =>
    Effect.gen(function* () {
      const proof = yield* proofOf(yield* decodeBody(SecondFactorProofRequest, body))
      yield* (yield* Passkeys).remove(caller, { passkeyId: id, proof })
      return { status: 200, data: {} }
    }),
}

const confirmByPasskey: MemberEndpoint<Passkeys> = {
  method: "POST",
  path: "/portal/api/second-factor/passkey",
  operationId: "confirmByPasskey",
  summary: "What a browser needs to sign with a passkey, for a command that asks for a code or a passkey",
  asks: "member",
  parameters: [],
  body: null,
  answers: { 201: Schema.Struct({ options: options("PublicKeyCredentialRequestOptionsJSON") }) },
  errors: ["NOT_FOUND", "INVALID_STATE"],
  handle: ({ caller }) =>
    Effect.gen(function* () {
      return { status: 201, data: { options: yield* (yield* Passkeys).confirmOptions(caller) } }
    }),
}

const signInByPasskey: OpenEndpoint<Passkeys> = {
  method: "POST",
  path: "/portal/api/session/second-factor/passkey",
  operationId: "signInByPasskey",
  summary: "What a browser needs to sign with a passkey in the second step of a sign-in",
  asks: "anyone",
  parameters: [],
  body: SignInPasskeyRequest,
  answers: { 201: Schema.Struct({ options: options("PublicKeyCredentialRequestOptionsJSON") }) },
  errors: ["VALIDATION_ERROR", "NOT_FOUND", "INVALID_CODE", "INVALID_STATE"],
  handle: ({ body, visitor }) =>
    Effect.gen(function* () {
      const { challenge } = yield* decodeBody(SignInPasskeyRequest, body)
      return { status: 201, data: { options: yield* (yield* Passkeys).signInOptions(challenge, visitor) } }
    }),
}

const complete: OpenEndpoint<SecondFactors> = {
  method: "POST",
  path: "/portal/api/session/second-factor",
  operationId: "completeSignIn",
  summary:
    "The second step of a sign-in: its challenge, and a code of the application, a recovery code or a passkey",
  asks: "anyone",
  parameters: [],
  body: CompleteSignInRequest,
  answers: { 200: Begun },
  errors: ["VALIDATION_ERROR", "INVALID_CODE"],
  handle: ({ body, visitor }) =>
    Effect.gen(function* () {
      const { challenge, ...sent } = yield* decodeBody(CompleteSignInRequest, body)
      const proof = yield* proofOf(sent)
      return begun(yield* (yield* SecondFactors).complete({ challenge, proof }, visitor))
    }),
}

export const secondFactor = [read, enrol, confirm, renew, remove, complete]

export const passkeys = [
  listPasskeys,
  beginPasskey,
  addPasskey,
  removePasskey,
  confirmByPasskey,
  signInByPasskey,
]
