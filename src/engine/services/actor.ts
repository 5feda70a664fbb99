/**
 * Who sent the request of this fiber, for notes about who did what. No rule depends on it: rules check the caller of a
 * command.
 */

import { FiberRef, GlobalValue } from "effect"

/** Ids only. The last four characters of a key's value are not secret. */
export type Actor =
  | { readonly type: "key"; readonly keyId: string; readonly lastFour: string }
  | { readonly type: "member"; readonly accountId: string }

/** Null for work that no request has caused. Forked fibers inherit it. */
export const CurrentActor: FiberRef.FiberRef<Actor | null> = GlobalValue.globalValue(
  "curbline/CurrentActor",
  () => FiberRef.unsafeMake<Actor | null>(null),
)
