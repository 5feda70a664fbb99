/** `/internal/v1/operators` and the audit log of operations. Accounts exist once, so only the production host has these. */

import { Effect, Schema } from "effect"
import { DateTime } from "../../../http/date-time.ts"
import { decodeBody, decodeQuery } from "../../../http/endpoint.ts"
import type { Parameter } from "../../../http/endpoint.ts"
import type { CommandInput, CommandNoun } from "../../../http/operator-command.ts"
import type { OperatorEndpoint } from "../../../http/operator-endpoint.ts"
import { PAGING, pageOf, pageSchema } from "../../../http/pages.ts"
import { OPERATOR_ROLES } from "../../../model/caller.ts"
import {
  OPERATOR_LINK_PATH,
  ChangeOperatorRequest,
  ListActionsRequest,
  NewOperatorRequest,
} from "../../../model/requests/operators.ts"
import { PAGE_SIZE } from "../../../model/values/limits.ts"
import { isoMs } from "../../../model/values/time.ts"
import { OperatorAccounts } from "../accounts.ts"
import type { LinkedOperator, OperatorRecord } from "../accounts.ts"
import { OPERATOR_ACTORS, OperatorActions } from "../actions.ts"
import type { ShownAction } from "../actions.ts"

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

function shown(one: OperatorRecord): typeof OperatorShown.Encoded {
  return {
    operator_id: one.accountId,
    email: one.email,
    name: one.name,
    role: one.role,
    site_ids: one.siteIds,
    has_password: one.hasPassword,
    second_factor_since: isoMs(one.factorSinceMs),
    created_at: isoMs(one.createdAtMs),
    deactivated_at: isoMs(one.deactivatedAtMs),
  }
}

const linked = ({ operator, token }: LinkedOperator) => ({
  operator: shown(operator),
  value: `${OPERATOR_LINK_PATH}#token=${token}`,
})

const list: OperatorEndpoint<OperatorAccounts> = {
  method: "GET",
  path: "/internal/v1/operators",
  operationId: "listOperators",
  summary: "Accounts of operators, oldest first, deactivated ones included",
  parameters: PAGING,
  body: null,
  answers: { 200: pageSchema("operators", OperatorShown) },
  errors: ["VALIDATION_ERROR"],
  commands: [
    {
      noun: OPERATORS,
      verb: "accounts",
      description: "every account, oldest first, deactivated ones included",
      columns: ["operator_id", "email", "name", "role", "second_factor_since", "deactivated_at"],
    },
  ],
  handle: ({ query }) =>
    Effect.gen(function* () {
      const data = yield* pageOf(query, yield* (yield* OperatorAccounts).list, {
        noun: "operators",
        nameOf: ({ accountId }) => accountId,
        written: shown,
      })
      return { status: 200, data }
    }),
}

const make: OperatorEndpoint<OperatorAccounts> = {
  method: "POST",
  path: "/internal/v1/operators",
  operationId: "makeOperator",
  summary: "Make an account; the answer has the link to choose its password, which nothing shows again",
  parameters: [],
  body: NewOperatorRequest,
  answers: { 201: Linked },
  errors: ["VALIDATION_ERROR", "ALREADY_EXISTS"],
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
  handle: ({ body }) =>
    Effect.gen(function* () {
      const { email, name, role, site_ids: siteIds = null } = yield* decodeBody(NewOperatorRequest, body)
      const made = yield* (yield* OperatorAccounts).make({ email, name, role, siteIds })
      return { status: 201, data: linked(made) }
    }),
}

const change: OperatorEndpoint<OperatorAccounts> = {
  method: "PATCH",
  path: "/internal/v1/operators/{id}",
  operationId: "changeOperator",
  summary: "Change an account, deactivate it, or switch a lost second factor off; absent fields stay",
  parameters: [],
  body: ChangeOperatorRequest,
  answers: { 200: Schema.Struct({ operator: OperatorShown }) },
  errors: ["VALIDATION_ERROR", "NOT_FOUND"],
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
  handle: ({ id, body }) =>
    Effect.gen(function* () {
      const wanted = yield* decodeBody(ChangeOperatorRequest, body)
      const { name, role, site_ids: siteIds, is_active: isActive } = wanted
      const forgetsFactor = wanted.forgets_second_factor
      const accounts = yield* OperatorAccounts
      const operator = yield* accounts.change(id, { name, role, siteIds, isActive, forgetsFactor })
      return { status: 200, data: { operator: shown(operator) } }
    }),
}

const link: OperatorEndpoint<OperatorAccounts> = {
  method: "POST",
  path: "/internal/v1/operators/{id}/link",
  operationId: "linkOperator",
  summary: "A new link to choose a password; earlier links end",
  parameters: [],
  body: null,
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
  handle: ({ id }) =>
    Effect.gen(function* () {
      return { status: 200, data: linked(yield* (yield* OperatorAccounts).link(id)) }
    }),
}

export const operators: readonly OperatorEndpoint<OperatorAccounts>[] = [list, make, change, link]

const { fields } = ListActionsRequest

const filters: readonly Parameter[] = [
  {
    in: "query",
    name: "operator_id",
    description: "Of this account or token.",
    schema: fields.operator_id.from,
  },
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
  outcome: Schema.String.annotations({ description: "`done`, or the code of the refusal." }),
}).annotations({ identifier: "OperatorAction", description: "A line of the audit log of operations." })

const listActions: OperatorEndpoint<OperatorActions> = {
  method: "GET",
  path: "/internal/v1/audit-log",
  operationId: "listOperatorActions",
  summary: "What operators changed in this environment in the last year, newest first",
  parameters: filters,
  body: null,
  answers: { 200: Schema.Struct({ actions: Schema.Array(Action) }) },
  errors: ["VALIDATION_ERROR"],
  handle: ({ caller: { environment }, query }) =>
    Effect.gen(function* () {
      const asked = yield* decodeQuery(ListActionsRequest, query, filters)
      const found = yield* (yield* OperatorActions).list({
        environment,
        actorId: asked.operator_id ?? null,
        beforeNumber: asked.before === undefined ? null : Number(asked.before),
        limit: asked.limit ?? PAGE_SIZE,
      })
      return { status: 200, data: { actions: found.map(actionOf) } }
    }),
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
    outcome: one.outcome,
  }
}

export const actions: readonly OperatorEndpoint<OperatorActions>[] = [listActions]
