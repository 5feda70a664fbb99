/** `/portal/api/partner-requests`, `/fleet-enrolment` and `/production-sites`: what an organization asks operations for. */

import { Schema } from "effect"
import { ENVIRONMENTS } from "../../../model/caller.ts"
import { AskEnrolmentRequest, AskSitesRequest } from "../../../model/requests/portal.ts"
import { RequestedSite } from "../../../model/site.ts"
import { DateTime } from "../../../http/records/date-time.ts"
import { PARTNER_REQUEST_KINDS, PartnerRequests } from "../partner-requests.ts"
import { memberEndpoint } from "./endpoint.ts"
import { recordsOf } from "../../../http/records/records.ts"

const Request = Schema.Struct({
  request_id: Schema.String,
  kind: Schema.Literal(...PARTNER_REQUEST_KINDS),
  status: Schema.Literal("pending", "approved", "declined"),
  requested_at: DateTime,
  due_at: DateTime,
  is_overdue: Schema.Boolean,
  decided_at: Schema.NullOr(DateTime),
  reason: Schema.NullOr(Schema.String),
  text: Schema.NullOr(Schema.String),
  sites: Schema.Array(RequestedSite).annotations({ description: "What approval makes in production." }),
  site_ids: Schema.Array(Schema.String).annotations({
    description: "Ids of the sites that were made, in the order of `sites`; empty until approval.",
  }),
}).annotations({ identifier: "PartnerRequest" })

const list = memberEndpoint({
  method: "GET",
  path: "/portal/api/partner-requests",
  operationId: "listPartnerRequests",
  summary: "What the organization asked operations for beside production access, newest first",
  answers: { 200: Schema.Struct({ partner_requests: Schema.Array(Request) }) },
  *handle({ caller }) {
    const found = yield* (yield* PartnerRequests).list(caller)
    return { partner_requests: found.map(recordOf) }
  },
})

const askEnrolment = memberEndpoint({
  method: "POST",
  path: "/portal/api/fleet-enrolment",
  operationId: "askForEnrolment",
  summary:
    "Enrol as a fleet partner (owners): the sandbox at once, production once operations approve; safe to repeat",
  body: AskEnrolmentRequest,
  isBodyOptional: true,
  answers: {
    200: Schema.Struct({
      enrolled_in: Schema.Array(Schema.Literal(...ENVIRONMENTS)),
      partner_request: Schema.NullOr(Request).annotations({
        description:
          "The request that operations decide; null before the organization has a contact or a key, and once it is enrolled.",
      }),
    }),
  },
  errors: ["OWNER_REQUIRED"],
  *handle({ caller }, sent) {
    const { text = null } = yield* sent
    const { environments, request } = yield* (yield* PartnerRequests).askEnrolment(caller, text)
    const data = {
      enrolled_in: environments,
      partner_request: request === null ? null : recordOf(request),
    }
    return data
  },
})

const askSites = memberEndpoint({
  method: "POST",
  path: "/portal/api/production-sites",
  operationId: "askForSites",
  summary: "Ask for more sites of production (owners); operations make them when they approve",
  body: AskSitesRequest,
  answers: { 201: Schema.Struct({ partner_request: Request }) },
  errors: ["OWNER_REQUIRED", "ONBOARDING_INCOMPLETE", "INVALID_STATE"],
  *handle({ caller }, sent) {
    const { sites } = yield* sent
    const request = yield* (yield* PartnerRequests).askSites(caller, sites)
    return { partner_request: recordOf(request) }
  },
})

/** The name of the person who decided is only for operations. */
const recordOf = recordsOf(Request)

export const partnerRequests = [list, askEnrolment, askSites]
