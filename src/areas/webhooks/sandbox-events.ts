/**
 * The events of an organization in the sandbox, in order, with the bytes that its endpoints get: for developers who have no
 * public URL. A caller sees the events of an API if its key may read what they are about.
 */

import { Context, Effect, Layer } from "effect"
import type { Partner, Permission } from "../../model/caller.ts"
import type { Refused } from "../../model/values/errors.ts"
import { PAGE_SIZE } from "../../model/values/limits.ts"
import type { FollowEventsRequest } from "../../model/requests/follow.ts"
import type { WebhookArea } from "../../model/webhook.ts"
import { requirePermission } from "../../engine/services/permissions.ts"
import { sealedCursors } from "../../engine/services/cursors.ts"
import { DigestKey } from "../../engine/services/digest-key.ts"
import { Routine } from "../../engine/services/routine.ts"
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

export class SandboxEvents extends Context.Tag("SandboxEvents")<
  SandboxEvents,
  {
    readonly list: (caller: Partner, request: FollowEventsRequest) => Routine<SandboxEventPage, Refused>
  }
>() {}

/** What a caller must also be allowed to read, by API. */
const READING: Readonly<Record<WebhookArea, Permission>> = {
  direct_delivery: "deliveries:read",
  reservations: "reservations:read",
}

const AREAS = ["direct_delivery", "reservations"] as const

export const layerSandboxEvents: Layer.Layer<SandboxEvents, never, DigestKey | WebhookStore> = Layer.effect(
  SandboxEvents,
  Effect.gen(function* () {
    const store = yield* WebhookStore
    const { key } = yield* DigestKey
    return {
      list: Routine.fn(function* (caller, { cursor, start = "oldest", limit = PAGE_SIZE }) {
        yield* requirePermission(caller, "events:read")
        const { organizationId, permissions } = caller
        const areas = AREAS.filter((area) => permissions.includes(READING[area]))
        const { cursorOf, placeOf } = sealedCursors({ key, list: "sandbox events", owner: organizationId })
        const isFromEnd = cursor === undefined && start === "newest"
        const after = cursor === undefined ? 0 : yield* placeOf(cursor)
        if (isFromEnd)
          return {
            areas,
            events: [],
            nextCursor: cursorOf(yield* store.lastEvent(organizationId)),
            hasMore: false,
          }
        // One more than shown says whether there are more.
        const found = yield* store.keptEvents({ organizationId, areas, after, limit: limit + 1 })
        const events = found.slice(0, limit)
        const last = events.at(-1)?.number ?? after
        return { areas, events, nextCursor: cursorOf(last), hasMore: found.length > limit }
      }),
    }
  }),
)
