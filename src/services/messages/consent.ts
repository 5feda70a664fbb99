/**
 * Consent to SMS, as the message side needs it of whoever keeps the opt-outs. Their scope: in production a number stops the
 * whole service, in the sandbox one organization's.
 */

import { Context } from "effect"
import type { Effect } from "effect"
import type { Environment } from "../../model/caller.ts"

export interface ConsentScope {
  readonly environment: Environment
  /** Null in production where nobody knows which organization was meant. */
  readonly organizationId: string | null
}

export class SmsConsent extends Context.Tag("SmsConsent")<
  SmsConsent,
  {
    /** Again is fine. */
    readonly stop: (scope: ConsentScope, phone: string) => Effect.Effect<void>
    /** Again is fine. */
    readonly resume: (scope: ConsentScope, phone: string) => Effect.Effect<void>
    readonly hasStopped: (scope: ConsentScope, phone: string) => Effect.Effect<boolean>
  }
>() {}

export type Keyword = "help" | "start" | "stop"

/** The contract's five, and three more that carriers and providers count as a stop: to miss one would text the unwilling. */
const STOP_WORDS = ["STOP", "UNSUBSCRIBE", "CANCEL", "END", "QUIT", "STOPALL", "REVOKE", "OPTOUT"]
const START_WORDS = ["START", "UNSTOP"]
const HELP_WORDS = ["HELP", "INFO"]

/** What a reply asks for: its whole text is the word, in any case, with blanks or a full stop around it; else null. */
export function keywordIn(text: string): Keyword | null {
  const word = text
    .trim()
    .replace(/[.!]+$/, "")
    .toUpperCase()
  if (STOP_WORDS.includes(word)) return "stop"
  if (START_WORDS.includes(word)) return "start"
  return HELP_WORDS.includes(word) ? "help" : null
}
