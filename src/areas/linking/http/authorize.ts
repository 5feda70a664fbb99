/**
 * `{issuer}/oauth/authorize`: the phone page, the code page, and the redirect. Its answers are pages, also for errors.
 */

import { Effect } from "effect"
import type { FastifyReply, FastifyRequest } from "fastify"
import { PRIVATE_PAGE_HEADERS } from "../../../pages/html/page-frame.ts"
import { Malformed } from "../../../model/values/errors.ts"
import { PAGE_ERRORS, STEP_PROBLEMS } from "../../../model/linking.ts"
import type { PageErrorCode } from "../../../model/linking.ts"
import { isOutage } from "../../../model/outage.ts"
import { Authorization } from "../authorization.ts"
import type { AuthorizationStep } from "../authorization.ts"
import { Phones } from "../phones.ts"
import { RedirectedError } from "../authorization-request.ts"
import { ShownError } from "../shown-error.ts"
import type { SentParameters } from "../../../model/values/form-parameters.ts"
import { LimitReached } from "../attempt-limits.ts"
import type { Run } from "../../../http/bridge.ts"
import { isOverload, isUnreadable, noteOutage } from "../../../http/errors.ts"
import { queryOf } from "../../../http/gate.ts"
import { sendPage } from "../../../http/pages/html-page.ts"
import { addressOf } from "./caller-address.ts"
import { formTextIn, isForm, parametersIn } from "../../../http/pages/form.ts"
import { readsPages } from "../../../http/pages/reads-pages.ts"
import {
  ANOTHER_CODE_FIELD,
  LINKING_LOOK,
  STEP_PARAMETER,
  errorPage,
  stepAddress,
  stepPage,
} from "./pages.ts"

export interface AuthorizeOptions {
  readonly run: Run<Authorization | Phones>
  /** Scheme and host of the pages. */
  readonly origin: string
  /** The endpoint's own URL, for the forms. */
  readonly action: string
  /** Whether this caller may see the code that a demo made instead of texting it. */
  readonly mayShowCode: (request: FastifyRequest) => boolean
  readonly isForTests: boolean
}

/** Every request is counted, whatever its result. */
export async function takePage(request: FastifyRequest, run: Run<Authorization>): Promise<void> {
  await run(Effect.flatMap(Authorization, ({ takePage: take }) => take(addressOf(request))))
}

export async function beginAuthorization(
  request: FastifyRequest,
  reply: FastifyReply,
  options: AuthorizeOptions,
): Promise<FastifyReply> {
  const { run } = options
  const sent = parametersIn(queryOf(request))
  const begun = fieldIn(sent, STEP_PARAMETER)
  const step = await run(
    Effect.flatMap(Authorization, ({ begin, resume }) =>
      begun === null ? begin(sent, addressOf(request)) : resume(begun),
    ),
  )
  return sendStep(reply, step, options)
}

export async function submitStep(
  request: FastifyRequest<{ Body: Buffer | undefined }>,
  reply: FastifyReply,
  options: AuthorizeOptions,
): Promise<FastifyReply> {
  const { run, origin } = options
  const sent = ownForm(request, origin)
  const form = {
    request: fieldIn(sent, "request"),
    phone: fieldIn(sent, "phone"),
    code: fieldIn(sent, "code"),
    isForAnotherCode: sent.has(ANOTHER_CODE_FIELD),
  }
  const step = await run(Effect.flatMap(Authorization, ({ submit }) => submit(form, addressOf(request))))
  const isRefused = (step.type === "phone" || step.type === "code") && step.problem !== null
  // A browser would send the form again at "Back". At once it loads the same page by its address, which takes the place of the
  // form's answer in its history; a redirect would do that too, but has no status of its own.
  if (isRefused && readsPages(request))
    reply.header("Refresh", `0;url=${stepAddress(options.action, step.again)}`)
  return sendStep(reply, step, options)
}

/** The fields of a form of the service's own pages. */
export function ownForm(
  request: FastifyRequest<{ Body: Buffer | undefined }>,
  origin: string,
): SentParameters {
  if (!isOwnForm(request, origin)) throw new ShownError({ code: "form_foreign" })
  return parametersIn(isForm(request.headers["content-type"]) ? formTextIn(request.body) : "")
}

/**
 * A page without a referrer sends `Origin: null` with its forms, so only `Sec-Fetch-Site` can be checked. Clients other
 * than browsers send neither. The signed request in the form protects it. Our choice A4.
 */
function isOwnForm({ headers }: FastifyRequest, origin: string): boolean {
  const { origin: from, "sec-fetch-site": site } = headers
  return (from === undefined || from === "null" || from === origin) && site !== "cross-site"
}

/** Null for a field that was not sent, or that was sent more than once. */
function fieldIn(sent: SentParameters, name: string): string | null {
  const [first, ...more] = sent.get(name) ?? []
  return first === undefined || more.length > 0 ? null : first.text
}

async function sendStep(
  reply: FastifyReply,
  step: AuthorizationStep,
  { run, action, mayShowCode, isForTests }: AuthorizeOptions,
): Promise<FastifyReply> {
  if (step.type === "redirect") return sendRedirect(reply, 302, step.location)
  if (step.type === "see-other") return sendRedirect(reply, 303, stepAddress(action, step.request))
  const { problem } = step
  const again = problem?.retryAfterSeconds ?? null
  if (again !== null) reply.header("Retry-After", String(again))
  const status = problem === null ? 200 : STEP_PROBLEMS[problem.code].status
  const code =
    step.type === "code" && mayShowCode(reply.request)
      ? await run(
          Effect.flatMap(Phones, (phones) => Effect.orElseSucceed(phones.code(step.phone), () => null)),
        )
      : null
  return sendPage(reply, { status, ...stepPage(step, { action, code, isForTests }) }, LINKING_LOOK)
}

function sendRedirect(reply: FastifyReply, status: 302 | 303, location: string): FastifyReply {
  return reply
    .code(status)
    .headers({ ...PRIVATE_PAGE_HEADERS, Location: location })
    .send()
}

/** An error on the way to a page, as a page or a redirect. */
export function sendPageError(error: unknown, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  if (error instanceof RedirectedError) return sendRedirect(reply, 302, error.location)
  const code = pageErrorOf(error)
  if (error instanceof LimitReached) reply.header("Retry-After", String(error.retryAfterSeconds))
  if (code === "unavailable") noteOutage(error, request, reply)
  if (code === "fault") request.log.error({ err: error }, "a request failed")
  return sendPage(reply, { status: PAGE_ERRORS[code].status, ...errorPage(code) }, LINKING_LOOK)
}

function pageErrorOf(error: unknown): PageErrorCode {
  if (error instanceof ShownError) return error.code
  if (error instanceof LimitReached) return "too_many_requests"
  if (error instanceof Malformed) return "request_malformed"
  if (isOutage(error)) return "unavailable"
  if (isOverload(error)) return "overloaded"
  return isUnreadable(error) ? "request_not_valid" : "fault"
}
