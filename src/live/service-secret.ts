/** The secret that all keys of the service derive from: the one that was set, or one that is made once and kept. */

import { randomBytes } from "node:crypto"
import { existsSync, linkSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { prepareDataFolder } from "../store/data-folder.ts"

/**
 * The secret of a data folder, readable by its owner alone. It is there whole or not at all, and whoever comes second takes
 * the first one's: what was sealed with it must open again. Throws when the folder cannot be used.
 */
export function secretIn(dataDir: string): string {
  const file = join(dataDir, "secret")
  // Before a secret is made: a folder with a secret and without a database has lost one.
  prepareDataFolder(join(dataDir, "database"))
  if (!existsSync(file)) keepSecret(file)
  return readFileSync(file, "utf8")
}

function keepSecret(file: string): void {
  const draft = `${file}.${process.pid}`
  writeFileSync(draft, randomBytes(32).toString("hex"), { mode: 0o600 })
  try {
    linkSync(draft, file)
  } catch (cause) {
    if (!existsSync(file)) throw cause
  } finally {
    rmSync(draft, { force: true })
  }
}
