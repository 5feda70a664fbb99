/** Statuses of the APIs as pills, and permissions in words. */

import type { JSX } from "preact"
import type { IconName } from "../design/icon.tsx"
import { Pill } from "../design/pill.tsx"
import type { Tone } from "../design/pill.tsx"
import type { Schemas } from "./api.ts"
import type { Environment } from "./session.ts"
import { presentMs, span } from "./times.ts"

interface Look {
  readonly tone: Tone
  readonly icon: IconName
  readonly word: string
}

type DeliveryStatus = Schemas["Delivery"]["status"]

const DELIVERY_LOOKS: Readonly<Record<DeliveryStatus, Look>> = {
  SCHEDULED: { tone: "idle", icon: "clock", word: "Scheduled" },
  ASSIGNED: { tone: "idle", icon: "check", word: "Assigned" },
  EN_ROUTE_TO_STORE: { tone: "move", icon: "truck", word: "En route to store" },
  ARRIVED_AT_STORE: { tone: "move", icon: "store", word: "Arrived at store" },
  WAITING_FOR_LOAD: { tone: "move", icon: "box", word: "Waiting for load" },
  LOADED: { tone: "move", icon: "box", word: "Loaded" },
  EN_ROUTE_TO_CUSTOMER: { tone: "move", icon: "truck", word: "En route to customer" },
  ARRIVED_AT_CUSTOMER: { tone: "move", icon: "map-pin", word: "Arrived at customer" },
  COMPLETED: { tone: "ok", icon: "circle-check", word: "Completed" },
  CANCELLED: { tone: "idle", icon: "ban", word: "Cancelled" },
}

interface StatusProps<Status> {
  readonly status: Status
  readonly isLarge?: boolean
}

export function DeliveryPill({ status, isLarge = false }: StatusProps<DeliveryStatus>): JSX.Element {
  return <LookPill look={DELIVERY_LOOKS[status]} isLarge={isLarge} />
}

function LookPill({ look, isLarge }: { readonly look: Look; readonly isLarge: boolean }): JSX.Element {
  return (
    <Pill tone={look.tone} icon={look.icon} isLarge={isLarge}>
      {look.word}
    </Pill>
  )
}

export type Outcome = Schemas["SentEvent"]["outcome"]

const OUTCOMES: Readonly<Record<NonNullable<Outcome>, Look>> = {
  sending: { tone: "move", icon: "send", word: "Sending" },
  queued: { tone: "idle", icon: "clock", word: "Queued" },
  waiting: { tone: "wait", icon: "refresh", word: "Retrying" },
  delivered: { tone: "ok", icon: "check", word: "Delivered" },
  dropped: { tone: "bad", icon: "circle-x", word: "Dropped" },
  discarded: { tone: "idle", icon: "ban", word: "Discarded" },
}

/** With the time until the next attempt, if there is one. */
export function OutcomePill({
  outcome,
  nextAt = null,
}: {
  readonly outcome: Outcome
  readonly nextAt?: string | null
}): JSX.Element {
  const { tone, icon, word } =
    outcome === null ? { ...OUTCOMES.discarded, word: "Unknown" } : OUTCOMES[outcome]
  const left = nextAt === null ? 0 : Date.parse(nextAt) - presentMs()
  return (
    <Pill tone={tone} icon={icon}>
      {outcome === "waiting" && left > 0 ? `Retry in ${span(left)}` : word}
    </Pill>
  )
}

type Permission = Schemas["ApiKey"]["permissions"][number]

export const PERMISSION_WORDS: Readonly<Record<string, string>> = {
  "analytics:read": "Read analytics",
  "deliveries:read": "Read deliveries",
  "deliveries:write": "Quote, make and cancel deliveries",
  "events:read": "Follow the sandbox's events",
  "requests:read": "Read the request log",
  "reservations:read": "Read reservations",
  "reservations:write": "Book, move and cancel reservations",
  "retailers:read": "Read retailers and zones",
  "webhooks:manage": "Manage webhooks",
  "sandbox:manage": "Move the sandbox's clock",
}

/** "Read and write deliveries, read analytics". */
export function permissionsInWords(permissions: readonly Permission[]): string {
  const words = permissions.map((permission) => PERMISSION_WORDS[permission] ?? permission)
  const [first = "Nothing", ...rest] = words
  return [first, ...rest.map((word) => `${word.charAt(0).toLowerCase()}${word.slice(1)}`)].join(", ")
}

/** "Calls to the sandbox", "calls to production". */
export function environmentName(environment: Environment): string {
  return environment === "sandbox" ? "the sandbox" : environment
}

/** `$7.99`. */
export function money(cents: number, currency: string): string {
  return new Intl.NumberFormat("en-US", { style: "currency", currency: currency.toUpperCase() }).format(
    cents / 100,
  )
}

type ReservationStatus = Schemas["Reservation"]["status"]

const RESERVATION_LOOKS: Readonly<Record<ReservationStatus, Look>> = {
  requested: { tone: "idle", icon: "clock", word: "Requested" },
  confirmed: { tone: "move", icon: "calendar", word: "Confirmed" },
  arrived: { tone: "move", icon: "map-pin", word: "Arrived" },
  completed: { tone: "ok", icon: "circle-check", word: "Completed" },
  canceled: { tone: "idle", icon: "ban", word: "Cancelled" },
}

/** States by which lists of reservations are filtered. */
export const RESERVATION_CHOICES: readonly (readonly [
  name: string,
  statuses: readonly ReservationStatus[],
])[] = [
  ["All", []],
  ["Ahead", ["requested", "confirmed"]],
  ["Arrived", ["arrived"]],
  ["Completed", ["completed"]],
  ["Cancelled", ["canceled"]],
]

export function ReservationPill({ status, isLarge = false }: StatusProps<ReservationStatus>): JSX.Element {
  return <LookPill look={RESERVATION_LOOKS[status]} isLarge={isLarge} />
}
