/**
 * The port for stays of vehicles at stalls: an area writes a stay as a session in the transaction of the turn that begins or ends
 * it. A stay has the instants of the turns and not the times of reports, so that measured figures do not change later.
 */

import { Effect } from "effect"
import type { GroupAddress } from "../../model/address.ts"
import type { Environment } from "../../model/caller.ts"
import type { EpochMs } from "../../model/time.ts"
import { SessionRows } from "./rows.ts"
import type { SessionSource } from "./rows.ts"

/** A vehicle that is at the site from now on. */
export interface NewStay {
  /** The group that it is a stay of; a group has one stay at most. */
  readonly group: GroupAddress
  readonly environment: Environment
  readonly at: { readonly siteId: string } | { readonly zoneId: string }
  /** Null where the vehicle stands at no stall in particular. */
  readonly stallId: string | null
  readonly source: SessionSource
  readonly atMs: EpochMs
}

/** Begins the group's stay; a later begin of the same changes nothing. */
export const beginStay = Effect.fnUntraced(function* ({ group, at, atMs, ...stay }: NewStay) {
  const rows = yield* SessionRows
  const session = { ...stay, sessionId: group, startsAtMs: atMs }
  if ("siteId" in at) yield* rows.begin({ ...session, ...at })
  else yield* rows.beginInZone({ ...session, ...at })
})

/** Ends the group's stay, if there is one. */
export const endStay = Effect.fnUntraced(function* (
  { group, environment }: Pick<NewStay, "environment" | "group">,
  atMs: EpochMs,
) {
  const rows = yield* SessionRows
  yield* rows.end({ sessionId: group, environment }, atMs)
})

/** Drops the stay of a group that a host without recording folds away. */
export const forgetStay = Effect.fnUntraced(function* (group: GroupAddress) {
  const rows = yield* SessionRows
  yield* rows.forget(group)
})
