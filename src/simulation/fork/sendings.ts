/**
 * Deliveries of webhooks as two courses of a run name them. Their ids come from chance, so the same delivery has another id in the
 * other course: it is known by its endpoint, the type and the subject of its event, and its number among these.
 */

import { groupOf, idOf, kindOf } from "../../model/address.ts"
import type { GroupAddress } from "../../model/address.ts"
import { newEventId, newUuid } from "../../model/ids.ts"
import type { EventType } from "../../model/webhook.ts"
import type { TurnInput } from "../../engine/kernel/journal.ts"
import type { TurnResult } from "../../engine/kernel/turn.ts"
import type { ReplayedTurn } from "../replay.ts"

export interface EventOrigin {
  readonly eventType: EventType
  /** The reservation or delivery that it is about. */
  readonly subject: GroupAddress
}

/** The events that turns published, by the ids that fan-out gives them. */
export class PublishedEvents {
  readonly #originById = new Map<string, EventOrigin>()

  note({ emissions, nonce, group }: TurnResult): void {
    for (const { event, occurredUs, ordinal } of emissions) {
      const isPickup = event === "pickup_status.changed"
      const eventId = isPickup
        ? newUuid(nonce, `pickup_status.changed ${ordinal}`)
        : newEventId(occurredUs, nonce, ordinal)
      this.#originById.set(eventId, { eventType: event as EventType, subject: group.address })
    }
  }

  originOf(eventId: string): EventOrigin | null {
    return this.#originById.get(eventId) ?? null
  }
}

/** The event of a delivery that starts. */
export function eventIdOf(start: TurnInput["start"]): string {
  const eventId = start?.input["eventId"]
  return typeof eventId === "string" ? eventId : ""
}

/** Names each delivery in the order of their starts. */
export class Sendings {
  readonly #countByKind = new Map<string, number>()
  readonly nameByGroup = new Map<GroupAddress, string>()
  readonly groupByName = new Map<string, GroupAddress>()

  note({ to, start }: Pick<TurnInput, "start" | "to">, published: PublishedEvents): void {
    if (start === undefined || kindOf(to) !== "webhook-delivery") return
    const { endpointId, eventId } = start.input as { readonly endpointId: string; readonly eventId: string }
    const origin = published.originOf(eventId)
    // Location events and tests are published by no turn.
    const kind = `${endpointId} ${origin?.eventType ?? "other"} ${origin === null ? "" : idOf(origin.subject)}`
    const number = (this.#countByKind.get(kind) ?? 0) + 1
    this.#countByKind.set(kind, number)
    const name = `${kind} #${number}`
    this.nameByGroup.set(groupOf(to), name)
    this.groupByName.set(name, groupOf(to))
  }
}

/** The names of a journal's deliveries up to a turn. */
export function sendingsOf(
  journal: { readonly turns: readonly ReplayedTurn[] },
  turns: number,
): {
  readonly published: PublishedEvents
  readonly sendings: Sendings
} {
  const published = new PublishedEvents()
  const sendings = new Sendings()
  for (const { input, result } of journal.turns.slice(0, turns)) {
    published.note(result)
    sendings.note(input, published)
  }
  return { published, sendings }
}
