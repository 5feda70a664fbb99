/**
 * Milestones: what an organization has done in the sandbox with endpoints, even if it has removed them since. They are
 * written in the transaction of the turn that reached them. What can be read from rows (sites, quotes, deliveries) is
 * not stored here.
 */

import { Context, Effect } from "effect"
import { idOf } from "../model/address.ts"
import type { EpochMs } from "../model/time.ts"
import type { TurnResult } from "../kernel/turn.ts"
import { rootOf } from "../services/actors.ts"
import type { Transaction } from "../services/host.ts"
import { choice, epochMs, text } from "../services/tables/columns.ts"
import { table } from "../services/tables/table.ts"

export const MILESTONES = ["webhook_acknowledged", "webhook_registered"] as const

export type Milestone = (typeof MILESTONES)[number]

export const sandboxMilestones = table("sandbox_milestones", {
  one: "a milestone",
  many: "milestones",
  columns: { organizationId: text(), milestone: choice<Milestone>(), atMs: epochMs() },
  key: ["organizationId", "milestone"],
})

export class MilestoneRows extends Context.Tag("MilestoneRows")<
  MilestoneRows,
  {
    /** For the endpoint's organization, if the endpoint is in the sandbox. A repeat keeps the first instant. */
    readonly noteFor: (
      webhookId: string,
      milestone: Milestone,
      atMs: EpochMs,
    ) => Effect.Effect<void, never, Transaction>
    readonly of: (organizationId: string) => Effect.Effect<ReadonlySet<Milestone>>
  }
>() {}

/** An endpoint of direct delivery was registered: its actor starts. */
export const observeRegistration = Effect.fnUntraced(function* ({ group, outcome, instantMs }: TurnResult) {
  if (outcome.type === "refused" || group.revision !== FIRST_REVISION) return
  const rows = yield* MilestoneRows
  yield* rows.noteFor(idOf(group.address), "webhook_registered", instantMs)
})

/** An endpoint of direct delivery answered 2xx. */
export const observeAcknowledgement = Effect.fnUntraced(function* ({
  group,
  outcome,
  instantMs,
}: TurnResult) {
  if (outcome.type === "refused") return
  const { context, state } = rootOf("webhook-delivery", group)
  const { endpointId, isCounted } = context
  if (state !== "delivered" || isCounted === undefined) return
  const rows = yield* MilestoneRows
  yield* rows.noteFor(endpointId, "webhook_acknowledged", instantMs)
})

const FIRST_REVISION = 1
