/**
 * The data folder of the embedded database: `database/`, and beside it the service's `secret` and `demo.json`. A folder
 * that has lost its database is not given a new one automatically, because the old one may still be restored. An
 * interrupted first start leaves a mark and starts again (src/DECISIONS.md §143).
 */

import { isPlatformError } from "@effect/platform/Error"
import type { PlatformError } from "@effect/platform/Error"
import { FileSystem } from "@effect/platform/FileSystem"
import { Path } from "@effect/platform/Path"
import { Data, Effect, Option } from "effect"
import { nodeErrorOf } from "./local-files.ts"
import type { LocalFiles } from "./local-files.ts"
import { asideOf, foreignIn, markOf } from "./unfinished.ts"

/** The content of the folder is not as expected. */
export class DataFolderFault extends Data.TaggedError("DataFolderFault")<{
  readonly folder: string
  readonly problem: string
}> {
  override get message(): string {
    return (
      `${this.problem}. Restore a backup with \`curbline restore FILE --data ${this.folder}\`, or name another --data; ` +
      `to begin with an empty database, move everything out of ${this.folder} first`
    )
  }
}

/** This process cannot use the folder as it is; its database needs no restore. */
export class FolderUnusable extends Data.TaggedError("FolderUnusable")<{
  readonly folder: string
  /** Node's error, or that of the server in the embedded database. */
  readonly found: unknown
}> {
  /** True when another folder or user is needed, false when the same command may succeed later. */
  get isUsage(): boolean {
    return !PASSING.has(codeOf(this.found))
  }

  override get message(): string {
    const advice = ADVICE[codeOf(this.found)] ?? "Name another --data"
    return `the folder ${this.folder} cannot be used: ${textOf(this.found)}. ${advice}`
  }
}

const FREE_SPACE = "The disk is full: free some space and try again; nothing is damaged"
const TAKE_RIGHTS =
  "Run this as the user who owns its files, give them to this user (chown -R), or name another --data"

const ADVICE: Readonly<Record<string, string>> = {
  EACCES: TAKE_RIGHTS,
  EPERM: TAKE_RIGHTS,
  EROFS: "Mount its file system for writing, or name another --data",
  ENOSPC: FREE_SPACE,
  EDQUOT: FREE_SPACE,
  EFBIG: "Raise the limit on the size of a file (ulimit -f) and try again; nothing is damaged",
  EMFILE: "Raise the limit on open files (ulimit -n) and try again; nothing is damaged",
}

const PASSING: ReadonlySet<string> = new Set(["ENOSPC", "EDQUOT", "EFBIG", "EMFILE", "ENFILE", "EIO"])

function codeOf(cause: unknown): string {
  const { code } = Object(cause) as { readonly code?: unknown }
  return typeof code === "string" ? code : ""
}

function textOf(cause: unknown): string {
  return cause instanceof Error ? cause.message : String(cause)
}

/** A file or folder in the data folder that cannot be read or written makes the folder unusable. */
export function inDataFolder<A, E, R>(
  folder: string,
  effect: Effect.Effect<A, E | PlatformError, R>,
): Effect.Effect<A, Exclude<E, PlatformError> | FolderUnusable, R> {
  return Effect.mapError(effect, (cause) =>
    isPlatformError(cause)
      ? new FolderUnusable({ folder, found: nodeErrorOf(cause) })
      : (cause as Exclude<E, PlatformError>),
  )
}

/**
 * Creates the folder and those above it, only for their owner. One after the other: Node's recursive creation never ends
 * where the system answers that a parent is missing although it exists, as below /proc.
 */
export const makeFolder = Effect.fnUntraced(function* (folder: string) {
  const files = yield* FileSystem
  const path = yield* Path
  const missing: string[] = []
  for (let at = path.resolve(folder); !(yield* files.exists(at)); at = path.dirname(at)) {
    if (at === path.dirname(at)) break
    missing.unshift(at)
  }
  for (const one of missing) {
    // Another process may have made it meanwhile.
    yield* files
      .makeDirectory(one, { mode: 0o700 })
      .pipe(Effect.catchAll((cause) => Effect.unlessEffect(Effect.fail(cause), files.exists(one))))
  }
})

/** Created with the data folder, and kept as long as its database. */
const WITNESSES = ["secret", "demo.json"] as const

/**
 * Creates the data folder of this database, only for its owner, if it does not exist. Returns true when the database
 * does not exist yet. Fails with a DataFolderFault when the folder has lost its database. May be called before the
 * folder's lock is held.
 */
export const prepareDataFolder = (
  database: string,
): Effect.Effect<boolean, DataFolderFault | FolderUnusable, LocalFiles> =>
  Effect.flatMap(Path, ({ dirname }) => inDataFolder(dirname(database), prepared(database)))

const prepared = Effect.fnUntraced(function* (
  database: string,
): Effect.fn.Return<boolean, DataFolderFault | FolderUnusable | PlatformError, LocalFiles> {
  const files = yield* FileSystem
  const path = yield* Path
  const folder = path.dirname(database)
  yield* makeFolder(folder)
  // Also for an existing database: its lock and further files are beside it.
  yield* files.access(folder, { readable: true, writable: true })
  if (yield* files.exists(markOf(database))) {
    yield* refuseForeign(database)
    return true
  }
  if (yield* files.exists(path.join(database, "PG_VERSION"))) return false
  const isEmpty = !(yield* files.exists(database)) || (yield* files.readDirectory(database)).length === 0
  const witness = yield* Effect.findFirst(WITNESSES, (name) => files.exists(path.join(folder, name)))
  if (!isEmpty) {
    const problem = `the database in ${database} is incomplete: its file PG_VERSION is missing`
    return yield* new DataFolderFault({ folder, problem })
  }
  if (Option.isSome(witness)) {
    const problem = `the folder ${folder} has a file ${witness.value} and no database, so it has lost one`
    return yield* new DataFolderFault({ folder, problem })
  }
  yield* files.writeFileString(markOf(database), "", { mode: 0o600 })
  return true
})

/** A mark is believed only where nothing would be lost: it may be old, copied or made by hand. */
const refuseForeign = Effect.fnUntraced(function* (database: string) {
  const { dirname } = yield* Path
  const folder = dirname(database)
  for (const place of [database, asideOf(database)]) {
    const found = yield* Effect.try({
      try: () => foreignIn(place),
      catch: (cause) => new FolderUnusable({ folder, found: cause }),
    })
    if (found === null) continue
    const problem =
      `the file ${markOf(database)} says that a first start was interrupted, but ${place} has ${found}, so nothing is changed. ` +
      `If ${database} is whole, and not half a copy, remove that file${place === database ? "" : ` and move ${place} elsewhere`}, and start again`
    return yield* new DataFolderFault({ folder, problem })
  }
})

/** Moves the remains of an interrupted first start aside. The caller must hold the folder's lock. */
export const putUnfinishedAside = Effect.fnUntraced(function* (database: string) {
  const files = yield* FileSystem
  if ((yield* files.exists(markOf(database))) && (yield* files.exists(database))) {
    yield* refuseForeign(database)
    const aside = asideOf(database)
    yield* files.remove(aside, { recursive: true, force: true })
    yield* files.rename(database, aside)
  }
  yield* files.makeDirectory(database, { recursive: true, mode: 0o700 })
})

/** The database is complete. */
export const markFinished = Effect.fnUntraced(function* (database: string) {
  const files = yield* FileSystem
  yield* files.remove(markOf(database), { force: true })
  if (foreignIn(asideOf(database)) === null)
    yield* files.remove(asideOf(database), { recursive: true, force: true })
})

/**
 * Fails with a FolderUnusable when a file cannot be written in the database's folder, or when one of its files cannot be
 * read and written by this user.
 */
export const checkFiles = (database: string): Effect.Effect<void, FolderUnusable, LocalFiles> =>
  Effect.flatMap(Path, ({ dirname }) => inDataFolder(dirname(database), checked(database)))

const checked = Effect.fnUntraced(function* (database: string) {
  const files = yield* FileSystem
  const { join } = yield* Path
  const trial = join(database, "curbline-trial.tmp")
  yield* files
    .writeFile(trial, new Uint8Array(TRIAL_BYTES), { mode: 0o600 })
    .pipe(Effect.ensuring(Effect.ignore(files.remove(trial, { force: true }))))
  for (const name of yield* files.readDirectory(database, { recursive: true }))
    yield* Effect.catchIf(
      files.access(join(database, name), { readable: true, writable: true }),
      isGone,
      () => Effect.void,
    )
})

/** The file was removed after it was listed, as when somebody makes room on a full disk. */
function isGone(cause: PlatformError): boolean {
  return cause._tag === "SystemError" && cause.reason === "NotFound"
}

/** More than a database needs to open its files: a small one may still fit on a full disk. */
const TRIAL_BYTES = 1_048_576

/**
 * Why existing files could not be opened: they cannot be used as they are, or they are damaged. The server's own words say
 * of a full disk and the like what a trial may no longer see.
 */
export const whyNotOpened = Effect.fnUntraced(function* (database: string, cause: unknown) {
  const { dirname } = yield* Path
  const folder = dirname(database)
  const unusable = yield* Effect.flip(checkFiles(database)).pipe(Effect.option)
  if (Option.isSome(unusable)) return unusable.value
  const found = textOf(cause)
  const [code] = Object.entries(SYSTEM_ERRORS).find(([, text]) => found.endsWith(text)) ?? [codeOf(cause)]
  if (code in SYSTEM_ERRORS)
    return new FolderUnusable({ folder, found: Object.assign(new Error(found), { code }) })
  const problem = `the files of the database in ${database} are damaged and cannot be opened (${found})`
  return new DataFolderFault({ folder, problem })
})

/** The texts with which the embedded server ends its messages. Source: musl, `strerror`. */
const SYSTEM_ERRORS: Readonly<Record<string, string>> = {
  EACCES: "Permission denied",
  EDQUOT: "Quota exceeded",
  EFBIG: "File too large",
  EIO: "I/O error",
  EMFILE: "No file descriptors available",
  ENOSPC: "No space left on device",
  EPERM: "Operation not permitted",
  EROFS: "Read-only file system",
}
