/**
 * Authorization: the user types a number, then the code that it was sent, and goes back to the client with an authorization
 * code. Nothing is kept of a request until it succeeds. Source: courier connector contract, section 5, step 5.
 */

import { Clock, Context, Effect, Layer } from "effect"
import { newUuid } from "../../model/ids.ts"
import { AUTHORIZATION_REQUEST_MS } from "../../model/limits.ts"
import type { StepProblemCode } from "../../model/linking.ts"
import { ActorHost } from "../host.ts"
import { networkOf } from "../portal/attempts.ts"
import { ShownError, checkRequest } from "./authorization-request.ts"
import type { RedirectedError, SentParameters } from "./authorization-request.ts"
import { shownName } from "./client-name.ts"
import type { ConnectorAddress } from "./connector-address.ts"
import { checkCode, sendCode } from "./phone-steps.ts"
import { issueCode } from "./issuing.ts"
import type { LimitReached } from "./limits.ts"
import { takeOne } from "./limits.ts"
import { LinkingKeys } from "./linking-keys.ts"
import { lastFourOf } from "./phone-number.ts"
import { ClientRows, GrantRows } from "./rows.ts"
import type { LinkedUserRows, LinkingLimitRows } from "./rows.ts"
import { signed, verified } from "./signed-request.ts"
import type { AuthorizationRequest } from "./signed-request.ts"
import type { SmsVerification } from "./sms-verification.ts"

/** What a page shows when something the user typed did not do. */
export interface StepProblem {
  readonly code: StepProblemCode
  readonly retryAfterSeconds: number | null
}

/** What the browser gets next. */
export type AuthorizationStep =
  | {
      readonly type: "phone"
      readonly clientName: string
      /** For the form's hidden field. */
      readonly request: string
      readonly problem: StepProblem | null
    }
  | {
      readonly type: "code"
      readonly clientName: string
      readonly request: string
      /** Of the number. */
      readonly lastFour: string
      readonly problem: StepProblem | null
    }
  | { readonly type: "redirect"; readonly location: string }

/** What a page's form sent; null for a field that it had not. */
export interface SubmittedForm {
  readonly request: string | null
  readonly phone: string | null
  readonly code: string | null
}

type Refusal = LimitReached | RedirectedError | ShownError

export class Authorization extends Context.Tag("Authorization")<
  Authorization,
  {
    /** Counts one page request of an address; every request takes one before anything else. */
    readonly takePage: (address: string) => Effect.Effect<void, LimitReached>
    readonly begin: (sent: SentParameters) => Effect.Effect<AuthorizationStep, RedirectedError | ShownError>
    /** A form with a code is of the code step, any other of the phone step. */
    readonly submit: (form: SubmittedForm, address: string) => Effect.Effect<AuthorizationStep, Refusal>
  }
>() {}

type Needs =
  | ActorHost
  | ClientRows
  | ConnectorAddress
  | GrantRows
  | LinkedUserRows
  | LinkingKeys
  | LinkingLimitRows
  | SmsVerification

export const layerAuthorization: Layer.Layer<Authorization, never, Needs> = Layer.effect(
  Authorization,
  Effect.gen(function* () {
    const context = yield* Effect.context<Needs>()
    return {
      takePage: (address) => Effect.provide(takeOne("pages/address", networkOf(address)), context),
      begin: (sent) => Effect.provide(begin(sent), context),
      submit: (form, address) => Effect.provide(submit(form, address), context),
    }
  }),
)

const begin = Effect.fnUntraced(function* (sent: SentParameters) {
  const { client, ...asked } = yield* checkRequest(sent)
  const host = yield* ActorHost
  const nonces = [yield* host.nonce, yield* host.nonce].join("")
  const request: AuthorizationRequest = {
    requestId: newUuid(nonces, "authorization request"),
    clientId: client.clientId,
    ...asked,
    loadedAtMs: yield* Clock.currentTimeMillis,
    userId: null,
  }
  return phoneStep({ keys: yield* LinkingKeys, clientName: client.clientName, request }, null)
})

const submit = Effect.fnUntraced(function* (form: SubmittedForm, address: string) {
  const page = yield* pageOf(form.request)
  if (form.code === null) {
    const sent = yield* sendCode(form.phone ?? "", networkOf(address))
    if (sent.type === "problem") return phoneStep(page, sent.problem)
    const { userId, phone } = sent
    return codeStep({ ...page, request: { ...page.request, userId } }, { phone, problem: null })
  }
  const { userId } = page.request
  if (userId === null) return yield* new ShownError({ code: "number_missing" })
  const checked = yield* checkCode(userId, form.code)
  if (checked.type === "problem") {
    const { problem, phone } = checked
    // Where the code can be good no longer, only another one helps.
    return phone === null ? phoneStep(page, problem) : codeStep(page, { phone, problem })
  }
  return { type: "redirect", location: yield* issueCode({ ...page.request, userId }) } as const
})

/** Everything that the pages of one request are made of. */
interface Page {
  readonly keys: LinkingKeys["Type"]
  readonly clientName: string
  readonly request: AuthorizationRequest
}

/** The request behind a form: ours, not altered, young enough, and not used. */
const pageOf = Effect.fnUntraced(function* (text: string | null) {
  const keys = yield* LinkingKeys
  const request = text === null ? null : verified(keys, text)
  if (request === null) return yield* new ShownError({ code: "request_not_valid" })
  const nowMs = yield* Clock.currentTimeMillis
  if (nowMs - request.loadedAtMs > AUTHORIZATION_REQUEST_MS) {
    return yield* new ShownError({ code: "request_expired" })
  }
  if ((yield* (yield* GrantRows).codeOfRequest(request.requestId)) !== null) {
    return yield* new ShownError({ code: "request_not_valid" })
  }
  const client = yield* (yield* ClientRows).client(request.clientId)
  if (client === null) return yield* new ShownError({ code: "client_unknown" })
  return { keys, clientName: client.clientName, request } satisfies Page
})

function phoneStep({ keys, clientName, request }: Page, problem: StepProblem | null): AuthorizationStep {
  return {
    type: "phone",
    clientName: shownName(clientName),
    request: signed(keys, { ...request, userId: null }),
    problem,
  }
}

function codeStep(
  { keys, clientName, request }: Page,
  { phone, problem }: { readonly phone: string; readonly problem: StepProblem | null },
): AuthorizationStep {
  return {
    type: "code",
    clientName: shownName(clientName),
    request: signed(keys, request),
    lastFour: lastFourOf(phone),
    problem,
  }
}
