/** The outbox as operations read it: messages, recipients and results. */

import { Context, Effect, Layer } from "effect"
import type { Operator } from "../../model/caller.ts"
import { Refused } from "../../model/errors.ts"
import { MESSAGES_SHOWN } from "../../model/limits.ts"
import type { ListMessagesRequest } from "../../model/operations-requests.ts"
import { MessageRows } from "./rows.ts"
import type { Message } from "./rows.ts"
import { Routine } from "../../services/routine.ts"

export class OutboxView extends Context.Tag("OutboxView")<
  OutboxView,
  {
    /**
     * Of the operator's environment, newest first. Messages without an environment belong to the portal and are shown
     * in production.
     */
    readonly newest: (caller: Operator, request: ListMessagesRequest) => Routine<readonly Message[], Refused>
  }
>() {}

export const layerOutboxView: Layer.Layer<OutboxView, never, MessageRows> = Layer.effect(
  OutboxView,
  Effect.map(MessageRows, (rows): OutboxView["Type"] => ({
    newest: ({ by, environment }, { channel, limit = MESSAGES_SHOWN }) =>
      by === "ops"
        ? rows.newest({
            channel,
            limit,
            among: environment === "production" ? [null, environment] : [environment],
          })
        : Routine.fail(new Refused({ code: "PERMISSION_DENIED", detail: "needs operations" })),
  })),
)
