/** Calls of `/portal/api`, with the types of its document. A refusal becomes an `ApiFault`. */

import createClient from "openapi-fetch"
import type { components, paths } from "./api-types.ts"

export type Schemas = components["schemas"]

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

export const api = createClient<paths>({ baseUrl: "" })

api.use({
  onRequest: ({ request }) => {
    if (request.method !== "GET") request.headers.set("X-Curbline-Portal", "1")
    return request
  },
  onResponse: async ({ response }) => {
    if (response.ok) return
    throw await faultOf(response)
  },
  onError: () => new ApiFault("The service does not answer. Nothing was changed, as far as this page knows."),
})

async function faultOf(response: Response): Promise<ApiFault> {
  const body = (await response.json().catch(() => ({}))) as ErrorBody
  if (body.code === "SIGN_IN_REQUIRED" && !window.location.pathname.startsWith("/portal/sign-in")) {
    const { pathname, search } = window.location
    window.location.assign(`/portal/sign-in?to=${encodeURIComponent(`${pathname}${search}`)}`)
  }
  const retryAfter = response.headers.get("Retry-After")
  return new ApiFault(sentence(body.error ?? `the service answered ${response.status}`), {
    status: response.status,
    code: body.code ?? null,
    requestId: body.request_id ?? null,
    fields: Object.fromEntries((body.details ?? []).map(({ field, message }) => [field, sentence(message)])),
    retryAfterSeconds: retryAfter === null ? null : Number(retryAfter),
  })
}

/** Begins with a capital and ends with a full stop. */
function sentence(text: string): string {
  const named = text.replace(/^url /, "the URL ")
  const begun = `${named.charAt(0).toUpperCase()}${named.slice(1)}`
  return /[.!?]$/.test(begun) ? begun : `${begun}.`
}

/** The data of an answer. */
export async function dataOf<Data>(
  asked: Promise<{ readonly data?: { readonly data: Data } }>,
): Promise<Data> {
  const { data } = await asked
  if (data === undefined) throw new ApiFault("The service answered nothing.")
  return data.data
}

export function asFault(cause: unknown): ApiFault {
  return cause instanceof ApiFault ? cause : new ApiFault("This page failed. Reload it.")
}
