/** `curbline backup` and `curbline restore`: saves the embedded database in one file, and restores it. */

import {
  chmodSync,
  existsSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs"
import { basename, dirname, join } from "node:path"
import { createInterface } from "node:readline/promises"
import { Writable } from "node:stream"
import { Cause, Effect, Exit, Redacted } from "effect"
import type { Layer } from "effect"
import { backupOf, isSecretOf, readBackup, verifyFiles } from "../../live/start/backup.ts"
import type { Backup, Verified } from "../../live/start/backup.ts"
import { secretIn } from "../../live/configuration/service-secret.ts"
import { sealingKeyOf } from "../../live/configuration/sealing-key.ts"
import { holdCalls, resumeCalls } from "../../apps/operations/store/call-hold.ts"
import { FolderUnusable, inDataFolder, makeFolder } from "../../engine/store/data-folder.ts"
import { Database, layerPglite, layerPostgres } from "../../engine/store/database.ts"
import { giveToOwner } from "../../engine/store/folder-owner.ts"
import type { DatabaseFault } from "../../engine/store/database.ts"
import { WrongSecret } from "../../areas/webhooks/store/sealed-secrets.ts"
import { askControl } from "./control.ts"
import { databaseIn, databasePlace } from "../kit/database-place.ts"
import { EXIT } from "../kit/exit-codes.ts"
import type { ExitStatus } from "../kit/exit-codes.ts"
import { explainingHolder } from "../kit/held-folder.ts"
import { unusableIn } from "../kit/known-failures.ts"
import { onLocalFiles } from "../kit/local-files.ts"
import { runningService } from "../kit/running-service.ts"
import { UsageError } from "../kit/usage-error.ts"
import { err, out } from "../kit/terminal.ts"
import { checkPlaceOf, writeWhole } from "../kit/whole-file.ts"

export interface BackupFlags {
  readonly data?: string
}

const ON_POSTGRES =
  "this database is PostgreSQL: use pg_dump and pg_restore, as src/OPERATIONS.md says (backup and restore)"

/** Copies the database, also of a running service; replays the copy's journal; then writes FILE atomically. */
export async function backupCommand(file: string, { data }: BackupFlags): Promise<ExitStatus> {
  const { databaseUrl, dataDir, secret } = databasePlace(data)
  if (databaseUrl !== null) throw new UsageError(ON_POSTGRES)
  if (existsSync(file)) throw new UsageError(`${file} is there already; name another file`)
  checkPlaceOf(file)
  databaseIn(dataDir)
  const bytes = await copyOf(dataDir, secret === null ? null : Redacted.value(secret))
  const read = readBackup(bytes)
  if ("problem" in read) throw new Error(`the copy ${read.problem}`)
  const verified = await Effect.runPromise(verifyFiles(read.files, null))
  if (verified.difference !== null) return notVerified(verified.difference)
  await writeWhole(file, (write) => write(bytes), { mode: 0o600 })
  out(`${file}: ${bytes.length} bytes, ${countedText(verified)}; the secret is not in it, keep that apart`)
  return EXIT.passed
}

async function copyOf(dataDir: string, secret: string | null): Promise<Uint8Array> {
  const note = runningService(dataDir)
  if (note?.control !== undefined) return askControl(note.control, "backup")
  const copying = backupOf(secret ?? (await onLocalFiles(secretIn(dataDir)))).pipe(
    Effect.provide(layerPglite({ folder: join(dataDir, "database") })),
  )
  return explainingHolder(
    Effect.runPromise(copying),
    () =>
      `another process holds the database in ${dataDir} and takes no requests; try again, or stop it first`,
    dataDir,
  )
}

function notVerified(difference: string): ExitStatus {
  err(`error: the journal of the copy does not replay: ${difference}`)
  return EXIT.failed
}

function countedText({ groups, entries }: Verified): string {
  return `verified by replaying ${entries} journal entries of ${groups} groups`
}

export interface RestoreFlags {
  readonly data?: string
  readonly secretFile?: string
  readonly holdCalls?: boolean
  readonly resumeCalls?: boolean
}

/** Makes a data folder from a backup, with outbound calls held; or holds or releases calls in an existing database. */
export async function restoreCommand(file: string | undefined, flags: RestoreFlags): Promise<ExitStatus> {
  const isAboutCalls = flags.resumeCalls === true || flags.holdCalls === true
  if (isAboutCalls === (file !== undefined))
    throw new UsageError("name a backup file, or one of --resume-calls and --hold-calls")
  if (file === undefined) return callsCommand(flags)
  const { databaseUrl, dataDir } = databasePlace(flags.data)
  if (databaseUrl !== null) throw new UsageError(ON_POSTGRES)
  if (holdsData(dataDir))
    throw new UsageError(
      `${dataDir} is not empty; move what it holds elsewhere, or name a new folder with --data`,
    )
  const backup = readBackup(readFile(file))
  if ("problem" in backup) throw new UsageError(`${file} ${backup.problem}`)
  const secret = await secretFor(backup, file, flags)
  const verified = await verifiedWith(backup, secret)
  if (verified.difference !== null) return notVerified(verified.difference)
  await writeFolder(dataDir, backup, secret)
  out(`${dataDir}: restored, ${countedText(verified)}`)
  out(
    `calls to the outside are held; look around, then: npx curbline restore --resume-calls --data ${dataDir}`,
  )
  return EXIT.passed
}

/** Of a folder, such as what failed in the last run of scenarios: no data. */
const CACHE = "cache"

function holdsData(folder: string): boolean {
  return existsSync(folder) && readdirSync(folder).some((name) => name !== CACHE)
}

function readFile(file: string): Uint8Array {
  try {
    return readFileSync(file)
  } catch (cause) {
    throw new UsageError(`cannot read ${file}: ${cause instanceof Error ? cause.message : String(cause)}`)
  }
}

/** The secret is never taken from the command line, which other users of the machine can read. */
async function secretFor({ header }: Backup, file: string, { secretFile }: RestoreFlags): Promise<string> {
  const { CURBLINE_SECRET: set = "" } = process.env
  const given =
    secretFile === undefined
      ? set === ""
        ? await typedSecret()
        : set
      : Buffer.from(readFile(secretFile)).toString()
  const secret = given.trim()
  if (isSecretOf(header, secret)) return secret
  throw new UsageError(`this is not the secret of the service that ${file} comes from; nothing was written`)
}

async function typedSecret(): Promise<string> {
  if (!process.stdin.isTTY) {
    throw new UsageError(
      "the service's secret is needed: name its file with --secret-file (`secret` in the old data folder), or set CURBLINE_SECRET",
    )
  }
  const unseen = new Writable({ write: (_chunk, _encoding, done) => done() })
  const lines = createInterface({ input: process.stdin, output: unseen, terminal: true })
  // The terminal stops echoing only now: anything typed earlier would be shown.
  err("secret of the service (it is not shown):")
  try {
    return await lines.question("")
  } finally {
    lines.close()
  }
}

async function verifiedWith({ files }: Backup, secret: string): Promise<Verified> {
  const exit = await Effect.runPromiseExit(verifyFiles(files, sealingKeyOf(secret)))
  if (Exit.isSuccess(exit)) return exit.value
  const cause = Cause.squash(exit.cause)
  if (cause instanceof WrongSecret) throw new UsageError(`${cause.message}; nothing was written`)
  throw cause
}

/**
 * The folder is made complete, with calls held, and then moved to its place: beside a new one, and inside of one that is there,
 * because that may be a volume or a link, which no other folder can replace.
 */
async function writeFolder(dataDir: string, { files }: Backup, secret: string): Promise<void> {
  const isThere = existsSync(dataDir)
  await onLocalFiles(inDataFolder(dataDir, makeFolder(dirname(dataDir))))
  const draft = draftFor(dataDir, isThere ? dataDir : dirname(dataDir))
  try {
    chmodSync(draft, 0o700)
    const layer = layerPglite({ folder: join(draft, "database"), copy: new Blob([files]) })
    await Effect.runPromise(
      Effect.provide(
        Effect.flatMap(Database, (database) => holdCalls(database, "restore")),
        layer,
      ),
    )
    writeFileSync(join(draft, "secret"), secret, { mode: 0o600, flush: true })
    if (isThere) moveInto(dataDir, draft)
    else renameSync(draft, dataDir)
  } catch (cause) {
    rmSync(draft, { recursive: true, force: true })
    const unusable = unusableIn(cause)
    throw unusable === null ? cause : new FolderUnusable({ folder: dataDir, found: unusable.found })
  }
}

function draftFor(dataDir: string, place: string): string {
  try {
    return mkdtempSync(join(place, `.${basename(dataDir)}-restoring-`))
  } catch (found) {
    throw new FolderUnusable({ folder: dataDir, found })
  }
}

/** The database last: a folder with a secret alone is not served, and one with a database alone would get another secret. */
function moveInto(dataDir: string, draft: string): void {
  rmSync(join(dataDir, CACHE), { recursive: true, force: true })
  const names = readdirSync(draft).toSorted(
    (one, other) => Number(isDatabase(one)) - Number(isDatabase(other)),
  )
  for (const name of names) renameSync(join(draft, name), join(dataDir, name))
  rmSync(draft, { recursive: true })
  giveToOwner(dataDir)
}

function isDatabase(name: string): boolean {
  return name === "database"
}

async function callsCommand(flags: RestoreFlags): Promise<ExitStatus> {
  if (flags.resumeCalls === true && flags.holdCalls === true)
    throw new UsageError("--resume-calls and --hold-calls contradict each other")
  const { databaseUrl, dataDir } = databasePlace(flags.data)
  const url = databaseUrl === null ? null : Redacted.value(databaseUrl)
  if (url === null) databaseIn(dataDir)
  const control = url === null ? runningService(dataDir)?.control : undefined
  if (flags.holdCalls === true) {
    if (control !== undefined)
      throw new UsageError("stop the service first: calls that it has begun cannot be held")
    await onDatabase(url, dataDir, (database) => holdCalls(database, "command"))
    out("calls to the outside are held")
    return EXIT.passed
  }
  const wereHeld =
    control === undefined
      ? await onDatabase(url, dataDir, (database) => resumeCalls(database))
      : (JSON.parse((await askControl(control, "resumeCalls")).toString()) as { readonly were_held: boolean })
          .were_held
  out(wereHeld ? "outbound calls are allowed again" : "calls to the outside were not held")
  return EXIT.passed
}

function onDatabase<A>(
  url: string | null,
  dataDir: string,
  act: (database: Database["Type"]) => Effect.Effect<A, DatabaseFault>,
): Promise<A> {
  const layer: Layer.Layer<Database, DatabaseFault> =
    url === null ? layerPglite({ folder: join(dataDir, "database") }) : layerPostgres(url)
  return explainingHolder(
    Effect.runPromise(Effect.provide(Effect.flatMap(Database, act), layer)),
    () => `another process holds the database in ${dataDir}; try again, or stop it first`,
    dataDir,
  )
}
