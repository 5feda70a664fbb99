/**
 * The operator of a call, by what the call has with it. A header `Authorization` decides alone; without one, the session
 * of a browser does. The gate of the HTTP pages and scenarios ask here.
 */

import { Effect } from "effect"
import { OperatorTokens } from "../../http/access/operator-tokens.ts"
import type { Environment, Operator } from "../../model/caller.ts"
import { Refused, TurnedAway } from "../../model/values/errors.ts"
import { OperatorSessions } from "./operator-sessions.ts"

export interface Credentials {
  readonly environment: Environment
  readonly authorization: string | undefined
  /** The value of the session's cookie; null without one. */
  readonly session: string | null
}

type Needs = OperatorSessions | OperatorTokens

/** Null without an operator. Fails with `SIGN_IN_REQUIRED` when the session has ended. */
export const operatorWith: (
  credentials: Credentials,
) => Effect.Effect<Operator | null, Refused | TurnedAway, Needs> = Effect.fnUntraced(function* ({
  environment,
  authorization,
  session,
}) {
  if (authorization !== undefined || session === null)
    return yield* (yield* OperatorTokens).judge({ authorization, environment })
  const { operator, needsFactor } = yield* (yield* OperatorSessions).holder(environment, session)
  if (needsFactor)
    return yield* new Refused({ code: "PERMISSION_DENIED", detail: "set up your second factor first" })
  return operator
})

/** Fails with `INVALID_OPERATOR_TOKEN` without an operator. */
export const requireOperator: (
  credentials: Credentials,
) => Effect.Effect<Operator, Refused | TurnedAway, Needs> = Effect.fnUntraced(function* (credentials) {
  const operator = yield* operatorWith(credentials)
  return operator ?? (yield* new TurnedAway({ code: "INVALID_OPERATOR_TOKEN" }))
})
