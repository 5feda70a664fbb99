/** The answers of calls: each contract's model allows every answer that a plan got. */

import { deliveryModel } from "../models/delivery-model.ts"
import { errandModel, oneAnswer, ownErrands } from "../models/errand-model.ts"
import { reservationModel } from "../models/reservation-model.ts"
import type { SwarmInvariant } from "../invariant.ts"
import type { Plan } from "../plan.ts"

/** A timer that is taken late is taken by the call itself, which then sees another state than the model. */
const isOnTime = ({ faults }: Plan): boolean => faults.lateTimers === 0 && faults.mailboxEntriesMax === null

export const CONTRACT_INVARIANTS: readonly SwarmInvariant[] = [
  {
    sentence: "every answer about a reservation is one that its contract allows",
    holdsFor: isOnTime,
    where: "not with late timers or small mailboxes",
    check: reservationModel,
  },
  { sentence: "every answer about a delivery is one that its contract allows", check: deliveryModel },
  {
    sentence: "every answer about an errand is one that its contract allows",
    holdsFor: isOnTime,
    where: "not with late timers or small mailboxes",
    check: errandModel,
  },
  { sentence: "a call under one key has one answer", check: () => oneAnswer() },
  { sentence: "no user reaches another user's errand", check: ownErrands },
]
