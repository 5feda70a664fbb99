/**
 * The seven steps to production access, as they are done: when, by whom, and what is missing. Each is read from what the
 * organization really did; times and names of steps that were done before they were noted are unknown.
 */

import { DELIVERY_STATUSES } from "../../model/delivery.ts"
import { ONBOARDING_STEPS } from "../../model/requests/portal.ts"
import type { OnboardingStep } from "../../model/requests/portal.ts"
import type { EpochMs } from "../../model/values/time.ts"
import { AccessRows } from "../../http/access/rows.ts"
import type { ApiKey } from "../../http/access/rows.ts"
import { DeliveryRows } from "../../areas/direct-delivery/rows.ts"
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
}

/** All seven, in order. A key that was created and revoked counts: steps stay completed. */
export const stepsOf = Routine.fn(function* (organizationId: string) {
  const profile = yield* (yield* ProfileRows).profile(organizationId)
  const keys = yield* (yield* AccessRows).keys(organizationId)
  const first = keys.find(({ environment }) => environment === "sandbox")
  const progress = yield* (yield* PortalDeliveries).progress(organizationId)
  const milestones = yield* (yield* MilestoneRows).of(organizationId)
  const members = yield* (yield* PortalRows).accounts(organizationId)
  const nameById = new Map(members.map(({ accountId, name }) => [accountId, name]))
  const isDone: Readonly<Record<OnboardingStep, boolean>> = {
    organization_profile: profile !== null,
    sandbox_key: first !== undefined,
    sandbox_site: progress.hasConfiguredSite,
    sandbox_webhook: progress.hasWebhook,
    sandbox_quote: progress.hasQuote,
    sandbox_delivery: progress.hasCompletedDelivery,
    webhook_acknowledged: progress.hasAcknowledgedWebhook,
  }
  return yield* Routine.forEach(ONBOARDING_STEPS, (step) => {
    if (!isDone[step]) return Routine.map(hintOf(step, organizationId), (hint) => toDo(step, hint))
    const reached = step === "sandbox_key" ? madeBy(first) : (milestones.get(MILESTONE_OF[step]) ?? null)
    return Routine.succeed<Step>({
      step,
      isDone: true,
      doneAtMs: reached?.atMs ?? null,
      doneBy: doerOf(reached?.by ?? null, nameById),
      hint: null,
    })
  })
})

function toDo(step: OnboardingStep, hint: string): Step {
  return { step, isDone: false, doneAtMs: null, doneBy: null, hint }
}

function madeBy(key: ApiKey | undefined): ReachedMilestone | null {
  if (key === undefined) return null
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
      return yield* acknowledgementHint(organizationId)
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

const acknowledgementHint = Routine.fn(function* (organizationId: string) {
  const endpoints = yield* (yield* WebhookStore).endpoints({
    organizationId,
    environment: "sandbox",
    area: "direct_delivery",
  })
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
