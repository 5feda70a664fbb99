/** Calls of `/portal/api`, with the types of its document. A refusal becomes an `ApiFault`. */

import createClient from "openapi-fetch"
import { PERSON_HEADER, personIn } from "../../../model/page-person.ts"
import { ApiFault, NO_ANSWER, SIGNED_OUT, faultIn } from "../faults.ts"
import { pageData } from "../page-data.ts"
import { forgetInput, sessionLost } from "../session-watch.ts"
import type { Door, SessionNow } from "../session-watch.ts"
import type { components, paths } from "./api-types.ts"

export { dataOf } from "../answer.ts"

export type Schemas = components["schemas"]

export const api = createClient<paths>({ baseUrl: "" })

type Me = Schemas["Me"]

const { me } = pageData<{ readonly me: Me | null }>()

api.use({
  onRequest: ({ request }) => {
    if (request.method !== "GET") request.headers.set("X-Curbline-Portal", "1")
    if (me !== null) request.headers.set(PERSON_HEADER, personOf(me))
    return request
  },
  onResponse: async ({ request, response }) => {
    if (!response.ok) throw await faultOf(response)
    if (request.method !== "GET") forgetInput()
  },
  onError: () => new ApiFault(NO_ANSWER),
})

function personOf({ account, organization }: Me): string {
  return personIn(account.account_id, organization.organization_id)
}

async function faultOf(response: Response): Promise<ApiFault> {
  const fault = await faultIn(response)
  if (fault.code !== "SIGN_IN_REQUIRED" || me === null) return fault
  sessionLost(DOOR)
  return new ApiFault(SIGNED_OUT, fault)
}

export const DOOR: Door = { signIn: "/portal/sign-in", home: "/portal", readNow }

/** Asked without the header, so that the answer names the person who is signed in. */
async function readNow(): Promise<SessionNow> {
  const response = await fetch("/portal/api/session").catch(() => null)
  if (response?.status === 401) return { type: "ended" }
  if (response?.ok !== true || me === null) return { type: "unknown" }
  const { data: now } = (await response.json()) as { readonly data: Me }
  if (personOf(now) === personOf(me)) return { type: "same" }
  return { type: "other", name: `${now.account.name} (${now.organization.name})` }
}
