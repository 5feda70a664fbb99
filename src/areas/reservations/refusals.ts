/** Refusals of a reservation's machines, in the words of the contract. */

import { Refused } from "../../model/values/errors.ts"
import type { State } from "../../../machines/contracts.ts"
import type { Refusal, RefusalReason } from "../../engine/kernel/turn.ts"
import { reasonText, refusedFor } from "../../engine/services/refusals.ts"
import { HANDOFF_BY_STATE } from "./record.ts"

/** A machine's refusal as the service's, with its reason; an invalid request names its fields. */
export function refusedBy(refusal: Refusal, fields: readonly string[] = ["body"]): Refused {
  const { code, reason } = refusal
  if (code !== "VALIDATION_ERROR") return refusedFor(refusal, inContractWords)
  const message = reason === null ? "is not valid" : reasonText(reason)
  return new Refused({ code, problems: fields.map((field) => ({ field, message })) })
}

/** The bot in the state `underway.ready` is `READY_FOR_HANDOFF`. States without a status keep their name. */
export function inContractWords(reason: RefusalReason): string {
  if (reason.type === "sentence") return reason.text
  const { actor, state } = reason
  const leaf = state.split(".").at(-1) ?? ""
  // The bot takes no report any more because its reservation has ended.
  if (actor === "bot" && leaf === "closed") return "the reservation has ended"
  if (actor === "bot") return `the bot is ${BOT_WORDS[leaf as State<"bot">]}`
  if (actor === "runner-task") return `the handoff is ${HANDOFF_BY_STATE[leaf as State<"runner-task">]}`
  return `the ${actor} is ${leaf}`
}

const BOT_WORDS: Readonly<Record<State<"bot">, string>> = {
  unreported: "unreported",
  inbound: "INBOUND",
  arrived: "ARRIVED",
  ready: "READY_FOR_HANDOFF",
  secured: "SECURED",
  departed: "DEPARTED",
  aborted: "ABORTED",
  closed: "closed",
}
