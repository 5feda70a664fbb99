/**
 * Milestones: what an organization has done in the sandbox with endpoints, even if it has removed them since. They are
 * written in the transaction of the turn that reached them. What can be read from rows (sites, quotes, deliveries) is
 * not stored here.
 */

import { Context, Effect, Layer } from "effect"
import type { Environment } from "../../model/caller.ts"
import { idOf } from "../../model/address.ts"
import type { TurnResult } from "../../engine/kernel/turn.ts"
import { QuoteWatch } from "../../areas/direct-delivery/quote-watch.ts"
import { announces } from "../../areas/direct-delivery/record.ts"
import { DeliveryRows, isForRetailer } from "../../areas/direct-delivery/rows.ts"
import { ReservationRows } from "../../areas/reservations/rows.ts"
import { CurrentActor } from "../../engine/services/actor.ts"
import type { Actor } from "../../engine/services/actor.ts"
import { rootOf } from "../../engine/services/actors.ts"
import { Transaction } from "../../engine/services/host.ts"
import { choice, epochMs, json, text } from "../../engine/services/tables/columns.ts"
import { table } from "../../engine/services/tables/table.ts"
import type { RowOf } from "../../engine/services/tables/table.ts"
import { provided } from "../../engine/services/provided.ts"
import { Routine } from "../../engine/services/routine.ts"

export const MILESTONES = [
  "delivery_completed",
  "fleet_enrolled",
  "profile_set",
  "quote_made",
  "reservation_acknowledged",
  "reservation_completed",
  "reservation_made",
  "site_made",
  "webhook_acknowledged",
  "webhook_registered",
] as const

export type Milestone = (typeof MILESTONES)[number]

export const sandboxMilestones = table("sandbox_milestones", {
  one: "a milestone",
  many: "milestones",
  columns: {
    organizationId: text(),
    milestone: choice<Milestone>(),
    atMs: epochMs(),
    /** Who sent the request; null when no request did, or it is not known. */
    by: json<Actor>().nullable().named("done_by"),
  },
  key: ["organizationId", "milestone"],
})

export type ReachedMilestone = Pick<RowOf<typeof sandboxMilestones>, "atMs" | "by">

/** An organization in one environment. Only milestones of the sandbox are stored. */
export interface Owner {
  readonly organizationId: string
  readonly environment: Environment
}

export class MilestoneRows extends Context.Tag("MilestoneRows")<
  MilestoneRows,
  {
    /** For the endpoint's organization, if the endpoint is in the sandbox. A repeat keeps the first instant. */
    readonly noteFor: (
      webhookId: string,
      milestone: Milestone,
      reached: ReachedMilestone,
    ) => Routine<void, never, Transaction>
    /** The same, for an organization. */
    readonly note: (
      organizationId: string,
      milestone: Milestone,
      reached: ReachedMilestone,
    ) => Routine<void, never, Transaction>
    readonly of: (organizationId: string) => Routine<ReadonlyMap<Milestone, ReachedMilestone>>
  }
>() {}

/** An endpoint of direct delivery was registered: its actor starts. */
export const observeRegistration = Routine.fn(function* ({ group, outcome, instantMs }: TurnResult) {
  if (outcome.type === "refused" || group.revision !== FIRST_REVISION) return
  const rows = yield* MilestoneRows
  const by = yield* Routine.ref(CurrentActor)
  yield* rows.noteFor(idOf(group.address), "webhook_registered", { atMs: instantMs, by })
})

/** Notes a milestone that the current request reaches. */
export function noteMilestone({ organizationId, environment }: Owner, milestone: Milestone) {
  return environment === "sandbox" ? noteReached(organizationId, milestone) : Routine.void
}

const noteReached = Routine.fn(function* (organizationId: string, milestone: Milestone) {
  const rows = yield* MilestoneRows
  const { nowMs: atMs } = yield* Transaction
  yield* rows.note(organizationId, milestone, { atMs, by: yield* Routine.ref(CurrentActor) })
})

/** A delivery of the sandbox was completed. */
export function observeCompletion(result: TurnResult) {
  return announces(result, "COMPLETED") ? noteCompletion(result) : Routine.void
}

const noteCompletion = Routine.fn(function* ({ group: { address } }: TurnResult) {
  const row = yield* (yield* DeliveryRows).byId(idOf(address))
  if (row !== null && isForRetailer(row)) yield* noteMilestone(row, "delivery_completed")
})

/** A reservation of the sandbox was made or completed. */
export const observeVisit = Routine.fn(function* ({ group, outcome, emissions }: TurnResult) {
  if (outcome.type === "refused") return
  if (!emissions.some(({ event }) => event === "reservation.status_changed")) return
  const { state } = rootOf("reservation", group)
  const milestone = group.revision === FIRST_REVISION ? "reservation_made" : "reservation_completed"
  if (milestone === "reservation_completed" && state !== "completed") return
  const row = yield* (yield* ReservationRows).byId(idOf(group.address))
  if (row !== null) yield* noteMilestone(row, milestone)
})

/** A quote of the sandbox, also one that says that no delivery is possible. */
export const layerQuoteWatch: Layer.Layer<QuoteWatch, never, MilestoneRows> = Layer.effect(
  QuoteWatch,
  Effect.map(Routine.context<MilestoneRows>(), (context): QuoteWatch["Type"] => ({
    quoted: (owner) => provided(noteMilestone(owner, "quote_made"), context),
  })),
)

/** An endpoint answered 2xx; only those of direct delivery are counted. */
export const observeAcknowledgement = Routine.fn(function* ({ group, outcome, instantMs }: TurnResult) {
  if (outcome.type === "refused") return
  const { context, state } = rootOf("webhook-delivery", group)
  const { endpointId, isCounted } = context
  if (state !== "delivered") return
  const rows = yield* MilestoneRows
  const milestone = isCounted === undefined ? "reservation_acknowledged" : "webhook_acknowledged"
  yield* rows.noteFor(endpointId, milestone, { atMs: instantMs, by: null })
})

const FIRST_REVISION = 1
