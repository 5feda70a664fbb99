/**
 * Calls of the operations API with the session of this browser. Every page reads with `read` and changes with `send`. A
 * refusal becomes an `ApiFault`; a session that has ended leads to the sign-in page.
 */

import { FORM_KEY_HEADER } from "../../model/live-group.ts"
import { ApiFault, NO_ANSWER, faultIn } from "../faults.ts"
import { opsData } from "./session.ts"

export type Method = "DELETE" | "PATCH" | "POST" | "PUT"

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
