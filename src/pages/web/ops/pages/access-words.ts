/** A request for production access as the operations API gives it, and its words. */

export type StepName =
  | "organization_profile"
  | "sandbox_delivery"
  | "sandbox_key"
  | "sandbox_quote"
  | "sandbox_site"
  | "sandbox_webhook"
  | "webhook_acknowledged"

export interface RequestedSite {
  readonly name: string
  readonly address: {
    readonly street: string
    readonly city: string
    readonly state: string
    readonly zip: string
  }
  readonly timezone: string
  readonly expected_deliveries_per_day: number
}

export interface AccessRequest {
  readonly request_id: string
  readonly organization_id: string
  readonly organization_name: string
  readonly status: "approved" | "declined" | "pending"
  readonly requested_at: string
  readonly due_at: string
  readonly is_overdue: boolean
  readonly decided_at: string | null
  readonly decided_by: string | null
  readonly reason: string | null
  readonly sites: readonly RequestedSite[]
  readonly site_ids: readonly string[]
}

export interface ProvedStep {
  readonly step: StepName
  readonly is_done: boolean
  readonly done_at: string | null
  readonly hint: string | null
  readonly evidence: string | null
}

export interface AccessRequestCase extends AccessRequest {
  readonly asked_by: { readonly name: string; readonly role: string } | null
  readonly steps: readonly ProvedStep[]
}

export const STEP_NAMES: Readonly<Record<StepName, string>> = {
  organization_profile: "Organization profile",
  sandbox_key: "Sandbox key",
  sandbox_site: "Sandbox site",
  sandbox_webhook: "Sandbox webhook",
  sandbox_quote: "Quote",
  sandbox_delivery: "Delivery to COMPLETED",
  webhook_acknowledged: "Webhook answered 2xx",
}

const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS
/** Within so many hours the minutes are told too. */
const MINUTES_WITHIN_MS = 10 * HOUR_MS

/** `3 h 20 min left`, `19 h left`, `2 h late`. */
export function timeLeft(dueAt: string, nowMs: number): string {
  const ms = Date.parse(dueAt) - nowMs
  const minutes = Math.floor(Math.abs(ms) / MINUTE_MS)
  const [hours, rest] = [Math.floor(minutes / 60), minutes % 60]
  const text =
    hours === 0
      ? `${rest} min`
      : Math.abs(ms) < MINUTES_WITHIN_MS && rest > 0
        ? `${hours} h ${rest} min`
        : `${hours} h`
  return `${text} ${ms < 0 ? "late" : "left"}`
}

const NUMBERS = ["none", "one", "two", "three", "four", "five", "six", "seven"]

/** The sentence at the head of a request. */
export function caseSentence({ organization_name: name, status, steps }: AccessRequestCase): string {
  if (status === "approved") return `${name} may use production.`
  if (status === "declined") return `${name} was declined.`
  const proved = steps.filter(({ is_done: isDone }) => isDone).length
  const share = `${NUMBERS[proved] ?? proved} of ${NUMBERS[steps.length] ?? steps.length} steps are proved`
  return proved === steps.length ? `${name} is ready: ${share}.` : `${name} is not ready: ${share}.`
}
