/** The portal and the messages in one layer, over the live service and a database. */

import { Effect, Layer } from "effect"
import { layerArgon2 } from "../gateways/argon2.ts"
import { smtpSender } from "../gateways/smtp.ts"
import type { SmtpOptions } from "../gateways/smtp.ts"
import { twilioSender } from "../gateways/twilio.ts"
import type { TwilioOptions } from "../gateways/twilio.ts"
import { layerSending } from "../services/messages/sending.ts"
import type { SmsConsent } from "../services/messages/consent.ts"
import { layerOutboxView } from "../services/messages/outbox-view.ts"
import { Senders, consenting } from "../services/messages/senders.ts"
import { layerPortalAccounts } from "../services/portal/accounts.ts"
import { layerPortalMembers } from "../services/portal/members.ts"
import { layerMessageNotices } from "../services/portal/notices.ts"
import { layerPortalOrganization } from "../services/portal/organization.ts"
import { PortalAddress } from "../services/portal/portal-address.ts"
import { layerPortalSessions } from "../services/portal/sessions.ts"
import { layerWebhookLog } from "../services/portal/webhook-log.ts"
import type { RetentionTask } from "../services/retention/retention.ts"
import { portalTasks } from "../services/retention/tasks.ts"
import { layerAccessRows } from "../store/access-rows.ts"
import type { Database } from "../store/database.ts"
import { layerMessageRows } from "../store/messages.ts"
import { layerAttemptCounter, layerProfileRows } from "../store/portal-profiles.ts"
import { layerPortalRows } from "../store/portal.ts"
import { layerSecretBox } from "../store/secret-box.ts"
import { layerWebhookLogRows } from "../store/webhook-log.ts"

export interface PortalLayerOptions {
  /** Scheme and host of the pages, without a path. */
  readonly baseUrl: string
  /** Seals the texts of messages in their rows. */
  readonly secretKey: string
}

/** The rows that the portal keeps. */
function layerPortalStore({ baseUrl, secretKey }: PortalLayerOptions) {
  return Layer.mergeAll(
    layerAccessRows,
    layerAttemptCounter,
    layerMessageRows.pipe(Layer.provide(layerSecretBox(secretKey))),
    layerPortalRows,
    layerProfileRows,
    layerWebhookLogRows,
    Layer.succeed(PortalAddress, { baseUrl }),
  )
}

/** What retention purges of them. */
export function portalRetention(
  options: PortalLayerOptions,
): Effect.Effect<readonly RetentionTask[], never, Database> {
  return Effect.provide(portalTasks, layerPortalStore(options))
}

/**
 * Everything that needs no direct delivery, with the rows: whoever adds to the portal needs them too. Releasing it stops
 * sending; what waits is sent after the next start.
 */
export function layerPortal(options: PortalLayerOptions) {
  const services = Layer.mergeAll(
    layerMessageNotices,
    layerOutboxView,
    layerPortalAccounts,
    layerPortalMembers,
    layerPortalOrganization,
    layerPortalSessions,
    layerSending,
    layerWebhookLog,
  )
  return services.pipe(Layer.provideMerge(layerPortalStore(options)), Layer.provide(layerArgon2))
}

/** Mail alone; null keeps it readable in the outbox. */
export function layerMailSender(smtp: SmtpOptions | null): Layer.Layer<Senders> {
  return Layer.sync(Senders, () => ({ mail: smtp === null ? null : smtpSender(smtp), sms: null }))
}

/** Mail and SMS; a number that said stop is asked for at the moment of sending. */
export function layerMailAndSmsSenders(
  smtp: SmtpOptions | null,
  twilio: TwilioOptions,
): Layer.Layer<Senders, never, SmsConsent> {
  return Layer.effect(
    Senders,
    Effect.map(consenting(twilioSender(twilio)), (sms) => ({
      mail: smtp === null ? null : smtpSender(smtp),
      sms,
    })),
  )
}
