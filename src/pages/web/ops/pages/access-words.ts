/** Requests that operations decide, as the operations API gives them, and their words. */

import type { Schemas } from "../api.ts"

type OnboardingStep = Schemas["AccessRequestCase"]["steps"][number]["step"]

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
  /** Absent: production access. */
  readonly kind?: "fleet_enrolment" | "production_sites"
  /** Of production access: whose steps were done. */
  readonly course?: "deliveries" | "reservations"
  /** What the organization says about it. */
  readonly text?: string | null
  readonly sites: readonly RequestedSite[]
  readonly site_ids: readonly string[]
}

export interface ProvedStep {
  readonly step: OnboardingStep
  readonly is_done: boolean
  readonly done_at: string | null
  readonly hint: string | null
  readonly evidence: string | null
}

export interface AccessRequestCase extends AccessRequest {
  readonly asked_by: { readonly name: string; readonly role: string } | null
  readonly steps: readonly ProvedStep[]
}

export const STEP_NAMES: Readonly<Record<OnboardingStep, string>> = {
  organization_profile: "Organization profile",
  sandbox_key: "Sandbox key",
  sandbox_site: "Sandbox site",
  sandbox_webhook: "Sandbox webhook",
  sandbox_quote: "Quote",
  sandbox_delivery: "Delivery to COMPLETED",
  webhook_acknowledged: "Webhook answered 2xx",
  fleet_enrolment: "Enrolment in the sandbox",
  reservation_webhook: "Sandbox webhook",
  sandbox_reservation: "Reservation",
  completed_reservation: "Reservation to completed",
  reservation_acknowledged: "Webhook answered 2xx",
}

/** "wants 2 sites", in the list. */
export function wanted({ kind, course, sites }: AccessRequest): string {
  if (kind === "fleet_enrolment") return "wants to be a fleet partner"
  if (kind === undefined && course === "reservations") return "wants production for its robots"
  if (sites.length === 0) return "wants no site yet"
  return sites.length === 1 ? "wants 1 site" : `wants ${sites.length} sites`
}

/** What an approval did, in the list of decisions. */
export function done({ kind, course, site_ids: { length } }: AccessRequest): string {
  if (kind === "fleet_enrolment") return "fleet partner"
  if (length === 0) return course === "reservations" ? "production for its robots" : "no sites made"
  return length === 1 ? "1 site made" : `${length} sites made`
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

/** What an approved request means, after the name of the organization. */
export const APPROVED = {
  access: "may use production",
  fleet_enrolment: "is a fleet partner",
  production_sites: "has its sites",
}

/** The sentence at the head of a request. */
export function caseSentence({ kind, organization_name: name, status, steps }: AccessRequestCase): string {
  if (status === "approved") return `${name} ${APPROVED[kind ?? "access"]}.`
  if (status === "declined") return `${name} was declined.`
  const proved = steps.filter(({ is_done: isDone }) => isDone).length
  const share = `${NUMBERS[proved] ?? proved} of ${NUMBERS[steps.length] ?? steps.length} steps are proved`
  return proved === steps.length ? `${name} is ready: ${share}.` : `${name} is not ready: ${share}.`
}
