/**
 * The owner of a data folder. What root writes in the folder of the service's user would keep the service from opening it: when
 * root's command ends, the files that it has made go to the folder's owner.
 */

import { lchownSync, lstatSync, readdirSync, statSync } from "node:fs"
import { join } from "node:path"
import { Effect } from "effect"
import type { Scope } from "effect"

const ROOT = 0

/** At the end of the scope. */
export function keepOwner(folder: string): Effect.Effect<void, never, Scope.Scope> {
  return Effect.addFinalizer(() =>
    Effect.sync(() => giveToOwner(folder)).pipe(
      Effect.catchAllDefect((cause) =>
        Effect.logWarning(
          `files in ${folder} may still belong to root: give them to its owner (chown -R)`,
          cause,
        ),
      ),
    ),
  )
}

/** Gives files of root to the folder's owner. Nothing for another user than root, and in a folder that is root's or not there. */
export function giveToOwner(folder: string): void {
  const owner = statSync(folder, { throwIfNoEntry: false })
  if (process.getuid?.() !== ROOT || owner === undefined || owner.uid === ROOT) return
  for (const name of readdirSync(folder, { recursive: true, encoding: "utf8" })) {
    const path = join(folder, name)
    if (lstatSync(path).uid === ROOT) lchownSync(path, owner.uid, owner.gid)
  }
}
