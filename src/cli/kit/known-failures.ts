/** Failures whose reason is outside of the program: a database, a folder, a disk. They end a command with one line. */

import { Cause, Runtime } from "effect"
import { DataFolderFault, FolderUnusable } from "../../engine/store/data-folder.ts"
import { DatabaseFault } from "../../engine/store/database.ts"
import { EXIT } from "./exit-codes.ts"
import type { ExitStatus } from "./exit-codes.ts"
import { CommandFailed, UsageError } from "./usage-error.ts"

export interface KnownFailure {
  readonly line: string
  readonly status: ExitStatus
}

/** Null for a fault of the program, whose stack is needed. */
export function knownFailure(cause: unknown): KnownFailure | null {
  const chain = causesOf(cause)
  const unusable = unusableIn(cause)
  if (unusable !== null)
    return { line: unusable.message, status: unusable.isUsage ? EXIT.usage : EXIT.failed }
  const lost = chain.find((one) => one instanceof DataFolderFault)
  if (lost !== undefined) return { line: lost.message, status: EXIT.usage }
  const told = chain.find((one) => one instanceof CommandFailed || one instanceof UsageError)
  if (told !== undefined)
    return { line: told.message, status: told instanceof UsageError ? EXIT.usage : EXIT.failed }
  const database = chain.find((one) => one instanceof DatabaseFault)
  if (database !== undefined) return { line: database.message, status: EXIT.failed }
  const system = chain.find((one) => codeOf(one) in STATUS_OF)
  return system === undefined
    ? null
    : { line: system.message, status: STATUS_OF[codeOf(system)] ?? EXIT.fault }
}

/** The data folder that cannot be used, if that is the reason. */
export function unusableIn(cause: unknown): FolderUnusable | null {
  return causesOf(cause).find((one) => one instanceof FolderUnusable) ?? null
}

/** The error and its causes, from outside in. */
function causesOf(cause: unknown): readonly Error[] {
  const chain: Error[] = []
  let at = cause
  while (at instanceof Error && !chain.includes(at)) {
    chain.push(at)
    at = Runtime.isFiberFailure(at) ? Cause.squash(at[Runtime.FiberFailureCauseId]) : at.cause
  }
  return chain
}

/** Node's codes: a file or folder that the command line or a setting names, or a machine that has no room. */
const STATUS_OF: Readonly<Record<string, ExitStatus>> = {
  EACCES: EXIT.usage,
  EISDIR: EXIT.usage,
  ENOENT: EXIT.usage,
  ENOTDIR: EXIT.usage,
  EPERM: EXIT.usage,
  EROFS: EXIT.usage,
  EDQUOT: EXIT.failed,
  EFBIG: EXIT.failed,
  EIO: EXIT.failed,
  EMFILE: EXIT.failed,
  ENOSPC: EXIT.failed,
}

function codeOf(cause: Error): string {
  return "code" in cause && typeof cause.code === "string" ? cause.code : ""
}
