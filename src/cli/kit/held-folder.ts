/** Explains that another process holds a data folder. */

import { Cause, Option, Runtime } from "effect"
import { FolderHeld } from "../../engine/store/folder-lock.ts"
import { runningService } from "./running-service.ts"
import { UsageError } from "./usage-error.ts"

/** True when the embedded database could not be opened because another process has it. */
export function isHeld(cause: unknown): boolean {
  let at = Runtime.isFiberFailure(cause)
    ? Option.getOrNull(Cause.failureOption(cause[Runtime.FiberFailureCauseId]))
    : cause
  while (at instanceof Error && !(at instanceof FolderHeld)) at = at.cause
  return at instanceof FolderHeld
}

/** Rejects with a usage error instead, when that is the cause. */
export async function explainingHolder<A>(
  running: Promise<A>,
  messageOf: (servingPid: number | null) => string,
  data: string,
): Promise<A> {
  try {
    return await running
  } catch (cause) {
    if (!isHeld(cause)) throw cause
    throw new UsageError(messageOf(runningService(data)?.pid ?? null))
  }
}
