/**
 * Authorization: the user types a number, then the code that was sent to it, and returns to the client with an
 * authorization code. Nothing of a request is stored until it succeeds. Source: courier connector contract, section 5,
 * step 5.
 */

import { Effect } from "effect"
import { newUuid } from "../../model/ids.ts"
import { AUTHORIZATION_REQUEST_MS, TYPED_PHONE_LENGTH_MAX } from "../../model/values/limits.ts"
import { ActorHost } from "../../engine/services/host.ts"
import { networkOf } from "../../engine/services/rate-limits/network.ts"
import { Routine } from "../../engine/services/routine.ts"
import { service } from "../../engine/services/service.ts"
import { checkRequest } from "./authorization-request.ts"
import type { SentParameters } from "../../model/values/form-parameters.ts"
import { shownName } from "./client-name.ts"
import { checkCode, enabledPhoneOf, resendCode, sendCode } from "./phone-steps.ts"
import { issueCode } from "./issuing.ts"
import { takeOne } from "./attempt-limits.ts"
import { LinkingKeys } from "./linking-keys.ts"
import { ISSUER_PATH } from "../../model/linking.ts"
import { TERMINAL_PATH } from "./connector-address.ts"
import { lastFourOf } from "./phone-number.ts"
import { ClientRows, GrantRows } from "./rows.ts"
import type { Client } from "./rows.ts"
import { opened, sealed } from "./sealed-request.ts"
import { ShownError } from "./shown-error.ts"
import type { AuthorizationRequest, StepProblem } from "./sealed-request.ts"

/** The browser's next page or redirect. */
export type AuthorizationStep =
  | (ShownStep & {
      readonly type: "phone"
      /** The content of the field: after a problem, what the user typed. */
      readonly typed: string
    })
  | (ShownStep & {
      readonly type: "code"
      /** Not for the page, except that of a demo. */
      readonly phone: string
      /** Of the number. */
      readonly lastFour: string
      /** True when more than the first code was sent. */
      readonly isResent: boolean
      /** The request without a number, for the link to use another one. */
      readonly withoutNumber: string
    })
  /**
   * A code was sent. The browser loads the code page by its address, so that "Back" and "Reload" do not repeat a form.
   */
  | { readonly type: "see-other"; readonly request: string }
  | { readonly type: "redirect"; readonly location: string }

interface ShownStep {
  readonly clientName: string
  /** Host of the client's metadata document; null for a registered client. */
  readonly clientHost: string | null
  /** It ends at the page for terminals, which anybody may ask for. */
  readonly isForTerminal: boolean
  /** Host of the client's redirect URI, shown to users. */
  readonly returnsTo: string
  /** For the form's hidden field. */
  readonly request: string
  readonly problem: StepProblem | null
  /** For the address of this page with its problem. */
  readonly again: string
}

/** The fields of a page's form; null for an absent one. */
export interface SubmittedForm {
  readonly request: string | null
  readonly phone: string | null
  readonly code: string | null
  /** The user requests another code for the number. */
  readonly isForAnotherCode: boolean
}

export class Authorization extends service<Authorization>()("Authorization", () => ({
  /** Counts one page request of an address; every request is counted before anything else. */
  takePage: (address: string) => takeOne("pages/address", networkOf(address)),
  begin,
  resume,
  submit,
})) {}

const begin = Effect.fnUntraced(function* (sent: SentParameters, address: string) {
  const { client, ...asked } = yield* checkRequest(sent, address)
  const host = yield* ActorHost
  const nonces = [yield* host.nonce, yield* host.nonce].join("")
  const request: AuthorizationRequest = {
    requestId: newUuid(nonces, "authorization request"),
    clientId: client.clientId,
    ...asked,
    loadedAtMs: yield* Routine.nowMs,
    userId: null,
    codesSent: 0,
  }
  return phoneStep({ keys: yield* LinkingKeys, client, request })
})

/** The page of a request in progress: the code page if a code was sent, else the phone page. */
const resume = Routine.fn(function* (text: string) {
  const page = yield* pageOf(text)
  const { userId, refused } = page.request
  if (userId === null) return phoneStep(page, refused)
  const phone = yield* enabledPhoneOf(userId)
  const problem = refused?.problem ?? null
  return phone === null ? phoneStep(page, { problem: NOT_ENABLED }) : codeStep(page, { phone, problem })
})

const NOT_ENABLED: StepProblem = { code: "number_not_enabled", retryAfterSeconds: null }

/** A form with a code, or a request for another one, belongs to the code step, any other to the phone step. */
const submit = Effect.fnUntraced(function* (form: SubmittedForm, address: string) {
  const page = yield* pageOf(form.request)
  const { userId } = page.request
  const isOfCodePage = form.code !== null || form.isForAnotherCode
  if (!isOfCodePage) {
    const typed = form.phone ?? ""
    const sent = yield* sendCode(typed, networkOf(address))
    return sent.type === "problem" ? phoneStep(page, { problem: sent.problem, typed }) : seeOther(page, sent)
  }
  if (userId === null) return yield* new ShownError({ code: "number_missing" })
  if (form.isForAnotherCode) {
    const { phone, ...sent } = yield* resendCode(userId, networkOf(address))
    return sent.type === "problem" ? problemStep(page, { phone, ...sent }) : seeOther(page, { userId })
  }
  const checked = yield* checkCode(userId, form.code ?? "")
  if (checked.type === "problem") return problemStep(page, checked)
  return { type: "redirect", location: yield* issueCode({ ...page.request, userId }) } as const
})

/** Without a phone the code cannot be valid any more, so the user must request another one. */
function problemStep(
  page: Page,
  { phone, problem }: { readonly phone: string | null; readonly problem: StepProblem },
): AuthorizationStep {
  return phone === null ? phoneStep(page, { problem }) : codeStep(page, { phone, problem })
}

/** The data of all pages of one request. */
interface Page {
  readonly keys: LinkingKeys["Type"]
  readonly client: Client
  readonly request: AuthorizationRequest
}

/** The request of a form: authentic, not too old, and not used. */
const pageOf = Routine.fn(function* (text: string | null) {
  const keys = yield* LinkingKeys
  const request = text === null ? null : opened(keys, text)
  if (request === null) return yield* new ShownError({ code: "request_not_valid" })
  const nowMs = yield* Routine.nowMs
  if (nowMs - request.loadedAtMs > AUTHORIZATION_REQUEST_MS) {
    return yield* new ShownError({ code: "request_expired" })
  }
  if ((yield* (yield* GrantRows).codeOfRequest(request.requestId)) !== null) {
    return yield* new ShownError({ code: "request_not_valid" })
  }
  const client = yield* (yield* ClientRows).client(request.clientId)
  if (client === null) return yield* new ShownError({ code: "client_unknown" })
  return { keys, client, request } satisfies Page
})

interface PhoneStepOptions {
  readonly problem?: StepProblem | null
  readonly typed?: string
}

function phoneStep(page: Page, { problem = null, typed = "" }: PhoneStepOptions = {}): AuthorizationStep {
  const again = refusedAt(page, { ...page.request, userId: null, codesSent: 0 }, { problem, typed })
  return { type: "phone", ...shownOf(page), request: withoutNumber(page), typed, problem, again }
}

interface CodeStepOptions {
  readonly phone: string
  readonly problem?: StepProblem | null
}

function codeStep(page: Page, { phone, problem = null }: CodeStepOptions): AuthorizationStep {
  return {
    type: "code",
    phone,
    ...shownOf(page),
    request: sealed(page.keys, plain(page.request)),
    withoutNumber: withoutNumber(page),
    lastFour: lastFourOf(phone),
    isResent: page.request.codesSent > 1,
    problem,
    again: refusedAt(page, page.request, { problem, typed: "" }),
  }
}

function seeOther({ keys, request }: Page, { userId }: { readonly userId: string }): AuthorizationStep {
  const codesSent = (request.userId === userId ? request.codesSent : 0) + 1
  return { type: "see-other", request: sealed(keys, { ...plain(request), userId, codesSent }) }
}

/** Sealed as well, so that no number and no problem can be read or made up in an address. */
function refusedAt(
  { keys }: Page,
  request: AuthorizationRequest,
  { problem, typed }: { readonly problem: StepProblem | null; readonly typed: string },
): string {
  if (problem === null) return sealed(keys, plain(request))
  return sealed(keys, { ...request, refused: { problem, typed: typed.slice(0, TYPED_PHONE_LENGTH_MAX) } })
}

/** The request without the problem of a page. */
function plain({ refused: _, ...request }: AuthorizationRequest): AuthorizationRequest {
  return request
}

function withoutNumber({ keys, request }: Page): string {
  return sealed(keys, { ...plain(request), userId: null, codesSent: 0 })
}

function shownOf({
  client,
  request,
}: Page): Pick<ShownStep, "clientHost" | "clientName" | "isForTerminal" | "returnsTo"> {
  return {
    clientName: shownName(client.clientName),
    clientHost: client.documentEndsAtMs === null ? null : new URL(client.clientId).host,
    isForTerminal: new URL(request.redirectUri).pathname === `${ISSUER_PATH}${TERMINAL_PATH}`,
    returnsTo: new URL(request.redirectUri).host,
  }
}
