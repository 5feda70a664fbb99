/**
 * What operations read before they decide on production access: which organization asks, who of it, and what each of the
 * seven steps rests on. Nothing of it is personal but the name of who asked.
 */

import { isConfigured } from "../../model/site.ts"
import { AccessRows } from "../../http/access/rows.ts"
import { DeliveryRows, DeliverySites } from "../../areas/direct-delivery/rows.ts"
import { WebhookStore } from "../../areas/webhooks/store.ts"
import type { WebhookEndpoint } from "../../areas/webhooks/store.ts"
import type { WebhookArea } from "../../model/webhook.ts"
import type { OnboardingCourse, OnboardingStep } from "../../model/requests/portal.ts"
import { failingHint, reservationsOf, stepsOf } from "./onboarding.ts"
import type { Step } from "./onboarding.ts"
import { PortalRows } from "./rows.ts"
import type { AccessRequest, Account } from "./rows.ts"
import { Routine } from "../../engine/services/routine.ts"

/** A step with what proves it, as a phrase; null when nothing is left of it to name. */
export interface ProvedStep extends Step {
  readonly evidence: string | null
}

/** The person who asked; null once they have left the organization. */
export interface Asker {
  readonly name: string
  readonly role: Account["role"]
}

export interface AccessCase {
  readonly organizationName: string
  readonly asker: Asker | null
  readonly steps: readonly ProvedStep[]
}

export const accessCase = Routine.fn(function* (
  { organizationId, requestedBy }: Pick<AccessRequest, "organizationId" | "requestedBy">,
  course: OnboardingCourse,
) {
  const organization = yield* (yield* AccessRows).organization(organizationId)
  const members = yield* (yield* PortalRows).accounts(organizationId)
  const member = members.find(({ accountId }) => accountId === requestedBy)
  const steps = yield* Routine.forEach(yield* stepsOf(organizationId, course), (step) =>
    Routine.map(step.isDone ? evidenceOf(step.step, organizationId) : Routine.succeed(null), (evidence) => ({
      ...step,
      evidence,
    })),
  )
  return {
    organizationName: organization?.name ?? organizationId,
    asker: member === undefined ? null : { name: member.name, role: member.role },
    steps,
  } satisfies AccessCase
})

const evidenceOf = Routine.fn(function* (step: OnboardingStep, organizationId: string) {
  switch (step) {
    case "organization_profile":
      return "Has a contact address for notices"
    case "sandbox_key":
      return yield* keyEvidence(organizationId)
    case "sandbox_site":
      return yield* siteEvidence(organizationId)
    case "sandbox_webhook":
      return yield* endpointEvidence(organizationId, "direct_delivery", subscription)
    case "sandbox_quote":
      return "Asked for the price of a delivery"
    case "sandbox_delivery":
      return yield* deliveryEvidence(organizationId)
    case "webhook_acknowledged":
      return yield* endpointEvidence(organizationId, "direct_delivery", (endpoint) =>
        endpoint.consecutiveFailures > 0 || endpoint.disabledAtMs !== null
          ? failingHint(endpoint)
          : `${new URL(endpoint.url).host} answered its last event with 2xx`,
      )
    case "fleet_enrolment":
      return "Enrolled in the sandbox"
    case "reservation_webhook":
      return yield* endpointEvidence(organizationId, "reservations", subscription)
    case "sandbox_reservation":
      return "Reserved an arrival window"
    case "completed_reservation":
      return yield* reservationEvidence(organizationId)
    case "reservation_acknowledged":
      return yield* endpointEvidence(
        organizationId,
        "reservations",
        ({ url }) => `${new URL(url).host} answered an event with 2xx`,
      )
  }
})

function subscription({ url, subscribedEvents }: WebhookEndpoint): string {
  return `${new URL(url).host}: ${subscribedEvents.join(", ")}`
}

const reservationEvidence = Routine.fn(function* (organizationId: string) {
  const [latest] = yield* reservationsOf(organizationId, ["completed"])
  return latest === undefined ? null : `Order ${latest.orderNumber}`
})

const keyEvidence = Routine.fn(function* (organizationId: string) {
  const keys = yield* (yield* AccessRows).keys(organizationId)
  const key = keys.find(({ environment }) => environment === "sandbox")
  return key === undefined ? null : `…${key.lastFour}: ${key.permissions.join(", ")}`
})

const siteEvidence = Routine.fn(function* (organizationId: string) {
  const owner = { organizationId, environment: "sandbox" } as const
  const sites = yield* (yield* DeliverySites).ofOrganization(owner)
  return sites.find(isConfigured)?.name ?? null
})

const deliveryEvidence = Routine.fn(function* (organizationId: string) {
  const [latest] = yield* (yield* DeliveryRows).list({
    of: { organizationId, environment: "sandbox" },
    statuses: ["COMPLETED"],
    createdAfterMs: null,
    createdBeforeMs: null,
    search: null,
    beforeNumber: null,
    limit: 1,
  })
  return latest?.externalDeliveryId ?? null
})

const endpointEvidence = Routine.fn(function* (
  organizationId: string,
  area: WebhookArea,
  phrase: (endpoint: WebhookEndpoint) => string,
) {
  const scope = { organizationId, environment: "sandbox", area } as const
  const [endpoint] = yield* (yield* WebhookStore).endpoints(scope)
  return endpoint === undefined ? "The endpoint has been removed since" : phrase(endpoint)
})
