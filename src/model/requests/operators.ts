/** Requests about operators' accounts, and of `/ops`. */

import { Schema } from "effect"
import { OperatorSites } from "../access.ts"
import { OPERATOR_ROLES } from "../caller.ts"
import { PERSON_NAME_LENGTH_MAX } from "../values/limits.ts"
import { PageRequest } from "./operations-requests.ts"
import { Email, GivenPassword, NewPassword, SecondFactorCode, Token, line } from "./portal.ts"
import { Instant, text } from "../values/schema.ts"

/** The page on which an operator chooses a password; the token is in the fragment. */
export const OPERATOR_LINK_PATH = "/ops/set-password"

const Role = Schema.Literal(...OPERATOR_ROLES)
const Name = line(PERSON_NAME_LENGTH_MAX)

export const NewOperatorRequest = Schema.Struct({
  email: Email,
  name: Name,
  role: Role,
  site_ids: Schema.optional(OperatorSites),
})

export const ChangeOperatorRequest = Schema.Struct({
  name: Schema.optional(Name),
  role: Schema.optional(Role),
  site_ids: Schema.optional(OperatorSites),
  is_active: Schema.optional(Schema.Boolean),
  forgets_second_factor: Schema.optional(Schema.Boolean),
})

/** All lines that fit, for a file. */
export const ExportActionsRequest = Schema.Struct({
  operator_id: Schema.optional(text({ max: 64 })),
  action: Schema.optional(text({ max: 64 })),
  from: Schema.optional(Instant),
  to: Schema.optional(Instant),
})

export const ListActionsRequest = Schema.Struct({
  ...ExportActionsRequest.fields,
  limit: PageRequest.fields.limit,
  before: Schema.optional(
    Schema.String.pipe(
      Schema.filter((value) => /^\d{1,15}$/.test(value) || "must be a number"),
      Schema.annotations({ jsonSchema: { type: "string", pattern: "^\\d{1,15}$" } }),
    ),
  ),
})

/** With an account, or with an operator token. */
export const OperatorSignInRequest = Schema.Union(
  Schema.Struct({ token: text({ max: 256 }) }),
  Schema.Struct({ email: Email, password: GivenPassword }),
)

export const OperatorCodeRequest = Schema.Struct({ challenge: Token, code: SecondFactorCode })

export const ChoosePasswordRequest = Schema.Struct({ token: Token, password: NewPassword })

export const OperatorEnrolRequest = Schema.Struct({ current_password: GivenPassword })

export const OperatorConfirmRequest = Schema.Struct({ code: SecondFactorCode })
