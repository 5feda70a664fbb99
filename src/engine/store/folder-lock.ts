/**
 * The lock on a data folder: one process at a time. It is a lock of the operating system, which is released at once
 * when a process is killed and does not depend on process ids; Node offers such locks only through SQLite. The file is
 * empty.
 */

import { accessSync, constants, existsSync } from "node:fs"
import { dirname } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { Data, Effect } from "effect"
import type { Scope } from "effect"
import { FolderUnusable } from "./data-folder.ts"

/** Another process, or another part of this one, holds the folder. */
export class FolderHeld extends Data.TaggedError("FolderHeld")<{ readonly folder: string }> {
  override get message(): string {
    return `another process holds ${this.folder}`
  }
}

/** Holds `<folder>.lock` until the scope ends; the folder above must exist. Never waits. */
export function holdFolder(folder: string): Effect.Effect<void, FolderHeld | FolderUnusable, Scope.Scope> {
  const taking = Effect.filterOrFail(
    Effect.try({ try: () => take(folder), catch: (cause) => cause as FolderUnusable }),
    (lock) => lock !== null,
    () => new FolderHeld({ folder }),
  )
  return Effect.asVoid(Effect.acquireRelease(taking, (lock) => Effect.sync(() => lock.close())))
}

/** True at this moment; the caller must still try to take the lock. */
export function isFolderHeld(folder: string): boolean {
  const lock = take(folder)
  lock?.close()
  return lock === null
}

/** The lock, or null when another has it. Throws a `FolderUnusable` when its file cannot be used. */
function take(folder: string): DatabaseSync | null {
  const lock = opened(folder)
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

function opened(folder: string): DatabaseSync {
  const file = `${folder}.lock`
  try {
    // SQLite does not say why it cannot open a file.
    accessSync(existsSync(file) ? file : dirname(file), constants.R_OK | constants.W_OK)
    return new DatabaseSync(file)
  } catch (found) {
    throw new FolderUnusable({ folder: dirname(folder), found })
  }
}

/** Source: SQLite result codes, SQLITE_BUSY. */
const SQLITE_BUSY = 5

function isBusy(cause: unknown): boolean {
  return cause instanceof Error && "errcode" in cause && cause.errcode === SQLITE_BUSY
}
