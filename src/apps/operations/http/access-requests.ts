/** `/internal/v1/access-requests`: organizations that request production access. Operations of production decide. */

import { Effect, Schema } from "effect"
import type { Operator } from "../../../model/caller.ts"
import {
  DecideAccessRequest,
  ONBOARDING_COURSES,
  ONBOARDING_STEPS,
  RESERVATION_STEPS,
  ROLES,
} from "../../../model/requests/portal.ts"
import { RequestedSite } from "../../../model/site.ts"
import { isoMs } from "../../../model/values/time.ts"
import { OperatorAccounts } from "../../operators/accounts.ts"
import { AccessReview } from "../../portal/production-access.ts"
import type { ReviewView } from "../../portal/production-access.ts"
import type { ProvedStep } from "../../portal/access-case.ts"
import type { NamedView, Reviewed } from "../../portal/reviews.ts"
import { decodeQuery } from "../../../http/endpoint.ts"
import type { Parameter } from "../../../http/endpoint.ts"
import { DateTime } from "../../../http/date-time.ts"
import type { CommandNoun, OperatorCommand } from "../../../http/operator-command.ts"
import { operatorEndpoint } from "../../../http/operator-endpoint.ts"

/** Of every request that operations decide. */
export const requestFields = {
  request_id: Schema.String,
  organization_id: Schema.String,
  organization_name: Schema.String,
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
}

const Request = Schema.Struct({
  ...requestFields,
  course: Schema.Literal(...ONBOARDING_COURSES).annotations({ description: "Whose seven steps were done." }),
}).annotations({ identifier: "AccessRequest" })

export const Step = Schema.Struct({
  step: Schema.Literal(...new Set([...ONBOARDING_STEPS, ...RESERVATION_STEPS])),
  is_done: Schema.Boolean,
  done_at: Schema.NullOr(DateTime),
  hint: Schema.NullOr(Schema.String).annotations({ description: "What is missing; null when it is done." }),
  evidence: Schema.NullOr(Schema.String).annotations({
    description: "What the step was done with; null when nothing of it is left to name.",
  }),
})

const Case = Schema.Struct({
  ...Request.fields,
  asked_by: Schema.NullOr(Schema.Struct({ name: Schema.String, role: Schema.Literal(...ROLES) })).annotations(
    { description: "Null once the person has left the organization." },
  ),
  steps: Schema.Array(Step).annotations({ description: "All seven, in order." }),
}).annotations({ identifier: "AccessRequestCase" })

const Status = Schema.Literal("pending", "decided")

export const PARAMETERS: readonly Parameter[] = [
  {
    in: "query",
    name: "status",
    description:
      "`pending`, which is the default: the first 200, by due time. `decided`: the last 100, the latest decision first.",
    schema: Status,
  },
]

export const ListRequest = Schema.Struct({ status: Schema.optional(Status) })

const ACCESS: CommandNoun = {
  word: "access",
  description: "requests of organizations for production access",
  isShared: true,
}

const listRequests = operatorEndpoint({
  method: "GET",
  path: "/internal/v1/access-requests",
  operationId: "listAccessRequests",
  summary: "Requests for production access that wait, or that were decided",
  parameters: PARAMETERS,
  answers: { 200: Schema.Struct({ access_requests: Schema.Array(Request) }) },
  errors: ["VALIDATION_ERROR", "PERMISSION_DENIED"],
  commands: [
    {
      noun: ACCESS,
      verb: "list",
      description: "requests without an answer by due time, or those decided",
      inputs: [["status", "--status <status>", "pending (if absent) or decided"]],
      columns: [
        "request_id",
        "organization_name",
        "status",
        "due_at",
        "is_overdue",
        "decided_at",
        "decided_by",
      ],
    },
  ],
  *handle({ caller, query }) {
    const { status } = yield* decodeQuery(ListRequest, query, PARAMETERS)
    const review = yield* AccessReview
    const found = yield* status === "decided" ? review.decided(caller) : review.pending(caller)
    return { access_requests: found.map(recordOf) }
  },
})

const readRequest = operatorEndpoint({
  method: "GET",
  path: "/internal/v1/access-requests/{id}",
  operationId: "readAccessRequest",
  summary: "A request for production access, with who asked and what proves each of the seven steps",
  answers: { 200: Schema.Struct({ access_request: Case }) },
  errors: ["PERMISSION_DENIED", "NOT_FOUND"],
  commands: [
    {
      noun: ACCESS,
      verb: "show",
      description: "one request, with who asked and what proves each step",
      inputs: [["id", "<request-id>", "as access list shows it"]],
    },
  ],
  *handle({ caller, id }) {
    const found = yield* (yield* AccessReview).read(caller, id)
    const steps = found.steps.map(stepRecord)
    return { access_request: { ...recordOf(found), asked_by: found.asker, steps } }
  },
})

const decide = operatorEndpoint({
  method: "PUT",
  path: "/internal/v1/access-requests/{id}/decision",
  operationId: "decideAccessRequest",
  summary:
    "Approve, which provisions the organization in production and makes the sites that it requested, or decline; its contact gets a mail",
  body: DecideAccessRequest,
  answers: { 200: Schema.Struct({ access_request: Request }) },
  errors: ["VALIDATION_ERROR", "PERMISSION_DENIED", "NOT_FOUND", "INVALID_STATE"],
  commands: [
    decision(ACCESS, {
      verb: "approve",
      description: "provision the organization in production and notify its contact",
      did: "approved the request",
      isApproved: true,
    }),
    decision(ACCESS, {
      verb: "decline",
      description: "notify its contact; the organization may ask again",
      did: "declined the request",
      isApproved: false,
    }),
  ],
  *handle({ caller, id }, sent) {
    const request = yield* sent
    const { is_approved: isApproved, reason = null, decided_by: named = null } = request
    const account = yield* accountOf(caller)
    const decided = yield* (yield* AccessReview).decide(caller, {
      requestId: id,
      isApproved,
      by: account?.name ?? named,
      byEmail: account?.email ?? null,
      reason,
    })
    return { access_request: recordOf(decided) }
  },
})

/** The account of a caller who signed in with one; its name replaces the one in the request. */
export const accountOf = Effect.fnUntraced(function* ({ accountId }: Operator) {
  if (accountId === undefined) return null
  const accounts = yield* (yield* OperatorAccounts).list
  return accounts.find((one) => one.accountId === accountId) ?? null
})

export function decision(
  noun: CommandNoun,
  {
    verb,
    description,
    did,
    isApproved,
  }: Pick<OperatorCommand, "description" | "verb"> & {
    readonly did: string
    readonly isApproved: boolean
  },
): OperatorCommand {
  return {
    noun,
    verb,
    description,
    inputs: [
      ["id", "<request-id>", `as ${noun.word} list shows it`],
      ["reason", "--reason <text>", "sent to the organization"],
      ["decided_by", "--by <name>", "who decides; stored, but not sent to the organization"],
    ],
    fixed: { is_approved: isApproved },
    did,
  }
}

export function stepRecord({ step, isDone, doneAtMs, hint, evidence }: ProvedStep): object {
  return { step, is_done: isDone, done_at: isoMs(doneAtMs), hint, evidence }
}

function recordOf(request: ReviewView): object {
  return { ...reviewRecord(request), course: request.course }
}

/** The fields of every request. */
export function reviewRecord(request: NamedView<Reviewed>): object {
  return {
    request_id: request.requestId,
    organization_id: request.organizationId,
    organization_name: request.organizationName,
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

export const accessRequests = [listRequests, readRequest, decide]
