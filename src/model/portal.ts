/** What people send to the portal, as schemas. */

import { Schema } from "effect"
import { ENVIRONMENTS, PERMISSIONS } from "./caller.ts"
import {
  CANCEL_REASON_LENGTH_MAX,
  CATALOG_NAME_LENGTH_MAX,
  DELIVERY_PRICE_CENTS_MAX,
  EMAIL_LENGTH_MAX,
  ORGANIZATION_NAME_LENGTH_MAX,
  PASSWORD_LENGTH_MAX,
  PASSWORD_LENGTH_MIN,
  PERSON_NAME_LENGTH_MAX,
  REQUESTED_SITES_MAX,
  SANDBOX_REACH_KM_MAX,
  SITE_LATITUDE_MAX,
  SMS_LENGTH_MAX,
} from "./limits.ts"
import { TimeZone } from "./catalog.ts"
import { Instant, Phone, text } from "./schema.ts"
import { RequestedSite } from "./site.ts"

/** An owner also manages members, the profile, production keys and access. */
export const ROLES = ["owner", "member"] as const

/** The seven steps before production access, in order. Source: direct delivery contract, limits; their names are ours. */
export const ONBOARDING_STEPS = [
  "organization_profile",
  "sandbox_key",
  "sandbox_site",
  "sandbox_webhook",
  "sandbox_quote",
  "sandbox_delivery",
  "webhook_acknowledged",
] as const

export type OnboardingStep = (typeof ONBOARDING_STEPS)[number]

/**
 * An address that a mail server takes without quoting: ASCII alone, so that no two look alike, and nothing that means
 * something in a header. Compared in lower case.
 */
const EMAIL =
  /^[a-z0-9!#$%&'*+/=?^_`{|}~-]+(\.[a-z0-9!#$%&'*+/=?^_`{|}~-]+)*@([a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z][a-z0-9-]{0,61}[a-z0-9]$/

const Email = Schema.transform(
  Schema.String.annotations({
    jsonSchema: { type: "string", format: "email", maxLength: EMAIL_LENGTH_MAX },
  }),
  Schema.String.pipe(
    Schema.filter(
      (address) => (address.length <= EMAIL_LENGTH_MAX && EMAIL.test(address)) || "must be an e-mail address",
    ),
  ),
  { strict: true, decode: (sent) => sent.toLowerCase(), encode: (address) => address },
)

/** One line of text for people. */
function line(max: number): Schema.Schema<string> {
  return text({ max }).pipe(
    Schema.filter(
      (value) => !/[\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}]/u.test(value) || "must be one line of text",
    ),
  )
}

/** Any characters at all; composed, so that two keyboards write one password alike. */
const NewPassword = Schema.transform(
  text({ min: PASSWORD_LENGTH_MIN, max: PASSWORD_LENGTH_MAX }),
  Schema.String,
  { strict: true, decode: composed, encode: (password) => password },
)

/** One that is compared and not kept: its rules may have been others when it was chosen. */
const GivenPassword = Schema.transform(text({ max: PASSWORD_LENGTH_MAX }), Schema.String, {
  strict: true,
  decode: composed,
  encode: (password) => password,
})

function composed(password: string): string {
  return password.normalize("NFKC")
}

/** A token as links and cookies carry it. */
const Token = text({ max: 128 })

export const SignUpRequest = Schema.Struct({
  email: Email,
  password: NewPassword,
  name: line(PERSON_NAME_LENGTH_MAX),
  organization_name: line(ORGANIZATION_NAME_LENGTH_MAX),
})

export type SignUpRequest = typeof SignUpRequest.Type

export const VerifySignUpRequest = Schema.Struct({ sign_up_token: Token, code: text({ max: 16 }) })

export type VerifySignUpRequest = typeof VerifySignUpRequest.Type

export const SignInRequest = Schema.Struct({ email: Email, password: GivenPassword })

export type SignInRequest = typeof SignInRequest.Type

export const ChooseEnvironmentRequest = Schema.Struct({ environment: Schema.Literal(...ENVIRONMENTS) })

export const AskResetRequest = Schema.Struct({ email: Email })

export const ResetPasswordRequest = Schema.Struct({ token: Token, password: NewPassword })

export type ResetPasswordRequest = typeof ResetPasswordRequest.Type

export const ChangePasswordRequest = Schema.Struct({
  current_password: GivenPassword,
  password: NewPassword,
})

export type ChangePasswordRequest = typeof ChangePasswordRequest.Type

export const InviteRequest = Schema.Struct({ email: Email, role: Schema.Literal(...ROLES) })

export type InviteRequest = typeof InviteRequest.Type

export const AcceptInvitationRequest = Schema.Struct({
  token: Token,
  name: line(PERSON_NAME_LENGTH_MAX),
  password: NewPassword,
})

export type AcceptInvitationRequest = typeof AcceptInvitationRequest.Type

export const ChangeMemberRequest = Schema.Struct({ role: Schema.Literal(...ROLES) })

/** At least one. */
export const ChangeProfileRequest = Schema.Struct({
  name: Schema.optional(line(ORGANIZATION_NAME_LENGTH_MAX)),
  contact_email: Schema.optional(Email),
}).pipe(
  Schema.filter(
    (profile) =>
      profile.name !== undefined || profile.contact_email !== undefined || "must hold name or contact_email",
  ),
)

export type ChangeProfileRequest = typeof ChangeProfileRequest.Type

export const MakeKeyRequest = Schema.Struct({
  permissions: Schema.Array(Schema.Literal(...PERMISSIONS)).pipe(
    Schema.filter(
      (permissions) =>
        (permissions.length >= 1 && new Set(permissions).size === permissions.length) ||
        "must name one or more distinct permissions",
    ),
  ),
  /** Null or absent: never. */
  expires_at: Schema.optional(Schema.NullOr(Instant)),
})

export type MakeKeyRequest = typeof MakeKeyRequest.Type

const CancellationReason = Schema.optional(Schema.NullOr(text({ max: CANCEL_REASON_LENGTH_MAX })))

/** The reason has the name that it has in the Direct Delivery API; `reason` is its former name here. */
export const CancelDeliveryRequest = Schema.Struct({
  cancellation_reason: CancellationReason,
  reason: CancellationReason,
})

/** A place to deliver from, in the sandbox. */
export const MakeSandboxSiteRequest = Schema.Struct({
  name: line(CATALOG_NAME_LENGTH_MAX),
  location: Schema.Struct({
    latitude: Schema.Number.pipe(Schema.between(-SITE_LATITUDE_MAX, SITE_LATITUDE_MAX)),
    longitude: Schema.Number.pipe(Schema.between(-180, 180)),
  }),
  /** How far it delivers, to each of the four sides. */
  reach_km: Schema.Number.pipe(Schema.greaterThan(0), Schema.lessThanOrEqualTo(SANDBOX_REACH_KM_MAX)),
  delivery_price_cents: Schema.Int.pipe(Schema.between(0, DELIVERY_PRICE_CENTS_MAX)),
  /** In which its days begin; that of the sandbox's own site when absent. */
  timezone: Schema.optional(TimeZone),
})

/** Sites of production that are wanted; approval makes them. */
export const AskAccessRequest = Schema.Struct({
  sites: Schema.optionalWith(
    Schema.Array(RequestedSite).pipe(
      Schema.filter(
        (sites) =>
          sites.length <= REQUESTED_SITES_MAX ||
          `must hold at most ${REQUESTED_SITES_MAX} sites, holds ${sites.length}`,
      ),
    ),
    { exact: true },
  ),
})

export type MakeSandboxSiteRequest = typeof MakeSandboxSiteRequest.Type

/** What operations decide of a request for production access. */
export const DecideAccessRequest = Schema.Struct({
  is_approved: Schema.Boolean,
  /** Told to the organization. */
  reason: Schema.optional(Schema.NullOr(text({ max: CANCEL_REASON_LENGTH_MAX }))),
  /** The operator who decides, as operations name them. Never shown to partners. */
  decided_by: Schema.optional(Schema.NullOr(line(PERSON_NAME_LENGTH_MAX))),
})

/** A customer's reply, as people of the sandbox play it. */
export const SimulateSmsRequest = Schema.Struct({ from: Phone, text: text({ max: SMS_LENGTH_MAX }) })

/** An inbound SMS in the provider's words. Source: Twilio, Messaging webhooks. */
export const InboundReplyReport = Schema.Struct({
  MessageSid: text({ max: 64 }),
  From: Phone,
  Body: text({ min: 0, max: 1_600 }),
})
