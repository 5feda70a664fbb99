/**
 * Consent to SMS: the words by which customers stop and resume it, and the list of numbers that have stopped. In
 * production a stop applies to the whole service, in the sandbox to one organization. Numbers are stored as keyed
 * hashes without time limit: a number cannot be read from its hash but can be recognised. Source: direct delivery
 * contract, sandbox triggers; scope and words are ours (src/DECISIONS.md §56).
 */

import { hmacHex } from "#digest"
import { Effect } from "effect"
import type { Environment } from "../../model/caller.ts"
import type { OptOutScope } from "./rows.ts"
import { OptOutRows } from "./rows.ts"
import { DigestKey } from "../../engine/services/digest-key.ts"
import { service } from "../../engine/services/service.ts"
import { withoutEnd } from "../../model/values/text-ends.ts"

export interface ConsentScope {
  readonly environment: Environment
  /** May be null in production, if the organization is unknown. */
  readonly organizationId: string | null
}

export class SmsConsent extends service<SmsConsent>()(
  "SmsConsent",
  Effect.gen(function* () {
    const rows = yield* OptOutRows
    const { key } = yield* DigestKey
    const digestOf = (phone: string): string => hmacHex(key, `opt-out ${phone}`)
    return {
      /** Runs inside a transaction that holds `lockOf` the number. May be repeated. */
      note: (scope: ConsentScope, phone: string, wish: "start" | "stop") =>
        wish === "stop"
          ? rows.put(listOf(scope), digestOf(phone))
          : rows.remove(listOf(scope), digestOf(phone)),
      /** The lock under which replies of one number are processed one at a time. It does not reveal the number. */
      lockOf: (phone: string) => `opt-out/${digestOf(phone)}`,
      hasStopped: (scope: ConsentScope, phone: string) => rows.has(listOf(scope), digestOf(phone)),
    }
  }),
) {}

function listOf({ environment, organizationId }: ConsentScope): OptOutScope {
  return { environment, organizationId: environment === "production" ? null : organizationId }
}

export type Keyword = "help" | "start" | "stop"

/**
 * The contract's five, and three more that carriers and providers treat as a stop: a missed one would send texts to
 * people who do not want them.
 */
const STOP_WORDS = ["STOP", "UNSUBSCRIBE", "CANCEL", "END", "QUIT", "STOPALL", "REVOKE", "OPTOUT"]
/** A provider may also accept YES. It answers too many other questions to undo a stop. */
const START_WORDS = ["START", "UNSTOP"]
const HELP_WORDS = ["HELP", "INFO"]

/** The keyword of a reply: its whole text is the word, in any case, with blanks or a full stop around it; else null. */
export function keywordIn(text: string): Keyword | null {
  const word = withoutEnd(text.trim(), ".!").toUpperCase()
  if (STOP_WORDS.includes(word)) return "stop"
  if (START_WORDS.includes(word)) return "start"
  return HELP_WORDS.includes(word) ? "help" : null
}
