/**
 * The events of an organization in the sandbox, in order, with the bytes that its endpoints get: for developers who have no
 * public URL. A caller sees the events of an API if its key may read what they are about.
 */

import type { Partner, Permission } from "../../model/caller.ts"
import { PAGE_SIZE } from "../../model/values/limits.ts"
import type { FollowEventsRequest } from "../../model/requests/follow.ts"
import type { WebhookArea } from "../../model/webhook.ts"
import { requirePermission } from "../../engine/services/permissions.ts"
import { sealedCursors } from "../../engine/services/cursors.ts"
import { DigestKey } from "../../engine/services/digest-key.ts"
import { Routine } from "../../engine/services/routine.ts"
import { service } from "../../engine/services/service.ts"
import { WebhookStore } from "./store.ts"
import type { SandboxEvent } from "./store.ts"

export interface SandboxEventPage {
  /** The APIs whose events the caller may read. */
  readonly areas: readonly WebhookArea[]
  /** Oldest first. */
  readonly events: readonly SandboxEvent[]
  /** Leads to what comes behind these; never null, because more events will come. */
  readonly nextCursor: string
  readonly hasMore: boolean
}

export class SandboxEvents extends service<SandboxEvents>()("SandboxEvents", () => ({ list })) {}

/** What a caller must also be allowed to read, by API. */
const READING: Readonly<Record<WebhookArea, Permission>> = {
  direct_delivery: "deliveries:read",
  reservations: "reservations:read",
}

const AREAS = ["direct_delivery", "reservations"] as const

const list = Routine.fn(function* (
  caller: Partner,
  { cursor, start = "oldest", limit = PAGE_SIZE }: FollowEventsRequest,
) {
  yield* requirePermission(caller, "events:read")
  const store = yield* WebhookStore
  const { key } = yield* DigestKey
  const { organizationId, permissions } = caller
  const areas = AREAS.filter((area) => permissions.includes(READING[area]))
  const { cursorOf, placeOf } = sealedCursors({ key, list: "sandbox events", owner: organizationId })
  if (cursor === undefined && start === "newest") {
    const nextCursor = cursorOf(yield* store.lastEvent(organizationId))
    return { areas, events: [], nextCursor, hasMore: false } satisfies SandboxEventPage
  }
  const after = cursor === undefined ? 0 : yield* placeOf(cursor)
  // One more than shown says whether there are more.
  const found = yield* store.keptEvents({ organizationId, areas, after, limit: limit + 1 })
  const events = found.slice(0, limit)
  const last = events.at(-1)?.number ?? after
  return {
    areas,
    events,
    nextCursor: cursorOf(last),
    hasMore: found.length > limit,
  } satisfies SandboxEventPage
})
