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
import { DateTime } from "../../../http/records/date-time.ts"
import { Passkeys } from "../people/passkeys.ts"
import { invalidField } from "../refusals.ts"
import type { Proof } from "../people/second-factor-proof.ts"
import { SecondFactors } from "../people/second-factor.ts"
import { memberEndpoint } from "./endpoint.ts"
import { openEndpoint } from "./endpoint.ts"
import { Begun, Nothing, begun } from "./session.ts"
import { recordsOf } from "../../../http/records/records.ts"

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

const read = memberEndpoint({
  method: "GET",
  path: "/portal/api/second-factor",
  operationId: "readSecondFactor",
  summary: "Whether one's own second factor is on",
  answers: { 200: State },
  *handle({ caller }) {
    const { sinceMs, hasApplication, recoveryCodesLeft } = yield* (yield* SecondFactors).state(caller)
    const data = {
      is_on: sinceMs !== null,
      has_application: hasApplication,
      since: isoMs(sinceMs),
      recovery_codes_left: recoveryCodesLeft,
    }
    return data
  },
})

const enrol = memberEndpoint({
  method: "POST",
  path: "/portal/api/second-factor/totp",
  operationId: "enrolSecondFactor",
  summary:
    "Get a secret for an authenticator application, by the password and, while the second factor is on, a code or a passkey",
  body: AddFactorRequest,
  answers: { 201: Schema.Struct({ secret: Schema.String, uri: Schema.String }) },
  errors: ["INVALID_CREDENTIALS", "INVALID_CODE", "INVALID_STATE"],
  *handle({ caller }, sent) {
    const consent = yield* consentOf(yield* sent)
    const { secret, uri } = yield* (yield* SecondFactors).enrol(caller, consent)
    return { secret, uri }
  },
})

const confirm = memberEndpoint({
  method: "POST",
  path: "/portal/api/second-factor/totp/confirm",
  operationId: "confirmSecondFactor",
  summary:
    "Add the application by its first code; if the second factor was off, that switches it on and ends other sessions",
  body: SecondFactorCodeRequest,
  answers: { 200: Schema.Struct({ recovery_codes: RecoveryCodes }) },
  errors: ["INVALID_CODE", "INVALID_STATE"],
  *handle({ caller }, sent) {
    const { code } = yield* sent
    const recovery_codes = yield* (yield* SecondFactors).confirm(caller, code)
    return { recovery_codes }
  },
})

const renew = memberEndpoint({
  method: "POST",
  path: "/portal/api/second-factor/recovery-codes",
  operationId: "renewRecoveryCodes",
  summary: "Replace the recovery codes, with a code of the application, one of them, or a passkey",
  body: SecondFactorProofRequest,
  answers: { 201: Schema.Struct({ recovery_codes: RecoveryCodes }) },
  errors: ["INVALID_CODE"],
  *handle({ caller }, sent) {
    const proof = yield* proofOf(yield* sent)
    const recovery_codes = yield* (yield* SecondFactors).renewCodes(caller, proof)
    return { recovery_codes }
  },
})

const remove = memberEndpoint({
  method: "POST",
  path: "/portal/api/second-factor/remove",
  operationId: "removeSecondFactor",
  summary:
    "Switch the second factor off, with its passkeys, by a code of the application, a recovery code or a passkey",
  body: SecondFactorProofRequest,
  answers: { 200: Nothing },
  errors: ["INVALID_CODE"],
  *handle({ caller }, sent) {
    const proof = yield* proofOf(yield* sent)
    yield* (yield* SecondFactors).remove(caller, proof)
    return {}
  },
})

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

const passkeyRecord = recordsOf(Passkey)

const listPasskeys = memberEndpoint({
  method: "GET",
  path: "/portal/api/passkeys",
  operationId: "listPasskeys",
  summary: "One's own passkeys, oldest first",
  answers: {
    200: Schema.Struct({
      is_available: Schema.Boolean.annotations({
        description:
          "False when the portal's URL is an address without a name: browsers refuse passkeys there.",
      }),
      passkeys: Schema.Array(Passkey),
    }),
  },
  *handle({ caller }) {
    const { isAvailable, passkeys } = yield* (yield* Passkeys).list(caller)
    return { is_available: isAvailable, passkeys: passkeys.map(passkeyRecord) }
  },
})

const beginPasskey = memberEndpoint({
  method: "POST",
  path: "/portal/api/passkeys/options",
  operationId: "beginPasskey",
  summary:
    "What a browser needs to make a passkey, by the password and, while the second factor is on, a code or a passkey",
  body: AddFactorRequest,
  answers: { 201: Schema.Struct({ options: options("PublicKeyCredentialCreationOptionsJSON") }) },
  errors: ["INVALID_CREDENTIALS", "INVALID_CODE", "INVALID_STATE"],
  *handle({ caller }, sent) {
    const consent = yield* consentOf(yield* sent)
    return { options: yield* (yield* Passkeys).options(caller, consent) }
  },
})

const addPasskey = memberEndpoint({
  method: "POST",
  path: "/portal/api/passkeys",
  operationId: "addPasskey",
  summary:
    "Add the passkey that the browser made; the first one switches the second factor on and ends other sessions",
  body: AddPasskeyRequest,
  answers: { 201: Schema.Struct({ passkey: Passkey, recovery_codes: RecoveryCodes }) },
  errors: ["INVALID_CODE", "INVALID_STATE"],
  *handle({ caller }, sent) {
    const request = yield* sent
    const { passkey, recoveryCodes } = yield* (yield* Passkeys).add(caller, request)
    return { passkey: passkeyRecord(passkey), recovery_codes: recoveryCodes }
  },
})

const removePasskey = memberEndpoint({
  method: "POST",
  path: "/portal/api/passkeys/{id}/remove",
  operationId: "removePasskey",
  summary:
    "Remove a passkey, by a code or a passkey; the last one switches the second factor off if there is no application",
  body: SecondFactorProofRequest,
  answers: { 200: Nothing },
  errors: ["NOT_FOUND", "INVALID_CODE"],
  *handle({ caller, id }, sent) {
    const proof = yield* proofOf(yield* sent)
    yield* (yield* Passkeys).remove(caller, { passkeyId: id, proof })
    return {}
  },
})

const confirmByPasskey = memberEndpoint({
  method: "POST",
  path: "/portal/api/second-factor/passkey",
  operationId: "confirmByPasskey",
  summary: "What a browser needs to sign with a passkey, for a command that asks for a code or a passkey",
  answers: { 201: Schema.Struct({ options: options("PublicKeyCredentialRequestOptionsJSON") }) },
  errors: ["NOT_FOUND", "INVALID_STATE"],
  *handle({ caller }) {
    return { options: yield* (yield* Passkeys).confirmOptions(caller) }
  },
})

const signInByPasskey = openEndpoint({
  method: "POST",
  path: "/portal/api/session/second-factor/passkey",
  operationId: "signInByPasskey",
  summary: "What a browser needs to sign with a passkey in the second step of a sign-in",
  body: SignInPasskeyRequest,
  answers: { 201: Schema.Struct({ options: options("PublicKeyCredentialRequestOptionsJSON") }) },
  errors: ["NOT_FOUND", "INVALID_CODE", "INVALID_STATE"],
  *handle({ visitor }, sent) {
    const { challenge } = yield* sent
    return { options: yield* (yield* Passkeys).signInOptions(challenge, visitor) }
  },
})

const complete = openEndpoint({
  method: "POST",
  path: "/portal/api/session/second-factor",
  operationId: "completeSignIn",
  summary:
    "The second step of a sign-in: its challenge, and a code of the application, a recovery code or a passkey",
  body: CompleteSignInRequest,
  answers: { 200: Begun },
  errors: ["INVALID_CODE"],
  *handle({ visitor }, sent) {
    const { challenge, ...shown } = yield* sent
    const proof = yield* proofOf(shown)
    return begun(yield* (yield* SecondFactors).complete({ challenge, proof }, visitor))
  },
})

export const secondFactor = [read, enrol, confirm, renew, remove, complete]

export const passkeys = [
  listPasskeys,
  beginPasskey,
  addPasskey,
  removePasskey,
  confirmByPasskey,
  signInByPasskey,
]
