/** The refusal of a cursor that no page returned, the same in every list. */

import { Effect } from "effect"
import { Refused } from "../model/errors.ts"

const problem = { field: "cursor", message: "must be a cursor that an earlier page gave" }

export const wrongCursor: Effect.Effect<never, Refused> = Effect.suspend(() =>
  Effect.fail(new Refused({ code: "VALIDATION_ERROR", problems: [problem] })),
)
