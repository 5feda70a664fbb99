/** `/portal/api/audit-log`: who did what in the organization, and what of a request is noted there. */

import { Effect, Schema } from "effect"
import { ENVIRONMENTS } from "../../../model/caller.ts"
import { PAGE_SIZE } from "../../../model/values/limits.ts"
import { ListAuditRequest } from "../../../model/requests/portal.ts"
import { isoMs } from "../../../model/values/time.ts"
import { AUDITED_ACTORS } from "../../../http/access/audit-log.ts"
import type { AuditedCommand } from "../../../http/access/audit-log.ts"
import { decodeQuery } from "../../../http/endpoint.ts"
import type { Offer } from "../../../http/endpoint.ts"
import { listParameters, pageSchema } from "../../../http/pages.ts"
import { DateTime } from "../../../http/date-time.ts"
import { PortalAudit } from "../audit.ts"
import type { ShownAuditLine } from "../audit.ts"
import type { PortalCaller } from "../caller.ts"
import { ENVIRONMENT_PARAMETER } from "./endpoint.ts"
import type { MemberEndpoint, OpenAsk } from "./endpoint.ts"

const Line = Schema.Struct({
  at: DateTime,
  action: Schema.String.annotations({ description: "The operation's id in its API." }),
  actor: Schema.Struct({
    type: Schema.Literal(...AUDITED_ACTORS),
    id: Schema.NullOr(Schema.String).annotations({ description: "An account or a key." }),
    name: Schema.NullOr(Schema.String).annotations({
      description:
        "A member's name, or a key's last four characters; null for operators and people who have left.",
    }),
  }),
  environment: Schema.NullOr(Schema.Literal(...ENVIRONMENTS)),
  subject_id: Schema.NullOr(Schema.String).annotations({ description: "The id of what was changed." }),
  facts: Schema.Struct({
    role: Schema.optional(Schema.String),
    last_four: Schema.optional(Schema.String),
    status: Schema.optional(Schema.String),
  }),
}).annotations({ identifier: "AuditLine" })

const filters = listParameters(ListAuditRequest.fields, {
  actor: "The id of an account or a key.",
  action: "The operation's id.",
  subject: "The id of what was changed.",
  from: "Not before this instant.",
  to: "Before this instant.",
})

const list: MemberEndpoint<PortalAudit> = {
  method: "GET",
  path: "/portal/api/audit-log",
  operationId: "readAuditLog",
  summary: "Who did what in the organization in the last year, newest first",
  asks: "member",
  parameters: filters,
  body: null,
  answers: { 200: pageSchema("lines", Line) },
  errors: ["VALIDATION_ERROR"],
  handle: ({ caller, query }) =>
    Effect.gen(function* () {
      const sent = yield* decodeQuery(ListAuditRequest, query, filters)
      const { lines, nextCursor } = yield* (yield* PortalAudit).list(caller, {
        actorId: sent.actor ?? null,
        action: sent.action ?? null,
        subjectId: sent.subject ?? null,
        fromMs: sent.from ?? null,
        toMs: sent.to ?? null,
        cursor: sent.cursor ?? null,
        limit: sent.limit ?? PAGE_SIZE,
      })
      return { status: 200, data: { lines: lines.map(lineRecord), next_cursor: nextCursor } }
    }),
}

function lineRecord(line: ShownAuditLine): object {
  return {
    at: isoMs(line.atMs),
    action: line.action,
    actor: { type: line.actorType, id: line.actorId, name: line.actorName },
    environment: line.environment,
    subject_id: line.subjectId,
    facts: line.facts,
  }
}

export const auditLog = [list]

/** Requests that run several commands, and the one of them that is noted. */
const COMMANDS: Readonly<Record<string, string>> = {
  makeSandboxSite: "make a sandbox site",
  makeTestDelivery: "create a delivery",
  makeTestReservation: "create a reservation",
  startScenario: "begin a course",
}

/** Commands that are noted in the organization to which they lead, which their result names. */
const LEADING_ELSEWHERE: ReadonlySet<string> = new Set(["chooseOrganization", "joinOrganization"])

/** What is noted of a command: by a member, or of the member whose session it begins. */
export function auditedCommand(
  { method, operationId, parameters }: Pick<Offer, "method" | "operationId" | "parameters">,
  { id, query }: OpenAsk,
  caller: PortalCaller | null,
): AuditedCommand | null {
  if (method === "GET") return null
  const sent = ENVIRONMENTS.find((environment) => environment === query["environment"])
  const isOfOne = caller !== null && parameters.includes(ENVIRONMENT_PARAMETER)
  return {
    actor: caller === null ? null : { type: "member", id: caller.account.accountId },
    organizationId: LEADING_ELSEWHERE.has(operationId) ? null : (caller?.organization.organizationId ?? null),
    action: operationId,
    environment: isOfOne ? (sent ?? caller.session.environment) : null,
    subjectId: id === "" ? null : id,
    command: COMMANDS[operationId] ?? null,
  }
}
