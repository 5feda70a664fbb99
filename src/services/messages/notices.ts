/** Notices that other areas cause, written in their own transactions: an organization's contact and a customer's phone. */

import { Context } from "effect"
import type { Effect } from "effect"
import type { Transaction } from "../host.ts"
import type { OutgoingSms } from "./outbox.ts"

export class MessageNotices extends Context.Tag("MessageNotices")<
  MessageNotices,
  {
    /** To the organization's contact: an endpoint was switched off after too many failures. */
    readonly webhookDisabled: (notice: {
      readonly organizationId: string
      readonly webhookId: string
      /** Of the command or turn that switched it off. */
      readonly nonce: string
    }) => Effect.Effect<void, never, Transaction>
    /** To a customer. The sandbox suppresses it; a number that said stop gets none. */
    readonly textCustomer: (
      sms: Omit<OutgoingSms, "purpose">,
      nonce: string,
    ) => Effect.Effect<void, never, Transaction>
  }
>() {}
