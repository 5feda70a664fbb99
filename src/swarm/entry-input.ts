/** The input of a turn, from its journal entry. */

import type { EntryBody, TurnInput } from "../kernel/journal.ts"

export function inputOf(body: EntryBody): TurnInput {
  const { to, by, start, event, timer, facts, decision, atMs, instantMs, nonce, cause } = body
  return {
    to,
    by,
    ...(start === undefined ? {} : { start }),
    ...(event === undefined ? {} : { event }),
    ...(timer === undefined ? {} : { timer }),
    facts,
    decision,
    atMs,
    instantMs,
    nonce,
    cause,
  }
}
