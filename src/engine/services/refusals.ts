/** Refusals of machines as errors of the service. */

import type { Refusal, RefusalReason } from "../kernel/turn.ts"
import { Refused } from "../../model/values/errors.ts"
import { shortened } from "../../model/values/problem-words.ts"

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

/** `NOT_FOUND` with the id that nothing has. It may be of any length, as a part of a path, so the message repeats its beginning. */
export function notFound(noun: string, id: string): Refused {
  return new Refused({ code: "NOT_FOUND", detail: `${noun} ${shortened(id)}` })
}
