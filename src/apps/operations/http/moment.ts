/** `/internal/v1/reservations/{id}/moment` and `/internal/v1/deliveries/{id}/moment`: when a late or lost case could no longer be saved. */

import { Schema } from "effect"
import { CaseMomentShown } from "../../../model/requests/case-moment.ts"
import type { ErrorCode } from "../../../model/values/errors.ts"
import { operatorEndpoint } from "../../../http/operator-endpoint.ts"
import type { OperatorEndpoint } from "../../../http/operator-endpoint.ts"
import { CaseMoments } from "../case-moment.ts"
import type { PromisedCase } from "../case-moment.ts"

const recordOf = Schema.encodeSync(CaseMomentShown)

const ANSWERS = { 200: Schema.Struct({ moment: CaseMomentShown }) }

interface CaseEndpoints {
  readonly kind: PromisedCase["kind"]
  readonly path: `/internal/v1/${string}`
  /** What operation ids end with. */
  readonly name: string
  readonly words: string
  readonly errors: readonly ErrorCode[]
}

function endpointsOf({ kind, path, name, words, errors }: CaseEndpoints) {
  return [
    operatorEndpoint({
      method: "GET",
      path,
      operationId: `read${name}`,
      summary: `When ${words} that was late or lost could no longer be saved, and what would have saved it; an answer that is not there is begun`,
      answers: ANSWERS,
      errors,
      *handle({ caller, id }) {
        return { moment: recordOf(yield* (yield* CaseMoments).of(caller, kind, id)) }
      },
    }),
    operatorEndpoint({
      method: "DELETE",
      path,
      operationId: `stop${name}`,
      summary: `Stops the search for the moment of ${words}; the next request begins it anew`,
      answers: ANSWERS,
      errors,
      *handle({ caller, id }) {
        return { moment: recordOf(yield* (yield* CaseMoments).stop(caller, kind, id)) }
      },
    }),
  ]
}

export const caseMoment: readonly OperatorEndpoint<CaseMoments>[] = [
  ...endpointsOf({
    kind: "reservation",
    path: "/internal/v1/reservations/{id}/moment",
    name: "ReservationMoment",
    words: "a reservation",
    errors: ["NOT_FOUND"],
  }),
  ...endpointsOf({
    kind: "delivery",
    path: "/internal/v1/deliveries/{id}/moment",
    name: "DeliveryMoment",
    words: "a delivery",
    errors: ["DELIVERY_NOT_FOUND", "NOT_FOUND"],
  }),
]
