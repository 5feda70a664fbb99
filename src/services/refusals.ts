/** Refusals of machines as errors of the service. */

import type { Refusal, RefusalReason } from "../kernel/turn.ts"
import { Refused } from "../model/errors.ts"

/** The refusal with its reason. `wording` says a reason in the words of an area; default: `reasonText`. */
export function refusedFor(
  { code, reason }: Refusal,
  wording: (reason: RefusalReason) => string = reasonText,
): Refused {
  return new Refused(reason === null ? { code } : { code, detail: wording(reason) })
}

/** The machine's sentence, or the actor with its state: `the delivery is open.at_store`. */
export function reasonText(reason: RefusalReason): string {
  return reason.type === "sentence" ? reason.text : `the ${reason.actor} is ${reason.state}`
}
