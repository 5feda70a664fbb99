/** Runs effects on local files, for commands. */

import { Cause, Effect, Exit } from "effect"
import { layerLocalFiles, nodeErrorOf } from "../../engine/store/local-files.ts"
import type { LocalFiles } from "../../engine/store/local-files.ts"

/** Rejects with the effect's failure; with Node's own error if the platform has wrapped it. */
export async function onLocalFiles<A, E>(effect: Effect.Effect<A, E, LocalFiles>): Promise<A> {
  const exit = await Effect.runPromiseExit(Effect.provide(effect, layerLocalFiles))
  if (Exit.isSuccess(exit)) return exit.value
  throw nodeErrorOf(Cause.squash(exit.cause))
}
