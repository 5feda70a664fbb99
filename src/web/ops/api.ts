/**
 * Calls of the operations API with the session of this browser: `api` has the types of the API's document. A refusal
 * becomes an `ApiFault`; a session that has ended leads to the sign-in page.
 */

import createClient from "openapi-fetch"
import { FORM_KEY_HEADER } from "../../model/live-group.ts"
import { dataOf } from "../answer.ts"
import type { Asked } from "../answer.ts"
import { ApiFault, NO_ANSWER, faultIn } from "../faults.ts"
import type { components, paths } from "./api-types.ts"
import { opsData } from "./session.ts"

export { dataOf } from "../answer.ts"

export type Schemas = components["schemas"]

export type Method = "DELETE" | "PATCH" | "POST" | "PUT"

export const api = createClient<paths>({ baseUrl: "" })

api.use({
  onRequest: ({ request }) => {
    if (request.method !== "GET") request.headers.set(FORM_KEY_HEADER, opsData().me?.form_key ?? "")
    return request
  },
  onResponse: async ({ response }) => {
    if (!response.ok) throw await refusalIn(response)
  },
  onError: () => new ApiFault(NO_ANSWER),
})

/** The largest page of a list. */
const PAGE_ROWS = 100

interface PageQuery {
  readonly limit: number
  readonly cursor?: string
}

/** Every row of a list, page by page. */
export async function everyRow<Page extends { readonly next_cursor: string | null }, Row>(
  askPage: (query: PageQuery) => Asked<Page>,
  rowsIn: (page: Page) => readonly Row[],
): Promise<readonly Row[]> {
  const found: Row[] = []
  let cursor: string | null = null
  do {
    const query: PageQuery = { limit: PAGE_ROWS, ...(cursor === null ? {} : { cursor }) }
    const page: Page = await dataOf(askPage(query))
    found.push(...rowsIn(page))
    cursor = page.next_cursor
  } while (cursor !== null)
  return found
}

/** Reads the data of a path such as `/internal/v1/sites`. */
export function read<Data>(path: string): Promise<Data> {
  return answer<Data>(path, {})
}

/** Sends a change, and gives the data of its answer. */
export function send<Data = unknown>(method: Method, path: string, body?: unknown): Promise<Data> {
  const headers = { [FORM_KEY_HEADER]: opsData().me?.form_key ?? "" }
  if (body === undefined) return answer<Data>(path, { method, headers })
  const json = { ...headers, "Content-Type": "application/json" }
  return answer<Data>(path, { method, headers: json, body: JSON.stringify(body) })
}

async function answer<Data>(path: string, init: RequestInit): Promise<Data> {
  const response = await fetch(path, init).catch(() => {
    throw new ApiFault(NO_ANSWER)
  })
  if (!response.ok) throw await refusalIn(response)
  const { data } = (await response.json()) as { readonly data: Data }
  return data
}

const SIGN_IN = "/ops/sign-in"

async function refusalIn(response: Response): Promise<ApiFault> {
  const fault = await faultIn(response)
  const { pathname, search } = window.location
  const isEnded = fault.code === "SIGN_IN_REQUIRED" || fault.code === "INVALID_OPERATOR_TOKEN"
  if (isEnded && pathname !== SIGN_IN) {
    window.location.assign(`${SIGN_IN}?to=${encodeURIComponent(`${pathname}${search}`)}`)
  }
  return fault
}
