/**
 * The lock on a data folder: one process at a time. It is a lock of the operating system, which is released at once
 * when a process is killed and does not depend on process ids; Node offers such locks only through SQLite. The file is
 * empty.
 */

import { mkdirSync } from "node:fs"
import { dirname } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { Data, Effect } from "effect"
import type { Scope } from "effect"

/** Another process, or another part of this one, holds the folder. */
export class FolderHeld extends Data.TaggedError("FolderHeld")<{ readonly folder: string }> {
  override get message(): string {
    return `another process holds ${this.folder}`
  }
}

/** Holds `<folder>.lock` until the scope ends. Never waits. */
export function holdFolder(folder: string): Effect.Effect<void, FolderHeld, Scope.Scope> {
  const taking = Effect.suspend(() => {
    const lock = take(folder)
    return lock === null ? Effect.fail(new FolderHeld({ folder })) : Effect.succeed(lock)
  })
  return Effect.asVoid(Effect.acquireRelease(taking, (lock) => Effect.sync(() => lock.close())))
}

/** True at this moment; the caller must still try to take the lock. */
export function isFolderHeld(folder: string): boolean {
  const lock = take(folder)
  lock?.close()
  return lock === null
}

/** The lock, or null when another has it. */
function take(folder: string): DatabaseSync | null {
  mkdirSync(dirname(folder), { recursive: true })
  const lock = new DatabaseSync(`${folder}.lock`)
  try {
    // The database is never written, so no file beside the lock is needed.
    lock.exec("pragma journal_mode = memory; begin exclusive")
    return lock
  } catch (cause) {
    lock.close()
    if (isBusy(cause)) return null
    throw cause
  }
}

/** Source: SQLite result codes, SQLITE_BUSY. */
const SQLITE_BUSY = 5

function isBusy(cause: unknown): boolean {
  return cause instanceof Error && "errcode" in cause && cause.errcode === SQLITE_BUSY
}
