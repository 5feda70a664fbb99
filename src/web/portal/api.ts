/** Calls of `/portal/api`, with the types of its document. A refusal becomes an `ApiFault`. */

import createClient from "openapi-fetch"
import { ApiFault, NO_ANSWER, faultIn } from "../faults.ts"
import type { components, paths } from "./api-types.ts"

export { dataOf } from "../answer.ts"

export type Schemas = components["schemas"]

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
  onError: () => new ApiFault(NO_ANSWER),
})

async function faultOf(response: Response): Promise<ApiFault> {
  const fault = await faultIn(response)
  if (fault.code === "SIGN_IN_REQUIRED" && !window.location.pathname.startsWith("/portal/sign-in")) {
    const { pathname, search } = window.location
    window.location.assign(`/portal/sign-in?to=${encodeURIComponent(`${pathname}${search}`)}`)
  }
  return fault
}
