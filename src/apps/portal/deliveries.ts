/**
 * Direct delivery for people of an organization: all of its sites, with ids of ours. Each command is the API's own and
 * has the same refusals; objects of another organization or environment are `NOT_FOUND`. Source: direct delivery
 * contract, states and transitions (advance, cancel); the seven steps are ours.
 */

import type { Partner } from "../../model/caller.ts"
import type { DeliveryStatus } from "../../model/delivery.ts"
import { isConfigured } from "../../model/site.ts"
import type { EpochMs } from "../../model/values/time.ts"
import { currentDelivery, deliveryGroup } from "../../areas/direct-delivery/commands.ts"
import { cursorOf, numberBefore } from "../../areas/direct-delivery/cursor.ts"
import { DirectDelivery } from "../../areas/direct-delivery/direct-delivery.ts"
import type { DeliveryRecord } from "../../areas/direct-delivery/record.ts"
import { DeliveryRows, DeliverySites } from "../../areas/direct-delivery/rows.ts"
import type { DeliverySite } from "../../areas/direct-delivery/rows.ts"
import { ActorHost, batch } from "../../engine/services/host.ts"
import { Routine } from "../../engine/services/routine.ts"
import { service } from "../../engine/services/service.ts"
import { WebhookStore } from "../../areas/webhooks/store.ts"
import { deliveryFigures } from "./delivery-figures.ts"
import { MilestoneRows } from "./milestones.ts"
import { notFound } from "./refusals.ts"

/** A site as its organization reads it. */
export interface PortalSite {
  /** The value of `x-retailer-id`. */
  readonly siteId: string
  readonly name: string
  readonly timezone: string | null
  readonly isActive: boolean
  /** True when it has a service area and a delivery price. */
  readonly isConfigured: boolean
}

/** A delivery in a list; `id` is unique among all of the organization's. */
export interface PortalDelivery {
  readonly id: string
  readonly siteId: string
  /** The API's record. */
  readonly record: DeliveryRecord
}

export interface DeliveryQuery {
  readonly siteId: string | null
  readonly statuses: readonly DeliveryStatus[] | null
  /** A part of the external id, in any case of letters. */
  readonly search: string | null
  /** Created at or after it. */
  readonly fromMs: EpochMs | null
  /** Created before it. */
  readonly untilMs: EpochMs | null
  readonly limit: number
  readonly cursor: string | null
}

/** Each is true once it has ever been true in the organization's sandbox. */
export interface SandboxProgress {
  /** A site with a service area and a price. */
  readonly hasConfiguredSite: boolean
  readonly hasWebhook: boolean
  readonly hasQuote: boolean
  readonly hasCompletedDelivery: boolean
  /** True when an endpoint answered 2xx. */
  readonly hasAcknowledgedWebhook: boolean
}

export class PortalDeliveries extends service<PortalDeliveries>()("PortalDeliveries", () => ({
  sites,
  list,
  read,
  advance,
  cancel,
  progress,
  figures: deliveryFigures,
})) {}

type Owner = Pick<Partner, "environment" | "organizationId">

const sites = Routine.fn(function* (owner: Owner) {
  const found = yield* (yield* DeliverySites).ofOrganization(owner)
  return found.map(siteView)
})

export function siteView(site: DeliverySite): PortalSite {
  const { siteId, name, timezone, isActive } = site
  return { siteId, name, timezone, isActive, isConfigured: isConfigured(site) }
}

/** Newest first; `nextCursor` is null at the end. The list of another organization's site is empty. */
const list = Routine.fn(function* (caller: Partner, query: DeliveryQuery) {
  const { siteId, fromMs, limit, cursor } = query
  const { organizationId, environment } = caller
  const beforeNumber = yield* numberBefore(
    cursor,
    (row) => isOwn(caller, row) && (siteId === null || row.siteId === siteId),
  )
  if (siteId !== null && !isOwn(caller, yield* (yield* DeliverySites).byId(siteId))) return yield* notFound()
  const rows = yield* DeliveryRows
  const host = yield* ActorHost
  return yield* host.view(
    [],
    Routine.gen(function* () {
      const found = yield* rows.list({
        of: siteId === null ? { organizationId, environment } : { siteId },
        statuses: query.statuses,
        createdAfterMs: fromMs === null ? null : fromMs - 1,
        createdBeforeMs: query.untilMs,
        search: query.search,
        beforeNumber,
        limit: limit + 1,
      })
      const page = found.slice(0, limit)
      const last = page.at(-1)
      const nextCursor = found.length > limit && last !== undefined ? cursorOf(last.deliveryId) : null
      const deliveries = yield* batch(
        page.map(({ deliveryId, siteId: of }) =>
          Routine.map(currentDelivery(deliveryId), (record): PortalDelivery => ({
            id: deliveryId,
            siteId: of,
            record,
          })),
        ),
      )
      return { deliveries, nextCursor }
    }),
  )
})

/** Also for a deactivated site: its deliveries can still be read. */
const read = Routine.fn(function* (caller: Partner, id: string) {
  const { siteId } = yield* ownDelivery(caller, id)
  const host = yield* ActorHost
  const record = yield* host.view([deliveryGroup(id)], currentDelivery(id))
  return { id, siteId, record } satisfies PortalDelivery
})

/** One step, only in the sandbox. */
const advance = Routine.fn(function* (caller: Partner, id: string) {
  const { siteId, externalDeliveryId } = yield* ownDelivery(caller, id)
  const record = yield* (yield* DirectDelivery).advance(caller, siteId, externalDeliveryId)
  return { id, siteId, record } satisfies PortalDelivery
})

/** The same as the API's PATCH. */
const cancel = Routine.fn(function* (
  caller: Partner,
  { id, reason }: { readonly id: string; readonly reason: string | null },
) {
  const { siteId, externalDeliveryId } = yield* ownDelivery(caller, id)
  const request = { status: "CANCELLED", cancellation_reason: reason } as const
  const record = yield* (yield* DirectDelivery).cancel(caller, siteId, externalDeliveryId, request)
  return { id, siteId, record } satisfies PortalDelivery
})

const progress = Routine.fn(function* (organizationId: string) {
  const owner = { organizationId, environment: "sandbox" } as const
  const { hasQuote, hasCompleted } = yield* (yield* DeliveryRows).progress(owner)
  const milestones = yield* (yield* MilestoneRows).of(organizationId)
  const endpoints = yield* (yield* WebhookStore).endpoints({ ...owner, area: "direct_delivery" })
  return {
    hasConfiguredSite: (yield* (yield* DeliverySites).ofOrganization(owner)).some(isConfigured),
    // An endpoint that is older than milestones counts too.
    hasWebhook: milestones.has("webhook_registered") || endpoints.length > 0,
    hasQuote,
    hasCompletedDelivery: hasCompleted,
    hasAcknowledgedWebhook: milestones.has("webhook_acknowledged"),
  } satisfies SandboxProgress
})

/** The organization's own delivery, or `NOT_FOUND`. */
export const ownDelivery = Routine.fn(function* (caller: Partner, id: string) {
  const row = yield* (yield* DeliveryRows).byId(id)
  return row !== null && isOwn(caller, row) ? row : yield* notFound()
})

function isOwn(caller: Partner, thing: Owner | null): boolean {
  return thing?.organizationId === caller.organizationId && thing.environment === caller.environment
}
