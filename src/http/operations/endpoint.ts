/** An endpoint of the operations API, as one value: it asks for an operator token of its host's environment. */

import type { Effect } from "effect"
import type { Operator } from "../../model/caller.ts"
import type { Refused } from "../../model/errors.ts"
import type { Answer, Ask, Offer } from "../endpoint.ts"

export interface OperatorEndpoint<R> extends Offer {
  /** Larger bodies are 413; absent: as on every other surface. */
  readonly bodyBytesMax?: number
  readonly handle: (ask: OperatorAsk) => Effect.Effect<Answer, Refused, R>
}

/** What an operator asks. Nothing but the token has been checked. */
export interface OperatorAsk extends Omit<Ask, "arrival" | "caller"> {
  /** Acts for operations; a handler that moves a runner's task says so itself. */
  readonly caller: Operator
}
