/** `/internal/v1/site-requests`: what organizations ask operations to change at their sites of production. */

import { Schema } from "effect"
import { CloseSiteRequest } from "../../../model/requests/portal.ts"
import { SiteRequests } from "../../portal/site-requests.ts"
import { DateTime } from "../../../http/records/date-time.ts"
import type { CommandNoun } from "../../../http/operator-command.ts"
import { operatorEndpoint } from "../../../http/operator-endpoint.ts"
import { recordsOf } from "../../../http/records/records.ts"

const Request = Schema.Struct({
  request_id: Schema.String,
  organization_id: Schema.String,
  site_id: Schema.String,
  requested_by: Schema.String.annotations({ description: "The account that asked." }),
  text: Schema.String,
  status: Schema.Literal("open", "closed"),
  requested_at: DateTime,
  closed_at: Schema.NullOr(DateTime),
  answer: Schema.NullOr(Schema.String),
}).annotations({ identifier: "SiteRequest" })

const SITE_REQUESTS: CommandNoun = {
  word: "site-requests",
  description: "requests of organizations to change their sites of production",
  isShared: true,
}

const list = operatorEndpoint({
  method: "GET",
  path: "/internal/v1/site-requests",
  operationId: "listSiteRequests",
  summary: "Requests to change sites that wait, oldest first",
  answers: { 200: Schema.Struct({ site_requests: Schema.Array(Request) }) },
  errors: ["PERMISSION_DENIED"],
  commands: [
    {
      noun: SITE_REQUESTS,
      verb: "list",
      description: "requests without an answer, oldest first",
      columns: ["request_id", "organization_id", "site_id", "requested_at", "text"],
    },
  ],
  *handle({ caller }) {
    const open = yield* (yield* SiteRequests).open(caller)
    return { site_requests: open.map(recordOf) }
  },
})

const close = operatorEndpoint({
  method: "PUT",
  path: "/internal/v1/site-requests/{id}/answer",
  operationId: "closeSiteRequest",
  summary: "Close a request; its organization reads the answer in the portal",
  body: CloseSiteRequest,
  isBodyOptional: true,
  answers: { 200: Schema.Struct({ site_request: Request }) },
  errors: ["PERMISSION_DENIED", "NOT_FOUND", "INVALID_STATE"],
  commands: [
    {
      noun: SITE_REQUESTS,
      verb: "close",
      description: "close a request with an answer for its organization",
      inputs: [
        ["id", "<request-id>", "as site-requests list shows it"],
        ["answer", "--answer <text>", "shown to the organization"],
      ],
      did: "closed the request",
    },
  ],
  *handle({ caller, id }, sent) {
    const { answer = null } = yield* sent
    const closed = yield* (yield* SiteRequests).close(caller, id, answer)
    return { site_request: recordOf(closed) }
  },
})

const recordOf = recordsOf(Request)

export const siteRequests = [list, close]
