/** Look-up of host names, as the service sees it. */

import { Context } from "effect"
import type { Effect } from "effect"
import { FAILED_RESOLUTION_MS } from "../../../model/values/limits.ts"

/** The result of a name look-up. `none` is a definite answer; `unavailable` may be retried. */
export type Resolution =
  | { readonly type: "addresses"; readonly addresses: readonly string[] }
  | ({ readonly type: "none" } & Kept)
  | ({ readonly type: "unavailable" } & Kept)

interface Kept {
  /** How long the answer is repeated without another look-up; absent: not at all. */
  readonly keptMs?: number
}

export const UNAVAILABLE: Resolution = { type: "unavailable" }

/** The name servers did not answer in time. The name is not asked for again for a while: the next caller would wait as long. */
export const TIMED_OUT: Resolution = { type: "unavailable", keptMs: FAILED_RESOLUTION_MS }

/** Answers within `RESOLUTION_TIMEOUT_MS`, if need be with `TIMED_OUT`. */
export type Resolve = (host: string) => Effect.Effect<Resolution>

/** Resolves a host name to its A and AAAA records. */
export class NameLookup extends Context.Tag("NameLookup")<NameLookup, { readonly resolve: Resolve }>() {}
