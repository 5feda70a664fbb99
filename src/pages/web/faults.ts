/** Refusals of the service, in every page that calls it. */

import { sentence, withNextStep } from "./next-steps.ts"

/** A refusal of the service, or no answer at all. */
export class ApiFault extends Error {
  readonly status: number
  readonly code: string | null
  readonly requestId: string | null
  /** What is wrong with fields of the request, by their name. */
  readonly fields: Readonly<Record<string, string>>
  /** s; null when the service names no time. */
  readonly retryAfterSeconds: number | null

  constructor(message: string, refusal: Omit<ApiFault, keyof Error> | null = null) {
    super(message)
    this.status = refusal?.status ?? 0
    this.code = refusal?.code ?? null
    this.requestId = refusal?.requestId ?? null
    this.fields = refusal?.fields ?? {}
    this.retryAfterSeconds = refusal?.retryAfterSeconds ?? null
  }
}

interface ErrorBody {
  readonly error?: string
  readonly code?: string
  readonly request_id?: string
  readonly details?: readonly { readonly field: string; readonly message: string }[]
}

/** What a refusing answer says. */
export async function faultIn(response: Response): Promise<ApiFault> {
  const body = (await response.json().catch(() => ({}))) as ErrorBody
  const retryAfter = response.headers.get("Retry-After")
  const { error = `the service answered ${response.status}`, code = null } = body
  return new ApiFault(withNextStep(error, code), {
    status: response.status,
    code,
    requestId: body.request_id ?? null,
    fields: Object.fromEntries(
      (body.details ?? []).map(({ field, message }) => [field, sentence(withoutNull(message))]),
    ),
    retryAfterSeconds: retryAfter === null ? null : Number(retryAfter),
  })
}

/** Forms send null for an empty field, which its reader never wrote. */
function withoutNull(problem: string): string {
  return problem.replace(/, is null$/, "")
}

export const SIGNED_OUT = "You were signed out. Nothing was sent."

export const NO_ANSWER = "The service does not answer. Nothing was changed, as far as this page knows."

export function asFault(cause: unknown): ApiFault {
  return cause instanceof ApiFault ? cause : new ApiFault("This page failed. Reload it.")
}
