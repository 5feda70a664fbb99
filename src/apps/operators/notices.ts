/** Mails to operators whose account an administrator changed. A command without a running service writes none: it cannot seal them. */

import { Context, Effect, Layer } from "effect"
import { writeMail } from "../../areas/messages/outbox.ts"
import type { MessageRows } from "../../areas/messages/rows.ts"
import type { Transaction } from "../../engine/services/host.ts"
import { provided } from "../../engine/services/provided.ts"
import { Routine } from "../../engine/services/routine.ts"
import type { OperatorAccount } from "./rows.ts"

export interface AccountChange {
  readonly before: OperatorAccount
  readonly now: OperatorAccount
  readonly nonce: string
}

export class OperatorNotices extends Context.Tag("OperatorNotices")<
  OperatorNotices,
  {
    /** Inside the transaction of the change. */
    readonly changed: (change: AccountChange) => Routine<void, never, Transaction>
  }
>() {}

export const layerOperatorNotices: Layer.Layer<OperatorNotices, never, MessageRows> = Layer.effect(
  OperatorNotices,
  Effect.map(Routine.context<MessageRows>(), (context): OperatorNotices["Type"] => ({
    changed: (change) => provided(changed(change), context),
  })),
)

const changed = Routine.fn(function* ({ before, now, nonce }: AccountChange) {
  const said = sentencesOf(before, now)
  if (said.length === 0) return
  const text = [...said, "An administrator of operations did this. If you did not expect it, ask one."].join(
    "\n",
  )
  const subject = "Your account of Curbline operations was changed"
  yield* writeMail({ purpose: "password-changed", organizationId: null, to: now.email, subject, text }, nonce)
})

/** None when only the name was changed. */
function sentencesOf(before: OperatorAccount, now: OperatorAccount): readonly string[] {
  const wasActive = before.deactivatedAtMs === null
  const isActive = now.deactivatedAtMs === null
  const sites = (ids: OperatorAccount["siteIds"]): string => JSON.stringify(ids?.toSorted() ?? null)
  return [
    ...(wasActive && !isActive
      ? ["Your account is deactivated: your sessions ended, and you cannot sign in."]
      : []),
    ...(!wasActive && isActive ? ["Your account is active again: you may sign in."] : []),
    ...(before.role === now.role ? [] : [`Your role was ${before.role} and is ${now.role} now.`]),
    ...(sites(before.siteIds) === sites(now.siteIds)
      ? []
      : [
          now.siteIds === null
            ? "You work at all sites now."
            : `You work at ${now.siteIds.length} of the sites now.`,
        ]),
    ...(before.factorSinceMs !== null && now.factorSinceMs === null
      ? ["Your second factor was switched off, and your sessions ended."]
      : []),
  ]
}
