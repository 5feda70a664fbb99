/**
 * `/internal/v1/access-requests` and `/internal/v1/partner-requests`: what organizations ask for, production access and what comes beside
 * it. Operations of production decide.
 */

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
import type { Refused } from "../../../model/values/errors.ts"
import { OperatorAccounts } from "../../operators/accounts.ts"
import { PARTNER_REQUEST_KINDS, PartnerReview } from "../../portal/partner-requests.ts"
import { AccessReview } from "../../portal/production-access.ts"
import type { Decision } from "../../portal/reviews.ts"
import { DateTime } from "../../../http/records/date-time.ts"
import { decodeQuery } from "../../../http/endpoint.ts"
import type { Parameter } from "../../../http/endpoint.ts"
import type { CommandNoun, OperatorCommand } from "../../../http/operator-command.ts"
import { operatorEndpoint } from "../../../http/operator-endpoint.ts"
import type { OperatorEndpoint } from "../../../http/operator-endpoint.ts"
import { recordsOf } from "../../../http/records/records.ts"

const requestFields = {
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

const AccessRequest = Schema.Struct({
  ...requestFields,
  course: Schema.Literal(...ONBOARDING_COURSES).annotations({ description: "Whose seven steps were done." }),
}).annotations({ identifier: "AccessRequest" })

const PartnerRequest = Schema.Struct({
  ...requestFields,
  kind: Schema.Literal(...PARTNER_REQUEST_KINDS),
  text: Schema.NullOr(Schema.String).annotations({ description: "What the organization says about it." }),
}).annotations({ identifier: "PartnerRequest" })

const Step = Schema.Struct({
  step: Schema.Literal(...new Set([...ONBOARDING_STEPS, ...RESERVATION_STEPS])),
  is_done: Schema.Boolean,
  done_at: Schema.NullOr(DateTime),
  hint: Schema.NullOr(Schema.String).annotations({ description: "What is missing; null when it is done." }),
  evidence: Schema.NullOr(Schema.String).annotations({
    description: "What the step was done with; null when nothing of it is left to name.",
  }),
})

const caseFields = (steps: string) => ({
  asked_by: Schema.NullOr(Schema.Struct({ name: Schema.String, role: Schema.Literal(...ROLES) })).annotations(
    { description: "Null once the person has left the organization." },
  ),
  steps: Schema.Array(Step).annotations({ description: steps }),
})

const AccessCase = Schema.Struct({
  ...AccessRequest.fields,
  ...caseFields("All seven, in order."),
}).annotations({ identifier: "AccessRequestCase" })

const PartnerCase = Schema.Struct({
  ...PartnerRequest.fields,
  ...caseFields("The seven in order: of reservations for an enrolment, of deliveries for sites."),
}).annotations({ identifier: "PartnerRequestCase" })

const Status = Schema.Literal("pending", "decided")
const ListRequest = Schema.Struct({ status: Schema.optional(Status) })

const PARAMETERS: readonly Parameter[] = [
  {
    in: "query",
    name: "status",
    description:
      "`pending`, which is the default: the first 200, by due time. `decided`: the last 100, the latest decision first.",
    schema: Status,
  },
]

/** A review of requests: its service, and its words. */
interface Review<View, Case, R> {
  /** As in `access_request` and `AccessRequest`. */
  readonly one: "access_request" | "partner_request"
  readonly name: "AccessRequest" | "PartnerRequest"
  readonly service: Effect.Effect<Reviewing<View, Case>, never, R>
  readonly request: Schema.Schema.AnyNoContext
  readonly case: Schema.Schema.AnyNoContext
  readonly written: (view: View) => object
  readonly writtenCase: (view: Case) => object
  readonly summaries: { readonly list: string; readonly read: string; readonly decide: string }
  readonly noun: CommandNoun
  readonly columns: readonly string[]
  /** What the command does that approves. */
  readonly approves: string
}

interface Reviewing<View, Case> {
  readonly pending: (caller: Operator) => Effect.Effect<readonly View[], Refused>
  readonly decided: (caller: Operator) => Effect.Effect<readonly View[], Refused>
  readonly read: (caller: Operator, requestId: string) => Effect.Effect<Case, Refused>
  readonly decide: (caller: Operator, decision: Decision) => Effect.Effect<View, Refused>
}

function endpointsOf<View, Case, R>(
  review: Review<View, Case, R>,
): readonly OperatorEndpoint<OperatorAccounts | R>[] {
  const { one, name, service, noun, summaries, written } = review
  const many = `${one}s`
  const path = `/internal/v1/${many.replace("_", "-")}`
  const list = operatorEndpoint({
    method: "GET",
    path,
    operationId: `list${name}s`,
    summary: summaries.list,
    parameters: PARAMETERS,
    answers: { 200: Schema.Struct({ [many]: Schema.Array(review.request) }) },
    errors: ["PERMISSION_DENIED"],
    commands: [
      {
        noun,
        verb: "list",
        description: "requests without an answer by due time, or those decided",
        inputs: [["status", "--status <status>", "pending (if absent) or decided"]],
        columns: review.columns,
      },
    ],
    *handle({ caller, query }) {
      const { status } = yield* decodeQuery(ListRequest, query, PARAMETERS)
      const reviewing = yield* service
      const found = yield* status === "decided" ? reviewing.decided(caller) : reviewing.pending(caller)
      return { [many]: found.map(written) }
    },
  })
  const read = operatorEndpoint({
    method: "GET",
    path: `${path}/{id}`,
    operationId: `read${name}`,
    summary: summaries.read,
    answers: { 200: Schema.Struct({ [one]: review.case }) },
    errors: ["PERMISSION_DENIED", "NOT_FOUND"],
    commands: [
      {
        noun,
        verb: "show",
        description: "one request, with who asked and what proves each step",
        inputs: [["id", "<request-id>", `as ${noun.word} list shows it`]],
      },
    ],
    *handle({ caller, id }) {
      return { [one]: review.writtenCase(yield* (yield* service).read(caller, id)) }
    },
  })
  const decide = operatorEndpoint({
    method: "PUT",
    path: `${path}/{id}/decision`,
    operationId: `decide${name}`,
    summary: summaries.decide,
    body: DecideAccessRequest,
    answers: { 200: Schema.Struct({ [one]: review.request }) },
    errors: ["PERMISSION_DENIED", "NOT_FOUND", "INVALID_STATE"],
    commands: decisionsOf(review),
    *handle({ caller, id }, sent) {
      const { is_approved: isApproved, reason = null, decided_by: given = null } = yield* sent
      const account = yield* accountOf(caller)
      const by = account?.name ?? given
      const decision = { requestId: id, isApproved, by, byEmail: account?.email ?? null, reason }
      return { [one]: written(yield* (yield* service).decide(caller, decision)) }
    },
  })
  return [list, read, decide]
}

/** The account of a caller who signed in with one; its name replaces the one in the request. */
const accountOf = Effect.fnUntraced(function* ({ accountId }: Operator) {
  if (accountId === undefined) return null
  const accounts = yield* (yield* OperatorAccounts).list
  return accounts.find((one) => one.accountId === accountId) ?? null
})

function decisionsOf({
  noun,
  approves,
}: Pick<Review<never, never, never>, "approves" | "noun">): readonly OperatorCommand[] {
  const inputs = [
    ["id", "<request-id>", `as ${noun.word} list shows it`],
    ["reason", "--reason <text>", "sent to the organization"],
    ["decided_by", "--by <name>", "who decides; stored, but not sent to the organization"],
  ] as const
  const declines = "notify its contact; the organization may ask again"
  return [
    {
      noun,
      verb: "approve",
      description: approves,
      inputs,
      fixed: { is_approved: true },
      did: "approved the request",
    },
    {
      noun,
      verb: "decline",
      description: declines,
      inputs,
      fixed: { is_approved: false },
      did: "declined the request",
    },
  ]
}

const accessRecord = recordsOf(AccessRequest)
const accessCase = recordsOf(AccessCase)
const partnerRecord = recordsOf(PartnerRequest)
const partnerCase = recordsOf(PartnerCase)

export const accessReviews = endpointsOf({
  one: "access_request",
  name: "AccessRequest",
  service: AccessReview,
  request: AccessRequest,
  case: AccessCase,
  written: accessRecord,
  writtenCase: ({ asker, ...found }) => accessCase({ ...found, askedBy: asker }),
  summaries: {
    list: "Requests for production access that wait, or that were decided",
    read: "A request for production access, with who asked and what proves each of the seven steps",
    decide:
      "Approve, which provisions the organization in production and makes the sites that it requested, or decline; its contact gets a mail",
  },
  noun: {
    word: "access",
    description: "requests of organizations for production access",
    isShared: true,
  },
  columns: ["request_id", "organization_name", "status", "due_at", "is_overdue", "decided_at", "decided_by"],
  approves: "provision the organization in production and notify its contact",
})

export const partnerReviews = endpointsOf({
  one: "partner_request",
  name: "PartnerRequest",
  service: PartnerReview,
  request: PartnerRequest,
  case: PartnerCase,
  written: partnerRecord,
  writtenCase: ({ asker, ...found }) => partnerCase({ ...found, askedBy: asker }),
  summaries: {
    list: "Requests for enrolment and for sites that wait, or that were decided",
    read: "One request, with who asked and what proves each of the seven steps",
    decide:
      "Approve, which enrols the organization in every environment or makes the sites that it requested, or decline; its contact gets a mail",
  },
  noun: {
    word: "partner-requests",
    description: "requests of organizations for enrolment as a fleet partner and for more sites",
    isShared: true,
  },
  columns: ["request_id", "kind", "organization_name", "status", "due_at", "is_overdue", "decided_by"],
  approves: "enrol the organization or make its sites, and notify its contact",
})
