/**
 * The seven steps to production access, as they are done: when, by whom, and what is missing. Each is read from what the
 * organization really did; times and names of steps that were done before they were noted are unknown.
 */

import { TurnedAway } from "../../model/values/errors.ts"
import { DELIVERY_STATUSES } from "../../model/delivery.ts"
import { STEPS_OF } from "../../model/requests/portal.ts"
import type { OnboardingCourse, OnboardingStep } from "../../model/requests/portal.ts"
import { RESERVATION_STATUSES } from "../../model/reservation.ts"
import type { ReservationStatus } from "../../model/reservation.ts"
import type { WebhookArea } from "../../model/webhook.ts"
import type { EpochMs } from "../../model/values/time.ts"
import { AccessRows, isEnrolled } from "../../http/access/rows.ts"
import type { ApiKey } from "../../http/access/rows.ts"
import { DeliveryRows } from "../../areas/direct-delivery/rows.ts"
import { ReservationRows } from "../../areas/reservations/rows.ts"
import { WebhookStore } from "../../areas/webhooks/store.ts"
import type { WebhookEndpoint } from "../../areas/webhooks/store.ts"
import type { Actor } from "../../engine/services/actor.ts"
import { Routine } from "../../engine/services/routine.ts"
import { PortalDeliveries } from "./deliveries.ts"
import { MilestoneRows } from "./milestones.ts"
import type { Milestone, ReachedMilestone } from "./milestones.ts"
import { PortalRows, ProfileRows } from "./rows.ts"

export interface Step {
  readonly step: OnboardingStep
  readonly isDone: boolean
  /** Null when it is not done, or the time was not noted. */
  readonly doneAtMs: EpochMs | null
  readonly doneBy: Doer | null
  /** What is missing, as a sentence; null when it is done. */
  readonly hint: string | null
}

/** A member by name, or a key by the last four characters of its value. */
export interface Doer {
  readonly type: Actor["type"]
  readonly name: string
}

/** The milestone that notes when a step was done; the first key is a row itself. */
const MILESTONE_OF: Readonly<Record<Exclude<OnboardingStep, "sandbox_key">, Milestone>> = {
  organization_profile: "profile_set",
  sandbox_site: "site_made",
  sandbox_webhook: "webhook_registered",
  sandbox_quote: "quote_made",
  sandbox_delivery: "delivery_completed",
  webhook_acknowledged: "webhook_acknowledged",
  fleet_enrolment: "fleet_enrolled",
  reservation_webhook: "webhook_registered",
  sandbox_reservation: "reservation_made",
  completed_reservation: "reservation_completed",
  reservation_acknowledged: "reservation_acknowledged",
}

type Reached = ReadonlyMap<Milestone, ReachedMilestone>

/** All seven, in order. A key that was created and revoked counts: steps stay completed. */
export const stepsOf = Routine.fn(function* (organizationId: string, course: OnboardingCourse) {
  const milestones = yield* (yield* MilestoneRows).of(organizationId)
  const members = yield* (yield* PortalRows).accounts(organizationId)
  const nameById = new Map(members.map(({ accountId, name }) => [accountId, name]))
  const own = yield* course === "deliveries"
    ? deliveryProgress(organizationId, milestones)
    : reservationProgress(organizationId, milestones)
  const reachedBy = new Map([...(yield* commonProgress(organizationId, milestones)), ...own])
  return yield* Routine.forEach(STEPS_OF[course], (step) => {
    const reached = reachedBy.get(step)
    if (reached === undefined) return Routine.map(hintOf(step, organizationId), (hint) => toDo(step, hint))
    return Routine.succeed<Step>({
      step,
      isDone: true,
      doneAtMs: reached?.atMs ?? null,
      doneBy: doerOf(reached?.by ?? null, nameById),
      hint: null,
    })
  })
})

/** Fails unless all seven are done. */
export const requireSteps = Routine.fn(function* (organizationId: string, course: OnboardingCourse) {
  const steps = yield* stepsOf(organizationId, course)
  if (steps.some(({ isDone }) => !isDone)) return yield* new TurnedAway({ code: "ONBOARDING_INCOMPLETE" })
})

/** Steps that are done; null where it is not known when. */
type Progress = readonly (readonly [OnboardingStep, ReachedMilestone | null])[]

const commonProgress = Routine.fn(function* (organizationId: string, milestones: Reached) {
  const profile = yield* (yield* ProfileRows).profile(organizationId)
  const keys = yield* (yield* AccessRows).keys(organizationId)
  const first = keys.find(({ environment }) => environment === "sandbox")
  return [
    ...doneIf(profile !== null, "organization_profile", milestones),
    ...(first === undefined ? [] : [["sandbox_key", madeBy(first)] as const]),
  ] satisfies Progress
})

const deliveryProgress = Routine.fn(function* (organizationId: string, milestones: Reached) {
  const progress = yield* (yield* PortalDeliveries).progress(organizationId)
  return [
    ...doneIf(progress.hasConfiguredSite, "sandbox_site", milestones),
    ...doneIf(progress.hasWebhook, "sandbox_webhook", milestones),
    ...doneIf(progress.hasQuote, "sandbox_quote", milestones),
    ...doneIf(progress.hasCompletedDelivery, "sandbox_delivery", milestones),
    ...doneIf(progress.hasAcknowledgedWebhook, "webhook_acknowledged", milestones),
  ] satisfies Progress
})

const reservationProgress = Routine.fn(function* (organizationId: string, milestones: Reached) {
  const organization = yield* (yield* AccessRows).organization(organizationId)
  const isIn = organization !== null && isEnrolled(organization, "sandbox")
  const [endpoint] = yield* (yield* WebhookStore).endpoints({
    ...sandboxOf(organizationId),
    area: "reservations",
  })
  // Reservations of before the milestones were noted count too.
  const hasAny = (statuses: readonly ReservationStatus[]) =>
    Routine.map(reservationsOf(organizationId, statuses), (found) => found.length > 0)
  const hasMade = milestones.has("reservation_made") || (yield* hasAny(RESERVATION_STATUSES))
  const hasCompleted = milestones.has("reservation_completed") || (yield* hasAny(["completed"]))
  return [
    ...doneIf(isIn, "fleet_enrolment", milestones),
    // An endpoint of reservations cannot be deleted, so its row says when it was registered.
    ...(endpoint === undefined
      ? []
      : [["reservation_webhook", { atMs: endpoint.createdAtMs, by: null }] as const]),
    ...doneIf(hasMade, "sandbox_reservation", milestones),
    ...doneIf(hasCompleted, "completed_reservation", milestones),
    ...doneIf(milestones.has("reservation_acknowledged"), "reservation_acknowledged", milestones),
  ] satisfies Progress
})

function doneIf(
  isDone: boolean,
  step: Exclude<OnboardingStep, "sandbox_key">,
  milestones: Reached,
): Progress {
  return isDone ? [[step, milestones.get(MILESTONE_OF[step]) ?? null]] : []
}

function sandboxOf(organizationId: string) {
  return { organizationId, environment: "sandbox" } as const
}

function toDo(step: OnboardingStep, hint: string): Step {
  return { step, isDone: false, doneAtMs: null, doneBy: null, hint }
}

function madeBy(key: ApiKey): ReachedMilestone {
  const by = key.createdBy === null ? null : ({ type: "member", accountId: key.createdBy } as const)
  return { atMs: key.createdAtMs, by }
}

/** Null for a member who has left. */
function doerOf(by: Actor | null, nameById: ReadonlyMap<string, string>): Doer | null {
  if (by === null) return null
  const name = by.type === "key" ? by.lastFour : nameById.get(by.accountId)
  return name === undefined ? null : { type: by.type, name }
}

const hintOf = Routine.fn(function* (step: OnboardingStep, organizationId: string) {
  switch (step) {
    case "organization_profile":
      return "The organization has no contact address, to which operations write."
    case "sandbox_key":
      return "There is no API key of the sandbox."
    case "sandbox_site":
      return yield* siteHint(organizationId)
    case "sandbox_webhook":
      return "No endpoint for direct delivery is registered in the sandbox."
    case "sandbox_quote":
      return "No quote has been requested for a site of the sandbox."
    case "sandbox_delivery":
      return yield* deliveryHint(organizationId)
    case "webhook_acknowledged":
      return yield* acknowledgementHint(organizationId, "direct_delivery")
    case "fleet_enrolment":
      return "The organization is not enrolled as a fleet partner: the sandbox enrols it at once."
    case "reservation_webhook":
      return "No endpoint for reservations is registered in the sandbox."
    case "sandbox_reservation":
      return "No arrival window has been reserved in the sandbox."
    case "completed_reservation":
      return yield* reservationHint(organizationId)
    case "reservation_acknowledged":
      return yield* acknowledgementHint(organizationId, "reservations")
  }
})

const siteHint = Routine.fn(function* (organizationId: string) {
  const [unready] = yield* (yield* PortalDeliveries).sites({ organizationId, environment: "sandbox" })
  if (unready === undefined) return "There is no site in the sandbox."
  const lacks = unready.isConfigured ? "no vehicle" : "no service area or no price"
  return `The site ${unready.name} has ${lacks}.`
})

const IN_PROGRESS = DELIVERY_STATUSES.filter((status) => status !== "CANCELLED" && status !== "COMPLETED")

const deliveryHint = Routine.fn(function* (organizationId: string) {
  const [latest] = yield* (yield* DeliveryRows).list({
    of: { organizationId, environment: "sandbox" },
    statuses: IN_PROGRESS,
    createdAfterMs: null,
    createdBeforeMs: null,
    search: null,
    beforeNumber: null,
    limit: 1,
  })
  return latest === undefined
    ? "No delivery of the sandbox is in progress: create one and advance it to COMPLETED."
    : `The delivery ${latest.externalDeliveryId} is ${latest.status}: advance it to COMPLETED.`
})

/** The newest of the sandbox with one of the statuses. */
export const reservationsOf = Routine.fn(function* (
  organizationId: string,
  statuses: readonly ReservationStatus[],
) {
  return yield* (yield* ReservationRows).list({
    ...sandboxOf(organizationId),
    statuses,
    zoneId: null,
    retailerId: null,
    orderNumber: null,
    search: null,
    arrivalFromMs: null,
    arrivalToMs: null,
    beforeNumber: null,
    limit: 1,
  })
})

const reservationHint = Routine.fn(function* (organizationId: string) {
  const [latest] = yield* reservationsOf(organizationId, ["requested", "confirmed", "arrived"])
  return latest === undefined
    ? "No reservation of the sandbox is open: book one and advance it until the robot departs."
    : `The order ${latest.orderNumber} is ${latest.status}: advance it until the robot departs.`
})

const acknowledgementHint = Routine.fn(function* (organizationId: string, area: WebhookArea) {
  const endpoints = yield* (yield* WebhookStore).endpoints({ ...sandboxOf(organizationId), area })
  if (endpoints.length === 0) return "No endpoint is registered that could answer an event with 2xx."
  const failing = endpoints.find(({ consecutiveFailures }) => consecutiveFailures > 0)
  return failing === undefined ? "No event has been answered with 2xx yet." : failingHint(failing)
})

/** Without the path, which may contain a secret. */
export function failingHint({ url, consecutiveFailures, disabledAtMs }: WebhookEndpoint): string {
  const times = consecutiveFailures === 1 ? "once" : `${consecutiveFailures} times in a row`
  const off = disabledAtMs === null ? "" : " and is disabled"
  return `The endpoint at ${new URL(url).host} failed ${times}${off}.`
}
