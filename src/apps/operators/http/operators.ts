/** `/internal/v1/operators` and the audit log of operations. Accounts exist once, so only the production host has these. */

import { Effect, Option, Schema } from "effect"
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify"
import { DateTime } from "../../../http/records/date-time.ts"
import { decodeQuery } from "../../../http/endpoint.ts"
import type { Parameter, Query } from "../../../http/endpoint.ts"
import type { Run } from "../../../http/bridge.ts"
import { csvPart, sendCsv } from "../../../http/docs/csv-file.ts"
import { invalid } from "../../../http/errors.ts"
import { operatorOf } from "../../../http/gate.ts"
import type { CommandInput, CommandNoun } from "../../../http/operator-command.ts"
import { operatorEndpoint } from "../../../http/operator-endpoint.ts"
import type { OperatorEndpoint } from "../../../http/operator-endpoint.ts"
import { PAGING, pageOf, pageSchema } from "../../../http/pages.ts"
import { OPERATOR_ROLES } from "../../../model/caller.ts"
import type { Environment } from "../../../model/caller.ts"
import {
  OPERATOR_LINK_PATH,
  ChangeOperatorRequest,
  ExportActionsRequest,
  ListActionsRequest,
  NewOperatorRequest,
} from "../../../model/requests/operators.ts"
import { csvText } from "../../../model/values/csv.ts"
import { AUDIT_EXPORTED_MAX, PAGE_SIZE } from "../../../model/values/limits.ts"
import { isoMs } from "../../../model/values/time.ts"
import { OperatorAccounts } from "../accounts.ts"
import type { LinkedOperator, OperatorRecord } from "../accounts.ts"
import { OperatorNotices } from "../notices.ts"
import { OPERATOR_ACTORS, OperatorActions } from "../actions.ts"
import type { ShownAction } from "../actions.ts"
import { recordsOf } from "../../../http/records/records.ts"

const TextOrNull = Schema.NullOr(Schema.String)
const TimeOrNull = Schema.NullOr(DateTime)

const OperatorShown = Schema.Struct({
  operator_id: Schema.String,
  email: Schema.String,
  name: Schema.String,
  role: Schema.Literal(...OPERATOR_ROLES),
  site_ids: Schema.NullOr(Schema.Array(Schema.String)).annotations({ description: "Null: all sites." }),
  has_password: Schema.Boolean,
  second_factor_since: TimeOrNull,
  created_at: DateTime,
  deactivated_at: TimeOrNull,
}).annotations({ identifier: "OperatorAccount", description: "A person who signs in at `/ops`." })

const Linked = Schema.Struct({
  operator: OperatorShown,
  value: Schema.String.annotations({
    description:
      "The path of a link to choose a password, on either host. It works once, for three days, and is shown once.",
  }),
})

const OPERATORS: CommandNoun = {
  word: "operators",
  description: "accounts of people who sign in at /ops",
  isShared: true,
}

const RIGHTS: readonly CommandInput[] = [
  ["role", "--role <role>", "what the person may do"],
  ["site_ids", "--sites <ids>", "separated by commas: only these sites; all if absent"],
]

const operatorRecord = recordsOf(OperatorShown)

function shown({ accountId, factorSinceMs, ...one }: OperatorRecord): typeof OperatorShown.Encoded {
  return operatorRecord({ ...one, operatorId: accountId, secondFactorSinceMs: factorSinceMs })
}

const linked = ({ operator, token }: LinkedOperator) => ({
  operator: shown(operator),
  value: `${OPERATOR_LINK_PATH}#token=${token}`,
})

const list = operatorEndpoint({
  method: "GET",
  path: "/internal/v1/operators",
  operationId: "listOperators",
  summary: "Accounts of operators, oldest first, deactivated ones included",
  parameters: PAGING,
  answers: { 200: pageSchema("operators", OperatorShown) },
  commands: [
    {
      noun: OPERATORS,
      verb: "accounts",
      description: "every account, oldest first, deactivated ones included",
      columns: ["operator_id", "email", "name", "role", "second_factor_since", "deactivated_at"],
    },
  ],
  *handle({ query }) {
    return yield* pageOf(query, yield* (yield* OperatorAccounts).list, {
      noun: "operators",
      nameOf: ({ accountId }) => accountId,
      written: shown,
    })
  },
})

const make = operatorEndpoint({
  method: "POST",
  path: "/internal/v1/operators",
  operationId: "makeOperator",
  summary: "Make an account; the answer has the link to choose its password, which nothing shows again",
  body: NewOperatorRequest,
  answers: { 201: Linked },
  errors: ["ALREADY_EXISTS"],
  commands: [
    {
      noun: OPERATORS,
      verb: "create",
      description: "make an account and print the path of its link to choose a password",
      inputs: [
        ["email", "--email <address>", "with which the person signs in"],
        ["name", "--name <name>", "of the person"],
        ...RIGHTS,
      ],
      did: "made the account",
    },
  ],
  *handle(_, sent) {
    const { email, name, role, site_ids: siteIds = null } = yield* sent
    const made = yield* (yield* OperatorAccounts).make({ email, name, role, siteIds })
    return linked(made)
  },
})

const change = operatorEndpoint({
  method: "PATCH",
  path: "/internal/v1/operators/{id}",
  operationId: "changeOperator",
  summary:
    "Change an account, deactivate it, or switch a lost second factor off; absent fields stay, and the person gets a mail",
  body: ChangeOperatorRequest,
  answers: { 200: Schema.Struct({ operator: OperatorShown }) },
  errors: ["NOT_FOUND"],
  commands: [
    {
      noun: OPERATORS,
      verb: "change",
      description: "change an account, deactivate it, or switch a lost second factor off",
      inputs: [
        ["id", "<operator-id>", "as operators accounts shows it"],
        ["name", "--name <name>", "of the person"],
        ...RIGHTS.slice(0, 1),
        ["site_ids", "--sites <ids>", "separated by commas; an empty text for all sites", "text or none"],
        ["is_active", "--active", "the person may sign in"],
        ["is_active", "--no-active", "the person may not, and every session ends"],
        ["forgets_second_factor", "--forget-second-factor", "for a person who lost it; every session ends"],
      ],
      did: "changed the account",
    },
  ],
  *handle({ id }, sent) {
    const wanted = yield* sent
    const { name, role, site_ids: siteIds, is_active: isActive } = wanted
    const forgetsFactor = wanted.forgets_second_factor
    const accounts = yield* OperatorAccounts
    const notices = Option.getOrNull(yield* Effect.serviceOption(OperatorNotices))
    const wish = { name, role, siteIds, isActive, forgetsFactor }
    const operator = yield* accounts.change(id, wish, notices)
    return { operator: shown(operator) }
  },
})

const link = operatorEndpoint({
  method: "POST",
  path: "/internal/v1/operators/{id}/link",
  operationId: "linkOperator",
  summary: "A new link to choose a password; earlier links end",
  answers: { 200: Linked },
  errors: ["NOT_FOUND", "INVALID_STATE"],
  commands: [
    {
      noun: OPERATORS,
      verb: "link",
      description: "print the path of a new link to choose a password; earlier links end",
      inputs: [["id", "<operator-id>", "as operators accounts shows it"]],
      did: "made a link for the account",
    },
  ],
  *handle({ id }) {
    return linked(yield* (yield* OperatorAccounts).link(id))
  },
})

export const operators: readonly OperatorEndpoint<OperatorAccounts>[] = [list, make, change, link]

const { fields } = ListActionsRequest

/** Those of a file, which is no page. */
const ofFile: readonly Parameter[] = [
  {
    in: "query",
    name: "operator_id",
    description: "Of this account, token or phone.",
    schema: fields.operator_id.from,
  },
  { in: "query", name: "action", description: "The operation's id.", schema: fields.action.from },
  { in: "query", name: "from", description: "Not before this instant.", schema: fields.from.from },
  { in: "query", name: "to", description: "Before this instant.", schema: fields.to.from },
]

const filters: readonly Parameter[] = [
  ...ofFile,
  { in: "query", name: "limit", description: "Rows of a page; 50 if absent.", schema: fields.limit.from },
  {
    in: "query",
    name: "before",
    description: "Only lines with a smaller number.",
    schema: fields.before.from,
  },
]

const Action = Schema.Struct({
  number: Schema.Number,
  at: DateTime,
  actor_type: Schema.Literal(...OPERATOR_ACTORS),
  actor_id: TextOrNull,
  actor: Schema.String.annotations({ description: "The account's name or the token's label, as it is now." }),
  action: Schema.String.annotations({ description: "The operation's id." }),
  subject_id: TextOrNull,
  subject: TextOrNull.annotations({
    description: "The name of the account, token or organization that was changed; null for anything else.",
  }),
  outcome: Schema.String.annotations({ description: "`done`, or the code of the refusal." }),
}).annotations({ identifier: "OperatorAction", description: "A line of the audit log of operations." })

const listActions = operatorEndpoint({
  method: "GET",
  path: "/internal/v1/audit-log",
  operationId: "listOperatorActions",
  summary: "What operators changed in this environment in the last year, newest first",
  parameters: filters,
  answers: { 200: Schema.Struct({ actions: Schema.Array(Action) }) },
  *handle({ caller: { environment }, query }) {
    const asked = yield* decodeQuery(ListActionsRequest, query, filters)
    const found = yield* (yield* OperatorActions).list({
      ...queryOf(environment, asked),
      beforeNumber: asked.before === undefined ? null : Number(asked.before),
      limit: asked.limit ?? PAGE_SIZE,
    })
    return { actions: found.map(actionOf) }
  },
})

function queryOf(environment: Environment, asked: typeof ExportActionsRequest.Type) {
  return {
    environment,
    actorId: asked.operator_id ?? null,
    action: asked.action ?? null,
    fromMs: asked.from ?? null,
    toMs: asked.to ?? null,
  }
}

function actionOf(one: ShownAction) {
  return {
    number: one.number,
    at: isoMs(one.atMs),
    actor_type: one.actorType,
    actor_id: one.actorId,
    actor: one.actor,
    action: one.action,
    subject_id: one.subjectId,
    subject: one.subject,
    outcome: one.outcome,
  }
}

export const actions: readonly OperatorEndpoint<OperatorActions>[] = [listActions]

const CSV_PATH = "/internal/v1/audit-log.csv"

/** A CSV file, so not an endpoint like the others. */
export function addActionsFile(
  app: FastifyInstance,
  run: Run<OperatorActions>,
  admitting: (request: FastifyRequest, reply: FastifyReply) => Promise<void>,
): void {
  app.get<{ Querystring: Query }>(CSV_PATH, { onRequest: admitting }, async (request, reply) => {
    const text = await run(actionsCsv(operatorOf(request).environment, request.query))
    return sendCsv(reply, { name: "audit-log", text })
  })
}

/** Oldest first, with a header line. */
const actionsCsv = Effect.fnUntraced(function* (environment: Environment, query: Query) {
  const asked = yield* decodeQuery(ExportActionsRequest, query, ofFile)
  const limit = AUDIT_EXPORTED_MAX + 1
  const page = { ...queryOf(environment, asked), beforeNumber: null, limit }
  const found = yield* (yield* OperatorActions).list(page)
  if (found.length > AUDIT_EXPORTED_MAX)
    return yield* invalid("from", `must leave at most ${AUDIT_EXPORTED_MAX} lines in the span`)
  return csvText([COLUMNS, ...found.toReversed().map(cellsOf)])
})

const COLUMNS = ["at", "actor_type", "actor_id", "actor", "action", "subject_id", "subject", "outcome"]

function cellsOf(one: ShownAction): readonly string[] {
  const { actorType, actorId, actor, action, subjectId, subject, outcome } = one
  return [isoMs(one.atMs), actorType, actorId ?? "", actor, action, subjectId ?? "", subject ?? "", outcome]
}

export const actionsFile = csvPart(CSV_PATH, {
  operationId: "exportOperatorActions",
  summary: "All lines that fit as CSV (RFC 4180), oldest first; no cell is a formula",
  parameters: ofFile,
  errors: ["INVALID_OPERATOR_TOKEN"],
})
