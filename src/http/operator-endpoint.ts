/** An endpoint of the operations API, as one value: it requires an operator token of its host's environment. */

import type { Effect } from "effect"
import type { Operator } from "../model/caller.ts"
import type { AnySchema } from "../model/values/schema.ts"
import type { Refused } from "../model/values/errors.ts"
import { complete } from "./endpoint.ts"
import type { Answer, Ask, Declared, NeedsOf, Offer, Step } from "./endpoint.ts"
import type { OperatorCommand } from "./operator-command.ts"

export interface OperatorEndpoint<R> extends Offer {
  /** Larger bodies get 413; default: the same limit as in every API. */
  readonly bodyBytesMax?: number
  /** The commands of the command line that call it. */
  readonly commands?: readonly OperatorCommand[]
  readonly handle: (ask: OperatorAsk) => Effect.Effect<Answer, Refused, R>
}

/** A request of an operator. Only the token has been checked. */
export interface OperatorAsk extends Omit<Ask, "arrival" | "caller"> {
  /** Acts as operations; a handler that moves a runner's task changes it. */
  readonly caller: Operator
}

export function operatorEndpoint<S extends Step<Refused>, Body extends AnySchema | null = null>(
  declared: Declared<OperatorEndpoint<never>, OperatorAsk, Answer, Body, S>,
): OperatorEndpoint<NeedsOf<S>> {
  return complete(declared)
}
