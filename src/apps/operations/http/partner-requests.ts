/** `/internal/v1/partner-requests`: what organizations ask for beside production access. Operations of production decide. */

import { Schema } from "effect"
import { DecideAccessRequest, ROLES } from "../../../model/requests/portal.ts"
import { PARTNER_REQUEST_KINDS, PartnerReview } from "../../portal/partner-requests.ts"
import type { PartnerReviewView } from "../../portal/partner-requests.ts"
import { decodeQuery } from "../../../http/endpoint.ts"
import type { CommandNoun } from "../../../http/operator-command.ts"
import { operatorEndpoint } from "../../../http/operator-endpoint.ts"
import {
  ListRequest,
  PARAMETERS,
  Step,
  accountOf,
  decision,
  requestFields,
  reviewRecord,
  stepRecord,
} from "./access-requests.ts"

const Request = Schema.Struct({
  ...requestFields,
  kind: Schema.Literal(...PARTNER_REQUEST_KINDS),
  text: Schema.NullOr(Schema.String).annotations({ description: "What the organization says about it." }),
}).annotations({ identifier: "PartnerRequest" })

const Case = Schema.Struct({
  ...Request.fields,
  asked_by: Schema.NullOr(Schema.Struct({ name: Schema.String, role: Schema.Literal(...ROLES) })).annotations(
    { description: "Null once the person has left the organization." },
  ),
  steps: Schema.Array(Step).annotations({
    description: "The seven in order: of reservations for an enrolment, of deliveries for sites.",
  }),
}).annotations({ identifier: "PartnerRequestCase" })

const PARTNERS: CommandNoun = {
  word: "partner-requests",
  description: "requests of organizations for enrolment as a fleet partner and for more sites",
  isShared: true,
}

const listRequests = operatorEndpoint({
  method: "GET",
  path: "/internal/v1/partner-requests",
  operationId: "listPartnerRequests",
  summary: "Requests for enrolment and for sites that wait, or that were decided",
  parameters: PARAMETERS,
  answers: { 200: Schema.Struct({ partner_requests: Schema.Array(Request) }) },
  errors: ["VALIDATION_ERROR", "PERMISSION_DENIED"],
  commands: [
    {
      noun: PARTNERS,
      verb: "list",
      description: "requests without an answer by due time, or those decided",
      inputs: [["status", "--status <status>", "pending (if absent) or decided"]],
      columns: ["request_id", "kind", "organization_name", "status", "due_at", "is_overdue", "decided_by"],
    },
  ],
  *handle({ caller, query }) {
    const { status } = yield* decodeQuery(ListRequest, query, PARAMETERS)
    const review = yield* PartnerReview
    const found = yield* status === "decided" ? review.decided(caller) : review.pending(caller)
    return { partner_requests: found.map(recordOf) }
  },
})

const readRequest = operatorEndpoint({
  method: "GET",
  path: "/internal/v1/partner-requests/{id}",
  operationId: "readPartnerRequest",
  summary: "One request, with who asked and what proves each of the seven steps",
  answers: { 200: Schema.Struct({ partner_request: Case }) },
  errors: ["PERMISSION_DENIED", "NOT_FOUND"],
  commands: [
    {
      noun: PARTNERS,
      verb: "show",
      description: "one request, with who asked and what proves each step",
      inputs: [["id", "<request-id>", "as partner-requests list shows it"]],
    },
  ],
  *handle({ caller, id }) {
    const found = yield* (yield* PartnerReview).read(caller, id)
    const more = { asked_by: found.asker, steps: found.steps.map(stepRecord) }
    return { partner_request: { ...recordOf(found), ...more } }
  },
})

const decide = operatorEndpoint({
  method: "PUT",
  path: "/internal/v1/partner-requests/{id}/decision",
  operationId: "decidePartnerRequest",
  summary:
    "Approve, which enrols the organization in every environment or makes the sites that it requested, or decline; its contact gets a mail",
  body: DecideAccessRequest,
  answers: { 200: Schema.Struct({ partner_request: Request }) },
  errors: ["VALIDATION_ERROR", "PERMISSION_DENIED", "NOT_FOUND", "INVALID_STATE"],
  commands: [
    decision(PARTNERS, {
      verb: "approve",
      description: "enrol the organization or make its sites, and notify its contact",
      did: "approved the request",
      isApproved: true,
    }),
    decision(PARTNERS, {
      verb: "decline",
      description: "notify its contact; the organization may ask again",
      did: "declined the request",
      isApproved: false,
    }),
  ],
  *handle({ caller, id }, sent) {
    const request = yield* sent
    const { is_approved: isApproved, reason = null, decided_by: given = null } = request
    const account = yield* accountOf(caller)
    const decided = yield* (yield* PartnerReview).decide(caller, {
      requestId: id,
      isApproved,
      by: account?.name ?? given,
      byEmail: account?.email ?? null,
      reason,
    })
    return { partner_request: recordOf(decided) }
  },
})

function recordOf(request: PartnerReviewView): object {
  return { ...reviewRecord(request), kind: request.kind, text: request.text }
}

export const partnerRequests = [listRequests, readRequest, decide]
