/** Recipients of notices: the portal knows the organizations' people. */

import { Effect, Layer } from "effect"
import { MessageNotices } from "../../areas/messages/notices.ts"
import { writeMail, writeSms } from "../../areas/messages/outbox.ts"
import type { MessageRows } from "../../areas/messages/rows.ts"
import { provided } from "../../engine/services/provided.ts"
import { Routine } from "../../engine/services/routine.ts"
import { contactOf } from "./organization.ts"
import type { PortalRows, ProfileRows } from "./rows.ts"
import { webhookDisabledText } from "./texts.ts"

type Needs = MessageRows | PortalRows | ProfileRows

export const layerMessageNotices: Layer.Layer<MessageNotices, never, Needs> = Layer.effect(
  MessageNotices,
  Effect.gen(function* () {
    const context = yield* Effect.context<Needs>()
    return {
      webhookDisabled: (notice) => provided(webhookDisabled(notice), context),
      textCustomer: ({ text: composed, ...sms }, nonce) =>
        Routine.flatMap(composed, (text) =>
          provided(writeSms({ ...sms, text, purpose: "delivery-notice" }, nonce), context),
        ),
    }
  }),
)

const webhookDisabled = Routine.fn(function* ({
  organizationId,
  webhookId,
  nonce,
}: Parameters<MessageNotices["Type"]["webhookDisabled"]>[0]) {
  const to = yield* contactOf(organizationId)
  if (to === null)
    return yield* Routine.suspend(() =>
      Effect.logWarning(`no recipient for the notice that ${webhookId} was disabled`),
    )
  const text = webhookDisabledText(webhookId)
  yield* writeMail({ ...text, to, organizationId }, nonce)
})
