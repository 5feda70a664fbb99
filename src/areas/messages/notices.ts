/**
 * Notices that other areas cause, written in their own transactions, to an organization's contact or a customer's
 * phone.
 */

import { Context } from "effect"
import type { Transaction } from "../../engine/services/host.ts"
import type { Routine } from "../../engine/services/routine.ts"
import type { OutgoingSms } from "./outbox.ts"

export class MessageNotices extends Context.Tag("MessageNotices")<
  MessageNotices,
  {
    /** To the organization's contact: an endpoint was disabled after too many failures. */
    readonly webhookDisabled: (notice: {
      readonly organizationId: string
      readonly webhookId: string
      /** The nonce of the command or turn that disabled it. */
      readonly nonce: string
    }) => Routine<void, never, Transaction>
    /** To a customer. Suppressed in the sandbox, and for numbers that have opted out. */
    readonly textCustomer: <R>(
      sms: Omit<OutgoingSms, "purpose" | "text"> & {
        /** Composed only where messages are kept. */
        readonly text: Routine<string, never, R>
      },
      nonce: string,
    ) => Routine<void, never, R | Transaction>
  }
>() {}
