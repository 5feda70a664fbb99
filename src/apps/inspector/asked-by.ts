/**
 * Who asked: the causes of an entry across groups, back to the command and its request; and the masked bodies of a group's
 * outbound calls. Both read rows that are deleted after 30 days.
 */

import type { GroupAddress } from "../../model/address.ts"
import type { AskedBy, AskedCause, KeptAttempts, KeptCall, MaskedBody } from "../../model/asked-by.ts"
import type { Environment } from "../../model/caller.ts"
import { Refused } from "../../model/values/errors.ts"
import { CAUSES_FOLLOWED_MAX, KEEP_BODIES_MS } from "../../model/values/limits.ts"
import type { Requester } from "../../model/requester.ts"
import { DAY_MS, isoMs } from "../../model/values/time.ts"
import { Routine } from "../../engine/services/routine.ts"
import { service } from "../../engine/services/service.ts"
import { KeptBodies } from "./kept-bodies.ts"
import { InspectedGroups } from "./rows.ts"

export class AskedByWhom extends service<AskedByWhom>()("AskedByWhom", () => ({
  command,
  attempts,
})) {}

const KEPT_DAYS = KEEP_BODIES_MS / DAY_MS

interface CausedEntry {
  readonly by: string
  readonly event?: { readonly type: string }
  readonly cause: readonly [group: GroupAddress, revision: number, step: number] | null
}

/** Of the entry with this revision. */
const command = Routine.fn(function* (
  environment: Environment,
  entry: { readonly group: GroupAddress; readonly revision: number },
) {
  const { causes, requester, isCut } = yield* followed(environment, entry)
  const request = requester === null ? null : yield* requestOf(environment, requester)
  return { causes, is_cut: isCut, requester, request, kept_days: KEPT_DAYS } satisfies AskedBy
})

/** A cause may lie in a group of any kind, but never in the other environment. */
const followed = Routine.fn(function* (
  environment: Environment,
  entry: { readonly group: GroupAddress; readonly revision: number },
) {
  const rows = yield* InspectedGroups
  const causes: AskedCause[] = []
  let next: { readonly group: GroupAddress; readonly revision: number } | null = entry
  let requester: Requester | null = null
  while (next !== null && causes.length < CAUSES_FOLLOWED_MAX) {
    const { group, revision } = next
    const isNew = causes.every((one) => one.group !== group)
    if (isNew && (yield* rows.group(environment, group)) === null)
      return yield* new Refused({ code: "NOT_FOUND" })
    const [line] = yield* rows.journal({ address: group, afterRevision: revision - 1, limit: 1 })
    if (line?.revision !== revision) return yield* new Refused({ code: "NOT_FOUND" })
    const { by, event, cause } = JSON.parse(line.text) as CausedEntry
    causes.push({ group, revision, by, event: event?.type ?? "@start", at: isoMs(line.instantMs) })
    requester = cause === null ? (line.requester ?? null) : null
    next = cause === null ? null : { group: cause[0], revision: cause[1] }
  }
  return { causes, requester, isCut: next !== null }
})

const requestOf = Routine.fn(function* (environment: Environment, { request }: Requester) {
  const kept = yield* (yield* KeptBodies).request(environment, request)
  if (kept === null) return null
  return {
    organization: kept.organization,
    key:
      kept.keyId === null || kept.lastFour === null ? null : { key_id: kept.keyId, last_four: kept.lastFour },
    at: isoMs(kept.atMs),
    method: kept.method,
    route: kept.route,
    status: kept.status,
    code: kept.code,
    sent_id: kept.sentId,
    sent: bodyIn(kept.sent),
    answered: bodyIn(kept.answered),
    is_cut: kept.isCut,
  } satisfies KeptCall
})

const attempts = Routine.fn(function* (environment: Environment, group: GroupAddress) {
  const found = yield* (yield* InspectedGroups).group(environment, group)
  if (found === null) return yield* new Refused({ code: "NOT_FOUND" })
  const kept = yield* (yield* KeptBodies).exchanges(found.actors.map(({ address }) => address))
  return {
    attempts: kept.map(({ actor, attempt, atMs, status, sent, answered, isCut }) => ({
      actor,
      attempt,
      at: isoMs(atMs),
      status,
      sent: bodyIn(sent),
      answered: bodyIn(answered),
      is_cut: isCut,
    })),
    kept_days: KEPT_DAYS,
  } satisfies KeptAttempts
})

function bodyIn(text: string | null): MaskedBody {
  return text === null ? null : (JSON.parse(text) as MaskedBody)
}
