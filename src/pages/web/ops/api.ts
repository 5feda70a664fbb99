/**
 * Calls of the operations API with the session of this browser: `api` has the types of the API's document. A refusal
 * becomes an `ApiFault`; a session that has ended leads to the sign-in page.
 */

import createClient from "openapi-fetch"
import { FORM_KEY_HEADER } from "../../../model/live-group.ts"
import { dataOf } from "../answer.ts"
import type { Asked } from "../answer.ts"
import { PERSON_HEADER } from "../../../model/page-person.ts"
import { ApiFault, NO_ANSWER, SIGNED_OUT, faultIn } from "../faults.ts"
import { forgetInput, sessionLost } from "../session-watch.ts"
import type { Door, SessionNow } from "../session-watch.ts"
import type { components, paths } from "./api-types.ts"
import { opsData, takeFormKey } from "./session.ts"
import type { Me, OpsData } from "./session.ts"

export { dataOf } from "../answer.ts"

export type Schemas = components["schemas"]

export type Method = "DELETE" | "PATCH" | "POST" | "PUT"

export const api = createClient<paths>({ baseUrl: "" })

api.use({
  onRequest: ({ request }) => {
    if (request.method !== "GET") request.headers.set(FORM_KEY_HEADER, opsData().me?.form_key ?? "")
    for (const [name, value] of Object.entries(personHeader())) request.headers.set(name, value)
    return request
  },
  onResponse: async ({ request, response }) => {
    if (!response.ok) throw await refusalIn(response)
    if (request.method !== "GET") forgetInput()
  },
  onError: () => new ApiFault(NO_ANSWER),
})

function personHeader(): Readonly<Record<string, string>> {
  const { me } = opsData()
  return me === null ? {} : { [PERSON_HEADER]: me.operator_id }
}

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
  return answer<Data>(path, { headers: personHeader() })
}

/** A long answer that changes rarely; null when the one with that tag is still the present one. */
export async function readUnlessKnown<Body>(
  path: string,
  tag: string | null,
): Promise<{ readonly body: Body | null; readonly headers: Headers }> {
  const headers = { ...personHeader(), ...(tag === null ? {} : { "If-None-Match": tag }) }
  const response = await fetch(path, { headers }).catch(() => {
    throw new ApiFault(NO_ANSWER)
  })
  if (response.status === 304) return { body: null, headers: response.headers }
  if (!response.ok) throw await refusalIn(response)
  return { body: (await response.json()) as Body, headers: response.headers }
}

/** Every row of a list, whose field of the answer is named. */
export async function everyPage<Row>(
  path: string,
  field: string,
  of: Readonly<Record<string, string>>,
): Promise<readonly Row[]> {
  const found: Row[] = []
  let cursor: string | null = null
  do {
    const query = new URLSearchParams({
      ...of,
      limit: String(PAGE_ROWS),
      ...(cursor === null ? {} : { cursor }),
    })
    const page: Readonly<Record<string, unknown>> = await read(`${path}?${query.toString()}`)
    found.push(...((page[field] ?? []) as readonly Row[]))
    cursor = page["next_cursor"] as string | null
  } while (cursor !== null)
  return found
}

/** Sends a change, and gives the data of its answer. */
export function send<Data = unknown>(method: Method, path: string, body?: unknown): Promise<Data> {
  const headers = { ...personHeader(), [FORM_KEY_HEADER]: opsData().me?.form_key ?? "" }
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
  if (init.method !== undefined) forgetInput()
  return data
}

export const DOOR: Door = { signIn: "/ops/sign-in", home: "/ops", readNow }

/** Reads the page again: the service writes into it who is signed in. */
async function readNow(): Promise<SessionNow> {
  const { me } = opsData()
  const response = await fetch(window.location.pathname, { headers: { accept: "text/html" } }).catch(
    () => null,
  )
  if (response?.ok !== true || me === null) return { type: "unknown" }
  const page = new DOMParser().parseFromString(await response.text(), "text/html")
  const { me: now } = JSON.parse(page.getElementById("data")?.textContent ?? "null") as OpsData
  if (now === null) return { type: "ended" }
  if (now.operator_id !== me.operator_id) return { type: "other", name: now.label }
  takeFormKey(now.form_key)
  return { type: rightsOf(now) === rightsOf(me) ? "same" : "changed" }
}

/** As text, to compare what two answers allow. */
function rightsOf({ role, site_ids, operations, needs_factor }: Me): string {
  return JSON.stringify([role, site_ids, operations, needs_factor])
}

const ENDED: readonly (string | null)[] = ["SIGN_IN_REQUIRED", "INVALID_OPERATOR_TOKEN"]

const SIGNED_IN_ANEW = "You have signed in anew in another tab. Nothing was sent: send it again."

async function refusalIn(response: Response): Promise<ApiFault> {
  const fault = await faultIn(response)
  if (opsData().me === null) return fault
  if (fault.code === "CROSS_SITE_REQUEST" && ["changed", "same"].includes((await readNow()).type))
    return new ApiFault(SIGNED_IN_ANEW, fault)
  if (fault.code !== "CROSS_SITE_REQUEST" && !ENDED.includes(fault.code)) return fault
  sessionLost(DOOR)
  return new ApiFault(SIGNED_OUT, fault)
}
