/** What an attempt at a receiver came to, for people. */

import type { components } from "./api-types.ts"

type Attempt = Pick<components["schemas"]["WebhookAttempt"], "error" | "status">

/** Why an attempt had no answer, by the service's code for it. */
const ERRORS: Readonly<Record<string, string>> = {
  timeout: "no answer in time",
  connection_failed: "no connection",
  dns_resolution_failed: "unknown host name",
  no_result: "no result: the service stopped, or could not look up the host name",
  lookup_unavailable: "the host name could not be looked up",
  blocked_target: "the address is not public",
  endpoint_inactive: "not sent, the endpoint is off",
}

/** `200`, or why there was no answer. A code without words of its own is shown as it is. */
export function attemptText({ status, error }: Attempt): string {
  if (status !== null) return String(status)
  return error === null ? "in flight" : (ERRORS[error] ?? error.replaceAll("_", " "))
}
