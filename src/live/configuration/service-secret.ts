/**
 * The secret that all keys of the service are derived from: the configured one, or one that is created once and kept.
 */

import { randomBytes } from "node:crypto"
import { FileSystem } from "@effect/platform/FileSystem"
import { Path } from "@effect/platform/Path"
import { Effect } from "effect"
import { inDataFolder, prepareDataFolder } from "../../engine/store/data-folder.ts"
import type { DataFolderFault, FolderUnusable } from "../../engine/store/data-folder.ts"
import type { LocalFiles } from "../../engine/store/local-files.ts"

/**
 * The secret of a data folder; only its owner can read the file. The file is written atomically, and if two processes
 * create one, the second uses the first one's: rows sealed with it must stay readable. Fails when the folder cannot be
 * used.
 */
export const secretIn = (
  dataDir: string,
): Effect.Effect<string, DataFolderFault | FolderUnusable, LocalFiles> =>
  inDataFolder(dataDir, keptSecret(dataDir))

const keptSecret = Effect.fnUntraced(function* (dataDir: string) {
  const files = yield* FileSystem
  const { join } = yield* Path
  const file = join(dataDir, "secret")
  // Checked before a secret is created: a folder with a secret and without a database has lost its database.
  yield* prepareDataFolder(join(dataDir, "database"))
  if (!(yield* files.exists(file))) yield* keepSecret(file)
  return yield* files.readFileString(file)
})

const keepSecret = Effect.fnUntraced(function* (file: string) {
  const files = yield* FileSystem
  const draft = `${file}.${process.pid}`
  yield* files.writeFileString(draft, randomBytes(32).toString("hex"), { mode: 0o600 })
  yield* files.link(draft, file).pipe(
    Effect.catchAll((cause) => Effect.unlessEffect(Effect.fail(cause), files.exists(file))),
    Effect.ensuring(Effect.ignore(files.remove(draft, { force: true }))),
  )
})
