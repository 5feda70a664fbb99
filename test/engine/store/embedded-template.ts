/**
 * A migrated, empty embedded database that tests copy: to make one takes seconds of processor time, to copy one a fraction. It is made
 * once for each state of the migrations, and kept under `node_modules`. Tests of a first start make their own.
 */

import { execFileSync } from "node:child_process"
import { createHash } from "node:crypto"
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  renameSync,
  rmSync,
} from "node:fs"
import { openAsBlob } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { PGlite } from "@electric-sql/pglite"
import { Effect, Layer } from "effect"
import { layerPglite } from "../../../src/engine/store/database.ts"
import type { Database, DatabaseFault } from "../../../src/engine/store/database.ts"
import { ROOT } from "../../cli/command-line.ts"

/** In the folder of a template: the files of the database, and the same as one archive. */
export const FILES = "database"
export const ARCHIVE = "database.tar"

const CACHE = join(ROOT, "node_modules", ".cache", "curbline-tests")

/** As `layerPglite("memory")`, but its migrations have run before. */
export const layerCopiedPglite: Layer.Layer<Database, DatabaseFault> = Layer.unwrapEffect(
  Effect.promise(async () => layerPglite({ copy: await archive() })),
)

/** As `PGlite.create()`, but with the service's tables. */
export async function copiedClient(): Promise<PGlite> {
  return PGlite.create({ loadDataDir: await archive() })
}

function archive(): Promise<Blob> {
  return openAsBlob(join(templateFolder(), ARCHIVE))
}

/** Puts the files of the database into a folder that is not there yet. */
export function copyTemplateTo(folder: string): void {
  cpSync(join(templateFolder(), FILES), folder, { recursive: true })
}

/** The template of this state of the migrations, which is made when it is not there. Two processes may make it at once. */
function templateFolder(): string {
  const folder = join(CACHE, `embedded-${stateOfMigrations()}`)
  if (existsSync(folder)) return folder
  mkdirSync(CACHE, { recursive: true })
  const draft = mkdtempSync(join(CACHE, "draft-"))
  const script = fileURLToPath(new URL("make-embedded-template.ts", import.meta.url))
  execFileSync(process.execPath, [script, draft], { stdio: ["ignore", "inherit", "inherit"] })
  try {
    renameSync(draft, folder)
  } catch (cause) {
    // Another process was faster.
    rmSync(draft, { recursive: true, force: true })
    if (!existsSync(folder)) throw cause
  }
  return folder
}

/** A digest of everything that a new database is made of. */
function stateOfMigrations(): string {
  const digest = createHash("sha256")
  const migrations = join(ROOT, "src/engine/store/migrations")
  for (const name of readdirSync(migrations).toSorted())
    digest.update(name).update(readFileSync(join(migrations, name)))
  digest.update(readFileSync(join(ROOT, "node_modules/@electric-sql/pglite/package.json")))
  digest.update(readFileSync(join(ROOT, "test/engine/store/make-embedded-template.ts")))
  return digest.digest("hex").slice(0, 16)
}
