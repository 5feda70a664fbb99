/** The answers of calls: each contract's model allows every answer that a plan got. */

import { deliveryModel } from "../models/delivery-model.ts"
import { errandModel, oneAnswer, ownErrands } from "../models/errand-model.ts"
import { reservationModel } from "../models/reservation-model.ts"
import type { SwarmInvariant } from "../invariant.ts"

export const CONTRACT_INVARIANTS: readonly SwarmInvariant[] = [
  {
    sentence: "every answer about a reservation is one that its contract allows",
    check: reservationModel,
  },
  { sentence: "every answer about a delivery is one that its contract allows", check: deliveryModel },
  {
    sentence: "every answer about an errand is one that its contract allows",
    check: errandModel,
  },
  { sentence: "a call under one key has one answer", check: () => oneAnswer() },
  { sentence: "no user reaches another user's errand", check: ownErrands },
]
