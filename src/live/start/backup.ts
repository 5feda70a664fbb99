/**
 * A backup of the embedded database in one file: a line of JSON, then the compressed files of the database. The line names
 * the program, and holds a proof of the service's secret, which is not in the file itself.
 */

import { createHash, createHmac, randomBytes } from "node:crypto"
import { count, gt } from "drizzle-orm"
import { Clock, Effect, Schema } from "effect"
import { recordContext } from "../configuration/build.ts"
import { program } from "../../apps/composition/program.ts"
import { isSame } from "../../engine/services/constant-time.ts"
import { replayRecord } from "../../simulation/replay.ts"
import { checkFiles } from "../../engine/store/data-folder.ts"
import { Database, databaseFault, layerPglite } from "../../engine/store/database.ts"
import type { DatabaseFault } from "../../engine/store/database.ts"
import { checkpoint } from "../../engine/store/embedded-log.ts"
import { groups as groupRows } from "../../engine/store/schema.ts"
import { checkSecret } from "../../areas/webhooks/store/sealed-secrets.ts"
import type { WrongSecret } from "../../areas/webhooks/store/sealed-secrets.ts"
import { layerLocalFiles } from "../../engine/store/local-files.ts"
import { layerSecretBox } from "../../engine/store/secret-box.ts"
import { noteWriteOutage, writeProblem } from "../../engine/store/transaction.ts"
import { exportJournal } from "../records/journal-export.ts"

const FORMAT = 1

const HEADER = Schema.parseJson(
  Schema.Struct({
    curbline_backup: Schema.Literal(FORMAT),
    program: Schema.String,
    made_at: Schema.String,
    /** Random salt of the proof of the secret. */
    salt: Schema.String,
    proof: Schema.String,
    /** SHA-256 of the bytes after the line. */
    sha256: Schema.String,
  }),
)

export interface Backup {
  readonly header: Schema.Schema.Type<typeof HEADER>
  readonly files: Uint8Array<ArrayBuffer>
}

/**
 * The database's files as they are now, while the service runs on. Cost: the compressed files are in memory as a whole.
 */
const filesOf: Effect.Effect<Uint8Array<ArrayBuffer>, DatabaseFault, Database> = Effect.gen(function* () {
  const database = yield* Database
  const { jobs } = database
  if (!("client" in jobs)) return yield* Effect.dieMessage("only the embedded database has files of its own")
  // A checkpoint that cannot be written ends the embedded server.
  const problem = yield* writeProblem(database)
  if (problem !== null)
    return yield* databaseFault(COPYING, new Error(`the database takes no writes: ${problem}`))
  const client = jobs.client()
  return yield* Effect.tryPromise({
    try: async () => {
      // PGlite runs nothing else meanwhile. Transactions in flight are not committed in the copy.
      await checkpoint(client)
      const dumped = await client.dumpDataDir("gzip")
      return new Uint8Array(await dumped.arrayBuffer())
    },
    catch: (cause) => databaseFault(COPYING, cause),
  }).pipe(
    Effect.tapError((fault) => Effect.sync(() => noteWriteOutage(database, fault))),
    Effect.catchAll((fault) => Effect.flatMap(unusableOr(fault, client.dataDir), Effect.fail)),
  )
})

/** The embedded database does not say why it cannot read one of its files. */
function unusableOr(fault: DatabaseFault, folder: string | undefined): Effect.Effect<DatabaseFault> {
  if (folder === undefined) return Effect.succeed(fault)
  return Effect.match(checkFiles(folder), {
    onFailure: (unusable) => databaseFault(COPYING, unusable),
    onSuccess: () => fault,
  }).pipe(Effect.provide(layerLocalFiles))
}

const COPYING = "copying the database"

/** The whole file, while the service goes on. */
export function backupOf(secret: string): Effect.Effect<Uint8Array, DatabaseFault, Database> {
  return Effect.gen(function* () {
    return backupFile(yield* filesOf, secret, yield* Clock.currentTimeMillis)
  })
}

/** The line, then the files. */
function backupFile(files: Uint8Array, secret: string, atMs: number): Uint8Array {
  const salt = randomBytes(16).toString("hex")
  const header: Backup["header"] = {
    curbline_backup: FORMAT,
    program: recordContext().build,
    made_at: new Date(atMs).toISOString(),
    salt,
    proof: proofOf(secret, salt),
    sha256: createHash("sha256").update(files).digest("hex"),
  }
  return Buffer.concat([Buffer.from(`${JSON.stringify(header)}\n`), files])
}

export type NoBackup = { readonly problem: string }

/** The content of a backup file, or why it is not a valid backup. */
export function readBackup(bytes: Uint8Array): Backup | NoBackup {
  const end = bytes.subarray(0, HEADER_BYTES_MAX).indexOf(0x0a)
  const line = Buffer.from(bytes.subarray(0, Math.max(0, end))).toString("utf8")
  const header = Schema.decodeUnknownOption(HEADER)(line)
  if (end < 0 || header._tag === "None") return { problem: "is no backup that this program can read" }
  const files = new Uint8Array(bytes.subarray(end + 1))
  const sum = createHash("sha256").update(files).digest("hex")
  return sum === header.value.sha256
    ? { header: header.value, files }
    : { problem: "is damaged: its contents have another SHA-256 than its first line says" }
}

const HEADER_BYTES_MAX = 4_096

export function isSecretOf({ salt, proof }: Backup["header"], secret: string): boolean {
  return isSame(proof, proofOf(secret, salt))
}

/** A secret has at least 32 characters, so it cannot be guessed from this hash. */
function proofOf(secret: string, salt: string): string {
  return createHmac("sha256", `backups ${secret}`).update(salt).digest("hex")
}

export interface Verified {
  readonly groups: number
  readonly entries: number
  /** The first difference that the replay of the journal found; null when all entries are equal. */
  readonly difference: string | null
}

/** Opens the copy in memory, decrypts a sealed row with the key if there is one, and replays the whole journal. */
export function verifyFiles(
  files: Uint8Array<ArrayBuffer>,
  secretKey: string | null,
): Effect.Effect<Verified, DatabaseFault | WrongSecret> {
  return Effect.gen(function* () {
    if (secretKey !== null) yield* Effect.provide(checkSecret, layerSecretBox(secretKey))
    const parts: string[] = []
    const { build, charts } = recordContext()
    const { entries } = yield* exportJournal({
      build,
      charts,
      write: (text) => Effect.sync(() => void parts.push(text)),
    })
    const { orm } = yield* Database
    const [row] = yield* Effect.promise(() =>
      orm.select({ groups: count() }).from(groupRows).where(gt(groupRows.revision, 0)),
    )
    const { difference } = replayRecord(parts.join(""), program)
    return { groups: row?.groups ?? 0, entries, difference: difference?.message ?? null }
  }).pipe(Effect.provide(layerPglite({ copy: new Blob([files]) })))
}
