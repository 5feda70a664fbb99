/** `/internal/v1/access-requests`: organizations that request production access. Operations of production decide. */

import { Effect, Schema } from "effect"
import { DecideAccessRequest } from "../../model/portal.ts"
import { RequestedSite } from "../../model/site.ts"
import { isoMs } from "../../model/time.ts"
import { AccessReview } from "../../portal/production-access.ts"
import type { AccessView } from "../../portal/production-access.ts"
import { decodeBody } from "../../http/endpoint.ts"
import { DateTime } from "../../http/date-time.ts"
import type { CommandNoun, OperatorCommand } from "../../http/operator-command.ts"
import type { OperatorEndpoint } from "../../http/operator-endpoint.ts"

const Request = Schema.Struct({
  request_id: Schema.String,
  organization_id: Schema.String,
  requested_by: Schema.String.annotations({ description: "The account that asked." }),
  status: Schema.Literal("pending", "approved", "declined"),
  requested_at: DateTime,
  due_at: DateTime,
  is_overdue: Schema.Boolean,
  decided_at: Schema.NullOr(DateTime),
  decided_by: Schema.NullOr(Schema.String),
  reason: Schema.NullOr(Schema.String),
  sites: Schema.Array(RequestedSite).annotations({ description: "What approval makes." }),
  site_ids: Schema.Array(Schema.String).annotations({ description: "What approval has made." }),
}).annotations({ identifier: "AccessRequest" })

const ACCESS: CommandNoun = {
  word: "access",
  description: "requests of organizations for production access",
  isShared: true,
}

const listRequests: OperatorEndpoint<AccessReview> = {
  method: "GET",
  path: "/internal/v1/access-requests",
  operationId: "listAccessRequests",
  summary: "Requests for production access that wait, the first due first",
  parameters: [],
  body: null,
  answers: { 200: Schema.Struct({ access_requests: Schema.Array(Request) }) },
  errors: ["PERMISSION_DENIED"],
  commands: [
    {
      noun: ACCESS,
      verb: "list",
      description: "requests without an answer, by due time",
      columns: ["request_id", "organization_id", "requested_at", "due_at", "is_overdue"],
    },
  ],
  handle: ({ caller }) =>
    Effect.gen(function* () {
      const pending = yield* (yield* AccessReview).pending(caller)
      return { status: 200, data: { access_requests: pending.map(recordOf) } }
    }),
}

const decide: OperatorEndpoint<AccessReview> = {
  method: "PUT",
  path: "/internal/v1/access-requests/{id}/decision",
  operationId: "decideAccessRequest",
  summary:
    "Approve, which provisions the organization in production and makes the sites that it requested, or decline; its contact gets a mail",
  parameters: [],
  body: DecideAccessRequest,
  answers: { 200: Schema.Struct({ access_request: Request }) },
  errors: ["VALIDATION_ERROR", "PERMISSION_DENIED", "NOT_FOUND", "INVALID_STATE"],
  commands: [
    decision({
      verb: "approve",
      description: "provision the organization in production and notify its contact",
      did: "approved the request",
      isApproved: true,
    }),
    decision({
      verb: "decline",
      description: "notify its contact; the organization may ask again",
      did: "declined the request",
      isApproved: false,
    }),
  ],
  handle: ({ caller, id, body }) =>
    Effect.gen(function* () {
      const request = yield* decodeBody(DecideAccessRequest, body)
      const { is_approved: isApproved, reason = null, decided_by: by = null } = request
      const decided = yield* (yield* AccessReview).decide(caller, { requestId: id, isApproved, by, reason })
      return { status: 200, data: { access_request: recordOf(decided) } }
    }),
}

function decision({
  verb,
  description,
  did,
  isApproved,
}: Pick<OperatorCommand, "description" | "verb"> & {
  readonly did: string
  readonly isApproved: boolean
}): OperatorCommand {
  return {
    noun: ACCESS,
    verb,
    description,
    inputs: [
      ["id", "<request-id>", "as access list shows it"],
      ["reason", "--reason <text>", "sent to the organization"],
      ["decided_by", "--by <name>", "who decides; stored, but not sent to the organization"],
    ],
    fixed: { is_approved: isApproved },
    did,
  }
}

function recordOf(request: AccessView): object {
  return {
    request_id: request.requestId,
    organization_id: request.organizationId,
    requested_by: request.requestedBy,
    status: request.status,
    requested_at: isoMs(request.requestedAtMs),
    due_at: isoMs(request.dueAtMs),
    is_overdue: request.isOverdue,
    decided_at: isoMs(request.decidedAtMs),
    decided_by: request.decidedBy,
    reason: request.reason,
    sites: request.sites,
    site_ids: request.siteIds,
  }
}

export const accessRequests = [listRequests, decide]
