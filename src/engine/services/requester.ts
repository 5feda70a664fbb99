/**
 * The request behind the commands of this fiber. The journal's entry of a command has it beside the hashed text, so no rule may
 * depend on it.
 */

import { FiberRef, GlobalValue } from "effect"
import type { Requester } from "../../model/requester.ts"

/** Null for work that no request has caused. Forked fibers inherit it. */
export const CurrentRequester: FiberRef.FiberRef<Requester | null> = GlobalValue.globalValue(
  "curbline/CurrentRequester",
  () => FiberRef.unsafeMake<Requester | null>(null),
)
