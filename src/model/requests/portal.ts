/** Requests of the portal, as schemas. */

import { Schema } from "effect"
import { ENVIRONMENTS, PERMISSIONS } from "../caller.ts"
import {
  CREDENTIAL_PART_LENGTH_MAX,
  CANCEL_REASON_LENGTH_MAX,
  CATALOG_NAME_LENGTH_MAX,
  CHECKED_BODY_LENGTH_MAX,
  DELIVERY_PRICE_CENTS_MAX,
  EMAIL_LENGTH_MAX,
  EXTERNAL_ID_LENGTH_MAX,
  FILTER_LENGTH_MAX,
  KEY_OVERLAP_MS_MAX,
  ORDER_NUMBER_LENGTH_MAX,
  ORGANIZATION_NAME_LENGTH_MAX,
  PAGE_SIZE_MAX,
  PASSKEY_NAME_LENGTH_MAX,
  PASSWORD_LENGTH_MAX,
  PASSWORD_LENGTH_MIN,
  PERSON_NAME_LENGTH_MAX,
  REQUESTED_SITES_MAX,
  SANDBOX_REACH_KM_MAX,
  SANDBOX_SITE_VEHICLES_MAX,
  SITE_LATITUDE_MAX,
  SITE_REQUEST_LENGTH_MAX,
  SMS_LENGTH_MAX,
  TOKEN_LABEL_LENGTH_MAX,
} from "../values/limits.ts"
import { TimeZone } from "../catalog.ts"
import { QuoteRequest } from "./delivery-requests.ts"
import { DELIVERY_STATUSES } from "../delivery.ts"
import { CreateReservationRequest, ListReservationsRequest } from "./requests.ts"
import { PageRequest } from "./operations-requests.ts"
import { Instant, Phone, isoDuration, rules, text } from "../values/schema.ts"
import { RequestedSite } from "../site.ts"
import { EVENT_TYPES, PICKUP_EVENT_TYPES, SENDING_STATES, TEST_EVENT_TYPE } from "../webhook.ts"

/** An owner also manages members, the profile, production keys and access. */
export const ROLES = ["owner", "member"] as const

/** The seven steps to production access, in order. Source: direct delivery contract, limits; their names are ours. */
export const ONBOARDING_STEPS = [
  "organization_profile",
  "sandbox_key",
  "sandbox_site",
  "sandbox_webhook",
  "sandbox_quote",
  "sandbox_delivery",
  "webhook_acknowledged",
] as const

/** The same seven for robots of a partner's own, which reserve arrival windows; ours. */
export const RESERVATION_STEPS = [
  "organization_profile",
  "sandbox_key",
  "fleet_enrolment",
  "reservation_webhook",
  "sandbox_reservation",
  "completed_reservation",
  "reservation_acknowledged",
] as const

/** The way to production that an organization takes; either leads there. */
export const ONBOARDING_COURSES = ["deliveries", "reservations"] as const

export type OnboardingCourse = (typeof ONBOARDING_COURSES)[number]

export const STEPS_OF = { deliveries: ONBOARDING_STEPS, reservations: RESERVATION_STEPS } as const

export type OnboardingStep = (typeof STEPS_OF)[OnboardingCourse][number]

export const ReadOnboardingRequest = Schema.Struct({
  course: Schema.optional(Schema.Literal(...ONBOARDING_COURSES)),
})

/**
 * An address that a mail server accepts without quoting: ASCII only, so that no two addresses look alike, and no
 * characters that have a meaning in a header. Compared in lower case.
 */
const EMAIL =
  /^[a-z0-9!#$%&'*+/=?^_`{|}~-]+(\.[a-z0-9!#$%&'*+/=?^_`{|}~-]+)*@([a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z][a-z0-9-]{0,61}[a-z0-9]$/

export const Email = Schema.transform(
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

/** One line of text for people; with a minimum of 0 it may be empty. */
export function line(max: number, min?: 0): Schema.Schema<string> {
  return text({ max, ...(min === undefined ? {} : { min }) }).pipe(
    Schema.filter(
      (value) => !/[\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}]/u.test(value) || "must be one line of text",
    ),
  )
}

/** Any characters; Unicode-composed, so that different keyboards give the same password. */
export const NewPassword = Schema.transform(
  text({ min: PASSWORD_LENGTH_MIN, max: PASSWORD_LENGTH_MAX }),
  Schema.String,
  { strict: true, decode: composed, encode: (password) => password },
)

/** A password that is only compared: it may have been chosen under older rules. */
export const GivenPassword = Schema.transform(text({ max: PASSWORD_LENGTH_MAX }), Schema.String, {
  strict: true,
  decode: composed,
  encode: (password) => password,
})

function composed(password: string): string {
  return password.normalize("NFKC")
}

/** A token in a link or a cookie. */
export const Token = text({ max: 128 })

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

/** A code of an authenticator application, or a recovery code, however it is typed. */
export const SecondFactorCode = text({ max: 32 })

export const SecondFactorCodeRequest = Schema.Struct({ code: SecondFactorCode })

/** Part of what `navigator.credentials` returned, in base64url. */
const CredentialPart = text({ max: CREDENTIAL_PART_LENGTH_MAX })

const credentialOf = <Fields extends Schema.Struct.Fields>(response: Fields) =>
  Schema.Struct({
    id: CredentialPart,
    rawId: CredentialPart,
    type: Schema.Literal("public-key"),
    response: Schema.Struct(response),
    // Browsers send these too; nothing reads them.
    authenticatorAttachment: Schema.optional(Schema.NullOr(text({ max: 32 }))),
    clientExtensionResults: Schema.optional(
      Schema.Unknown.annotations({ jsonSchema: { type: ["object", "null"], additionalProperties: true } }),
    ),
  })

/** A `PublicKeyCredential` as JSON, made by `navigator.credentials.get`. */
const SignedChallenge = credentialOf({
  clientDataJSON: CredentialPart,
  authenticatorData: CredentialPart,
  signature: CredentialPart,
  userHandle: Schema.optional(Schema.NullOr(CredentialPart)),
})

/** A code, or the signature of a passkey. */
const proof = { code: Schema.optional(SecondFactorCode), passkey: Schema.optional(SignedChallenge) }

export const SecondFactorProofRequest = Schema.Struct(proof)

export const CompleteSignInRequest = Schema.Struct({ challenge: Token, ...proof })

export const SignInPasskeyRequest = Schema.Struct({ challenge: Token })

export const AddPasskeyRequest = Schema.Struct({
  name: line(PASSKEY_NAME_LENGTH_MAX),
  /** A `PublicKeyCredential` as JSON, made by `navigator.credentials.create`. */
  credential: credentialOf({
    clientDataJSON: CredentialPart,
    attestationObject: CredentialPart,
    transports: Schema.optional(Schema.Array(text({ max: 32 })).pipe(Schema.maxItems(8))),
    authenticatorData: Schema.optional(CredentialPart),
    publicKey: Schema.optional(CredentialPart),
    publicKeyAlgorithm: Schema.optional(Schema.Int),
  }),
})

/** The proof is needed while the second factor is on. */
export const AddFactorRequest = Schema.Struct({ current_password: GivenPassword, ...proof })

export const ChooseOrganizationRequest = Schema.Struct({ organization_id: text({ max: 128 }) })

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

export const PreviewInvitationRequest = Schema.Struct({ token: Token })

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

const STATUS = /^[2-5](?:[0-9]{2}|xx)$/

export const MakeKeyRequest = Schema.Struct({
  label: Schema.optional(Schema.NullOr(line(TOKEN_LABEL_LENGTH_MAX, 0))),
  permissions: Schema.Array(Schema.Literal(...PERMISSIONS)).pipe(
    Schema.filter(
      (permissions) =>
        (permissions.length >= 1 && new Set(permissions).size === permissions.length) ||
        "must name one or more distinct permissions",
    ),
  ),
  /** Null or absent: the key never expires. */
  expires_at: Schema.optional(Schema.NullOr(Instant)),
})

export type MakeKeyRequest = typeof MakeKeyRequest.Type

/** Null removes the label. */
export const ChangeKeyRequest = Schema.Struct({ label: Schema.NullOr(line(TOKEN_LABEL_LENGTH_MAX)) })

/** How long the old key stays valid beside the new one. */
export const RollKeyRequest = Schema.Struct({ overlap: isoDuration(KEY_OVERLAP_MS_MAX) })

/** All lines of the audit log that fit, for a file. */
export const ExportAuditRequest = Schema.Struct({
  actor: Schema.optional(text({ max: FILTER_LENGTH_MAX })),
  action: Schema.optional(text({ max: FILTER_LENGTH_MAX })),
  subject: Schema.optional(text({ max: FILTER_LENGTH_MAX })),
  from: Schema.optional(Instant),
  to: Schema.optional(Instant),
})

/** Filters of the audit log. */
export const ListAuditRequest = Schema.Struct({
  ...ExportAuditRequest.fields,
  limit: PageRequest.fields.limit,
  cursor: PageRequest.fields.cursor,
})

/** Filters of the request log. */
export const ListCallsRequest = Schema.Struct({
  method: Schema.optional(Schema.Literal("DELETE", "GET", "PATCH", "POST", "PUT")),
  path: Schema.optional(text({ max: FILTER_LENGTH_MAX })),
  status: Schema.optional(
    Schema.String.pipe(
      Schema.filter(
        (status) => STATUS.test(status) || "must be a status such as 422, or a class such as 4xx",
      ),
      Schema.annotations({ jsonSchema: { type: "string", pattern: STATUS.source } }),
    ),
  ),
  key: Schema.optional(text({ max: FILTER_LENGTH_MAX })),
  q: Schema.optional(text({ max: FILTER_LENGTH_MAX })),
  from: Schema.optional(Instant),
  to: Schema.optional(Instant),
  limit: PageRequest.fields.limit,
  cursor: PageRequest.fields.cursor,
})

const CancellationReason = Schema.optional(Schema.NullOr(text({ min: 0, max: CANCEL_REASON_LENGTH_MAX })))

/** `cancellation_reason` is the field name of the Direct Delivery API; `reason` is its former name here. */
export const CancelDeliveryRequest = Schema.Struct({
  cancellation_reason: CancellationReason,
  reason: CancellationReason,
})

/** A pickup place in the sandbox. */
export const MakeSandboxSiteRequest = Schema.Struct({
  name: line(CATALOG_NAME_LENGTH_MAX),
  location: Schema.Struct({
    latitude: Schema.Number.pipe(Schema.between(-SITE_LATITUDE_MAX, SITE_LATITUDE_MAX)),
    longitude: Schema.Number.pipe(Schema.between(-180, 180)),
  }),
  /** Half the side of the square that the site serves. */
  reach_km: Schema.Number.pipe(Schema.greaterThan(0), Schema.lessThanOrEqualTo(SANDBOX_REACH_KM_MAX)),
  delivery_price_cents: Schema.Int.pipe(Schema.between(0, DELIVERY_PRICE_CENTS_MAX)),
  /** The time zone of the site's days; by default that of its location. */
  timezone: Schema.optional(TimeZone),
  /** Synthetic vehicles of its own; one by default. */
  vehicles: Schema.optional(Schema.Int.pipe(Schema.between(1, SANDBOX_SITE_VEHICLES_MAX))),
})

/** Filters of the log of both APIs' events. */
export const ListWebhookEventsRequest = Schema.Struct({
  webhook_id: Schema.optional(text({ max: 64 })),
  event: Schema.optional(Schema.Literal(...EVENT_TYPES, ...PICKUP_EVENT_TYPES, TEST_EVENT_TYPE)),
  outcome: Schema.optional(Schema.Array(Schema.Literal(...SENDING_STATES))),
  /** The delivery, reservation or endpoint that the event is about. */
  subject_id: Schema.optional(text({ max: 64 })),
  limit: Schema.optional(Schema.Number.pipe(Schema.int(), Schema.between(1, PAGE_SIZE_MAX))),
  cursor: Schema.optional(Schema.String),
})

export type ListWebhookEventsRequest = typeof ListWebhookEventsRequest.Type

export const ResendSinceRequest = Schema.Struct({ since: Instant })

/** A request as a receiver got it: names of headers in any case, and the body without a change. */
export const CheckSignatureRequest = Schema.Struct({
  headers: Schema.Record({ key: Schema.String, value: Schema.String }),
  body: text({ min: 0, max: CHECKED_BODY_LENGTH_MAX }),
})

export type CheckSignatureRequest = typeof CheckSignatureRequest.Type

/** What operations shall change at a site of production, in words. */
export const AskSiteChangeRequest = Schema.Struct({ text: text({ max: SITE_REQUEST_LENGTH_MAX }) })

/** The answer of operations to it. */
export const CloseSiteRequest = Schema.Struct({
  answer: Schema.optional(Schema.NullOr(text({ min: 0, max: SITE_REQUEST_LENGTH_MAX }))),
})

/** Filters of the list of deliveries. The creation is at or after `from`, and before `to`. */
export const ListPortalDeliveriesRequest = Schema.Struct({
  site_id: Schema.optional(text({ max: 64 })),
  status: Schema.optional(Schema.Array(Schema.Literal(...DELIVERY_STATUSES))),
  /** A part of the external id, in any case of letters. */
  q: Schema.optional(text({ max: EXTERNAL_ID_LENGTH_MAX })),
  from: Schema.optional(Instant),
  to: Schema.optional(Instant),
  limit: Schema.optional(Schema.Number.pipe(Schema.int(), Schema.between(1, PAGE_SIZE_MAX))),
  cursor: Schema.optional(Schema.String),
})

const { customer, ...quoted } = QuoteRequest.fields

/** A test delivery of the sandbox. What is absent is filled in so that the delivery can be made. */
export const MakeTestDeliveryRequest = Schema.partial(
  Schema.Struct({
    /** Absent: the first site that is active, with an area and a price. */
    site_id: text({ max: 64 }),
    ...quoted,
    customer: Schema.partial(customer),
  }),
)

export type MakeTestDeliveryRequest = typeof MakeTestDeliveryRequest.Type

/** Filters of the list of reservations. */
export const ListPortalReservationsRequest = Schema.Struct({
  ...ListReservationsRequest.fields,
  /** A part of the order number, in any case of letters. */
  q: Schema.optional(text({ max: ORDER_NUMBER_LENGTH_MAX })),
})

/** A test reservation of the sandbox. What is absent is filled in so that the reservation can be made. */
export const MakeTestReservationRequest = Schema.partial(CreateReservationRequest)

export type MakeTestReservationRequest = typeof MakeTestReservationRequest.Type

// Not the component of answers, in which no field is null.
const RequestedSites = Schema.Array(Schema.Struct(RequestedSite.fields)).pipe(
  Schema.filter(
    (sites) =>
      sites.length <= REQUESTED_SITES_MAX ||
      `must hold at most ${REQUESTED_SITES_MAX} sites, holds ${sites.length}`,
  ),
)

/** Sites that are requested for production; the approval creates them. Sites are for deliveries: robots stop at those of others. */
export const AskAccessRequest = Schema.Struct({
  sites: Schema.optionalWith(RequestedSites, { exact: true }),
  /** Whose seven steps are done; absent: those of deliveries. */
  course: Schema.optionalWith(Schema.Literal(...ONBOARDING_COURSES), { exact: true }),
}).pipe(
  Schema.filter(
    ({ sites = [], course }) =>
      course !== "reservations" ||
      sites.length === 0 || { path: ["sites"], message: "must be empty when course is reservations" },
  ),
  Schema.annotations(
    rules({
      not: {
        properties: { course: { const: "reservations" }, sites: { type: "array", minItems: 1 } },
        required: ["course", "sites"],
      },
    }),
  ),
)

export const AskSitesRequest = Schema.Struct({
  sites: RequestedSites.pipe(Schema.filter((sites) => sites.length > 0 || "must hold at least one site")),
})

/** Where robots shall stop, and how many there are, in words for operations. */
export const AskEnrolmentRequest = Schema.Struct({
  text: Schema.optional(Schema.NullOr(text({ min: 0, max: SITE_REQUEST_LENGTH_MAX }))),
})

export type MakeSandboxSiteRequest = typeof MakeSandboxSiteRequest.Type

/** The decision of operations on a request for production access. */
export const DecideAccessRequest = Schema.Struct({
  is_approved: Schema.Boolean,
  /** Sent to the organization. */
  reason: Schema.optional(Schema.NullOr(text({ min: 0, max: CANCEL_REASON_LENGTH_MAX }))),
  /** The operator who decides, by the name that operations use. Never shown to partners. */
  decided_by: Schema.optional(Schema.NullOr(line(PERSON_NAME_LENGTH_MAX, 0))),
})

/** A customer's reply, simulated by a sandbox user. */
export const SimulateSmsRequest = Schema.Struct({ from: Phone, text: text({ max: SMS_LENGTH_MAX }) })

/** An inbound SMS in the format of the provider. Source: Twilio, Messaging webhooks. */
export const InboundReplyReport = Schema.Struct({
  MessageSid: text({ max: 64 }),
  From: Phone,
  Body: text({ min: 0, max: 1_600 }),
})
