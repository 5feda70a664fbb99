/**
 * The port for stays of vehicles at stalls: an area writes a stay as a session in the transaction of the turn that
 * begins or ends it. A stay has the instants of the turns, not the times in reports, so that published figures do not
 * change later.
 */

import type { GroupAddress } from "../../model/address.ts"
import type { Environment } from "../../model/caller.ts"
import type { EpochMs } from "../../model/values/time.ts"
import { SessionRows } from "./rows.ts"
import type { SessionSource } from "./rows.ts"
import { Routine } from "../../engine/services/routine.ts"

/** A stay that begins now. */
export interface NewStay {
  /** The group of the stay; a group has at most one. */
  readonly group: GroupAddress
  readonly environment: Environment
  readonly at: { readonly siteId: string } | { readonly zoneId: string }
  /** Null when the vehicle stands at no particular stall. */
  readonly stallId: string | null
  readonly source: SessionSource
  readonly atMs: EpochMs
}

/** Begins the group's stay; a repeat changes nothing. */
export const beginStay = Routine.fn(function* ({ group, at, atMs, ...stay }: NewStay) {
  const rows = yield* SessionRows
  const session = { ...stay, sessionId: group, startsAtMs: atMs }
  if ("siteId" in at) yield* rows.begin({ ...session, ...at })
  else yield* rows.beginInZone({ ...session, ...at })
})

/** Ends the group's stay, if there is one. */
export const endStay = Routine.fn(function* (
  { group, environment }: Pick<NewStay, "environment" | "group">,
  atMs: EpochMs,
) {
  const rows = yield* SessionRows
  yield* rows.end({ sessionId: group, environment }, atMs)
})

/** Deletes the stay of a group that an unrecorded run folds. */
export const forgetStay = Routine.fn(function* (group: GroupAddress) {
  const rows = yield* SessionRows
  yield* rows.forget(group)
})
