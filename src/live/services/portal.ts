/** The portal and the messages in one layer, over the live service and a database. */

import { Effect, Layer } from "effect"
import { layerApiClient } from "../gateways/api-client.ts"
import { layerArgon2 } from "../gateways/argon2.ts"
import { layerWebAuthn } from "../gateways/web-authn.ts"
import { PASSWORDS_AT_ONCE_MAX } from "../../model/values/limits.ts"
import { smtpSender } from "../gateways/smtp.ts"
import type { SmtpOptions } from "../gateways/smtp.ts"
import { twilioSender } from "../gateways/twilio.ts"
import type { TwilioOptions } from "../gateways/twilio.ts"
import { layerSending } from "../../areas/messages/sending.ts"
import type { SmsConsent } from "../../areas/messages/consent.ts"
import type { MessageNotices } from "../../areas/messages/notices.ts"
import { OutboxView } from "../../areas/messages/outbox-view.ts"
import { Senders, consenting } from "../../areas/messages/senders.ts"
import { PortalAccounts } from "../../apps/portal/people/accounts.ts"
import { PortalDeliveries } from "../../apps/portal/deliveries.ts"
import { DeliveryDetails } from "../../apps/portal/delivery-details.ts"
import { PortalMembers } from "../../apps/portal/members.ts"
import { layerMessageNotices } from "../../apps/portal/notice-recipients.ts"
import { PortalOrganization } from "../../apps/portal/organization.ts"
import { DeviceKey } from "../../apps/portal/people/sign-in-policy.ts"
import { PortalAddress } from "../../apps/portal/portal-address.ts"
import { AccessReview, ProductionAccess } from "../../apps/portal/production-access.ts"
import { PortalSessions } from "../../apps/portal/people/sessions.ts"
import { SecondFactorRows } from "../../apps/portal/people/second-factor-rows.ts"
import { Passkeys } from "../../apps/portal/people/passkeys.ts"
import { SecondFactors } from "../../apps/portal/people/second-factor.ts"
import { SandboxSites } from "../../apps/portal/sandbox-sites.ts"
import { PortalReservations } from "../../apps/portal/reservations.ts"
import { FormerRows } from "../../apps/portal/people/former-members.ts"
import { PartnerRequestRows, PartnerRequests, PartnerReview } from "../../apps/portal/partner-requests.ts"
import { SiteRequestRows, SiteRequests } from "../../apps/portal/site-requests.ts"
import { PortalSites } from "../../apps/portal/sites.ts"
import { PortalWebhooks } from "../../apps/portal/webhook-events.ts"
import type { RetentionTask } from "../../engine/services/retention/retention.ts"
import { portalTasks } from "../../apps/composition/retention-tasks.ts"
import { AuditLog, AuditRows } from "../../http/access/audit-log.ts"
import { PortalAudit } from "../../apps/portal/audit.ts"
import { layerCallRows } from "../../http/access/store/call-rows.ts"
import { layerAccessRows } from "../../http/access/store/access-rows.ts"
import type { Database } from "../../engine/store/database.ts"
import { layerSealedTables, layerTables } from "../../engine/store/sql-tables.ts"
import { layerAttemptCounter } from "../../engine/store/window-counter.ts"
import { layerPortalRows } from "../../apps/portal/store/portal-sessions.ts"
import { MessageRows } from "../../areas/messages/rows.ts"
import { CatalogRows } from "../../areas/catalog/rows.ts"
import { ProfileRows } from "../../apps/portal/rows.ts"

export interface PortalLayerOptions {
  /** Key that seals the texts of messages in their rows and signs the tokens of known devices. */
  readonly secretKey: string
  /** The production host's URL without a path, for links in mails. */
  readonly baseUrl: string
}

/** The portal's tables. */
function layerPortalStore({ secretKey, baseUrl }: PortalLayerOptions) {
  return Layer.mergeAll(
    layerAccessRows,
    layerAttemptCounter,
    layerCallRows,
    layerPortalRows,
    Layer.mergeAll(
      AuditRows.layer,
      CatalogRows.layer,
      FormerRows.layer,
      PartnerRequestRows.layer,
      ProfileRows.layer,
      SiteRequestRows.layer,
    ).pipe(Layer.provide(layerTables)),
    SecondFactorRows.layer.pipe(Layer.provide(Layer.merge(layerTables, layerSealedTables(secretKey)))),
    Layer.succeed(DeviceKey, { key: `devices ${secretKey}` }),
    Layer.succeed(PortalAddress, { baseUrl }),
  )
}

/** The outbox and its recipients; the service itself writes to the outbox. */
export function layerMessages(
  options: PortalLayerOptions,
): Layer.Layer<MessageNotices | MessageRows, never, Database> {
  return layerMessageNotices.pipe(
    Layer.provide(layerPortalStore(options)),
    Layer.provideMerge(MessageRows.layer.pipe(Layer.provide(layerSealedTables(options.secretKey)))),
  )
}

/** Retention tasks of the portal and of messages. */
export function portalRetention(
  options: PortalLayerOptions,
): Effect.Effect<readonly RetentionTask[], never, Database> {
  return Effect.provide(portalTasks, Layer.merge(layerPortalStore(options), layerMessages(options)))
}

/**
 * All services of the portal, over the live service. On release it stops sending; waiting messages are sent after the
 * next start.
 */
export function layerPortal(options: PortalLayerOptions) {
  const services = Layer.mergeAll(
    PortalAudit.layer.pipe(Layer.provideMerge(AuditLog.layer)),
    DeliveryDetails.layer,
    OutboxView.layer,
    PortalAccounts.layer,
    PortalMembers.layer,
    PortalDeliveries.layer,
    PortalOrganization.layer,
    PortalReservations.layer,
    PortalSites.layer,
    PortalWebhooks.layer,
    SiteRequests.layer,
    PortalSessions.layer,
    Passkeys.layer,
    SecondFactors.layer,
    SandboxSites.layer,
    layerSending,
  )
  return Layer.provideMerge(
    Layer.mergeAll(AccessReview.layer, PartnerRequests.layer, PartnerReview.layer, ProductionAccess.layer),
    services,
  ).pipe(
    Layer.provideMerge(layerPortalStore(options)),
    Layer.provide(layerArgon2(PASSWORDS_AT_ONCE_MAX)),
    Layer.provide(layerWebAuthn),
  )
}

/** The mail and SMS providers; null leaves the messages of that channel in the outbox, where they can be read. */
export interface WaysOut {
  readonly smtp: SmtpOptions | null
  readonly twilio: TwilioOptions | null
  /** While it returns false, messages stay in the outbox. */
  readonly mayCall?: () => boolean
}

/** Reads whether a number has opted out at the moment of sending. */
export function layerSenders({
  smtp,
  twilio,
  mayCall = () => true,
}: WaysOut): Layer.Layer<Senders, never, SmsConsent> {
  return Layer.effect(
    Senders,
    Effect.gen(function* () {
      const mail = smtp === null ? null : smtpSender(smtp)
      const sms = twilio === null ? null : yield* consenting(yield* twilioSender(twilio))
      return {
        get mail() {
          return mayCall() ? mail : null
        },
        get sms() {
          return mayCall() ? sms : null
        },
      }
    }),
  ).pipe(Layer.provide(layerApiClient))
}
