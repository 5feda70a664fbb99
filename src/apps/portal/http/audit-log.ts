/** `/portal/api/audit-log`: who did what in the organization, and what of a request is noted there. */

import { Effect, Schema } from "effect"
import type { FastifyInstance } from "fastify"
import { ENVIRONMENTS } from "../../../model/caller.ts"
import { PAGE_SIZE } from "../../../model/values/limits.ts"
import { ExportAuditRequest, ListAuditRequest } from "../../../model/requests/portal.ts"
import { isoMs } from "../../../model/values/time.ts"
import { AUDITED_ACTORS } from "../../../http/access/audit-log.ts"
import type { AuditedCommand } from "../../../http/access/audit-log.ts"
import { decodeQuery } from "../../../http/endpoint.ts"
import type { Offer, Query } from "../../../http/endpoint.ts"
import { csvPart, sendCsv } from "../../../http/docs/csv-file.ts"
import { NOT_STORED } from "../../../http/errors.ts"
import { listParameters, pageSchema } from "../../../http/pages.ts"
import { DateTime } from "../../../http/records/date-time.ts"
import { PortalAudit } from "../audit.ts"
import type { AuditFilter, ShownAuditLine } from "../audit.ts"
import type { PortalCaller } from "../caller.ts"
import type { FileOptions } from "./charges.ts"
import { ENVIRONMENT_PARAMETER } from "./endpoint.ts"
import { memberEndpoint } from "./endpoint.ts"
import type { OpenAsk } from "./endpoint.ts"

const Line = Schema.Struct({
  at: DateTime,
  action: Schema.String.annotations({ description: "The operation's id in its API." }),
  actor: Schema.Struct({
    type: Schema.Literal(...AUDITED_ACTORS),
    id: Schema.NullOr(Schema.String).annotations({ description: "An account or a key." }),
    name: Schema.NullOr(Schema.String).annotations({
      description:
        "A member's name, also of one who has left, or a key's last four characters; null for operators.",
    }),
  }),
  environment: Schema.NullOr(Schema.Literal(...ENVIRONMENTS)),
  subject_id: Schema.NullOr(Schema.String).annotations({ description: "The id of what was changed." }),
  subject_name: Schema.NullOr(Schema.String).annotations({
    description:
      "The name, as that of an actor, of a person or key that was changed; null for anything else.",
  }),
  facts: Schema.Struct({
    role: Schema.optional(Schema.String),
    last_four: Schema.optional(Schema.String),
    status: Schema.optional(Schema.String),
  }),
}).annotations({ identifier: "AuditLine" })

const words = {
  actor: "The id of an account or a key, or `operations`.",
  action: "The operation's id.",
  subject: "The id of what was changed.",
  from: "Not before this instant.",
  to: "Before this instant.",
}

const filters = listParameters(ListAuditRequest.fields, words)

/** Those of a file, which is no page. */
const ofFile = filters.filter(({ name }) => name in words)

const list = memberEndpoint({
  method: "GET",
  path: "/portal/api/audit-log",
  operationId: "readAuditLog",
  summary: "Who did what in the organization in the last year, newest first",
  parameters: filters,
  answers: { 200: pageSchema("lines", Line) },
  *handle({ caller, query }) {
    const sent = yield* decodeQuery(ListAuditRequest, query, filters)
    const { lines, nextCursor } = yield* (yield* PortalAudit).list(caller, {
      ...filterOf(sent),
      cursor: sent.cursor ?? null,
      limit: sent.limit ?? PAGE_SIZE,
    })
    return { lines: lines.map(lineRecord), next_cursor: nextCursor }
  },
})

const people = memberEndpoint({
  method: "GET",
  path: "/portal/api/audit-log/people",
  operationId: "listAuditedPeople",
  summary: "People whose lines the audit log has: members, and those who have left in the last year",
  answers: {
    200: Schema.Struct({
      people: Schema.Array(
        Schema.Struct({ account_id: Schema.String, name: Schema.String, is_member: Schema.Boolean }),
      ),
    }),
  },
  *handle({ caller }) {
    const found = yield* (yield* PortalAudit).people(caller)
    const shown = found.map(({ id, name, isMember }) => ({ account_id: id, name, is_member: isMember }))
    return { people: shown }
  },
})

function filterOf({ actor, action, subject, from, to }: typeof ExportAuditRequest.Type): AuditFilter {
  return {
    actor: actor ?? null,
    action: action ?? null,
    subjectId: subject ?? null,
    fromMs: from ?? null,
    toMs: to ?? null,
  }
}

function lineRecord(line: ShownAuditLine): object {
  return {
    at: isoMs(line.atMs),
    action: line.action,
    actor: { type: line.actorType, id: line.actorId, name: line.actorName },
    environment: line.environment,
    subject_id: line.subjectId,
    subject_name: line.subjectName,
    facts: line.facts,
  }
}

export const auditLog = [list, people]

const CSV_PATH = "/portal/api/audit-log.csv"

/** A CSV file, so not an endpoint like the others. */
export function addPortalAuditFile(app: FastifyInstance, { run, callerOf }: FileOptions<PortalAudit>): void {
  app.get<{ Querystring: Query }>(CSV_PATH, async (request, reply) => {
    reply.headers(NOT_STORED)
    const caller = await callerOf(request, reply)
    const reading = Effect.gen(function* () {
      const sent = yield* decodeQuery(ExportAuditRequest, request.query, ofFile)
      return yield* (yield* PortalAudit).csv(caller, filterOf(sent))
    })
    return sendCsv(reply, { name: "audit-log", text: await run(reading) })
  })
}

/** For the document. */
export const portalAuditFile = csvPart(CSV_PATH, {
  operationId: "exportAuditLog",
  summary: "All lines that fit as CSV (RFC 4180), oldest first; no cell is a formula",
  parameters: ofFile,
  errors: ["SIGN_IN_REQUIRED", "ORG_INACTIVE"],
})

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
